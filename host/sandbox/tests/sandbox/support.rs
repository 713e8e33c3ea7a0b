//! Sandboxes, components and calls for the tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hermes_core::{
    Call, Component, Digest, Ended, Failure, Fault, Hook, LimitKind, Limits, Location, NoProgress, Power, Run, Runner,
    SecretStore, Tool,
};
use hermes_manifest::{EnvName, Existing, embed};
use hermes_sandbox::{Sandbox, SandboxConfig};
use serde_json::json;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

/// A generous bound on what must end by itself, so that a hang is a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// One secret, `TOKEN`.
pub(crate) struct Secrets;

impl SecretStore for Secrets {
    fn get(&self, name: &EnvName) -> Option<String> {
        (name.as_str() == "TOKEN").then(|| "s3cret".to_owned())
    }
}

pub(crate) fn config() -> SandboxConfig {
    SandboxConfig { concurrency: 8, ..SandboxConfig::new(Arc::new(Secrets)) }
}

/// A sandbox for the probe: compiled once and then taken from a cache, since all tests use it.
pub(crate) fn probe_sandbox(config: SandboxConfig) -> (Sandbox, Arc<dyn Tool>) {
    let sandbox = caching(config);
    let tool = sandbox.tool(Arc::new(probe()));
    (sandbox, tool)
}

/// A sandbox for guests of the SDK.
pub(crate) fn caching(mut config: SandboxConfig) -> Sandbox {
    config.cache = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("artefacts"));
    Sandbox::new(config).expect("a sandbox")
}

pub(crate) fn probe() -> Component {
    core("probe.wasm", guest_artifacts::PROBE)
}

/// A component as it is embedded in a host.
pub(crate) fn core(name: &'static str, bytes: &'static [u8]) -> Component {
    found(Location::Core(name, bytes), bytes)
}

/// A component as discovery finds it while `bytes` are at `location`.
pub(crate) fn found(location: Location, bytes: &[u8]) -> Component {
    let section = hermes_manifest::scan(std::io::Cursor::new(bytes)).map(|found| found.section).unwrap_or_default();
    Component::new(location, bytes.len() as u64, Digest::of(&section))
}

/// Runs the probe with these arguments.
pub(crate) async fn attempt(tool: &dyn Tool, args: serde_json::Value, power: &Power) -> Run {
    handle(tool, "probe", &args.to_string(), power.clone()).await
}

pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new(config()).expect("a sandbox")
}

/// A component whose bytes live as long as the test.
pub(crate) fn component(bytes: Vec<u8>) -> Arc<Component> {
    let bytes = bytes.leak();
    Arc::new(found(Location::Core("guest.wasm", bytes), bytes))
}

pub(crate) fn call(tool: &str) -> Call {
    Call { id: "1".into(), tool: tool.into(), session: None, task: None, meta: Vec::new(), resume: None }
}

/// Limits under which a loop ends soon.
pub(crate) fn short() -> Limits {
    Limits { wall: Duration::from_secs(5), cpu: Duration::from_millis(200), ..Limits::default() }
}

pub(crate) fn power(limits: Limits) -> Power {
    Power { limits, ..Power::default() }
}

/// Runs `handle`; a call that does not come back fails the test.
pub(crate) async fn handle(tool: &dyn Tool, name: &str, args: &str, power: Power) -> Run {
    let run = tool.handle(call(name), args.to_owned(), Arc::new(power), &NoProgress);
    tokio::time::timeout(PATIENCE, run).await.expect("the call came back")
}

/// The limit that ended a call.
pub(crate) fn limit(run: &Run) -> Option<LimitKind> {
    match run.result {
        Err(Fault::Limit { kind, .. }) => Some(kind),
        _ => None,
    }
}

/// The text of a result, or what there was instead.
pub(crate) fn text(run: &Run) -> Result<String, String> {
    match &run.result {
        Ok(Ok(Ended::Done(output))) => match output.content.as_slice() {
            [hermes_core::Content::Text(text)] => Ok(text.clone()),
            other => Err(format!("{other:?} {:?}", output.structured)),
        },
        Ok(Err(Failure::Failed(said))) => Err(format!("failed: {said}")),
        other => Err(format!("{other:?}")),
    }
}

/// A component written by hand: a core module in the text format, lifted to the contract's types.
pub(crate) struct Guest {
    /// Interfaces that it imports beyond the contract's, as WIT.
    pub(crate) world: String,
    /// Core imports.
    pub(crate) imports: String,
    /// What stands before the functions: memory, tables, globals.
    pub(crate) fields: String,
    pub(crate) realloc: String,
    pub(crate) schema: String,
    pub(crate) check: String,
    pub(crate) handle: String,
}

impl Default for Guest {
    /// Answers everything with what zeroed memory means: an empty schema, an available tool, an empty result.
    fn default() -> Self {
        Self {
            world: String::new(),
            imports: String::new(),
            fields: r#"(memory (export "memory") 2)"#.into(),
            realloc: "(global.set $next (i32.add (global.get $next) (i32.add (local.get 3) (i32.const 8))))
                      (i32.and (i32.sub (global.get $next) (i32.add (local.get 3) (i32.const 8))) (i32.const -8))"
                .into(),
            schema: "(i32.const 64)".into(),
            check: "(i32.const 64)".into(),
            handle: "(i32.const 64)".into(),
        }
    }
}

impl Guest {
    /// The component, with a manifest.
    pub(crate) fn encode(&self) -> Vec<u8> {
        with_manifest(&self.without_manifest())
    }

