//! The tools: the bridges and agents that can be called now.

use rmcp::model::{ListToolsResult, PaginatedRequestParams, Tool};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{Offer, Snapshot};
use tollbridge_web::AppState;

use crate::mcp::pages::{Page, listed};
use crate::mcp::tasks::{Effect, GET, INVOKE, annotations, get_task, invoke_agent, object_schema};

/// Returns a page of the tools.
pub(crate) fn list(app: &AppState, request: Option<PaginatedRequestParams>) -> ListToolsResult {
    let snapshot = app.catalog.snapshot();
    let agents = snapshot.live(PluginKind::Agent).next().map(|_| [INVOKE, GET].map(str::to_owned));
    let bridges = snapshot.live(PluginKind::Bridge).map(|offer| offer.name.clone());
    // A bridge with the name of one of the two agent tools is hidden by that tool.
    let page = Page::of(bridges.chain(agents.into_iter().flatten()), request);
    let tools = page.names.iter().filter_map(|name| named(&snapshot, name)).collect();
    listed!(ListToolsResult, tools, page.next)
}

/// Finds a tool by name.
pub(crate) fn named(snapshot: &Snapshot, name: &str) -> Option<Tool> {
    if name == INVOKE {
        let agents = snapshot.live(PluginKind::Agent);
        let agents: Vec<(&str, String)> = agents.map(|offer| (offer.name.as_str(), purpose(snapshot, offer))).collect();
        return (!agents.is_empty()).then(|| invoke_agent(&agents));
    }
    if name == GET {
        return Some(get_task());
    }
    snapshot.live(PluginKind::Bridge).find(|offer| offer.name == name).map(|offer| bridge(snapshot, offer))
}

/// Returns an offer's purpose; with the reason if it is unavailable.
fn purpose(snapshot: &Snapshot, offer: &Offer) -> String {
    match snapshot.unmet_need(offer) {
        Some(unmet) => format!("Unavailable now: {}. {}", unmet.reason, offer.purpose),
        None => offer.purpose.clone(),
    }
}

fn bridge(snapshot: &Snapshot, offer: &Offer) -> Tool {
    let description = offer.plugin.description();
    let price = match offer.price.is_zero() {
        true => "Free.".to_owned(),
        false => format!("Costs {} a call, paid from credit.", offer.price.display_gbp()),
    };
    let text = format!("{}. {price}", purpose(snapshot, offer).trim_end_matches('.'));
    let title = offer.name.replace('_', " ");
    Tool::new_with_raw(offer.name.clone(), Some(text.into()), object_schema(&description.input_schema))
        .with_title(title.clone())
        .with_raw_output_schema(object_schema(&description.output_schema))
        .with_annotations(annotations(title, effect(offer)))
}

fn effect(offer: &Offer) -> Effect {
    let reaches_out = offer.plugin.reaches_out();
    if offer.is_free() && !offer.plugin.keeps_data() {
        Effect::Looks { reaches_out }
    } else {
        Effect::Sells { reaches_out }
    }
}
