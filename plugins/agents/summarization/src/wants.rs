//! What kind of summary a request wants, and what no program without a model can give.

use agent_common::answer_format::AnswerFormat;

/// Which statements of the material are wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// All.
    #[default]
    All,
    /// What was decided.
    Decisions,
    /// Who does what.
    Actions,
    /// What is still open.
    Questions,
    /// What ended a thread of mails.
    Outcome,
}

/// What a request wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wants {
    /// The form.
    pub format: AnswerFormat,
    /// Statements of one kind.
    pub scope: Scope,
    /// Nothing else is wanted.
    pub only: bool,
    /// One bullet for each item, person or document.
    pub each: bool,
    /// The count is exact: `exactly 3 bullets`.
    pub exact: bool,
    /// Members of the JSON object that is wanted.
    pub keys: Vec<String>,
}

/// Reads a request.
pub fn read(request: &str) -> Wants {
    let lower = request.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let mut format = AnswerFormat::read(request);
    // `minutes in 4 bullets`, `bullet points`, `list the …`.
    format.bullets |=
        has(&["bullet", "stichpunkt", "viñeta", "as a list", "key points", "main points"]) && !format.paragraph;
    format.paragraph |= !format.bullets && has(&["paragraph", " para ", "absatz", "paragraphe", "párrafo"]);
    let lines =
        has(&["-line summary", " line summary", " lines"]).then(|| count_before(&lower, &["line", "lines"])).flatten();
    format.sentences_max = format.sentences_max.or(lines.filter(|_| !format.bullets));
    let scope = if has(&["open question", "still open", "unresolved", "offene frage", "open issue", "open point"]) {
        Scope::Questions
    } else if has(&[
        "action item",
        "action point",
        "to-do",
        "todo",
        "who does what",
        "who has to do",
        "next steps",
        "tasks from",
        "aufgaben",
        "who needs to do",
    ]) {
        Scope::Actions
    } else if has(&[
        "decision",
        "decided",
        "what was agreed",
        "what did we agree",
        "beschl",
        "entscheidung",
        "résolution",
    ]) {
        Scope::Decisions
    } else if has(&[
        "outcome",
        "where it ended",
        "how it ended",
        "end result",
        "upshot",
        "what came out",
        "final state",
        "where we landed",
    ]) {
        Scope::Outcome
    } else {
        Scope::All
    };
    let keys = if format.json { keys(request) } else { Vec::new() };
    Wants {
        only: scope != Scope::All && keys.is_empty(),
        each: has(&[
            "for each",
            "per ",
            "each of",
            "one each",
            "one bullet each",
            "each message",
            "each document",
            "each text",
            "every document",
            "pro ",
        ]),
        exact: has(&["exactly", "no more no less", "genau", "exactement", "exactamente", "precisely"]),
        format,
        scope,
        keys,
    }
}

fn count_before(text: &str, nouns: &[&str]) -> Option<u32> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| nouns.contains(word))?;
    let before = words.get(at.checked_sub(1)?)?;
    before.parse().ok().or_else(|| agent_common::number_words::cardinal(before))
}

/// Names in quotation marks behind `key` or `field`.
fn keys(request: &str) -> Vec<String> {
    let lower = request.to_lowercase();
    let Some(at) = ["key", "field", "member", "propert"].iter().filter_map(|word| lower.find(word)).min() else {
        return Vec::new();
    };
    let tail = request.get(at..).unwrap_or_default();
    agent_common::quotes::find(tail)
        .iter()
        .map(|quoted| quoted.text.to_owned())
        .filter(|key| !key.contains(' '))
        .collect()
}

/// What a request asks for that takes more than choosing statements; a sentence that says so.
pub fn out_of_reach(request: &str, language: Option<&str>) -> Option<&'static str> {
    let lower = request.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&[
        "pros and cons",
        "pro and con",
        "advantages and disadvantages",
        "for and against",
        "vor- und nachteile",
        "what do buyers like",
        "like and what",
        "likes and dislikes",
        "strengths and weaknesses",
    ]) {
        return Some(
            "sorting arguments for and against takes understanding of the text; ask for a summary in bullets instead",
        );
    }
    if has(&["compare", "difference between", "differences between", "contrast", "what changed between"]) {
        return Some(
            "a comparison of texts is more than a summary can give here; send one document, or ask for a summary of each",
        );
    }
    if has(&[
        "plain english",
        "plain language",
        "simple words",
        "simple language",
        "for a child",
        "like i'm five",
        "like i am five",
        "eli5",
        "layman",
        "in your own words",
        "einfacher sprache",
        "simplify",
        "rephrase",
        "rewrite",
        "reword",
        "paraphrase",
    ]) {
        return Some(
            "the sentences of a text are chosen here, not rewritten in other words; ask for a summary that may keep the words of the text",
        );
    }
    if has(&[
        "headline",
        "title for",
        "a title",
        "tweet",
        "slogan",
        "subject line",
        "poem",
        "rhyme",
        "haiku",
        "caption",
        "tagline",
        "catchy",
        "hashtag",
    ]) {
        return Some(
            "a new text such as a headline cannot be written here; ask for one sentence or a number of words instead",
        );
    }
    if has(&["why did", "why does", "why was", "why is", "his reason", "her reason", "their reason"]) {
        return Some(
            "a question why is not answered by choosing sentences; if the text states reasons, ask for a summary of it",
        );
    }
    let format = AnswerFormat::read(request);
    let wanted = format.language.filter(|wanted| language.is_some_and(|spoken| spoken != *wanted));
    if wanted.is_some() || has(&["translate", "übersetz"]) {
        return Some("a summary here keeps the language of the text; translate the text first");
    }
    if format.paragraph
        && (format.bullets || format.bullets_count.is_some())
        && has(&["without", "no bullet"])
        && has(&["exactly", "consist", "must"])
    {
        return Some(
            "the request wants both a paragraph without bullets and bullets, which cannot both be met; say which of the two",
        );
    }
    if has(&[
        "without name",
        "include the customer's name",
        "include names",
        "no names",
        "anonymi",
        "without the name",
        "leave out names",
        "omit the name",
        "without mentioning",
    ]) {
        return Some("names cannot be taken out of the sentences safely here; remove them from the text first");
    }
    None
}

