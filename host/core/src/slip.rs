//! What in toolset files is probably a slip. A component may come later, so it stops no host.

use std::fmt;
use std::path::PathBuf;

use hermes_manifest::ToolName;

use crate::nearest::nearest;
use crate::registry::{Catalog, Family, Scope};
use crate::toolset::{Listed, Toolset};

/// Something in a toolset file that has no effect, or another than was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The key: `tools`, `hooks` or `grant`.
    pub key: &'static str,
    /// The tool or hook that is listed, if it is about one.
    pub name: Option<ToolName>,
    /// What is wrong.
    pub wrong: String,
}

impl fmt::Display for Slip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: `{}`: {}", self.file.display(), self.line, self.key, self.wrong)
    }
}

impl Catalog {
    /// The slips in all toolset files, in their order: names that no file holds, tools that are listed as hooks and hooks as tools, pins
    /// that mean no version, and grants that reach nothing.
    pub fn slips(&self) -> Vec<Slip> {
        self.toolsets().iter().flat_map(|(_, file)| self.slips_in(file)).collect()
    }

    fn slips_in(&self, file: &Toolset) -> Vec<Slip> {
        let listed = |key, is_hook, list: &[Listed]| {
            let slip = |listed: &Listed| {
                let (line, name, wrong) = (listed.line, Some(listed.name.clone()), self.wrong(listed, is_hook)?);
                Some(Slip { file: file.file.clone(), line, key, name, wrong })
            };
            list.iter().filter_map(slip).collect::<Vec<_>>()
        };
        let mut slips = listed("tools", false, &file.tools);
        slips.extend(listed("hooks", true, &file.hooks));
        if let Some(line) = file.grant_line
            && !file.grant.is_empty()
            && file.tools.is_empty()
            && file.hooks.is_empty()
        {
            let wrong = "reaches nothing: a file grants to the tools and hooks that it lists itself".to_owned();
            slips.push(Slip { file: file.file.clone(), line, key: "grant", name: None, wrong });
        }
        slips
    }

    /// What is wrong with an entry.
    fn wrong(&self, listed: &Listed, is_hook: bool) -> Option<String> {
        let name = listed.name.as_str();
        let entries = self.family(&Scope::Host, name).map(Family::entries).unwrap_or_default();
        let closed = if is_hook { "; until it does, no call runs where this toolset is in use" } else { "" };
        if entries.is_empty() {
            let alike = self.families(&Scope::Host).filter(|(_, family)| is(family, is_hook));
            let near = nearest(name, alike.map(|(name, _)| name.as_str()));
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Some(format!("no file holds `{name}`{closed}{near}"));
        }
        if !entries.iter().any(|entry| entry.hook().is_some() == is_hook) {
            return Some(match is_hook {
                true => format!(
                    "`{name}` is a tool and no hook, so no call runs where this toolset is in use; tools are listed under `tools`"
                ),
                false => format!("`{name}` is a hook and no tool; hooks are listed under `hooks`"),
            });
        }
        if !entries.iter().any(|entry| listed.allows(&entry.manifest.version)) {
            let versions: Vec<String> = entries.iter().map(|entry| entry.manifest.version.to_string()).collect();
            return Some(format!("`{listed}` means no version that there is: {}{closed}", versions.join(", ")));
        }
        None
    }
}

fn is(family: &Family, is_hook: bool) -> bool {
    family.entries().iter().any(|entry| entry.hook().is_some() == is_hook)
}
