//! Rules of numbers: ranges, each with its label.

use agent_common::number_words;

use crate::range::{Range, range};
use crate::rule_words::{Decided, OTHERWISE, label_in, word_at};

/// `under 500 are small, 500 to 5,000 medium, more than 5,000 large`.
#[derive(Debug, PartialEq)]
pub struct NumberRules {
    ranges: Vec<Range>,
    rest: Option<String>,
}

impl NumberRules {
    /// The ranges of a request, one for each label at least; none if a label has none.
    #[must_use]
    pub fn read(request: &str, labels: &[String]) -> Option<Self> {
        let hidden = in_digits(&hide_thousands(request));
        let mut ranges = Vec::new();
        let mut rest = None;
        for clause in hidden.split([',', ';', '\n', '?']).flat_map(|part| part.split(". ")).flat_map(halves) {
            let lower = clause.to_lowercase();
            if ["today is", "as of ", "heute ist"].iter().any(|cue| lower.trim_start().starts_with(cue)) {
                continue;
            }
            let Some(label) = label_in(clause, labels).filter(|_| !labels.is_empty()) else {
                // A range without a label: the rules are not understood.
                if range(&lower, String::new()).is_some() {
                    return None;
                }
                continue;
            };
            let left = ["everything", "anything", "all other", "any other", "the others", "later ones"];
            if OTHERWISE.iter().chain(&left).any(|word| word_at(&lower, word).is_some())
                && !lower.contains(|c: char| c.is_ascii_digit())
            {
                rest = Some(label);
            } else if let Some(range) = range(&without(&lower, &label.to_lowercase()), label) {
                ranges.push(range);
            }
        }
        let has = |label: &String| ranges.iter().any(|range| range.label == *label) || rest.as_ref() == Some(label);
        (labels.len() > 1 && ranges.len() + usize::from(rest.is_some()) >= 2 && labels.iter().all(has))
            .then_some(Self { ranges, rest })
    }

    /// The ranges of a request whose labels are named by its ranges alone.
    #[must_use]
    pub fn read_alone(request: &str) -> Option<Self> {
        let hidden = in_digits(&hide_thousands(request));
        let clauses = hidden.split([',', ';', '\n', '?']).flat_map(|part| part.split(". "));
        let mut labels: Vec<String> = clauses.filter_map(named).collect();
        labels.dedup();
        Self::read(request, &labels)
    }

    /// The label of a number.
    pub fn decide(&self, value: f64) -> Decided {
        let fits = |range: &&Range| {
            (value > range.low || (range.low_in && value == range.low))
                && (value < range.high || (range.high_in && value == range.high))
        };
        let mut own: Vec<&String> = self.ranges.iter().filter(fits).map(|range| &range.label).collect();
        own.dedup();
        match (own.as_slice(), &self.rest) {
            ([label], _) => Ok(((*label).clone(), 0.95, vec![value.to_string()])),
            ([], Some(rest)) => Ok((rest.clone(), 0.9, vec![value.to_string()])),
            ([], None) => Err(format!("no rule covers {value}: add a range for it")),
            ([first, second, ..], _) => Err(format!(
                "the rules contradict each other: {value} is both {first} and {second}, say which rule holds"
            )),
        }
    }
}

/// `50 to 80 medium and over 80 large` as two.
fn halves(part: &str) -> Vec<&str> {
    match part.split_once(" and over ") {
        Some((left, right)) if right.starts_with(|c: char| c.is_ascii_digit() || "€$£".contains(c)) => {
            let at = left.len() + " and ".len();
            [Some(left), part.get(at..)].into_iter().flatten().collect()
        }
        _ => vec![part],
    }
}

