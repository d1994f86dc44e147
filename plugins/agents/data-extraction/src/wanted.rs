//! The fields that a request names.

use agent_common::columns::{fold, name_words};
use agent_common::{phrases, quotes};

use crate::field_name::clean;
use crate::sort::{Sort, sort};

/// A field that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub name: String,
    pub words: Vec<String>,
    pub sort: Sort,
    /// All there are.
    pub many: bool,
}

/// The fields of a request.
pub fn read(instruction: &str) -> Vec<Wanted> {
    let marked: Vec<String> = quotes::find(instruction)
        .into_iter()
        .filter(|quote| instruction.get(quote.start..).is_some_and(|rest| rest.starts_with('`')))
        .map(|quote| quote.text.to_owned())
        .collect();
    let bare = without_each(instruction);
    let instruction = bare.as_str();
    let names = if marked.len() > 1 { marked } else { split(phrases::fields(instruction), instruction) };
    let mut all: Vec<Wanted> = Vec::new();
    for name in names {
        let name = clean(&name);
        let words = name_words(&name);
        let empty = words.is_empty() || words.iter().all(|word| EMPTY.contains(&word.as_str()));
        if !empty && !all.iter().any(|own| own.name == name) {
            // `total after discount` is a total.
            let cut = words.iter().position(|word| {
                ["after", "before", "including", "incl", "excluding", "excl", "per"].contains(&word.as_str())
            });
            let words: Vec<String> =
                words.iter().take(cut.filter(|at| *at > 0).unwrap_or(words.len())).cloned().collect();
            let last = words.last().cloned().unwrap_or_default();
            let many = is_plural(&last)
                || fold(instruction).contains(&format!("all {}", words.join(" ")))
                || fold(instruction).contains(&format!("every {}", words.join(" ")));
            all.push(Wanted { sort: sort(&words), words, name, many });
        }
    }
    all
}

/// `For each person give name and email`: without whose.
fn without_each(instruction: &str) -> String {
    let lower = fold(instruction);
    let leads = [
        "for each ",
        "for every ",
        "for all ",
        "from this ",
        "from the ",
        "from these ",
        "from each ",
        "in this ",
        "fur jede ",
        "fur jeden ",
        "pour chaque ",
    ];
    let opens = leads.iter().any(|lead| lower.starts_with(lead));
    let verbs = [
        " give ",
        " get ",
        " list ",
        " extract ",
        " return ",
        " pull ",
        " i need ",
        " we need ",
        " show ",
        " find ",
        " take ",
        " tell me ",
        ", ",
        ": ",
    ];
    let cut = verbs.iter().filter_map(|verb| instruction.find(verb)).filter(|at| *at < 60).min().filter(|_| opens);
    match cut.and_then(|at| instruction.get(at..)) {
        Some(rest) => {
            let rest = rest.trim_start_matches([',', ':', ' ']);
            let known = verbs.iter().any(|verb| rest.starts_with(verb.trim_start()) && verb.trim().len() > 1);
            if known { rest.to_owned() } else { format!("extract {rest}") }
        }
        None => instruction.to_owned(),
    }
}

/// Words that name no field.
const EMPTY: &[&str] = &[
    "fields",
    "field",
    "values",
    "value",
    "data",
    "information",
    "info",
    "details",
    "everything",
    "all",
    "following",
    "key",
    "pairs",
    "list",
    "lists",
    "table",
    "it",
    "them",
    "this",
    "json",
    "entities",
    "usual",
    "ones",
    "facts",
    "important",
    "text",
    "below",
    "the",
    "lines",
    "csv",
    "records",
    "structured",
    "relevant",
    "main",
    "things",
    "object",
];

/// Last words of names that ask for all there are.
const PLURALS: &[&str] = &[
    "emails",
    "mails",
    "addresses",
    "phones",
    "numbers",
    "dates",
    "amounts",
    "prices",
    "hashtags",
    "mentions",
    "urls",
    "links",
    "names",
    "people",
    "ibans",
    "totals",
    "codes",
    "ids",
    "persons",
    "organisations",
    "places",
    "times",
    "percentages",
    "websites",
    "quantities",
    "adressen",
    "betrage",
    "nummern",
    "daten",
    "fechas",
    "figures",
    "companies",
    "cities",
    "ingredients",
    "deadlines",
];

fn is_plural(word: &str) -> bool {
    PLURALS.contains(&word)
}

/// `from / to`, `a & b`, and what stands before a colon of its own.
fn split(names: Vec<String>, instruction: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    // Portuguese and Italian join with `e`, which is a letter elsewhere.
    let romance = ["extraia", "estrai", "indique", "preciso", "trova", "encontre", "liste", "qual", "quais", "quali"];
    let asked = fold(instruction);
    let joins_by_e = asked.split(|c: char| !c.is_alphanumeric()).any(|word| romance.contains(&word));
    let names: Vec<String> = names
        .into_iter()
        .flat_map(|name| if joins_by_e { name.split(" e ").map(str::to_owned).collect::<Vec<_>>() } else { vec![name] })
        .collect();
    for name in names {
        let parts: Vec<&str> = if name.contains(" / ") { name.split(" / ").collect() } else { vec![&name] };
        all.extend(parts.into_iter().map(str::to_owned));
    }
    if all.is_empty() {
        // `phone number?`, `invoice number please`
        let first = instruction.split(['?', '.', '\n', ':']).next().unwrap_or_default();
        let short = first.split_whitespace().count() <= 5;
        let known = sort(&name_words(first)) != Sort::Text;
        if short && known {
            all = phrases::list(first);
        }
    }
    all
}
