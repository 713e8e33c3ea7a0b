//! A tool that tries whatever a test asks for, so that the tests see what a guest sees.

mod files;
mod system;

use hermes_tool::prelude::*;

/// What to try.
#[derive(ToolArgs)]
struct Attempt {
    /// The thing to try
    action: Action,
    /// A path, name or address
    #[arg(default = "")]
    at: String,
    /// A second path, or what to write
    #[arg(default = "")]
    with: String,
    /// How much or how often
    #[arg(default = 0)]
    n: u64,
}

/// Things to try.
#[derive(ToolArgs)]
enum Action {
    // The process.
    Echo,
    Environment,
    Exit,
    Panic,
    Spin,
    Sleep,
    Grow,
    Random,
    Print,
    Log,
    Progress,
    Secret,
    SecretExists,
    BigOutput,
    // HTTP.
    Get,
    GetMany,
    GetTogether,
    Post,
    GetWithHeader,
    // Files.
    Read,
    ReadMany,
    Write,
    Append,
    AppendThenFail,
    SetLen,
    WriteHole,
    List,
    Stat,
    Remove,
    RemoveFolder,
    MakeFolder,
    MakeFiles,
    Rename,
    HardLink,
    SymbolicLink,
    SetTimes,
    KeepOpen,
}

/// Tries something and tells what came of it.
#[tool(
    fs = ["${workspace} rw"],
    http = ["http://127.0.0.1", "https://127.0.0.1"],
    env = ["GREETING"],
    secrets(TOKEN(expose)),
    check = available,
)]
async fn probe(attempt: Attempt) -> Result<String> {
    let Attempt { action, at, with, n } = attempt;
    match action {
        Action::Echo => Ok(with),
        Action::Environment => Ok(system::environment()),
        Action::Exit => system::exit(n),
        Action::Panic => system::panic(&with),
        Action::Spin => system::spin(),
        Action::Sleep => Ok(system::sleep(n)),
        Action::Grow => system::grow(n),
        Action::Random => system::random(n),
        Action::Print => system::print(&with, n),
        Action::Log => {
            log!("{with}");
            Ok("logged".into())
        }
        Action::Progress => {
            for step in 0..n {
                progress::report(step as f64, Some(n as f64), Some("step"));
            }
            Ok("reported".into())
        }
        Action::Secret => Ok(secret(&at)?),
        Action::SecretExists => Ok(has_secret(&at).to_string()),
        Action::BigOutput => Ok("x".repeat(usize::try_from(n)?)),
        Action::Get => get(&at).await,
        Action::GetMany => {
            for _ in 0..n {
                get(&at).await?;
            }
            Ok("got them".into())
        }
        Action::GetTogether => {
            let together = task::join_all((0..n).map(|_| get(&at))).await;
            together.into_iter().collect::<Result<Vec<_>>>()?;
            Ok("got them".into())
        }
        Action::Post => Ok(http::post(&at).body("x".repeat(usize::try_from(n)?)).send().await?.status.to_string()),
        Action::GetWithHeader => {
            let (name, value) = with.split_once(": ").unwrap_or_default();
            Ok(http::get(&at).header(name, value).send().await?.status.to_string())
        }
        Action::Read => files::read(&at),
        Action::ReadMany => Ok(files::read_many(&at, n)),
        Action::Write => files::write(&at, &with),
        Action::Append => files::append(&at, n),
        Action::AppendThenFail => {
            // Goes on without what it could not write, and fails at something else.
            let _ = files::append(&at, n);
            files::read(&with)?;
            Err(Error::failed("unrelated"))
        }
        Action::SetLen => files::set_len(&at, n),
        Action::WriteHole => files::write_hole(&at, n),
        Action::List => files::list(&at),
        Action::Stat => files::stat(&at),
        Action::Remove => files::remove(&at),
        Action::RemoveFolder => files::remove_folder(&at),
        Action::MakeFolder => files::make_folder(&at),
        Action::MakeFiles => files::make_files(&at, n),
        Action::Rename => files::rename(&at, &with),
        Action::HardLink => files::hard_link(&at, &with),
        Action::SymbolicLink => system::symbolic_link(&with, &at),
        Action::SetTimes => system::set_times(&at),
        Action::KeepOpen => files::keep_open(&at, n),
    }
}

async fn get(url: &str) -> Result<String> {
    let response = http::get(url).send().await?;
    Ok(format!("{} {}", response.status, response.text().len()))
}

/// What a `check` can see.
fn available() -> std::result::Result<(), String> {
    let has = has_secret("TOKEN");
    let value = secret("TOKEN").unwrap_or_default();
    let files = std::fs::read_dir(".").is_ok();
    let greeting = system::variable("GREETING");
    if greeting == "spin" {
        system::spin();
    }
    Err(format!("secret {has} {value}, files {files}, greeting {greeting}"))
}

hermes_tool::export!(probe);
