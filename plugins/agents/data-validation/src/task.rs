//! Requests in words: the table, the rules that are said, and what breaks them.

use std::collections::BTreeSet;

use agent_common::columns::fold;
use agent_common::dates::Date;
use agent_common::request::{PieceKind, Request};
use agent_common::sheet::{Kind, Sheet};
use agent_common::table::Table;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::defaults;
use crate::form::Form;
use crate::reading::{self, Sentence};
use crate::rule::{Finding, Rule};

/// Rules were said and understood.
pub const SAID: f64 = 0.9;
/// No rule was said: what every table should hold to was checked.
pub const USUAL: f64 = 0.8;
/// A part of the request was not understood.
pub const PARTLY: f64 = 0.65;
/// Below this, no answer is given.
pub const FLOOR: f64 = 0.6;

/// What a task in words gives.
#[derive(Debug)]
pub struct Outcome {
    pub sheet: Sheet,
    pub rules: Vec<String>,
    pub findings: Vec<Finding>,
    pub confidence: f64,
}

/// What no table tells.
const BEYOND: &[&str] = &[
    "for their",
    "match their",
    "for its",
    "outliers",
    "outlier",
    "lied",
    "lie",
    "lying",
    "unfair",
    "unfairly",
    "fair",
    "market",
    "benchmark",
    "fill",
    "guess",
    "true",
    "truth",
    "honest",
    "real",
    "last year",
    "previous",
    "yesterday",
    "rule 1",
    "rule 2",
    "rule 3",
    "rule 4",
    "rule 5",
    "policy",
    "guideline",
    "guidelines",
    "our rules",
    "the rules",
    "house rules",
    "usual rules",
    "as agreed",
    "specification",
    "spec",
    "permitted limits",
    "allowed limits",
    "the limits",
    "tolerance",
    "tolerances",
    "spelling",
    "spelled",
    "similar",
    "sense",
    "suit",
    "suits",
    "plausible for",
    "look impossible",
    "makes sense",
    "make sense",
    "fits the",
    "belongs",
    "really",
    "actually",
    "exist in reality",
    "still work",
    "still works",
    "deliverable",
    "reachable",
    "fake",
    "fraud",
    "fraudulent",
    "stolen",
    "price list",
    "master list",
    "master data",
    "our catalogue",
    "catalogue",
    "reference list",
    "approved list",
    "official list",
    "sister",
    "other file",
    "second file",
    "other table",
    "translate",
    "profession",
    "capital of",
    "gender",
    "the contract",
    "regulation",
    "law",
    "legal limit",
    "legal limits",
    "attached",
    "attachment",
    "schema file",
    "our database",
    "crm",
    "erp",
    "overpriced",
    "reasonable",
    "realistic",
    "suspicious",
    "competitor",
    "belong",
];

fn missing(message: &str) -> Error {
    Error::invalid("/data", message)
}

/// Answers a task in words.
pub fn answer(task: &str, today: Option<Date>) -> Result<Outcome, Error> {
    let request = Request::read(task);
    let mut tables = request.tables();
    tables.retain(|table| !table.rows.is_empty());
    let instruction = said(&request);
    let instruction = instruction.trim();
    let Some(table) = tables.first().cloned() else {
        return Err(missing(
            "put the table with a header into the task itself (CSV, Markdown or JSON), or give `data` or `records`: the text has none to check",
        ));
    };
    let sheet = Sheet::of(table);
    if let Some(word) = beyond(instruction, &sheet, tables.len()) {
        return Err(missing(&format!(
            "the table alone does not tell what \"{word}\" means here: write the rule itself, such as bounds, allowed values or a formula between its columns ({}), or add what it is compared with",
            sheet.table.columns.join(", ")
        )));
    }
    let known = tables.get(1).map(|other| references(&sheet, other)).unwrap_or_default();
    let (mut rules, confidence) = match read(instruction, &sheet, today) {
        Ok(found) => found,
        Err(_) if !known.is_empty() => (Vec::new(), USUAL),
        Err(error) => return Err(error),
    };
    rules.extend(known);
    let mut findings: Vec<Finding> = Vec::new();
    for rule in &rules {
        for finding in rule.check(&sheet) {
            let known = findings.iter().any(|own| {
                own.rows == finding.rows
                    && (own.field == finding.field || (own.kind == "duplicate" && finding.kind == "duplicate"))
            });
            if !known {
                findings.push(finding);
            }
        }
    }
    findings.sort_by_key(|finding| finding.rows.clone());
    if confidence < FLOOR {
        return Err(missing(
            "a rule of the request was not understood: write it as bounds, allowed values, a form or a formula between columns",
        ));
    }
    Ok(Outcome { rules: rules.iter().map(|rule| rule.text(&sheet)).collect(), sheet, findings, confidence })
}

