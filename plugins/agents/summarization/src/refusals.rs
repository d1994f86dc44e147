//! What a request asks that no program without a model can give, and what it lacks.

use agent_common::answer_format::AnswerFormat;

/// What takes understanding or new words, and a sentence that says so.
const BEYOND: [(&[&str], &str); 5] = [
    (
        &[
            "pros and cons",
            "pro and con",
            "advantages and disadvantages",
            "for and against",
            "vor- und nachteile",
            "what do buyers like",
            "like and what",
            "likes and dislikes",
            "strengths and weaknesses",
        ],
        "sorting arguments for and against takes understanding of the text; ask for a summary in bullets instead",
    ),
    (
        &["compare", "difference between", "differences between", "contrast", "what changed between"],
        "a comparison of texts is more than a summary can give here; send one document, or ask for a summary of each",
    ),
    (
        &[
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
        ],
        "the sentences of a text are chosen here, not rewritten in other words; ask for a summary that may keep the words of the text",
    ),
    (
        &[
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
        ],
        "a new text such as a headline cannot be written here; ask for one sentence or a number of words instead",
    ),
    (
        &["why did", "why does", "why was", "why is", "his reason", "her reason", "their reason"],
        "a question why is not answered by choosing sentences; if the text states reasons, ask for a summary of it",
    ),
];
/// Requests for a text without names.
const NAMELESS: &[&str] = &[
    "without name",
    "include the customer's name",
    "include names",
    "no names",
    "anonymi",
    "without the name",
    "leave out names",
    "omit the name",
    "without mentioning",
];

/// What a request asks for that takes more than choosing statements; a sentence that says so.
pub fn out_of_reach(request: &str, language: Option<&str>) -> Option<&'static str> {
    let lower = request.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if let Some((_, reason)) = BEYOND.iter().find(|(words, _)| has(words)) {
        return Some(reason);
    }
    let format = AnswerFormat::read(request);
    let wanted = format.language.filter(|wanted| language.is_none_or(|spoken| spoken != *wanted));
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
    has(NAMELESS).then_some("names cannot be taken out of the sentences safely here; remove them from the text first")
}

/// Whether the request wants a summary without names.
pub fn is_nameless(request: &str) -> bool {
    let lower = request.to_lowercase().replace('’', "'");
    NAMELESS.iter().any(|word| lower.contains(word))
}

/// Whether the request speaks of a text that is somewhere else.
pub fn is_elsewhere(request: &str) -> bool {
    let lower = request.to_lowercase();
    ["attached", "attachment", "enclosed", "im anhang", "beigefügt", "ci-joint", "adjunt", "in the file", "the pdf"]
        .iter()
        .any(|word| lower.contains(word))
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
        assert!(out_of_reach("Summarise this in Spanish", None).is_some());
        assert_eq!(out_of_reach("Summarise in three bullets", Some("en")), None);
        assert_eq!(absent_part("summarise chapter 7", "Chapter 1: a. Chapter 2: b."), Some("chapter 7".into()));
        assert_eq!(absent_part("summarise chapter 2", "Chapter 1: a. Chapter 2: b."), None);
        assert!(is_elsewhere("Summarise the attached report") && !is_elsewhere("Summarise the report below"));
        assert!(too_few("sum up both texts", 1) && !too_few("sum up both texts", 2));
    }
}
