//! Toolsets: which tools belong together, and what they are granted.

mod distribution;
mod error;
mod file;
mod hidden;
mod path;
mod route;
mod set;
mod view;

pub use distribution::{Distribution, Distributions, Drawn, seeded};
pub use error::ToolsetError;
pub use file::{Include, Included, Listed, ListedError, Toolset};
pub use hidden::Hidden;
pub use path::{Cut, GrantPath, Origin};
pub use set::{HookUse, MissingTool, Toolsets};
pub use view::{AddressError, View};

/// The file beside the toolsets that is none: see [`Distributions`].
pub const DISTRIBUTIONS: &str = "distributions";

/// The names that stand for every toolset.
pub(crate) fn means_all(name: &str) -> bool {
    matches!(name, "all" | "*")
}
