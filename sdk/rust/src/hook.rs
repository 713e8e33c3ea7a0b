//! Hooks: components that stand before and after the calls of tools.

use std::time::Duration;

use serde_json::Value;

use crate::schema::Node;
use crate::{Call, Outcome, Result};

/// What happens to a call before its tool runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It runs as it is.
    Proceed,
    /// It runs with these arguments, which are validated again.
    Rewrite(Value),
    /// It does not run, and why.
    Refuse(String),
}

/// A hook: one or both of these functions. `#[hook]` above the type makes its manifest, [`export_hook!`](crate::export_hook)
/// its component.
///
/// ```
/// use hermes_tool::prelude::*;
/// use serde_json::Value;
///
/// /// Refuses to touch files of version control.
/// #[hook(match = ["write_file", "patch*"], order = 10)]
/// struct SpareGit;
///
/// impl Hook for SpareGit {
///     fn before(_: &Call, args: &Value) -> Result<Decision> {
///         let path = args["path"].as_str().unwrap_or_default();
///         let spared = path.split('/').any(|part| part == ".git");
///         Ok(if spared { Decision::Refuse("`.git` is not yours to change".into()) } else { Decision::Proceed })
///     }
/// }
/// ```
pub trait Hook: HookManifest {
    /// Decides about a call. A hook that fails refuses it.
    ///
    /// # Errors
    /// The hook could not decide.
    fn before(call: &Call, args: &Value) -> Result<Decision> {
        let _ = (call, args);
        Ok(Decision::Proceed)
    }

    /// Sees how a call ended; `Some` replaces what it saw. A hook that fails withholds the result.
    ///
    /// # Errors
    /// The hook could not look at it.
    fn after(call: &Call, args: &Value, ended: &Result<Outcome>, elapsed: Duration) -> Result<Option<Result<Outcome>>> {
        let _ = (call, args, ended, elapsed);
        Ok(None)
    }
}

/// The manifest of a hook.
#[diagnostic::on_unimplemented(message = "`{Self}` has no manifest", note = "put `#[hook(match = [\"*\"])]` above it")]
pub trait HookManifest {
    #[doc(hidden)]
    const MANIFEST: Node;
}
