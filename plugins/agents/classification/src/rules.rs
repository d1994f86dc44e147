//! Rules that the task states: words that decide, and ranges of numbers.

use agent_common::quantity;

use crate::concepts::REST;

/// A label, how sure, and what shows it; or why nothing can be decided.
pub type Decided = Result<(String, f64, Vec<String>), String>;

/// `anything that mentions invoice or refund goes to FINANCE; the rest to OTHER`.
#[derive(Debug, Default, PartialEq)]
pub struct WordRules {
    rules: Vec<(Vec<String>, String)>,
    rest: Option<String>,
}

const MENTIONS: &[&str] = &[
    "ending with",
    "ending in",
    "ends with",
    "starting with",
    "mentions",
    "mention",
    "contains",
    "contain",
    "containing",
    "includes the word",
    "has the word",
    "with the word",
    "with the words",
    "says",
    "speaks of",
    "talks about",
    "mentioning",
    "about",
    "is about",
    "includes",
    "including",
    "has",
];
const GOES: &[&str] = &[
    " goes to ",
    " go to ",
    " goes into ",
    " go into ",
    " goes in ",
    " is labelled ",
    " is labeled ",
    " label it ",
    " label ",
    " is ",
    " = ",
    " -> ",
    " → ",
    " => ",
    " gets ",
    " get ",
    " are ",
    " tag it ",
    " tag as ",
    " call it ",
    " mark it as ",
    " mark as ",
    " mark it ",
    " classify as ",
    " then ",
    " belongs to ",
    " belong to ",
    ": ",
    ", ",
];
const OTHERWISE: &[&str] = &[
    "all the rest",
    "the rest",
    "everything else",
    "anything else",
    "all else",
    "all others",
    "all other",
    "otherwise",
    "else",
    "if none",
];

impl WordRules {
    /// The rules of a request; none unless each names a label and words.
    #[must_use]
    pub fn read(request: &str, labels: &[String]) -> Option<Self> {
        let mut found = Self::default();
        for clause in
            request.split([';', '\n']).flat_map(|part| part.split(". ")).flat_map(|part| split_otherwise(part))
        {
            let lower = clause.to_lowercase();
            let rest = OTHERWISE.iter().find(|word| lower.trim_start().trim_start_matches("and ").starts_with(**word));
            if let Some(word) = rest {
                found.rest = label_in(clause.get(lower.find(word)? + word.len()..)?, labels);
                continue;
            }
            let Some((at, cue)) = MENTIONS
                .iter()
                .filter_map(|cue| word_at(&lower, cue).map(|at| (at, *cue)))
                .min_by_key(|(at, cue)| (*at, usize::MAX - cue.len()))
            else {
                continue;
            };
            let behind = clause.get(at + cue.len()..)?;
            let lower_behind = behind.to_lowercase();
            let cuts = GOES.iter().flat_map(|goes| lower_behind.match_indices(goes).map(|(at, goes)| (at, goes.len())));
            let cuts = cuts.filter(|(at, length)| opens_with(behind.get(at + length..).unwrap_or_default(), labels));
            let cut = cuts.max_by_key(|(at, length)| (*at + *length, *length));
            let (said, label) = match cut {
                Some((at, length)) => (behind.get(..at)?, label_in(behind.get(at + length..)?, labels)?),
                // `FINANCE if it contains invoice`
                None => (behind, label_in(clause.get(..at)?, labels)?),
            };
            let quoted = agent_common::quotes::find(said);
            let words: Vec<String> = if quoted.is_empty() {
                agent_common::phrases::list(said)
            } else {
                quoted.iter().map(|quote| quote.text.to_owned()).collect()
            };
            let words: Vec<String> = words
                .iter()
                .flat_map(|word| word.split(" or "))
                .map(|word| word.trim_start_matches("the word ").trim_start_matches("words ").trim().to_lowercase())
                .filter(|word| !word.is_empty() && word.split(' ').count() < 4)
                .collect();
            if !words.is_empty() {
                found.rules.push((words, label));
            }
        }
        let abstract_words = [
            "city",
            "animal",
            "person",
            "place",
            "country",
            "product",
            "number",
            "a city",
            "an animal",
            "a person",
            "a place",
            "color",
            "colour",
        ];
        let literal = found.rules.iter().flat_map(|rule| &rule.0).all(|word| !abstract_words.contains(&word.as_str()));
        (literal && !found.rules.is_empty() && (found.rules.len() > 1 || found.rest.is_some())).then_some(found)
    }

    /// The rules of a request whose labels are named by its rules alone.
    #[must_use]
    pub fn read_alone(request: &str) -> Option<Self> {
        let lower = request.to_lowercase();
        let cues = [
            "mention",
            "contain",
            "includes the word",
            "has the word",
            "with the word",
            "ending with",
            "ends with",
            "starting with",
        ];
        if !cues.iter().any(|cue| lower.contains(cue)) { None } else { Self::read(request, &[]) }
    }

