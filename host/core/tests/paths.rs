//! Power over generated toolsets: it is the union over all simple paths of includes of what their files grant, cut by what lies
//! between; so whatever narrows or takes away never adds.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

mod deeds;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use deeds::{Deed, allows, any_capabilities, asks, capabilities, deeds, workspace};
use hermes_core::{Ceilings, Explanation, Granted, Ground, NoSecrets, Power, Toolsets, View, intersect};
use hermes_manifest::Capabilities;
use proptest::prelude::*;
use semver::Version;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// One toolset as a test makes it; `narrow` has a grant of which just the named kinds cut.
#[derive(Debug, Clone)]
struct Made {
    lists: bool,
    pin: Option<&'static str>,
    includes: BTreeSet<usize>,
    all: bool,
    grant: Capabilities,
    wall: Option<u64>,
    narrow: Option<(Capabilities, u8, Option<u64>)>,
}

fn kinds(narrow: &Capabilities, mask: u8) -> Vec<(&'static str, String)> {
    let value = |key: &str, value: serde_json::Value| {
        let value: toml::Value = serde_json::from_value(value).unwrap();
        format!("{key} = {value}")
    };
    let all = [
        ("fs", value("fs", serde_json::to_value(&narrow.fs).unwrap())),
        ("http", value("http", serde_json::to_value(&narrow.http).unwrap())),
        ("env", value("env", serde_json::to_value(&narrow.env).unwrap())),
        ("secrets", value("secrets", serde_json::to_value(&narrow.secrets).unwrap())),
        ("tools", value("tools", serde_json::to_value(&narrow.tools).unwrap())),
    ];
    all.into_iter().enumerate().filter(|(bit, _)| mask & (1 << bit) != 0).map(|(_, kind)| kind).collect()
}

impl Made {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut includes: Vec<&str> = self.includes.iter().map(|index| NAMES[*index]).collect();
        includes.extend(self.all.then_some("*"));
        writeln!(text, "includes = {includes:?}").unwrap();
        if self.lists {
            let pin = self.pin.map(|pin| format!("@{pin}")).unwrap_or_default();
            writeln!(text, "tools = [\"t{pin}\"]").unwrap();
        }
        writeln!(text, "[grant]").unwrap();
        for (_, line) in kinds(&self.grant, u8::MAX) {
            writeln!(text, "{line}").unwrap();
        }
        if let Some(wall) = self.wall {
            writeln!(text, "limits = {{wall = \"{wall}s\"}}").unwrap();
        }
        if let Some((narrow, mask, wall)) = &self.narrow {
            writeln!(text, "[narrow]").unwrap();
            for (_, line) in kinds(narrow, *mask) {
                writeln!(text, "{line}").unwrap();
            }
            if let Some(wall) = wall {
                writeln!(text, "limits = {{wall = \"{wall}s\"}}").unwrap();
            }
        }
        text
    }

    /// Whether what it includes may do this, as far as it is concerned.
    fn lets_pass(&self, deed: &Deed) -> bool {
        self.narrow.as_ref().is_none_or(|(narrow, mask, _)| mask & (1 << deed.kind()) == 0 || allows(narrow, deed))
    }

    fn wall_most(&self) -> u64 {
        self.narrow.as_ref().and_then(|(.., wall)| *wall).unwrap_or(u64::MAX)
    }
}

type Graph = Vec<Made>;

fn any_graph() -> impl Strategy<Value = Graph> {
    let wall = || prop::option::of(prop::sample::select(vec![5_u64, 20, 60, 600]));
    let narrow = prop::option::weighted(0.6, (any_capabilities(), 0_u8..32, wall()));
    let pin = prop::option::weighted(0.3, prop::sample::select(vec!["^1", "^2"]));
    let includes = prop::collection::btree_set(0..NAMES.len(), 0..4);
    let made = (any::<bool>(), pin, includes, prop::bool::weighted(0.1), any_capabilities(), wall(), narrow);
    let made = made.prop_map(|(lists, pin, includes, all, grant, wall, narrow)| Made {
        lists,
        pin,
        includes,
        all,
        grant,
        wall,
        narrow,
    });
    prop::collection::vec(made, NAMES.len())
}

fn build(graph: &Graph, reversed: bool) -> Toolsets {
    let texts: Vec<String> = graph.iter().map(Made::text).collect();
    let mut files: Vec<_> =
        NAMES.iter().zip(&texts).map(|(name, text)| (format!("{name}.toml").into(), text.as_str())).collect();
    if reversed {
        files.reverse();
    }
    Toolsets::build(files, &BTreeSet::new()).unwrap_or_else(|error| panic!("{error}\n{texts:#?}"))
}

fn view(enabled: &BTreeSet<usize>) -> View {
    let names = enabled.iter().map(|index| NAMES[*index].to_owned()).collect();
    View { toolsets: Some(names), ..View::default() }
}

