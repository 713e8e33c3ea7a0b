//! All that a component can import, at one screen. What is not here does not exist for a guest. Each way to the data counts a
//! call of the host.

use wasmtime::Engine;
use wasmtime::component::Linker;
use wasmtime_wasi::cli::{WasiCli, WasiCliCtxView};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksCtxView};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random, sockets};
use wasmtime_wasi::sockets::{WasiSockets, WasiSocketsCtxView};
use wasmtime_wasi_http::p2::bindings::http;
use wasmtime_wasi_http::{WasiHttp, WasiHttpCtxView};
use wasmtime_wasi_io::bindings::wasi::io;

use crate::bindings::{progress, secrets, tools};
use crate::fs::Front;
use crate::io::{Errors, HasTable};
use crate::progress::Channels;
use crate::random::Random;
use crate::secrets::Secrets;
use crate::store::State;
use crate::tools::Tools;

/// The linker of every component.
pub(crate) fn build(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;

    // The project's own.
    progress::add_to_linker::<State, Channels>(l, |s| &mut s.called().channels)?;
    secrets::add_to_linker::<State, Secrets>(l, |s| &mut s.called().secrets)?;
    tools::add_to_linker::<State, Tools>(l, |s| &mut s.called().tools)?;

    // Streams, time, chance.
    io::error::add_to_linker::<State, Errors>(l, |s| Errors(&mut s.called().table))?;
    io::poll::add_to_linker::<State, HasTable>(l, |s| &mut s.called().table)?;
    io::streams::add_to_linker::<State, HasTable>(l, |s| &mut s.called().table)?;
    clocks::wall_clock::add_to_linker::<State, WasiClocks>(l, time)?;
    clocks::monotonic_clock::add_to_linker::<State, WasiClocks>(l, time)?;
    random::random::add_to_linker::<State, Random>(l, chance)?;
    random::insecure::add_to_linker::<State, Random>(l, chance)?;
    random::insecure_seed::add_to_linker::<State, Random>(l, chance)?;

    // The command line's world: granted environment, captured output.
    cli::environment::add_to_linker::<State, WasiCli>(l, command)?;
    cli::exit::add_to_linker::<State, WasiCli>(l, command)?;
    cli::stdin::add_to_linker::<State, WasiCli>(l, command)?;
    cli::stdout::add_to_linker::<State, WasiCli>(l, command)?;
    cli::stderr::add_to_linker::<State, WasiCli>(l, command)?;
    cli::terminal_input::add_to_linker::<State, WasiCli>(l, command)?;
    cli::terminal_output::add_to_linker::<State, WasiCli>(l, command)?;
    cli::terminal_stdin::add_to_linker::<State, WasiCli>(l, command)?;
    cli::terminal_stdout::add_to_linker::<State, WasiCli>(l, command)?;
    cli::terminal_stderr::add_to_linker::<State, WasiCli>(l, command)?;

    // Files: granted mounts behind the front. HTTP: granted destinations behind the egress client.
    filesystem::types::add_to_linker::<State, Front>(l, files)?;
    filesystem::preopens::add_to_linker::<State, Front>(l, files)?;
    http::types::add_to_linker::<State, WasiHttp>(l, &http::types::LinkOptions::default(), web)?;
    http::outgoing_handler::add_to_linker::<State, WasiHttp>(l, web)?;

    // Interpreters import sockets whether they use them or not; every use is denied.
    sockets::network::add_to_linker::<State, WasiSockets>(l, &sockets::network::LinkOptions::default(), denied)?;
    sockets::instance_network::add_to_linker::<State, WasiSockets>(l, denied)?;
    sockets::ip_name_lookup::add_to_linker::<State, WasiSockets>(l, denied)?;
    sockets::tcp::add_to_linker::<State, WasiSockets>(l, denied)?;
    sockets::tcp_create_socket::add_to_linker::<State, WasiSockets>(l, denied)?;
    sockets::udp::add_to_linker::<State, WasiSockets>(l, denied)?;
    sockets::udp_create_socket::add_to_linker::<State, WasiSockets>(l, denied)?;
    Ok(linker)
}

fn time(s: &mut State) -> WasiClocksCtxView<'_> {
    let s = s.called();
    WasiClocksCtxView { ctx: s.wasi.clocks(), table: &mut s.table }
}

fn chance(s: &mut State) -> Random<'_> {
    let s = s.called();
    Random { inner: s.wasi.random(), left: &mut s.random_left }
}

fn command(s: &mut State) -> WasiCliCtxView<'_> {
    let s = s.called();
    WasiCliCtxView { ctx: s.wasi.cli(), table: &mut s.table }
}

fn files(s: &mut State) -> Front<'_> {
    let s = s.called();
    Front::new(&mut s.files, s.wasi.filesystem(), &mut s.table)
}

fn web(s: &mut State) -> WasiHttpCtxView<'_> {
    let s = s.called();
    WasiHttpCtxView { hooks: &mut s.hooks, table: &mut s.table, ctx: &mut s.http }
}

fn denied(s: &mut State) -> WasiSocketsCtxView<'_> {
    let s = s.called();
    WasiSocketsCtxView { ctx: s.wasi.sockets(), table: &mut s.table }
}
