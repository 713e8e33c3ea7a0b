//! What runs a component: made once for all entries of it, and whether it is what its manifests say.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hermes_manifest::Manifest;
use serde_json::{Value, json};

use super::entry::Runs;
use super::refused::RefusedReason;
use crate::component::Component;
use crate::tool::{Fault, Hook, Runner, Tool};

/// What runs a component. The tools of a component share what runs them.
#[derive(Default)]
pub(super) struct Code {
    tool: OnceLock<Arc<dyn Tool>>,
    hook: OnceLock<Arc<dyn Hook>>,
    verdict: Mutex<Verdict>,
}

/// Whether a component was loaded and says of itself what its manifests say.
#[derive(Debug, Clone, Default)]
pub(super) enum Verdict {
    /// Nobody has tried.
    #[default]
    Open,
    /// It was.
    Passed,
    /// Its file was replaced before it could be loaded, which says nothing of it. The next look finds what is there now.
    Moved,
    /// It was not; whether another attempt might end otherwise.
    Failed(Arc<RefusedReason>, bool),
}

/// Why a component is not what its manifests say.
#[derive(Debug, thiserror::Error)]
pub enum Unverified {
    /// It cannot be loaded, or did not answer.
    #[error("{0}")]
    Fault(#[from] Fault),
    /// A tool's own account of itself is no JSON.
    #[error("`schema` of {tool} is not JSON: {error}")]
    NotJson {
        /// The tool.
        tool: String,
        /// What is wrong.
        error: String,
    },
    /// A tool's own account of itself is another.
    #[error("`schema` of {tool} differs from its manifest in {member}")]
    Differs {
        /// The tool.
        tool: String,
        /// The first member that differs.
        member: &'static str,
    },
}

impl Unverified {
    /// Whether the same component could pass at another time.
    fn may_pass(&self) -> bool {
        match self {
            Self::Fault(fault) => {
                matches!(fault, Fault::Timeout(_) | Fault::Busy | Fault::Host(_))
            }
            Self::NotJson { .. } | Self::Differs { .. } => false,
        }
    }
}

impl Code {
    pub(super) fn runs(&self, is_hook: bool, component: &Arc<Component>, runner: &dyn Runner) -> Runs {
        if is_hook {
            Runs::Hook(Arc::clone(self.hook.get_or_init(|| runner.hook(Arc::clone(component)))))
        } else {
            Runs::Tool(Arc::clone(self.tool.get_or_init(|| runner.tool(Arc::clone(component)))))
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.lock().clone()
    }

    /// Loads the component and compares what it says of itself with its `manifests`.
    pub(super) async fn verify(&self, component: &Arc<Component>, manifests: &[Arc<Manifest>], runner: &dyn Runner) {
        let verdict = match self.compare(component, manifests, runner).await {
            Ok(()) => Verdict::Passed,
            Err(Unverified::Fault(Fault::Replaced)) => Verdict::Moved,
            Err(error) => {
                let may_pass = error.may_pass();
                Verdict::Failed(Arc::new(RefusedReason::Unverified(error)), may_pass)
            }
        };
        *self.lock() = verdict;
    }

    async fn compare(
        &self,
        component: &Arc<Component>,
        manifests: &[Arc<Manifest>],
        runner: &dyn Runner,
    ) -> Result<(), Unverified> {
        for manifest in manifests {
            match self.runs(manifest.is_hook(), component, runner) {
                Runs::Hook(hook) => hook.load().await?,
                Runs::Tool(tool) => compare(&tool.schema(manifest.name.as_str()).await?, manifest)?,
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Verdict> {
        self.verdict.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a tool says of itself has to be what its manifest says, as JSON.
fn compare(said: &str, manifest: &Manifest) -> Result<(), Unverified> {
    let tool = || manifest.name.to_string();
    let said: Value =
        serde_json::from_str(said).map_err(|error| Unverified::NotJson { tool: tool(), error: error.to_string() })?;
    let parameters = manifest.schema().map(hermes_manifest::Schema::as_value);
    let expected = json!({"name": manifest.name, "description": manifest.description, "parameters": parameters});
    if said == expected {
        return Ok(());
    }
    let members = ["name", "description", "parameters"];
    let member = members.into_iter().find(|member| said.get(member) != expected.get(member));
    Err(Unverified::Differs { tool: tool(), member: member.unwrap_or("members that it should not have") })
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Code").field("verdict", &self.verdict()).finish_non_exhaustive()
    }
}
