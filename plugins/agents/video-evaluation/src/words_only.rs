//! Tasks without captions: a transcript, chapter marks, technical data or a pace in words.

use agent_common::request::Request;
use tollbridge_sdk::Error;

use crate::answered::Answered;
use crate::asked::{self, Wish};
use crate::finding::Finding;
use crate::{chapters, facts, stated, technical};

/// What a task without captions asks.
#[must_use]
pub fn request(text: &str) -> String {
    Some(Request::read(text).instruction).filter(|asked| !asked.is_empty()).unwrap_or_else(|| text.to_owned())
}

/// Answers a task without captions.
pub fn answer(text: &str) -> Result<Answered, Error> {
    let request = Request::read(text);
    let (asked_for, transcript) = (request.instruction.clone(), request.text());
    asked::check_scope(if asked_for.is_empty() { text } else { &asked_for })?;
    let wish = asked::wish(if asked_for.is_empty() { text } else { &asked_for });
    let marks = chapters::read(text, stated::media_seconds(&asked_for));
    let asked_of = if asked_for.is_empty() { text } else { &asked_for };
    let about_pace = agent_common::patterns::is_match(r"(?i)words? (?:per|a) minute|\bwpm\b|what pace", text);
    if !marks.is_empty() && (chapters::named(&marks, asked_of).is_some() || !about_pace) {
        return of_chapters(&marks, asked_of);
    }
    let spoken = if transcript.split_whitespace().count() > 4 { transcript.as_str() } else { "" };
    match wish {
        Wish::Count | Wish::CallToAction | Wish::Profanity | Wish::Difficulty | Wish::Place if !spoken.is_empty() => {
            return said(wish, &asked_for, spoken);
        }
        Wish::Meaning => return Err(Error::invalid("/task", MEANING)),
        _ => {}
    }
    let data = technical::read(text);
    if data.is_any() && !text.contains("://") {
        return of_data(&data, text);
    }
    let spoken = if marks.is_empty() { spoken } else { "" };
    let figures = facts::of_speech(text, spoken, stated::media_seconds(text));
    let wanted = facts::asked(&figures, text);
    if !wanted.is_empty() {
        let told = wanted.iter().map(|fact| fact.words.clone()).collect();
        return Ok(Answered::figures(told, vec![]));
    }
    let fix = if text.contains("://") {
        "a link is not followed: paste the captions (SRT or WebVTT), the transcript, or the technical data in words, or give `media` (base64)"
    } else {
        "there is nothing to evaluate: give `media` (base64) or `captions`, or write captions (SRT or WebVTT), a transcript with its duration, chapter marks or technical data into the task; a link is not followed"
    };
    Err(Error::invalid("/media", fix))
}

/// Why questions of meaning are refused.
pub const MEANING: &str = "that needs understanding of what is said, which rules do not have; ask for figures, timing, reading speed, languages, sounds or words in the captions";

fn of_chapters(marks: &[chapters::Chapter], request: &str) -> Result<Answered, Error> {
    let missing =
        "no chapter, or more than one, has the words of the question in its title; name the chapter as it is written";
    let chapter = chapters::named(marks, request).ok_or_else(|| Error::invalid("/task", missing))?;
    let shown = agent_common::figures::figure;
    let text = match chapter.end {
        Some(end) => format!(
            "\"{}\" lasts {} s, from {} s to {} s",
            chapter.title,
            shown(end - chapter.start),
            shown(chapter.start),
            shown(end)
        ),
        None => format!("\"{}\" begins at {} s; where it ends is not told", chapter.title, shown(chapter.start)),
    };
    Ok(Answered::figures(vec![text], vec![chapter.title.clone()]))
}

fn of_data(data: &technical::Technical, text: &str) -> Result<Answered, Error> {
    let found: Vec<Finding> =
        data.findings(text).into_iter().map(|one| Finding::new(one.severity, one.kind, one.message, None)).collect();
    let told = data.derived(text);
    if found.is_empty() && told.is_empty() {
        let fix = "the technical data do not tell enough: give width and height in pixels, frames a second, bit rate, duration or file size, and what they are to fit";
        return Err(Error::invalid("/task", fix));
    }
    Ok(Answered { findings: found, told, confidence: crate::answered::DATA, ..Answered::default() })
}

/// What is said in a transcript.
pub fn said(wish: Wish, request: &str, spoken: &str) -> Result<Answered, Error> {
    crate::answered::of_words(wish, request, &[], spoken)
        .ok_or_else(|| Error::invalid("/task", "name the words to look for between quotation marks"))
}
