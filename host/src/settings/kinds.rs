//! The kinds of values: each is a type, parsed once.

use std::env;
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use hermes_core::nearest;
use hermes_manifest::{ByteSize, LimitValue, Span};
use hermes_sandbox::Network;
use hermes_serve::http::{AllowedHost, AllowedOrigin};
use hermes_telemetry::Collector;
use serde_json::Value as Json;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use url::Url;

use super::value::{Scalar, did_you_mean};

fn utf8(text: &OsStr) -> Result<&str, String> {
    text.to_str().ok_or_else(|| "expected UTF-8 text".to_owned())
}

impl Scalar for PathBuf {
    const FORM: &'static str = "a path";
    const LIST: &'static str = "a list of paths";

    fn parse(text: &OsStr, base: &Path) -> Result<Self, String> {
        if text.is_empty() {
            Err("expected a path, found an empty text".to_owned())
        } else if text.as_encoded_bytes().contains(&0) {
            Err("expected a path, found a text with a NUL character".to_owned())
        } else {
            Ok(base.join(text))
        }
    }

    /// As in `PATH`.
    fn split(text: &OsStr) -> Vec<OsString> {
        env::split_paths(text).filter(|path| !path.as_os_str().is_empty()).map(PathBuf::into_os_string).collect()
    }

    fn shown(&self) -> Json {
        self.display().to_string().into()
    }
}

/// A kind of value that parses and prints itself, and whose errors say what was expected.
macro_rules! by_itself {
    ($($type:ty: $form:literal $(, list $list:literal)? $(, number $number:literal)?;)*) => {$(
        impl Scalar for $type {
            const FORM: &'static str = $form;
            $(const LIST: &'static str = $list;)?
            $(const NUMBER: bool = $number;)?

            fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
                utf8(text)?.parse().map_err(|error: <Self as FromStr>::Err| error.to_string())
            }

            fn shown(&self) -> Json {
                self.to_string().into()
            }
        }
    )*};
}

by_itself! {
    Span: "a length of time, such as `30s`";
    ByteSize: "a size, such as `64 MiB`", number true;
    AllowedHost: "a host, such as `tools.example.com` or `10.0.0.5:4747`", list "a list of hosts, such as `tools.example.com`";
    AllowedOrigin: "an origin, such as `https://app.example.com`", list "a list of origins, such as `https://app.example.com`";
    Collector: "an address such as `http://127.0.0.1:4318`";
    Network: "an address or a range of addresses, such as `10.0.0.0/8`", list "a list of addresses and ranges of addresses";
}

impl Scalar for SocketAddr {
    const FORM: &'static str = "an address with a port, such as `127.0.0.1:4747`";

    fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
        let text = utf8(text)?;
        text.parse().map_err(|_| format!("`{text}` is not {}", <Self as Scalar>::FORM))
    }

    fn shown(&self) -> Json {
        self.to_string().into()
    }
}

/// A name.
#[derive(Debug, Clone)]
pub(crate) struct Word(pub(crate) String);

impl Scalar for Word {
    const FORM: &'static str = "a name";
    const LIST: &'static str = "a list of names";

    fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
        let text = utf8(text)?;
        if text.is_empty() { Err("expected a name, found an empty text".to_owned()) } else { Ok(Self(text.to_owned())) }
    }

    fn shown(&self) -> Json {
        self.0.clone().into()
    }
}

impl Scalar for u64 {
    const FORM: &'static str = "a whole number";
    const STRING: bool = false;
    const NUMBER: bool = true;

    fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
        let text = utf8(text)?;
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.then(|| text.parse().ok()).flatten();
        number.ok_or_else(|| format!("`{text}` is not a whole number"))
    }

    fn shown(&self) -> Json {
        (*self).into()
    }
}

/// The ceiling of a limit. Where it is `NEEDED`, every call uses some: with none at all, none could run.
pub(super) struct Ceiling<T, const NEEDED: bool>(pub(super) T);

impl<T, const NEEDED: bool> Scalar for Ceiling<T, NEEDED>
where
    T: Scalar + LimitValue<Plain: Default> + Copy,
{
    const FORM: &'static str = T::FORM;
    const STRING: bool = T::STRING;
    const NUMBER: bool = T::NUMBER;

    fn parse(text: &OsStr, base: &Path) -> Result<Self, String> {
        let most = T::parse(text, base)?;
        if NEEDED && most.plain() == T::Plain::default() {
            return Err("expected more than 0: every call needs some, so none could run".to_owned());
        }
        Ok(Self(most))
    }

    fn shown(&self) -> Json {
        self.0.shown()
    }
}

