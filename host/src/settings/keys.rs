//! The one table of keys. The type of the configuration, how it is read, `config show` and the reference page all come from it.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use hermes_core::LimitKind;
use hermes_manifest::{ByteSize, LimitSet, Span, for_each_limit};
use hermes_sandbox::Network;
use hermes_serve::http::{AllowedHost, AllowedOrigin};
use hermes_telemetry::Collector;

use super::kinds::{Ceiling, Compat, LogFilter, LogFormat, Proxy, Trust, Word};
use super::reader::Reader;
use super::value::Value;
use crate::cli::SessionArgs;
use crate::failure::Failure;

/// A section of the file.
pub(super) struct Section {
    pub(super) name: &'static str,
    /// What it is about, in lines.
    pub(super) about: &'static [&'static str],
    pub(super) keys: Vec<Key>,
}

/// One key.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    /// What it is for, in lines.
    pub(super) about: &'static [&'static str],
    /// What is expected.
    pub(super) form: &'static str,
    /// What holds when nobody sets it, for the reference page.
    pub(super) default: &'static str,
    /// The flag that sets it.
    pub(super) flag: Option<Flag>,
    /// Its variable, when that is not called like the key.
    variable: Option<&'static str>,
    /// A variable of others that holds when nothing of ours sets it.
    pub(super) fallback: Option<&'static str>,
    /// Whether a host that serves goes on with the value of its start.
    pub(super) at_start: bool,
}

/// A flag that sets a key.
#[derive(Clone, Copy)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    /// What was given, once for each time.
    pub(super) given: fn(&SessionArgs) -> Vec<OsString>,
}

impl Key {
    /// As errors and the reference page name it: `section.key`.
    pub(super) fn dotted(&self) -> String {
        format!("{}.{}", self.section, self.name)
    }

    /// The environment variable that sets it.
    pub(super) fn variable(&self) -> String {
        self.variable.map_or_else(|| self.regular_variable(), str::to_owned)
    }

    /// The variable by the rule that holds for most keys.
    pub(super) fn regular_variable(&self) -> String {
        format!("HERMES_{}_{}", self.section, self.name).to_uppercase()
    }
}

fn flags<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Vec<OsString> {
    paths.into_iter().map(|path| path.clone().into_os_string()).collect()
}

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! key {
    ($section:ident $key:ident: $type:ty, [$($doc:literal)*], $default:literal $(, flag $flag:literal $given:expr)? $(, variable $variable:literal)? $(, fallback $fallback:literal)? $(, at $start:ident)?) => {
        Key {
            section: stringify!($section),
            name: stringify!($key),
            about: &[$($doc),*],
            form: <$type as Value>::FORM,
            default: $default,
            flag: optional!($(Flag { name: $flag, given: $given })?),
            variable: optional!($($variable)?),
            fallback: optional!($($fallback)?),
            at_start: !stringify!($($start)?).is_empty(),
        }
    };
}