const VERSION: Version = Version::new(1, 4, 0);

fn granted(toolsets: &Toolsets, view: &View) -> Option<Granted> {
    let paths = toolsets.paths(view, "t", None, &VERSION, Some(&workspace())).ok()?;
    (!paths.is_empty()).then(|| Granted::union(&paths))
}

/// Every simple path from an enabled toolset to one that lists the tool, written down plainly.
fn simple_paths(graph: &Graph, enabled: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    fn walk(graph: &Graph, way: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
        let made = &graph[*way.last().unwrap()];
        if made.lists && made.pin != Some("^2") {
            found.push(way.clone());
        }
        for next in 0..graph.len() {
            if (made.all || made.includes.contains(&next)) && !way.contains(&next) {
                way.push(next);
                walk(graph, way, found);
                way.pop();
            }
        }
    }
    let mut found = Vec::new();
    for start in enabled {
        walk(graph, &mut vec![*start], &mut found);
    }
    found
}

fn does(granted: Option<&Granted>, deed: &Deed) -> bool {
    granted.is_some_and(|granted| allows(granted.capabilities(), deed))
}

fn wall(granted: Option<&Granted>) -> u64 {
    granted.map_or(0, |granted| granted.limits().wall.as_secs())
}

/// Fails when `after` allows anything that `before` does not.
fn no_more(before: Option<&Granted>, after: Option<&Granted>) -> Result<(), TestCaseError> {
    for deed in deeds() {
        prop_assert!(!does(after, &deed) || does(before, &deed), "{:?}", deed);
    }
    Ok(())
}

fn any_enabled() -> impl Strategy<Value = BTreeSet<usize>> {
    prop::collection::btree_set(0..NAMES.len(), 0..3)
}

proptest! {
    // Ways that differ only by what lies between them are rare among generated graphs.
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn power_is_the_union_over_all_simple_paths(graph in any_graph(), enabled in any_enabled()) {
        let (toolsets, view) = (build(&graph, false), view(&enabled));
        let granted = granted(&toolsets, &view);
        let paths = simple_paths(&graph, &enabled);
        prop_assert_eq!(granted.is_some(), !paths.is_empty());
        for deed in deeds() {
            let expected = paths.iter().any(|path| {
                let (end, before) = path.split_last().unwrap();
                allows(&graph[*end].grant, &deed) && before.iter().all(|index| graph[*index].lets_pass(&deed))
            });
            prop_assert_eq!(does(granted.as_ref(), &deed), expected, "{:?}", deed);
        }
        let walls = paths.iter().map(|path| {
            let (end, before) = path.split_last().unwrap();
            let most = before.iter().map(|index| graph[*index].wall_most()).min().unwrap_or(u64::MAX);
            graph[*end].wall.unwrap_or(30).min(most)
        });
        prop_assert_eq!(wall(granted.as_ref()), walls.max().unwrap_or(0));
    }

}

