//! The tools: what is on offer at this moment, and calling it.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::request::Parts;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, ErrorData, Implementation, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tollbridge_access::{Admission, Principal};
use tollbridge_agents::{AgentError, Invocation};
use tollbridge_core::limits::{MCP_PROGRESS_EVERY_MS, MCP_TASK_LOOK_EVERY_MS, MCP_TOOLS_PER_PAGE};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_core::time::now_ms;
use tollbridge_market::catalog::Offer;
use tollbridge_market::checkout::{Call, PaymentSource};

use crate::admit::RequestId;
use crate::call_headers::{IDEMPOTENCY_KEY, max_cost, single_header, spend_limit};
use crate::error::ApiError;
use crate::mcp::answer::{agent_failure, answer_result, call_failure, invalid_arguments, invoked, task_result};
use crate::mcp::tasks::{GET, INVOKE, InvokeArguments, get_task, invoke_agent, look_arguments, object_schema};
use crate::state::AppState;

/// How long a list of tools may be kept: prices seldom change, and a call says
/// what it costs all the same.
const LIST_KEPT_MS: u64 = 5 * 60 * 1000;

#[derive(Clone)]
pub(crate) struct Tools {
    app: Arc<AppState>,
}

impl Tools {
    /// The tools of this host.
    pub(crate) const fn new(app: Arc<AppState>) -> Self {
        Self { app }
    }

    /// A page of the tools in the order of their names, after one of them.
    fn page(&self, after: &str) -> ListToolsResult {
        let snapshot = self.app.catalog.snapshot();
        let agents = snapshot.live(PluginKind::Agent).next().map(|_| [INVOKE, GET].map(str::to_owned));
        let bridges = snapshot.live(PluginKind::Bridge).map(|offer| offer.name.clone());
        let mut names: Vec<String> = bridges.chain(agents.into_iter().flatten()).collect();
        names.retain(|name| name.as_str() > after);
        names.sort();
        // A bridge of the same name is not offered here.
        names.dedup();
        let more = names.len() > MCP_TOOLS_PER_PAGE;
        names.truncate(MCP_TOOLS_PER_PAGE);
        let next_cursor = names.last().filter(|_| more).cloned();
        let mut list = ListToolsResult::with_all_items(names.iter().filter_map(|name| self.get_tool(name)).collect());
        list.next_cursor = next_cursor;
        list.ttl_ms = Some(LIST_KEPT_MS);
        list.cache_scope = Some(CacheScope::Private);
        list
    }

    /// Sells a call of a bridge.
    async fn call(&self, call: Call, context: &RequestContext<RoleServer>) -> CallToolResult {
        match with_progress(context, Box::pin(self.app.checkout.run(call))).await {
            Ok(answer) => answer_result(answer),
            Err(error) => call_failure(&self.app, error),
        }
    }

    /// Gives a task to an agent. One that takes longer goes on by itself.
    async fn invoke(&self, call: Call, wait: Duration, context: &RequestContext<RoleServer>) -> CallToolResult {
        let slug = call.name.clone();
        let invocation = Invocation { call, wait };
        match with_progress(context, self.app.agents.invoke(invocation)).await {
            Ok(outcome) => invoked(&self.app, &slug, outcome),
            Err(error) => agent_failure(&self.app, error),
        }
    }

    /// Looks at a task of the caller's, until it is done or the wait is over.
    async fn look(
        &self,
        id: &str,
        wait: Duration,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let (_, principal, _) = sender(context)?;
        let until = Instant::now() + wait;
        let looking = async {
            loop {
                let view = self.app.agents.task(&principal.account_id, id)?;
                if !view.state.is_open() || Instant::now() >= until {
                    return Ok::<_, AgentError>(view);
                }
                tokio::time::sleep(Duration::from_millis(MCP_TASK_LOOK_EVERY_MS)).await;
            }
        };
        Ok(match with_progress(context, looking).await {
            Ok(view) => task_result(&view),
            Err(error) => agent_failure(&self.app, error),
        })
    }
}

