//! Who calls, and what.

use std::collections::BTreeSet;

use hermes_manifest::ClientFeature;

use crate::call::Answer;
use crate::tool::ToolRequest;
use crate::toolset::View;

/// Who calls.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// What it may see and use.
    pub view: View,
    /// Whose it is; the operator's own without one.
    pub tenant: Option<String>,
    /// Its name, if it has one.
    pub id: Option<String>,
    /// The task within it.
    pub task: Option<String>,
    /// What the client can do. What it cannot is answered as by nobody.
    pub client: BTreeSet<ClientFeature>,
    /// Whether a person can be asked to approve something.
    pub approves: bool,
    /// Whether the client reads resources, so that it can be pointed at kept results.
    pub reads_resources: bool,
    /// Whether the client speaks HTTP with this host, so that it can be pointed at kept results there.
    pub reads_http: bool,
    /// Whether it came without a token where others need one: what is only for known callers is then withheld.
    pub anonymous: bool,
}

/// A call as it is asked for.
#[derive(Debug, Clone, Default)]
pub struct CallRequest {
    /// The tool's name.
    pub tool: String,
    /// The arguments, a JSON object as text.
    pub args: String,
    /// The handle of a call that asked and is to go on; the arguments are those of that call.
    pub handle: Option<String>,
    /// Answers to what it asked. Without a handle they count when they answer all that the tool asks.
    pub answers: Vec<Answer>,
    /// `traceparent`, locale, …: handed to the tool as they are.
    pub meta: Vec<(String, String)>,
}

impl CallRequest {
    /// A call of `tool` with `args`, a JSON object as text.
    pub fn new(tool: impl Into<String>, args: impl Into<String>) -> Self {
        Self { tool: tool.into(), args: args.into(), ..Self::default() }
    }
}

impl From<ToolRequest> for CallRequest {
    fn from(request: ToolRequest) -> Self {
        Self::new(request.tool, request.args)
    }
}
