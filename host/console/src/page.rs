//! The building blocks of pages: sections with facts, tables, charts and forms.

use askama::Template;
use serde::Serialize;
use serde_json::Value;
use tollbridge_core::time::rfc3339;

/// A page within the frame of the console.
#[derive(Template)]
#[template(path = "page.html")]
pub(crate) struct PageTemplate<'a> {
    pub(crate) page: &'a Page,
    pub(crate) tabs: &'a [Tab],
    pub(crate) who: &'a str,
    pub(crate) role: &'a str,
    pub(crate) form_token: &'a str,
    pub(crate) sandbox: bool,
    pub(crate) notice: Option<String>,
    pub(crate) problem: Option<String>,
}

/// A tab, and whether it is the current one.
pub(crate) struct Tab {
    pub(crate) path: &'static str,
    pub(crate) name: &'static str,
    pub(crate) here: bool,
}

/// The content of a page.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// The path of the tab that the page belongs to.
    pub(crate) tab: &'static str,
    pub(crate) sections: Vec<Section>,
    /// Seconds until the page reloads; 0 disables reloading.
    pub(crate) refresh_s: u32,
}

/// A section of a page. Empty parts are not shown.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) heading: String,
    pub(crate) note: String,
    pub(crate) facts: Vec<(String, Cell)>,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Text shown instead of a table without rows.
    pub(crate) empty: &'static str,
    pub(crate) charts: Vec<Chart>,
    pub(crate) text: String,
    pub(crate) forms: Vec<Form>,
    /// Link to older rows.
    pub(crate) older: String,
    /// Further links.
    pub(crate) links: Vec<Cell>,
}

/// The text of a table cell, optionally with a link.
#[derive(Clone, Default)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) href: String,
    pub(crate) class: &'static str,
}

/// A form for an action or a search.
#[derive(Default)]
pub(crate) struct Form {
    pub(crate) title: &'static str,
    /// Path of the search page, requested with GET; `None` for an action, which posts
    /// `command`.
    pub(crate) search: Option<&'static str>,
    pub(crate) command: &'static str,
    pub(crate) hidden: Vec<(&'static str, String)>,
    pub(crate) fields: Vec<Field>,
    pub(crate) button: &'static str,
    /// Whether the action is irreversible.
    pub(crate) danger: bool,
}

/// A field of a form.
#[derive(Default)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) label: &'static str,
    pub(crate) value: String,
    /// Options to choose from; free text if empty.
    pub(crate) options: Vec<&'static str>,
    pub(crate) required: bool,
    pub(crate) hint: &'static str,
}

/// A bar chart as inline SVG; all bars share one scale.
pub(crate) struct Chart {
    pub(crate) label: String,
    pub(crate) bars: Vec<Bar>,
}

/// A bar of a chart, scaled to 100; the title describes it.
pub(crate) struct Bar {
    pub(crate) x: usize,
    pub(crate) height: i64,
    pub(crate) y: i64,
    pub(crate) title: String,
}

/// Width of a bar's slot and height of a chart, in drawing units.
pub(crate) const BAR_WIDTH: usize = 20;
pub(crate) const CHART_HEIGHT: i64 = 100;

impl Section {
    /// Returns the CSS class of a column, judged by its cell in the first row.
    pub(crate) fn class_of(&self, column: &usize) -> &'static str {
        self.rows
            .first()
            .and_then(|row| row.get(*column))
            .map_or("", |cell| if cell.class == "number" { "number" } else { "" })
    }
}

impl Chart {
    /// Creates a chart of amounts, each with a title; the largest amount has the full
    /// height.
    pub(crate) fn new(label: &str, amounts: Vec<(i64, String)>) -> Self {
        let highest = amounts.iter().map(|(amount, _)| *amount).max().unwrap_or(0).max(1);
        let bars = amounts.into_iter().enumerate().map(|(place, (amount, title))| {
            // Draw at least one unit for an amount above zero, so that it stays visible.
            let height = amount.max(0).saturating_mul(CHART_HEIGHT).div_euclid(highest).max(i64::from(amount > 0));
            Bar { x: place.saturating_mul(BAR_WIDTH), height, y: CHART_HEIGHT - height, title }
        });
        Self { label: label.to_owned(), bars: bars.collect() }
    }

