//! Labels that the form of a sentence decides: tense, kind of sentence, language, even and odd.

const PAST: &str = "was|were|had|did|went|came|saw|took|made|got|gave|said|told|knew|thought|found|left|felt|kept|held|brought|bought|wrote|ran|sat|stood|met|paid|ate|drank|slept|spoke|drove|flew|fell|broke|lost|won|sold|sent|built|began|sang|swam|grew|threw|wore|chose|rose|caught|taught|heard|understood|led|read|forgot|hid|woke|rode|shook|stole|fought|spent|became|drew|blew|didn't|wasn't|weren't|hadn't|could|rang|bit|hung|dug|lit|shot|swept|knelt|yesterday";
const PRESENT: &str = "am|is|are|do|does|don't|doesn't|isn't|aren't|i'm|it's|he's|she's|we're|they're|you're|now|today|every|always|usually|often|has|have|lives|live|works|work|goes|go|plays|play|likes|like|eats|eat|reads|runs|run|sleeps|walks|speaks|wants|want|knows|know|thinks|makes|takes|gives|sings|drives|drinks|writes|studies|teaches|swims|loves|love|rains|shines|sits|stands|feels|needs|need|looks|comes|sells|cooks";
const FUTURE: &str = "will|won't|shall|i'll|he'll|she'll|we'll|they'll|you'll|it'll|gonna|tomorrow";
const IMPERATIVES: &str = "close|open|please|stop|go|come|give|take|send|put|turn|don't|do|wash|write|read|sit|stand|be|make|bring|call|help|wait|listen|look|check|add|remove|delete|save|tell|show|clean|finish|eat|drink|run|start|follow|click|keep|leave|let|buy|use|try|hand|pass|switch|shut|speak|answer|move|hold|pick|lock|press|return|fill|sign|submit|pay|never";
const ASKING: &str =
    "who|what|when|where|why|how|which|is|are|do|does|did|can|could|will|would|should|may|have|has|am|was|were|whose";

const LANGUAGES: &[(&str, &str)] = &[
    ("en", "english|en|englisch|anglais|inglés"),
    ("de", "german|de|deutsch|allemand|alemán"),
    ("fr", "french|fr|français|französisch|francés"),
    ("es", "spanish|es|español|spanisch|espagnol"),
    ("it", "italian|it|italiano|italienisch"),
    ("pt", "portuguese|pt|português|portugiesisch"),
    ("nl", "dutch|nl|nederlands|niederländisch"),
    ("sv", "swedish|sv|svenska"),
    ("da", "danish|da|dansk"),
    ("no", "norwegian|no|norsk"),
    ("pl", "polish|pl|polski"),
    ("tr", "turkish|tr|türkçe"),
    ("fi", "finnish|fi|suomi"),
    ("cs", "czech|cs|čeština"),
    ("hu", "hungarian|hu|magyar"),
    ("ro", "romanian|ro|română"),
];

use agent_common::function_words;

/// A label, how sure, and what shows it.
pub type Found = Option<(String, f64, Vec<String>)>;

