//! What components can import, as the audit of their manifests needs it.
//!
//! A linker cannot be asked what it holds, so the table stands in `imports.txt`, one interface a line; `=` marks resources
//! that an interface only names after another's. A test defines each item a second time and sees the linker refuse. An item
//! that is linked and not in the table is one that no component is admitted with.

use hermes_manifest::{HostApi, InterfaceName};
use semver::Version;

const TABLE: &str = include_str!("imports.txt");

/// The version of wasmtime; the workspace pins it.
pub(crate) const WASMTIME: &str = "48.0.8";

/// The interfaces of the table, as a host of this version offers them.
pub(crate) fn host_api() -> HostApi {
    let version = env!("CARGO_PKG_VERSION").parse().unwrap_or(Version::new(0, 0, 0));
    entries().fold(HostApi::new(version), |api, (name, items)| {
        api.with(name, items.into_iter().map(|item| item.trim_start_matches('=')))
    })
}

fn entries() -> impl Iterator<Item = (InterfaceName, Vec<&'static str>)> {
    TABLE.lines().filter_map(|line| {
        let (name, items) = line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, "")))?;
        Some((name.parse().ok()?, items.split_whitespace().collect()))
    })
}

#[cfg(test)]
mod tests {
    use wasmtime::component::Linker;

    use super::*;
    use crate::engine::{Flavour, build};
    use crate::linker;
    use crate::store::State;

    /// Whether the linker has `item` of `interface`: what is there cannot be defined again.
    fn has(linker: &mut Linker<State>, interface: &InterfaceName, item: &str) -> bool {
        let mut instance = linker.instance(&interface.to_string()).expect("an instance");
        instance.func_wrap(item, |_, (): ()| Ok(())).is_err()
    }

    #[test]
    fn the_linker_has_what_the_table_says() {
        let engine = build(Flavour::Lean, 2).expect("an engine");
        let table: Vec<_> = entries().collect();
        assert_eq!(table.len(), TABLE.lines().count(), "each line is read");
        let mut linker = linker::build(&engine).expect("a linker");
        for (name, items) in &table {
            for item in items.iter().filter(|item| !item.starts_with('=')) {
                assert!(has(&mut linker, name, item), "{name} lacks {item}");
            }
        }
        assert!(!has(&mut linker, &table[0].0, "no-such-item"));
    }

    #[test]
    fn the_version_is_the_pinned_one() {
        let workspace = include_str!("../../../Cargo.toml");
        assert!(workspace.contains(&format!("wasmtime = {{ version = \"={WASMTIME}\"")));
    }
}
