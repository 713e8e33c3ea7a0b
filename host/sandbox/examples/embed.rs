//! A host in a program of one's own: opens a folder of components, lists its tools and calls one.
//!
//! `cargo run -p hermes-sandbox --example embed -- PLUGINS TOOL ARGS`

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::sync::Arc;

use hermes_core::registry::{Trust, TrustPolicy};
use hermes_core::{
    CallRequest, Content, Host, NoProgress, NoSecrets, Outcome, Registry, Session, Source, Surroundings, Workspace,
};
use hermes_sandbox::{Sandbox, SandboxConfig};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(plugins), Some(tool), Some(args)) = (args.next(), args.next(), args.next()) else {
        return Err("expected PLUGINS TOOL ARGS, such as: plugins echo '{\"text\": \"hello\"}'".into());
    };
    let sandbox = Sandbox::new(SandboxConfig::new(Arc::new(NoSecrets)))?;
    let registry = Registry::new(Sandbox::host_api(), Arc::new(sandbox), Trust::in_memory(TrustPolicy::Folder));
    registry.scan(&[Source::folder(plugins)])?;
    // No toolset grants anything, so all that its tools may do is compute.
    let workspace = Workspace::open(".".as_ref(), None, None);
    let host = Host::new(Arc::new(registry), Surroundings::new(workspace, Arc::new(NoSecrets))?);

    let session = Session::default();
    for seen in host.list(&session).tools {
        println!("{} is {}", seen.entry.manifest.name, seen.state.name());
    }
    let report = host.dispatch(&session, CallRequest::new(tool, args), &NoProgress).await;
    match report.outcome {
        Outcome::Done(output) => output.content.iter().for_each(|piece| match piece {
            Content::Text(text) => println!("done: {text}"),
            other => println!("done: {other:?}"),
        }),
        outcome => println!("{}: {}", outcome.name(), outcome.error().unwrap_or_default()),
    }
    Ok(())
}
