//! Names of interfaces, as components import and export them.

use std::fmt;
use std::str::FromStr;

use semver::{BuildMetadata, Comparator, Op, Version};

/// The name of an interface, such as `wasi:io/poll@0.2.6`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceName {
    /// Namespace and package, such as `wasi:io`.
    pub package: String,
    /// The interface in its package, such as `poll`.
    pub interface: String,
    /// The version of the package.
    pub version: Option<Version>,
}

/// A text that is no name of an interface.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an interface: expected a name such as `wasi:io/poll@0.2.6`")]
pub struct InterfaceNameError(String);

impl InterfaceName {
    /// Whether both are the same interface, whatever the version.
    pub(crate) fn is_sibling_of(&self, other: &Self) -> bool {
        self.package == other.package && self.interface == other.interface
    }

    /// Whether a component that was built against `self` runs on `offered`: the same or newer, within the same compatible line.
    pub(crate) fn is_served_by(&self, offered: &Self) -> bool {
        self.is_sibling_of(offered)
            && match (&self.version, &offered.version) {
                (Some(asked), Some(offered)) => {
                    let Version { major, minor, patch, pre, .. } = asked.clone();
                    let caret = Comparator { op: Op::Caret, major, minor: Some(minor), patch: Some(patch), pre };
                    caret.matches(&Version { build: BuildMetadata::EMPTY, ..offered.clone() })
                }
                (asked, offered) => asked == offered,
            }
    }
}

impl FromStr for InterfaceName {
    type Err = InterfaceNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || InterfaceNameError(text.chars().take(200).collect());
        let (path, version) = match text.split_once('@') {
            Some((path, version)) => (path, Some(version.parse().map_err(|_| error())?)),
            None => (text, None),
        };
        let (package, interface) = path.split_once('/').ok_or_else(error)?;
        let (namespace, name) = package.split_once(':').ok_or_else(error)?;
        let word = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_alphabetic())
                && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if [namespace, name, interface].into_iter().all(word) {
            Ok(Self { package: package.to_owned(), interface: interface.to_owned(), version })
        } else {
            Err(error())
        }
    }
}

impl fmt::Display for InterfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.package, self.interface)?;
        self.version.iter().try_for_each(|version| write!(f, "@{version}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for text in ["wasi:io/poll@0.2.6", "hermes:tool/types@0.1.0", "a:b/c", "wasi:http/types@0.3.0-rc-2026-01-01"] {
            assert_eq!(text.parse::<InterfaceName>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "poll",
            "wasi:io",
            "wasi/io",
            "wasi:io/poll@",
            "wasi:io/poll@0.2",
            "wasi:io/a/b",
            ":io/poll",
            "url=<x>",
        ] {
            assert!(text.parse::<InterfaceName>().is_err(), "{text}");
        }
    }

    #[test]
    fn versions_are_compatible_within_their_line() {
        let served = |asked: &str, offered: &str| {
            let name = |version: &str| format!("a:b/c{version}").parse::<InterfaceName>().unwrap();
            name(asked).is_served_by(&name(offered))
        };
        for (asked, offered) in
            [("@0.2.0", "@0.2.6"), ("@0.2.6", "@0.2.6"), ("@1.2.0", "@1.9.0"), ("", ""), ("@0.3.0-rc-1", "@0.3.0-rc-1")]
        {
            assert!(served(asked, offered), "{asked} {offered}");
        }
        for (asked, offered) in [
            ("@0.2.7", "@0.2.6"),
            ("@0.1.0", "@0.2.0"),
            ("@0.3.0", "@0.2.9"),
            ("@2.0.0", "@1.0.0"),
            ("", "@0.2.0"),
            ("@0.2.0", ""),
            ("@0.3.0-rc-2", "@0.3.0-rc-1"),
        ] {
            assert!(!served(asked, offered), "{asked} {offered}");
        }
    }
}
