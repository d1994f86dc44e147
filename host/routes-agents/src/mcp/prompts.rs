//! A prompt for every agent, which a user picks to give the agent a task.

use rmcp::model::{
    ErrorData, GetPromptRequestParams, GetPromptResult, JsonObject, ListPromptsResult, PaginatedRequestParams, Prompt,
    PromptArgument, PromptMessage, Role,
};
use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{Offer, Snapshot};
use tollbridge_web::AppState;

use crate::mcp::pages::{Page, listed};
use crate::mcp::resources;
use crate::mcp::tasks::INVOKE;

/// Name of the prompt argument that contains the agent's task.
const TASK: &str = "task";
/// Name of the prompt argument that selects the skill to use.
pub(crate) const SKILL: &str = "skill";

/// Returns a page of prompts.
pub(crate) fn list(app: &AppState, request: Option<PaginatedRequestParams>) -> ListPromptsResult {
    let snapshot = app.catalog.snapshot();
    let page = Page::of(snapshot.live(PluginKind::Agent).map(|offer| offer.name.clone()), request);
    let prompts = page.names.iter().filter_map(|name| agent(&snapshot, name)).map(prompt).collect();
    listed!(ListPromptsResult, prompts, page.next)
}

/// Returns the agent behind a prompt.
pub(crate) fn agent<'a>(snapshot: &'a Snapshot, name: &str) -> Option<&'a Offer> {
    snapshot.live(PluginKind::Agent).find(|offer| offer.name == name).map(AsRef::as_ref)
}

fn prompt(offer: &Offer) -> Prompt {
    let task = PromptArgument::new(TASK).with_description("The task, in plain words").with_required(true);
    let mut arguments = vec![task];
    if !offer.skills.is_empty() {
        let ids: Vec<&str> = offer.skills.iter().map(|skill| skill.id.as_str()).collect();
        let about = format!("The skill to use: {}", ids.join(", "));
        arguments.push(PromptArgument::new(SKILL).with_description(about).with_required(false));
    }
    let about = format!("{}. {}", offer.purpose.trim_end_matches('.'), price(offer));
    Prompt::new(offer.name.clone(), Some(about), Some(arguments)).with_title(offer.display_name().replace('-', " "))
}

fn price(offer: &Offer) -> String {
    match offer.price.is_zero() {
        true => "Free.".to_owned(),
        false => format!("Costs {} a task, paid from credit.", offer.price.display_gbp()),
    }
}

/// Returns the messages that make a model give an agent its task: the task, and the agent's input
/// schema.
pub(crate) fn get(app: &AppState, request: GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    let snapshot = app.catalog.snapshot();
    let offer = agent(&snapshot, &request.name).ok_or_else(|| unknown(&request.name))?;
    let mut arguments = request.arguments.unwrap_or_default();
    let task = text(&mut arguments, TASK)?.ok_or_else(|| wrong(format!("`{TASK}` is required")))?;
    let skill = text(&mut arguments, SKILL)?.map(|id| skill(offer, &id)).transpose()?;
    if let Some(name) = arguments.keys().next() {
        let name: String = name.chars().take(64).collect();
        return Err(wrong(format!("unknown argument `{name}`; the arguments are: {TASK}, {SKILL}")));
    }
    let with = skill.map(|skill| format!(" Use {skill}.")).unwrap_or_default();
    let words = format!(
        "Call the tool `{INVOKE}` with agent_slug `{}` and the task below.{with} If the agent takes structured input \
         (the attached description has its schema), fill `input` from the task. {}\n\nTask:\n{task}",
        offer.name,
        price(offer),
    );
    let mut messages = vec![PromptMessage::new_text(Role::User, words)];
    let uri = resources::address(PluginKind::Agent, &offer.name);
    messages.extend(resources::contents(app, &uri).map(attached));
    Ok(GetPromptResult::new(messages).with_description(offer.purpose.clone()))
}

fn attached(contents: rmcp::model::ResourceContents) -> PromptMessage {
    PromptMessage::new(Role::User, rmcp::model::ContentBlock::resource(contents))
}

/// Describes a skill for the model.
fn skill(offer: &Offer, id: &str) -> Result<String, ErrorData> {
    let skill = offer.skills.iter().find(|skill| skill.id == id);
    let ids = || offer.skills.iter().map(|skill| skill.id.as_str()).collect::<Vec<_>>().join(", ");
    let skill = skill.ok_or_else(|| wrong(format!("`{SKILL}` must be one of: {}", ids())))?;
    Ok(format!("its skill `{}` ({})", skill.id, skill.description.trim_end_matches('.')))
}

fn text(arguments: &mut JsonObject, name: &str) -> Result<Option<String>, ErrorData> {
    match arguments.remove(name) {
        None | Some(Value::Null) => Ok(None),
        // Some clients send an empty form field as an empty string.
        Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(format!("`{name}` must be a string"))),
    }
}

/// Returns the error for an unknown prompt.
pub(crate) fn unknown(name: &str) -> ErrorData {
    let name: String = name.chars().take(64).collect();
    wrong(format!("there is no prompt `{name}`; prompts/list names all"))
}

fn wrong(text: String) -> ErrorData {
    ErrorData::invalid_params(text, None)
}
