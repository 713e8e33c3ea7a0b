//! What may run, and by which path: registry, toolsets, power and dispatch.
//!
//! This crate knows neither wasmtime nor any protocol. The outer rooms implement its traits: [`Tool`] and [`SecretStore`].

mod algebra;
mod call;
mod component;
mod discover;
mod dispatch;
mod flag;
mod host;
mod limits;
mod outcome;
mod power;
mod registry;
mod tool;
mod toolset;
mod workspace;

pub use algebra::{intersect, union};
pub use call::{
    Answer, Blob, Call, Content, Ended, Failure, Issue, Link, Media, Output, Pending, Reply, Request, RequestKind,
    Resume,
};
pub use component::{Component, Digest, Location, MAX_COMPONENT_SIZE, open_regular};
pub use dispatch::{AnsweredBy, Report, Session, Step, Traced};
pub use flag::{FlagError, parse_grant};
pub use host::{Absent, Host, Seen, State};
pub use limits::{LimitKind, Limits};
pub use outcome::Outcome;
pub use power::{MissingGrant, Mount, Power, missing};
pub use registry::{Entry, Refused, RefusedReason, Registry};
pub use tool::{
    Caller, Decision, Fault, Hook, HookRun, LogLine, LogStream, NoProgress, Progress, Refusal, Run, Runner,
    SecretStore, Tool, ToolRequest,
};
pub use toolset::{Toolset, ToolsetError, Toolsets, UnknownName, View, nearest};
pub use workspace::{Workspace, WorkspaceError};
