//! Requests in words: the fields that are named, the material, and the values.

use agent_common::columns::fold;
use agent_common::quantity;
use agent_common::request::{PieceKind, Request};
use agent_common::sheet::Sheet;
use agent_common::table::Table;
use serde_json::{Map, Value, json};
use tollbridge_sdk::Error;

use crate::fill::{self, Evidence, Found};
use crate::labels;
use crate::wanted::{self, Sort, Wanted};
use crate::{html, place};

/// Every value stands behind a label, in a member or in a column.
pub const LABELLED: f64 = 0.93;
/// Words of the sentence say what a value is, or its form does.
pub const WORDED: f64 = 0.82;
/// A value is taken because there is no other of its kind.
pub const ALONE: f64 = 0.7;
/// Below this, no answer is given.
pub const FLOOR: f64 = 0.6;

/// What a task in words gives.
#[derive(Debug, Default)]
pub struct Outcome {
    pub values: Vec<(String, Value)>,
    /// Name and raw text of each value, in order.
    pub raws: Vec<(String, String, String)>,
    pub text: String,
    pub confidence: f64,
}

fn missing(message: String) -> Error {
    Error::invalid("/text", message)
}

/// Answers a task that names its fields; none where it names no fields and everything is wanted.
pub fn answer(task: &str) -> Result<Option<Outcome>, Error> {
    let request = taken_apart(task);
    let instruction = request.instruction.trim();
    let text = request.text();
    if text.trim().is_empty() {
        let asked = "put the text itself below the request, or give it as `text` or `html`: there is nothing to read in the task";
        return Err(missing(asked.into()));
    }
    if let Some(word) = beyond(instruction) {
        return Err(missing(format!(
            "\"{word}\" refers to something that is not here: name the fields themselves and put the text below them"
        )));
    }
    let fields = wanted::read(instruction);
    if fields.is_empty() {
        return everything(instruction).then_some(None).ok_or_else(|| missing("name the fields that are wanted, such as `invoice number, due date, total`, and put the text below them".into()));
    }
    if let Some(found) = ingredients(instruction, &text) {
        return Ok(Some(found));
    }
    let many = records(&request);
    let outcome = if let Some(table) = table(&request, &fields) {
        of_table(&table, &fields, &text)
    } else if many.len() > 1 {
        of_items(&many, &fields, &text)?
    } else {
        of_text(&request, &fields, &text)?
    };
    if outcome.values.iter().all(|(_, value)| value.is_null()) && !certain_absence(&fields, &outcome.text) {
        return Err(missing(format!(
            "none of the fields ({}) is labelled in the text: use the words that stand in it",
            names(&fields)
        )));
    }
    if outcome.confidence < FLOOR {
        return Err(missing(format!(
            "not all of the fields ({}) are labelled in the text: use the words that stand in it",
            names(&fields)
        )));
    }
    Ok(Some(outcome))
}

/// The request; a first paragraph that names fields asks, whatever stands below it.
fn taken_apart(task: &str) -> Request {
    let request = Request::read(task);
    let Some((head, tail)) = task.trim().split_once("\n\n").filter(|(_, tail)| !tail.trim().is_empty()) else {
        return request;
    };
    let asks = request
        .instruction
        .contains(head.trim().trim_end_matches(['.', ':', '?', ' ']).split('\n').next_back().unwrap_or_default());
    let fields = wanted::read(head);
    let short = head.split_whitespace().count() <= 40 && head.lines().count() <= 3 && !head.contains(": ");
    let named = fields.iter().any(|field| field.sort != Sort::Text) && fields.iter().all(|field| field.words.len() < 5);
    if asks || !short || !named {
        return request;
    }
    let material = Request::read(&format!("Please extract the fields from the text below:\n\n{tail}"));
    let lost = material.instruction.len() > 60;
    if lost {
        let piece = agent_common::request::Piece {
            kind: PieceKind::Prose,
            text: tail.trim().to_owned(),
            start: 0,
            label: None,
        };
        return Request { instruction: head.to_owned(), material: vec![piece] };
    }
    Request { instruction: head.to_owned(), material: material.material }
}

