//! What is looked for, parsed once.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};

/// Bytes that a compiled expression may take, and again its cache. The call as a whole has 64 MiB.
const COMPILED: usize = 8 * 1024 * 1024;

/// Compiles a regular expression that matches within a line.
pub(crate) fn expression(pattern: &str) -> Result<RegexMatcher, String> {
    let builder = &mut RegexMatcherBuilder::new();
    builder.size_limit(COMPILED).dfa_size_limit(COMPILED).multi_line(true).crlf(true).line_terminator(Some(b'\n'));
    builder.build(pattern).map_err(|error| match error.kind() {
        grep_regex::ErrorKind::NotAllowed(_) => {
            "a match lies within one line, so the pattern cannot hold a newline; search for one line and use `context`"
                .to_owned()
        }
        _ => error.to_string(),
    })
}

/// A glob over the files below a folder. Without a slash it is matched with the name, otherwise with the path.
#[derive(Debug)]
pub(crate) struct NameGlob {
    matcher: GlobMatcher,
    whole_path: bool,
    is_negated: bool,
}

impl NameGlob {
    /// A glob as `file_glob` takes it: a `!` in front turns it round.
    pub(crate) fn filter(glob: &str) -> Result<Self, String> {
        match glob.strip_prefix('!') {
            Some(rest) => Self::new(rest, true),
            None => Self::new(glob, false),
        }
    }

    /// A name to look for: a glob, or any part of a name.
    pub(crate) fn search(pattern: &str) -> Result<Self, String> {
        let is_glob = pattern.contains(['*', '?', '[', '{']);
        let pattern = pattern.trim_start_matches("./");
        if is_glob {
            Self::new(pattern, false)
        } else if pattern.contains('/') {
            Self::new(&format!("**/{}*", pattern.trim_start_matches('/')), false)
        } else {
            Self::new(&format!("*{pattern}*"), false)
        }
    }

    fn new(glob: &str, is_negated: bool) -> Result<Self, String> {
        let whole_path = glob.contains('/');
        let glob = glob.trim_start_matches("./").trim_start_matches('/');
        let matcher = GlobBuilder::new(glob).literal_separator(true).build().map_err(|error| error.to_string())?;
        Ok(Self { matcher: matcher.compile_matcher(), whole_path, is_negated })
    }

    /// Whether it lets `path` pass, which is relative to the folder that is searched.
    pub(crate) fn passes(&self, path: &Path) -> bool {
        let compared = if self.whole_path { Some(path.as_os_str()) } else { path.file_name() };
        compared.is_some_and(|compared| self.matcher.is_match(compared)) != self.is_negated
    }
}

#[cfg(test)]
mod tests {
    use grep_matcher::Matcher;

    use super::*;

    #[test]
    fn expressions_match_within_a_line() {
        for (pattern, line, expected) in [
            ("a+b", "xaab", true),
            ("- [ ]", "- [ ] task", false),
            (r"- \[ \]", "- [ ] task", true),
            ("-v", "grep -v", true),
            ("--pre=x", "rg --pre=x", true),
            ("end$", "the end\r", true),
            ("(?i)HOST", "host", true),
            ("(foo|bar)\\(", "bar(", true),
            (r"\s+x", "a  x", true),
        ] {
            assert_eq!(expression(pattern).unwrap().is_match(line.as_bytes()).unwrap(), expected, "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_compiled_is_explained() {
        for (pattern, said) in [
            ("a(", "unclosed group"),
            ("a\\nb", "within one line"),
            ("a\nb", "within one line"),
            ("(?=a)", "look-around"),
            ("(((a{100}){100}){100})", "size limit"),
        ] {
            let error = expression(pattern).unwrap_err();
            assert!(error.contains(said), "{pattern}: {error}");
        }
    }

    #[test]
    fn globs_match_the_name_or_the_path() {
        for (glob, path, expected) in [
            ("*.rs", "src/deep/main.rs", true),
            ("*.rs", "src/main.rst", false),
            ("*.{rs,toml}", "Cargo.toml", true),
            ("src/*.rs", "src/main.rs", true),
            ("src/*.rs", "src/deep/main.rs", false),
            ("src/**/*.rs", "src/deep/main.rs", true),
            ("./src/*.rs", "src/main.rs", true),
            ("!*.md", "a.md", false),
            ("!*.md", "a.rs", true),
        ] {
            assert_eq!(NameGlob::filter(glob).unwrap().passes(Path::new(path)), expected, "{glob} and {path}");
        }
        assert!(NameGlob::filter("[a").unwrap_err().contains("unclosed character class"));
    }

    #[test]
    fn a_name_is_a_glob_or_a_part() {
        for (pattern, path, expected) in [
            ("main", "src/main.rs", true),
            ("main.rs", "src/main.rs", true),
            ("src/ma", "lib/src/main.rs", true),
            ("src/ma", "src/main.rs", true),
            ("*.rs", "src/main.rs", true),
            ("rs", "src/main.py", false),
            ("**/deep/*", "a/deep/b", true),
        ] {
            assert_eq!(NameGlob::search(pattern).unwrap().passes(Path::new(path)), expected, "{pattern} and {path}");
        }
    }
}
