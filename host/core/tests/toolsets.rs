//! Toolset files: what is refused, what a view shows of them, and by which ways grants come to tools.

#![allow(clippy::panic, clippy::unwrap_used, reason = "tests stop at the first surprise")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hermes_core::{
    Ceilings, Explanation, GrantPath, Granted, Ground, IdleCause, NoSecrets, Origin, ToolsetError, Toolsets, View,
};
use hermes_manifest::{Capabilities, ToolsetName};
use semver::Version;

fn build(files: &[(&str, &str)]) -> Result<Toolsets, ToolsetError> {
    let manifests = BTreeSet::from([ToolsetName::try_from("implicit".to_owned()).unwrap()]);
    Toolsets::build(files.iter().map(|(name, text)| (format!("{name}.toml").into(), *text)), &manifests)
}

fn toolsets(files: &[(&str, &str)]) -> Toolsets {
    build(files).unwrap_or_else(|error| panic!("{error}"))
}

fn view(names: &[&str]) -> View {
    View { toolsets: Some(names.iter().map(|name| (*name).to_owned()).collect()), ..View::default() }
}

fn v(version: &str) -> Version {
    version.parse().unwrap()
}

fn paths(toolsets: &Toolsets, view: &View, tool: &str) -> Option<Vec<GrantPath>> {
    toolsets.paths(view, tool, None, &v("1.0.0"), Some(Path::new("/srv/project"))).ok()
}