fn names(fields: &[Wanted]) -> String {
    fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Fields whose form alone tells whether they are there.
fn certain_absence(fields: &[Wanted], text: &str) -> bool {
    let dated = |field: &Wanted| field.sort == Sort::Day && fill::has_none(text, field);
    fields.iter().all(|field| {
        dated(field) || {
            matches!(field.sort, Sort::Email | Sort::Iban | Sort::Url | Sort::Hashtag | Sort::Mention | Sort::Phone)
        }
    })
}

/// What a request speaks of that is not in the task, or that no rule reads.
fn beyond(instruction: &str) -> Option<&'static str> {
    const WORDS: &[&str] = &[
        "same ones as last time",
        "usual fields",
        "last time",
        "code book",
        "attached",
        "attachment",
        "template",
        "voice message",
        "audio",
        "recording",
        "picture",
        "photo",
        "screenshot",
        "shared folder",
        "our system",
        "as defined",
        "you know",
        "as always",
        "wie immer",
        "as usual",
        "our standard",
        "standard fields",
        "im anhang",
        "scan",
    ];
    const MEANING: &[&str] = &[
        "in the end",
        "entities",
        "who has to",
        "sentence which",
        "quote the sentence",
        "why",
        "opinion",
        "agreed",
        "implied",
        "action items",
        "to do",
        "main point",
        "reason",
        "mood",
        "tone",
        "people",
        "organisations",
        "organizations",
        "infer",
        "guess",
        "complaint about",
        "what happened",
        "what went wrong",
        "wants",
        "decided",
        "decision",
        "promised",
        "promises",
        "responsible",
        "arguments",
        "pros",
        "cons",
        "symptoms",
        "diagnosis",
        "skills",
        "hobbies",
        "topics",
        "speakers",
        "relationship",
    ];
    let folded = format!(
        " {} ",
        fold(instruction).replace(|c: char| !c.is_alphanumeric(), " ").split_whitespace().collect::<Vec<_>>().join(" ")
    );
    let has = |word: &&&str| folded.contains(&format!(" {word} "));
    WORDS.iter().find(has).or_else(|| MEANING.iter().find(has)).copied()
}

/// Whether all that is found is wanted.
fn everything(instruction: &str) -> bool {
    let folded = fold(instruction);
    instruction.is_empty()
        || [
            "everything",
            "all fields",
            "all values",
            "all the fields",
            "key value",
            "key-value",
            "the fields",
            "all data",
            "all the data",
            "extract the data",
            "alle felder",
            "all details",
            "all information",
            "fields from this",
            "structured",
        ]
        .iter()
        .any(|word| folded.contains(word))
}

/// Texts that are each a record.
fn records(request: &Request) -> Vec<String> {
    let listed: Vec<String> = request
        .material
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::ListItem | PieceKind::Email { .. }))
        .map(|piece| piece.text.clone())
        .collect();
    let labelled = listed
        .iter()
        .filter(|text| text.split_once(": ").is_some_and(|(label, _)| label.split_whitespace().count() < 4))
        .count();
    // `- Name: Ann` lines are the labels of one record.
    if listed.len() > 1 && listed.len() * 2 > request.material.len() && labelled * 2 <= listed.len() {
        return listed;
    }
    let titled: Vec<String> = request
        .material
        .iter()
        .filter(|piece| piece.label.is_some() && matches!(piece.kind, PieceKind::Prose))
        .map(|piece| piece.text.clone())
        .collect();
    if titled.len() > 1 && titled.len() == request.material.len() { titled } else { Vec::new() }
}

/// A table whose columns are the fields.
fn table(request: &Request, fields: &[Wanted]) -> Option<Table> {
    request
        .tables()
        .into_iter()
        .filter(|table| !table.headless && table.columns.len() > 1 && !table.rows.is_empty())
        .find(|table| {
            let fits = |field: &&Wanted| column(table, field).is_some();
            fields.iter().filter(fits).count() * 2
                >= fields.len() + usize::from(fields.len() > 1 && fields.len() % 2 == 1)
        })
}

