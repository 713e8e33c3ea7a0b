//! Components with any manifest, and a registry whose tools and hooks do nothing.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_core::registry::Trust;
use hermes_core::{
    Call, Caller, Catalog, Component, CpuMeter, Decision, Ended, Entry, Failure, Fault, Hook, HookRun, Output, Power,
    Registry, Run, Runner, Scope, Tool,
};
use hermes_manifest::{Existing, HostApi, embed, scan};
use semver::Version;

/// Answers everything with an empty result: these tests are about what may run, not about running.
pub(crate) struct Inert;

impl Tool for Inert {
    fn handle<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: &'a dyn Caller) -> BoxFuture<'a, Run> {
        let result = Ok(Ok(Ended::Done(Output::default())));
        Box::pin(std::future::ready(Run {
            result,
            log: Vec::new(),
            log_dropped: 0,
            cpu: Duration::ZERO,
            times: hermes_core::RunTimes::default(),
            refusals: Vec::new(),
        }))
    }

    fn check<'a>(&'a self, _: &'a str, _: Arc<Power>) -> BoxFuture<'a, Result<Result<(), String>, Fault>> {
        Box::pin(std::future::ready(Ok(Ok(()))))
    }

    fn schema<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, Fault>> {
        Box::pin(std::future::ready(Ok(String::new())))
    }
}

impl Hook for Inert {
    fn before<'a>(&'a self, _: Call, _: String, _: Arc<Power>, _: Arc<CpuMeter>) -> BoxFuture<'a, HookRun<Decision>> {
        Box::pin(std::future::ready(hook_run(Decision::Proceed)))
    }

    fn after<'a>(
        &'a self,
        _: Call,
        _: String,
        _: Result<Ended, Failure>,
        _: Duration,
        _: Arc<Power>,
        _: Arc<CpuMeter>,
    ) -> BoxFuture<'a, HookRun<Option<Result<Ended, Failure>>>> {
        Box::pin(std::future::ready(hook_run(None)))
    }
}

fn hook_run<T>(answer: T) -> HookRun<T> {
    HookRun { result: Ok(Ok(answer)), log: Vec::new(), log_dropped: 0, cpu: Duration::ZERO }
}

impl Runner for Inert {
    fn tool(&self, _: Arc<Component>) -> Arc<dyn Tool> {
        Arc::new(Self)
    }

    fn hook(&self, _: Arc<Component>) -> Arc<dyn Hook> {
        Arc::new(Self)
    }
}

/// A host that offers the interfaces that the component imports.
pub(crate) fn api() -> HostApi {
    let imports = scan(Cursor::new(guest_artifacts::HELPER)).unwrap().imports;
    imports.into_iter().fold(HostApi::new(Version::new(0, 1, 0)), |api, import| api.with(import, [""; 0]))
}

pub(crate) fn registry(trust: Trust) -> Registry {
    Registry::new(api(), Arc::new(Inert), trust)
}

/// A real component with these manifests.
pub(crate) fn component_of(manifests: &str) -> Vec<u8> {
    embed(guest_artifacts::HELPER, manifests.as_bytes(), Existing::Replace)
        .unwrap_or_else(|error| panic!("{manifests}: {error}"))
}

/// The manifest of a tool; `more` is further members.
pub(crate) fn manifest(tool: &str, version: &str, more: &str) -> String {
    let description = if more.contains("\"description\"") { "" } else { r#", "description": "d""# };
    let schema = if more.contains("\"schema\"") { "" } else { r#", "schema": {"type": "object"}"# };
    format!(r#"{{"manifest": 1, "name": "{tool}", "version": "{version}"{description}{schema}{more}}}"#)
}

/// A real component whose manifest names just `tool`.
pub(crate) fn component(tool: &str, more: &str) -> Vec<u8> {
    component_of(&manifest(tool, "1.0.0", more))
}

/// The smallest component that passes for one of a tool or hook until somebody validates it, with these manifests.
pub(crate) fn small_component_of(exports: &str, manifests: &str) -> Vec<u8> {
    let component = wat::parse_str(format!(r#"(component (instance $i) (export "{exports}" (instance $i)))"#)).unwrap();
    embed(&component, manifests.as_bytes(), Existing::Replace).unwrap_or_else(|error| panic!("{manifests}: {error}"))
}

/// A small component of one tool.
pub(crate) fn small_component(tool: &str, version: &str, more: &str) -> Vec<u8> {
    small_component_of("hermes:tool/tool@0.1.0", &manifest(tool, version, more))
}

/// A small component of one hook.
pub(crate) fn small_hook(name: &str, version: &str, matches: &str, order: i32) -> Vec<u8> {
    let manifest = format!(
        r#"{{"manifest": 1, "kind": "hook", "name": "{name}", "version": "{version}", "description": "d", "match": {matches}, "order": {order}}}"#
    );
    small_component_of("hermes:hook/hook@0.1.0", &manifest)
}

/// What serves under a name where no toolset pins another version.
pub(crate) fn best<'a>(catalog: &'a Catalog, scope: &Scope, name: &str) -> Option<&'a Arc<Entry>> {
    catalog.family(scope, name)?.serving().next()
}

/// Each entry as `name version standing file`, and each refused file as `refused kind file`.
pub(crate) fn shown(catalog: &Catalog) -> Vec<String> {
    let file = |file: &std::path::Path| {
        let folder = file.parent().and_then(|folder| folder.file_name()).unwrap_or_default();
        format!("{}/{}", folder.to_string_lossy(), file.file_name().unwrap_or_default().to_string_lossy())
    };
    let mut shown = Vec::new();
    for (name, family) in catalog.families(&Scope::Host) {
        for entry in family.entries() {
            let standing = if entry.standing.is_admitted() { "admitted" } else { "held" };
            shown.push(format!("{name} {} {standing} {}", entry.manifest.version, file(&entry.component.file())));
        }
    }
    let refused = catalog.refused().iter();
    shown.extend(refused.map(|refused| format!("refused {} {}", refused.reason.kind(), file(&refused.file))));
    shown
}
