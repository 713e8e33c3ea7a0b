//! Lists in pages, and what tells two lists apart.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_core::{Digest, Host, Session};
use rmcp::ErrorData;
use rmcp::model::{Prompt, Resource, ResourceTemplate, Tool};

use super::describe::describe;
use super::{prompts, resources};

/// Items on a page: some clients read only the first.
const PAGE: usize = 1_000;

/// What a client is given a list of, in the order of keys.
pub(super) trait Listed {
    /// The list, which takes no cursor of another one.
    const LIST: &'static str;

    /// What no two items of the list share.
    fn key(&self) -> &str;
}

impl Listed for Tool {
    const LIST: &'static str = "tools";

    fn key(&self) -> &str {
        &self.name
    }
}

impl Listed for Prompt {
    const LIST: &'static str = "prompts";

    fn key(&self) -> &str {
        &self.name
    }
}

impl Listed for Resource {
    const LIST: &'static str = "resources";

    fn key(&self) -> &str {
        &self.uri
    }
}

impl Listed for ResourceTemplate {
    const LIST: &'static str = "templates";

    fn key(&self) -> &str {
        &self.uri_template
    }
}

/// The items behind `cursor`, and the cursor of those behind them.
///
/// # Errors
///
/// When the list gives no such cursor.
pub(super) fn page<T: Listed>(
    items: impl Iterator<Item = T>,
    cursor: Option<&str>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let after = cursor.filter(|cursor| !cursor.is_empty()).map(after::<T>).transpose()?;
    // An item that has gone since is no reason to begin anew.
    let mut rest = items.filter(|item| after.as_ref().is_none_or(|after| item.key() > after.as_str()));
    let page: Vec<T> = rest.by_ref().take(PAGE).collect();
    let last = page.last().filter(|_| rest.next().is_some());
    let next = last.map(|last| URL_SAFE_NO_PAD.encode(format!("{}:{}", T::LIST, last.key())));
    Ok((page, next))
}

/// The key that a page ended with.
fn after<T: Listed>(cursor: &str) -> Result<String, ErrorData> {
    let text = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|text| String::from_utf8(text).ok());
    let key = text.as_deref().and_then(|text| text.strip_prefix(T::LIST)?.strip_prefix(':'));
    key.map(str::to_owned)
        .ok_or_else(|| ErrorData::invalid_params("unknown cursor: expected one that this list gave out", None))
}

/// The offered tools, in the order of names.
pub(super) fn tools(host: &Host, session: &Session) -> impl Iterator<Item = Tool> + use<> {
    let seen = host.list(session).tools.into_iter().filter(|seen| seen.state.offered());
    seen.filter_map(|seen| describe(&seen.entry.manifest))
}

/// The lists that clients hear of.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    Tools,
    Prompts,
    /// Templates are part of it.
    Resources,
}

impl List {
    pub(super) const ALL: [Self; 3] = [Self::Tools, Self::Prompts, Self::Resources];

    /// A digest of all that a client sees in it.
    pub(super) fn digest(self, host: &Host, session: &Session) -> Digest {
        let catalog = host.registry().catalog();
        let library = catalog.library(&session.view);
        let shown = match self {
            Self::Tools => serde_json::to_vec(&tools(host, session).collect::<Vec<_>>()),
            Self::Prompts => serde_json::to_vec(&prompts::all(library).collect::<Vec<_>>()),
            Self::Resources => {
                let resources: Vec<Resource> = resources::all(library).collect();
                serde_json::to_vec(&(resources, resources::templates(library)))
            }
        };
        Digest::of(&shown.unwrap_or_default())
    }
}