/// Sections with their keys. A default is what the page says and how it is made, which may use the keys before it.
macro_rules! sections {
    ($(
        $(#[doc = $about:literal])*
        $section:ident: $Section:ident {$(
            $(#[doc = $doc:literal])*
            $key:ident: $type:ty {
                $(flag: $flag:literal => $given:expr,)?
                $(variable: $variable:literal,)?
                $(fallback: $fallback:literal,)?
                $(at: $start:ident,)?
                default: $said:literal => $default:expr,
            }
        )*}
    )*) => {
        /// The whole configuration.
        pub(crate) struct Config {
            $($(#[doc = $about])* pub(crate) $section: $Section,)*
            /// What no call may exceed, whatever toolsets grant.
            pub(crate) limits: LimitSet,
        }

        $(
            $(#[doc = $about])*
            pub(crate) struct $Section {
                $($(#[doc = $doc])* pub(crate) $key: $type,)*
            }
        )*

        /// Reads every key.
        pub(super) fn read(reader: &mut Reader<'_>) -> Result<Config, Failure> {
            $(
                let $section = {
                    $(
                        let key = key!($section $key: $type, [$($doc)*], $said $(, flag $flag $given)? $(, variable $variable)? $(, fallback $fallback)? $(, at $start)?);
                        let $key: $type = reader.take(&key, $default)?;
                    )*
                    $Section { $($key),* }
                };
            )*
            Ok(Config { $($section,)* limits: limits(reader)? })
        }

        /// All sections, in the order of the page.
        pub(super) fn sections() -> Vec<Section> {
            vec![
                $(Section {
                    name: stringify!($section),
                    about: &[$($about),*],
                    keys: vec![$(
                        key!($section $key: $type, [$($doc)*], $said $(, flag $flag $given)? $(, variable $variable)? $(, fallback $fallback)? $(, at $start)?)
                    ),*],
                },)*
                limits_section(),
            ]
        }
    };
}

/// Whether every call uses some of it.
const fn needed(limit: LimitKind) -> bool {
    use LimitKind::{Args, Cpu, HostBytes, Instances, Memory, Output, Tables, Wall};
    matches!(limit, Wall | Cpu | Memory | Tables | Instances | HostBytes | Args | Output)
}

macro_rules! limits {
    ($($(#[doc = $doc:literal])* $name:ident: $kind:ident($type:ty),)*) => {
        fn limits(reader: &mut Reader<'_>) -> Result<LimitSet, Failure> {
            Ok(LimitSet {
                $($name: reader
                    .take::<Option<Ceiling<$type, { needed(LimitKind::$kind) }>>>(
                        &key!(limits $name: Option<$type>, [$($doc)*], "none"),
                        |_| None,
                    )?
                    .map(|ceiling| ceiling.0),)*
            })
        }

        fn limits_section() -> Section {
            Section {
                name: "limits",
                about: &[
                    "Ceilings of one call. What is not set has no ceiling; a call then has what its toolsets grant, or the built-in",
                    "default. A ceiling lowers both, and raises neither. One of 0 closes what it limits, and is refused where no call can",
                    "do without.",
                ],
                keys: vec![$(key!(limits $name: Option<$type>, [$($doc)*], "none")),*],
            }
        }
    };
}

for_each_limit!(limits);

sections! {
    /// Serving over HTTP.
    serve: Serve {
        /// The address that `hermes-host run` listens on.
        http: Option<SocketAddr> {
            at: start,
            default: "`127.0.0.1:4747`, or the next port that is free" => |_| None,
        }
        /// The toolsets that are served where neither `--toolset` nor an address such as `/mcp/web+file` names others.
        toolsets: Vec<Word> {
            at: start,
            default: "all" => |_| Vec::new(),
        }
        /// The file with the token that clients show; made at the first start.
        token_file: Option<PathBuf> {
            at: start,
            default: "`token` in `$HERMES_HOME`" => |places| places.own("token"),
        }
        /// Names under which clients reach the server, beside those of this machine: a host, or a host and a port.
        allowed_hosts: Vec<AllowedHost> {
            default: "none" => |_| Vec::new(),
        }
        /// Web pages that may use the server, beside those of this machine.
        allowed_origins: Vec<AllowedOrigin> {
            default: "none" => |_| Vec::new(),
        }
    }
    /// Which components there are, beside those that the host carries.
    plugins: Plugins {
        /// Folders of components, after `plugins` in `$HERMES_HOME`, in the order in which they claim names. One that does not exist is
        /// a warning, since it may come later, except when the flag names it.
        folders: Vec<PathBuf> {
            flag: "--plugins" => |args| flags(&args.plugins),
            default: "none" => |_| Vec::new(),
        }
        /// What makes a component serve: with `folder`, that it lies in one of the folders, and an upgrade waits for
        /// `hermes-host approve` only when it asks for more; with `pinned`, that this very file was approved.
        trust: Trust {
            default: "`folder`" => |_| Trust::default(),
        }
    }
    /// The folder that tools work in.
    workspace: Workspace {
        /// The folder that `${workspace}` means in grants. `/`, a home folder, a system folder and one that holds `$HERMES_HOME` are refused; the host then serves
        /// without files.
        path: PathBuf {
            flag: "--workspace" => |args| flags(&args.workspace),
            variable: "HERMES_WORKSPACE",
            fallback: "CLAUDE_PROJECT_DIR",
            at: start,
            default: "the current folder" => |places| places.here.clone(),
        }
    }
    /// How tools reach the network.
    egress: Egress {
        /// A proxy for all HTTP of tools. It resolves names, and its own address is trusted. `config show` hides who it lets in.
        proxy: Option<Proxy> {
            default: "none" => |_| None,
        }
        /// A file of certificates (PEM) that are trusted beside the public ones.
        ca_file: Option<PathBuf> {
            default: "none" => |_| None,
        }
        /// What is open to tools although it is not public, such as a server on this machine. Services that hand out a machine's
        /// credentials stay closed.
        allow_private: Vec<Network> {
            default: "none" => |_| Vec::new(),
        }
    }
    /// Compiled components.
    compile: Compile {
        /// The folder that keeps them. A folder that is open to others is not used.
        cache: Option<PathBuf> {
            at: start,
            default: "`cache` in `$HERMES_HOME`" => |places| places.own("cache"),
        }
        /// The key that authenticates them; made when absent.
        key_file: Option<PathBuf> {
            at: start,
            default: "the path of `compile.cache`, ending in `.key`" => |_| cache.as_ref().map(|cache| cache.with_extension("key")),
        }
    }
    /// What the host says about itself.
    telemetry: Telemetry {
        /// Which diagnostics go to stderr: all of one level and above, or each part of the host by itself.
        log: LogFilter {
            at: start,
            default: "`warn`" => |_| LogFilter::default(),
        }
        /// How they are written: lines for people, or a JSON object a line.
        log_format: LogFormat {
            at: start,
            default: "`text`" => |_| LogFormat::default(),
        }
        /// The OpenTelemetry collector that `hermes-host run` sends a span of each call to, by OTLP over HTTP; `/v1/traces` is added. It is
        /// reached without `egress.proxy`, and over HTTPS trusted by the certificates of `egress.ca_file` as well. `config show` hides who it lets in.
        otlp: Option<Collector> {
            at: start,
            default: "none" => |_| None,
        }
    }
    /// Arguments of calls.
    arguments: Arguments {
        /// How arguments are brought to the types of a tool's schema: `exact` changes a value only to one that means exactly the
        /// same, at any depth; `hermes` does it as hermes-agent 0.19 does, with its losses. What does not fit then is refused.
        compat: Compat {
            default: "`exact`" => |_| Compat::default(),
        }
    }
}
