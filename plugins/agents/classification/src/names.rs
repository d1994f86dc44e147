//! Names of labels in a request.

use agent_common::phrases;

use crate::spam;

/// Words that lead to the names of labels.
const LEADS: &[&str] = &[
    "reply",
    "answer",
    "respond",
    "output",
    "write",
    "tell",
    "me",
    "route",
    "to",
    "just",
    "label",
    "labels",
    "with",
    "as",
    "put",
    "sort",
    "into",
    "in",
    "is",
    "it",
    "this",
    "that",
    "about",
    "a",
    "an",
    "the",
    "which",
    "language",
    "bank",
    "lines",
    "mark",
    "choose",
    "among",
    "out",
    "either",
    "these",
    "them",
    "each",
    "one",
    "of",
    "tag",
    "whether",
    "be",
    "classify",
    "or",
    "are",
    "they",
    "from",
    "only",
    "by",
    "please",
    "topic",
    "intent",
    "category",
    "exactly",
    "between",
    "say",
    "does",
    "belong",
    "was",
    "for",
    "text",
    "message",
    "kind",
    "type",
    "category:",
    "them:",
    "pick",
    "use",
    "using",
    "animal",
    "tense:",
    "decide",
];

/// Words before a list of labels.
const NOUNS: &[&str] = &[
    "categories ",
    "labels ",
    "classes ",
    "departments ",
    "topics ",
    "intents ",
    "groups ",
    "buckets ",
    "queues ",
    "teams ",
    "tags ",
];

/// A name of a label without the words that lead to it and follow it; none if nothing is left.
fn clean(name: String) -> Option<String> {
    let name = name.trim_matches(|c: char| "[](){}\"'`.".contains(c)).to_owned();
    let mut words: Vec<&str> = name.split_whitespace().collect();
    // `a, b or c for every line`
    let tail = words.windows(2).position(|pair| {
        matches!(pair, ["for" | "per" | "to" | "in" | "on" | "by", "every" | "each" | "line" | "row" | "all" | "these"])
    });
    if let Some(at) = tail.filter(|at| *at > 0) {
        words.truncate(at);
    }
    // `label each sentence question`: what is judged stands before the first label.
    let judged =
        words.iter().rposition(|word| ["each", "every", "these", "this"].contains(&word.to_lowercase().as_str()));
    if let Some(at) = judged.filter(|at| at + 2 < words.len()) {
        words.drain(..at + 2);
    }
    if let Some(at) =
        words.iter().rposition(|word| ["a", "an", "the"].contains(word)).filter(|at| *at + 1 < words.len())
    {
        words.drain(..=at);
    }
    if words.len() > 1 && words.last() == Some(&"only") {
        words.pop();
    }
    while words.len() > 1 && words.first().is_some_and(|word| LEADS.contains(&word.to_lowercase().as_str())) {
        words.remove(0);
    }
    if words.len() == 2 && words.last() == Some(&"tense") {
        words.pop();
    }
    let bare = words.join(" ");
    let empty = words.len() == 1 && LEADS.contains(&bare.to_lowercase().as_str()) && bare != "text" && bare.len() > 1;
    (!empty && bare.chars().any(char::is_alphanumeric) && words.len() <= 4).then_some(bare)
}