fn column(table: &Table, field: &Wanted) -> Option<usize> {
    let scored =
        table.columns.iter().enumerate().map(|(at, name)| (labels::fit(&field.words, &labels::words(name)), at));
    let best = scored.clone().map(|(fit, _)| fit).max().filter(|fit| *fit > 0)?;
    let mut top = scored.filter(|(fit, _)| *fit == best);
    let (_, at) = top.next()?;
    (best > 1 || top.next().is_none()).then_some(at)
}

fn of_table(table: &Table, fields: &[Wanted], text: &str) -> Outcome {
    let sheet = Sheet::read(table);
    let mut outcome = Outcome { text: text.to_owned(), confidence: LABELLED, ..Outcome::default() };
    for field in fields {
        let Some(at) = column(table, field) else {
            outcome.values.push((field.name.clone(), Value::Null));
            continue;
        };
        let cell = |row: usize| {
            let own = sheet.cell(row, at);
            let number =
                sheet.number(row, at).filter(|_| !matches!(field.sort, Sort::Code | Sort::Phone | Sort::Postcode));
            let value = number
                .and_then(|number| place::number(&number.text()))
                .or_else(|| sheet.day(row, at).map(|day| json!(day.iso())));
            value.or_else(|| (!agent_common::sheet::is_empty(own)).then(|| json!(own))).unwrap_or(Value::Null)
        };
        let all: Vec<Value> = (0..sheet.table.rows.len()).map(cell).collect();
        outcome.raws.extend(
            (0..sheet.table.rows.len())
                .map(|row| (field.name.clone(), "column".into(), sheet.cell(row, at).to_owned())),
        );
        let value = if let [one] = all.as_slice() { one.clone() } else { json!(all) };
        outcome.values.push((field.name.clone(), value));
    }
    outcome
}

/// All pairs of a text: members, rows of two cells, labelled lines, classes of HTML.
fn pairs(request: &Request, text: &str, html_pairs: &[(String, String)]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for piece in &request.material {
        let json = match &piece.kind {
            PieceKind::Json(value) => Some(value.clone()),
            PieceKind::Fenced { .. } => serde_json::from_str(&piece.text).ok(),
            _ => None,
        };
        if let Some(value) = json {
            members(&value, &mut all);
        }
        if let PieceKind::Email { headers, .. } = &piece.kind {
            all.extend(headers.iter().cloned());
        }
        if let PieceKind::Table(table) = &piece.kind {
            let named = (table.columns.len() == 2).then(|| table.columns.clone());
            for row in named.iter().filter(|_| !table.headless).chain(&table.rows) {
                if let (Some(first), Some(last)) = (row.first(), row.iter().rev().find(|cell| !cell.trim().is_empty()))
                    && row.len() > 1
                {
                    all.push((first.clone(), last.clone()));
                }
            }
        }
    }
    all.extend(request.labelled());
    if html::is_html(text) || !html_pairs.is_empty() {
        all.extend(html_pairs.iter().cloned());
    }
    let lines = text.lines().filter_map(|line| {
        let bare = line.trim().trim_start_matches(['-', '*', '•', '|', ' ']);
        if bare.starts_with(['#', ';']) || bare.starts_with("//") {
            return None;
        }
        let (label, value) = bare.split_once(':').or_else(|| bare.split_once('='))?;
        let fits = label.split_whitespace().count() <= 5 && !value.trim().is_empty() && !value.starts_with("//");
        fits.then(|| {
            (
                label.trim().trim_matches(['*', '"', '`', ' ']).to_owned(),
                value.trim().trim_matches(['*', ' ']).trim_end_matches(',').trim_matches('"').to_owned(),
            )
        })
    });
    all.extend(lines);
    // `VAT 20 %: 40.00` says the rate and the tax.
    let rates: Vec<(String, String)> =
        all.iter().filter(|(label, _)| label.contains('%')).map(|(label, _)| (label.clone(), label.clone())).collect();
    all.extend(rates);
    all.retain(|(label, value)| !label.trim_start().starts_with(['#', ';']) && !value.trim().is_empty());
    all
}

