//! The page of one bridge or agent: its input and output, its price and quality, and a
//! form to try a call.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use tollbridge_agents::PluginStats;
use tollbridge_agents::qualification::Qualification;
use tollbridge_api::error::{ApiError, internal, not_found};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{CatalogEntry, Offer, PublicVersion, Snapshot};
use tollbridge_registry::PluginId;

use crate::catalogue::price;
use crate::page_headers::with_scripts;
use crate::quality::{Qualities, Quality, milliseconds, share};
use crate::schema_view::{Member, alternatives, members};
use crate::site::{Name, Site};
use crate::snippets::{Sample, Snippet, pretty};
use crate::text::{count, inline, moment};

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<Site>> {
    let of = |kind| move |State(site): State<Arc<Site>>, Name(name): Name| page(site, kind, name);
    Router::new()
        .route("/catalogue/bridges/{name}", get(of(PluginKind::Bridge)))
        .route("/catalogue/agents/{name}", get(of(PluginKind::Agent)))
}

/// Maximum number of versions listed, newest first.
const VERSIONS_SHOWN: usize = 20;

#[derive(Template)]
#[template(path = "plugin.html")]
struct PluginPage<'a> {
    site: &'a str,
    sandbox: bool,
    kind: PluginKind,
    title: &'a str,
    purpose: String,
    plain_purpose: &'a str,
    price: String,
    speed: Option<String>,
    success: Option<String>,
    /// Reason why the plugin cannot be called now, as HTML.
    unavailable: Option<String>,
    versions: Vec<VersionRow>,
    /// Number of further versions that are not listed.
    more_versions: usize,
    about: Option<About>,
}

