//! The text that fields are taken from, and the values it has for a field.

use agent_common::request::Request;
use agent_common::table::Table;
use serde_json::json;

use crate::fill::{self, Evidence, Found};
use crate::place;
use crate::sort::Sort;
use crate::spots::{self, Spot, Tie, Word};
use crate::wanted::Wanted;
use crate::{html, labels, pairs, party, table_fields};

/// A text as lines, pairs and tables.
pub(crate) struct Material {
    pub(crate) text: String,
    words: Vec<Word>,
    pairs: Vec<(String, String)>,
    tables: Vec<Table>,
    is_json: bool,
}

/// What a text has for a field: each place with its value.
#[derive(Debug, Default)]
pub(crate) struct Value {
    found: Vec<(serde_json::Value, String)>,
    evidence: Option<Evidence>,
}

impl Value {
    fn of(found: Found) -> Self {
        let all = match found.value {
            serde_json::Value::Array(list) => list
                .into_iter()
                .map(|one| {
                    let raw = one.as_str().map_or_else(|| one.to_string(), str::to_owned);
                    (one, raw)
                })
                .collect(),
            one => vec![(one, found.raw)],
        };
        Self { found: all, evidence: Some(found.evidence) }
    }

    /// How many places have a value.
    pub(crate) fn count(&self) -> usize {
        self.found.len()
    }

    /// How many different values there are.
    pub(crate) fn differing(&self) -> usize {
        self.distinct().len()
    }

    fn distinct(&self) -> Vec<&(serde_json::Value, String)> {
        let mut all: Vec<&(serde_json::Value, String)> = Vec::new();
        for one in &self.found {
            if !all.iter().any(|own| own.0 == one.0) {
                all.push(one);
            }
        }
        all
    }

    pub(crate) fn is_labelled(&self) -> bool {
        self.evidence == Some(Evidence::Label)
    }

    /// The value of JSON with the raw texts; none where there is none, or several and one is asked for.
    pub(crate) fn json(&self, records: bool, many: bool) -> Option<(serde_json::Value, Vec<(&'static str, String)>)> {
        let kind = match self.evidence? {
            Evidence::Label => "label",
            Evidence::Word => "words",
            Evidence::Form => "form",
        };
        let list = |all: Vec<&(serde_json::Value, String)>| {
            let values: Vec<serde_json::Value> = all.iter().map(|one| one.0.clone()).collect();
            (json!(values), all.iter().map(|one| (kind, one.1.clone())).collect::<Vec<_>>())
        };
        let distinct = self.distinct();
        if records {
            return Some(list(self.found.iter().collect()));
        }
        if many && (distinct.len() > 1 || kind == "form") {
            return Some(list(distinct));
        }
        match distinct.as_slice() {
            [one] => Some((one.0.clone(), vec![(kind, one.1.clone())])),
            _ => None,
        }
    }
}

impl Material {
    /// Reads a text.
    pub(crate) fn read(raw: &str) -> Self {
        let (text, html_pairs) = if html::is_html(raw) { html::read(raw) } else { (raw.to_owned(), Vec::new()) };
        // The frame of a calendar entry or a card has no values.
        let framed = |line: &&str| {
            let line = line.trim();
            !(line.starts_with("BEGIN:V") || line.starts_with("END:V"))
        };
        let text =
            if text.contains("BEGIN:V") { text.lines().filter(framed).collect::<Vec<_>>().join("\n") } else { text };
        let request = Request { instruction: String::new(), material: Request::read(&text).material };
        let is_json = text.trim_start_matches(['`', 'j', 's', 'o', 'n', '\n', ' ']).starts_with(['{', '[']);
        let mut pairs = if is_json { json_pairs(&text) } else { Vec::new() };
        let read = is_json && !pairs.is_empty();
        if !read {
            pairs = pairs::pairs(&request, &text, &html_pairs);
        }
        let tables =
            Table::read_all(&text).into_iter().filter(|table| !table.headless && table.columns.len() > 1).collect();
        Self { words: spots::words(&text), pairs, tables, is_json: read, text }
    }

    /// Whether there is a value for a field.
    pub(crate) fn knows(&self, field: &Wanted) -> bool {
        !field.words.is_empty()
            && (self.tables.iter().any(|table| table_fields::column(table, field, 2).is_some())
                || self.value(field, true).count() > 0)
    }