    /// The label of a text.
    pub fn decide(&self, text: &str, in_order: bool) -> Decided {
        let lower = text.to_lowercase();
        let words: Vec<String> = lower.split(|c: char| !c.is_alphanumeric()).map(crate::evidence::stem).collect();
        let hit = |word: &String| {
            if word.contains(|c: char| !c.is_alphanumeric()) {
                lower.contains(word.as_str())
            } else {
                words.contains(&crate::evidence::stem(word))
            }
        };
        let mut hits: Vec<(&String, Vec<String>)> = Vec::new();
        for (own, label) in &self.rules {
            let found: Vec<String> = own.iter().filter(|word| hit(word)).cloned().collect();
            if !found.is_empty() && !hits.iter().any(|(known, _)| *known == label) {
                hits.push((label, found));
            }
        }
        match (hits.as_slice(), &self.rest) {
            ([], Some(rest)) => Ok((rest.clone(), 0.9, vec!["no word of another rule".into()])),
            ([], None) => Err("no rule says where it goes: add a rule for all the rest".into()),
            ([(first, _), (second, _), ..], _) if !in_order => {
                Err(format!("the rules for {first} and {second} both fit it: say which rule comes first"))
            }
            ([(label, found), ..], _) => Ok(((*label).clone(), 0.95, found.clone())),
        }
    }
}

fn split_otherwise(part: &str) -> Vec<&str> {
    let lower = part.to_lowercase();
    let at = [
        ", otherwise",
        ", else ",
        ", everything else",
        ", the rest",
        ", all the rest",
        ", anything else",
        " and everything else",
        " otherwise ",
    ]
    .iter()
    .filter_map(|cue| lower.find(cue))
    .min();
    match at.filter(|at| *at > 0).and_then(|at| part.split_at_checked(at)) {
        Some((head, tail)) => vec![head, tail.trim_start_matches([',', ' '])],
        None => vec![part],
    }
}

fn word_at(lower: &str, word: &str) -> Option<usize> {
    lower.match_indices(word).map(|(at, _)| at).find(|at| {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        edge(lower.get(..*at).and_then(|text| text.chars().next_back()))
            && edge(lower.get(at + word.len()..).and_then(|text| text.chars().next()))
    })
}

/// Whether a text begins with a label; without known labels, whether it is short enough to be one.
fn opens_with(text: &str, labels: &[String]) -> bool {
    let bare = text.trim_start_matches(|c: char| "\"“'`: ".contains(c)).to_lowercase();
    let bare = bare.trim_start_matches("the ").trim_start_matches("as ").trim_start_matches("it ");
    if labels.is_empty() {
        return (1..3).contains(&bare.split_whitespace().count());
    }
    labels.iter().any(|label| bare.starts_with(&label.to_lowercase()))
}

/// The label that a piece of text names first.
fn label_in(text: &str, labels: &[String]) -> Option<String> {
    let lower = text.to_lowercase();
    let named = labels.iter().filter_map(|label| word_at(&lower, &label.to_lowercase()).map(|at| (at, label)));
    if let Some((_, label)) = named.min_by_key(|(at, label)| (*at, usize::MAX - label.len())) {
        return Some(label.clone());
    }
    let bare = text.trim().trim_matches(|c: char| "\"“”'`.:;,() ".contains(c));
    let bare = bare
        .trim_start_matches("label ")
        .trim_start_matches("it ")
        .trim_start_matches("as ")
        .trim_start_matches("is ")
        .trim_start_matches("goes to ")
        .trim_start_matches("to ")
        .trim_matches(|c: char| "\"“”'`.:;,() ".contains(c));
    let clean = labels.is_empty() && !bare.is_empty() && bare.split_whitespace().count() < 3;
    clean.then(|| bare.to_owned())
}