    pub(crate) fn without_manifest(&self) -> Vec<u8> {
        let Self { world, imports, fields, realloc, schema, check, handle } = self;
        let text = format!(
            r#"(module
                {imports}
                (global $next (mut i32) (i32.const 4096))
                {fields}
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) {realloc})
                (func (export "hermes:tool/tool@0.1.0#schema") (param i32 i32) (result i32) {schema})
                (func (export "hermes:tool/tool@0.1.0#check") (param i32 i32) (result i32) {check})
                (func (export "hermes:tool/tool@0.1.0#handle") (param i32) (result i32) {handle}))"#
        );
        lifted(&text, &format!("include hermes:tool/tool-plugin@0.1.0; {world}"))
    }

    pub(crate) fn tool(&self, sandbox: &Sandbox) -> Arc<dyn Tool> {
        sandbox.tool(component(self.encode()))
    }
}

/// A hook written by hand. It lets everything pass as it is, which is what zeroed memory means.
pub(crate) struct HookGuest {
    /// Interfaces that it imports beyond the contract's, as WIT.
    pub(crate) world: &'static str,
    /// Core imports.
    pub(crate) imports: &'static str,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
}

impl Default for HookGuest {
    fn default() -> Self {
        Self { world: "", imports: "", before: "(i32.const 64)", after: "(i32.const 64)" }
    }
}

impl HookGuest {
    pub(crate) fn hook(&self, sandbox: &Sandbox) -> Arc<dyn Hook> {
        let Self { world, imports, before, after } = self;
        let Guest { fields, realloc, .. } = Guest::default();
        let text = format!(
            r#"(module
                {imports}
                (global $next (mut i32) (i32.const 4096))
                {fields}
                (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) {realloc})
                (func (export "hermes:hook/hook@0.1.0#before") (param i32) (result i32) {before})
                (func (export "hermes:hook/hook@0.1.0#after") (param i32) (result i32) {after}))"#
        );
        let bytes = lifted(&text, &format!("include hermes:hook/hook-plugin@0.1.0; {world}"));
        let manifest = json!({
            "manifest": 1, "kind": "hook", "name": "guest", "version": "0.1.0", "description": "A test.", "match": ["*"],
            "capabilities": {"env": ["GREETING"]},
        });
        let bytes = embed(&bytes, manifest.to_string().as_bytes(), Existing::Keep).expect("a manifest");
        sandbox.hook(component(bytes))
    }
}

/// A component of a core module in the text format and the items of its world.
fn lifted(module: &str, world: &str) -> Vec<u8> {
    let mut module = wat::parse_str(module).expect("a module");
    let wit = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../wit");
    let mut resolve = Resolve::default();
    let deps = ["io", "clocks", "random", "filesystem", "sockets", "cli"].map(|package| wit.join("deps").join(package));
    let own = ["progress", "secrets", "tools", "tool", "hook"].map(|package| wit.join(package).join("0.1.0"));
    for package in deps.iter().chain(&own) {
        resolve.push_dir(package).expect("a package");
    }
    let text = format!("package test:guest; world guest {{ {world} }}");
    let package = resolve.push_str("guest.wit", &text).expect("a world");
    let world = resolve.select_world(&[package], Some("guest")).expect("the world");
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).expect("metadata");
    ComponentEncoder::default().module(&module).expect("a module of the contract").encode().expect("a component")
}

/// The component with the manifest of a tool `guest`.
pub(crate) fn with_manifest(bytes: &[u8]) -> Vec<u8> {
    with_capabilities(bytes, json!({}))
}

/// The component with the manifest of a tool `guest` that asks for this.
pub(crate) fn with_capabilities(bytes: &[u8], capabilities: serde_json::Value) -> Vec<u8> {
    let manifest = json!({
        "manifest": 1, "name": "guest", "version": "0.1.0", "description": "A test.", "schema": {"type": "object"},
        "capabilities": capabilities,
    });
    embed(bytes, manifest.to_string().as_bytes(), Existing::Keep).expect("a manifest")
}

/// Adds core modules to a component, each instantiated `instances` times.
pub(crate) fn with_modules(component: &[u8], module: &str, instances: u32) -> Vec<u8> {
    use wasm_encoder::{ComponentSection as _, InstanceSection, RawSection};
    let mut depth = 0;
    let mut modules = 0;
    for payload in wasmparser::Parser::new(0).parse_all(component) {
        match payload.expect("a valid component") {
            wasmparser::Payload::ModuleSection { .. } => {
                modules += u32::from(depth == 0);
                depth += 1;
            }
            wasmparser::Payload::ComponentSection { .. } => depth += 1,
            wasmparser::Payload::End(_) => depth -= 1,
            _ => {}
        }
    }
    let mut bytes = component.to_vec();
    let module = wat::parse_str(module).expect("a module");
    RawSection { id: wasm_encoder::ComponentSectionId::CoreModule.into(), data: &module }
        .append_to_component(&mut bytes);
    if instances > 0 {
        let mut section = InstanceSection::new();
        for _ in 0..instances {
            section.instantiate(modules, Vec::<(&str, wasm_encoder::ModuleArg)>::new());
        }
        section.append_to_component(&mut bytes);
    }
    bytes
}

/// One writable workspace.
pub(crate) fn mounted(folder: &Path, limits: Limits) -> Power {
    let mount = hermes_core::Mount {
        host: folder.to_owned(),
        guest: folder.to_owned(),
        mode: hermes_manifest::FsMode::ReadWrite,
        quota: Some(hermes_manifest::ByteSize(1 << 20)),
        own: false,
    };
    Power { mounts: vec![mount], workspace: Some(folder.to_owned()), limits, ..Power::default() }
}
