//! Distributions: with which probability a run of many sessions gets each toolset.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hermes_manifest::ToolsetName;
use rand_pcg::Pcg64;
use rand_pcg::rand_core::Rng as _;
use serde::Deserialize;
use toml::Spanned;

use crate::document::{DocumentError, line, read_document};
use crate::nearest::UnknownName;

/// The distributions of a host, by name.
#[derive(Debug, Clone, Default)]
pub struct Distributions(BTreeMap<String, Distribution>);

/// Toolsets, each with the percentage of draws that get it, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// For people.
    pub description: String,
    /// Toolset and percentage, from 0 to 100.
    pub toolsets: Vec<(ToolsetName, f64)>,
}

/// What one draw gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drawn {
    /// The toolsets, in the order of the distribution.
    pub toolsets: Vec<ToolsetName>,
    /// Toolsets of the distribution that do not exist.
    pub skipped: Vec<ToolsetName>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(default)]
    description: String,
    toolsets: Spanned<BTreeMap<ToolsetName, Spanned<f64>>>,
}

impl Distributions {
    /// Reads files of distributions, by path and text. Of two distributions with the same name the later counts, whole.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong; the message names file, line and key.
    pub fn build<'a>(files: impl IntoIterator<Item = (PathBuf, &'a str)>) -> Result<Self, DocumentError> {
        let mut all = BTreeMap::new();
        for (file, text) in files {
            for (name, keys) in read_document::<BTreeMap<String, Keys>>(&file, text)? {
                let distribution = Distribution::checked(&file, text, &name, keys)?;
                all.insert(name, distribution);
            }
        }
        Ok(Self(all))
    }

    /// One distribution by its name.
    ///
    /// # Errors
    ///
    /// When it does not exist; with the nearest that does.
    pub fn get(&self, name: &str) -> Result<&Distribution, UnknownName> {
        let unknown = || UnknownName::new("distribution", name, self.0.keys().map(String::as_str));
        self.0.get(name).ok_or_else(unknown)
    }

    /// All, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Distribution)> {
        self.0.iter().map(|(name, distribution)| (name.as_str(), distribution))
    }
}

impl Distribution {
    fn checked(file: &Path, text: &str, name: &str, keys: Keys) -> Result<Self, DocumentError> {
        let begin = keys.toolsets.span().start;
        let mut toolsets: Vec<_> = keys.toolsets.into_inner().into_iter().collect();
        toolsets.sort_by_key(|(_, percent)| percent.span().start);
        let wrong = |begin, key: &str, message: String| DocumentError {
            file: file.to_owned(),
            line: Some(line(text, begin)),
            key: Some(format!("{name}.{key}")),
            message,
        };
        if toolsets.is_empty() {
            return Err(wrong(begin, "toolsets", "expected at least one toolset".to_owned()));
        }
        let out_of_range = toolsets.iter().find(|(_, percent)| !(0.0..=100.0).contains(percent.get_ref()));
        if let Some((toolset, percent)) = out_of_range {
            let message = format!("`{}` is no percentage: expected a number from 0 to 100", percent.get_ref());
            return Err(wrong(percent.span().start, &format!("toolsets.{toolset}"), message));
        }
        let toolsets = toolsets.into_iter().map(|(toolset, percent)| (toolset, percent.into_inner())).collect();
        Ok(Self { description: keys.description, toolsets })
    }

    /// Draws each toolset that `exists` by a number of its own, uniform over `0.0..1.0`, in the order of the distribution.
    /// When none is drawn, the one with the highest percentage is, of several the first.
    pub fn draw(&self, exists: impl Fn(&ToolsetName) -> bool, mut uniform: impl FnMut() -> f64) -> Drawn {
        let mut drawn = Drawn::default();
        let mut likeliest: Option<&(ToolsetName, f64)> = None;
        for entry in &self.toolsets {
            let (toolset, percent) = entry;
            if !exists(toolset) {
                drawn.skipped.push(toolset.clone());
                continue;
            }
            if likeliest.is_none_or(|(_, most)| percent > most) {
                likeliest = Some(entry);
            }
            if uniform() * 100.0 < *percent {
                drawn.toolsets.push(toolset.clone());
            }
        }
        if drawn.toolsets.is_empty() {
            drawn.toolsets.extend(likeliest.map(|(toolset, _)| toolset.clone()));
        }
        drawn
    }
}

/// Numbers for [`Distribution::draw`]: the same for the same seed, on every machine and in every version.
pub fn seeded(seed: u64) -> impl FnMut() -> f64 {
    /// Any odd constant will do; it must stay as it is.
    const STREAM: u128 = 0xa02b_dbf7_bb3c_0a7a_c28f_a16a_64ab_f96d;
    let mut generator = Pcg64::new(u128::from(seed), STREAM);
    // The 53 bits of a double's precision, so that 1.0 is never reached.
    move || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}