/// Waits for what runs, and tells who asked now and then that it goes on.
async fn with_progress<F: Future>(context: &RequestContext<RoleServer>, running: F) -> F::Output {
    let Some(token) = context.meta.get_progress_token() else { return running.await };
    let mut running = std::pin::pin!(running);
    let mut updates = 0_u32;
    loop {
        let pause = tokio::time::sleep(Duration::from_millis(MCP_PROGRESS_EVERY_MS));
        tokio::select! {
            outcome = &mut running => return outcome,
            () = pause => {
                updates = updates.saturating_add(1);
                let progress = ProgressNotificationParam::new(token.clone(), f64::from(updates));
                // Who does not listen any more has still asked for the call.
                let _ = context.peer.notify_progress(progress.with_message("still running")).await;
            }
        }
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        let site = &self.app.settings.display_name;
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("tollbridge", env!("CARGO_PKG_VERSION")).with_title(site.clone());
        info.instructions = Some(format!(
            "{site} sells calls to data bridges. Each tool's description says what a call costs; it is paid from the \
             credit of the account. A call that fails costs nothing. Every paid answer is sealed in a ledger: \
             _meta.worm_seal can be checked at {}/v1/ledger/proof/<seal>.",
            self.app.settings.base_url
        ));
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&[
            ProtocolVersion::V_2026_07_28,
            ProtocolVersion::V_2025_11_25,
            ProtocolVersion::V_2025_06_18,
            ProtocolVersion::V_2025_03_26,
        ])
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let snapshot = self.app.catalog.snapshot();
        if name == INVOKE {
            let agents: Vec<(&str, &str)> =
                snapshot.live(PluginKind::Agent).map(|offer| (offer.name.as_str(), offer.purpose.as_str())).collect();
            return (!agents.is_empty()).then(|| invoke_agent(&agents));
        }
        if name == GET {
            return Some(get_task());
        }
        snapshot.live(PluginKind::Bridge).find(|offer| offer.name == name).map(|offer| tool(offer))
    }

    fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let after = request.and_then(|request| request.cursor).unwrap_or_default();
        std::future::ready(Ok(self.page(&after)))
    }

    // What is not declared is not there: the library would answer with empty lists.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if self.get_tool(&name).is_none() {
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`; tools/list names all"), None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let result = match name.as_str() {
            INVOKE => match InvokeArguments::read(arguments) {
                Ok(InvokeArguments { slug, body, wait }) => {
                    self.invoke(call_of(&context, PluginKind::Agent, slug, &body)?, wait, &context).await
                }
                Err(wrong) => invalid_arguments(&wrong),
            },
            GET => match look_arguments(arguments) {
                Ok((id, wait)) => self.look(&id, wait, &context).await?,
                Err(wrong) => invalid_arguments(&wrong),
            },
            _ => self.call(call_of(&context, PluginKind::Bridge, name, &Value::Object(arguments))?, &context).await,
        };
        Ok(result.into())
    }
}

/// Who sent a request, and what came with it.
fn sender(context: &RequestContext<RoleServer>) -> Result<(&Parts, Arc<Principal>, &RequestId), ErrorData> {
    let ours = || ErrorData::internal_error("the request has no sender", None);
    let parts = context.extensions.get::<Parts>().ok_or_else(ours)?;
    let principal = parts.extensions.get::<Admission>().and_then(|admission| admission.principal.clone());
    let request_id = parts.extensions.get::<RequestId>().ok_or_else(ours)?;
    Ok((parts, principal.ok_or_else(ours)?, request_id))
}

/// The call that a request for a tool is.
fn call_of(
    context: &RequestContext<RoleServer>,
    kind: PluginKind,
    name: String,
    body: &Value,
) -> Result<Call, ErrorData> {
    let (parts, principal, request_id) = sender(context)?;
    let wrong = |error: ApiError| ErrorData::invalid_params(error.message().to_owned(), None);
    let key = single_header(&parts.headers, IDEMPOTENCY_KEY).map_err(wrong)?.map(str::to_owned);
    Ok(Call {
        request_id: request_id.0.to_string(),
        now_ms: now_ms(),
        account: Some(principal.account_id.clone()),
        share: principal.share(),
        kind,
        route: match kind {
            PluginKind::Bridge => format!("POST /v1/oracle/{name}"),
            PluginKind::Agent => format!("POST /v1/agents/{name}/invoke"),
        },
        name,
        body: Bytes::from(body.to_string()),
        source: PaymentSource::Credit,
        idempotency_key: key,
        queued: None,
        spend: spend_limit(&principal),
        max_cost: max_cost(&parts.headers).map_err(wrong)?,
    })
}

fn tool(offer: &Offer) -> Tool {
    let description = offer.plugin.description();
    let price = match offer.price.is_zero() {
        true => "Free.".to_owned(),
        false => format!("Costs {} a call, paid from credit.", offer.price.display_gbp()),
    };
    let text = format!("{} {price}", offer.purpose);
    let title = offer.name.replace('_', " ");
    Tool::new_with_raw(offer.name.clone(), Some(text.into()), object_schema(&description.input_schema))
        .with_title(title.clone())
        .with_raw_output_schema(object_schema(&description.output_schema))
        // It answers and changes nothing of the caller's but its credit.
        .with_annotations(ToolAnnotations::with_title(title).read_only(false).destructive(false).open_world(true))
}