/// Members of JSON at any depth; a path joins its names.
fn members(value: &Value, all: &mut Vec<(String, String)>) {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        _ => None,
    };
    match value {
        Value::Object(object) => walk(object, "", all, &text),
        Value::Array(list) => list.iter().for_each(|one| members(one, all)),
        _ => {}
    }
}

fn walk(
    object: &Map<String, Value>,
    path: &str,
    all: &mut Vec<(String, String)>,
    text: &dyn Fn(&Value) -> Option<String>,
) {
    for (name, value) in object {
        let own = if path.is_empty() { name.clone() } else { format!("{path} {name}") };
        if let Some(text) = text(value) {
            all.push((name.clone(), text.clone()));
            if !path.is_empty() {
                all.push((own.clone(), text));
            }
        }
        match value {
            Value::Object(inner) => {
                if let Some(name) = inner.get("name").and_then(Value::as_str) {
                    all.push((own.clone(), name.to_owned()));
                }
                walk(inner, &own, all, text);
            }
            Value::Array(list) => {
                list.iter().filter_map(Value::as_object).for_each(|inner| walk(inner, &own, all, text))
            }
            _ => {}
        }
    }
}

fn of_text(request: &Request, fields: &[Wanted], raw: &str) -> Result<Outcome, Error> {
    let (text, html_pairs) = if html::is_html(raw) { html::read(raw) } else { (raw.to_owned(), Vec::new()) };
    let pairs = pairs(request, &text, &html_pairs);
    let labelled = fields.iter().filter(|field| fill::by_label(&pairs, field).is_some()).count();
    let structured = pairs.len() > 2 && labelled * 2 >= fields.len() && labelled > 0 && !has_prose(&text, &pairs);
    let mut outcome = Outcome { text: text.clone(), confidence: LABELLED, ..Outcome::default() };
    for field in fields {
        let alone = fields.iter().filter(|other| other.sort == field.sort).count() == 1;
        let found = one(&text, &pairs, field, alone);
        put(&mut outcome, &text, field, found, structured)?;
    }
    no_shared(&mut outcome, fields)?;
    Ok(outcome)
}

/// Whether sentences stand beside the labels.
fn has_prose(text: &str, pairs: &[(String, String)]) -> bool {
    let words = text.split_whitespace().count();
    let labelled: usize =
        pairs.iter().map(|(label, value)| label.split_whitespace().count() + value.split_whitespace().count()).sum();
    words > labelled * 3 + 12
}

fn one(text: &str, pairs: &[(String, String)], field: &Wanted, alone: bool) -> Option<Found> {
    if field.many
        && matches!(
            field.sort,
            Sort::Email
                | Sort::Phone
                | Sort::Iban
                | Sort::Url
                | Sort::Hashtag
                | Sort::Mention
                | Sort::Day
                | Sort::Amount
        )
        && let Some(found) = fill::by_form(text, field, alone)
    {
        return Some(found);
    }
    fill::by_label(pairs, field)
        .or_else(|| fill::by_word(text, field))
        .or_else(|| fill::by_form(text, field, alone))
        .or_else(|| party(text, field))
}

/// Who writes and who is written to, by salutation and close.
fn party(text: &str, field: &Wanted) -> Option<Found> {
    let has = |words: &[&str]| field.words.iter().any(|word| words.contains(&word.as_str()));
    let name = |raw: &str| {
        let raw = raw.trim().trim_end_matches([',', '.', '!', ':']).to_owned();
        let fits = !raw.is_empty()
            && raw.split_whitespace().count() <= 4
            && raw.split_whitespace().all(|word| word.chars().next().is_some_and(char::is_uppercase));
        fits.then(|| Found { value: json!(raw.clone()), raw, evidence: Evidence::Word })
    };
    if has(&["sender", "signatory", "author", "absender", "writer"]) {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let close = lines.position(|line| {
            let lower = fold(line);
            [
                "regards",
                "best",
                "kind regards",
                "yours",
                "sincerely",
                "mit freundlichen grussen",
                "viele grusse",
                "cordialement",
                "saludos",
                "thanks",
                "cheers",
                "best regards",
                "yours sincerely",
            ]
            .iter()
            .any(|word| lower.trim_end_matches([',', '.', '!']) == *word)
        });
        return close.and_then(|_| lines.next()).and_then(name);
    }
    if has(&["recipient", "addressee", "empfanger"]) {
        let line = text.lines().find_map(|line| {
            ["Dear ", "Hello ", "Hi ", "Liebe ", "Lieber "].iter().find_map(|word| line.trim().strip_prefix(word))
        })?;
        return name(line.split(',').next()?);
    }
    if has(&["customer", "cliente", "client", "payer", "tenant", "kunde", "kunden"]) {
        for cue in [
            "received from ",
            "recebemos de ",
            "erhalten von ",
            "recu de ",
            "reçu de ",
            "recibimos de ",
            "Received from ",
        ] {
            if let Some(rest) = text.find(cue).and_then(|at| text.get(at + cue.len()..)) {
                return name(rest.split([',', '\n', ';', '(']).next()?);
            }
        }
    }
    None
}