/// The tense, kind, language or parity of a text, if the labels are names of such; outer none: they are not.
#[must_use]
pub fn judge(names: &[&str], head: &str, text: &str) -> Option<Found> {
    let lower: Vec<String> = names
        .iter()
        .map(|name| {
            name.to_lowercase().replace(['_', '-'], " ").replace(" tense", "").replace("simple ", "").trim().to_owned()
        })
        .collect();
    let all = |known: &[&str]| lower.len() > 1 && lower.iter().all(|name| known.contains(&name.as_str()));
    let as_written = |found: Option<(String, f64, Vec<String>)>| -> Found {
        let (name, sure, why) = found?;
        let at = lower.iter().position(|own| *own == name)?;
        Some(((*names.get(at)?).to_owned(), sure, why))
    };
    if all(&["past", "present", "future"]) {
        return Some(as_written(tense(text)));
    }
    if all(&[
        "question",
        "statement",
        "command",
        "order",
        "exclamation",
        "instruction",
        "imperative",
        "interrogative",
        "declarative",
        "exclamatory",
    ]) {
        return Some(as_written(kind(text, &lower)));
    }
    if all(&["yes", "no", "true", "false"])
        && let Some((there, why)) = property(head, text)
    {
        let name = if there { ["yes", "true"] } else { ["no", "false"] };
        let name = name.iter().find(|one| lower.iter().any(|own| own == *one));
        return Some(as_written(name.map(|name| ((*name).to_owned(), 0.88, vec![why]))));
    }
    if all(&["even", "odd"]) {
        let number = text
            .split_whitespace()
            .find_map(|word| word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').parse::<i64>().ok());
        return Some(as_written(
            number.map(|n| (if n % 2 == 0 { "even" } else { "odd" }.to_owned(), 0.97, vec![n.to_string()])),
        ));
    }
    let languages: Vec<Option<usize>> =
        lower.iter().map(|name| LANGUAGES.iter().position(|(_, own)| own.split('|').any(|one| one == name))).collect();
    if languages.len() > 1 && languages.iter().all(Option::is_some) {
        return Some(language(names, &languages.into_iter().flatten().collect::<Vec<_>>(), text));
    }
    None
}

/// Whether a text has what the request asks about: a date, a number, a link; none if it asks for something else.
fn property(head: &str, text: &str) -> Option<(bool, String)> {
    let lower = head.to_lowercase();
    if !["mention", "contain", "include", "is there", "has ", "have "].iter().any(|word| lower.contains(word)) {
        return None;
    }
    let asks = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let parts = || text.split_whitespace();
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let month = words(text).iter().any(|word| months.iter().any(|month| word.starts_with(month) && word.len() <= 9))
        && digits > 0;
    let dated = month
        || parts().any(|word| {
            word.chars().filter(char::is_ascii_digit).count() >= 3 && (word.matches(['/', '-', '.']).count() == 2)
        });
    let (there, what) = if asks(&["date"]) {
        (dated, "date")
    } else if asks(&["link", "url", "website", "web address"]) {
        (parts().any(|word| word.contains("://") || word.starts_with("www.")), "link")
    } else if asks(&["e-mail address", "email address"]) {
        (parts().any(|word| word.contains('@') && word.contains('.')), "address")
    } else if asks(&["phone number", "telephone"]) {
        (digits >= 7, "phone number")
    } else if asks(&["price", "amount", "money", "currency"]) {
        (
            digits > 0 && text.contains(['€', '$', '£'])
                || words(text)
                    .iter()
                    .any(|word| ["eur", "euro", "euros", "usd", "dollars", "pounds", "gbp"].contains(&word.as_str())),
            "amount",
        )
    } else if asks(&["number", "digit"]) {
        (digits > 0, "number")
    } else {
        return None;
    };
    Some((there, if there { what.to_owned() } else { format!("no {what}") }))
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .replace('’', "'")
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn among<'w>(words: &'w [String], list: &str) -> Vec<&'w String> {
    words.iter().filter(|word| list.split('|').any(|one| one == word.as_str())).collect()
}

fn tense(text: &str) -> Option<(String, f64, Vec<String>)> {
    let words = words(text);
    let shown = |found: Vec<&String>| found.into_iter().cloned().collect::<Vec<_>>();
    let future = among(&words, FUTURE);
    let going = words.windows(2).any(|pair| matches!(pair, [a, b] if a == "going" && b == "to"))
        && words.iter().any(|word| {
            ["am", "is", "are", "i'm", "he's", "she's", "we're", "they're", "it's", "you're"].contains(&word.as_str())
        });
    let past = among(&words, PAST);
    let regular = words.iter().filter(|word| {
        word.len() > 4
            && word.ends_with("ed")
            && !["need", "hundred", "indeed", "speed", "exceed", "wicked", "naked"].contains(&word.as_str())
    });
    let regular: Vec<&String> = regular.collect();
    let present = among(&words, PRESENT);
    let perfect =
        words.iter().any(|word| ["have", "has", "i've", "we've", "they've", "you've"].contains(&word.as_str()))
            && !regular.is_empty();
    if (!future.is_empty() || going) && past.is_empty() {
        return Some(("future".into(), 0.9, if going { vec!["going to".into()] } else { shown(future) }));
    }
    if !future.is_empty() || perfect {
        return None;
    }
    let passive = words.iter().any(|word| ["is", "are", "am"].contains(&word.as_str()));
    let past: Vec<&String> = past.into_iter().chain(regular.into_iter().filter(|_| !passive)).collect();
    match (past.is_empty(), present.is_empty()) {
        (false, true) => Some(("past".into(), 0.9, shown(past))),
        (true, false) => Some(("present".into(), 0.9, shown(present))),
        (true, true) => {
            let verb: Vec<&String> = words
                .get(1..3)
                .unwrap_or_default()
                .iter()
                .filter(|word| word.len() > 3 && word.ends_with('s'))
                .collect();
            (!verb.is_empty()).then(|| ("present".into(), 0.75, shown(verb)))
        }
        (false, false) => None,
    }
}

