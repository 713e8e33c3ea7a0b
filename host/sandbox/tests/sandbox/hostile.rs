//! Components that break rules: each gets its typed fault, and the sandbox goes on.

use std::time::Duration;

use hermes_core::{Fault, LimitKind, Limits, Outcome, Refusal, Run, Runner as _};
use hermes_sandbox::Sandbox;

use crate::support::{Guest, component, handle, limit, power, sandbox, short, with_manifest, with_modules};

const LOOP: &str = "(loop (br 0)) (unreachable)";

fn is_stopped(fault: &Fault) -> bool {
    matches!(fault, Fault::Timeout(_) | Fault::Limit { kind: LimitKind::Cpu, .. })
}

async fn run(sandbox: &Sandbox, guest: &Guest, limits: Limits) -> Run {
    handle(guest.tool(sandbox).as_ref(), "guest", "{}", power(limits)).await
}

/// The sandbox still answers.
async fn assert_alive(sandbox: &Sandbox) {
    let run = run(sandbox, &Guest::default(), short()).await;
    assert!(matches!(run.result, Ok(Ok(_))), "{:?}", run.result);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_well_behaved_guest_answers() {
    let sandbox = sandbox();
    let tool = Guest::default().tool(&sandbox);
    assert_eq!(tool.schema("guest").await.expect("a schema"), "");
    assert_eq!(tool.check("guest", power(short()).into()).await.expect("a verdict"), Ok(()));
    assert_alive(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loops_end_wherever_they_are() {
    let sandbox = sandbox();
    let looping = |change: fn(&mut Guest)| {
        let mut guest = Guest::default();
        change(&mut guest);
        guest
    };
    let handles = [
        ("handle", looping(|guest| guest.handle = LOOP.into())),
        (
            "start function",
            looping(|guest| guest.fields += &format!("(func $start {}) (start $start)", "(loop (br 0))")),
        ),
        ("cabi_realloc", looping(|guest| guest.realloc = LOOP.into())),
        (
            "post-return",
            looping(|guest| {
                guest.fields +=
                    r#"(func (export "cabi_post_hermes:tool/tool@0.1.0#handle") (param i32) (loop (br 0)))"#;
            }),
        ),
    ];
    for (place, guest) in handles {
        let run = run(&sandbox, &guest, short()).await;
        let fault = run.result.expect_err(place);
        assert!(is_stopped(&fault), "{place}: {fault:?}");
        assert!(run.cpu > Duration::ZERO, "{place}");
        assert_alive(&sandbox).await;
    }

    let tool = looping(|guest| {
        guest.schema = LOOP.into();
        guest.check = LOOP.into();
    })
    .tool(&sandbox);
    assert!(is_stopped(&tool.schema("guest").await.expect_err("a fault")));
    assert!(is_stopped(&tool.check("guest", power(short()).into()).await.expect_err("a fault")));
    assert_alive(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn allocations_are_limited_in_sum() {
    let sandbox = sandbox();
    let guest = |fields: &str, handle: &str| Guest { fields: fields.into(), handle: handle.into(), ..Guest::default() };
    let grow = "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) (unreachable)";
    let grow_table =
        "(loop (br_if 0 (i32.ne (table.grow 0 (ref.null func) (i32.const 1000)) (i32.const -1)))) (unreachable)";
    let small = r#"(memory (export "memory") 2)"#;
    let tabled = r#"(memory (export "memory") 2) (table 10 funcref)"#;
    let rows = [
        ("memory grown", guest(small, grow).encode(), LimitKind::Memory),
        ("memory at first", guest(r#"(memory (export "memory") 2000)"#, "(i32.const 64)").encode(), LimitKind::Memory),
        ("table grown", guest(tabled, grow_table).encode(), LimitKind::Tables),
        (
            "table at first",
            guest(r#"(memory (export "memory") 2) (table 50000 funcref)"#, "(i32.const 64)").encode(),
            LimitKind::Tables,
        ),
        ("memories together", many("(module (memory 64))", 20), LimitKind::Memory),
        ("tables together", many("(module (table 2000 funcref))", 20), LimitKind::Tables),
        ("instances", many("(module)", 100), LimitKind::Instances),
        ("memories in number", many("(module (memory 0))", 100), LimitKind::Instances),
    ];
    for (what, bytes, kind) in rows {
        let run = handle(sandbox.tool(component(bytes)).as_ref(), "guest", "{}", power(short())).await;
        assert_eq!(limit(&run), Some(kind), "{what}: {:?}", run.result);
        assert_alive(&sandbox).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_the_host_are_counted() {
    let sandbox = sandbox();
    let clock = |end: &str| Guest {
        world: "import wasi:clocks/monotonic-clock@0.2.6;".into(),
        imports: r#"(import "wasi:clocks/monotonic-clock@0.2.6" "now" (func $now (result i64)))"#.into(),
        handle: format!(
            "(local $i i32) (loop (drop (call $now)) (local.set $i (i32.add (local.get $i) (i32.const 1))) {end})
            (i32.const 64)"
        ),
        ..Guest::default()
    };
    let often = "(br_if 0 (i32.lt_u (local.get $i) (i32.const 100000)))";
    let limits = |host_calls| Limits { host_calls, ..Limits::default() };
    let rows = [
        (often, Limits::default(), Some(LimitKind::HostCalls)),
        (often, limits(99_999), Some(LimitKind::HostCalls)),
        (often, limits(100_000), None),
        ("(br 0)", Limits::default(), Some(LimitKind::HostCalls)),
    ];
    for (end, limits, kind) in rows {
        let run = run(&sandbox, &clock(end), limits).await;
        assert_eq!(limit(&run), kind, "{end}: {:?}", run.result);
        assert_alive(&sandbox).await;
    }
}

fn many(module: &str, instances: u32) -> Vec<u8> {
    with_manifest(&with_modules(&Guest::default().without_manifest(), module, instances))
}

#[tokio::test(flavor = "multi_thread")]
async fn traps_are_told_apart() {
    let sandbox = sandbox();
    let recursion = Guest {
        fields: r#"(memory (export "memory") 2) (func $down (param i32) (result i32) (call $down (local.get 0)))"#
            .into(),
        handle: "(call $down (local.get 0))".into(),
        ..Guest::default()
    };
    assert_eq!(limit(&run(&sandbox, &recursion, short()).await), Some(LimitKind::Stack));

    let trap = Guest { handle: "(unreachable)".into(), ..Guest::default() };
    let run = run(&sandbox, &trap, short()).await;
    assert!(matches!(&run.result, Err(Fault::Trap { detail }) if detail.contains("unreachable")), "{:?}", run.result);
    assert_alive(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_that_was_survived_does_not_hide_a_trap() {
    let sandbox = sandbox();
    let too_much = "(drop (memory.grow (i32.const 20000)))";
    let guest = |rest: &str| Guest { handle: format!("{too_much} {rest} (unreachable)"), ..Guest::default() };
    assert_eq!(limit(&run(&sandbox, &guest(""), short()).await), Some(LimitKind::Memory));
    let survived = run(&sandbox, &guest("(drop (memory.grow (i32.const 1)))"), short()).await;
    assert_eq!(survived.refusals, [Refusal::Limit(LimitKind::Memory)]);
    assert!(matches!(survived.result, Err(Fault::Trap { .. })), "{:?}", survived.result);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_instantiated_has_given_no_answer() {
    let sandbox = sandbox();
    let outside = Guest {
        fields: r#"(memory (export "memory") 2) (data (i32.const 1000000) "outside")"#.into(),
        ..Guest::default()
    };
    let run = run(&sandbox, &outside, short()).await;
    assert!(
        matches!(&run.result, Err(Fault::Unloadable(reason)) if reason.contains("out of bounds")),
        "{:?}",
        run.result
    );
    let outcome = Outcome::from(run.result.expect_err("a fault"));
    let told = outcome.error().expect("an error").to_string();
    assert!(!told.contains("out of bounds"), "{told}");
    assert!(outcome.author_detail().is_some_and(|detail| detail.contains("out of bounds")));
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_break_the_contract_are_bad_results() {
    let sandbox = sandbox();
    let handle = |text: &str| Guest { handle: text.into(), ..Guest::default() };
    // err(failed("\u{ff}")): bytes that are no UTF-8.
    let no_utf8 = "(i32.store8 (i32.const 64) (i32.const 1)) (i32.store8 (i32.const 68) (i32.const 3))
        (i32.store (i32.const 72) (i32.const 256)) (i32.store (i32.const 76) (i32.const 1))
        (i32.store8 (i32.const 256) (i32.const 255)) (i32.const 64)";
    // ok(done) with one content far outside of memory.
    let outside =
        "(i32.store (i32.const 72) (i32.const -65536)) (i32.store (i32.const 76) (i32.const 1)) (i32.const 64)";
    let endless = "(i32.store (i32.const 72) (i32.const 256)) (i32.store (i32.const 76) (i32.const -1)) (i32.const 64)";
    // structured: some("{")
    let no_json = "(i32.store8 (i32.const 80) (i32.const 1)) (i32.store (i32.const 84) (i32.const 256))
        (i32.store (i32.const 88) (i32.const 1)) (i32.store8 (i32.const 256) (i32.const 123)) (i32.const 64)";
    let rows = [
        ("no UTF-8", handle(no_utf8)),
        ("unknown discriminant", handle("(i32.store8 (i32.const 64) (i32.const 7)) (i32.const 64)")),
        ("unknown outcome", handle("(i32.store8 (i32.const 68) (i32.const 200)) (i32.const 64)")),
        ("pointer outside", handle("(i32.const -8)")),
        ("pointer not aligned", handle("(i32.const 65)")),
        ("list outside", handle(outside)),
        ("endless list", handle(endless)),
        ("no JSON", handle(no_json)),
        ("realloc outside", Guest { realloc: "(i32.const -16)".into(), ..Guest::default() }),
        ("realloc not aligned", Guest { realloc: "(i32.const 4097)".into(), ..Guest::default() }),
    ];
    for (what, guest) in rows {
        let run = run(&sandbox, &guest, short()).await;
        assert!(matches!(run.result, Err(Fault::BadResult(_))), "{what}: {:?}", run.result);
        assert_alive(&sandbox).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sizes_are_limited_in_both_directions() {
    let sandbox = sandbox();
    let tool = Guest::default().tool(&sandbox);
    let large = format!("\"{}\"", "x".repeat(2 << 20));
    assert_eq!(limit(&handle(tool.as_ref(), "guest", &large, power(short())).await), Some(LimitKind::Args));

    // err(failed(five mebibytes of NUL))
    let talkative = Guest {
        fields: r#"(memory (export "memory") 200)"#.into(),
        handle: "(i32.store8 (i32.const 64) (i32.const 1)) (i32.store8 (i32.const 68) (i32.const 3))
            (i32.store (i32.const 72) (i32.const 65536)) (i32.store (i32.const 76) (i32.const 5242880)) (i32.const 64)"
            .into(),
        ..Guest::default()
    };
    let run_result = run(&sandbox, &talkative, short()).await;
    assert_eq!(limit(&run_result), Some(LimitKind::Output), "{:?}", run_result.result);
    let narrow = Limits { host_bytes: 64 << 10, ..short() };
    assert_eq!(limit(&run(&sandbox, &talkative, narrow).await), Some(LimitKind::HostBytes));
    assert_alive(&sandbox).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn components_that_must_not_be_compiled_are_refused() {
    let sandbox = sandbox();
    let base = Guest::default().without_manifest();
    let proposals = [
        "(module (memory i64 1))",
        "(module (memory 1) (memory 1))",
        "(module (memory 1 1 shared))",
        "(module (type (struct)))",
        "(module (tag))",
        "(module (func (param i32) (drop (i32x4.relaxed_trunc_f32x4_s (v128.const i32x4 0 0 0 0)))))",
    ];
    let mut rows: Vec<_> = proposals.iter().map(|module| (*module, with_manifest_unchecked(&base, module))).collect();
    rows.push(("no manifest", base.clone()));
    rows.push(("a core module", wat::parse_str("(module)").expect("a module")));
    rows.push(("nothing", Vec::new()));
    let whole = Guest::default().encode();
    rows.push(("half", whole[..whole.len() / 2].to_vec()));
    for (what, bytes) in rows {
        let run = handle(sandbox.tool(component(bytes)).as_ref(), "guest", "{}", power(short())).await;
        assert!(matches!(run.result, Err(Fault::Unloadable(_))), "{what}: {:?}", run.result);
        assert_alive(&sandbox).await;
    }
}

fn with_manifest_unchecked(base: &[u8], module: &str) -> Vec<u8> {
    with_modules(&with_manifest(base), module, 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_and_names_are_linked_and_denied() {
    let sandbox = sandbox();
    // Interpreters import them whether they use them or not; a socket, a lookup and a datagram socket all fail.
    let create = |what: &str, import: &str| {
        Guest {
        world: format!("import wasi:sockets/{import}@0.2.6;"),
        imports: format!(r#"(import "wasi:sockets/{import}@0.2.6" "create-{what}-socket" (func $create (param i32 i32)))"#),
        handle: "(call $create (i32.const 0) (i32.const 128)) (if (i32.eqz (i32.load8_u (i32.const 128))) (then unreachable))
            (i32.const 64)"
            .into(),
        ..Guest::default()
    }
    };
    let lookup = Guest {
        world: "import wasi:sockets/instance-network@0.2.6; import wasi:sockets/ip-name-lookup@0.2.6;".into(),
        imports: r#"(import "wasi:sockets/instance-network@0.2.6" "instance-network" (func $network (result i32)))
            (import "wasi:sockets/ip-name-lookup@0.2.6" "resolve-addresses" (func $resolve (param i32 i32 i32 i32)))"#
            .into(),
        handle: "(i32.store8 (i32.const 256) (i32.const 97))
            (call $resolve (call $network) (i32.const 256) (i32.const 1) (i32.const 128))
            (if (i32.eqz (i32.load8_u (i32.const 128))) (then unreachable)) (i32.const 64)"
            .into(),
        ..Guest::default()
    };
    let rows =
        [("tcp", create("tcp", "tcp-create-socket")), ("udp", create("udp", "udp-create-socket")), ("lookup", lookup)];
    for (what, guest) in rows {
        let run = run(&sandbox, &guest, short()).await;
        assert!(matches!(run.result, Ok(Ok(_))), "{what}: {:?}", run.result);
    }
}