proptest! {
    #[test]
    fn includes_cannot_widen(graph in any_graph(), enabled in any_enabled()) {
        let toolsets = build(&graph, false);
        let through = granted(&toolsets, &view(&enabled));
        for deed in deeds() {
            let some_file = graph.iter().any(|made| made.lists && allows(&made.grant, &deed));
            prop_assert!(!does(through.as_ref(), &deed) || some_file, "{:?}", deed);
        }
        for path in toolsets.paths(&view(&enabled), "t", None, &VERSION, Some(&workspace())).unwrap_or_default() {
            for deed in deeds() {
                prop_assert!(!allows(&path.left, &deed) || allows(&path.granted, &deed), "{:?} {:?}", path, deed);
            }
        }
    }

    #[test]
    fn taking_away_never_adds(graph in any_graph(), enabled in any_enabled(), at in 0..NAMES.len(), which in 0..NAMES.len()) {
        let view = view(&enabled);
        let before = granted(&build(&graph, false), &view);
        let mut fewer = enabled.clone();
        fewer.remove(&at);
        let without = granted(&build(&graph, false), &self::view(&fewer));
        no_more(before.as_ref(), without.as_ref())?;
        prop_assert!(wall(without.as_ref()) <= wall(before.as_ref()));

        let less = |change: &dyn Fn(&mut Made)| {
            let mut graph = graph.clone();
            change(&mut graph[at]);
            granted(&build(&graph, false), &view)
        };
        for changed in [
            less(&|made| made.lists = false),
            less(&|made| { made.includes.remove(&which); }),
            less(&|made| made.all = false),
            less(&|made| made.pin = Some("^2")),
            less(&|made| made.grant = Capabilities::default()),
            less(&|made| { made.grant.fs.pop(); made.grant.http.pop(); made.grant.secrets.pop_first(); }),
        ] {
            no_more(before.as_ref(), changed.as_ref())?;
            prop_assert!(wall(changed.as_ref()) <= wall(before.as_ref()));
        }
    }

    #[test]
    fn narrowing_never_adds(graph in any_graph(), enabled in any_enabled(), at in 0..NAMES.len(), by in any_capabilities(), mask in 0_u8..32) {
        let view = view(&enabled);
        let before = granted(&build(&graph, false), &view);
        // Where nothing was narrowed, narrow; where it was, narrow what is left.
        let mut narrowed = graph.clone();
        let (narrow, known, _) = narrowed[at].narrow.get_or_insert_default();
        let both = intersect(narrow, &by, Some(&workspace()));
        for (bit, kind) in ["fs", "http", "env", "secrets", "tools"].iter().enumerate().filter(|(bit, _)| mask & (1 << bit) != 0) {
            let from = if *known & (1 << bit) == 0 { &by } else { &both };
            match *kind {
                "fs" => narrow.fs.clone_from(&from.fs),
                "http" => narrow.http.clone_from(&from.http),
                "env" => narrow.env.clone_from(&from.env),
                "secrets" => {
                    let mut secrets = from.secrets.clone();
                    for (name, terms) in &mut secrets {
                        terms.expose &= *known & (1 << bit) == 0 || narrow.secrets[name].expose;
                    }
                    narrow.secrets = secrets;
                }
                _ => narrow.tools.clone_from(&from.tools),
            }
        }
        *known |= mask;
        let after = granted(&build(&narrowed, false), &view);
        no_more(before.as_ref(), after.as_ref())?;
        let mut bound = graph.clone();
        let (.., most) = bound[at].narrow.get_or_insert_default();
        *most = Some(most.map_or(10, |most| most.min(10)));
        let bound = granted(&build(&bound, false), &view);
        no_more(before.as_ref(), bound.as_ref())?;
        prop_assert!(wall(bound.as_ref()) <= wall(before.as_ref()));
    }

    #[test]
    fn order_is_irrelevant(graph in any_graph(), enabled in any_enabled()) {
        let mut backwards = view(&enabled);
        backwards.toolsets.as_mut().unwrap().reverse();
        let one = granted(&build(&graph, false), &view(&enabled));
        let other = granted(&build(&graph, true), &backwards);
        prop_assert_eq!(one, other);
    }

    #[test]
    fn what_takes_effect_was_asked_for_and_came_by_some_path(graph in any_graph(), enabled in any_enabled(), asked in any_capabilities()) {
        let toolsets = build(&graph, false);
        let paths = toolsets.paths(&view(&enabled), "t", None, &VERSION, Some(&workspace())).unwrap_or_default();
        let ceilings = Ceilings::default();
        let ground = Ground { workspace: Some(&workspace()), environment: &NoSecrets, ceilings: &ceilings };
        let explanation = Explanation::new(asked.clone(), paths.clone(), &ground);
        for deed in deeds() {
            let effect = allows(&explanation.power, &deed);
            let path = paths.iter().any(|path| allows(&path.left, &deed));
            prop_assert_eq!(effect, asks(&asked, &deed) && path, "{:?}", deed);
        }
        let power = Power::resolve(&asked, &Granted::union(&paths), &ground);
        prop_assert_eq!(power.tools, explanation.power.tools.clone());
        prop_assert_eq!(power.http, explanation.power.http.clone());
        for mount in &power.mounts {
            let mount = Deed::Touch(mount.host.join("x"), mount.mode);
            prop_assert!(allows(&explanation.power, &mount), "{:?}", mount);
        }
        let nothing = explanation.missing.is_empty() && explanation.partly.is_empty();
        if nothing {
            for deed in deeds() {
                let operators = matches!(deed, Deed::Know(_));
                prop_assert!(operators || !allows(&asked, &deed) || allows(&explanation.power, &deed), "{:?}", deed);
            }
        }
    }
}

#[test]
fn the_generated_texts_read_as_what_they_were_made_of() {
    let grant = capabilities("fs = [{path = \"${workspace}\"}]\nsecrets = {A = {expose = true}}");
    let made = Made {
        lists: true,
        pin: Some("^1"),
        includes: BTreeSet::from([1]),
        all: false,
        grant: grant.clone(),
        wall: Some(5),
        narrow: Some((grant.clone(), 0b1000, None)),
    };
    let empty = Made {
        lists: false,
        pin: None,
        includes: BTreeSet::new(),
        grant: Capabilities::default(),
        wall: None,
        narrow: None,
        ..made.clone()
    };
    let toolsets = build(&vec![made, empty.clone(), empty.clone(), empty.clone(), empty], false);
    let read = toolsets.get("a").unwrap();
    assert_eq!((&read.grant.fs, &read.grant.secrets), (&grant.fs, &grant.secrets));
    assert_eq!((&read.narrow.fs, read.narrow.secrets.as_ref()), (&None, Some(&grant.secrets)));
}