    /// Whether all of a name is a label, a member or a column.
    pub(crate) fn labels(&self, name: &str) -> bool {
        let own = agent_common::columns::name_words(name);
        let same = |label: &str| labels::words(label) == own;
        !own.is_empty()
            && (self.tables.iter().any(|table| table.columns.iter().any(|column| same(column)))
                || (self.is_json && self.pairs.iter().any(|(label, _)| same(label)))
                || spots::find(&self.text, &self.words, &own.join(" ")).iter().any(|spot| spot.tie == Tie::Sign))
    }

    /// The table that has most of the fields as columns.
    pub(crate) fn table(&self, fields: &[Wanted]) -> Option<&Table> {
        if self.is_json && self.tables.is_empty() {
            return None;
        }
        self.tables.iter().find(|table| {
            let known = fields.iter().filter(|field| table_fields::column(table, field, 2).is_some()).count();
            let open = fields
                .iter()
                .any(|field| table_fields::column(table, field, 2).is_none() && self.value(field, true).count() > 0);
            known > 0 && !open && !table.rows.is_empty()
        })
    }

    /// What the text has for a field; `strict` takes no label that says it only in part, and no form.
    pub(crate) fn value(&self, field: &Wanted, strict: bool) -> Value {
        if self.is_json {
            return self.member(field);
        }
        if field.many
            && let Some(found) = fill::by_form(&self.text, field, false)
        {
            return Value::of(found);
        }
        let own = field.words.join(" ");
        let ways = labels::ways(&field.words);
        let (same, near): (Vec<&String>, Vec<&String>) =
            ways.iter().filter(|way| **way != own).partition(|way| labels::are_same(&own, way));
        let exact = self.spots(&[&own], field, |_| true);
        if exact.count() > 0 && exact.is_labelled() {
            return exact;
        }
        let other = self.spots(&same, field, |spot| spot.tie == Tie::Sign || place::is_short(&spot.raw));
        if other.count() > 0 && other.is_labelled() {
            return other;
        }
        if exact.count() > 0 {
            return exact;
        }
        if other.count() > 0 && (field.many || other.differing() == 1) {
            return other;
        }
        let near = self.spots(&near, field, |spot| spot.tie == Tie::Sign);
        if near.is_labelled() && near.differing() == 1 && near.found.iter().all(|one| fill::is_kind(&one.0, field)) {
            return near;
        }
        if strict {
            let found = fill::by_word(&self.text, field);
            let formed = found.or_else(|| fill::by_form(&self.text, field, false));
            return formed.map(Value::of).unwrap_or_default();
        }
        let loose = fill::by_label(&self.pairs, field)
            .or_else(|| fill::by_word(&self.text, field))
            .or_else(|| fill::by_form(&self.text, field, false))
            .or_else(|| party::party(&self.text, field));
        loose.map(Value::of).unwrap_or_default()
    }

    /// The values behind ways to say a field; the surest tie decides.
    fn spots<T: AsRef<str>>(&self, ways: &[T], field: &Wanted, fits: impl Fn(&Spot) -> bool) -> Value {
        let all: Vec<Spot> =
            ways.iter().flat_map(|way| spots::find(&self.text, &self.words, way.as_ref())).filter(fits).collect();
        if field.many && field.sort == Sort::Code {
            let mut own: Vec<&Spot> = all.iter().collect();
            own.sort_by_key(|spot| spot.start);
            let found: Vec<(serde_json::Value, String)> = own
                .iter()
                .filter_map(|spot| Some((fill::convert(&spot.raw, field)?, spot.raw.clone())))
                .filter(|one| fill::suits(&one.0, field))
                .collect();
            let evidence = (!found.is_empty()).then_some(Evidence::Word);
            let all = Value { found, evidence };
            let found = all.distinct().into_iter().cloned().collect();
            return Value { found, evidence };
        }
        for tie in [Tie::Sign, Tie::Space, Tie::Verb, Tie::Near] {
            let mut own: Vec<&Spot> = all.iter().filter(|spot| spot.tie == tie).collect();
            own.sort_by_key(|spot| spot.start);
            own.dedup_by_key(|spot| spot.start);
            let found: Vec<(serde_json::Value, String)> = own
                .iter()
                .filter_map(|spot| Some((fill::convert(&spot.raw, field)?, spot.raw.clone())))
                .filter(|one| tie == Tie::Sign || fill::suits(&one.0, field))
                .collect();
            if !found.is_empty() {
                let evidence = if tie < Tie::Space { Evidence::Word } else { Evidence::Label };
                return Value { found, evidence: Some(evidence) };
            }
        }
        Value::default()
    }

