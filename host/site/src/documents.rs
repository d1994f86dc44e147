//! `/docs`: the documents of this repository, one page each, with a menu; and a reference
//! of the API's routes and errors.

use std::sync::{Arc, LazyLock, OnceLock};

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use tollbridge_api::document::{Document, RouteLine};
use tollbridge_api::error::{ApiError, Code, internal, not_found};

use crate::markdown::{Rendered, render};
use crate::site::{Name, Site};
use crate::text::inline;

/// A document, with the name used in its page's URL.
struct Guide {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

macro_rules! guide {
    ($name:literal, $about:literal) => {
        guide!($name, $name, $about)
    };
    ($name:literal, $file:literal, $about:literal) => {
        Guide { name: $name, about: $about, text: include_str!(concat!("../../../docs/", $file, ".md")) }
    };
}

/// The title of a group of documents, and the documents.
type Group = (&'static str, &'static [Guide]);

const GROUPS: [Group; 4] = [
    (
        "Buy",
        &[
            guide!("paying", "Every way to pay for a call"),
            guide!("paying-mpp", "Paying with the Payment scheme"),
            guide!("accounts", "Keys, limits, credit"),
            guide!("webhooks", "Receiving events"),
            guide!("errors", "Every error code and what to do about it"),
        ],
    ),
    (
        "Call",
        &[
            guide!("bridges", "Inputs and outputs of the bridges"),
            guide!("agents", "Tasks for agents, immediate and queued"),
            guide!("inference", "Models through the gateway"),
            guide!("mcp", "The Model Context Protocol"),
            guide!("a2a", "Agent to agent: cards, messages, tasks"),
            guide!("proofs", "Check the proof of a task"),
            guide!("ledger-format", "Check the ledger, byte by byte"),
        ],
    ),
    (
        "Sell",
        &[
            guide!("write-a-bridge", "From an empty folder to a paid call"),
            guide!("write-an-agent", "An agent that calls bridges"),
            guide!("earning", "Other ways to earn"),
        ],
    ),
    (
        "Operate",
        &[
            guide!("deploy", "Install and configure"),
            guide!("go-live", "From the sandbox to real money"),
            guide!("stripe", "Every assumption about Stripe, with its source"),
            guide!("operator", "The console and its commands"),
            guide!("metrics", "Metrics for Prometheus"),
            guide!("scale", "More than one host"),
            guide!("threat-model", "Possible attacks, and the defences"),
            guide!("performance", "Measurements"),
            guide!("measurements-performance", "measurements/performance", "Performance: experiments and earlier runs"),
            guide!("measurements-bridges", "measurements/bridges", "Bridges: notes on quality and cost"),
            guide!("glossary", "One word for one concept"),
        ],
    ),
];

/// The name of the reference page in its URL.
const REFERENCE: &str = "api";

/// Returns this module's routes. `document` is the OpenAPI document, which is set once
/// all routes are registered.
pub(crate) fn routes(document: &Arc<OnceLock<Document>>) -> Router<Arc<Site>> {
    let document = document.clone();
    let reference = move |State(site): State<Arc<Site>>| async move { reference(&site, document.get()) };
    Router::new()
        .route("/docs", get(contents))
        .route("/docs/api", get(reference))
        .route("/docs/{name}", get(document_page))
}

/// A menu entry for one document.
struct Entry {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    here: bool,
}

/// The menu beside every document.
struct Menu {
    groups: Vec<(&'static str, Vec<Entry>)>,
    reference: bool,
}

impl Menu {
    fn at(name: &str) -> Self {
        let entry = |guide: &Guide| Entry {
            name: guide.name,
            title: LIBRARY.title(guide.name),
            about: guide.about,
            here: guide.name == name,
        };
        let groups = GROUPS.iter().map(|(title, guides)| (*title, guides.iter().map(entry).collect()));
        Self { groups: groups.collect(), reference: name == REFERENCE }
    }
}

/// The documents, rendered once per process.
struct Library(Vec<(&'static str, Rendered)>);

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let guides = GROUPS.iter().flat_map(|(_, guides)| guides.iter());
    Library(guides.map(|guide| (guide.name, render(guide.text, page_of))).collect())
});

impl Library {
    fn get(&self, name: &str) -> Option<&Rendered> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, page)| page)
    }

    fn title(&self, name: &str) -> &str {
        self.get(name).map_or("", |page| page.title.as_str())
    }
}

