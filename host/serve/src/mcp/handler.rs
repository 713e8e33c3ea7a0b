//! The server's side of the protocol: what there is, and who hears of changes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_core::{Host, Session};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
};
#[expect(deprecated, reason = "clients of older revisions set a level")]
use rmcp::model::{LoggingLevel, SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::call::Lease;
use super::describe::{describe, is_mirrored};
use super::follow::Listener;
use super::resources::Read;
use super::server::Server;
use super::{complete, list, prompts, resources, session, wire};

const INSTRUCTIONS: &str = "Every tool runs in a sandbox of its own, with the powers that its operator granted. \
A failed call answers with a JSON object: `error` says what went wrong and `kind` which sort it is; `issues` name the arguments to correct. \
A result that is too long is cut, and its last lines say how to read the rest.";

/// How long a client may take a list or a file's content for fresh, in milliseconds. They change while the host runs, and clients
/// that follow changes of lists are told.
const LIST_TTL: u64 = 1_000;
/// The same of what only changes with the host itself, or never.
const FIXED_TTL: u64 = 3_600_000;

/// A host as one session of an MCP client sees it.
#[derive(Clone)]
pub struct Mcp {
    pub(super) server: Arc<Server>,
    pub(super) session: Arc<Session>,
    pub(super) lease: Lease,
    /// The level that a client of an older revision set.
    #[expect(deprecated, reason = "clients of older revisions set a level")]
    level: Arc<Mutex<Option<LoggingLevel>>>,
    /// Whether the client hears of changes already.
    following: Arc<AtomicBool>,
}

impl Mcp {
    /// Serves `host` to `session` alone.
    pub fn new(host: Arc<Host>, session: Session) -> Self {
        let server = Server::new(host, CancellationToken::new());
        Self::of(Arc::new(server), session, Lease::new(CancellationToken::new()))
    }

    /// A server as one of its clients sees it.
    pub(super) fn of(server: Arc<Server>, session: Session, lease: Lease) -> Self {
        let (level, following) = Default::default();
        Self { server, session: Arc::new(session), lease, level, following }
    }

    /// The least severity of lines that the client of a request wants to read.
    #[expect(deprecated, reason = "clients that set a level read these notifications")]
    pub(super) fn level(&self, context: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if session::is_modern(context) {
            return context.meta.log_level();
        }
        // Those that set none leave it to the server, and many only show what comes.
        let set = *self.level.lock().unwrap_or_else(PoisonError::into_inner);
        set.or(Some(LoggingLevel::Info))
    }

    /// Runs the checks of tools behind the answer that lists them: a list never waits, and the next one knows.
    fn verify(&self) {
        let listing = self.server.host.list(&self.session);
        if listing.tools.iter().any(|seen| seen.state.is_unverified()) {
            let mcp = self.clone();
            tokio::spawn(async move { mcp.server.verify(&mcp.session, &mcp.lease.gone).await });
        }
    }
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

/// How long an answer is fresh, and for whom, in the revisions that have words for it.
fn fresh(context: &RequestContext<RoleServer>, ttl: u64) -> (Option<u64>, Option<CacheScope>) {
    if session::is_modern(context) { (Some(ttl), Some(CacheScope::Private)) } else { (None, None) }
}

impl ServerHandler for Mcp {
    #[expect(deprecated, reason = "clients of older revisions look for this before they set a level")]
    fn get_info(&self) -> ServerConfig {
        let tools = ServerCapabilities::builder().enable_tools().enable_tool_list_changed();
        let prompts = tools.enable_prompts().enable_prompts_list_changed().enable_completions();
        let resources = prompts.enable_resources().enable_resources_list_changed().enable_resources_subscribe();
        ServerConfig::new(resources.enable_logging().build())
            .with_server_info(Implementation::new("hermes-host", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn discover(&self, _context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let mut info = self.get_info();
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        let found = DiscoverResult::from_server_info(versions, info);
        Ok(found.with_ttl_ms(FIXED_TTL).with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = list::tools(&self.server.host, &self.session);
        let (tools, next) = list::page(tools, cursor(request).as_deref())?;
        self.verify();
        let mut listed = ListToolsResult::with_all_items(tools);
        listed.next_cursor = next;
        (listed.ttl_ms, listed.cache_scope) = fresh(&context, LIST_TTL);
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let seen = self.server.host.tool(&self.session, name)?;
        let manifest = &seen.entry.manifest;
        // Asked for at each call, to compare arguments with the headers that mirror them.
        is_mirrored(manifest).then(|| describe(manifest)).flatten()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let catalog = self.server.host.registry().catalog();
        let resources = resources::all(catalog.library(&self.session.view));
        let (resources, next) = list::page(resources, cursor(request).as_deref())?;
        let mut listed = ListResourcesResult::with_all_items(resources);
        listed.next_cursor = next;
        (listed.ttl_ms, listed.cache_scope) = fresh(&context, LIST_TTL);
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let catalog = self.server.host.registry().catalog();
        let templates = resources::templates(catalog.library(&self.session.view));
        let (templates, next) = list::page(templates.into_iter(), cursor(request).as_deref())?;
        let mut listed = ListResourceTemplatesResult::with_all_items(templates);
        listed.next_cursor = next;
        (listed.ttl_ms, listed.cache_scope) = fresh(&context, LIST_TTL);
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let session = session::of(&self.session, &context)?;
        let (mut read, ttl) = match resources::read(&self.server.host, &session, &request.uri)? {
            Read::Kept(read) => (read, FIXED_TTL),
            Read::File(read) => (read, LIST_TTL),
        };
        (read.ttl_ms, read.cache_scope) = fresh(&context, ttl);
        Ok(read.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let session = session::of(&self.session, &context)?;
        resources::read(&self.server.host, &session, &request.uri).map(drop)
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let catalog = self.server.host.registry().catalog();
        let prompts = prompts::all(catalog.library(&self.session.view));
        let (prompts, next) = list::page(prompts, cursor(request).as_deref())?;
        let mut listed = ListPromptsResult::with_all_items(prompts);
        listed.next_cursor = next;
        (listed.ttl_ms, listed.cache_scope) = fresh(&context, LIST_TTL);
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.prompt(request, context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let catalog = self.server.host.registry().catalog();
        complete::complete(catalog.library(&self.session.view), &request)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // Who reads a resource again is told how long it is fresh.
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let follow = async {
            self.follow(Listener::Subscription(context.sink().clone())).await;
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = self.lease.gone.cancelled() => {}
            () = follow => {}
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if !self.following.swap(true, Ordering::Relaxed) {
            let mcp = self.clone();
            tokio::spawn(async move { mcp.follow(Listener::Session(context.peer)).await });
        }
    }

    #[expect(deprecated, reason = "clients of older revisions set a level")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if session::is_modern(&context) {
            return Err(wire::unknown_method("logging/setLevel"));
        }
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.level);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method ends here when its parameters are not what it takes.
        Err(wire::unread(&request.method, request.params, session::is_modern(&context)))
    }
}
