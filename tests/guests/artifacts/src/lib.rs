//! The test guests as components, each with a folder beside this one.

/// The component that the build script made of the crate of this name.
macro_rules! guest {
    ($crate_name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $crate_name, ".wasm"))
    };
}

/// Tools that ask, and tell exactly what was answered.
pub const ASKER: &[u8] = guest!("guest_asker");

/// A tool whose check answers what the variable `CHECKED` says.
pub const CHECKED: &[u8] = guest!("guest_checked");

/// The tools that MCP's conformance suite calls.
pub const CONFORMANCE: &[u8] = guest!("guest_conformance");

/// Tools that need no grant.
pub const HELPER: &[u8] = guest!("guest_helper");

/// A hook that does what the arguments of a call say, such as those of the tool `planned` in [`TYPED`].
pub const HOOK: &[u8] = guest!("guest_hook");

/// Tries whatever a test asks for.
pub const PROBE: &[u8] = guest!("guest_probe");

/// A tool that calls other tools.
pub const RELAY: &[u8] = guest!("guest_relay");

/// Tools with results of any size, also wrong ones.
pub const SIZED: &[u8] = guest!("guest_sized");

/// Tools that give their arguments back.
pub const TYPED: &[u8] = guest!("guest_typed");

/// [`HOOK`] with another marker than `0`, one ASCII character, so that a test can tell several of them apart.
///
/// # Panics
/// The component does not hold its marker exactly once, or the new one is not ASCII.
pub fn hook(marker: char) -> Vec<u8> {
    const TEXT: &[u8] = b"hook-marker-0";
    assert!(marker.is_ascii(), "{marker} is not ASCII");
    let ends =
        HOOK.windows(TEXT.len()).enumerate().filter(|(_, part)| *part == TEXT).map(|(at, _)| at + TEXT.len() - 1);
    let ends: Vec<usize> = ends.collect();
    assert_eq!(ends.len(), 1, "the marker is not where it is expected");
    let byte = |(at, byte): (usize, &u8)| if ends.contains(&at) { marker as u8 } else { *byte };
    HOOK.iter().enumerate().map(byte).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may stop at a surprise")]
mod tests {
    use std::io::Cursor;

    use hermes_manifest::{Existing, embed, scan};

    use super::*;

    #[test]
    fn guests_import_what_they_use() {
        for (guest, names, calls) in [
            (ASKER, "ask_name ask_url ask_approval ask_sampling ask_both ask_for_ever ask_soon", false),
            (CHECKED, "checked", false),
            (HELPER, "echo spin print_json_rpc report ask crash", false),
            (HOOK, "scripted", false),
            (PROBE, "probe", false),
            (RELAY, "relay", true),
            (SIZED, "big_text big_structured big_image bad_output", false),
            (TYPED, "typed planned", false),
        ] {
            let found = scan(Cursor::new(guest)).unwrap();
            let found_names: Vec<String> = found.manifests.iter().map(|manifest| manifest.name.to_string()).collect();
            assert_eq!(found_names.join(" "), names);
            assert_eq!(found.imports.iter().any(|import| import.package == "hermes:tools"), calls, "{names}");
        }
    }

    /// Whoever runs the suite uses both.
    #[test]
    fn the_toolset_of_the_conformance_suite_lists_its_tools() {
        let toolset = include_str!("../../../conformance/home/toolsets/conformance.toml");
        let listed: Vec<&str> =
            toolset.lines().filter_map(|line| line.strip_prefix("    \"")?.strip_suffix("\",")).collect();
        let found = scan(Cursor::new(CONFORMANCE)).unwrap();
        let names: Vec<String> = found.manifests.iter().map(|manifest| manifest.name.to_string()).collect();
        assert_eq!(names, listed);
    }

    #[test]
    fn hooks_get_other_names_orders_and_markers() {
        let document =
            br#"{"manifest": 1, "kind": "hook", "name": "other", "version": "1.0.0", "match": ["typed"], "order": -1}"#;
        let other = embed(&hook('z'), document, Existing::Replace).unwrap();
        let [manifest] = &scan(Cursor::new(other)).unwrap().manifests[..] else { panic!("not one") };
        assert_eq!(manifest.name.to_string(), "other");
        assert_ne!(hook('z'), HOOK);
        assert_eq!(hook('0'), HOOK);
    }
}
