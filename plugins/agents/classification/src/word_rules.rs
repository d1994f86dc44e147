//! Rules of words: what a text mentions decides its label.

use crate::rule_words::{Decided, OTHERWISE, label_in, word_at};
use crate::stem::stem;

/// `anything that mentions invoice or refund goes to FINANCE; the rest to OTHER`.
#[derive(Debug, Default, PartialEq)]
pub struct WordRules {
    rules: Vec<(Vec<String>, String)>,
    rest: Option<String>,
}

/// Words between a rule and what a text has to mention.
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
    "list",
    "lists",
    "listed",
    "names",
    "has",
];

/// Words between what a text mentions and its label.
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

/// Names of kinds: a text that mentions a city does not say `city`.
const KINDS_OF_THINGS: &[&str] = &[
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

/// Words that only a rule has.
const SURE_MENTIONS: &[&str] = &[
    "mention",
    "contain",
    "includes the word",
    "has the word",
    "with the word",
    "ending with",
    "ends with",
    "starting with",
];

impl WordRules {
    /// The rules of a request; none unless each names a label and words.
    #[must_use]
    pub fn read(request: &str, labels: &[String]) -> Option<Self> {
        let mut found = Self::default();
        for clause in
            request.split([';', '\n']).flat_map(|part| part.split(". ")).flat_map(|part| split_otherwise(part))
        {
            let lower = without_labels(&clause.to_lowercase(), labels);
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
        let literal = found.rules.iter().flat_map(|rule| &rule.0).all(|word| !KINDS_OF_THINGS.contains(&word.as_str()));
        (literal && !found.rules.is_empty() && (found.rules.len() > 1 || found.rest.is_some())).then_some(found)
    }

    /// The rules of a request whose labels are named by its rules alone.
    #[must_use]
    pub fn read_alone(request: &str) -> Option<Self> {
        let lower = request.to_lowercase();
        if !SURE_MENTIONS.iter().any(|cue| lower.contains(cue)) { None } else { Self::read(request, &[]) }
    }

    /// The label of a text.
    pub fn decide(&self, text: &str, in_order: bool) -> Decided {
        let lower = text.to_lowercase();
        let words: Vec<String> = lower.split(|c: char| !c.is_alphanumeric()).map(stem).collect();
        let hit = |word: &String| {
            if word.contains(|c: char| !c.is_alphanumeric()) {
                lower.contains(word.as_str())
            } else {
                words.contains(&stem(word))
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

/// Words without the labels in them, which may say `contains` themselves.
fn without_labels(lower: &str, labels: &[String]) -> String {
    labels
        .iter()
        .map(|label| label.to_lowercase())
        .filter(|label| label.contains(' '))
        .fold(lower.to_owned(), |text, label| text.replace(&label, &"\u{1}".repeat(label.len())))
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

/// Whether a text begins with a label; without known labels, whether it is short enough to be one.
fn opens_with(text: &str, labels: &[String]) -> bool {
    let bare = text.trim_start_matches(|c: char| "\"“'`: ".contains(c)).to_lowercase();
    let bare = bare.trim_start_matches("the ").trim_start_matches("as ").trim_start_matches("it ");
    if labels.is_empty() {
        return (1..3).contains(&bare.split_whitespace().count());
    }
    labels.iter().any(|label| bare.starts_with(&label.to_lowercase()))
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
}
