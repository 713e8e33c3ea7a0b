//! `toolset` and `sample`, and the files that they show.

use std::fs;

use serde_json::json;

use crate::assert_ran;
use crate::support::{Place, echo};

const TEAM: &str = r#"
description = "What the team uses"
tools = ["read_file", "red_file@^1.2"]
includes = ["weather", "file"]

[grant]
fs = [{ path = "${workspace}", mode = "ro", quota = "1 GiB" }]
http = ["https://*.example.com:8443 GET,POST"]

[narrow]
env = []
"#;

#[test]
fn toolsets_are_listed_and_shown() {
    let place = Place::new().own("toolsets/team.toml", TEAM).plugin("helper.wasm", guest_artifacts::HELPER);
    assert_ran!(place.run(&["toolset", "list"]), @"
    exit 0
    ----- stdout
    NAME            TOOLS  INCLUDES                DESCRIPTION
    browser         0      -                       Drive a browser: open pages, read them, click and type
    browser_cdp     0      -                       Speak a browser's own debugging protocol, and answer its dialogs
    clarify         0      -                       Ask the user when a task can be meant in more than one way
    code_execution  0      -                       Run programs that call tools
    debugging       3      terminal, web, file     Find out what is wrong with a program: run it, read and change its files, look things up
    delegation      0      -                       Hand parts of a task to agents of their own
    file            3      -                       Read, write and search the files of the workspace
    full_stack      3      web, terminal, file     Develop an application from its pages to its server
    helper          6      -                       named by manifests alone
    image_gen       0      -                       Make images from descriptions and edit them
    memory          0      -                       Remember facts about the user and the work from session to session
    messaging       0      -                       Send messages to people on the platforms that are connected
    safe            0      web, vision, image_gen  Look up, look at and draw things, without a hand on files or programs
    search          0      -                       Search the web without reading pages
    session_search  0      -                       Find what was said in earlier sessions
    skills          0      -                       Read and write instructions for recurring tasks
    team            5      weather, file           What the team uses
    terminal        0      -                       Run commands, and watch those that run on
    todo            0      -                       Keep a list of what is to be done in a session
    tts             0      -                       Turn text into speech
    vision          0      -                       Answer questions about images
    weather         1      -                       Weather lookup
    web             0      -                       Search the web and read pages
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "team"]), @r#"
    exit 0
    ----- stdout
    team: What the team uses
    [PLACE]/home/.hermes-host/toolsets/team.toml

    Includes
      weather, file

    Tools, with those of what it includes, in a session that uses this toolset alone
      read_file      0.1.0  ready
      red_file@^1.2  -      missing; did you mean `read_file`?
      search_files   0.1.0  ready
      weather        0.1.0  unavailable
      write_file     0.1.0  ready

    Grants the tools and hooks that it lists itself
      http = ["https://*.example.com:8443 GET,POST"]

      [[fs]]
      path = "${workspace}"
      mode = "ro"
      quota = "1 GiB"

    Cuts what it includes to
      env = []
    ----- stderr
    "#);
    assert_ran!(place.run(&["toolset", "show", "team", "--json"]), @r#"
    exit 0
    ----- stdout
    {"name":"team","description":"What the team uses","file":"[PLACE]/home/.hermes-host/toolsets/team.toml","includes":["weather","file"],"tools":["read_file","red_file","search_files","weather","write_file"],"pins":{"red_file":["^1.2"]},"hooks":[],"grant":{"fs":[{"path":"${workspace}","mode":"ro","quota":"1 GiB"}],"http":["https://*.example.com:8443 GET,POST"]},"narrow":{"env":[]}}
    ----- stderr
    "#);
    assert_ran!(place.run(&["toolset", "show", "helper"]), @"
    exit 0
    ----- stdout
    helper: named by manifests alone, so it grants nothing

    Tools, in a session that uses this toolset alone
      ask             0.1.0  ready
      crash           0.1.0  ready
      echo            0.1.0  ready
      print_json_rpc  0.1.0  ready
      report          0.1.0  ready
      spin            0.1.0  ready
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "file"]), @r#"
    exit 0
    ----- stdout
    file: Read, write and search the files of the workspace
    core/file.toml

    Tools, in a session that uses this toolset alone
      read_file     0.1.0  ready
      search_files  0.1.0  ready
      write_file    0.1.0  ready

    Grants the tools and hooks that it lists itself
      [[fs]]
      path = "${workspace}"
      mode = "rw"
      quota = "2 GiB"

      [limits]
      host_calls = 2000000
    ----- stderr
    "#);
    assert_ran!(place.run(&["toolset", "show", "taem"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no toolset `taem`; did you mean `team`?
    ");
    assert_ran!(place.run(&["toolset", "show", "all"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: `all` is every toolset: `hermes-host list` shows its tools
    ");
}

#[test]
fn a_toolset_is_shown_as_a_session_of_it_alone() {
    let place = Place::new()
        .plugin("echo.wasm", &echo(json!({"capabilities": {"env": ["LANG"]}})))
        .own("toolsets/granting.toml", "tools = [\"echo\"]\n[grant]\nenv = [\"LANG\"]\n")
        .own("toolsets/plain.toml", "tools = [\"echo@^1\", \"read_file\"]\n")
        .own("toolsets/newer.toml", "tools = [\"echo@^2\"]\n")
        .own("toolsets/both.toml", "includes = [\"plain\", \"newer\"]\n")
        .own("toolsets/any.toml", "includes = [\"plain\", \"granting\"]\n");
    assert_ran!(place.run(&["toolset", "show", "granting"]), @r#"
    exit 0
    ----- stdout
    granting
    [PLACE]/home/.hermes-host/toolsets/granting.toml

    Tools, in a session that uses this toolset alone
      echo  1.2.0  ready

    Grants the tools and hooks that it lists itself
      env = ["LANG"]
    ----- stderr
    "#);
    assert_ran!(place.run(&["toolset", "show", "plain"]), @"
    exit 0
    ----- stdout
    plain
    [PLACE]/home/.hermes-host/toolsets/plain.toml

    Tools, in a session that uses this toolset alone
      echo@^1    1.2.0  ungranted
      read_file  0.1.0  ungranted
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "newer"]), @"
    exit 0
    ----- stdout
    newer
    [PLACE]/home/.hermes-host/toolsets/newer.toml

    Tools, in a session that uses this toolset alone
      echo@^2  1.2.0  hidden: `echo@^2` of [PLACE]/home/.hermes-host/toolsets/newer.toml means other versions
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "both"]), @"
    exit 0
    ----- stdout
    both
    [PLACE]/home/.hermes-host/toolsets/both.toml

    Includes
      plain, newer

    Tools, with those of what it includes, in a session that uses this toolset alone
      echo@^1 or @^2  1.2.0  ungranted
      read_file       0.1.0  ungranted
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "any"]), @"
    exit 0
    ----- stdout
    any
    [PLACE]/home/.hermes-host/toolsets/any.toml

    Includes
      plain, granting

    Tools, with those of what it includes, in a session that uses this toolset alone
      echo       1.2.0  ready
      read_file  0.1.0  ungranted
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "both", "--json"]), @r#"
    exit 0
    ----- stdout
    {"name":"both","description":"","file":"[PLACE]/home/.hermes-host/toolsets/both.toml","includes":["plain","newer"],"tools":["echo","read_file"],"pins":{"echo":["^1","^2"]},"hooks":[],"grant":{},"narrow":{}}
    ----- stderr
    "#);
    assert_ran!(place.run(&["toolset", "show", "plain", "--exclude", "read_file"]), @"
    exit 0
    ----- stdout
    plain
    [PLACE]/home/.hermes-host/toolsets/plain.toml

    Tools, in a session that uses this toolset alone
      echo@^1    1.2.0  ungranted
      read_file  0.1.0  hidden: excluded by name
    ----- stderr
    ");
    assert_ran!(place.run(&["toolset", "show", "todo"]), @"
    exit 0
    ----- stdout
    todo: Keep a list of what is to be done in a session
    core/todo.toml

    Tools, in a session that uses this toolset alone
      none
    ----- stderr
    ");
}

#[test]
fn a_toolset_that_means_the_shipped_one_by_its_own_name_is_an_error() {
    let place = Place::new().own("toolsets/file.toml", "includes = [\n  \"weather\",\n  \"file\",\n]\n");
    assert_ran!(place.run(&["toolset", "show", "file"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml:3: `includes`: `file` is this file itself, which takes the place of core/file.toml: to build on that one, give this file another name
    ");
}

#[test]
fn the_list_for_programs_has_what_show_has() {
    let place = Place::new().own("toolsets/team.toml", TEAM);
    let list = place.run(&["toolset", "list", "--json"]).json();
    for toolset in list.as_array().unwrap() {
        let name = toolset["name"].as_str().unwrap();
        assert_eq!(place.run(&["toolset", "show", name, "--json"]).json(), *toolset);
    }
    assert!(list.as_array().unwrap().iter().any(|toolset| toolset["name"] == "team"), "{list}");
}

#[test]
fn the_same_seed_draws_the_same_toolsets() {
    let place = Place::new();
    assert_ran!(place.run(&["sample", "balanced", "--seed", "7"]), @"
    exit 0
    ----- stdout
    image_gen,file
    ----- stderr
    ");
    assert_ran!(place.run(&["sample", "balanced", "--seed", "8", "--json"]), @r#"
    exit 0
    ----- stdout
    {"distribution":"balanced","seed":8,"toolsets":["web","vision","file","browser"]}
    ----- stderr
    "#);
    let draws: Vec<String> =
        (0..20).map(|seed| place.run(&["sample", "balanced", "--seed", &seed.to_string()]).stdout).collect();
    let again: Vec<String> =
        (0..20).map(|seed| place.run(&["sample", "balanced", "--seed", &seed.to_string()]).stdout).collect();
    assert_eq!(draws, again);
    let different: std::collections::BTreeSet<&String> = draws.iter().collect();
    assert!(different.len() > 5, "{different:?}");
    assert_ran!(place.run(&["sample", "balnced"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no distribution `balnced`; did you mean `balanced`?
    ");
    assert_ran!(place.run(&["sample", "everything"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: there is no distribution `everything`
    hint: there are balanced, browser_only, browser_tasks, browser_use, creative, default, development, image_gen, minimal, mixed_tasks, reasoning, research, safe, science, terminal_only, terminal_tasks, terminal_web
    ");
    assert_ran!(place.run(&["sample", "balanced", "--seed", "x"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: invalid value 'x' for '--seed <SEED>': invalid digit found in string

    For more information, try '--help'.
    ");
}

#[test]
fn a_users_distributions_stand_beside_the_shipped_ones() {
    let mine = "[mine]\ndescription = \"Mine\"\ntoolsets = { file = 100, none = 100 }\n\n[minimal]\ntoolsets = { file = 100 }\n";
    let place = Place::new().own("toolsets/distributions.toml", mine);
    assert_ran!(place.run(&["sample", "mine"]), @"
    exit 0
    ----- stdout
    file
    ----- stderr
    left out: there is no toolset `none`
    ");
    assert_ran!(place.run(&["sample", "minimal", "--json"]), @r#"
    exit 0
    ----- stdout
    {"distribution":"minimal","seed":0,"toolsets":["file"]}
    ----- stderr
    "#);
    assert_ran!(place.run(&["sample"]), @"
    exit 0
    ----- stdout
    NAME            TOOLSETS, EACH WITH ITS CHANCE
    balanced        web 50 %, vision 50 %, image_gen 50 %, terminal 50 %, file 50 %, browser 50 %
    browser_only    browser 100 %
    browser_tasks   browser 97 %, vision 12 %, terminal 15 %
    browser_use     browser 100 %, web 80 %, vision 70 %
    creative        image_gen 90 %, vision 90 %, web 30 %
    default         web 100 %, vision 100 %, image_gen 100 %, terminal 100 %, file 100 %, browser 100 %
    development     terminal 80 %, file 80 %, web 30 %, vision 10 %
    image_gen       image_gen 90 %, vision 90 %, web 55 %, terminal 45 %
    mine            file 100 %, none 100 %
    minimal         file 100 %
    mixed_tasks     browser 92 %, terminal 92 %, file 92 %, web 35 %, vision 15 %, image_gen 15 %
    reasoning       web 90 %, file 60 %, terminal 20 %
    research        web 90 %, browser 70 %, vision 50 %, terminal 10 %
    safe            web 80 %, browser 70 %, vision 60 %, image_gen 60 %
    science         web 94 %, terminal 94 %, file 94 %, vision 65 %, browser 50 %, image_gen 15 %
    terminal_only   terminal 100 %, file 100 %
    terminal_tasks  terminal 97 %, file 97 %, web 97 %, browser 75 %, vision 50 %, image_gen 10 %
    terminal_web    terminal 100 %, file 100 %, web 100 %
    ----- stderr
    ");
    let names = place.run(&["sample", "--json"]).json();
    assert_eq!(names.as_array().unwrap().len(), 18, "{names}");
}

/// What commands say that read a home with this file in it.
fn said(file: &str, text: &str, commands: &[&[&str]]) -> String {
    let place = Place::new().own(file, text);
    let home = place.home().join(".hermes-host");
    let mut said: Vec<String> = commands.iter().map(|command| place.run(command).to_string()).collect();
    said.dedup();
    assert_eq!(fs::read_to_string(home.join(file)).unwrap(), text, "the file stays as it is");
    said.join("\n")
}

#[test]
fn a_malformed_toolset_is_one_error_with_file_line_and_key() {
    let commands: [&[&str]; 5] = [
        &["list"],
        &["run", "--stdio"],
        &["explain", "read_file"],
        &["toolset", "list"],
        &["call", "read_file", "--args", "{}"],
    ];
    let mut all = String::new();
    for (file, text) in [
        ("mine", "tool = [\"read_file\"]\n"),
        ("mine", "description = 7\n"),
        ("mine", "tools = \"read_file\"\n"),
        ("mine", "tools = [\n  \"read_file\",\n  7,\n]\n"),
        ("mine", "tools = [\"Read File\"]\n"),
        ("mine", "tools = [\"read_file\", \"echo@newest\"]\n"),
        ("mine", "tools = [\"read_file\", \"read_file@^1\"]\n"),
        ("mine", "includes = [\n  \"file\",\n  \"wether\",\n]\n"),
        ("mine", "[grnat]\nenv = [\"LANG\"]\n"),
        ("mine", "[grant]\nhtttp = [\"https://a.example\"]\n"),
        ("mine", "[grant]\nhttp = [\"a.example\"]\n"),
        ("mine", "[grant]\nhttp = [\"https://*.*.example\"]\n"),
        ("mine", "[grant]\nhttp = [\"https://a.example FETCH\"]\n"),
        ("mine", "[grant]\nfs = [{ path = \"${workspace}\", mode = \"w\" }]\n"),
        ("mine", "[grant]\nfs = [{ path = \"/\" }]\n"),
        ("mine", "[grant]\nenv = [\"1A\"]\n"),
        ("mine", "[grant.limits]\nwal = \"1s\"\n"),
        ("mine", "[grant.limits]\nwall = \"1 hour\"\n"),
        ("mine", "grant = 7\n"),
        ("mine", "[grant]\nfs = \"x\"\n"),
        ("mine", "[grant]\nprocess = { backend = \"local\" }\n"),
        ("mine", "[grant.secrets.KEY]\naudience = \"https://a.example\"\n"),
        ("mine", "[narrow]\nfs = [{ path = \"x\" }]\n"),
        ("mine", "tools = [\"read_file\"\n"),
        ("mine", "tools = []\ntools = []\n"),
        ("all", "tools = []\n"),
        ("my-own", "tools = []\n"),
    ] {
        let said = said(&format!("toolsets/{file}.toml"), text, &commands);
        let error = said.strip_prefix("exit 2\n----- stdout\n----- stderr\nerror: [PLACE]/home/.hermes-host/toolsets/");
        all.push_str(error.unwrap_or_else(|| panic!("{text}: {said}")));
    }
    insta::assert_snapshot!(all, @r#"
    mine.toml:1: `tool`: unknown field `tool`, did you mean `tools`?
    mine.toml:1: `description`: invalid type: integer `7`, expected a string
    mine.toml:1: `tools`: invalid type: string "read_file", expected a list
    mine.toml:3: `tools[1]`: invalid type: integer `7`, expected a string
    mine.toml:1: `tools[0]`: "Read File" is not a name: expected a lower-case letter, then lower-case letters, digits or `_`, at most 48 characters
    mine.toml:1: `tools[1]`: `newest` is not a range of versions: unexpected character 'n' while parsing major version number; expected one such as `name@^1.2`
    mine.toml:1: `tools`: `read_file` is listed twice
    mine.toml:3: `includes`: there is no toolset `wether`; did you mean `weather`?
    mine.toml:1: `grnat`: unknown field `grnat`, did you mean `grant`?
    mine.toml:2: `grant.htttp`: unknown field `htttp`, did you mean `http`?
    mine.toml:2: `grant.http[0]`: `a.example` is not an HTTP destination: the scheme is missing; expected `https://host[:port] [METHOD,…]`, such as `https://*.example.com GET`
    mine.toml:2: `grant.http[0]`: `https://*.*.example` is not an HTTP destination: only a host and a port may follow the scheme, with at most one leading `*.`; expected `https://host[:port] [METHOD,…]`, such as `https://*.example.com GET`
    mine.toml:2: `grant.http[0]`: `https://a.example FETCH` is not an HTTP destination: an unknown method; expected `https://host[:port] [METHOD,…]`, such as `https://*.example.com GET`
    mine.toml:2: `grant.fs[0].mode`: unknown variant `w`, did you mean `rw`?
    mine.toml:2: `grant.fs[0].path`: `/` cannot be granted: it holds the whole system; grant a folder of a project
    mine.toml:2: `grant.env[0]`: `1A` is not a variable name: expected a letter or `_`, then letters, digits or `_`, at most 128 characters
    mine.toml:2: `grant.limits.wal`: unknown field `wal`, did you mean `wall`?
    mine.toml:2: `grant.limits.wall`: `1 hour` is not a length of time: expected a whole number with `ms`, `s` or `m`, such as `30s`, and at most a day
    mine.toml:1: `grant`: invalid type: integer `7`, expected a table
    mine.toml:2: `grant.fs`: invalid type: string "x", expected a list
    mine.toml:2: `grant.process`: `process` is not supported yet: this version has nothing that would grant it
    mine.toml:2: `grant.secrets.KEY.audience`: `audience` is not supported yet: this version has nothing that would grant it
    mine.toml:2: `narrow.fs[0].path`: `x` is not a folder: expected `${workspace}` or an absolute path without `.` and `..`
    mine.toml:1: unclosed array, expected `]`
    mine.toml:2: `tools`: duplicate key
    all.toml: `all` stands for every toolset: give the file another name
    my-own.toml: "my-own" is not a name: expected a lower-case letter, then lower-case letters, digits or `_`, at most 64 characters
    "#);
}

#[test]
fn malformed_distributions_are_one_error_with_file_line_and_key() {
    let mut all = String::new();
    for text in [
        "[a]\ntoolset = { file = 1 }\n",
        "[a]\ntoolsets = {}\n",
        "[a]\ntoolsets = { file = 101 }\n",
        "[a]\ntoolsets = { file = \"often\" }\n",
        "[a]\ntoolsets = { \"No Name\" = 1 }\n",
        "[a]\n",
        "a = 1\n",
        "[a\n",
    ] {
        let commands: [&[&str]; 2] = [&["sample"], &["sample", "minimal", "--json"]];
        let said = said("toolsets/distributions.toml", text, &commands);
        let error = said.strip_prefix("exit 2\n----- stdout\n----- stderr\nerror: [PLACE]/home/.hermes-host/toolsets/");
        all.push_str(error.unwrap_or_else(|| panic!("{text}: {said}")));
    }
    insta::assert_snapshot!(all, @r#"
    distributions.toml:2: `a.toolset`: unknown field `toolset`, did you mean `toolsets`?
    distributions.toml:2: `a.toolsets`: expected at least one toolset
    distributions.toml:2: `a.toolsets.file`: `101` is no percentage: expected a number from 0 to 100
    distributions.toml:2: `a.toolsets.file`: invalid type: string "often", expected a number
    distributions.toml:2: `a.toolsets.No Name`: "No Name" is not a name: expected a lower-case letter, then lower-case letters, digits or `_`, at most 64 characters
    distributions.toml:1: `a`: missing field `toolsets`
    distributions.toml:1: `a`: invalid type: integer `1`, expected a table
    distributions.toml:1: unclosed table, expected `]`
    "#);
}

#[test]
fn a_flag_that_is_no_grant_is_wrong_usage() {
    let place = Place::new();
    let mut all = String::new();
    for grant in ["nothing", "htpp=https://a.example", "http=a.example", "fs=none", "fs=/", "env=1A", "limits=wal:1s"] {
        let ran = place.run(&["list", "--grant", grant]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{grant}: {ran}");
        all.push_str(&ran.stderr);
    }
    insta::assert_snapshot!(all, @"
    error: --grant: `nothing` is not a grant: expected KIND=VALUE, with a kind of fs, http, env, secrets, tools, limits
    error: --grant: `htpp=https://a.example` is not a grant: unknown kind `htpp`, expected one of fs, http, env, secrets, tools, limits; did you mean `http`?
    error: --grant: `http=a.example` is not a grant: `a.example` is not an HTTP destination: the scheme is missing; expected `https://host[:port] [METHOD,…]`, such as `https://*.example.com GET`
    error: --grant: `fs=none` is not a grant: none: No such file or directory (os error 2)
    error: --grant: `fs=/` is not a grant: `/` cannot be granted: it holds the whole system; grant a folder of a project
    error: --grant: `env=1A` is not a grant: `1A` is not a variable name: expected a letter or `_`, then letters, digits or `_`, at most 128 characters
    error: --grant: `limits=wal:1s` is not a grant: unknown field `wal`, did you mean `wall`?
    ");
}

#[cfg(unix)]
#[test]
fn a_toolset_that_cannot_be_read_is_no_toolset_left_out() {
    let place = Place::new();
    let folder = place.home().join(".hermes-host/toolsets");
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink("none", folder.join("file.toml")).unwrap();
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: No such file or directory (os error 2)
    ");
    fs::remove_file(folder.join("file.toml")).unwrap();
    fs::create_dir(folder.join("file.toml")).unwrap();
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: not a regular file
    ");
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    assert_ran!(place.run(&["list"]), @"
    exit 1
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets: Not a directory (os error 20)
    ");
    fs::remove_file(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("file.toml"), b"description = \"\xff\"\n").unwrap();
    assert_ran!(place.run(&["list"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: [PLACE]/home/.hermes-host/toolsets/file.toml: expected UTF-8 text, found something else at byte 15
    ");
}