/// The names of labels in a request, without the words that lead to them.
pub(crate) fn names(request: &str) -> Vec<String> {
    // `label each sentence question, statement or exclamation`: what is judged is no label.
    let judged = r"(?i)\b(?:label|tag|mark|classify|sort|call|rate|name)\s+(?:each|every|all|these|the|this)(?: of (?:these|the))?\s+\S+\s+(?:as\s+|into\s+|in\s+)?";
    let request = &agent_common::patterns::compiled(judged)
        .map_or_else(|| request.to_owned(), |regex| regex.replace_all(request, "label into ").into_owned());
    let found: Vec<String> = bracketed_list(request).into_iter().filter_map(clean).collect();
    if found.len() > 1 {
        return found;
    }
    for found in [
        or_not(request),
        slashed(request),
        behind_plural(request),
        behind_pick(request),
        behind_nouns(request),
        each_which(request),
    ] {
        let found: Vec<String> = found.into_iter().filter_map(clean).collect();
        if found.len() > 1 {
            return found;
        }
    }
    let parts = |text: &str| {
        let all: Vec<String> = phrases::choices(text).into_iter().filter_map(clean).collect();
        // `Spam test, reply spam or ham`
        let pair = all.get(all.len().saturating_sub(2)..).unwrap_or_default();
        let is_spam = spam::is_choice(&pair.iter().map(String::as_str).collect::<Vec<_>>());
        if is_spam { pair.to_vec() } else { all }
    };
    let first = [" - ", " – ", " — ", "("]
        .iter()
        .filter_map(|sign| request.find(sign))
        .min()
        .and_then(|at| request.get(..at))
        .unwrap_or(request);
    let found = parts(first);
    if found.len() > 1 {
        return found;
    }
    let all = parts(request);
    if all.len() > 1 {
        return all;
    }
    // `mammal, bird, fish?`, `groceries, transport, rent:`
    let line = request.lines().next().unwrap_or_default().split(['?', ':']).next().unwrap_or_default();
    let line = line.to_lowercase().rfind(" into ").and_then(|at| line.get(at + 6..)).unwrap_or(line);
    let listed: Vec<String> = phrases::list(line).into_iter().filter_map(clean).collect();
    if listed.len() > 1 && line.contains([',', '/']) && listed.iter().all(|name| name.split_whitespace().count() <= 2) {
        listed
    } else {
        Vec::new()
    }
}

/// `[a, b, c]`, `(a, b, c)`.
fn bracketed_list(text: &str) -> Vec<String> {
    let open = text
        .find(['[', '('])
        .filter(|at| !text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
    let Some(inner) = open.and_then(|at| text.get(at + 1..)).and_then(|rest| rest.split([']', ')']).next()) else {
        return Vec::new();
    };
    let several = text.matches('(').count() > 1;
    let parts: Vec<String> = inner
        .replace(" or ", ",")
        .replace(" and ", ",")
        .split([',', '/', '|', ';'])
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect();
    let short = parts.iter().all(|part| part.split_whitespace().count() <= 3);
    if parts.len() > 1 && short && !several { parts } else { Vec::new() }
}

/// `spam / not spam`, `bug/feature/question`.
fn slashed(text: &str) -> Vec<String> {
    if let Some(line) = text.lines().find(|line| line.matches(" / ").count() > 0) {
        let (first, _) = line.split_once(" / ").unwrap_or_default();
        let start = first.rfind([':', '(', '.', '?', ',', ';']).map_or(0, |at| at + 1);
        let rest = line.get(start..).unwrap_or_default();
        let rest = rest.split([')', '?', '.', ';', ':', ',']).next().unwrap_or_default();
        let parts: Vec<String> = rest.split(" / ").map(|part| part.trim().to_owned()).collect();
        let later = parts.iter().skip(1).all(|part| (1..=3).contains(&part.split_whitespace().count()));
        if parts.len() > 1 && later && (start > 0 || parts.iter().all(|part| part.split_whitespace().count() <= 3)) {
            return parts;
        }
    }
    let text = text.replace(" | ", "/").replace(" / ", "/").replace("/ ", "/").replace(" /", "/");
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some(at) = words
        .iter()
        .position(|word| word.contains('/') && !word.contains("//") && !word.contains(|c: char| c.is_ascii_digit()))
    else {
        return Vec::new();
    };
    let joined = words.get(at).copied().unwrap_or_default();
    let mut parts: Vec<String> =
        joined.split('/').map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()).collect();
    let ends = joined.ends_with([':', '.', ',', '?', ';', ')']);
    if let (Some(last), Some(next), false) = (parts.last_mut(), words.get(at + 1), ends)
        && ["not", "no", "non"].contains(&last.as_str())
    {
        last.push(' ');
        last.push_str(next.trim_matches(|c: char| !c.is_alphanumeric()));
    }
    if parts.iter().any(String::is_empty) || parts.len() < 2 { Vec::new() } else { parts }
}