fn put(outcome: &mut Outcome, text: &str, field: &Wanted, found: Option<Found>, structured: bool) -> Result<(), Error> {
    match found {
        Some(found) => {
            let level = match found.evidence {
                Evidence::Label => LABELLED,
                Evidence::Word => WORDED,
                Evidence::Form
                    if matches!(field.sort, Sort::Amount | Sort::Day | Sort::Percent | Sort::Time) && !field.many =>
                {
                    ALONE
                }
                Evidence::Form => WORDED,
            };
            outcome.confidence = outcome.confidence.min(level);
            let kind = match found.evidence {
                Evidence::Label => "label",
                Evidence::Word => "words",
                Evidence::Form => "form",
            };
            outcome.raws.push((field.name.clone(), kind.into(), found.raw));
            outcome.values.push((field.name.clone(), found.value));
            Ok(())
        }
        None if (structured && !said(text, field)) || fill::has_none(text, field) => {
            outcome.values.push((field.name.clone(), Value::Null));
            Ok(())
        }
        None => Err(missing(format!(
            "\"{}\" is not labelled in the text, so it cannot be told which words it is: use the words that stand there, or leave it out",
            field.name
        ))),
    }
}

/// Whether the text speaks of a field at all.
fn said(text: &str, field: &Wanted) -> bool {
    labels::ways(&field.words).iter().any(|way| !labels::places(text, way).is_empty())
}

/// One value for two fields was taken for one of them by mistake.
fn no_shared(outcome: &mut Outcome, fields: &[Wanted]) -> Result<(), Error> {
    for (at, (name, value)) in outcome.values.iter().enumerate() {
        let twin = outcome.values.iter().take(at).find(|(_, other)| other == value && !value.is_null());
        let sorts = |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.sort);
        if let Some((other, _)) = twin.filter(|(other, _)| {
            sorts(other) == sorts(name)
                && outcome.confidence < LABELLED
                && !matches!(sorts(name), Some(Sort::Amount | Sort::Count | Sort::Percent))
        }) {
            return Err(missing(format!(
                "\"{other}\" and \"{name}\" are not told apart in the text: use the words that stand there"
            )));
        }
    }
    Ok(())
}

/// Fields of several records, each a list.
fn of_items(items: &[String], fields: &[Wanted], text: &str) -> Result<Outcome, Error> {
    let mut outcome = Outcome { text: text.to_owned(), confidence: LABELLED, ..Outcome::default() };
    let mut lists: Vec<Vec<Value>> = vec![Vec::new(); fields.len()];
    for item in items {
        let request = Request { instruction: String::new(), material: Request::read(item).material };
        let own_text = item.clone();
        let pairs = pairs(&request, &own_text, &[]);
        for (field, list) in fields.iter().zip(&mut lists) {
            let alone = fields.iter().filter(|other| other.sort == field.sort).count() == 1;
            let found = posting(&own_text, field, fields).or_else(|| one(&own_text, &pairs, field, alone));
            let mut own = Outcome { confidence: outcome.confidence, ..Outcome::default() };
            put(&mut own, &own_text, field, found, false)?;
            outcome.confidence = own.confidence;
            outcome.raws.extend(own.raws);
            list.extend(own.values.into_iter().map(|(_, value)| value));
        }
    }
    outcome.values =
        fields.iter().map(|field| field.name.clone()).zip(lists.into_iter().map(|list| json!(list))).collect();
    Ok(outcome)
}

