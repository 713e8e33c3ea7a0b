//! Components that are what they say, in as many versions as a test wants.
//!
//! A host that serves compares what a component says of itself with its manifest, so a version is another text in both: of the same
//! length, which leaves the component whole.

use std::io::Cursor;

use guest_artifacts::HELPER;
use hermes_core::Digest;
use hermes_manifest::{Existing, embed, scan};
use serde_json::{Value, json};

/// The tools of [`edition`]s.
pub(crate) const TOOLS: [&str; 6] = ["ask", "crash", "echo", "print_json_rpc", "report", "spin"];

/// The helper tools, each of which says in its description which edition it is of.
pub(crate) fn edition(number: usize) -> Vec<u8> {
    let mut component = HELPER.to_vec();
    for manifest in documents(HELPER) {
        let description = manifest["description"].as_str().unwrap();
        let marked = format!("{number:05}{}", &description[5..]);
        let times = replace(&mut component, description, &marked);
        assert_eq!(times, 2, "the manifest and the component say {description:?}");
    }
    component
}

/// The edition that a description tells of.
pub(crate) fn edition_of(description: &str) -> usize {
    description.get(..5).and_then(|mark| mark.parse().ok()).unwrap_or_else(|| panic!("no edition: {description}"))
}

/// A component with one tool, which is called like this and says `printed`.
pub(crate) fn named(number: usize) -> (String, Vec<u8>) {
    const OWN: &str = "print_json_rpc";
    let name = format!("tool_{number:09}");
    let mut component = HELPER.to_vec();
    assert!(replace(&mut component, OWN, &name) >= 2);
    let manifest = documents(&component).into_iter().find(|manifest| manifest["name"] == name.as_str()).unwrap();
    (name, with(&component, &[manifest]))
}

/// The component in this version, in which one of its tools asks for these variables.
pub(crate) fn asking(component: &[u8], tool: &str, version: &str, variables: &[&str]) -> Vec<u8> {
    let mut manifests = documents(component);
    for manifest in &mut manifests {
        manifest["version"] = json!(version);
        if manifest["name"] == tool {
            manifest["capabilities"] = json!({ "env": variables });
        }
    }
    with(component, &manifests)
}

/// The component with another description of its first tool in its manifest alone.
pub(crate) fn lying(component: &[u8]) -> Vec<u8> {
    let mut manifests = documents(component);
    manifests[0]["description"] = json!("Says something else.");
    with(component, &manifests)
}

/// The component under a contract that there is none of: as one is that was built for something else.
pub(crate) fn of_another_world() -> Vec<u8> {
    let mut component = HELPER.to_vec();
    assert!(replace(&mut component, "hermes:tool/tool@0.1.0", "others:tool/tool@0.1.0") >= 1);
    component
}

pub(crate) fn digest(component: &[u8]) -> String {
    Digest::of(component).to_string()
}

fn documents(component: &[u8]) -> Vec<Value> {
    let section = String::from_utf8(scan(Cursor::new(component)).unwrap().section).unwrap();
    section.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn with(component: &[u8], manifests: &[Value]) -> Vec<u8> {
    let documents: String = manifests.iter().map(|manifest| format!("{manifest}\n")).collect();
    embed(component, documents.as_bytes(), Existing::Replace).unwrap()
}

/// Puts a text in the place of another of its length, wherever that is. How often it was there.
fn replace(component: &mut [u8], old: &str, new: &str) -> usize {
    assert_eq!(old.len(), new.len());
    let windows = component.windows(old.len()).enumerate();
    let places: Vec<usize> = windows.filter(|(_, window)| *window == old.as_bytes()).map(|(at, _)| at).collect();
    for at in &places {
        component[*at..at + old.len()].copy_from_slice(new.as_bytes());
    }
    places.len()
}