/// A range of numbers with its label.
#[derive(Debug, Clone, PartialEq)]
struct Range {
    low: f64,
    high: f64,
    low_in: bool,
    high_in: bool,
    label: String,
}

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
        let hidden = hide_thousands(request);
        let mut ranges = Vec::new();
        let mut rest = None;
        for clause in
            hidden.split([',', ';', '\n']).flat_map(|part| part.split(". ")).flat_map(|part| part.split(" and over "))
        {
            let lower = clause.to_lowercase();
            let Some(label) = label_in(clause, labels).filter(|_| !labels.is_empty()) else {
                // A range without a label: the rules are not understood.
                if range(&lower, String::new()).is_some() {
                    return None;
                }
                continue;
            };
            if OTHERWISE.iter().any(|word| word_at(&lower, word).is_some())
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
        let hidden = hide_thousands(request);
        let clauses = hidden.split([',', ';', '\n']).flat_map(|part| part.split(". "));
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
    let clean = |text: &str| -> Option<String> {
        let bare = text.trim().trim_matches(|c: char| "\"“”'`.:;,() ".contains(c));
        let digits = bare.contains(|c: char| c.is_ascii_digit());
        let code = !bare.contains(' ') && bare.starts_with(char::is_alphabetic);
        let fits = (1..3).contains(&bare.split_whitespace().count()) && (!digits || code);
        fits.then(|| bare.to_owned())
    };
    if rest {
        let lower = clause.to_lowercase();
        let word = OTHERWISE.iter().find_map(|word| word_at(&lower, word).map(|at| at + word.len()))?;
        let idle = ["is", "are", "label", "it", "as", "goes", "to", "in", "gets", "=", "->", "→", ":"];
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

fn range(clause: &str, label: String) -> Option<Range> {
    let numbers: Vec<f64> = numbers(clause);
    let has = |words: &[&str]| words.iter().any(|word| clause.contains(word));
    let (first, second) = (numbers.first().copied()?, numbers.get(1).copied());
    let all = |low: f64, high: f64, low_in: bool, high_in: bool| {
        Some(Range { low, high, low_in, high_in, label: label.clone() })
    };
    if let Some(second) = second {
        let high_in = !has(&[
            "up to but",
            "to under",
            "to below",
            "to less than",
            "but less than",
            "but under",
            "but below",
            "and below",
            "and less than",
            "and under",
            "exclusive",
        ]) || has(&["including", "inclusive"]);
        let low_in = !has(&[
            "more than",
            "over ",
            "above",
            "greater than",
            "heavier than",
            "older than",
            "longer than",
            "larger than",
            "higher than",
        ]);
        return all(first.min(second), first.max(second), low_in, high_in);
    }
    if has(&[
        "or more",
        "at least",
        "and above",
        "and up",
        "or above",
        "or higher",
        "and more",
        "and over",
        "or over",
        "minimum",
        "from ",
        "≥",
        ">=",
        "or older",
        "and older",
        "upwards",
    ]) || clause.contains(&format!("{first}+"))
    {
        return all(first, f64::INFINITY, true, true);
    }
    if has(&[
        "or less",
        "at most",
        "up to",
        "and below",
        "or below",
        "or lower",
        "or fewer",
        "maximum",
        "no more than",
        "not more than",
        "≤",
        "<=",
        "or younger",
    ]) {
        return all(f64::NEG_INFINITY, first, true, true);
    }
    if has(&[
        "under",
        "below",
        "less than",
        "fewer than",
        "<",
        "younger than",
        "lighter than",
        "shorter than",
        "lower than",
        "smaller than",
        "cheaper than",
        "before",
    ]) {
        return all(f64::NEG_INFINITY, first, true, false);
    }
    if has(&[
        "over",
        "above",
        "more than",
        "greater than",
        ">",
        "older than",
        "heavier than",
        "longer than",
        "higher than",
        "larger than",
        "exceeding",
        "beyond",
        "after",
    ]) {
        return all(first, f64::INFINITY, false, true);
    }
    None
}

fn numbers(clause: &str) -> Vec<f64> {
    let apart: String = clause.chars().map(|c| if matches!(c, '-' | '–' | '+') { ' ' } else { c }).collect();
    quantity::scan(&apart).into_iter().filter(|quantity| !quantity.ordinal).map(|quantity| quantity.value).collect()
}

/// Whether a name is one for all the rest.
#[must_use]
pub fn is_rest(name: &str) -> bool {
    REST.contains(&name.to_lowercase().replace('_', " ").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(names: &str) -> Vec<String> {
        names.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn words_decide() {
        let text = "anything that mentions invoice, refund or payment goes to FINANCE; anything that mentions login or password goes to ACCESS; all the rest goes to OTHER.";
        let rules = WordRules::read(text, &labels("FINANCE|ACCESS|OTHER")).unwrap();
        let label = |text: &str| rules.decide(text, false).map(|found| found.0).unwrap_or_default();
        assert_eq!(
            ["My refund has not arrived", "Opening hours?", "Forgot my password", "password for the invoice portal"]
                .map(label),
            ["FINANCE", "OTHER", "ACCESS", ""]
        );
        let rules = WordRules::read(
            "If the message contains \"outage\" or \"down\" label it high, otherwise low.",
            &labels("high|low"),
        )
        .unwrap();
        assert_eq!(rules.decide("Site is down", false).unwrap().0, "high");
        assert_eq!(rules.decide("a typo", false).unwrap().0, "low");
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