fn kind(text: &str, names: &[String]) -> Option<(String, f64, Vec<String>)> {
    let text = text.trim().trim_end_matches(['"', '”', '\'']);
    let words = words(text);
    let first = words.first().cloned().unwrap_or_default();
    let has = |options: &[&str]| {
        options.iter().find(|one| names.iter().any(|name| name == *one)).map(|one| (*one).to_owned())
    };
    let is = |list: &str| list.split('|').any(|one| one == first);
    if text.ends_with('?') || (is(ASKING) && !text.ends_with(['.', '!']) && words.len() > 2) {
        return has(&["question", "interrogative"]).map(|name| (name, 0.95, vec!["?".into()]));
    }
    if is(IMPERATIVES) {
        return has(&["command", "order", "instruction", "imperative"]).map(|name| (name, 0.88, vec![first]));
    }
    if text.ends_with('!') && has(&["exclamation", "exclamatory"]).is_some() {
        return has(&["exclamation", "exclamatory"]).map(|name| (name, 0.88, vec!["!".into()]));
    }
    has(&["statement", "declarative"])
        .filter(|_| words.len() > 1)
        .map(|name| (name, 0.86, vec!["no question, no command".into()]))
}

fn language(names: &[&str], languages: &[usize], text: &str) -> Found {
    let all = function_words::scores(text);
    let score = |at: &usize| {
        let (code, _) = LANGUAGES.get(*at)?;
        let found = all.iter().find(|score| score.code == *code)?;
        Some((found.points, found.words.clone()))
    };
    let mut all: Vec<(usize, Vec<String>, &str)> =
        languages.iter().zip(names).filter_map(|(at, name)| score(at).map(|(n, why)| (n, why, *name))).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.0));
    let second = all.get(1).map_or(0, |one| one.0);
    let (best, why, name) = all.into_iter().next()?;
    (best >= 2 && best > second + 1).then(|| (name.to_owned(), if best > second * 2 { 0.93 } else { 0.8 }, why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_sentences() {
        let cases = [
            ("past|present|future", "They walked home.", "past"),
            ("past|present|future", "She will call you tomorrow.", "future"),
            ("past|present|future", "He lives in Oslo.", "present"),
            ("Past|Present|Future", "We are going to move in May.", "Future"),
            ("past|present|future", "I have walked.", ""),
            ("past|present|future", "The cat sat on the mat.", "past"),
            ("question|statement|command", "Where do you live?", "question"),
            ("question|statement|command", "Close the door.", "command"),
            ("question|statement|command", "The sun is shining.", "statement"),
            ("even|odd", "17", "odd"),
            ("English|German|French", "Wo ist der Bahnhof?", "German"),
            ("English|German|French", "Je ne sais pas où est la gare", "French"),
            ("Spanish|Portuguese", "¿Dónde está la estación?", "Spanish"),
            ("Dutch|German", "Ik heb het niet gezien", "Dutch"),
        ];
        for (names, text, expect) in cases {
            let names: Vec<&str> = names.split('|').collect();
            let found = judge(&names, "", text).unwrap().map(|found| found.0).unwrap_or_default();
            assert_eq!(found, expect, "{text}");
        }
        assert_eq!(judge(&["cat", "dog"], "", "x"), None);
    }
}
