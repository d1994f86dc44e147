//! Whether all leads that the task speaks of were found and understood.

use agent_common::{number_words, patterns};
use tollbridge_sdk::Error;

use crate::output::Ranked;
use crate::person::Person;

const THINGS: &str = r"(?:[a-z-]+ )?(?:leads?|contacts?|prospects?|enquir(?:y|ies)|inquir(?:y|ies)|people|persons|companies|firms|customers?|clients?|candidates?|attendees|buyers|accounts?|signups|sign-ups|messages|msgs|mails|emails)";

/// How many leads the task says there are.
fn said(text: &str) -> Option<usize> {
    let lower = text.to_lowercase();
    let pattern = format!(
        r"\b(?:these|those|the|my|our|have|got|all|of|rank|score|compare|sort)\s+(\d|two|three|four|five|six)\b(?: {THINGS})?[\s?.,:!]"
    );
    let counted = patterns::groups(&pattern, &lower).get(1).cloned();
    let count =
        |word: &str| word.parse().ok().or_else(|| number_words::cardinal(word).and_then(|n| usize::try_from(n).ok()));
    counted.as_deref().and_then(count).filter(|count| (2..=20).contains(count))
}

/// An error where fewer or more leads were found than the task says, or one alone shall be compared.
pub fn check_count(text: &str, people: &[Person], different: usize) -> Result<(), Error> {
    let found = people.len();
    if let Some(count) = said(text).filter(|count| *count != found && *count != different) {
        let text = format!(
            "the task speaks of {count} leads, and {found} could be told apart; give one lead a line, its name first"
        );
        return Err(Error::invalid("/leads", text));
    }
    let lower = text.to_lowercase();
    let compares = [
        "which ",
        "who ",
        "whom ",
        "rank ",
        "sort ",
        "compare ",
        "better",
        "best first",
        "both ",
        "order of",
        "in order",
        "prioriti",
        "first?",
        "top lead",
        "warmest",
        "hottest",
    ];
    let alone = different == 1 && (found == 1 || people.iter().all(|person| person.fields.is_empty()));
    if alone && compares.iter().any(|word| lower.contains(word)) {
        let text =
            "only one lead could be told apart, and several are to be compared; give one lead a line, its name first";
        return Err(Error::invalid("/leads", text));
    }
    Ok(())
}

/// An error where a line among the lines of leads was not read as one.
pub fn check_lines(text: &str, people: &[Person]) -> Result<(), Error> {
    if people.iter().any(|person| !person.fields.is_empty()) {
        return Ok(());
    }
    for block in text.split("\n\n") {
        let lines: Vec<&str> = block.lines().filter(|line| !line.trim().is_empty()).collect();
        let is_lead = |line: &str| {
            people.iter().any(|person| {
                line.contains(&person.name) || (!person.text.is_empty() && line.contains(person.text.as_str()))
            })
        };
        let Some(first) = lines.iter().position(|line| is_lead(line)) else { continue };
        if lines.iter().filter(|line| is_lead(line)).count() < 2 {
            continue;
        }
        let open = |line: &&&str| {
            let line = line.trim();
            let word = line
                .split(|c: char| !c.is_alphanumeric())
                .find(|word| !word.is_empty())
                .unwrap_or_default()
                .to_lowercase();
            let shaped = line.contains([',', '|', '–', '(', ':']) || line.contains(" - ");
            shaped
                && line.split_whitespace().count() > 2
                && !line.ends_with(['?', ':', '.', '!'])
                && !crate::people::NO_NAMES.contains(&word.as_str())
        };
        if let Some(line) = lines.iter().skip(first).filter(|line| !is_lead(line)).find(open) {
            let start: String = line.trim().chars().take(40).collect();
            let text = format!(
                "the line \"{start}\" could not be read as a lead; begin it with the name, then a comma or a dash"
            );
            return Err(Error::invalid("/leads", text));
        }
    }
    Ok(())
}

/// An error where nothing that is said of a lead is understood, and its place hangs on that.
pub fn check_known(ranking: &[Ranked], people: &[Person]) -> Result<(), Error> {
    let silent = |ranked: &&Ranked| {
        let known = ranked
            .contributions
            .iter()
            .any(|one| !["base", "contact"].contains(&one.part.as_str()) && one.points != 0.0);
        let words = people.get(ranked.index).map_or(0, |person| {
            if !person.fields.is_empty() {
                return 0;
            }
            let rest = person.text.strip_prefix(&person.name).unwrap_or(&person.text);
            rest.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 2).count()
        });
        !known && words > 1
    };
    let Some(one) = ranking.iter().find(silent).filter(|_| ranking.len() > 1) else { return Ok(()) };
    let text = format!(
        "what is said of {} holds no sign that this agent knows (title, employees, budget, timing, what was asked for); add one, or set points of your own",
        one.lead
    );
    Err(Error::invalid("/leads", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_are_counted() {
        let person = |name: &str| Person { name: name.to_owned(), ..Person::default() };
        let two = [person("A"), person("B")];
        assert!(check_count("which of these 3 should I ring first?", &two, 2).is_err());
        assert!(check_count("Please rank these two as leads for us.", &two, 2).is_ok());
        assert!(check_count("Who is better?", &two[..1], 1).is_err());
        assert!(check_count("Score this lead.", &two[..1], 1).is_ok());
    }
}
