//! Signs of a good lead, each with its points, found by words.
//!
//! Every good sign adds and no sign takes another's points away, so that a lead
//! of which more good is known never scores less.

use crate::output::Contribution;
use crate::person::Person;
use crate::sign_words::{AGAINST, GROUPS};

/// Where a lead begins of which nothing speaks for or against it.
const BASE: f64 = 20.0;

const NOT: [&str; 14] =
    ["no", "not", "without", "never", "didn't", "hasn't", "ohne", "kein", "keine", "sans", "pas", "sem", "sin", "non"];

fn words_before(text: &str, at: usize) -> Vec<&str> {
    let clause = text.get(..at).unwrap_or_default().rsplit([',', ';', '.', '(', '\n']).next().unwrap_or_default();
    clause.split_whitespace().rev().take(2).collect()
}

/// Whether a text has a word whole, and does not deny it.
pub fn says(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let open = word.len() > 5 && word.ends_with(|c: char| c.is_alphabetic());
    text.match_indices(word).any(|(at, _)| {
        let after = text.get(at + word.len()..).unwrap_or_default();
        let whole = edge(text.get(..at).and_then(|before| before.chars().next_back()))
            && (edge(after.chars().next()) || open || word.ends_with('.'));
        let rest: String = after.chars().take(22).collect();
        let answer = rest.split_once([':', '=']).map(|(_, value)| value.trim_start()).unwrap_or_default();
        let denied = ["no", "false", "nein", "0", "none", "null", "non", "não", "-"]
            .iter()
            .any(|no| answer.strip_prefix(no).is_some_and(|rest| edge(rest.chars().next())));
        whole && !denied && !words_before(text, at).iter().any(|word| NOT.contains(word))
    })
}

/// The text of a lead in small letters, underscores apart.
pub fn lower(person: &Person) -> String {
    person.text.to_lowercase().replace('_', " ").replace('’', "'")
}

/// An amount behind `budget`, or money that is set aside.
pub fn budget(person: &Person) -> Option<f64> {
    let text = lower(person);
    let amounts = agent_common::quantity::scan(&text);
    let at = ["budget", "orçamento", "presupuesto"].iter().find_map(|word| text.find(word).map(|at| (at, word.len())));
    let near = at.and_then(|(at, len)| {
        amounts
            .iter()
            .find(|q| q.start >= at + len && q.start - at - len < 16)
            .or_else(|| amounts.iter().rev().find(|q| q.end <= at && at - q.end < 8))
    });
    near.or_else(|| amounts.iter().find(|q| q.currency.is_some() && q.value >= 500.0)).map(|q| q.value)
}

/// How many work there.
pub fn employees(person: &Person) -> Option<f64> {
    if let Some(known) = person.lead.employees {
        return Some(known.into());
    }
    let text = lower(person);
    let words = [
        "employees",
        "employee",
        "people",
        "staff",
        "person company",
        "-person",
        "salariés",
        "mitarbeiter",
        "funcionários",
        "empleados",
        "dipendenti",
        "medewerkers",
        "beds",
        "headcount",
    ];
    let amounts = agent_common::quantity::scan(&text);
    let near = |q: &&agent_common::quantity::Quantity| {
        let after: String = text.get(q.end..).unwrap_or_default().chars().take(22).collect();
        q.unit.as_deref().is_some_and(|unit| words.contains(&unit))
            || words.iter().any(|word| after.trim_start().starts_with(word) || after.starts_with(word))
    };
    amounts.iter().find(near).map(|q| q.value)
}

/// The points of a lead by its signs; the contact is judged elsewhere.
pub fn points(person: &Person) -> Vec<Contribution> {
    let text = lower(person);
    let mut all = vec![part("base", BASE, BASE, "where every lead begins".to_owned())];
    for (name, most, words) in GROUPS {
        let found = words.iter().filter(|(word, _)| says(&text, word)).max_by(|a, b| a.1.total_cmp(&b.1));
        match found {
            Some((word, points)) => all.push(part(name, *points, most, format!("\"{word}\""))),
            None => all.push(part(name, 0.0, most, "nothing is said".to_owned())),
        }
    }
    let money = budget(person).filter(|amount| *amount > 0.0);
    let said = money.is_none() && says(&text, "budget");
    let points = money.map_or(if said { 8.0 } else { 0.0 }, |amount| (4.0 + 2.0 * amount.max(1.0).log10()).min(15.0));
    all.push(part(
        "budget",
        points,
        15.0,
        money.map_or_else(
            || if said { "a budget, no amount".to_owned() } else { "none is named".to_owned() },
            |amount| format!("{amount}"),
        ),
    ));
    let size = employees(person);
    let points = size.map_or(0.0, |count| (2.5 * (1.0 + count).log10()).min(10.0));
    all.push(part(
        "size",
        points,
        10.0,
        size.map_or_else(|| "not known".to_owned(), |count| format!("{count} employees")),
    ));
    for (word, points) in AGAINST.iter().filter(|(word, _)| against(&text, word)) {
        all.push(part("against", *points, 0.0, format!("\"{word}\"")));
    }
    all
}

/// A word against a lead stands for itself, also behind `no`.
fn against(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        edge(text.get(..at).and_then(|before| before.chars().next_back()))
            && (word.ends_with('.') || edge(text.get(at + word.len()..).and_then(|after| after.chars().next())))
            && (word.contains(' ') || !words_before(text, at).iter().any(|word| ["not", "never", "no"].contains(word)))
    })
}

fn part(name: &str, points: f64, most: f64, reason: String) -> Contribution {
    Contribution { part: name.to_owned(), points: agent_common::figures::round(points), most, reason }
}

/// Whether anything is known that speaks for or against a lead.
pub fn any(contributions: &[Contribution]) -> bool {
    contributions.iter().any(|one| one.part != "base" && one.points != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(text: &str) -> f64 {
        let person = Person { text: text.to_owned(), name: "x".into(), ..Person::default() };
        points(&person).iter().map(|one| one.points).sum()
    }

    #[test]
    fn better_leads_score_more() {
        let pairs = [
            ("COO, 240 employees, asked for a demo, budget 50k", "office assistant, 4 employees, x@gmail.com"),
            (
                "directrice des achats (800 salariés), budget 120 000 € validé, souhaite une démonstration",
                "étudiant, cherche des infos, pas de budget",
            ),
            (
                "opened 9 emails, booked a demo, VP of Engineering at a 700-person company",
                "unsubscribed from all emails",
            ),
            ("owner, demo requested, budget 20k", "summer temp, no demo, no budget"),
            ("title: CEO; demo: yes; budget: 100000 USD", "title: Student; demo: no; budget: 0"),
            ("asked for a quote", "asked for a demo"),
            ("asked for a demo", "downloaded the whitepaper"),
            ("downloaded the whitepaper", "did nothing so far"),
            ("manager, budget £50k", "manager, budget £5k"),
        ];
        for (better, worse) in pairs {
            assert!(total(better) > total(worse), "{better}: {} {worse}: {}", total(better), total(worse));
        }
    }

    #[test]
    fn more_good_signs_never_lower_the_score() {
        let signs = ["director", "demo requested", "budget 50k", "500 employees", "next week", "opened 3 emails"];
        for first in signs {
            for second in signs {
                assert!(total(&format!("{first}, {second}")) >= total(first), "{first} {second}");
            }
        }
    }
}
