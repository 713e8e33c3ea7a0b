//! What folders that keys name are. One that is missing may come later; what can never be used is an error where tools would be
//! missing for it, and a warning where the host does without.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::keys::Config;
use super::place;
use super::reader::{Origin, Resolved};
use crate::failure::Failure;
use crate::printer::{escape, shown};

/// Looks at all folders but the workspace, whose rules are its own, and returns warnings.
pub(super) fn look(config: &Config, resolved: &[Resolved]) -> Result<Vec<String>, Failure> {
    let mut warnings = plugins(&config.plugins.folders, resolved)?;
    let compile = &config.compile;
    let in_the_way = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_dir());
    if let Some(cache) = compile.cache.as_deref().filter(|cache| in_the_way(cache)) {
        let (place, cache) = (place(resolved, "compile.cache"), shown(cache));
        warnings.push(format!("{place}: {cache}: expected a folder, found a file; each process compiles for itself"));
    }
    if let Some(key) = compile.key_file.as_deref().filter(|key| key.is_dir()) {
        let (place, key) = (place(resolved, "compile.key_file"), shown(key));
        warnings.push(format!("{place}: {key}: expected a file, found a folder; each process compiles for itself"));
    }
    Ok(warnings)
}

fn plugins(folders: &[impl AsRef<Path>], resolved: &[Resolved]) -> Result<Vec<String>, Failure> {
    let key = resolved.iter().find(|resolved| resolved.key == "plugins.folders");
    let typed = key.is_some_and(|key| matches!(key.origin, Origin::Flag { .. }));
    let place = place(resolved, "plugins.folders");
    let mut warnings = Vec::new();
    for folder in folders.iter().map(AsRef::as_ref) {
        // Listed, as the registry does: that is what it is for.
        let Err(error) = fs::read_dir(folder) else { continue };
        let about = |what: &str| format!("{place}: {}: {what}", shown(folder));
        match error.kind() {
            ErrorKind::NotFound if typed => return Err(Failure::usage(about("there is no such folder"))),
            ErrorKind::NotFound => warnings.push(about("there is no such folder yet")),
            ErrorKind::NotADirectory => return Err(Failure::usage(about("expected a folder, found a file"))),
            _ => {
                let error = escape(&error.to_string(), false);
                return Err(Failure::usage(about(&format!("expected a folder that can be listed: {error}"))));
            }
        }
    }
    Ok(warnings)
}
