//! Columns of a table that set its leads apart: more of a number, yes and no, high and low, stages.

use agent_common::{figures, quantity};

use crate::output::Contribution;
use crate::person::Person;

/// Most points that one column brings.
const MOST: f64 = 8.0;

/// Columns that other signs judge, or that say nothing of a lead's worth.
const JUDGED: [&str; 22] = [
    "budget",
    "employ",
    "size",
    "headcount",
    "name",
    "lead",
    "company",
    "email",
    "mail",
    "phone",
    "title",
    "role",
    "id",
    "zip",
    "postcode",
    "year",
    "date",
    "no.",
    "score",
    "staff",
    "mitarbeiter",
    "country",
];
/// Columns of which less is better.
const LESS: [&str; 20] = [
    "since",
    "ago",
    "month",
    "timeline",
    "bounce",
    "complain",
    "churn",
    "distance",
    "discount",
    "debt",
    "overdue",
    "return",
    "refund",
    "unsubscrib",
    "ticket",
    "days to",
    "weeks",
    "when",
    "age",
    "competitor",
];
/// Columns where yes is bad.
const BAD: [&str; 12] = [
    "unsubscrib",
    "bounce",
    "competitor",
    "complain",
    "spam",
    "lost",
    "do not",
    "opted out",
    "opt out",
    "student",
    "churn",
    "contacted before",
];

fn number_of(label: &str) -> String {
    label.to_lowercase().replace(['_', '-'], " ")
}

fn level(value: &str) -> Option<f64> {
    let value = value.trim().to_lowercase();
    match value.as_str() {
        "yes" | "y" | "true" | "ja" | "oui" | "sí" | "si" | "sim" | "✓" | "✔" | "x" | "high" | "hot" | "hoch"
        | "strong" | "very high" => Some(1.0),
        "medium" | "mid" | "mittel" | "warm" | "moyen" | "some" | "maybe" | "partly" | "in progress" => Some(0.5),
        "no" | "n" | "false" | "nein" | "non" | "não" | "low" | "cold" | "niedrig" | "none" | "✗" | "-" | "–"
        | "weak" | "" => Some(0.0),
        _ => None,
    }
}

/// The points of each lead by the columns that all of them have.
pub fn points(people: &[Person]) -> Vec<Vec<Contribution>> {
    let mut all: Vec<Vec<Contribution>> = vec![Vec::new(); people.len()];
    let Some(first) = people.first() else { return all };
    for (at, (label, _)) in first.fields.iter().enumerate() {
        let label = number_of(label);
        let values: Option<Vec<&str>> = people
            .iter()
            .map(|person| {
                person.fields.get(at).filter(|(own, _)| number_of(own) == label).map(|(_, value)| value.as_str())
            })
            .collect();
        let Some(values) = values else { continue };
        let Some(shares) = shares(&label, &values) else { continue };
        for ((list, share), value) in all.iter_mut().zip(&shares).zip(&values) {
            let points = figures::round(MOST * share);
            list.push(Contribution {
                part: label.clone(),
                points,
                most: MOST,
                reason: format!("\"{}\"", value.trim()),
            });
        }
    }
    all
}

/// For each value its share of the best, from 0 to 1; none where a column sets no leads apart.
fn shares(label: &str, values: &[&str]) -> Option<Vec<f64>> {
    let has = |list: &[&str]| list.iter().any(|word| label.contains(word));
    if values.len() < 2 || JUDGED.iter().any(|word| label == *word || label.split(' ').any(|own| own == *word)) {
        return None;
    }
    let levels: Option<Vec<f64>> = values.iter().map(|value| level(value)).collect();
    let style = quantity::style(values);
    let numbers = || -> Option<Vec<f64>> {
        values.iter().map(|value| quantity::read(value, style).map(|one| one.value)).collect()
    };
    let (list, less) = match levels {
        Some(levels) => (levels, has(&BAD)),
        None => (numbers()?, has(&LESS)),
    };
    let (low, high) =
        list.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(*one), high.max(*one)));
    if high <= low {
        return None;
    }
    Some(
        list.into_iter()
            .map(|one| (one - low) / (high - low))
            .map(|share| if less { 1.0 - share } else { share })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(values: &[(&str, &str)]) -> Person {
        let fields = values.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect();
        Person::of_fields(fields).unwrap()
    }

    #[test]
    fn columns_set_leads_apart() {
        let people = [
            person(&[("account", "North"), ("seats_used", "50"), ("asked_for_upgrade", "yes"), ("bounced", "no")]),
            person(&[("account", "Ortega"), ("seats_used", "6"), ("asked_for_upgrade", "no"), ("bounced", "yes")]),
        ];
        let sums: Vec<f64> = points(&people).iter().map(|list| list.iter().map(|one| one.points).sum()).collect();
        assert_eq!(sums, [24.0, 0.0]);
    }
}
