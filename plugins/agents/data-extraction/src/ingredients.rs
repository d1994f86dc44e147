//! The ingredients of a recipe.

use agent_common::columns::fold;
use agent_common::quantity;
use serde_json::{Value, json};

use crate::outcome::{Outcome, WORDED};

/// `250 g flour`, `3 eggs`: things and how much of each.
pub(crate) fn ingredients(instruction: &str, text: &str) -> Option<Outcome> {
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