/// Details of a plugin that is in service.
struct About {
    trial: Option<Trial>,
    snippets: Vec<Snippet>,
    input: Vec<Member>,
    alternatives: Vec<String>,
    output: Vec<Member>,
    examples: Vec<(String, String)>,
    commands: Option<Arc<str>>,
    facts: Vec<(&'static str, String)>,
    limits: Vec<(&'static str, String)>,
    quality: Vec<(&'static str, String)>,
}

/// A row of the version list.
struct VersionRow {
    version: String,
    state: &'static str,
    /// Time of publication as text.
    since: String,
    price: String,
    /// The first characters of the component's digest, and the whole digest.
    digest: String,
    sha256: String,
}

/// The contents of the form to try a call.
struct Trial {
    route: String,
    account_route: String,
    body: String,
    lines: usize,
}

async fn page(site: Arc<Site>, kind: PluginKind, name: String) -> Result<Response, ApiError> {
    let snapshot = site.catalog.snapshot();
    let Some(entry) = snapshot.entry(kind, &name) else {
        return Err(not_found(format!("there is no {kind} `{name}`; see /catalogue")));
    };
    let quality = Qualities::of(&site.requests).get(kind, &name);
    let (title, purpose, amount) = match entry {
        CatalogEntry::Live(offer) => (offer.display_name(), offer.purpose.as_str(), Some(offer.price)),
        CatalogEntry::Down { purpose, price, .. } => (name.as_str(), purpose.as_str(), *price),
    };
    let about = match entry {
        CatalogEntry::Live(offer) => {
            let stats = stats(&site, kind, &name).await?;
            let is_agent = kind == PluginKind::Agent;
            let measured = if is_agent { site.qualifications.of(&name) } else { Ok(Vec::new()) };
            let measured = measured.map_err(|error| internal(&error))?;
            Some(about(&site, offer, (&quality, &stats), &measured))
        }
        CatalogEntry::Down { .. } => None,
    };
    let versions = name.parse().map(|name| site.catalog.versions(&PluginId { kind, name }));
    let versions = versions.unwrap_or_else(|_| Arc::from([]));
    let page = PluginPage {
        site: &site.name,
        sandbox: site.sandbox,
        kind,
        title,
        purpose: inline(purpose),
        plain_purpose: purpose,
        price: amount.map_or_else(|| "unknown".to_owned(), price),
        speed: quality.speed(),
        success: quality.success(),
        unavailable: reason(&snapshot, entry).as_deref().map(inline),
        more_versions: versions.len().saturating_sub(VERSIONS_SHOWN),
        versions: versions.iter().take(VERSIONS_SHOWN).map(version_row).collect(),
        about,
    };
    let html = page.render().map_err(|error| internal(&error))?;
    Ok(with_scripts(Html(html).into_response()))
}

fn version_row(version: &PublicVersion) -> VersionRow {
    let sha256 = hex::encode(version.sha256);
    VersionRow {
        version: version.version.clone(),
        state: version.state.as_str(),
        since: version.since_ms.map_or_else(|| "not known".to_owned(), moment),
        price: price(version.price),
        digest: sha256.chars().take(12).collect(),
        sha256,
    }
}

/// Returns the reason why a plugin cannot be called now.
fn reason(snapshot: &Snapshot, entry: &CatalogEntry) -> Option<String> {
    match entry {
        CatalogEntry::Live(offer) => snapshot.unmet_need(offer).map(|unmet| unmet.reason),
        CatalogEntry::Down { .. } => entry.public_reason().map(str::to_owned),
    }
}

/// Reads a plugin's statistics, which cover the ledger up to its newest record.
async fn stats(site: &Site, kind: PluginKind, name: &str) -> Result<PluginStats, ApiError> {
    let Ok(name) = name.parse() else { return Ok(PluginStats::default()) };
    let (indexer, id) = (site.plugin_stats.clone(), PluginId { kind, name });
    let counted = tokio::task::spawn_blocking(move || indexer.stats(&id)).await.map_err(|error| internal(&error))?;
    counted.map_err(|error| internal(&error))
}

fn about(site: &Site, offer: &Offer, (quality, stats): (&Quality, &PluginStats), measured: &[Qualification]) -> About {
    let description = offer.plugin.description();
    let sample = Sample::of(offer, &site.base_url, site.sandbox);
    About {
        trial: sample.as_ref().map(|sample| {
            let body = pretty(&sample.body());
            Trial {
                route: sample.route(),
                account_route: sample.account_route(),
                lines: body.lines().count().clamp(4, 20),
                body,
            }
        }),
        snippets: sample.map(|sample| sample.snippets()).unwrap_or_default(),
        input: members(&description.input_schema),
        alternatives: alternatives(&description.input_schema),
        output: members(&description.output_schema),
        examples: description.examples.iter().map(|one| (pretty(&one.input), pretty(&one.output))).collect(),
        commands: offer.commands.clone(),
        facts: facts(offer),
        limits: limits(offer),
        quality: figures(offer.kind, quality, stats).into_iter().chain(with_models(measured)).collect(),
    }
}

/// Returns the measured quality of an agent with models, as a row of the page.
fn with_models(measured: &[Qualification]) -> Option<(&'static str, String)> {
    let one = |measured: &Qualification| {
        let Qualification { model, tasks, answered, wrong, version, measured_at, .. } = measured;
        let used = if measured.admitted { "used" } else { "not used" };
        let day = measured_at.get(..10).unwrap_or_default();
        format!("{model}, {used}: {answered} of {tasks} tasks answered, {wrong} wrong (version {version}, {day})")
    };
    (!measured.is_empty()).then(|| ("With models", measured.iter().map(one).collect::<Vec<_>>().join("; ")))
}

fn facts(offer: &Offer) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Version", offer.version_text.clone()),
        ("Publisher", offer.publisher.clone()),
        ("SHA-256 of the component", hex::encode(offer.sha256)),
    ];
    let skills: Vec<&str> = offer.skills.iter().map(|skill| skill.id.as_str()).collect();
    if !skills.is_empty() {
        facts.push(("Skills", skills.join(", ")));
    }
    let reaches = [
        (offer.plugin.reaches_out(), "may use the network, models or other plugins"),
        (offer.plugin.keeps_data(), "may keep data between calls"),
    ];
    let reaches: Vec<&str> = reaches.into_iter().filter(|(does, _)| *does).map(|(_, what)| what).collect();
    facts.push((
        "Reach",
        if reaches.is_empty() { "nothing outside its sandbox".to_owned() } else { reaches.join("; ") },
    ));
    facts
}

fn limits(offer: &Offer) -> Vec<(&'static str, String)> {
    let limits = offer.plugin.limits();
    vec![
        ("Time per call", milliseconds(u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX))),
        ("Memory", bytes(limits.memory_bytes)),
        ("Largest input", bytes(limits.input_bytes)),
        ("Largest output", bytes(limits.output_bytes)),
        ("Concurrent calls", limits.concurrency.to_string()),
    ]
}

fn figures(kind: PluginKind, quality: &Quality, stats: &PluginStats) -> Vec<(&'static str, String)> {
    let mut figures = Vec::new();
    if quality.calls() > 0 {
        let answered = share(quality.answered, quality.calls());
        let calls = count(quality.calls(), "call", "calls");
        figures.push(("Lately", format!("{answered} of {calls} answered")));
    }
    figures.extend(quality.speed().map(|speed| ("Median time to an answer", speed)));
    figures.push(("Paid calls in the ledger", stats.completed.to_string()));
    // Only agents have tasks.
    if kind == PluginKind::Agent {
        figures.push(("Tasks given up", stats.failed.to_string()));
        figures.extend(stats.median_ms().map(|ms| ("Median time of a task", milliseconds(ms))));
    }
    figures
}

fn bytes(number: usize) -> String {
    match number {
        0..1024 => format!("{number} bytes"),
        1024..1_048_576 => format!("{} KiB", number >> 10),
        _ => format!("{} MiB", number >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(
            (bytes(900), bytes(65_536), bytes(16 << 20)),
            ("900 bytes".into(), "64 KiB".into(), "16 MiB".into())
        );
    }

    #[test]
    fn what_was_never_called_has_no_rate() {
        let figures = figures(PluginKind::Bridge, &Quality::default(), &PluginStats::default());
        assert_eq!(figures, [("Paid calls in the ledger", "0".to_owned())]);
    }
}
