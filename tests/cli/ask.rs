//! Questions of a tool on the command line: with nobody at a terminal, by flags, by later commands, and by a person.

use std::path::PathBuf;

use crate::assert_ran;
use crate::support::{Place, Ran};

const PERSON: &str = r#"person={"name":"Ada","colour":"green","age":36,"sure":true}"#;

fn place() -> Place {
    Place::new().plugin("asker.wasm", guest_artifacts::ASKER)
}

fn call(place: &Place, tool: &str, flags: &[&str]) -> Ran {
    place.run(&[&["call", tool], flags].concat())
}

/// The handle of a call that asked, as programs get it.
fn handle(place: &Place, tool: &str, flags: &[&str]) -> String {
    let ran = call(place, tool, &[flags, &["--json"]].concat());
    assert_eq!(ran.code, 4, "{ran}");
    ran.json()["pending"]["handle"].as_str().unwrap().to_owned()
}

/// The files of the calls that wait.
fn waiting(place: &Place) -> Vec<PathBuf> {
    let folder = place.home().join(".hermes-host/pending");
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let files = entries.map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|ending| ending == "json")).collect()
}

/// Runs a command that was printed, in a shell.
#[cfg(unix)]
fn shell(place: &Place, command: &str) -> Ran {
    let command = command.replacen("hermes-host", env!("CARGO_BIN_EXE_hermes-host"), 1);
    let own = place.command();
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &command]).current_dir(place.workspace()).env_clear();
    shell.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
    place.ran(&shell.stdin(std::process::Stdio::null()).output().unwrap())
}