/// An HTTP proxy. Who it lets in is never shown.
#[derive(Clone)]
pub(crate) struct Proxy(Url);

impl Proxy {
    /// With its password: for the egress client alone.
    pub(crate) fn url(&self) -> &Url {
        &self.0
    }
}

impl Scalar for Proxy {
    const FORM: &'static str = "`http://[user:password@]host[:port]`";

    fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
        let url = text.to_str().and_then(|text| Url::parse(text).ok());
        let usable = url.filter(|url| url.scheme() == "http" && url.has_host());
        usable.map(Self).ok_or_else(|| format!("expected {}", <Self as Scalar>::FORM))
    }

    fn shown(&self) -> Json {
        let mut url = self.0.clone();
        if !url.username().is_empty() || url.password().is_some() {
            // Neither fails for a URL with a host.
            let _ = url.set_username("***");
            let _ = url.set_password(None);
        }
        url.to_string().into()
    }
}

/// Which of the host's diagnostics are shown.
#[derive(Debug, Clone)]
pub(crate) struct LogFilter(String);

impl LogFilter {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for LogFilter {
    fn default() -> Self {
        Self("warn".to_owned())
    }
}

impl Scalar for LogFilter {
    const FORM: &'static str =
        "a level (`off`, `error`, `warn`, `info`, `debug`, `trace`), or `target=level` with commas between";

    fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
        const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
        let text = utf8(text)?;
        let expected = |wrong: &str, near| format!("`{wrong}` is no level: expected {}{near}", <Self as Scalar>::FORM);
        for directive in text.split(',') {
            let level = directive.rsplit('=').next().unwrap_or_default().trim();
            let near =
                nearest(&level.to_lowercase(), LEVELS.into_iter()).filter(|near| !near.eq_ignore_ascii_case(level));
            if let Some(near) = near {
                return Err(expected(level, did_you_mean(Some(near))));
            }
            // To tracing a lone word is a target, and one that there is not silences everything.
            if !directive.contains('=') && LevelFilter::from_str(level).is_err() {
                return Err(expected(level, String::new()));
            }
        }
        EnvFilter::builder().parse(text).map_err(|_| expected(text, String::new()))?;
        Ok(Self(text.to_owned()))
    }

    fn shown(&self) -> Json {
        self.0.clone().into()
    }
}

/// A choice between words, the first of which is the default.
macro_rules! words {
    ($($(#[$about:meta])* $name:ident {
        $(#[$first_doc:meta])* $first:ident: $first_word:literal,
        $($(#[$doc:meta])* $variant:ident: $word:literal,)+
    })*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub(crate) enum $name {
            $(#[$first_doc])* #[default] $first,
            $($(#[$doc])* $variant,)+
        }

        impl Scalar for $name {
            const FORM: &'static str = concat!("`", $first_word, "`", $(" or `", $word, "`"),+);

            fn parse(text: &OsStr, _base: &Path) -> Result<Self, String> {
                let text = utf8(text)?;
                match text {
                    $first_word => Ok(Self::$first),
                    $($word => Ok(Self::$variant),)+
                    _ => {
                        let near = did_you_mean(nearest(text, [$first_word, $($word),+].into_iter()));
                        Err(format!("`{text}` is not {}{near}", <Self as Scalar>::FORM))
                    }
                }
            }

            fn shown(&self) -> Json {
                match self {
                    Self::$first => $first_word,
                    $(Self::$variant => $word,)+
                }
                .into()
            }
        }
    )*};
}

words! {
    /// What makes a component of a plugin folder trusted.
    Trust {
        /// That it lies there.
        Folder: "folder",
        /// That this very file was approved.
        Pinned: "pinned",
    }
    /// How the host's diagnostics are written.
    LogFormat {
        /// For people.
        Text: "text",
        /// For programs, a JSON object a line.
        Json: "json",
    }
    /// How arguments that are not quite of the right type are treated.
    Compat {
        /// Brought to it where the value means exactly the same, at any depth.
        Exact: "exact",
        /// As hermes-agent 0.19 does it, with its losses.
        Hermes: "hermes",
    }
}
