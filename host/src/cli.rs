//! The command line as data: what may be typed. What it means is in [`crate::commands`].

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Runs the tools of LLM agents as sandboxed WebAssembly components.
#[derive(Debug, Parser)]
#[command(name = "hermes-host", version, arg_required_else_help = true, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Session")]
pub(crate) struct SessionArgs {
    /// A folder of components; may be given several times
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) plugins: Vec<PathBuf>,
    /// The toolsets to use instead of all
    #[arg(long, global = true, value_name = "A,B", value_delimiter = ',')]
    pub(crate) toolset: Option<Vec<String>>,
    /// A tool to leave out; may be given several times
    #[arg(long, global = true, value_name = "TOOL")]
    pub(crate) exclude: Vec<String>,
    /// The folder that tools work in; default: the current folder
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// The configuration file; default: config.toml in $HERMES_HOME
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Grants more for this run: fs=DIR[:rw], http=URL, env=NAME, secrets=NAME, tools=NAME, limits=NAME:VALUE
    #[arg(long, global = true, value_name = "KIND=VALUE")]
    pub(crate) grant: Vec<String>,
    /// The session: questions and kept results belong to it; default: `default`, and for `run` a new one each time
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Print JSON on stdout
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

impl SessionArgs {
    /// The words with which another command gets the same session; how the output is printed is no part of it.
    pub(crate) fn words(&self) -> Vec<String> {
        let Self { plugins, toolset, exclude, workspace, config, grant, session, json: _ } = self;
        let path = |path: &PathBuf| path.display().to_string();
        let flags = plugins
            .iter()
            .map(|folder| ("--plugins", path(folder)))
            .chain(toolset.iter().map(|names| ("--toolset", names.join(","))))
            .chain(exclude.iter().map(|name| ("--exclude", name.clone())))
            .chain(workspace.iter().map(|folder| ("--workspace", path(folder))))
            .chain(config.iter().map(|file| ("--config", path(file))))
            .chain(grant.iter().map(|grant| ("--grant", grant.clone())))
            .chain(session.iter().map(|name| ("--session", name.clone())));
        flags.flat_map(|(flag, value)| [flag.to_owned(), value]).collect()
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve tools to agents, over HTTP or stdio
    Run(RunArgs),
    /// List the tools
    List(ListArgs),
    /// Show what is in a component, without running it
    Inspect(InspectArgs),
    /// Call a tool, or the tool in a file
    Call(CallArgs),
    /// Ask the tools with a check of their own whether they can be offered
    Check(CheckArgs),
    /// Tell why a tool has the power that it has, and which hooks stand around it
    Explain(ExplainArgs),
    /// Admit what waits for approval, or write the grants that a tool lacks
    Approve(ApproveArgs),
    /// List what waits for approval, and answer it
    Approvals {
        #[command(subcommand)]
        action: ApprovalsAction,
    },
    /// Free a tool's name for another file, and forget what was approved of it
    Release(ReleaseArgs),
    /// Look at the toolsets
    Toolset {
        #[command(subcommand)]
        command: ToolsetCommand,
    },
    /// Draw toolsets from a distribution
    Sample(SampleArgs),
    /// Start a tool of your own
    New(NewArgs),
    /// Put a manifest into a component that was built without one
    Embed(EmbedArgs),
    /// Ask for the values that tools need, and keep them
    Setup(SetupArgs),
    /// Keep secrets for tools
    Secret {
        #[command(subcommand)]
        action: SecretAction,
    },
    /// Look at the configuration
    Config {
        #[command(subcommand)]
        action: ConfigAction,
    },
    /// Check this installation
    Doctor,
    /// Print a completion script for your shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Listen here; default: the configuration's address, or 127.0.0.1:4747 or the next free port
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) http: Option<SocketAddr>,
    /// Ask for no token: on this machine alone, and for tools that act in nobody's name
    #[arg(long)]
    pub(crate) no_token: bool,
    /// Serve one client on stdin and stdout instead, as clients that start the host expect it
    #[arg(long, conflicts_with_all = ["http", "no_token"])]
    pub(crate) stdio: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Show why tools are not offered, and the files that were refused
    #[arg(long)]
    pub(crate) why: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The component
    pub(crate) file: PathBuf,
    /// Also run the tools' own `schema` and compare it with the manifest
    #[arg(long)]
    pub(crate) verify: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// A tool's name, or a component's file (`x.wasm`), with `#TOOL` behind it if it holds several
    pub(crate) tool: OsString,
    /// The arguments as a JSON object; `-` reads them from stdin
    #[arg(long, value_name = "JSON", default_value = "{}")]
    pub(crate) args: String,
    /// Show each step, what the tool wrote, and how it crashed
    #[arg(long)]
    pub(crate) trace: bool,
    /// Answer a question of the tool: its id and the answer as JSON, or `decline` or `cancel`; may be given several times
    #[arg(long, value_name = "ID=JSON")]
    pub(crate) answer: Vec<String>,
    /// Go on with a call that asked, by the handle that it gave; the arguments are those of that call
    #[arg(long, value_name = "HANDLE", allow_hyphen_values = true)]
    pub(crate) resume: Option<String>,
    /// Say yes to whatever the tool asks to be approved; forms take --answer
    #[arg(long, conflicts_with = "deny")]
    pub(crate) yes: bool,
    /// Say no to every question
    #[arg(long)]
    pub(crate) deny: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The tools; default: all
    pub(crate) tools: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The tool or hook
    pub(crate) tool: String,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The tool
    pub(crate) tool: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseArgs {
    /// The tool
    pub(crate) tool: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsetCommand {
    /// List the toolsets
    List,
    /// Show one toolset
    Show {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SampleArgs {
    /// The distribution; without one all are listed
    pub(crate) distribution: Option<String>,
    /// The seed: the same one draws the same toolsets
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The tool's name, such as `my-tool`; a folder of this name is made
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct EmbedArgs {
    /// The component
    pub(crate) file: PathBuf,
    /// The manifest: one JSON document a tool
    #[arg(long, value_name = "FILE", required_unless_present = "from", conflicts_with = "from")]
    pub(crate) manifest: Option<PathBuf>,
    /// Take the manifest of another component, such as the one before `wasm-tools strip`
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    /// Where to write the result; default: over the component
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a manifest that is already there
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SetupArgs {
    /// The tools; default: all
    pub(crate) tools: Vec<String>,
}

/// What is done with secrets.
#[derive(Debug, Subcommand)]
pub(crate) enum SecretAction {
    /// Keep a value: asked for on a terminal without showing it, or read from a pipe
    Set {
        /// Its name, such as WEATHER_API_KEY
        name: String,
    },
    /// List the names that have a value, and where it comes from; never the values
    List,
    /// Forget a value
    Delete {
        /// Its name
        name: String,
    },
}

/// What is done with approvals.
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsAction {
    /// List what waits
    List,
    /// Approve what waits under an id, just as it was listed
    Allow {
        /// Its id
        id: String,
    },
    /// Leave it waiting
    Deny {
        /// Its id
        id: String,
    },
}

/// What is done with the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigAction {
    /// Check the configuration file, the environment, and what they name
    Check,
    /// Show every key with the value that holds
    Show {
        /// Also show which flag, variable or line sets it
        #[arg(long)]
        origin: bool,
    },
    /// Print the reference page
    #[command(hide = true)]
    Reference,
}