/// `more than ten words` as `more than 10 words`.
fn in_digits(text: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let number = number_words::cardinal(bare).filter(|number| *number > 1)?;
        Some(word.replacen(bare, &number.to_string(), 1))
    };
    text.split('\n')
        .map(|line| {
            line.split(' ').map(|one| word(one).unwrap_or_else(|| one.to_owned())).collect::<Vec<_>>().join(" ")
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// `5,000` as `5000`, so that commas part clauses only.
fn hide_thousands(text: &str) -> String {
    let signs: Vec<char> = text.chars().collect();
    let digit = |at: Option<usize>| at.and_then(|at| signs.get(at)).is_some_and(char::is_ascii_digit);
    let keep = |(at, c): &(usize, &char)| {
        !(**c == ','
            && digit(at.checked_sub(1))
            && digit(Some(at + 1))
            && digit(Some(at + 2))
            && digit(Some(at + 3))
            && !digit(Some(at + 4)))
    };
    signs.iter().enumerate().filter(keep).map(|(_, c)| *c).collect()
}

/// The name beside a range: `minor` of `under 18 = minor`, `PASS` of `50 or more are PASS`.
fn named(clause: &str) -> Option<String> {
    let rest = OTHERWISE.iter().any(|word| word_at(&clause.to_lowercase(), word).is_some());
    if !rest && !clause.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let [only] = agent_common::quotes::find(clause).as_slice() {
        return Some(only.text.to_owned());
    }
    let clean = |text: &str| -> Option<String> {
        let bare = text.trim().trim_matches(|c: char| "\"“”'`.:;,() ".contains(c));
        let digits = bare.contains(|c: char| c.is_ascii_digit());
        let code = !bare.contains(' ') && bare.starts_with(char::is_alphabetic);
        let header =
            ["from", "to", "sent", "date", "today", "subject", "due", "on", "at", "in", "the", "it", "and", "or"];
        if header.contains(&bare.to_lowercase().as_str()) {
            return None;
        }
        let fits = (1..3).contains(&bare.split_whitespace().count()) && (!digits || code);
        fits.then(|| bare.to_owned())
    };
    if rest {
        let lower = clause.to_lowercase();
        let word = OTHERWISE.iter().find_map(|word| word_at(&lower, word).map(|at| at + word.len()))?;
        let idle = [
            "is", "are", "label", "it", "it's", "its", "as", "be", "they", "they're", "call", "mark", "goes", "to",
            "in", "gets", "=", "->", "→", ":",
        ];
        let words: Vec<&str> = clause.get(word..)?.split_whitespace().filter(|word| !idle.contains(word)).collect();
        return clean(&words.join(" "));
    }
    if let Some(name) =
        clause.split_once(" for ").and_then(|(left, _)| clean(left.rsplit([':', '.']).next().unwrap_or(left)))
    {
        return Some(name);
    }
    let signs = [" = ", " -> ", " → ", " => ", " is ", " are ", " means ", ": ", " gets ", " get ", " goes to "];
    if let Some((left, right)) = signs.iter().find_map(|sign| clause.rsplit_once(sign)) {
        let beside = clean(right).or_else(|| clean(left.rsplit([':', '.']).next().unwrap_or(left)));
        if !right.contains(|c: char| c.is_ascii_digit()) {
            return beside;
        }
        if let Some(name) = trailing(right, &clean).or(beside) {
            return Some(name);
        }
    }
    trailing(clause, &clean).or_else(|| leading(clause, &clean))
}

/// The words before the first number of a clause: `F below 70`.
fn leading(clause: &str, clean: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let at = clause.find(|c: char| c.is_ascii_digit())?;
    let idle = [
        "below", "under", "above", "over", "from", "up", "to", "at", "least", "most", "more", "less", "than", "and",
        "is", "=", "<", ">", "between", "for",
    ];
    let words: Vec<&str> =
        clause.get(..at)?.split_whitespace().filter(|word| !idle.contains(&word.to_lowercase().as_str())).collect();
    clean(&words.join(" "))
}

/// A clause without the word that is its label.
fn without(clause: &str, label: &str) -> String {
    match word_at(clause, label) {
        Some(at) => {
            format!("{} {}", clause.get(..at).unwrap_or_default(), clause.get(at + label.len()..).unwrap_or_default())
        }
        None => clause.to_owned(),
    }
}

/// The words behind the last number of a clause.
fn trailing(clause: &str, clean: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let all: Vec<&str> = clause.split_whitespace().collect();
    let is_number = |word: &&&str| {
        word.trim_start_matches(|c: char| "€$£<>=≥≤(\"".contains(c)).starts_with(|c: char| c.is_ascii_digit())
    };
    let at = all.iter().rposition(|word| is_number(&word))?;
    let idle = [
        "or", "more", "less", "and", "above", "below", "up", "over", "under", "euros", "euro", "years", "points", "kg",
        "g", "km", "is", "are", "%", "percent", "label", "then", "it", "as", "call", "tag", "to", "be", "eur",
        "degrees", "minutes", "days", "hours", "higher", "lower", "old", "older", "stars", "=",
    ];
    let words: Vec<&str> =
        all.get(at + 1..)?.iter().copied().filter(|word| !idle.contains(&word.to_lowercase().as_str())).collect();
    clean(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &str) -> Vec<String> {
        names.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn numbers_decide() {
        let cases = [
            (
                "invoices under 500 are \"small\", 500 up to and including 5,000 \"medium\", more than 5,000 \"large\"",
                "small|medium|large",
                5000.0,
                "medium",
            ),
            (
                "invoices under 500 are \"small\", 500 up to and including 5,000 \"medium\", more than 5,000 \"large\"",
                "small|medium|large",
                499.99,
                "small",
            ),
            ("under 18 = minor, 18-64 = adult, 65+ = senior", "minor|adult|senior", 65.0, "senior"),
            ("Scores of 50 or more are PASS, below 50 FAIL", "PASS|FAIL", 50.0, "PASS"),
            ("up to 20 cheap, 20.01 to 100 mid, above 100 expensive", "cheap|mid|expensive", 3.5, "cheap"),
            ("over 100 is priority, everything else standard", "priority|standard", 100.0, "standard"),
        ];
        for (text, names, value, expect) in cases {
            let rules = NumberRules::read(text, &labels(names)).unwrap();
            assert_eq!(rules.decide(value).unwrap().0, expect, "{text} {value}");
        }
        let alone = [
            ("Grades: A for 90 and above, B for 80-89, C for 70-79, F below 70.", 75.0, "C"),
            ("Label by price: up to 20 cheap, 20.01 to 100 mid, above 100 expensive.", 3.5, "cheap"),
            ("Age groups: under 18 = minor, 18-64 = adult, 65+ = senior.", 40.0, "adult"),
            ("Scores of 50 or more are PASS, below 50 FAIL.", 49.0, "FAIL"),
            ("Rule: parcels up to 2 kg are A1, heavier than 2 kg and up to 10 kg B2, above 10 kg C3.", 2.0, "A1"),
            ("Rule: parcels up to 2 kg are A1, heavier than 2 kg and up to 10 kg B2, above 10 kg C3.", 9.0, "B2"),
            ("If the temperature is above 30 label hot; if it is below 10 label cold; otherwise ok.", 20.0, "ok"),
        ];
        for (text, value, expect) in alone {
            let rules = NumberRules::read_alone(text).unwrap();
            assert_eq!(rules.decide(value).unwrap().0, expect, "{text} {value}");
        }
    }
}
