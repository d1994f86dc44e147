//! Completion of arguments of prompts and resource templates.

use rmcp::model::{CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, Reference};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_web::AppState;

use crate::mcp::guides::GUIDES;
use crate::mcp::{prompts, resources};

/// Returns the names that start with the typed value, in alphabetical order.
pub(crate) fn complete(app: &AppState, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    let snapshot = app.catalog.snapshot();
    let name = request.argument.name.as_str();
    let names = |kind| snapshot.live(kind).map(|offer| offer.name.clone()).collect();
    let choices: Vec<String> = match &request.r#ref {
        Reference::Prompt(prompt) => {
            let offer = prompts::agent(&snapshot, &prompt.name).ok_or_else(|| prompts::unknown(&prompt.name))?;
            match name {
                prompts::SKILL => offer.skills.iter().map(|skill| skill.id.clone()).collect(),
                _ => Vec::new(),
            }
        }
        Reference::Resource(template) => match template.uri.as_str() {
            resources::BRIDGE => names(PluginKind::Bridge),
            resources::AGENT => names(PluginKind::Agent),
            resources::GUIDE => GUIDES.iter().map(|guide| guide.name.to_owned()).collect(),
            _ => return Err(unknown()),
        },
        _ => return Err(unknown()),
    };
    Ok(CompleteResult::new(matching(choices, &request.argument.value)))
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such template; resources/templates/list names all", None)
}

fn matching(mut choices: Vec<String>, typed: &str) -> CompletionInfo {
    choices.retain(|choice| choice.starts_with(typed));
    choices.sort();
    let (total, more) = (u32::try_from(choices.len()).ok(), choices.len() > CompletionInfo::MAX_VALUES);
    choices.truncate(CompletionInfo::MAX_VALUES);
    CompletionInfo::with_pagination(choices, total, more).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_stay_within_the_protocols_limit() {
        let choices: Vec<String> = (0..150).map(|number| format!("a{number:03}")).chain(["b".to_owned()]).collect();
        let all = matching(choices.clone(), "a");
        assert_eq!((all.values.len(), all.total, all.has_more), (100, Some(150), Some(true)));
        assert_eq!(matching(choices, "b").values, ["b"]);
    }
}