    pub(crate) fn width(&self) -> usize {
        self.bars.len().max(1).saturating_mul(BAR_WIDTH)
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Returns a cell with a value of an answer as readable text.
    pub(crate) fn of(value: &impl Serialize) -> Self {
        Self::text(readable_value(value))
    }

    #[must_use]
    pub(crate) fn link(self, href: String) -> Self {
        // An empty cell has no link.
        if self.text.is_empty() { self } else { Self { href, ..self } }
    }

    #[must_use]
    pub(crate) fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }
}

/// Formats a value of an answer for people.
pub(crate) fn readable_value(value: &impl Serialize) -> String {
    readable(&serde_json::to_value(value).unwrap_or_default())
}

fn readable(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(all) => all.iter().map(readable).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// Returns all members of an answer that are not lists or objects, as names and cells.
pub(crate) fn facts(answer: &impl Serialize) -> Vec<(String, Cell)> {
    let answer = serde_json::to_value(answer).unwrap_or_default();
    let members = answer.as_object().into_iter().flatten();
    let plain = members.filter(|(_, value)| !value.is_array() && !value.is_object() && !value.is_null());
    plain.map(|(name, value)| fact(name, value)).collect()
}

/// Formats a member for people: `amount_gbp` is an amount in pounds, `created_ms` a time.
fn fact(name: &str, value: &Value) -> (String, Cell) {
    let (name, text) = match (name.strip_suffix("_gbp"), name.strip_suffix("_ms")) {
        (Some(name), _) => (name, format!("£{}", readable(value))),
        (_, Some(name)) => (name, value.as_u64().map_or_else(String::new, time)),
        _ => (name, readable(value)),
    };
    let mut label = name.replace('_', " ");
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    (label, Cell::text(text))
}

/// Formats Unix milliseconds as `2026-11-23 10:00:00`, UTC.
pub(crate) fn time(ms: u64) -> String {
    rfc3339(ms).get(..19).unwrap_or_default().replace('T', " ")
}

/// Encodes a text for the path or query of a link.
pub(crate) fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_for_people() {
        let answer =
            serde_json::json!({ "amount_gbp": "1.50", "created_ms": 0, "account_id": "a", "no": null, "l": [] });
        let shown: Vec<(String, String)> = facts(&answer).into_iter().map(|(name, cell)| (name, cell.text)).collect();
        let expected = [("Account id", "a"), ("Amount", "£1.50"), ("Created", "1970-01-01 00:00:00")];
        assert_eq!(shown, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn bars_are_within_the_chart() {
        let chart = Chart::new("x", vec![(0, String::new()), (1, String::new()), (i64::MAX, String::new())]);
        let heights: Vec<i64> = chart.bars.iter().map(|bar| bar.height).collect();
        assert!(heights[0] == 0 && heights[1] == 1 && heights[2] <= CHART_HEIGHT, "{heights:?}");
        assert!(chart.bars.iter().all(|bar| bar.y >= 0 && bar.y + bar.height == CHART_HEIGHT));
        assert_eq!(Chart::new("x", Vec::new()).width(), BAR_WIDTH);
    }

    #[test]
    fn names_from_other_accounts_are_escaped() {
        let page = Page {
            title: "<script>".to_owned(),
            tab: "/console",
            refresh_s: 5,
            sections: vec![Section {
                rows: vec![vec![Cell::text("<b>").link("/console/accounts/\"><x".to_owned())]],
                head: vec!["A"],
                ..Section::default()
            }],
        };
        let html = PageTemplate {
            page: &page,
            tabs: &[],
            who: "ada",
            role: "read",
            form_token: "t",
            sandbox: false,
            notice: Some("<i>".to_owned()),
            problem: None,
        }
        .render()
        .unwrap();
        assert!(html.contains("<meta http-equiv=\"refresh\" content=\"5\">"), "{html}");
        for tag in ["<script>", "<b>", "<x", "<i>"] {
            assert!(!html.contains(tag), "{tag}");
        }
    }
}
