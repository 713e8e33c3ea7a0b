//! All toolsets of a host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hermes_manifest::{ToolName, ToolsetName};
use semver::Version;

use super::error::ToolsetError;
use super::file::{Include, Included, Listed, Toolset};
use super::hidden::Hidden;
use super::path::GrantPath;
use super::route::{Route, Routes};
use super::view::View;
use super::{DISTRIBUTIONS, means_all};
use crate::document::DocumentError;
use crate::nearest::{UnknownName, nearest};

/// A consistent set of toolset files: whatever one includes exists. It never changes; a change is another set.
#[derive(Debug, Clone, Default)]
pub struct Toolsets {
    files: BTreeMap<ToolsetName, Toolset>,
    routes: Routes,
    /// Which files list a tool.
    listing: BTreeMap<ToolName, Vec<ToolsetName>>,
}

/// Everything else follows from the files.
impl PartialEq for Toolsets {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

/// A hook that stands before and after the calls of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct HookUse {
    /// Its name.
    pub hook: ToolName,
    /// The ways by which grants come to it, one or more; a version uses those that allow it.
    pub paths: Vec<GrantPath>,
}

/// A tool that a toolset lists and no component holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingTool<'a> {
    /// The toolset.
    pub toolset: &'a ToolsetName,
    /// The tool.
    pub tool: &'a ToolName,
    /// The nearest name that exists.
    pub nearest: Option<String>,
}

impl Toolsets {
    /// Reads toolset files, by path and text. Of two with the same name the later counts, whole.
    ///
    /// `manifests` are the toolsets that the manifests of tools name: they exist without a file, and files may include them.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong; the message names file, line and key, and the nearest right spelling of a name.
    pub fn build<'a>(
        files: impl IntoIterator<Item = (PathBuf, &'a str)>,
        manifests: &BTreeSet<ToolsetName>,
    ) -> Result<Self, ToolsetError> {
        let mut read = BTreeMap::new();
        for (file, text) in files {
            let toolset = Toolset::parse(&file, text)?;
            let name = name(file)?;
            let replaced = read.insert(name.clone(), toolset).map(|replaced| replaced.file);
            if let (Some(replaced), Some(toolset)) = (replaced, read.get(&name)) {
                builds_on_replaced(&name, toolset, &replaced)?;
            }
        }
        let known = || read.keys().chain(manifests).map(ToolsetName::as_str).chain(["all"]);
        for toolset in read.values() {
            for Included { toolset: include, line } in &toolset.includes {
                if let Include::One(name) = include
                    && !known().any(|known| known == name.as_str())
                {
                    return Err(ToolsetError::Document(DocumentError {
                        file: toolset.file.clone(),
                        line: Some(*line),
                        key: Some("includes".to_owned()),
                        message: UnknownName::new("toolset", name.as_str(), known()).to_string(),
                    }));
                }
            }
        }
        let routes = Routes::find(&read)?;
        let mut listing = BTreeMap::<ToolName, Vec<ToolsetName>>::new();
        for (name, toolset) in &read {
            for listed in &toolset.tools {
                listing.entry(listed.name.clone()).or_default().push(name.clone());
            }
        }
        Ok(Self { files: read, routes, listing })
    }

