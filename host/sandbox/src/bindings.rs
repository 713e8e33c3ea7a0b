//! The contract's world, generated from `wit/`.

mod generated {
    wasmtime::component::bindgen!({
        path: ["../../wit/progress/0.1.0", "../../wit/secrets/0.1.0", "../../wit/tool/0.1.0"],
        world: "hermes:tool/tool-plugin",
        imports: { default: trappable },
        exports: { default: async },
        require_store_data_send: true,
    });
}

pub(crate) use generated::ToolPluginPre;
pub(crate) use generated::hermes::{progress::progress, secrets::secrets, tool::types};
