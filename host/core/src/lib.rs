//! What may run, and by which path: registry, toolsets, power and dispatch.
//!
//! This crate knows neither wasmtime nor any protocol. The outer rooms implement its traits: [`Tool`] and [`SecretStore`].

pub mod arguments;
pub mod ask;
mod audit;
mod call;
mod check;
mod component;
mod cpu;
mod dispatch;
mod document;
mod host;
pub mod library;
mod limits;
mod nearest;
mod observe;
mod outcome;
mod policy;
mod power;
mod private;
mod refresh;
pub mod registry;
pub mod reload;
pub mod results;
mod scrub;
mod seen;
pub mod sessions;
mod slip;
mod tool;
mod toolset;
mod workspace;

pub use arguments::Compat;
pub use audit::{AuditLog, Audited, NoAudit};
pub use call::{
    Answer, Blob, Call, Content, Ended, Failure, Issue, Link, Media, Output, Pending, Reply, Request, RequestKind,
    Resume,
};
pub use component::{Component, Digest, DigestError, Location, MAX_COMPONENT_SIZE, open_regular};
pub use cpu::CpuMeter;
pub use dispatch::{AnsweredBy, CallRequest, HookReport, Planned, Report, Session, Step, Traced, plan};
pub use document::{DocumentError, read_document};
pub use host::{Host, Surroundings};
pub use limits::{LimitKind, Limits};
pub use nearest::{UnknownName, nearest};
pub use observe::{NoObserver, Observed, Observer, Observers};
pub use outcome::Outcome;
pub use policy::Policy;
pub use power::{
    Ceilings, Explanation, FlagError, GrantLine, Granted, Ground, Idle, IdleCause, Mount, Narrow, Power, Removed,
    intersect, missing, parse_grant, union,
};
pub use private::{NotPrivate, check_private, lock_private, make_private, open_private};
pub use refresh::{NoRefresh, Refresh};
pub use registry::{Catalog, Difference, Entry, Registry, Scope, Source};
pub use scrub::{NoScrub, Scrub};
pub use seen::{Absent, Listing, NoHook, Seen, SeenHook, State};
pub use slip::Slip;
pub use tool::{
    Caller, Decision, Fault, Hook, HookRun, LogLine, LogStream, NoProgress, NoSecrets, Progress, Refusal, Run,
    RunTimes, Runner, SecretStore, Tool, ToolRequest, Usage,
};
pub use toolset::{
    AddressError, Cut, DISTRIBUTIONS, Distribution, Distributions, Drawn, GrantPath, Hidden, HookUse, Include,
    Included, Listed, ListedError, MissingTool, Origin, Toolset, ToolsetError, Toolsets, View, seeded,
};
pub use workspace::{Workspace, WorkspaceError};