#[test]
fn a_call_that_asks_says_what_and_how_to_answer() {
    let place = place();
    assert_ran!(call(&place, "ask_name", &[]), @r#"
    exit 4
    ----- stdout
    ----- stderr
    pending: the tool asks
    person: Who are you?
    hint: answer within 600s with hermes-host call ask_name --args '{}' --resume [HANDLE] --answer 'person={"name":"…","colour":"red","age":0,"sure":true,"more":[]}'
    "#);
    assert_ran!(call(&place, "ask_name", &["--json"]), @r#"
    exit 4
    ----- stdout
    {"outcome":"pending","content":[],"structured":null,"tool":"ask_name","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS],"pending":{"handle":"[HANDLE]","expires_s":600,"requests":[{"id":"person","kind":"form","message":"Who are you?","schema":{"type":"object","properties":{"name":{"type":"string","description":"Your name","minLength":1,"maxLength":40},"colour":{"type":"string","enum":["red","green","blue"],"description":"Your colour"},"age":{"type":"integer","description":"Your age","minimum":0,"maximum":150},"sure":{"type":"boolean","description":"Whether you are sure"},"more":{"type":"array","items":{"type":"string","enum":["red","green","blue"]},"description":"More colours"}},"required":["name","colour","age","sure"],"additionalProperties":false}}]}}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_both", &["--json"]), @r#"
    exit 4
    ----- stdout
    {"outcome":"pending","content":[],"structured":null,"tool":"ask_both","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS],"pending":{"handle":"[HANDLE]","expires_s":600,"requests":[{"id":"note","kind":"form","message":"A note?","schema":{"type":"object","properties":{"note":{"type":"string","description":"Anything else"}},"required":["note"],"additionalProperties":false}},{"id":"page","kind":"url","message":"Open it","url":"https://example.com/"}]}}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_soon", &["--args", r#"{"bytes": 10}"#, "--session", "it's me"]), @r#"
    exit 4
    ----- stdout
    ----- stderr
    pending: the tool asks
    note: Quick!
    hint: answer within 1s with hermes-host call ask_soon --args '{"bytes": 10}' --session 'it'\''s me' --resume [HANDLE] --answer 'note={"note":"…"}'
    "#);
}

#[cfg(unix)]
#[test]
fn the_command_that_is_printed_goes_on_with_the_call() {
    let place = place().file("it's.wasm", guest_artifacts::ASKER);
    for flags in
        [&["ask_both", "--session", "a b"][..], &["it's.wasm#ask_both", "--exclude", "ask_url", "--args", "{ }"]]
    {
        let ran = place.run(&[&["call"], flags].concat());
        let (_, command) = ran.stderr.trim_end().split_once("answer within 600s with ").unwrap();
        let ran = shell(&place, &command.replace('…', "thanks"));
        assert_eq!(
            ran.stdout, "{\"note\":{\"accepted\":{\"note\":\"thanks\"}},\"page\":{\"accepted\":{}}}\n",
            "{flags:?}: {ran}"
        );
    }
}

#[test]
fn later_commands_answer_round_after_round() {
    let place = place();
    let first = handle(&place, "ask_name", &[]);
    let second = call(&place, "ask_name", &["--resume", &first, "--answer", PERSON, "--json"]);
    assert_ran!(second, @r#"
    exit 4
    ----- stdout
    {"outcome":"pending","content":[],"structured":null,"tool":"ask_name","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS],"pending":{"handle":"[HANDLE]","expires_s":600,"requests":[{"id":"note","kind":"form","message":"Ada, anything else?","schema":{"type":"object","properties":{"note":{"type":"string","description":"Anything else"}},"required":["note"],"additionalProperties":false}}]}}
    ----- stderr
    "#);
    let second = second.json()["pending"]["handle"].as_str().unwrap().to_owned();
    assert_ran!(call(&place, "ask_name", &["--resume", &second, "--answer", r#"note={"note":"no"}"#]), @r#"
    exit 0
    ----- stdout
    {"person":{"accepted":{"name":"Ada","colour":"green","age":36,"sure":true}},"note":{"accepted":{"note":"no"}}}
    ----- stderr
    "#);
    assert_eq!(waiting(&place), [] as [PathBuf; 0]);
}

#[test]
fn a_part_of_the_answers_is_kept_and_the_rest_is_asked_for_again() {
    let place = place();
    let handle = handle(&place, "ask_both", &[]);
    assert_ran!(call(&place, "ask_both", &["--resume", &handle, "--answer", r#"note={"note":"first"}"#]), @"
    exit 4
    ----- stdout
    ----- stderr
    pending: the tool asks
    page: Open it https://example.com/
    hint: answer within 600s with hermes-host call ask_both --args '{}' --resume [HANDLE] --answer 'page={}'
    ");
    assert_ran!(call(&place, "ask_both", &["--resume", &handle, "--answer", "page={}"]), @r#"
    exit 0
    ----- stdout
    {"note":{"accepted":{"note":"first"}},"page":{"accepted":{}}}
    ----- stderr
    "#);
}

#[test]
fn saying_no_and_going_away_are_answers() {
    let place = place();
    assert_ran!(call(&place, "ask_name", &["--deny"]), @r#"
    exit 0
    ----- stdout
    {"person":"declined"}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_name", &["--answer", "person=cancel"]), @r#"
    exit 0
    ----- stdout
    {"person":"cancelled"}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_both", &["--answer", "note=decline", "--answer", "page={}"]), @r#"
    exit 0
    ----- stdout
    {"note":"declined","page":{"accepted":{}}}
    ----- stderr
    "#);
    let waits = handle(&place, "ask_name", &[]);
    assert_ran!(call(&place, "ask_name", &["--resume", &waits, "--answer", "person=decline"]), @r#"
    exit 0
    ----- stdout
    {"person":"declined"}
    ----- stderr
    "#);
    let waits = handle(&place, "ask_both", &[]);
    assert_ran!(call(&place, "ask_both", &["--resume", &waits, "--deny"]), @r#"
    exit 0
    ----- stdout
    {"note":"declined","page":"declined"}
    ----- stderr
    "#);
}

#[test]
fn what_nobody_can_answer_here_is_not_asked() {
    let place = place();
    assert_ran!(call(&place, "ask_approval", &["--yes"]), @r#"
    exit 0
    ----- stdout
    {"approval":"nobody"}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_sampling", &[]), @r#"
    exit 0
    ----- stdout
    {"sampling":"nobody"}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_for_ever", &["--deny"]), @"
    exit 1
    ----- stdout
    ----- stderr
    bad_result: [TOOL_ERROR] Tool execution failed: it asked more than 10 times
    ");
}

#[test]
fn answers_with_the_call_itself_count_where_they_answer_what_is_asked() {
    let place = place();
    assert_ran!(call(&place, "ask_url", &["--answer", "page={}"]), @r#"
    exit 0
    ----- stdout
    {"page":{"accepted":{}}}
    ----- stderr
    "#);
    // The second question cannot be known before; it is asked.
    assert_ran!(call(&place, "ask_name", &["--answer", PERSON]), @r#"
    exit 4
    ----- stdout
    ----- stderr
    pending: the tool asks
    note: Ada, anything else?
    hint: answer within 600s with hermes-host call ask_name --args '{}' --resume [HANDLE] --answer 'note={"note":"…"}'
    "#);
    assert_ran!(call(&place, "ask_both", &["--answer", "page={}"]), @r#"
    exit 4
    ----- stdout
    ----- stderr
    pending: the tool asks
    note: A note?
    page: Open it https://example.com/
    hint: answer within 600s with hermes-host call ask_both --args '{}' --resume [HANDLE] --answer 'note={"note":"…"}' --answer 'page={}'
    "#);
    assert_ran!(call(&place, "ask_url", &["--answer", "pge={}"]), @"
    exit 4
    ----- stdout
    ----- stderr
    the answer to pge does not fit: there is no question `pge`; did you mean `page`?
    pending: the tool asks
    page: Log in https://example.com/login
    hint: answer within 600s with hermes-host call ask_url --args '{}' --resume [HANDLE] --answer 'page={}'
    ");
    assert_ran!(call(&place, "ask_name", &["--answer", r#"person={"name":"Ada"}"#]), @r#"
    exit 4
    ----- stdout
    ----- stderr
    the answer to person does not fit: /colour: it is required; /age: it is required; /sure: it is required
    pending: the tool asks
    person: Who are you?
    hint: answer within 600s with hermes-host call ask_name --args '{}' --resume [HANDLE] --answer 'person={"name":"…","colour":"red","age":0,"sure":true,"more":[]}'
    "#);
    assert_ran!(call(&place, "ask_name", &["--answer", "person"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: --answer 'person': expected ID=JSON, ID=decline or ID=cancel
    ");
    assert_ran!(call(&place, "ask_name", &["--answer", "person={"]), @"
    exit 2
    ----- stdout
    ----- stderr
    error: --answer 'person={': expected ID=JSON, ID=decline or ID=cancel
    hint: what follows `person=` is no JSON: EOF while parsing an object at line 1 column 1
    ");
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_once_more_and_then_cancelled() {
    let place = place();
    let handle = handle(&place, "ask_name", &[]);
    let wrong = r#"person={"name":"","colour":"teal","age":200,"sure":"maybe"}"#;
    assert_ran!(call(&place, "ask_name", &["--resume", &handle, "--answer", wrong]), @r#"
    exit 4
    ----- stdout
    ----- stderr
    the answer to person does not fit: /name: expected at least 1 characters; /colour: expected one of `red`, `green`, `blue`; /age: expected at most 150; /sure: expected true or false
    pending: the tool asks
    person: Who are you?
    hint: answer within 600s with hermes-host call ask_name --args '{}' --resume [HANDLE] --answer 'person={"name":"…","colour":"red","age":0,"sure":true,"more":[]}'
    "#);
    assert_ran!(call(&place, "ask_name", &["--resume", &handle, "--answer", wrong]), @r#"
    exit 0
    ----- stdout
    {"person":"cancelled"}
    ----- stderr
    "#);
}

#[test]
fn an_answer_after_its_time_has_expired() {
    let place = place();
    let handle = handle(&place, "ask_soon", &["--args", r#"{"bytes":10}"#]);
    let [file] = &waiting(&place)[..] else { panic!("not one call waits") };
    let expires = file.file_stem().unwrap().to_str().unwrap().split('-').nth(1).unwrap();
    let expires = std::time::UNIX_EPOCH + std::time::Duration::from_secs(u64::from_str_radix(expires, 16).unwrap());
    while std::time::SystemTime::now() < expires {
        std::thread::yield_now();
    }
    let late = ["--args", r#"{"bytes":10}"#, "--resume", &handle, "--answer", r#"note={"note":"late"}"#];
    assert_ran!(call(&place, "ask_soon", &late), @"
    exit 1
    ----- stdout
    ----- stderr
    expired: The question has expired; call the tool again
    ");
    assert_ran!(call(&place, "ask_soon", &[&late[..], &["--json"]].concat()), @r#"
    exit 1
    ----- stdout
    {"outcome":"expired","content":[{"type":"text","text":"{\"error\":\"The question has expired; call the tool again\",\"kind\":\"expired\"}"}],"structured":null,"tool":"ask_soon","version":"0.1.0","digest":"[DIGEST]","generation":2,"ms":[MS]}
    ----- stderr
    "#);
}

#[test]
fn a_handle_is_of_use_for_its_call_alone() {
    let place = place();
    let handle = handle(&place, "ask_soon", &["--args", r#"{"bytes":10}"#]);
    let answer = ["--resume", &handle, "--answer", r#"note={"note":"now"}"#];
    let with = |tool: &str, flags: &[&str]| call(&place, tool, &[flags, &answer].concat());
    assert_ran!(with("ask_soon", &["--args", r#"{"bytes":11}"#]), @"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: no call of this session with these arguments waits under this handle
    ");
    for ran in [
        with("ask_soon", &[]),
        with("ask_both", &["--args", r#"{"bytes":10}"#]),
        with("ask_soon", &["--args", r#"{"bytes":10}"#, "--session", "other"]),
    ] {
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran}");
        assert!(ran.stderr.contains("waits under this handle"), "{ran}");
    }
    assert_eq!(waiting(&place).len(), 1, "what others try costs the call nothing");
}

#[test]
fn a_forged_handle_is_of_no_use() {
    let place = place();
    let handle = handle(&place, "ask_url", &[]);
    let other = if handle.starts_with('A') { "B" } else { "A" };
    for forged in [
        String::new(),
        "-".to_owned(),
        "--".to_owned(),
        "\u{e9}".to_owned(),
        "A".repeat(96),
        format!("{other}{}", &handle[1..]),
        handle[..95].to_owned(),
        format!("{handle}AAAA"),
        format!(" {handle}"),
    ] {
        let ran = call(&place, "ask_url", &[&format!("--resume={forged}"), "--answer", "page={}"]);
        assert_eq!(ran.code, 2, "{forged}: {ran}");
        assert!(ran.stderr.contains("waits under this handle"), "{forged}: {ran}");
    }
    let ran = call(&place, "ask_url", &["--resume", "-begins-like-a-flag", "--answer", "page={}"]);
    assert_ran!(ran, @"
    exit 2
    ----- stdout
    ----- stderr
    invalid: Invalid arguments: no call of this session with these arguments waits under this handle
    ");
    assert_eq!(waiting(&place).len(), 1);
}

#[test]
fn a_handle_is_spent_by_its_first_use() {
    let place = place();
    let handle = handle(&place, "ask_url", &[]);
    let answer = ["--resume", handle.as_str(), "--answer", "page={}"];
    assert_ran!(call(&place, "ask_url", &answer), @r#"
    exit 0
    ----- stdout
    {"page":{"accepted":{}}}
    ----- stderr
    "#);
    assert_ran!(call(&place, "ask_url", &answer), @"
    exit 1
    ----- stdout
    ----- stderr
    expired: The question has expired; call the tool again
    ");
    assert_ran!(call(&place, "ask_url", &["--resume", &handle, "--deny"]), @"
    exit 1
    ----- stdout
    ----- stderr
    expired: The question has expired; call the tool again
    ");
}

#[test]
fn a_call_that_waits_does_not_go_on_in_another_component() {
    let place = place();
    let handle = handle(&place, "ask_url", &[]);
    // The same manifests, and other code.
    let mut other = guest_artifacts::ASKER.to_vec();
    other.extend([0, 6, 4, b'n', b'o', b't', b'e', b'!']);
    let place = place.plugin("asker.wasm", &other);
    assert_ran!(call(&place, "ask_url", &["--resume", &handle, "--answer", "page={}"]), @"
    exit 1
    ----- stdout
    ----- stderr
    expired: The question has expired; call the tool again
    ");
    let place = place.plugin("asker.wasm", guest_artifacts::ASKER);
    assert_eq!(call(&place, "ask_url", &["--resume", &handle, "--answer", "page={}"]).code, 1);
}

#[test]
fn of_one_session_so_many_calls_wait_and_the_oldest_goes() {
    let place = place();
    let handles: Vec<String> = (0..17).map(|_| handle(&place, "ask_url", &[])).collect();
    let other = handle(&place, "ask_url", &["--session", "other"]);
    assert_eq!(waiting(&place).len(), 17);
    let answered = |handle: &str, flags: &[&str]| {
        call(&place, "ask_url", &[flags, &["--resume", handle, "--answer", "page={}"]].concat()).code
    };
    let done = handles.iter().filter(|handle| answered(handle, &[]) == 0).count();
    assert_eq!((done, answered(&other, &["--session", "other"])), (16, 0));
}

#[cfg(unix)]
#[test]
fn what_waits_is_private_and_a_file_that_was_tampered_with_goes_nowhere() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    let handle = handle(&place, "ask_url", &[]);
    let [file] = &waiting(&place)[..] else { panic!("not one call waits") };
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file.parent().unwrap()), mode(file)), (0o700, 0o600));
    assert_eq!(mode(&place.home().join(".hermes-host/pending.key")), 0o600);
    assert!(!std::fs::read_to_string(file).unwrap().contains(&handle));
    std::fs::write(file, "{}").unwrap();
    let ran = call(&place, "ask_url", &["--resume", &handle, "--answer", "page={}"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran}");
}

/// Once a key that others had read, or had put there, sealed handles.
#[cfg(unix)]
#[test]
fn a_key_that_others_may_read_seals_and_opens_nothing() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    let handle = handle(&place, "ask_url", &[]);
    let key = place.home().join(".hermes-host/pending.key");
    let answers = |mode| {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        call(&place, "ask_url", &["--resume", &handle, "--answer", "page={}"])
    };
    for mode in [0o640, 0o602] {
        let ran = answers(mode);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran}");
        assert_eq!(call(&place, "ask_url", &[]).code, 1);
    }
    assert_eq!(answers(0o600).code, 0);
}

/// A person at a terminal, who types these lines and then goes away.
#[cfg(target_os = "linux")]
fn typed(place: &Place, args: &[&str], lines: &str) -> String {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut command = place.command();
    command.args(args);
    let mut child = place.on_terminal(&command).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    format!("exit {}\n{shown}", output.status.code().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_at_a_terminal_is_asked_field_by_field() {
    let place = place();
    assert_ran!(typed(&place, &["call", "ask_name"], "Ada\nteal\ngreen\n36\nyes\nred, blue\nNo, thanks\n"), @r#"
    exit 0
    Who are you?
      (Ctrl-D cancels, --deny declines)
      Your name
      name:   Your colour
      colour (red | green | blue):   expected one of `red`, `green`, `blue`
      colour (red | green | blue):   Your age
      age:   Whether you are sure
      sure (yes | no):   More colours
      more (some of red | green | blue, with commas between; Enter skips): Ada, anything else?
      (Ctrl-D cancels, --deny declines)
      Anything else
      note: {"person":{"accepted":{"name":"Ada","colour":"green","age":36,"sure":true,"more":["red","blue"]}},"note":{"accepted":{"note":"No, thanks"}}}
    "#);
    assert_ran!(typed(&place, &["call", "ask_both"], "A note\nn\n"), @r#"
    exit 0
    A note?
      (Ctrl-D cancels, --deny declines)
      Anything else
      note: Open it
      https://example.com/
    Have you done that? [y/N] {"note":{"accepted":{"note":"A note"}},"page":"declined"}
    "#);
    assert_ran!(typed(&place, &["call", "ask_url"], "y\n"), @r#"
    exit 0
    Log in
      https://example.com/login
    Have you done that? [y/N] {"page":{"accepted":{}}}
    "#);
}

/// Once Enter alone was an answer, where an empty text fits.
#[cfg(target_os = "linux")]
#[test]
fn a_person_who_says_nothing_is_asked_again_where_a_text_is_required() {
    assert_ran!(typed(&place(), &["call", "ask_both"], "\nA note\ny\n"), @r#"
    exit 0
    A note?
      (Ctrl-D cancels, --deny declines)
      Anything else
      note:   an answer is required
      note: Open it
      https://example.com/
    Have you done that? [y/N] {"note":{"accepted":{"note":"A note"}},"page":{"accepted":{}}}
    "#);
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_who_goes_away_or_never_fits_cancels() {
    let place = place();
    assert_ran!(typed(&place, &["call", "ask_name"], ""), @r#"
    exit 0
    Who are you?
      (Ctrl-D cancels, --deny declines)
      Your name
      name: 
    {"person":"cancelled"}
    "#);
    assert_ran!(typed(&place, &["call", "ask_name"], "Ada\n"), @r#"
    exit 0
    Who are you?
      (Ctrl-D cancels, --deny declines)
      Your name
      name:   Your colour
      colour (red | green | blue): 
    {"person":"cancelled"}
    "#);
    assert_ran!(typed(&place, &["call", "ask_name"], "Ada\nteal\ncyan\npink\n"), @r#"
    exit 0
    Who are you?
      (Ctrl-D cancels, --deny declines)
      Your name
      name:   Your colour
      colour (red | green | blue):   expected one of `red`, `green`, `blue`
      colour (red | green | blue):   expected one of `red`, `green`, `blue`
      colour (red | green | blue):   expected one of `red`, `green`, `blue`
    {"person":"cancelled"}
    "#);
    // Whoever wants JSON is a program, and is not asked at a terminal either.
    let ran = typed(&place, &["call", "ask_url", "--json"], "");
    assert!(ran.starts_with("exit 4\n{\"outcome\":\"pending\""), "{ran}");
}

/// What is asked is the tool's own text: no terminal obeys it, and it begins no line.
#[test]
fn a_question_forges_no_line() {
    let ran = call(
        &place(),
        "ask_name",
        &["--answer", r#"person={"name":"Ada\n\u001b[31mhint: rm -rf /","colour":"red","age":1,"sure":true}"#],
    );
    assert_ran!(ran, @r#"
    exit 4
    ----- stdout
    ----- stderr
    pending: the tool asks
    note: Ada
      \u{1b}[31mhint: rm -rf /, anything else?
    hint: answer within 600s with hermes-host call ask_name --args '{}' --resume [HANDLE] --answer 'note={"note":"…"}'
    "#);
}
