//! A folder of its own for each test, and the real binary run in it.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A home and a workspace that nobody else uses.
pub(crate) struct Place {
    temp: TempDir,
    environment: Vec<(String, String)>,
}

/// What a command printed, for snapshots: exit code, stdout, stderr.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    root: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { temp: tempfile::tempdir().unwrap(), environment: Vec::new() };
        fs::create_dir_all(place.workspace()).unwrap();
        fs::create_dir_all(place.home()).unwrap();
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap()
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.root().join("work")
    }

    /// The user's home folder; `$HERMES_HOME` is `.hermes-host` in it.
    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// A file in the workspace.
    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.workspace().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// A component in the plugins folder of the home.
    pub(crate) fn plugin(self, name: &str, component: &[u8]) -> Self {
        self.own(&format!("plugins/{name}"), component)
    }

    /// A file of the host's own, in the home.
    pub(crate) fn own(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.home().join(".hermes-host").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.environment.push((name.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn command(&self) -> Command {
        self.command_in(&self.workspace())
    }

    pub(crate) fn command_in(&self, folder: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hermes-host"));
        command.current_dir(folder).env_clear().env("HOME", self.home());
        // Compiled components are the same in all tests.
        command.env("HERMES_COMPILE_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The same command on a terminal of its own, which shows nothing of what is typed.
    #[cfg(target_os = "linux")]
    pub(crate) fn on_terminal(&self, command: &Command) -> Command {
        let words = [command.get_program()].into_iter().chain(command.get_args());
        let words: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
        let mut script = Command::new("script");
        script.args(["--quiet", "--flush", "--return", "--echo", "never", "--command", &words.join(" "), "/dev/null"]);
        script.current_dir(command.get_current_dir().unwrap()).env_clear().env("PATH", "/usr/bin:/bin");
        script.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        script
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_in(&self.workspace(), args)
    }

    pub(crate) fn run_in(&self, folder: &Path, args: &[&str]) -> Ran {
        let output = self.command_in(folder).args(args).stdin(Stdio::null()).output().unwrap();
        self.ran(&output)
    }

    pub(crate) fn ran(&self, output: &Output) -> Ran {
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            root: self.root(),
        }
    }
}

impl Ran {
    /// Stdout as the one JSON value that it must be.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| text.replace(&self.root.display().to_string(), "[PLACE]");
        write!(f, "exit {}\n----- stdout\n{}----- stderr\n{}", self.code, shown(&self.stdout), shown(&self.stderr))
    }
}

/// A core tool as the build script made it, beside the folder of the binary.
pub(crate) fn core_component(file: &str) -> Vec<u8> {
    let target = Path::new(env!("CARGO_BIN_EXE_hermes-host")).ancestors().nth(2).unwrap();
    fs::read(target.join("plugins/wasm32-wasip2/plugin").join(file)).unwrap()
}

/// A component whose one tool says its `text` again: this manifest, with what is here in place of its own.
pub(crate) fn echo(fields: serde_json::Value) -> Vec<u8> {
    let mut manifest = serde_json::json!({
        "manifest": 1, "name": "echo", "version": "1.2.0", "description": "Says it again.", "annotations": {"read_only": true},
        "schema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    });
    manifest.as_object_mut().unwrap().append(&mut fields.as_object().unwrap().clone());
    let (helper, manifest) = (guest_artifacts::HELPER, manifest.to_string());
    hermes_manifest::embed(helper, manifest.as_bytes(), hermes_manifest::Existing::Replace).unwrap()
}

/// Compares a whole output, with what differs from run to run replaced.
#[macro_export]
macro_rules! assert_ran {
    ($ran:expr, @$snapshot:literal) => {
        insta::with_settings!({filters => vec![
            (r"sha256:[0-9a-f]{64}", "[DIGEST]"),
            (r#""ms":[0-9.]+"#, r#""ms":[MS]"#),
            (r#""size":\d+"#, r#""size":[SIZE]"#),
            (r"\(\d+ KB, ", "([SIZE] KB, "),
            (r"[A-Za-z0-9_-]{96}", "[HANDLE]"),
            (r"hermes://results/[0-9a-f]{32}", "hermes://results/[ID]"),
            // A second may pass between a question and what is said of it.
            (r"within 59\ds", "within 600s"),
            // Steps of a trace, and where a crash was.
            (r"(?m)^( +\w+) +[0-9.]+(?:ns|µs|ms|s)", "$1  [TIME]"),
            (r"\[TIME\], [0-9.]+(?:ns|µs|ms|s) of it", "[TIME], [TIME] of it"),
            (r"(?:\n +\d+: +0x.*)+", "\n[FRAMES]"),
            (r"panicked at .*", "panicked at [SOURCE]"),
        ]}, {
            insta::assert_snapshot!($ran.to_string(), @$snapshot);
        });
    };
}