/// `the categories Billing, Sales and Technical Support, …`
fn behind_nouns(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let Some(at) = NOUNS.iter().filter_map(|noun| lower.find(noun).map(|at| at + noun.len())).min() else {
        return Vec::new();
    };
    let rest = text.get(at..).unwrap_or_default();
    let rest = rest.split(['.', '?', ':', ';', '\n', '"']).next().unwrap_or_default();
    let Some((at, len)) =
        [" and ", " or ", " und ", " oder "].iter().find_map(|word| rest.find(word).map(|at| (at, word.len())))
    else {
        return Vec::new();
    };
    let (left, right) = (rest.get(..at).unwrap_or_default(), rest.get(at + len..).unwrap_or_default());
    let last = right.split([',', '-']).next().unwrap_or_default();
    let parts: Vec<String> = left.split(',').chain([last]).map(|part| part.trim().to_owned()).collect();
    if parts.iter().all(|part| (1..=3).contains(&part.split_whitespace().count())) { parts } else { Vec::new() }
}

/// `urgent or not urgent`, `spam or no spam`.
fn or_not(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let found = words.windows(4).find_map(|four| match four {
        [
            one,
            "or" | "oder" | "ou" | "o" | "of",
            not @ ("not" | "no" | "non" | "nicht" | "kein" | "pas" | "niet"),
            same,
        ] if one == same && !one.is_empty() => Some(vec![(*one).to_owned(), format!("{not} {same}")]),
        _ => None,
    });
    found.unwrap_or_default()
}

/// `Kinds: invoice, quote, reminder.`, `our blog sections: travel, recipes, gardening`.
fn behind_plural(text: &str) -> Vec<String> {
    for line in text.lines() {
        for (at, _) in line.match_indices(": ") {
            let noun = line
                .get(..at)
                .unwrap_or_default()
                .rsplit([' ', '.', ',', '('])
                .next()
                .unwrap_or_default()
                .to_lowercase();
            let plural =
                noun.len() > 4 && noun.ends_with('s') && !noun.ends_with("ss") && noun.chars().all(char::is_alphabetic);
            let known = ["genre", "genres", "kind", "type", "choose", "choices", "kategorien", "blurb"]
                .contains(&noun.as_str());
            let rest = line.get(at + 2..).unwrap_or_default();
            let rest = rest.split(['.', '?', '!', ';', '(', ':']).next().unwrap_or_default();
            let rest = rest.replace(" or ", ",").replace(" and ", ",").replace(" oder ", ",").replace(" und ", ",");
            let parts: Vec<String> = rest
                .split([',', '/', '|'])
                .map(|part| part.trim().to_owned())
                .filter(|part| !part.is_empty())
                .collect();
            let short = parts.iter().all(|part| part.split_whitespace().count() <= 3);
            if (plural || known) && parts.len() > 1 && short && !rest.contains(|c: char| c.is_ascii_digit()) {
                return parts;
            }
        }
    }
    Vec::new()
}

/// `pick among travel, meals, software`.
fn behind_pick(text: &str) -> Vec<String> {
    let cue = r"(?i)\b(?:pick|choose|select|decide|distinguish|choice|options?|drawn)(?: (?:one|only|them))?(?: is| are)? (?:among|from|between|out of|one of)(?: these)?:? ([^.?!;:\n(]+)";
    let found = agent_common::patterns::groups(cue, text);
    let Some(rest) = found.get(1) else { return Vec::new() };
    let rest = rest.replace(" or ", ",").replace(" and ", ",");
    let parts: Vec<String> =
        rest.split([',', '/', '|']).map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    if parts.iter().all(|part| part.split_whitespace().count() <= 3) { parts } else { Vec::new() }
}

/// `which is a question and which a statement`
fn each_which(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    if lower.matches("which ").count() < 2 {
        return Vec::new();
    }
    let parts = lower.split("which ").skip(1).map(|part| {
        let part = part.split([',', '?', '.', ';', ':']).next().unwrap_or_default();
        let part = part.split(" and ").next().unwrap_or_default().split(" or ").next().unwrap_or_default();
        let words = part.split_whitespace().filter(|word| {
            ![
                "is", "are", "a", "an", "the", "and", "or", "ones", "one", "of", "them", "these", "about", "from",
                "for", "to", "belongs", "belong",
            ]
            .contains(word)
        });
        words.collect::<Vec<_>>().join(" ")
    });
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    if parts.iter().all(|part| part.split(' ').count() < 3) { parts } else { Vec::new() }
}