/// `Night Porter at Hotel Meridian, Vienna.`: role, company and place of a posting.
fn posting(item: &str, field: &Wanted, fields: &[Wanted]) -> Option<Found> {
    let is = |field: &Wanted, words: &[&str]| field.words.iter().any(|word| words.contains(&word.as_str()));
    let first = item.split([',', ':', ';', '(', '–']).next().unwrap_or_default().trim();
    let words: Vec<&str> = first.split_whitespace().collect();
    let person = (2..=3).contains(&words.len())
        && words.iter().all(|word| {
            word.chars().next().is_some_and(char::is_uppercase)
                && word.chars().all(|c| c.is_alphabetic() || "-.'’".contains(c))
        });
    let named = field.words.last().is_some_and(|word| ["name", "person", "names", "persons"].contains(&word.as_str()))
        && field.words.len() < 3;
    if named && person && first.len() < item.len() {
        return Some(Found { value: json!(first), raw: first.to_owned(), evidence: Evidence::Word });
    }
    const ROLE: &[&str] = &["role", "position", "job", "title", "person", "name", "speaker"];
    const FIRM: &[&str] = &["company", "employer", "organisation", "firm", "organization"];
    const TOWN: &[&str] = &["city", "town", "place", "location"];
    if !fields.iter().any(|field| is(field, ROLE)) || !fields.iter().any(|field| is(field, FIRM)) {
        return None;
    }
    let first = item.split(". ").next().unwrap_or(item).trim_end_matches('.');
    let (role, rest) = first.split_once(" at ")?;
    let (firm, town) = rest.split_once(", ").unwrap_or((rest, ""));
    let value = if is(field, FIRM) {
        firm
    } else if is(field, TOWN) {
        town
    } else if is(field, ROLE) {
        role
    } else {
        return None;
    };
    (!value.is_empty() && value.split_whitespace().count() < 6).then(|| Found {
        value: json!(value.trim()),
        raw: value.trim().to_owned(),
        evidence: Evidence::Word,
    })
}

/// `250 g flour`, `3 eggs`: things and how much of each.
fn ingredients(instruction: &str, text: &str) -> Option<Outcome> {
    let folded = fold(instruction);
    let named = ["ingredients", "zutaten", "ingredientes"].iter().find(|word| folded.contains(**word))?;
    let (mut things, mut amounts) = (Vec::new(), Vec::new());
    for found in quantity::scan(text).into_iter().filter(|found| !found.ordinal) {
        let rest = text.get(found.end..)?.trim_start_matches([' ', '-', '–']);
        let rest = rest.strip_prefix("of ").unwrap_or(rest);
        let clause = rest.split(['.', ',', ';', '\n', '(']).next().unwrap_or_default();
        let thing: Vec<&str> = clause
            .split_whitespace()
            .take_while(|word| {
                !["and", "with", "to", "for", "until", "in", "on", "at", "into", "und", "mit"].contains(word)
            })
            .take(3)
            .collect();
        let time = found
            .unit
            .as_deref()
            .is_some_and(|unit| unit.starts_with("min") || unit.starts_with("hour") || unit.starts_with('°'));
        if !thing.is_empty() && !time {
            things.push(json!(thing.join(" ")));
            amounts.push(json!(text.get(found.start..found.end)?.trim()));
        }
    }
    let raws = things
        .iter()
        .filter_map(Value::as_str)
        .map(|thing| ((*named).to_owned(), "words".to_owned(), thing.to_owned()))
        .collect();
    let values = vec![((*named).to_owned(), json!(things)), ("amounts".to_owned(), json!(amounts))];
    (things_len(&values) > 0).then(|| Outcome { values, raws, text: text.to_owned(), confidence: WORDED })
}

fn things_len(values: &[(String, Value)]) -> usize {
    values.first().and_then(|(_, value)| value.as_array()).map_or(0, Vec::len)
}
