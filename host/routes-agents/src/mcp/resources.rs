//! MCP resources: the catalogue, each of its bridges and agents, and guides. Reading them is free.

use std::sync::Arc;

use rmcp::model::{
    ErrorCode, ErrorData, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde::Serialize;
use serde_json::{Value, json};
use tollbridge_agents::AgentView;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{BridgeView, CallPrice, CatalogEntry, Snapshot};
use tollbridge_web::AppState;

use crate::mcp::guides::{GUIDES, Guide};
use crate::mcp::pages::{KEPT_BY, KEPT_MS, Page, listed};

/// Number of bridges or agents on one page of the catalogue, with a sentence each.
const MCP_CATALOGUE_ENTRIES: usize = 500;

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";

/// Address template of a bridge; its one variable is the name.
pub(crate) const BRIDGE: &str = "tollbridge://bridges/{name}";
/// Address template of an agent.
pub(crate) const AGENT: &str = "tollbridge://agents/{name}";
/// Address template of a guide.
pub(crate) const GUIDE: &str = "tollbridge://docs/{name}";

/// The parsed address of a resource.
enum Address<'a> {
    /// A page of the catalogue: the entries after a name.
    Catalogue(PluginKind, &'a str),
    Plugin(PluginKind, &'a str),
    Guide(&'static Guide),
}

impl<'a> Address<'a> {
    fn read(uri: &'a str) -> Option<Self> {
        let rest = uri.strip_prefix("tollbridge://")?;
        let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
        let (area, name) = path.split_once('/').map_or((path, None), |(area, name)| (area, Some(name)));
        let kind = match area {
            "bridges" => PluginKind::Bridge,
            "agents" => PluginKind::Agent,
            "docs" if query.is_none() => return Guide::named(name?).map(Self::Guide),
            _ => return None,
        };
        match (name, query) {
            (None, None) => Some(Self::Catalogue(kind, "")),
            (None, Some(query)) => Some(Self::Catalogue(kind, query.strip_prefix("after=")?)),
            (Some(name), None) => Some(Self::Plugin(kind, name)),
            (Some(_), Some(_)) => None,
        }
    }
}

/// Returns the part of an address that names a kind of plugin.
const fn area(kind: PluginKind) -> &'static str {
    match kind {
        PluginKind::Bridge => "bridges",
        PluginKind::Agent => "agents",
    }
}

/// Returns the address of a plugin.
pub(crate) fn address(kind: PluginKind, name: &str) -> String {
    format!("tollbridge://{}/{name}", area(kind))
}

/// Returns a page of all resources.
pub(crate) fn list(app: &AppState, request: Option<PaginatedRequestParams>) -> ListResourcesResult {
    let snapshot = app.catalog.snapshot();
    let kinds = [PluginKind::Agent, PluginKind::Bridge];
    let catalogues = kinds.map(|kind| format!("tollbridge://{}", area(kind)));
    let plugins = kinds.into_iter().flat_map(|kind| snapshot.entries(kind).map(move |(name, _)| address(kind, name)));
    let guides = GUIDES.iter().map(|guide| GUIDE.replace("{name}", guide.name));
    let page = Page::of(catalogues.into_iter().chain(plugins).chain(guides), request);
    let resources = page.names.iter().filter_map(|uri| resource(&snapshot, uri)).collect();
    listed!(ListResourcesResult, resources, page.next)
}

/// Returns the address templates of the catalogue.
pub(crate) fn templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, about: &str, media: &str| {
        ResourceTemplate::new(uri, name).with_description(about).with_mime_type(media)
    };
    let templates = vec![
        template(AGENT, "agent", "An agent: price, skills, schemas, examples", JSON),
        template(BRIDGE, "bridge", "A bridge: price, schemas, examples", JSON),
        template(GUIDE, "guide", "A page of the documentation", MARKDOWN),
    ];
    listed!(ListResourceTemplatesResult, templates, None)
}

fn resource(snapshot: &Snapshot, uri: &str) -> Option<Resource> {
    Some(match Address::read(uri)? {
        Address::Catalogue(kind, _) => Resource::new(uri, area(kind))
            .with_title(format!("All {}", area(kind)))
            .with_description("Names, purposes and prices of the catalogue")
            .with_mime_type(JSON),
        Address::Plugin(kind, name) => {
            let purpose = match snapshot.entry(kind, name)? {
                CatalogEntry::Live(offer) => &offer.purpose,
                CatalogEntry::Down { purpose, .. } => purpose,
            };
            Resource::new(uri, name).with_description(purpose).with_mime_type(JSON)
        }
        Address::Guide(guide) => Resource::new(uri, guide.name)
            .with_title(guide.title())
            .with_description(guide.about)
            .with_mime_type(MARKDOWN)
            .with_size(u64::try_from(guide.text.len()).unwrap_or(u64::MAX)),
    })
}

/// Reads a resource. The error code for a missing one depends on the client's protocol version.
pub(crate) fn read(
    app: &Arc<AppState>,
    uri: &str,
    version: Option<&ProtocolVersion>,
) -> Result<ReadResourceResult, ErrorData> {
    let contents = contents(app, uri).ok_or_else(|| {
        let newest = version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        let code = if newest { ErrorCode::INVALID_PARAMS } else { ErrorCode::RESOURCE_NOT_FOUND };
        let text = "there is no such resource; resources/list and resources/templates/list list all";
        ErrorData::new(code, text, Some(json!({ "uri": uri })))
    })?;
    let mut result = ReadResourceResult::new(vec![contents]);
    result.ttl_ms = Some(KEPT_MS);
    result.cache_scope = Some(KEPT_BY);
    Ok(result)
}

/// Returns the content at an address.
pub(crate) fn contents(app: &AppState, uri: &str) -> Option<ResourceContents> {
    let snapshot = app.catalog.snapshot();
    let (text, media) = match Address::read(uri)? {
        Address::Catalogue(kind, after) => (catalogue(&snapshot, kind, after).to_string(), JSON),
        Address::Plugin(kind, name) => {
            let entry = snapshot.entry(kind, name)?;
            let view = match kind {
                PluginKind::Bridge => json!(BridgeView::new(&snapshot, name, entry)),
                PluginKind::Agent => json!(AgentView::new(&snapshot, name, entry, None, &app.settings.base_url)),
            };
            (view.to_string(), JSON)
        }
        Address::Guide(guide) => (guide.text.to_owned(), MARKDOWN),
    };
    Some(ResourceContents::text(text, uri).with_mime_type(media))
}

/// Returns short summaries of the catalogue, and the address of the next page.
fn catalogue(snapshot: &Snapshot, kind: PluginKind, after: &str) -> Value {
    let mut entries = snapshot.entries(kind).filter(|(name, _)| *name > after);
    let shown: Vec<(&str, &CatalogEntry)> = entries.by_ref().take(MCP_CATALOGUE_ENTRIES).collect();
    let next = shown.last().filter(|_| entries.next().is_some());
    let next = next.map(|(name, _)| format!("tollbridge://{}?after={name}", area(kind)));
    let views: Vec<Value> = shown.iter().map(|(name, entry)| summary(snapshot, kind, name, entry)).collect();
    let mut catalogue = json!({ area(kind): views });
    if let (Some(next), Some(members)) = (next, catalogue.as_object_mut()) {
        members.insert("next".to_owned(), next.into());
    }
    catalogue
}

/// A plugin in the catalogue.
#[derive(Serialize)]
struct Summary<'a> {
    name: &'a str,
    purpose: &'a str,
    /// The address of its full description.
    resource: String,
    #[serde(flatten)]
    price: Option<CallPrice>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

fn summary(snapshot: &Snapshot, kind: PluginKind, name: &str, entry: &CatalogEntry) -> Value {
    let (purpose, price, reason) = match entry {
        CatalogEntry::Live(offer) => {
            (&offer.purpose, Some(offer.price), snapshot.unmet_need(offer).map(|unmet| unmet.reason))
        }
        CatalogEntry::Down { purpose, price, .. } => (purpose, *price, entry.public_reason().map(str::to_owned)),
    };
    json!(Summary {
        name,
        purpose,
        resource: address(kind, name),
        price: price.map(CallPrice::new),
        status: if reason.is_some() { "unavailable" } else { "live" },
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_whole() {
        for uri in [
            "tollbridge://bridges",
            "tollbridge://agents?after=a",
            "tollbridge://bridges/echo",
            "tollbridge://docs/errors",
        ] {
            assert!(Address::read(uri).is_some(), "{uri}");
        }
        for uri in [
            "",
            "bridges",
            "tollbridge://",
            "tollbridge://docs",
            "tollbridge://docs/../secret",
            "tollbridge://docs/errors?x",
            "tollbridge://bridges?x=1",
            "tollbridge://bridges/echo?after=a",
            "https://bridges/echo",
        ] {
            assert!(Address::read(uri).is_none(), "{uri}");
        }
    }
}
