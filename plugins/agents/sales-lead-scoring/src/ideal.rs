//! What the person looks for: `our ideal customer: restaurants, 3+ locations`, `bigger usage is better`.

use agent_common::sentences::{self, stems};
use agent_common::{figures, patterns, quantity};

use crate::output::Contribution;
use crate::person::Person;
use crate::signals;

/// Points of each wish that a lead meets.
const EACH: f64 = 12.0;
/// Points of the most of something that the person wants more of.
const MORE: f64 = 30.0;

/// Points of a lead that the person rules out.
const OUT: f64 = -60.0;

/// The wishes of a task.
fn wishes(said: &str) -> Vec<String> {
    let pattern = r"(?i)\b(?:ideal|perfect|best|target|typical|dream) (?:customers?|clients?|leads?|buyers?|fit|accounts?|prospects?)\b(?: profile)?\s*(?:is|are|:|=|-|–)\s*(.+)|\b(?:icp|we (?:look|are looking|search) for|we sell (?:best )?to|we want)\s*:?\s*(.+)";
    let mut found = Vec::new();
    for sentence in said.lines().flat_map(sentences::split).map(|one| one.text) {
        let groups = patterns::groups(pattern, sentence);
        let Some(list) = groups.iter().skip(1).find(|group| !group.is_empty()) else { continue };
        let list = list.trim_end_matches(['.', '!', ' ']).replace(" and ", ", ").replace(" with ", ", ");
        found.extend(list.split([',', ';']).map(|wish| wish.trim().to_lowercase()).filter(|wish| !wish.is_empty()));
    }
    found
}

fn stem(word: &str) -> String {
    stems(word).into_iter().next().unwrap_or_else(|| word.to_owned())
}

/// Whether a lead meets a wish: its words, or its number of things.
fn meets(person: &Person, wish: &str) -> bool {
    let text = signals::lower(person);
    if let Some(least) = quantity::scan(wish).into_iter().next() {
        let noun = wish
            .get(least.end..)
            .unwrap_or_default()
            .split_whitespace()
            .find(|word| word.chars().all(char::is_alphabetic));
        let Some(noun) = noun.map(stem) else { return false };
        let most = ["under", "less", "fewer", "below", "up to", "at most"].iter().any(|word| wish.contains(word));
        return quantity::scan(&text).iter().any(|own| {
            let behind = text.get(own.end..).unwrap_or_default();
            let beside = own
                .unit
                .iter()
                .map(String::as_str)
                .chain(behind.split_whitespace().take(2))
                .any(|word| stem(word.trim_matches(',')) == noun);
            beside && if most { own.value <= least.value } else { own.value >= least.value }
        });
    }
    const EMPTY: [&str; 12] =
        ["using", "today", "with", "have", "has", "that", "who", "are", "now", "already", "companies", "firms"];
    let kept: Vec<&str> = wish.split_whitespace().filter(|word| !EMPTY.contains(word)).collect();
    let wanted = stems(&kept.join(" "));
    let have = stems(&text);
    !wanted.is_empty() && wanted.iter().all(|one| have.contains(one))
}

/// `bigger usage = better`, `more seats is better`: what there shall be more of, as a stem.
fn more_of(said: &str) -> Option<String> {
    let pattern = r"\b(?:bigger|larger|more|higher|greater|größer\w*|mehr)\s+([a-z]{3,})\b[^.\n]{0,20}(?:=|is|are|means|:)\s*(?:better|best|hotter|higher|more|warmer)";
    let groups = patterns::groups(pattern, &said.to_lowercase());
    groups.get(1).map(|noun| stem(noun))
}

