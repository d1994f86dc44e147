//! The rules that a request says, and how sure it is that they are what was meant.

use agent_common::dates::Date;
use agent_common::sheet::Sheet;
use agent_common::tokens::Sort;
use tollbridge_sdk::Error;

use crate::absent::absent;
use crate::confidence::{PARTLY, SAID, USUAL};
use crate::covered::{day_pattern, uncovered};
use crate::form::Form;
use crate::refusal::missing;
use crate::rule::Rule;
use crate::scope::{is_rule, names_all, wants_all};
use crate::sentence::sentences;
use crate::{defaults, reading};

const REFERENCE: &[&str] = &["as of", "today", "stichtag", "on the day", "reference date", "per", "stand"];

/// The rules, and how sure it is that they are what was meant.
pub(crate) fn read(instruction: &str, sheet: &Sheet, today: Option<Date>) -> Result<(Vec<Rule>, f64), Error> {
    let sentences = sentences(instruction, sheet);
    let said = sentences.iter().flat_map(|sentence| &sentence.pieces).find_map(|piece| match piece.token.sort {
        Sort::Day(day) => Some(day),
        _ => None,
    });
    // `As of 1 January 2025` holds for the sentences behind it.
    let reference = said.filter(|_| sentences.iter().any(|one| one.has(REFERENCE)));
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
        if let Some(word) = uncovered(sentence, &own) {
            return Err(missing(&format!(
                "what is said of \"{word}\" was not understood: write each rule as a sentence of its own, with bounds, allowed values, a form or a formula between the columns ({})",
                sheet.table.columns.join(", ")
            )));
        }
        for rule in own {
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    // A pattern of days is more than that they are days.
    let formed = rules.iter().any(|rule| matches!(rule, Rule::Form(_, Form::IsoDay | Form::Like(_))));
    if let Some(pattern) = day_pattern(instruction).filter(|_| !formed) {
        return Err(missing(&format!("days are checked as YYYY-MM-DD or in any form, not as \"{pattern}\"")));
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