/// What is missing where a request brings no text.
pub fn missing(request: &str) -> &'static str {
    let lower = request.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["http://", "https://", "www."]) {
        "a link cannot be opened here; paste the text of the page"
    } else if has(&["recording", "audio", "video", "podcast", "zoom", "voice"]) {
        "a recording cannot be listened to here; paste its transcript as text"
    } else if has(&["attach", "anhang", "pdf", "file"]) {
        "nothing is attached; paste the text of the file below the request"
    } else if has(&["meeting", "minutes", "call", "committee", "notes", "standup"]) {
        "the notes or the transcript are missing; paste their text below the request"
    } else {
        "the text to summarise is missing; paste it below the request, or give `text` or `documents`"
    }
}

/// A part that the request names and the text does not have: `chapter 7`, `contract B`.
pub fn absent_part(request: &str, material: &str) -> Option<String> {
    const PARTS: [&str; 16] = [
        "chapter",
        "section",
        "part",
        "page",
        "paragraph",
        "contract",
        "document",
        "article",
        "appendix",
        "annex",
        "email",
        "mail",
        "text",
        "kapitel",
        "report",
        "memo",
    ];
    let lower = request.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let text = material.to_lowercase();
    for pair in words.windows(2) {
        let [noun, id] = pair else { continue };
        let number = id.bytes().all(|b| b.is_ascii_digit());
        let letter = id.len() == 1 && ["b", "c", "d"].contains(id);
        if PARTS.contains(noun) && (number || letter) {
            let named = format!("{noun} {id}");
            let counted = text.contains(noun) || letter;
            if counted && !text.contains(&named) && text.contains(noun) {
                return Some(named);
            }
        }
    }
    None
}

/// Whether more documents are spoken of than there are.
pub fn too_few(request: &str, documents: usize) -> bool {
    let lower = format!(" {} ", request.to_lowercase());
    let two = [
        " both ",
        " two contracts",
        " two documents",
        " two texts",
        " two articles",
        " two mails",
        " two emails",
        " two reports",
        " two versions",
    ]
    .iter()
    .any(|word| lower.contains(word));
    two && documents < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_and_form() {
        let cases = [
            ("Give me the decisions only", Scope::Decisions, None, false),
            ("List the action items, one bullet each", Scope::Actions, None, true),
            ("just the open questions, as bullets", Scope::Questions, None, true),
            ("What is the outcome of this thread in 2 sentences?", Scope::Outcome, Some(2), false),
            ("a five-line summary please", Scope::All, Some(5), false),
            ("Summarise", Scope::All, None, false),
        ];
        for (request, scope, sentences, bullets) in cases {
            let wants = read(request);
            assert_eq!(
                (wants.scope, wants.format.sentences_max, wants.format.bullets),
                (scope, sentences, bullets),
                "{request}"
            );
        }
        assert_eq!(read("as JSON with the keys \"summary\" and \"decision\"").keys, ["summary", "decision"]);
    }

    #[test]
    fn what_is_refused() {
        for request in [
            "Compare the two offers",
            "Summarise in plain English",
            "Give me the pros and cons",
            "Write a headline",
            "Why did he leave?",
        ] {
            assert!(out_of_reach(request, Some("en")).is_some(), "{request}");
        }
        assert!(out_of_reach("Sum it up in two English sentences", Some("de")).is_some());
        assert_eq!(out_of_reach("Summarise in three bullets", Some("en")), None);
        assert_eq!(absent_part("summarise chapter 7", "Chapter 1: a. Chapter 2: b."), Some("chapter 7".into()));
        assert_eq!(absent_part("summarise chapter 2", "Chapter 1: a. Chapter 2: b."), None);
        assert!(too_few("sum up both texts", 1) && !too_few("sum up both texts", 2));
    }
}