fn beyond(instruction: &str, sheet: &Sheet, tables: usize) -> Option<&'static str> {
    let folded = format!(
        " {} ",
        fold(instruction).replace(|c: char| !c.is_alphanumeric(), " ").split_whitespace().collect::<Vec<_>>().join(" ")
    );
    let column = |word: &str| {
        sheet.table.columns.iter().any(|name| fold(name).contains(word))
            || sheet.table.rows.iter().flatten().any(|cell| fold(cell) == word)
    };
    BEYOND.iter().copied().find(|word| {
        let two = tables > 1
            && [
                "other table",
                "second file",
                "other file",
                "master list",
                "reference list",
                "price list",
                "catalogue",
                "approved list",
            ]
            .contains(word);
        let filled = *word == "fill" && folded.contains(" filled ");
        folded.contains(&format!(" {word} ")) && !column(word) && !two && !filled
    })
}

/// The rules, and how sure it is that they are what was meant.
fn read(instruction: &str, sheet: &Sheet, today: Option<Date>) -> Result<(Vec<Rule>, f64), Error> {
    let sentences = reading::sentences(instruction, sheet);
    let said = sentences.iter().flat_map(|sentence| &sentence.pieces).find_map(|piece| match piece.token.sort {
        Sort::Day(day) => Some(day),
        _ => None,
    });
    // `As of 1 January 2025` holds for the sentences behind it.
    let reference = said.filter(|_| {
        sentences
            .iter()
            .any(|one| one.has(&["as of", "today", "stichtag", "on the day", "reference date", "per", "stand"]))
    });
    let today = reference.or(today);
    let mut rules: Vec<Rule> = Vec::new();
    let mut topic = None;
    let mut lost = 0;
    for sentence in &sentences {
        let own = reading::rules(sentence, topic, today);
        topic = sentence.columns().first().copied().or(topic);
        if own.is_empty() && is_rule(sentence) {
            lost += 1;
        }
        absent(sentence, &own, sheet)?;
        for rule in own {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    let broad = wants_all(&sentences);
    if rules.is_empty() && lost > 0 {
        return Err(missing(&format!(
            "the rule was not understood: write it as bounds, allowed values, a form or a formula between the columns ({})",
            sheet.table.columns.join(", ")
        )));
    }
    if rules.is_empty() && !broad {
        return Err(missing(&format!(
            "say what should hold of the columns ({}): bounds, allowed values, a form, no gaps, no duplicates, or a formula between them",
            sheet.table.columns.join(", ")
        )));
    }
    if rules.is_empty() || (broad && lost == 0 && names_all(&sentences)) {
        let mut all = rules.clone();
        for rule in defaults::rules(sheet, today) {
            let ruled = rules.iter().any(
                |own| matches!((own, &rule), (Rule::Range(a, ..), Rule::Range(b, ..) | Rule::Numeric(b)) if a == b),
            );
            if !all.contains(&rule) && !ruled {
                all.push(rule);
            }
        }
        return Ok((all, USUAL));
    }
    // A column of bounds has numbers.
    Ok((rules, if lost == 0 { SAID } else { PARTLY }))
}

fn is_rule(sentence: &Sentence<'_>) -> bool {
    sentence.says(&[
        "must", "should", "may", "shall", "muss", "mussen", "darf", "soll", "doit", "debe", "cannot", "never",
        "always", "allowed", "nobody", "only",
    ]) && sentence.pieces.len() > 3
        && !sentence.has(&[
            "only the row numbers",
            "only rows",
            "i only",
            "only list",
            "answer only",
            "only tell",
            "only give",
            "only need",
            "only want",
            "give only",
            "just",
        ])
}

/// Forms that are asked for of columns that are not there.
fn absent(sentence: &Sentence<'_>, own: &[Rule], sheet: &Sheet) -> Result<(), Error> {
    for (name, form) in reading::form_words(sentence) {
        let checked = own.iter().any(|rule| matches!(rule, Rule::Form(_, found) if std::mem::discriminant(found) == std::mem::discriminant(&form)));
        let strict =
            matches!(form, Form::Email | Form::Phone | Form::Postcode(_) | Form::Iban | Form::Isbn | Form::Url);
        if strict && !checked && own.is_empty() && defaults::columns_of(sheet, name).is_empty() {
            return Err(missing(&format!(
                "there is no column of {name} in the table; it has {}",
                sheet.table.columns.join(", ")
            )));
        }
    }
    let named = sentence.columns();
    let column_word = (0..sentence.pieces.len()).find(|at| sentence.is(*at, &["column", "spalte", "colonne", "field"]));
    if let Some(at) = column_word.filter(|_| named.is_empty() && own.is_empty()) {
        let word = sentence.pieces.get(at.wrapping_sub(1)).map_or("", |piece| piece.text.as_str());
        if ["every", "each", "all", "any", "same", "which", "a", "one", "per", "the", "this", "that", "no"]
            .contains(&word)
        {
            return Ok(());
        }
        return Err(missing(&format!(
            "there is no column \"{word}\" in the table; it has {}",
            sheet.table.columns.join(", ")
        )));
    }
    Ok(())
}

/// Whether everything is to be checked.
fn wants_all(sentences: &[Sentence<'_>]) -> bool {
    sentences.iter().any(|sentence| {
        sentence.has(&[
            "check",
            "validate",
            "anything wrong",
            "errors",
            "error",
            "problems",
            "problem",
            "issues",
            "mistakes",
            "mistake",
            "wrong",
            "clean",
            "quality",
            "prufe",
            "prufen",
            "bitte prufen",
            "fehler",
            "correct",
            "verify",
            "validation",
            "ok",
            "okay",
            "in order",
            "sane",
            "sanity",
            "plausible",
            "plausibility",
            "kontrolliere",
            "kontrollieren",
            "verifie",
            "verifiez",
            "revisa",
            "impossible",
            "bad rows",
            "faulty",
            "data check",
            "erreurs",
            "errores",
            "look over",
            "valid",
            "invalid",
            "odd",
            "broken",
            "proofread",
            "audit",
            "flaws",
            "inconsistencies",
            "inconsistent",
            "strange",
        ])
    })
}

/// Whether it is said that all is meant beside a rule: `check everything`, `and anything else`.
fn names_all(sentences: &[Sentence<'_>]) -> bool {
    sentences.iter().any(|sentence| {
        sentence.has(&[
            "anything else",
            "everything",
            "all problems",
            "all errors",
            "any other",
            "anything wrong",
            "alle fehler",
            "every problem",
            "what else",
            "other problems",
        ])
    })
}

/// Values that have to stand in another table.
fn references(sheet: &Sheet, other: &Table) -> Vec<Rule> {
    let mut found = Vec::new();
    for (at, name) in sheet.table.columns.iter().enumerate() {
        let Some(place) = other.columns.iter().position(|own| fold(own) == fold(name)) else { continue };
        let all: BTreeSet<String> = other.cells(place).into_iter().map(fold).collect();
        let overlap = sheet.table.cells(at).iter().filter(|cell| all.contains(&fold(cell))).count();
        if overlap > 0 && (sheet.kind(at) == Kind::Text || sheet.is_label(at)) && all.len() == other.rows.len() {
            found.push(Rule::Known(at, all, other.title.clone().unwrap_or_else(|| "the other table".into())));
            break;
        }
    }
    found
}

/// What is asked; sentences beside a table where nothing else asks.
fn said(request: &Request) -> String {
    if !request.instruction.trim().is_empty() {
        return request.instruction.clone();
    }
    let beside =
        request.material.iter().filter(|piece| piece.kind == PieceKind::Prose && Table::read(&piece.text).is_none());
    beside
        .map(|piece| piece.text.as_str())
        .filter(|text| text.split_whitespace().count() < 60)
        .collect::<Vec<_>>()
        .join("\n")
}
