//! The MCP server: its capabilities, and the dispatch of its methods.

use std::borrow::Cow;
use std::future::{Future, ready};
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams, CompleteResult, ErrorData,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_web::AppState;

use crate::mcp::answer::{invalid_arguments, payment_refused};
use crate::mcp::asking::Paying;
use crate::mcp::calls::{call, call_of, invoke, poll_task, with_progress};
use crate::mcp::round::Round;
use crate::mcp::sender::principal;
use crate::mcp::tasks::{GET, INVOKE, InvokeArguments, look_arguments};
use crate::mcp::{completions, handles, prompts, resources, tools};

type Context = RequestContext<RoleServer>;

#[derive(Clone)]
pub(crate) struct McpServer {
    app: Arc<AppState>,
}

impl McpServer {
    /// Creates the server of this host.
    pub(crate) const fn new(app: Arc<AppState>) -> Self {
        Self { app }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let site = &self.app.settings.display_name;
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .enable_tasks()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info = Implementation::new("tollbridge", env!("CARGO_PKG_VERSION")).with_title(site.clone());
        info.instructions = Some(format!(
            "{site} sells calls to data bridges. Each tool's description says what a call costs; it is paid from \
            the credit of the account, or by a wallet (x402: the payment in _meta[\"x402/payment\"]). A call that \
            fails costs nothing. Every paid answer is sealed in a ledger: verify _meta.worm_seal at \
            {}/v1/ledger/proof/<seal>. Resources describe every bridge and agent, and how to use this server; \
            reading them is free.",
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

    /// Answers a client that starts with `initialize`; the protocol versions with this
    /// method have no extensions, so none are announced.
    fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> impl Future<Output = Result<InitializeResult, ErrorData>> + Send + '_ {
        let agreed = self.negotiate_initialize(&request).map(|mut agreed| {
            agreed.capabilities.extensions = None;
            agreed
        });
        context.peer.set_peer_info(request);
        ready(agreed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::named(&self.app.catalog.snapshot(), name)
    }

    fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        ready(Ok(tools::list(&self.app, request)))
    }

    fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> impl Future<Output = Result<ListResourcesResult, ErrorData>> + Send + '_ {
        ready(Ok(resources::list(&self.app, request)))
    }

    fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> impl Future<Output = Result<ListResourceTemplatesResult, ErrorData>> + Send + '_ {
        ready(Ok(resources::templates()))
    }

    fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> impl Future<Output = Result<ReadResourceResponse, ErrorData>> + Send + '_ {
        ready(resources::read(&self.app, &request.uri, context.protocol_version().as_ref()).map(Into::into))
    }

    fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: Context,
    ) -> impl Future<Output = Result<ListPromptsResult, ErrorData>> + Send + '_ {
        ready(Ok(prompts::list(&self.app, request)))
    }

    fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> impl Future<Output = Result<GetPromptResponse, ErrorData>> + Send + '_ {
        ready(prompts::get(&self.app, request).map(Into::into))
    }

    fn complete(
        &self,
        request: CompleteRequestParams,
        _: Context,
    ) -> impl Future<Output = Result<CompleteResult, ErrorData>> + Send + '_ {
        ready(completions::complete(&self.app, &request))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let (app, name) = (&*self.app, request.name.to_string());
        if self.get_tool(&name).is_none() {
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`; tools/list names all"), None));
        }
        if name == GET {
            return match look_arguments(request.arguments.unwrap_or_default()) {
                Ok((id, wait)) => poll_task(app, &id, wait, &context).await.map(Into::into),
                Err(wrong) => Ok(invalid_arguments(&wrong).into()),
            };
        }
        let round = Round::of(&request)?;
        let paying = match with_progress(&context, Paying::of(app, &request, &round, &context)).await? {
            Paying::Open(later) => return Ok(later.into()),
            Paying::Refused => return Ok(payment_refused().into()),
            paying => paying,
        };
        let mut arguments = request.arguments.unwrap_or_default();
        if name == INVOKE {
            round.complete_task(&mut arguments);
            let InvokeArguments { slug, body, wait } = match InvokeArguments::read(arguments) {
                Ok(read) => read,
                Err(wrong) => return Ok(invalid_arguments(&wrong).into()),
            };
            let task = call_of(&context, (PluginKind::Agent, slug), &body, paying.source())?;
            return invoke(app, task, wait, (&paying, &round), &context).await;
        }
        round.complete(&mut arguments);
        let sold = call_of(&context, (PluginKind::Bridge, name), &Value::Object(arguments), paying.source())?;
        Ok(call(app, sold, (&paying, &round), &context).await)
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        handles::get(&self.app, &principal(&context)?.account_id, &request.task_id)
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        handles::update(&self.app, &principal(&context)?.account_id, &request.task_id)
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        handles::cancel(&self.app, &principal(&context)?.account_id, &request.task_id).await
    }
}
