//! One client, which started the host.

use std::sync::Arc;

use hermes_core::{Host, Session};
use hermes_serve::{Mcp, serve_stdio};

use crate::failure::Failure;
use crate::settings::Settings;

pub(super) async fn serve(host: Arc<Host>, settings: &Settings) -> Result<(), Failure> {
    // Each client that starts the host has a session of its own, unless it names one.
    let id = match &settings.session {
        Some(id) => id.clone(),
        None => hermes_core::results::fresh_id().map_err(Failure::work)?,
    };
    let session = Session { view: settings.served(), id: Some(id), ..Session::default() };
    tokio::select! {
        served = serve_stdio(Mcp::new(host, session), tokio::io::stdin(), tokio::io::stdout()) => served.map_err(Failure::work),
        ended = super::signals::ended() => ended,
    }
}
