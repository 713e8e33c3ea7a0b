//! The contract's worlds, generated from `wit/`.

mod tool {
    wasmtime::component::bindgen!({
        path: ["../../wit/progress/0.1.0", "../../wit/secrets/0.1.0", "../../wit/tools/0.1.0", "../../wit/tool/0.1.0"],
        world: "hermes:tool/tool-plugin",
        // Other tools take their time, in which the guest waits.
        imports: { "hermes:tools/tools": async | trappable, default: trappable },
        exports: { default: async },
        require_store_data_send: true,
    });
}

mod hook_plugin {
    wasmtime::component::bindgen!({
        path: [
            "../../wit/progress/0.1.0",
            "../../wit/secrets/0.1.0",
            "../../wit/tools/0.1.0",
            "../../wit/tool/0.1.0",
            "../../wit/hook/0.1.0",
        ],
        world: "hermes:hook/hook-plugin",
        // All that is not a hook's own is what tools have, too.
        with: {
            "hermes:progress": super::tool::hermes::progress,
            "hermes:secrets": super::tool::hermes::secrets,
            "hermes:tools": super::tool::hermes::tools,
            "hermes:tool": super::tool::hermes::tool,
        },
        exports: { default: async },
        require_store_data_send: true,
    });
}

pub(crate) use hook_plugin::exports::hermes::hook::hook;
pub(crate) use hook_plugin::{HookPlugin, HookPluginPre};
pub(crate) use tool::hermes::{progress::progress, secrets::secrets, tool::types, tools::tools};
pub(crate) use tool::{ToolPlugin, ToolPluginPre};