    /// The toolsets that have a file, by name, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolsetName, &Toolset)> {
        self.files.iter()
    }

    /// One toolset by its name, if it has a file.
    pub fn get(&self, name: &str) -> Option<&Toolset> {
        self.files.get(name)
    }

    /// The ways by which grants come to this version of `tool`, whose manifest may name the toolset `own`. There may be none: a
    /// manifest's own word makes a tool visible in its toolset, and only files grant.
    ///
    /// Where files list the tool their pins decide which versions there are: the manifest's word counts where none does.
    ///
    /// # Errors
    ///
    /// When it is not visible; with the reason.
    pub fn paths(
        &self,
        view: &View,
        tool: &str,
        own: Option<&str>,
        version: &Version,
        workspace: Option<&Path>,
    ) -> Result<Vec<GrantPath>, Hidden> {
        if view.exclude.iter().any(|excluded| excluded == tool) {
            return Err(Hidden::Excluded);
        }
        if let Some(without) = view.without.iter().find(|toolset| self.reaches(toolset, tool, own)) {
            return Err(Hidden::Without(without.clone()));
        }
        let mut other = None;
        let mut paths = Vec::new();
        for (end, file, entry) in self.listings(tool) {
            for route in self.routes.to(end.as_str()).iter().filter(|route| enabled(view, route)) {
                match &entry.pin {
                    Some(pin) if !entry.allows(version) => other = other.or(Some((pin, file))),
                    _ => paths.push(self.path(route, file, entry, workspace)),
                }
            }
        }
        match other {
            _ if !paths.is_empty() => {}
            Some((pin, file)) => {
                let (name, pin, file) = (tool.to_owned(), pin.clone(), file.file.clone());
                return Err(Hidden::Pinned { name, pin, file });
            }
            None if self.own(view, own) => {}
            None => {
                let listing = self.listings(tool).map(|(toolset, ..)| toolset.as_str());
                let toolsets: BTreeSet<&str> = listing.chain(own).collect();
                return Err(Hidden::Elsewhere {
                    toolsets: toolsets.into_iter().map(str::to_owned).collect(),
                    session: view.toolsets.clone().unwrap_or_default(),
                });
            }
        }
        if !view.grant.is_empty() {
            paths.push(GrantPath::flag(&view.grant));
        }
        Ok(paths)
    }

    /// The hooks of the toolsets that are enabled or included by those, in the order of the toolsets that list them.
    ///
    /// A session cannot leave one out, and `--grant` is not for them.
    pub fn hooks(&self, view: &View, workspace: Option<&Path>) -> Vec<HookUse> {
        let mut hooks = Vec::<HookUse>::new();
        for (end, routes) in self.routes.ends() {
            let Some(file) = self.files.get(end) else { continue };
            for listed in &file.hooks {
                let enabled = routes.iter().filter(|route| enabled(view, route));
                let paths = enabled.map(|route| self.path(route, file, listed, workspace)).collect::<Vec<_>>();
                match hooks.iter_mut().find(|known| known.hook == listed.name) {
                    _ if paths.is_empty() => {}
                    Some(known) => known.paths.extend(paths),
                    None => hooks.push(HookUse { hook: listed.name.clone(), paths }),
                }
            }
        }
        hooks
    }

    /// Where the toolsets that are enabled or included by those list a hook: file and line, in their order.
    pub fn hook_places(&self, view: &View, hook: &str) -> Vec<(&Path, usize)> {
        let used = self.routes.ends().filter(|(_, routes)| routes.iter().any(|route| enabled(view, route)));
        let files = used.filter_map(|(end, _)| self.files.get(end));
        files
            .filter_map(|file| {
                let listed = file.hooks.iter().find(|listed| listed.name.as_str() == hook)?;
                Some((file.file.as_path(), listed.line))
            })
            .collect()
    }

    /// Whether a view has a toolset: it is enabled or included by one that is, and not taken away. A toolset needs no file of its own.
    pub fn shows(&self, view: &View, toolset: &str) -> bool {
        let has = |view: &View| self.own(view, Some(toolset));
        let taken = |name: &String| has(&View { toolsets: Some(vec![name.clone()]), ..View::default() });
        has(view) && !view.without.iter().any(taken)
    }

    /// The names of all tools of a toolset and those that it includes, whether they exist or not, with the tools that are
    /// `registered` by manifests alone.
    ///
    /// # Errors
    ///
    /// When there is no such toolset.
    pub fn resolve(
        &self,
        toolset: &str,
        registered: &BTreeMap<String, BTreeSet<String>>,
    ) -> Result<BTreeSet<String>, UnknownName> {
        self.known(toolset, || registered.keys().map(String::as_str))?;
        let all = means_all(toolset) || self.routes.to_all().any(|start| start.as_str() == toolset);
        let reached = |end: &str| {
            all || end == toolset
                || self.routes.to(end).iter().filter_map(Route::start).any(|start| start.as_str() == toolset)
        };
        let listed = self.listing.iter().filter(|(_, files)| files.iter().any(|file| reached(file.as_str())));
        let own = registered.iter().filter(|(toolset, _)| reached(toolset)).flat_map(|(_, tools)| tools);
        Ok(listed.map(|(tool, _)| tool.to_string()).chain(own.cloned()).collect())
    }

    /// How a toolset and those that it includes list a tool; not at all where its manifest's word alone puts it there.
    pub fn listed(&self, toolset: &str, tool: &str) -> Vec<&Listed> {
        let view = View { toolsets: Some(vec![toolset.to_owned()]), ..View::default() };
        let reached = |end: &ToolsetName| self.routes.to(end.as_str()).iter().any(|route| enabled(&view, route));
        self.listings(tool).filter(|(end, ..)| reached(end)).map(|(.., listed)| listed).collect()
    }

    /// The names of all toolsets, those that `manifests` name included.
    pub fn names<'a>(&'a self, manifests: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
        self.files.keys().map(ToolsetName::as_str).chain(manifests).collect()
    }

    /// Checks the names of a view: toolsets against the files and those that `manifests` name, tools against `tools`.
    ///
    /// # Errors
    ///
    /// When one does not exist; with the nearest that does.
    pub fn check(&self, view: &View, manifests: &BTreeSet<&str>, tools: &BTreeSet<&str>) -> Result<(), UnknownName> {
        for name in view.toolsets.iter().flatten().chain(&view.without) {
            self.known(name, || manifests.iter().copied())?;
        }
        match view.exclude.iter().find(|name| !tools.contains(name.as_str())) {
            Some(name) => Err(UnknownName::new("tool", name, tools.iter().copied())),
            None => Ok(()),
        }
    }

    /// The tools that toolsets list and that are not among `tools`.
    pub fn missing<'a>(&self, tools: impl Iterator<Item = &'a str>) -> Vec<MissingTool<'_>> {
        let tools: BTreeSet<&str> = tools.collect();
        let listed = self.files.iter().flat_map(|(toolset, file)| file.tools.iter().map(move |tool| (toolset, tool)));
        let missing = listed.filter(|(_, listed)| !tools.contains(listed.name.as_str()));
        let missing = missing.map(|(toolset, Listed { name: tool, .. })| {
            let nearest = nearest(tool.as_str(), tools.iter().copied());
            MissingTool { toolset, tool, nearest }
        });
        missing.collect()
    }

    fn known<'a, M: Iterator<Item = &'a str>>(
        &'a self,
        name: &str,
        manifests: impl Fn() -> M,
    ) -> Result<(), UnknownName> {
        if means_all(name) || self.files.contains_key(name) || manifests().any(|known| known == name) {
            return Ok(());
        }
        let files = self.files.keys().map(ToolsetName::as_str);
        Err(UnknownName::new("toolset", name, files.chain(manifests()).chain(["all"])))
    }

    /// The files that list a tool, each with its entry.
    fn listings(&self, tool: &str) -> impl Iterator<Item = (&ToolsetName, &Toolset, &Listed)> {
        let ends = self.listing.get(tool).into_iter().flatten();
        ends.filter_map(move |end| {
            let file = self.files.get(end)?;
            Some((end, file, file.tools.iter().find(|listed| listed.name.as_str() == tool)?))
        })
    }

    /// Whether a tool belongs to a toolset or to one that it includes.
    fn reaches(&self, toolset: &str, tool: &str, own: Option<&str>) -> bool {
        let view = View { toolsets: Some(vec![toolset.to_owned()]), ..View::default() };
        self.own(&view, own) || !self.listed(toolset, tool).is_empty()
    }

    /// Whether a manifest's own word makes its tool visible.
    fn own(&self, view: &View, own: Option<&str>) -> bool {
        view.is_all()
            || self.routes.to_all().any(|start| view.enables(start.as_str()))
            || own.is_some_and(|own| view.enables(own) || self.routes.to(own).iter().any(|route| enabled(view, route)))
    }

    fn path(&self, route: &Route, file: &Toolset, listed: &Listed, workspace: Option<&Path>) -> GrantPath {
        let before = route.split().map(|(_, before)| before).unwrap_or_default();
        let before = before.iter().rev().filter_map(|name| Some((name, self.files.get(name)?)));
        GrantPath::through(route.toolsets(), &file.file, listed, &file.grant, before, workspace)
    }
}

fn enabled(view: &View, route: &Route) -> bool {
    route.start().is_some_and(|start| view.enables(start.as_str()))
}

/// A file that takes the place of another and includes its name means what is no longer there.
fn builds_on_replaced(name: &ToolsetName, toolset: &Toolset, replaced: &Path) -> Result<(), DocumentError> {
    let own = toolset.includes.iter().find(|included| included.toolset == Include::One(name.clone()));
    own.map_or(Ok(()), |own| {
        Err(DocumentError {
            file: toolset.file.clone(),
            line: Some(own.line),
            key: Some("includes".to_owned()),
            message: format!(
                "`{name}` is this file itself, which takes the place of {}: to build on that one, give this file another name",
                replaced.display()
            ),
        })
    })
}

/// The name that a file gives to its toolset.
fn name(file: PathBuf) -> Result<ToolsetName, ToolsetError> {
    let name = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let meaning = match name.as_str() {
        "all" | "*" => "stands for every toolset",
        DISTRIBUTIONS => "is no toolset: the file holds the distributions",
        _ => return ToolsetName::try_from(name).map_err(|error| ToolsetError::Name { file, error }),
    };
    Err(ToolsetError::Reserved { file, name, meaning })
}
