//! `run`: serves tools to an agent.

use std::sync::Arc;

use hermes_core::Session;
use hermes_serve::{Mcp, serve_stdio};

use crate::failure::Failure;
use crate::open;
use crate::printer::{escape, shown};
use crate::settings::Settings;

pub(super) fn run(settings: Settings) -> Result<(), Failure> {
    let host = open::host(&settings)?;
    if let Err(error) = &host.surroundings().workspace {
        tracing::warn!(
            "serving without files: {}; set a workspace with --workspace DIR",
            escape(&error.to_string(), false)
        );
    }
    for refused in host.catalog().refused() {
        tracing::warn!("refused {}: {}", shown(&refused.file), escape(&refused.reason.to_string(), false));
    }
    // Each client that starts the host has a session of its own, unless it names one.
    let id = match settings.session {
        Some(id) => id,
        None => hermes_core::results::fresh_id().map_err(Failure::work)?,
    };
    let session = Session { view: settings.view, id: Some(id), ..Session::default() };
    let runtime = super::runtime()?;
    let served = runtime.block_on(async {
        tokio::select! {
            served = serve_stdio(Mcp::new(Arc::new(host), session), tokio::io::stdin(), tokio::io::stdout()) => served,
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    });
    // Reading stdin cannot be interrupted, so the thread that does is left behind.
    runtime.shutdown_background();
    served.map_err(Failure::work)
}