    /// The members of JSON with the name of a field.
    fn member(&self, field: &Wanted) -> Value {
        for fit in [4, 3, 2] {
            let found: Vec<(serde_json::Value, String)> = self
                .pairs
                .iter()
                .filter(|(label, _)| labels::fit(&field.words, &labels::words(label)) == fit)
                .filter_map(|(_, raw)| Some((fill::convert(raw, field)?, raw.clone())))
                .collect();
            if !found.is_empty() {
                return Value { found, evidence: Some(Evidence::Label) };
            }
        }
        Value::default()
    }

    /// A word of the request beside its names that the text has too, and so may tell one record from another.
    pub(crate) fn common(&self, beside: &str) -> Option<String> {
        let plain = |word: &str| {
            [
                "each", "every", "from", "with", "this", "that", "text", "list", "order", "orders", "table", "them",
                "line", "lines", "please", "need",
            ]
            .contains(&word)
        };
        spots::words(beside)
            .into_iter()
            .map(|word| word.folded)
            .find(|word| word.len() > 3 && !plain(word) && self.words.iter().any(|own| own.folded == *word))
    }

    /// Whether the text says a field's name or another word for it.
    pub(crate) fn says(&self, field: &Wanted) -> bool {
        let own = field.words.join(" ");
        let telling = |word: &&String| word.len() > 2 && !labels::is_kind(word);
        if field.words.iter().filter(telling).any(|word| !spots::hits(&self.words, &[word.as_str()]).is_empty()) {
            return true;
        }
        labels::ways(&field.words).iter().filter(|way| **way == own || labels::are_same(&own, way)).any(|way| {
            let parts: Vec<&str> = way.split(' ').collect();
            !spots::hits(&self.words, &parts).is_empty()
        })
    }

    /// Whether most of the text is labels and values, so that what has no label is not there.
    pub(crate) fn is_form(&self) -> bool {
        let lines: Vec<&str> = self.text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let labelled = |line: &&&str| {
            let words = line.split_whitespace().count();
            let sign = line.contains([':', '=', '|', '\t']) || line.contains("  ") || line.contains("..");
            words <= 3 || (sign && words <= 14) || line.starts_with(['<', '{', '}', '[', '-', '*'])
        };
        self.is_json
            || !self.tables.is_empty()
            || lines.iter().filter(labelled).count() * 10 >= lines.len() * 6
            || self.signs()
    }

    /// Whether a line is a row of pairs: `level=warn status=504`, `Name: Jo, total: 5`.
    fn signs(&self) -> bool {
        let words = self.text.split_whitespace().count();
        let signs = self.text.split_whitespace().filter(|word| word.ends_with(':') || word.contains('=')).count();
        signs > 1 && words <= signs * 5
    }

    /// Whether a value of the field's form stands somewhere without a label.
    pub(crate) fn has_loose(&self, field: &Wanted) -> bool {
        let places = match field.sort {
            Sort::Name | Sort::Text | Sort::Code | Sort::Count | Sort::Postcode => return false,
            Sort::Amount => place::money(&self.text),
            sort => place::all(&self.text, sort),
        };
        let labelled = |at: usize| {
            let line = self.text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
            line.contains([':', '=', '|']) || line.contains("  ") || line.contains('\t') || line.contains("..")
        };
        places.iter().any(|place| !labelled(place.start))
    }
}

/// Members of JSON, each under its own name and under the end of its path.
fn json_pairs(text: &str) -> Vec<(String, String)> {
    let body = text.trim().trim_start_matches("```json").trim_matches('`').trim();
    let Ok(value) = serde_json::from_str::<serde_json::Value>(body) else { return Vec::new() };
    let mut all = Vec::new();
    pairs::paths(&value, &mut Vec::new(), &mut all);
    all
}
