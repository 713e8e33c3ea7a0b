//! Any number of clients, over HTTP.

use std::io::{self, IsTerminal as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use hermes_core::reload::Reloader;
use hermes_core::{Host, Session, State};
use hermes_serve::http::{Access, Config, Limits, ServeError, Token, serve as serve_http};
use hermes_serve::{Metrics, api};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::signals;
use crate::approval::Desk;
use crate::cli::RunArgs;
use crate::failure::Failure;
use crate::printer::{Printer, escape, shown, word};
use crate::private;
use crate::reload::Live;
use crate::settings::Settings;

/// Where it listens when nobody says where, and how many ports after it are tried.
const PORT: u16 = 4747;
const PORTS: u16 = 32;

/// The token that callers show, and where it is kept.
struct Kept<'a> {
    token: String,
    file: Option<&'a Path>,
    /// Whether nobody has seen it yet.
    made: bool,
}

pub(super) async fn serve(
    args: &RunArgs,
    host: Arc<Host>,
    metrics: Arc<Metrics>,
    settings: &Settings,
    live: &Live,
    reloader: &Reloader,
    printer: Printer,
) -> Result<(), Failure> {
    let view = settings.served();
    let kept = if args.no_token { None } else { Some(token(settings)?) };
    let access = match &kept {
        Some(kept) => Access::Tokens(vec![Token::new("operator", &kept.token, None)]),
        None => Access::Anyone,
    };
    let listener = listen(args.http.or(settings.config.serve.http)).await?;
    let address = listener.local_addr().map_err(Failure::work)?;
    let config = Config { view: view.clone(), access, allowed: live.allowed(), limits: Limits::default() };
    let shutdown = CancellationToken::new();
    let desk = Arc::new(Desk::new(Arc::clone(&host), live.settings.clone()));
    let served = api::Config { view: view.clone(), desk, shutdown: shutdown.clone() };
    let api = api::router(Arc::clone(&host), served);
    let more = api.merge(metrics.router(Arc::clone(&host)));
    let session = Session { view, anonymous: kept.is_none(), ..Session::default() };
    let serving = serve_http(listener, Arc::clone(&host), config, more, shutdown.clone());
    let mut serving = std::pin::pin!(serving);
    let greeting = async {
        greet(&host, &session, address, kept.as_ref(), printer)?;
        signals::ended().await
    };
    let served = tokio::select! {
        served = &mut serving => served,
        ended = greeting => {
            ended?;
            shutdown.cancel();
            // Who is in a hurry says so twice.
            tokio::select! {
                served = &mut serving => served,
                ended = signals::ended() => return ended,
            }
        }
        () = signals::again(|| reloader.look()) => return Ok(()),
    };
    served.map_err(|error| match error {
        ServeError::Open(_) => Failure::usage(error).hint("leave out --no-token, or listen on 127.0.0.1"),
        ServeError::Listener(_) => Failure::work(error),
    })
}

/// An address that was asked for, or the first that is free.
async fn listen(asked: Option<SocketAddr>) -> Result<TcpListener, Failure> {
    if let Some(address) = asked {
        return TcpListener::bind(address).await.map_err(|error| Failure::work(format!("{address}: {error}")));
    }
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for port in PORT..PORT + PORTS {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => last = error,
            Err(error) => return Err(Failure::work(format!("127.0.0.1:{port}: {error}"))),
        }
    }
    let ports = format!("127.0.0.1, ports {PORT} to {}: {last}", PORT + PORTS - 1);
    Err(Failure::work(ports).hint("name an address with --http ADDRESS:PORT"))
}

fn token(settings: &Settings) -> Result<Kept<'_>, Failure> {
    match settings.config.serve.token_file.as_deref() {
        Some(file) => {
            let (token, made) =
                private::token(file).map_err(|error| Failure::work(escape(&error.to_string(), false)))?;
            Ok(Kept { token, file: Some(file), made })
        }
        None => Ok(Kept { token: private::fresh_token().map_err(Failure::work)?, file: None, made: true }),
    }
}

/// Whether a token is shown: a new one, to a person. What a service writes is kept, and read by others than who may read the file.
fn shows(kept: &Kept<'_>) -> bool {
    kept.made && (kept.file.is_none() || io::stderr().is_terminal())
}

/// Tells where it serves what, and how clients come there. A program reads one line: the address, and where the token is.
fn greet(
    host: &Host,
    session: &Session,
    address: SocketAddr,
    kept: Option<&Kept<'_>>,
    printer: Printer,
) -> Result<(), Failure> {
    let url = format!("http://{address}/mcp");
    // Who listens everywhere is reached here by a name of this machine.
    let console = match address.ip().is_unspecified() {
        true => format!("http://localhost:{}/", address.port()),
        false => format!("http://{address}/"),
    };
    if printer.json() {
        let file = kept.and_then(|kept| kept.file).map(|file| file.display().to_string());
        return printer.value(&json!({ "mcp": url, "console": console, "token_file": file })).map_err(Failure::work);
    }
    let listing = host.list(session);
    let offered = listing.tools.iter().filter(|seen| seen.state.offered()).count();
    let tools = if offered == 1 { "1 tool".to_owned() } else { format!("{offered} tools") };
    printer.note(&format!("serving {tools} at {url}; end with Ctrl-C"));
    let header = match kept {
        None => {
            let withheld = listing.tools.iter().filter(|seen| matches!(seen.state, State::Withheld(_)));
            let names: Vec<&str> = withheld.map(|seen| seen.entry.manifest.name.as_str()).collect();
            if !names.is_empty() {
                printer.note(&format!("not without a token: {}", escape(&names.join(", "), false)));
            }
            String::new()
        }
        Some(kept @ Kept { token, file, .. }) => {
            if shows(kept) {
                printer.note(&format!("token: {token}"));
            }
            match file {
                Some(file) => {
                    printer.note(&format!("the token is kept in {}", shown(file)));
                    format!(" --header \"Authorization: Bearer $(cat {})\"", word(&file.display().to_string()))
                }
                None => format!(" --header \"Authorization: Bearer {token}\""),
            }
        }
    };
    // A browser keeps what stands behind `#` to itself.
    let token = kept.filter(|kept| shows(kept)).map(|kept| format!("#token={}", kept.token));
    printer.note(&format!("the console, in a browser: {console}{}", token.unwrap_or_default()));
    printer.note(&format!("for Claude Code: claude mcp add --transport http hermes {url}{header}"));
    Ok(())
}