fn http(paths: &[GrantPath]) -> String {
    let granted = Granted::union(paths);
    granted.capabilities().http.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_is_wrong_with_a_file_is_told_by_file_line_and_key() {
    for (name, text, told) in [
        ("a", "tools = [", "a.toml:1: "),
        ("a", "tools = []\n[grant]\nenv = []\nenv = []", "a.toml:4: `env`: duplicate key"),
        ("a", "tools = []\ngrnat = {}", "a.toml:2: `grnat`: unknown field `grnat`, did you mean `grant`?"),
        ("a", "tools = []\n[grant]\nhtpp = []", "a.toml:3: `grant.htpp`: unknown field `htpp`, did you mean `http`?"),
        (
            "a",
            "[grant.limits]\nwal = \"1s\"",
            "a.toml:2: `grant.limits.wal`: unknown field `wal`, did you mean `wall`?",
        ),
        ("a", "[grant.limits]\nwall = \"soon\"", "a.toml:2: `grant.limits.wall`: `soon` is not a length of time"),
        ("a", "[narrow]\nhttp = [\"https://a.b.c\", \"a.b.c\"]", "a.toml:2: `narrow.http[1]`: `a.b.c` is not an HTTP"),
        ("a", "[grant]\nfs = [{ path = \"here\" }]", "a.toml:2: `grant.fs[0].path`: `here` is not a folder"),
        (
            "a",
            "[grant]\nfs = [{ path = \"/a\", mode = \"wr\" }]",
            "a.toml:2: `grant.fs[0].mode`: unknown variant `wr`, did you mean `rw`?",
        ),
        ("a", "[grant]\nprocess = {}", "a.toml:2: `grant.process`: `process` is not supported yet"),
        ("a", "[narrow]\nnet = []", "a.toml:2: `narrow.net`: `net` is not supported yet"),
        (
            "a",
            "[grant.secrets.KEY]\naudience = \"x\"",
            "a.toml:2: `grant.secrets.KEY.audience`: `audience` is not supp",
        ),
        ("a", "process = 1", "a.toml:1: `process`: unknown field `process`, expected one of `description`, `tools`"),
        ("a", "tools = [\"Read\"]", "a.toml:1: `tools[0]`: \"Read\" is not a name"),
        ("a", "tools = [\n\"b\",\n\"c@^x\"]", "a.toml:3: `tools[1]`: `^x` is not a range of versions"),
        (
            "a",
            "[grant]\nhttp = [\n\"https://a.b.c\",\n\"https://\"]",
            "a.toml:4: `grant.http[1]`: `https://` is not an",
        ),
        ("a", "[[grant.fs]]\npath = \"/a\"\n[[grant.fs]]\npath = \"/b\"\nmdoe = 1", "a.toml:5: `grant.fs[1].mdoe`"),
        ("a", "tools = [\"b\", \"b@^1\"]", "a.toml:1: `tools`: `b` is listed twice"),
        ("a", "\nincludes = [\"bb\"]", "a.toml:2: `includes`: there is no toolset `bb`"),
        (
            "a",
            "includes = [\n\"a\",\n\"implicti\"]",
            "a.toml:3: `includes`: there is no toolset `implicti`; did you mean `implicit`?",
        ),
        ("a", "includes = [\"a-b\"]", "a.toml:1: `includes[0]`: \"a-b\" is not a name"),
        ("all", "tools = []", "all.toml: `all` stands for every toolset"),
        ("distributions", "tools = []", "distributions.toml: `distributions` is no toolset"),
        ("A", "tools = []", "A.toml: \"A\" is not a name"),
    ] {
        let error = build(&[("b", ""), (name, text)]).unwrap_err().to_string();
        assert!(error.starts_with(told), "expected {told}\n     got {error}");
    }
}

#[test]
fn a_later_file_replaces_an_earlier_one_whole() {
    let both = toolsets(&[
        ("web", "description = \"old\"\ntools = [\"a\"]\nincludes = [\"web\"]\n[grant]\nenv = [\"LANG\"]"),
        ("web", "tools = [\"b\"]"),
    ]);
    assert_eq!(both.get("web"), toolsets(&[("web", "tools = [\"b\"]")]).get("web"));
}

#[test]
fn a_file_that_replaces_another_cannot_build_on_it() {
    let error = build(&[("web", "tools = [\"a\"]"), ("web", "includes = [\n\"web\"]")]).unwrap_err().to_string();
    let told = "web.toml:2: `includes`: `web` is this file itself, which takes the place of web.toml: to build on that one, give this \
                file another name";
    assert_eq!(error, told);
    // In any other file its own name is a cycle, and means nothing.
    build(&[("web", "tools = [\"a\"]\nincludes = [\"web\"]")]).unwrap();
}

#[test]
fn a_tool_that_is_not_seen_says_why() {
    let all = toolsets(&[
        ("web", "tools = [\"fetch\"]"),
        ("old", "tools = [\"fetch@^1\"]"),
        ("newest", "tools = [\"t@^2\"]"),
        ("outer", "includes = [\"web\"]"),
    ]);
    for (address, exclude, tool, own, told) in [
        ("web", "fetch", "fetch", None, "excluded by name"),
        ("all-outer", "", "fetch", None, "in the toolset `outer`, which this session leaves out"),
        ("newest", "", "fetch", None, "in the toolsets `old`, `web`; this session uses `newest` alone"),
        ("web", "", "t", Some("own"), "in the toolsets `newest`, `own`; this session uses `web` alone"),
        ("web+old", "", "loose", Some("own"), "in the toolset `own`; this session uses `web`, `old` alone"),
        ("web", "", "loose", None, "in no toolset; this session uses `web` alone"),
        ("newest", "", "t", None, "`t@^2` of newest.toml means other versions"),
    ] {
        let view = View { exclude: vec![exclude.to_owned()], ..address.parse().unwrap() };
        let hidden = all.paths(&view, tool, own, &v("1.0.0"), None).unwrap_err();
        assert_eq!(hidden.to_string(), told, "{address} {tool}");
    }
}

#[test]
fn a_cut_says_where_it_is_and_what_it_leaves() {
    let narrow = "fs = [{path = \"${workspace}\", quota = \"1 GiB\", mode = \"rw\"}]\nhttp = [\"https://a.b.c GET\"]\nenv = []\nsecrets = {KEY = {}}";
    let all = toolsets(&[
        ("outer", format!("description = \"x\"\nincludes = [\"inner\"]\n\n[narrow]\n{narrow}").as_str()),
        (
            "inner",
            "tools = [\"t\"]\n[grant]\nfs = [{path = \"${workspace}\", quota = \"2 GiB\", mode = \"rw\"}]\nhttp = [\"https://a.b.c GET,POST\"]\nenv = [\"TZ\"]\nsecrets = {KEY = {expose = true}}",
        ),
    ]);
    let paths = paths(&all, &view(&["outer"]), "t").unwrap();
    let cut = &paths[0].cuts[0];
    assert_eq!((cut.file.as_path(), cut.line), (Path::new("outer.toml"), 4));
    let removed: Vec<String> = cut.removed.iter().map(ToString::to_string).collect();
    assert_eq!(
        removed,
        [
            "fs=${workspace}:rw, leaving fs=${workspace}:rw, at most 1 GiB",
            "http=https://a.b.c POST, leaving http=https://a.b.c GET",
            "env=TZ",
            "secrets=KEY",
        ]
    );
    for text in ["narrow = {env = []}", "narrow.env = []"] {
        assert_eq!(toolsets(&[("a", format!("\n{text}").as_str())]).get("a").unwrap().narrow_line, Some(2), "{text}");
    }
    assert_eq!(all.get("inner").unwrap().narrow_line, None);
}

#[test]
fn a_flag_that_changes_nothing_says_why() {
    let all = toolsets(&[
        (
            "some",
            "tools = [\"t\"]\n[grant]\nfs = [{path = \"${workspace}\", quota = \"1 GiB\"}]\n[grant.limits]\nwall = \"1m\"\ncpu = \"20s\"",
        ),
        ("none", "tools = [\"t\"]"),
    ]);
    let files = "fs = [{path = \"${workspace}\"}]\nenv = [\"LANG\"]\nlimits = {cpu = \"5s\"}";
    let ceilings = Ceilings { operator: toml::from_str("wall = \"2m\"").unwrap() };
    let workspace = std::env::temp_dir().canonicalize().unwrap();
    let ground = Ground { workspace: Some(&workspace), environment: &NoSecrets, ceilings: &ceilings };
    for (toolset, asked, flag, told) in [
        ("some", files, "env = [\"LANG\"]", ""),
        ("some", files, "env = [\"LANG\", \"TZ\"]", "env=TZ unasked env=LANG"),
        ("some", files, "tools = [\"u\"]", "tools=u unasked"),
        (
            "some",
            files,
            "fs = [{path = \"${workspace}\", mode = \"rw\"}]",
            "fs=${workspace}:rw granted fs=${workspace}:ro",
        ),
        ("none", files, "fs = [{path = \"${workspace}\", mode = \"rw\"}]", ""),
        ("none", files, "fs = [{path = \"/usr\"}]", "fs=/usr:ro unasked fs=${workspace}:ro"),
        ("none", "", "fs = [{path = \"/usr\"}]", "fs=/usr:ro unasked"),
        ("some", files, "limits = {wall = \"10s\"}", "limits=wall:10s granted limits=wall:1m"),
        ("some", files, "limits = {wall = \"90s\"}", ""),
        ("some", files, "limits = {cpu = \"30s\"}", "limits=cpu:30s waived limits=cpu:5s"),
        ("some", files, "limits = {wall = \"3m\"}", ""),
        ("implicit", files, "limits = {wall = \"1s\"}", ""),
    ] {
        let view = View { grant: toml::from_str(flag).unwrap(), ..view(&[toolset]) };
        let paths = all.paths(&view, "t", Some("implicit"), &v("1.0.0"), Some(&workspace)).unwrap();
        let explanation = Explanation::new(toml::from_str(asked).unwrap(), paths, &ground);
        let idle = explanation.idle.iter().map(|idle| {
            let holds: String = idle.holds.iter().map(|line| format!(" {line}")).collect();
            format!("{} {}{holds}", idle.grant, format!("{:?}", idle.cause).to_lowercase())
        });
        assert_eq!(idle.collect::<Vec<_>>().join("; "), told, "{toolset} {flag}");
    }
    let lower = Ceilings { operator: toml::from_str("wall = \"1m\"").unwrap() };
    let view = View { grant: toml::from_str("limits = {wall = \"2m\"}").unwrap(), ..view(&["some"]) };
    let paths = all.paths(&view, "t", None, &v("1.0.0"), Some(&workspace)).unwrap();
    let idle = Explanation::new(Capabilities::default(), paths, &Ground { ceilings: &lower, ..ground }).idle;
    assert_eq!((idle[0].cause, idle[0].holds[0].to_string()), (IdleCause::Ceiling, "limits=wall:1m".to_owned()));
}

#[test]
fn names_resolve_to_sorted_tools_through_cycles_and_diamonds() {
    let all = toolsets(&[
        ("a", "tools = [\"one\"]\nincludes = [\"b\", \"c\"]"),
        ("b", "tools = [\"two\", \"unheard_of\"]\nincludes = [\"d\"]"),
        ("c", "includes = [\"d\", \"a\"]"),
        ("d", "tools = [\"three\", \"one\"]\nincludes = [\"implicit\"]"),
        ("e", "includes = [\"*\"]"),
        ("f", "tools = [\"lonely\"]"),
    ]);
    let of = |tools: &[&str]| tools.iter().map(|tool| (*tool).to_owned()).collect::<BTreeSet<_>>();
    let registered = BTreeMap::from([
        ("implicit".to_owned(), of(&["own"])),
        ("d".to_owned(), of(&["four"])),
        ("other".to_owned(), of(&["elsewhere"])),
    ]);
    let every = "elsewhere four lonely one own three two unheard_of";
    for (name, tools) in [
        ("a", "four one own three two unheard_of"),
        ("c", "four one own three two unheard_of"),
        ("d", "four one own three"),
        ("f", "lonely"),
        ("implicit", "own"),
        ("other", "elsewhere"),
        ("e", every),
        ("all", every),
        ("*", every),
    ] {
        let resolved = all.resolve(name, &registered).unwrap();
        assert_eq!(resolved.into_iter().collect::<Vec<_>>().join(" "), tools, "{name}");
    }
    let error = all.resolve("implicitt", &registered).unwrap_err();
    assert_eq!(error.to_string(), "there is no toolset `implicitt`; did you mean `implicit`?");
}

#[test]
fn a_grant_concerns_the_tools_of_its_own_file_and_narrow_those_of_others() {
    let all = toolsets(&[
        (
            "outer",
            "tools = [\"mine\"]\nincludes = [\"inner\"]\n[grant]\nhttp = [\"https://outer.com\"]\n[narrow]\nhttp = [\"https://*.example.com GET\"]",
        ),
        (
            "inner",
            "tools = [\"mine\", \"theirs\"]\n[grant]\nhttp = [\"https://a.example.com\", \"https://inner.com\"]\nenv = [\"TZ\"]",
        ),
    ]);
    for (enabled, tool, expected) in [
        (&["outer"][..], "theirs", "https://a.example.com GET"),
        (&["inner"], "theirs", "https://a.example.com, https://inner.com"),
        (&["outer", "inner"], "theirs", "https://a.example.com, https://inner.com, https://a.example.com GET"),
        (&["outer"], "mine", "https://a.example.com GET, https://outer.com"),
        (&["inner"], "mine", "https://a.example.com, https://inner.com"),
    ] {
        let paths = paths(&all, &view(enabled), tool).unwrap();
        assert_eq!(http(&paths), expected, "{enabled:?} {tool}");
        assert_eq!(Granted::union(&paths).capabilities().env.len(), 1, "an absent kind cuts nothing");
    }
    let through = paths(&all, &view(&["outer"]), "theirs").unwrap();
    let removed: Vec<String> = through[0].cuts[0].removed.iter().map(ToString::to_string).collect();
    assert_eq!(
        (through[0].cuts[0].by.as_str(), removed.join(", ")),
        (
            "outer",
            "http=https://a.example.com, leaving http=https://a.example.com GET, http=https://inner.com".to_owned()
        )
    );
}

#[test]
fn a_kind_that_is_there_and_empty_leaves_nothing_of_it() {
    for (narrow, left) in [
        ("", "fs http env secrets tools"),
        ("fs = []", "http env secrets tools"),
        ("http = []\nenv = []", "fs secrets tools"),
        ("secrets = {}\ntools = []", "fs http env"),
        ("secrets = {KEY = {}}", "fs http env tools"),
    ] {
        let outer = format!("includes = [\"inner\"]\n[narrow]\n{narrow}");
        let inner = "tools = [\"t\"]\n[grant]\nfs = [{path = \"${workspace}\"}]\nhttp = [\"https://a.b.c\"]\nenv = [\"TZ\"]\nsecrets = {KEY = {expose = true}}\ntools = [\"u\"]";
        let all = toolsets(&[("outer", outer.as_str()), ("inner", inner)]);
        let granted = Granted::union(&paths(&all, &view(&["outer"]), "t").unwrap());
        let Capabilities { fs, http, env, secrets, tools, .. } = granted.capabilities();
        let kinds = [
            ("fs", !fs.is_empty()),
            ("http", !http.is_empty()),
            ("env", !env.is_empty()),
            ("secrets", secrets.values().any(|terms| terms.expose)),
            ("tools", !tools.is_empty()),
        ];
        let kept: Vec<&str> = kinds.iter().filter(|(_, there)| *there).map(|(kind, _)| *kind).collect();
        assert_eq!(kept.join(" "), left, "{narrow}");
    }
}

#[test]
fn limits_are_the_largest_of_the_paths_and_none_counts_as_the_default() {
    let all = toolsets(&[
        ("short", "tools = [\"t\"]\n[grant.limits]\nwall = \"5s\""),
        ("long", "tools = [\"t\"]\n[grant.limits]\nwall = \"10m\""),
        ("plain", "tools = [\"t\"]"),
        ("bound", "includes = [\"long\"]\n[narrow.limits]\nwall = \"2m\""),
        ("bound_plain", "includes = [\"plain\"]\n[narrow.limits]\nwall = \"10s\""),
    ]);
    for (enabled, flag, wall) in [
        (&["short"][..], "", 5),
        (&["short", "plain"], "", 30),
        (&["short", "long"], "", 600),
        (&["bound"], "", 120),
        (&["bound_plain"], "", 10),
        (&["bound_plain", "short"], "", 10),
        (&["short"], "limits = {cpu = \"1m\"}", 5),
        (&["short"], "limits = {wall = \"20s\"}", 20),
        (&["plain"], "limits = {wall = \"20s\"}", 30),
        (&["implicit"], "limits = {wall = \"2s\"}", 2),
        (&["implicit"], "", 30),
    ] {
        let view = View { grant: toml::from_str(flag).unwrap(), ..view(enabled) };
        let paths = all.paths(&view, "t", Some("implicit"), &v("1.0.0"), None).unwrap();
        assert_eq!(Granted::union(&paths).limits().wall.as_secs(), wall, "{enabled:?} {flag}");
    }
}

/// What `approve` wrote counted with the defaults, and lifted the limit of the toolset that listed the tool before.
#[test]
fn what_is_approved_with_the_limits_in_force_lifts_none() {
    let base = ("base", "tools = [\"t\"]\n[grant.limits]\nwall = \"2s\"");
    let ceilings = Ceilings::default();
    let ground = Ground { workspace: None, environment: &NoSecrets, ceilings: &ceilings };
    let limits = |files: &[(&str, &str)]| {
        let paths = paths(&toolsets(files), &View::default(), "t").unwrap();
        Granted::union(&paths).limits().clone()
    };
    for (named, flag, wall) in
        [("", "", 2), ("", "limits = {wall = \"50s\"}", 2), ("limits = {wall = \"10s\"}", "", 10)]
    {
        let view = View { grant: toml::from_str(flag).unwrap(), ..View::default() };
        let explanation =
            Explanation::new(Capabilities::default(), paths(&toolsets(&[base]), &view, "t").unwrap(), &ground);
        let mut grant: Capabilities = toml::from_str(named).unwrap();
        grant.env.push("LANG".parse().unwrap());
        let kept = explanation.with_limits_in_force(grant);
        let text = format!("tools = [\"t\"]\ngrant = {}", toml::Value::try_from(&kept).unwrap());
        assert_eq!(limits(&[base, ("approved_t", &text)]).wall.as_secs(), wall, "{named} {flag}");
        assert_eq!(limits(&[base, ("approved_t", &text)]).cpu.as_secs(), 10);
    }
}

#[test]
fn a_pin_says_which_versions_a_toolset_means() {
    let all = toolsets(&[
        ("old", "tools = [\"t@^1.2\"]\n[grant]\nenv = [\"LANG\"]"),
        ("any", "tools = [\"t\"]\n[grant]\nenv = [\"TZ\"]"),
        ("outer", "includes = [\"old\"]"),
    ]);
    for (enabled, version, granted) in [
        (&["old"][..], "1.3.0", Some(vec!["LANG"])),
        (&["old"], "2.0.0", None),
        (&["outer"], "1.1.0", None),
        (&["old", "any"], "2.0.0", Some(vec!["TZ"])),
        (&["old", "any"], "1.2.0", Some(vec!["TZ", "LANG"])),
        (&["other"], "1.2.0", None),
        (&["own"], "2.0.0", Some(vec![])),
        (&["own", "old"], "2.0.0", None),
    ] {
        let paths = all.paths(&view(enabled), "t", Some("own"), &v(version), None);
        let env = paths.ok().map(|paths| Granted::union(&paths).capabilities().env.clone());
        let env = env.as_ref().map(|env| env.iter().map(|name| name.as_str()).collect::<Vec<_>>());
        assert_eq!(env, granted, "{enabled:?} {version}");
    }
}

#[test]
fn a_view_shows_what_is_listed_included_or_named_by_a_manifest() {
    let all = toolsets(&[
        ("web", "tools = [\"fetch\"]"),
        ("outer", "includes = [\"implicit\", \"web\"]"),
        ("every", "includes = [\"all\"]"),
    ]);
    for (address, tool, own, visible) in [
        ("web", "fetch", None, true),
        ("outer", "fetch", None, true),
        ("outer", "loose", Some("implicit"), true),
        ("web", "loose", Some("implicit"), false),
        ("every", "loose", Some("implicit"), true),
        ("all", "loose", None, true),
        ("*", "fetch", None, true),
        ("-web", "fetch", Some("implicit"), false),
        ("-outer", "loose", Some("implicit"), false),
        ("-web", "loose", None, true),
        ("outer-web", "fetch", None, false),
        ("outer-web", "loose", Some("implicit"), true),
        ("web+outer-implicit", "fetch", None, true),
    ] {
        let view: View = address.parse().unwrap();
        let paths = all.paths(&view, tool, own, &v("1.0.0"), None);
        assert_eq!(paths.is_ok(), visible, "{address} {tool}");
    }
    for address in ["", "+web", "web+", "web--file", "Web", "web file", "-"] {
        assert!(address.parse::<View>().is_err(), "{address:?}");
    }
}

#[test]
fn hooks_come_from_every_toolset_that_is_enabled_or_included() {
    let all = toolsets(&[
        ("a", "includes = [\"b\"]\nhooks = [\"audit\"]\n[narrow]\nenv = []"),
        ("b", "hooks = [\"redact\", \"audit@^2\"]\n[grant]\nenv = [\"LANG\"]"),
        ("c", "hooks = [\"other\"]"),
    ]);
    let mut view = view(&["a"]);
    view.exclude.push("audit".into());
    let hooks = all.hooks(&view, None);
    let names: Vec<&str> = hooks.iter().map(|used| used.hook.as_str()).collect();
    assert_eq!(names, ["audit", "redact"], "in the order of the toolsets; none can be left out");
    assert_eq!(hooks[0].paths.iter().map(|path| path.allows(&v("1.0.0"))).collect::<Vec<_>>(), [true, false]);
    assert_eq!(Granted::union(&hooks[1].paths).capabilities().env, [], "cut as a tool's grant is");
    assert_eq!(all.hooks(&View::default(), None).len(), 3);
}

/// A chain of diamonds has 2³⁰ simple paths.
#[test]
fn diamonds_do_not_multiply() {
    let chain = |narrow: &dyn Fn(usize, &str) -> String| {
        let mut files = Vec::new();
        for step in 0..30 {
            files.push((format!("top{step}"), format!("includes = [\"left{step}\", \"right{step}\"]")));
            for side in ["left", "right"] {
                let next = step + 1;
                let mut text = format!("includes = [\"top{next}\"]\n");
                text.push_str(&narrow(step, side));
                files.push((format!("{side}{step}"), text));
            }
        }
        files.push(("top30".to_owned(), "tools = [\"t\"]\n[grant]\nenv = [\"LANG\", \"TZ\"]".to_owned()));
        Toolsets::build(
            files.iter().map(|(name, text)| (format!("{name}.toml").into(), text.as_str())),
            &BTreeSet::new(),
        )
    };
    for (narrow, cuts, env) in [("", 0, 2), ("[narrow]\nenv = [\"TZ\"]", 30, 1)] {
        let one_side = |_: usize, side: &str| if side == "left" { String::new() } else { narrow.to_owned() };
        let free = paths(&chain(&one_side).unwrap(), &view(&["top0"]), "t").unwrap();
        assert_eq!(
            (free.len(), free[0].cuts.len()),
            (1, 0),
            "one way passes no narrowing: the others give nothing more"
        );
        let last = |step: usize, _: &str| if step == 29 { narrow.to_owned() } else { String::new() };
        let cut = paths(&chain(&last).unwrap(), &view(&["top0"]), "t").unwrap();
        assert_eq!(Granted::union(&cut).capabilities().env.len(), env, "{cuts}");
    }
    let tangled = chain(&|_, side| format!("[narrow]\nenv = [\"{side}\"]")).unwrap_err().to_string();
    assert!(tangled.contains("toml: from `left0` more than 64 ways of includes lead to `top8`"), "{tangled}");
}

#[test]
fn an_explanation_says_which_side_removed_what() {
    let all = toolsets(&[
        (
            "inner",
            "tools = [\"t\"]\n[grant]\nfs = [{path = \"${workspace}\", mode = \"rw\"}]\nenv = [\"LANG\"]\n[grant.limits]\nwall = \"10m\"",
        ),
        ("outer", "includes = [\"inner\"]\n[narrow]\nfs = [{path = \"${workspace}\"}]\n[narrow.limits]\nwall = \"5m\""),
    ]);
    let asked: Capabilities = toml::from_str(
        "fs = [{path = \"${workspace}\", mode = \"rw\"}]\nhttp = [\"https://a.b.c GET\"]\nlimits = {wall = \"2m\"}",
    )
    .unwrap();
    let view = View { grant: toml::from_str("env = [\"TZ\"]").unwrap(), ..view(&["outer"]) };
    let ceilings = Ceilings { operator: toml::from_str("wall = \"1m\"").unwrap() };
    let ground = Ground { workspace: Some(Path::new("/srv/project")), environment: &NoSecrets, ceilings: &ceilings };
    let explanation = Explanation::new(asked, paths(&all, &view, "t").unwrap(), &ground);
    let json = serde_json::to_string_pretty(&explanation).unwrap();
    let mut shown = String::new();
    for path in &explanation.paths {
        match &path.origin {
            Origin::Toolsets { toolsets, .. } => {
                let names: Vec<&str> = toolsets.iter().map(ToolsetName::as_str).collect();
                write!(shown, "{}", names.join(" > ")).unwrap();
            }
            Origin::Flag => shown.push_str("flag"),
        }
        for cut in &path.cuts {
            let removed: Vec<String> = cut.removed.iter().map(ToString::to_string).collect();
            write!(shown, " | {} removed {}", cut.by, removed.join(" ")).unwrap();
        }
        shown.push('\n');
    }
    let narrowed = "fs=${workspace}:rw, leaving fs=${workspace}:ro limits=wall:10m, leaving limits=wall:5m";
    assert_eq!(shown, format!("outer > inner | outer removed {narrowed}\nflag\n"));
    fn lines(lines: &[impl ToString]) -> String {
        lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }
    assert_eq!(lines(&explanation.missing), "fs=${workspace}:rw http=https://a.b.c GET");
    assert_eq!(lines(&explanation.partly), "");
    assert_eq!(lines(&explanation.unasked), "env=LANG env=TZ");
    assert_eq!(lines(&explanation.waived), "limits=wall:5m, leaving limits=wall:2m");
    assert_eq!(lines(&explanation.ceilings), "limits=wall:2m, leaving limits=wall:1m");
    assert_eq!(serde_json::to_string(&explanation.notable_limits()).unwrap(), r#"{"wall":"1m"}"#);
    assert_eq!(serde_json::to_string(&explanation.power.fs).unwrap(), r#"[{"path":"${workspace}","mode":"ro"}]"#);
    assert!(json.contains(r#""toolsets": ["#) && json.contains(r#""origin": "flag""#), "{json}");
}

/// What ships reads, and holds together.
#[test]
fn the_shipped_files_are_consistent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../toolsets");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap();
        files.push((file, text));
    }
    let (distributions, toolsets): (Vec<_>, Vec<_>) = files
        .iter()
        .map(|(file, text)| (file.clone(), text.as_str()))
        .partition(|(file, _)| file.file_stem().unwrap() == hermes_core::DISTRIBUTIONS);
    let toolsets = Toolsets::build(toolsets, &BTreeSet::new()).unwrap_or_else(|error| panic!("{error}"));
    let distributions = hermes_core::Distributions::build(distributions).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(distributions.iter().count(), 17);
    for (name, distribution) in distributions.iter() {
        let drawn = distribution.draw(|toolset| toolsets.get(toolset.as_str()).is_some(), || 0.0);
        assert_eq!((drawn.toolsets.len(), drawn.skipped), (distribution.toolsets.len(), vec![]), "{name}");
    }
    for (name, toolset) in toolsets.iter() {
        assert!(!toolset.description.is_empty(), "{name}");
    }
}

/// Once a ring of a thousand files took all memory there was.
#[test]
fn ways_without_end_are_an_error_and_many_short_ones_are_none() {
    let ring = |size: usize, includes: &dyn Fn(usize) -> String| {
        let texts: Vec<_> = (0..size)
            .map(|n| {
                (PathBuf::from(format!("s{n}.toml")), format!("tools = [\"t{n}\"]\nincludes = [\"{}\"]\n", includes(n)))
            })
            .collect();
        Toolsets::build(texts.iter().map(|(file, text)| (file.clone(), text.as_str())), &BTreeSet::new())
    };
    let refused = ring(1_000, &|n| format!("s{}", (n + 1) % 1_000)).unwrap_err().to_string();
    assert!(refused.contains("too many to follow: include fewer"), "{refused}");
    assert!(ring(50, &|n| format!("s{}", (n + 1) % 50)).is_ok());
    assert!(ring(200, &|_| "all".to_owned()).is_ok());
}
