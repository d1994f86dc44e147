//! `/catalogue`: the list of all bridges and agents, with search and filters in an HTML
//! form.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Html;
use axum::routing::get;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::money::Millipence;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_market::catalog::{CatalogEntry, Snapshot};

use crate::quality::Qualities;
use crate::site::Site;
use crate::text::{count, inline};

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<Site>> {
    Router::new().route("/catalogue", get(page))
}

/// A plugin in the list.
pub(crate) struct Row {
    pub path: String,
    pub title: String,
    pub kind: &'static str,
    /// Purpose of the plugin, as HTML.
    pub purpose: String,
    pub price: String,
    pub speed: Option<String>,
    pub success: Option<String>,
    /// Reason why the plugin cannot be called now, as HTML.
    pub unavailable: Option<String>,
    amount: Millipence,
    median_ms: Option<u64>,
    /// Lower-case text that the search examines.
    words: String,
}

/// Returns the rows of all plugins of a kind, ordered by name.
pub(crate) fn rows(snapshot: &Snapshot, kind: PluginKind, qualities: &Qualities) -> Vec<Row> {
    snapshot.entries(kind).map(|(name, entry)| row(snapshot, kind, name, entry, qualities)).collect()
}

/// Returns the path of a plugin's page.
pub(crate) fn path_of(kind: PluginKind, name: &str) -> String {
    format!("/catalogue/{}/{name}", kind.folder())
}

/// Formats the price of a call.
pub(crate) fn price(amount: Millipence) -> String {
    if amount.is_zero() { "free".to_owned() } else { amount.to_string() }
}

fn row(snapshot: &Snapshot, kind: PluginKind, name: &str, entry: &CatalogEntry, qualities: &Qualities) -> Row {
    let (title, purpose, amount, unavailable) = match entry {
        CatalogEntry::Live(offer) => {
            let unmet = snapshot.unmet_need(offer).map(|unmet| unmet.reason);
            (offer.display_name(), offer.purpose.as_str(), Some(offer.price), unmet)
        }
        CatalogEntry::Down { purpose, price, .. } => {
            (name, purpose.as_str(), *price, entry.public_reason().map(str::to_owned))
        }
    };
    let quality = qualities.get(kind, name);
    Row {
        path: path_of(kind, name),
        title: title.to_owned(),
        kind: if kind == PluginKind::Bridge { "Bridge" } else { "Agent" },
        purpose: inline(purpose),
        price: amount.map_or_else(String::new, price),
        speed: quality.speed(),
        success: quality.success(),
        unavailable: unavailable.as_deref().map(inline),
        amount: amount.unwrap_or_default(),
        median_ms: quality.median_ms(),
        words: format!("{name} {purpose}").replace(['_', '-'], " ").to_lowercase(),
    }
}

/// A visitor's search terms, filters and sort order. Invalid values are ignored.
#[derive(Debug, Default)]
struct Wish {
    text: String,
    kind: String,
    /// The maximum price, as typed by the visitor.
    max: String,
    available: bool,
    sort: String,
}

impl Wish {
    fn of(uri: &Uri) -> Self {
        let mut wish = Self::default();
        for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            let value = value.trim().to_owned();
            match &*name {
                "q" => wish.text = value,
                "kind" => wish.kind = value,
                "max" => wish.max = value,
                "sort" => wish.sort = value,
                "available" => wish.available = true,
                _ => {}
            }
        }
        wish
    }

    fn wants_kind(&self, kind: PluginKind) -> bool {
        !matches!((self.kind.as_str(), kind), ("bridges", PluginKind::Agent) | ("agents", PluginKind::Bridge))
    }

    fn wants(&self, row: &Row) -> bool {
        let text = self.text.replace(['_', '-'], " ").to_lowercase();
        let max: Option<Millipence> = self.max.parse().ok();
        text.split_whitespace().all(|word| row.words.contains(word))
            && max.is_none_or(|max| row.amount <= max)
            && (!self.available || row.unavailable.is_none())
    }

    fn sort(&self, rows: &mut [Row]) {
        match self.sort.as_str() {
            "price" => rows.sort_by_key(|row| row.amount),
            // A plugin without calls has no speed and comes last.
            "speed" => rows.sort_by_key(|row| row.median_ms.unwrap_or(u64::MAX)),
            _ => rows.sort_by(|one, other| one.title.cmp(&other.title)),
        }
    }
}

#[derive(Template)]
#[template(path = "catalogue.html")]
struct CataloguePage<'a> {
    site: &'a str,
    wish: Wish,
    found: String,
    rows: Vec<Row>,
}

async fn page(State(site): State<Arc<Site>>, uri: Uri) -> Result<Html<String>, ApiError> {
    let (wish, snapshot, qualities) = (Wish::of(&uri), site.catalog.snapshot(), Qualities::of(&site.requests));
    let kinds = [PluginKind::Bridge, PluginKind::Agent].into_iter().filter(|kind| wish.wants_kind(*kind));
    let mut rows: Vec<Row> = kinds.flat_map(|kind| rows(&snapshot, kind, &qualities)).collect();
    rows.retain(|row| wish.wants(row));
    wish.sort(&mut rows);
    let found = count(u64::try_from(rows.len()).unwrap_or(u64::MAX), "result", "results");
    let page = CataloguePage { site: &site.name, wish, found, rows };
    page.render().map(Html).map_err(|error| internal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(title: &str, pence: i64, median_ms: Option<u64>) -> Row {
        Row {
            path: String::new(),
            title: title.to_owned(),
            kind: "Bridge",
            purpose: String::new(),
            price: String::new(),
            speed: None,
            success: None,
            unavailable: (title == "down").then(|| "it is disabled".to_owned()),
            amount: Millipence::from_pence(pence).unwrap(),
            median_ms,
            words: title.replace('_', " "),
        }
    }

    fn found(query: &str) -> Vec<String> {
        let wish = Wish::of(&format!("/catalogue?{query}").parse().unwrap());
        let mut rows = vec![row("vat_check", 4, Some(9)), row("iban", 2, None), row("down", 1, Some(1))];
        rows.retain(|row| wish.wants(row));
        wish.sort(&mut rows);
        rows.into_iter().map(|row| row.title).collect()
    }

    #[test]
    fn a_search_finds_words_prices_and_what_can_be_called() {
        assert_eq!(found(""), ["down", "iban", "vat_check"]);
        assert_eq!(found("q=Check+VAT"), ["vat_check"]);
        assert_eq!(found("q=vat_ch"), ["vat_check"]);
        assert_eq!(found("max=0.02&available=on"), ["iban"]);
        assert_eq!(found("max=much&q=%FF"), [""; 0]);
        assert_eq!(found("sort=price"), ["down", "iban", "vat_check"]);
        assert_eq!(found("sort=speed"), ["down", "vat_check", "iban"]);
    }

    #[test]
    fn a_kind_is_chosen() {
        let wish = |kind: &str| Wish { kind: kind.to_owned(), ..Wish::default() };
        assert!(wish("bridges").wants_kind(PluginKind::Bridge) && !wish("bridges").wants_kind(PluginKind::Agent));
        assert!(wish("").wants_kind(PluginKind::Agent) && wish("nonsense").wants_kind(PluginKind::Agent));
    }
}
