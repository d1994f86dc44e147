//! The score of a lead in words: by its signs, or by the rules that the task sets.

use agent_common::figures;

use crate::criteria;
use crate::output::{Contribution, Ranked};
use crate::person::Person;
use crate::signals;

/// Points that the bridge's score of the contact brings at most, where leads are judged by words.
const CONTACT: f64 = 0.1;

/// Sets the score by signs in words, or by the task's own rules.
pub fn judge(ranked: &mut Ranked, person: &Person, rules: &[criteria::Group], extra: Vec<Contribution>) {
    ranked.lead.clone_from(&person.name);
    if !rules.is_empty() {
        let counted = criteria::score(person, rules);
        ranked.score = figures::round(counted.iter().map(|(_, points)| points).sum());
        ranked.contributions = counted
            .into_iter()
            .map(|(part, points)| Contribution { part, points, most: points.max(0.0), reason: "your rule".to_owned() })
            .collect();
    } else {
        let contact = figures::round(ranked.score * CONTACT);
        let mut contributions = signals::points(person);
        contributions.extend(extra);
        let reason = format!("the contact scores {} of 100", figures::figure(ranked.score));
        contributions.push(Contribution { part: "contact".to_owned(), points: contact, most: 100.0 * CONTACT, reason });
        let sum: f64 = contributions.iter().map(|one| one.points).sum();
        ranked.score = figures::round(sum.clamp(0.0, 100.0));
        ranked.contributions = contributions;
    }
    ranked.grade = match ranked.score {
        score if score >= 75.0 => "A",
        score if score >= 55.0 => "B",
        score if score >= 35.0 => "C",
        _ => "D",
    }
    .to_owned();
}
