//! A plain embedding of wasmtime: WASI as wasmtime-wasi links it, no limits, no threads, one store a call.

use bindings::ToolPluginPre;
use bindings::hermes::progress::progress;
use bindings::hermes::secrets::secrets;
use bindings::hermes::tool::types::{Call, Outcome};
use wasmtime::component::{Component, HasSelf, Linker, ResourceTable};
use wasmtime::{Config, Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

mod bindings {
    wasmtime::component::bindgen!({
        path: ["../../wit/progress/0.1.0", "../../wit/secrets/0.1.0", "../../wit/tools/0.1.0", "../../wit/tool/0.1.0"],
        world: "hermes:tool/tool-plugin",
        exports: { default: async },
    });
}

pub(crate) struct Raw {
    engine: Engine,
    pre: ToolPluginPre<State>,
}

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl progress::Host for State {
    fn report(&mut self, _: f64, _: Option<f64>, _: Option<String>) {}

    fn log(&mut self, _: progress::Level, _: String) {}
}

impl secrets::Host for State {
    fn get(&mut self, _: String) -> Result<String, secrets::SecretError> {
        Err(secrets::SecretError::Denied)
    }

    fn exists(&mut self, _: String) -> bool {
        false
    }
}

impl Raw {
    pub(crate) fn new(config: &Config) -> Self {
        let engine = Engine::new(config).expect("an engine");
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).expect("WASI");
        progress::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state).expect("an interface");
        secrets::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state).expect("an interface");
        let component = Component::new(&engine, guest_artifacts::HELPER).expect("a component");
        let pre = linker.instantiate_pre(&component).and_then(ToolPluginPre::new).expect("all imports");
        Self { engine, pre }
    }

    /// Calls `handle` in a fresh store and drops it.
    pub(crate) async fn call(&self) {
        let state = State { wasi: WasiCtx::builder().build(), table: ResourceTable::new() };
        let mut store = Store::new(&self.engine, state);
        // The settings interrupt guests; here nothing advances the clock.
        store.set_epoch_deadline(1);
        let plugin = self.pre.instantiate_async(&mut store).await.expect("an instance");
        let call = Call {
            id: "1".into(),
            tool: crate::TOOL.into(),
            session: None,
            task: None,
            deadline_ms: 30_000,
            workspace: None,
            meta: Vec::new(),
            resume: None,
        };
        let ended = plugin.hermes_tool_tool().call_handle(&mut store, &call, crate::ARGS).await.expect("an answer");
        assert!(matches!(ended, Ok(Outcome::Done(_))), "{ended:?}");
    }
}
