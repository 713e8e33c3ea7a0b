//! How long `hermes-host list` takes from process start, with nothing compiled and nothing cached, and what a file costs.
//!
//! Prints three rows: 1,000 components of about 100 KB; then what one of 1,000 files costs at 100 KB and at 20 MB, as a ratio from the
//! same run. For the ratio the files are one file under 1,000 names, since 20 GB would not fit: each name is looked into all the same. Components are real ones: a test's helper under another name, the large ones with 20 MB of code.
//!
//! Each figure is held against its goal. The exit is 1 only at twice the goal or so, so that a busy machine is not taken for a
//! regression.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a benchmark stops at the first surprise and prints"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use hermes_manifest::{Existing, embed, scan};

const RUNS: usize = 15;

const FILES: usize = 1_000;

/// 1,000 components, from process start.
const MEDIAN_MS: Goal = Goal { what: "median of 1,000 in ms", goal: 100.0, guard: 200.0 };

/// What a file of 20 MB costs, in files of 100 KB.
const RATIO: Goal = Goal { what: "ratio", goal: 1.2, guard: 1.5 };

struct Goal {
    what: &'static str,
    goal: f64,
    /// Above this it is a regression on any machine.
    guard: f64,
}

impl Goal {
    /// Prints whether the goal is met, and returns whether it is at least near.
    fn meets(&self, found: f64) -> bool {
        let Self { what, goal, guard } = self;
        let verdict = if found <= *goal { "PASS" } else { "FAIL" };
        println!("  {verdict}  {what}: {found:.2}, goal {goal}, guard {guard}");
        found <= *guard
    }
}

fn main() -> ExitCode {
    let temp = tempfile::tempdir().expect("a temporary folder");
    let tool = guest_artifacts::HELPER;
    let large = with_code(tool, 20 << 20);
    let empty = folder(temp.path(), "empty", tool, 0, 0);
    let thousand = folder(temp.path(), "thousand", tool, FILES, FILES);
    let small = folder(temp.path(), "small", tool, FILES, 1);
    let big = folder(temp.path(), "big", &large, FILES, 1);

    let [empty, thousand, small, big] = measure(&[empty, thousand, small, big]);
    println!("list, cold, from process start ({RUNS} runs each, interleaved)");
    println!(
        "  1,000 components of {:>6} KB   median {:>7.1?}   fastest {:>7.1?}",
        tool.len() >> 10,
        thousand.median,
        thousand.fastest
    );
    println!("  no components                   median {:>7.1?}   fastest {:>7.1?}", empty.median, empty.fastest);
    let cost = |folder: Timing| (folder.median.saturating_sub(empty.median)).as_secs_f64() * 1e6 / FILES as f64;
    println!("  a file of {:>6} KB             {:>6.1} µs", tool.len() >> 10, cost(small));
    println!("  a file of {:>6} KB             {:>6.1} µs", large.len() >> 10, cost(big));
    let held = [MEDIAN_MS.meets(thousand.median.as_secs_f64() * 1e3), RATIO.meets(cost(big) / cost(small))];
    if held.contains(&false) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

#[derive(Clone, Copy)]
struct Timing {
    median: Duration,
    fastest: Duration,
}

fn measure<const N: usize>(folders: &[PathBuf; N]) -> [Timing; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..RUNS {
        for (folder, times) in folders.iter().zip(&mut times) {
            times.push(list(folder));
        }
    }
    times.map(|mut times: Vec<Duration>| {
        times.sort();
        Timing { median: times[RUNS / 2], fastest: times[0] }
    })
}

fn list(folder: &Path) -> Duration {
    let began = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_hermes-host"))
        .args(["list", "--plugins"])
        .arg(folder)
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("hermes-host starts");
    assert!(status.success(), "list fails in {}", folder.display());
    began.elapsed()
}

/// `count` files, of which the first `distinct` are components of their own and the others further names of the first.
fn folder(temp: &Path, name: &str, component: &[u8], count: usize, distinct: usize) -> PathBuf {
    let folder = temp.join(name);
    fs::create_dir(&folder).expect("a folder");
    let manifest = scan(std::io::Cursor::new(component)).expect("a component").manifests.remove(0);
    let document = serde_json::to_value(&manifest).expect("a manifest is JSON");
    for number in 0..distinct {
        let mut document = document.clone();
        document["name"] = format!("bench_{number}").into();
        document["toolset"] = "bench".into();
        let renamed = embed(component, document.to_string().as_bytes(), Existing::Replace).expect("a component");
        fs::write(folder.join(format!("bench_{number}.wasm")), renamed).expect("a file");
    }
    for number in distinct..count {
        fs::hard_link(folder.join("bench_0.wasm"), folder.join(format!("link_{number}.wasm"))).expect("a link");
    }
    folder
}

/// The component, and behind its sections one more core module with `size` bytes of code.
fn with_code(component: &[u8], size: usize) -> Vec<u8> {
    use wasm_encoder::{CodeSection, ComponentSectionId, Function, FunctionSection, Instruction, Module, TypeSection};
    let (mut types, mut functions, mut code) = (TypeSection::new(), FunctionSection::new(), CodeSection::new());
    types.ty().function([], []);
    for _ in 0..size >> 20 {
        functions.function(0);
        let mut body = Function::new([]);
        for _ in 0..1 << 20 {
            body.instruction(&Instruction::Nop);
        }
        body.instruction(&Instruction::End);
        code.function(&body);
    }
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&code);
    let module = module.finish();
    let mut whole = component.to_vec();
    whole.push(ComponentSectionId::CoreModule.into());
    leb128(&mut whole, module.len());
    whole.extend(module);
    whole
}

fn leb128(bytes: &mut Vec<u8>, mut value: usize) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return;
        }
        bytes.push(low | 0x80);
    }
}
