//! Pages for people: what is on offer and how to call it.

use std::sync::{Arc, OnceLock};

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde_json::Value;
use tollbridge_api::document::{Document, RouteLine};
use tollbridge_api::error::{ApiError, Code, internal};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{Offer, Snapshot};

use crate::site::Site;

const STYLE: &str = include_str!("../pages/style.css");

/// The pages; `document` is there once all routes are.
pub(crate) fn routes(document: &Arc<OnceLock<Document>>) -> Router<Arc<Site>> {
    let document = document.clone();
    let docs = move |State(site): State<Arc<Site>>| async move { docs(&site, document.get()) };
    Router::new().route("/", get(home)).route("/docs", get(docs)).route("/style.css", get(style))
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    site: &'a str,
    base: &'a str,
    sandbox: bool,
    first: String,
    example: String,
    bridges: Vec<Bridge>,
}

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs<'a> {
    site: &'a str,
    bridges: Vec<Bridge>,
    routes: &'a [RouteLine],
    errors: Vec<(&'static str, u16, &'static str)>,
}

struct Bridge {
    name: String,
    purpose: String,
    price: String,
    version: String,
    publisher: String,
    /// Why it cannot be called now.
    unavailable: Option<String>,
    members: Vec<Member>,
    examples: Vec<Example>,
}

struct Member {
    name: String,
    kind: String,
    text: String,
    required: bool,
}

struct Example {
    input: String,
    output: String,
}

async fn home(State(site): State<Arc<Site>>) -> Result<Html<String>, ApiError> {
    let snapshot = site.catalog.snapshot();
    let bridges: Vec<Bridge> = snapshot.live(PluginKind::Bridge).map(|offer| view(&snapshot, offer)).collect();
    let first = snapshot.live(PluginKind::Bridge).find(|offer| snapshot.unmet_need(offer).is_none());
    let example = first.and_then(|offer| offer.plugin.description().examples.first());
    let page = Home {
        site: &site.name,
        base: &site.base_url,
        sandbox: site.sandbox,
        first: first.map_or_else(|| "BRIDGE".to_owned(), |offer| offer.name.clone()),
        example: example.map_or_else(|| "{}".to_owned(), |example| example.input.to_string()),
        bridges,
    };
    page.render().map(Html).map_err(|error| internal(&error))
}

fn docs(site: &Site, document: Option<&Document>) -> Result<Html<String>, ApiError> {
    let snapshot = site.catalog.snapshot();
    let page = Docs {
        site: &site.name,
        bridges: snapshot.live(PluginKind::Bridge).map(|offer| view(&snapshot, offer)).collect(),
        routes: document.map_or(&[], Document::lines),
        errors: Code::ALL.iter().map(|code| (code.parts().0, code.parts().1.as_u16(), code.parts().2)).collect(),
    };
    page.render().map(Html).map_err(|error| internal(&error))
}

async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8"), (header::CACHE_CONTROL, "max-age=3600")], STYLE)
        .into_response()
}

fn view(snapshot: &Snapshot, offer: &Offer) -> Bridge {
    let description = offer.plugin.description();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let examples = description
        .examples
        .iter()
        .map(|example| Example { input: pretty(&example.input), output: pretty(&example.output) });
    Bridge {
        name: offer.name.clone(),
        purpose: offer.purpose.clone(),
        price: offer.price.display_gbp(),
        version: offer.version_text.clone(),
        publisher: offer.publisher.clone(),
        unavailable: snapshot.unmet_need(offer).map(|unmet| unmet.reason),
        members: members(&description.input_schema),
        examples: examples.collect(),
    }
}

/// The members of an input schema as a table.
fn members(schema: &Value) -> Vec<Member> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array);
    properties
        .iter()
        .map(|(name, member)| Member {
            name: name.clone(),
            kind: kind(member),
            text: member.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            required: required.is_some_and(|names| names.iter().any(|one| one == name)),
        })
        .collect()
}

fn kind(member: &Value) -> String {
    match member.get("type") {
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => {
            let names: Vec<&str> = several.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect();
            names.join(" or ")
        }
        _ => String::new(),
    }
}
