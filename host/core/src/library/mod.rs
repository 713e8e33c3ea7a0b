//! Prompts and resources that people write as files: whatever lies in the folder itself is for every session, what lies in a folder
//! named like a toolset is for the sessions that have this toolset.
//!
//! [`Prompts`] and [`Resources`] are immutable; a change on disk is another set. A file that cannot be used is refused by name, with
//! its reason, and the others serve. Arguments are data: they are put into texts that were read before, and never read themselves.

mod completion;
mod folder;
mod front;
mod media;
mod name;
mod prompts;
mod resources;
mod seen;
mod template;

pub use completion::{Completion, MAX_COMPLETIONS};
pub use folder::{MAX_FILE, MAX_FILES, MAX_TOTAL};
pub use front::MAX_TEXT_FILE;
pub use name::{EntryName, EntryNameError};
pub use prompts::{Argument, Message, Prompt, PromptError, Prompts, Rendered, Role};
pub use resources::{Resource, ResourceError, ResourceTemplate, Resources, UriTemplate, UriTemplateError, Variable};
pub use seen::Library;
pub use template::MAX_RENDERED;
