//! Text of cues without mark-up, and what is wrong with the mark-up.

use crate::input::CaptionFormat;
use crate::timing;

/// A flaw: severity, kind, text.
pub type Flaw = (&'static str, &'static str, String);

/// References that WebVTT cue text may hold besides those of HTML; the text that they stand for.
const REFERENCES: [(&str, &str); 6] =
    [("amp", "&"), ("lt", "<"), ("gt", ">"), ("lrm", ""), ("rlm", ""), ("nbsp", "\u{a0}")];

/// The text of a cue that lasts from `span.0` to `span.1`, without mark-up.
pub fn plain(text: &str, format: CaptionFormat, span: (u64, u64)) -> (String, Vec<Flaw>) {
    let mut flaws = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['<', '&', '{']) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        rest = match here.as_bytes().first() {
            Some(b'<') => element(here, format, span, &mut open, &mut out, &mut flaws),
            Some(b'&') if format == CaptionFormat::Webvtt => reference(here, &mut out, &mut flaws),
            Some(b'{') if format == CaptionFormat::Srt && here.starts_with("{\\") => {
                here.split_once('}').map_or("", |(_, rest)| rest)
            }
            _ => {
                let (first, rest) = here.split_at(1);
                out.push_str(first);
                rest
            }
        };
    }
    out.push_str(rest);
    // A voice span over the whole cue need not be closed.
    let voice =
        format == CaptionFormat::Webvtt && open.first().is_some_and(|name| name == "v") && text.starts_with("<v");
    for name in open.iter().skip(usize::from(voice)) {
        flaws.push(("low", "unclosed_tag", format!("<{name}> is not closed")));
    }
    (out, flaws)
}

fn element<'a>(
    here: &'a str,
    format: CaptionFormat,
    span: (u64, u64),
    open: &mut Vec<String>,
    out: &mut String,
    flaws: &mut Vec<Flaw>,
) -> &'a str {
    let after = here.get(1..).unwrap_or_default();
    let Some((inside, rest)) = after.split_once('>').filter(|(inside, _)| !inside.contains('<')) else {
        flaws.push(("medium", "unescaped_character", "a `<` begins no tag; in WebVTT write &lt;".to_owned()));
        out.push('<');
        return after;
    };
    let vtt = format == CaptionFormat::Webvtt;
    if vtt && inside.starts_with(|first: char| first.is_ascii_digit()) {
        match timing::stamp(inside, format, &mut Vec::new()) {
            Some(time) if time > span.0 && time < span.1 => {}
            _ => {
                flaws.push(("medium", "inner_time_outside_cue", format!("<{inside:.40}> does not lie within the cue")))
            }
        }
        return rest;
    }
    let (end, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
    let name: String = inside.chars().take_while(|letter| letter.is_alphanumeric()).take(20).collect();
    let name = if vtt { name } else { name.to_lowercase() };
    let known: &[&str] =
        if vtt { &["c", "i", "b", "u", "ruby", "rt", "v", "lang"] } else { &["b", "i", "u", "s", "font"] };
    if !known.contains(&name.as_str()) {
        flaws.push(("low", "unknown_tag", format!("<{name}> is no tag of this format: players drop it or show it")));
    } else if !end {
        // Deeper than any caption goes; more are not followed.
        if open.len() < 50 {
            open.push(name);
        }
    } else if let Some(place) = open.iter().rposition(|other| *other == name) {
        open.remove(place);
    } else {
        flaws.push(("low", "stray_end_tag", format!("</{name}> closes nothing")));
    }
    rest
}

fn reference<'a>(here: &'a str, out: &mut String, flaws: &mut Vec<Flaw>) -> &'a str {
    let after = here.get(1..).unwrap_or_default();
    let name: String =
        after.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '#').take(32).collect();
    let rest = after.get(name.len()..).unwrap_or_default();
    let Some(rest) = rest.strip_prefix(';').filter(|_| !name.is_empty()) else {
        flaws.push(("low", "unescaped_character", "a `&` begins no character reference; write &amp;".to_owned()));
        out.push('&');
        return after;
    };
    match REFERENCES.iter().find(|(known, _)| *known == name) {
        Some((_, text)) => out.push_str(text),
        // Another reference of HTML: one character, whichever.
        None => out.push('\u{fffd}'),
    }
    rest
}