/// A number beside a noun: `usage 12k kWh`, `40 vans`.
fn amount_of(person: &Person, noun: &str) -> Option<f64> {
    let text = signals::lower(person);
    let amounts = quantity::scan(&text);
    let at = text
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| stem(word) == noun)
        .and_then(|word| text.find(word).map(|at| (at, word.len())))?;
    let behind = amounts.iter().find(|own| own.start >= at.0 + at.1 && own.start - at.0 - at.1 < 12);
    behind.or_else(|| amounts.iter().rev().find(|own| own.end <= at.0 && at.0 - own.end < 6)).map(|own| {
        // `1.2m kWh` are no metres.
        let millions = own.unit.as_deref() == Some("m")
            && text.get(own.start..own.end).is_some_and(|written| written.ends_with('m'));
        if millions { own.value * 1e6 } else { own.value }
    })
}

/// Whether a lead has none of something: `consent: no`, `no consent`.
fn lacks(person: &Person, noun: &str) -> bool {
    let field = person.fields.iter().find(|(label, _)| label.to_lowercase().contains(noun));
    match field {
        Some((_, value)) => {
            ["no", "n", "false", "none", "-", "", "nein", "0"].contains(&value.trim().to_lowercase().as_str())
        }
        None => {
            signals::lower(person).contains(&format!("no {noun}"))
                || signals::lower(person).contains(&format!("without {noun}"))
        }
    }
}

/// The points of each lead by what the person looks for.
pub fn points(task: &str, people: &[Person]) -> Vec<Vec<Contribution>> {
    let said: Vec<&str> =
        task.lines().filter(|line| !people.iter().any(|person| line.contains(&person.name))).collect();
    let said = said.join("\n");
    let wishes = wishes(&said);
    let more = more_of(&said);
    let out = r"\bwithout (?:an? |any )?([a-z]{3,})\b[^.\n]{0,12}\b(?:is|are|goes|go|comes|come|=) (?:out|last|lowest|excluded|ruled out|at the bottom)";
    let outside = patterns::all(out, &said.to_lowercase());
    let amounts: Vec<Option<f64>> =
        people.iter().map(|person| more.as_ref().and_then(|noun| amount_of(person, noun))).collect();
    let most = amounts.iter().flatten().fold(0.0_f64, |most, one| most.max(*one));
    let of = |(person, amount): (&Person, &Option<f64>)| {
        let mut all: Vec<Contribution> = wishes
            .iter()
            .filter(|wish| meets(person, wish))
            .map(|wish| Contribution {
                part: "ideal".to_owned(),
                points: EACH,
                most: EACH,
                reason: format!("\"{wish}\""),
            })
            .collect();
        if outside.iter().any(|noun| lacks(person, noun)) {
            all.push(Contribution {
                part: "ruled out".to_owned(),
                points: OUT,
                most: 0.0,
                reason: "your rule".to_owned(),
            });
        }
        if let (Some(amount), true) = (amount, most > 0.0) {
            let points = figures::round(MORE * amount / most);
            all.push(Contribution { part: "more".to_owned(), points, most: MORE, reason: figures::figure(*amount) });
        }
        all
    };
    people.iter().zip(&amounts).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_looked_for_counts() {
        let person =
            |name: &str, text: &str| Person { name: name.to_owned(), text: text.to_owned(), ..Person::default() };
        let people = [
            person("Nove", "Nove - restaurant, 6 locations, paper rosters, asked for a call"),
            person("Mimi", "Mimi - kiosk, 1 location, already uses a competitor app"),
            person("Wren", "Wren - restaurant, 1 location, paper rosters"),
        ];
        let task = "Our ideal customer: restaurants, 3+ locations, using paper rosters today. Compare";
        let sums: Vec<f64> = points(task, &people).iter().map(|list| list.iter().map(|one| one.points).sum()).collect();
        assert_eq!(sums, [36.0, 0.0, 24.0]);
        let people = [person("A", "A: usage 12k kWh"), person("B", "B: usage 24k kWh")];
        let sums: Vec<f64> = points("bigger usage = better lead", &people)
            .iter()
            .map(|list| list.iter().map(|one| one.points).sum())
            .collect();
        assert_eq!(sums, [15.0, 30.0]);
    }
}