/// Returns the URL path on this site for the target of a document's link, or `None` if
/// the target has no page.
fn page_of(link: &str) -> Option<String> {
    if link.starts_with("https://") || link.starts_with('#') {
        return Some(link.to_owned());
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    // A page's name is one path segment, so slashes in the file's path become hyphens.
    let name = file.strip_suffix(".md")?.trim_start_matches("../").replace('/', "-");
    let known = GROUPS.iter().any(|(_, guides)| guides.iter().any(|guide| guide.name == name));
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    known.then(|| format!("/docs/{name}{anchor}"))
}

#[derive(Template)]
#[template(path = "docs.html")]
struct ContentsPage<'a> {
    site: &'a str,
    menu: Menu,
}

#[derive(Template)]
#[template(path = "document.html")]
struct DocumentPage<'a> {
    site: &'a str,
    menu: Menu,
    about: &'a str,
    document: &'a Rendered,
}

#[derive(Template)]
#[template(path = "reference.html")]
struct ReferencePage<'a> {
    site: &'a str,
    menu: Menu,
    routes: &'a [RouteLine],
    errors: Vec<(&'static str, u16, String)>,
}

async fn contents(State(site): State<Arc<Site>>) -> Result<Html<String>, ApiError> {
    let page = ContentsPage { site: &site.name, menu: Menu::at("") };
    page.render().map(Html).map_err(|error| internal(&error))
}

async fn document_page(State(site): State<Arc<Site>>, Name(name): Name) -> Result<Html<String>, ApiError> {
    let Some(document) = LIBRARY.get(&name) else { return Err(not_found("there is no such document; see /docs")) };
    let guides = GROUPS.iter().flat_map(|(_, guides)| guides.iter());
    let about = guides.filter(|guide| guide.name == name).map(|guide| guide.about).next().unwrap_or_default();
    let page = DocumentPage { site: &site.name, menu: Menu::at(&name), about, document };
    page.render().map(Html).map_err(|error| internal(&error))
}

fn reference(site: &Site, document: Option<&Document>) -> Result<Html<String>, ApiError> {
    let error = |code: &Code| {
        let (name, status, meaning) = code.parts();
        (name, status.as_u16(), inline(meaning))
    };
    let page = ReferencePage {
        site: &site.name,
        menu: Menu::at(REFERENCE),
        routes: document.map_or(&[], Document::lines),
        errors: Code::ALL.iter().map(error).collect(),
    };
    page.render().map(Html).map_err(|error| internal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_has_a_title_and_links_that_lead_somewhere() {
        for (name, page) in &LIBRARY.0 {
            assert!(!page.title.is_empty() && page.html.len() > 500, "{name}");
            for link in page.html.split("href=\"/docs/").skip(1) {
                let target = link.split('"').next().unwrap_or_default();
                let (target, anchor) = target.split_once('#').unwrap_or((target, ""));
                let linked = LIBRARY.get(target).unwrap_or_else(|| panic!("{name} links to {target}"));
                let there = anchor.is_empty() || linked.html.contains(&format!("id=\"{anchor}\""));
                assert!(there, "{name} links to {target}#{anchor}");
            }
        }
    }

    #[test]
    fn links_stay_on_the_site() {
        assert_eq!(page_of("deploy.md#install").as_deref(), Some("/docs/deploy#install"));
        assert_eq!(page_of("https://c2sp.org/signed-note").as_deref(), Some("https://c2sp.org/signed-note"));
        assert_eq!((page_of("../host/x.toml"), page_of("decisions/0033-one-host-leads.md")), (None, None));
        assert_eq!(page_of("javascript:alert(1)"), None);
        let measured = page_of("measurements/performance.md#an-answer-402");
        assert_eq!(measured.as_deref(), Some("/docs/measurements-performance#an-answer-402"));
        assert_eq!(page_of("../performance.md").as_deref(), Some("/docs/performance"));
    }
}
