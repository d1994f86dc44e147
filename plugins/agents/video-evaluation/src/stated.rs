//! Durations, sizes and limits that a request states in words.

use agent_common::number_words;
use agent_common::patterns::{compiled, groups};
use serde_json::{Map, Value, json};

const UNIT: &str = r"(?:hours?|hrs?|h|minutes?|mins?|min|minutos?|minuten|seconds?|secs?|sec|s|segundos?|secondes?|sekunden|sekunde|secondi|segundos?|heures?|stunden?|horas?)";

/// The first duration of a text, in seconds: `15 minutes and 36 seconds`, `1:30 min`, `20 s`, `two minutes`.
#[must_use]
pub fn duration(text: &str) -> Option<f64> {
    durations(text).first().map(|(_, seconds)| *seconds)
}

/// All durations and where they begin.
fn durations(text: &str) -> Vec<(usize, f64)> {
    let lower = text.to_lowercase();
    // `as` is no second: words of numbers stand apart from their unit.
    let amount = r"(\d+(?:[.,]\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|forty|fifty|sixty|ninety|half an?|an?)";
    let pattern = format!(r"\b{amount}(?:[\s-]+|\b)({UNIT})\b|\b(\d{{1,2}}(?::\d{{2}}){{1,2}})\b");
    let Some(regex) = compiled(&pattern) else { return Vec::new() };
    let mut found: Vec<(usize, usize, f64, f64)> = Vec::new();
    for matched in regex.captures_iter(&lower) {
        let Some(whole) = matched.get(0) else { continue };
        let (value, size) = match (matched.get(1), matched.get(2), matched.get(3)) {
            (Some(amount), Some(unit), _) => (number(amount.as_str()), size(unit.as_str())),
            (_, _, Some(clock)) => (crate::found_captions::seconds(clock.as_str()), 1.0),
            _ => continue,
        };
        let Some(value) = value else { continue };
        let joined = found.last().is_some_and(|(_, end, _, before)| {
            let between = lower.get(*end..whole.start()).unwrap_or_default().trim();
            *before > size && matches!(between, "" | "and" | "," | "und" | "et" | "y" | "e")
        });
        match found.last_mut().filter(|_| joined) {
            Some(last) => *last = (last.0, whole.end(), last.2 + value * size, size),
            None => found.push((whole.start(), whole.end(), value * size, size)),
        }
    }
    found.into_iter().map(|(start, _, seconds, _)| (start, seconds)).collect()
}

fn number(text: &str) -> Option<f64> {
    match text {
        "a" | "an" => Some(1.0),
        "half a" | "half an" => Some(0.5),
        _ => text.replace(',', ".").parse().ok().or_else(|| number_words::cardinal(text).map(f64::from)),
    }
}

fn size(unit: &str) -> f64 {
    if unit.starts_with('h') || unit.starts_with("stunde") || unit.starts_with("hora") {
        3600.0
    } else if unit.starts_with('m') {
        60.0
    } else {
        1.0
    }
}

/// Words beside a duration that is that of the media.
const MEDIA: &[&str] = &[
    "video",
    "vídeo",
    "clip",
    "film",
    "movie",
    "episode",
    "recording",
    "durée",
    "duration",
    "dauer",
    "dura ",
    "length",
    "lasts",
    "runtime",
    "running time",
    "media",
    "long",
    "total",
    "totale",
    "spot",
    "audio",
    "mp4",
    "trailer",
    "lang",
    "duración",
    "durata",
    "runs",
    "footage",
    "file",
];
/// Words before a duration that is a limit or a part.
const LIMITS: &[&str] = &[
    "at most",
    "at least",
    "max",
    "min ",
    "minimum",
    "no more",
    "longer than",
    "shorter than",
    "less than",
    "more than",
    "under ",
    "up to",
    "limit",
    "each",
    "gap",
    "per caption",
    "on screen",
    "seconds before",
    "shorter",
    "starts",
    "from",
    "second ",
    "per cue",
    "highest",
    "between",
];

/// How long the media is, where the words say so.
#[must_use]
pub fn media_seconds(request: &str) -> Option<f64> {
    let lower = request.to_lowercase();
    durations(&lower)
        .into_iter()
        .find(|(start, _)| {
            let before: String = lower
                .get(..*start)
                .unwrap_or_default()
                .chars()
                .rev()
                .take(40)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .collect();
            let after: String = lower.get(*start..).unwrap_or_default().chars().take(32).collect();
            let near = |list: &[&str], text: &str| list.iter().any(|mark| text.contains(mark));
            (near(MEDIA, &before) || near(MEDIA, &after))
                && !near(
                    LIMITS,
                    &before.chars().rev().take(18).collect::<Vec<_>>().into_iter().rev().collect::<String>(),
                )
        })
        .map(|(_, seconds)| seconds)
}

/// Limits for captions in words, as the thresholds of the bridge.
#[must_use]
pub fn thresholds(request: &str) -> Map<String, Value> {
    const MOST: &str = r"(?:at most|max(?:imum)?\.?(?: of)?|maximal|no more than|not more than|up to|limit(?: is| of)?:?|under|below|must not exceed|may not exceed|over|more than|above|exceed(?:s|ing)?|longer than|más de|mehr als|plus de|più di|meer dan|höchstens|maximal|máximo|au plus|>|<=?|≤)";
    const LEAST: &str = r"(?:at least|min(?:imum)?\.?(?: of)?|mindestens|no less than|not less than|less than|shorter than|under|below|>=?|≥|<)";
    let lower = request.to_lowercase();
    let find = |words: &str, unit: &str| -> Option<f64> {
        let before = groups(&format!(r"{words}\s+(\d+(?:[.,]\d+)?)\s*(?:{unit})"), &lower);
        let after = || {
            groups(
                &format!(
                    r"(\d+(?:[.,]\d+)?)\s*(?:{unit})[^.;,]{{0,14}}\b(?:max|min|or (?:less|fewer|more)|limit|at most|at least)"
                ),
                &lower,
            )
        };
        let found = if before.is_empty() { after() } else { before };
        found.get(1).and_then(|number| number.replace(',', ".").parse().ok())
    };
    let mut limits = Map::new();
    let mut set = |name: &str, value: Option<f64>, whole: bool| {
        if let Some(value) = value.filter(|value| *value > 0.0) {
            limits.insert(name.to_owned(), if whole { json!(value.round() as u64) } else { json!(value) });
        }
    };
    set(
        "characters_per_second",
        find(
            MOST,
            r"cps|characters? (?:per|a|/) ?s|chars?(?:acters)?[ /]*(?:per|a|/) ?s|zeichen (?:pro|je) sekunde|caracteres por segundo|caractères par seconde|caratteri al secondo|tekens per seconde",
        ),
        false,
    );
    set("words_per_minute", find(MOST, r"wpm|words? (?:per|a|/) ?min"), false);
    set(
        "line_characters",
        find(
            MOST,
            r"(?:characters?|chars?|zeichen|signs|letters)(?: (?:per|a|in a|on a|each|pro) (?:line|zeile)| (?:each|wide|long)|(?:/line))|per line|(?:characters?|chars?|zeichen)\s*(?:[,.;]|$|and\b)",
        ),
        true,
    );
    set("lines", find(MOST, r"lines?\b|zeilen"), true);
    set("most_seconds", find(MOST, r"s\b|sec(?:ond)?s?\b(?: on screen| per (?:cue|caption))"), false);
    set("least_seconds", find(LEAST, r"s\b|sec(?:ond)?s?\b"), false);
    set("least_gap_seconds", least_gap(&lower), false);
    if limits.contains_key("least_gap_seconds") {
        limits.remove("least_seconds");
    }
    let (least, most) =
        (limits.get("least_seconds").and_then(Value::as_f64), limits.get("most_seconds").and_then(Value::as_f64));
    if least.is_some_and(|least| least > most.unwrap_or(7.0)) {
        limits.remove("least_seconds");
    }
    if most.is_some_and(|most| most < 0.84) {
        limits.remove("most_seconds");
    }
    limits
}

/// The shortest gap that a request allows, in seconds.
fn least_gap(lower: &str) -> Option<f64> {
    let found = groups(r"gaps?([^.\d]{0,40}?)(\d+(?:\.\d+)?)[\s-]*(ms|milli\w*|s\b|sec)", lower);
    let [_, between, number, unit] = found.as_slice() else { return None };
    let longer = ["over", "more than", "longer", "above", "exceed", ">"].iter().any(|word| between.contains(word));
    let value: f64 = number.parse().ok()?;
    (!longer).then(|| if unit.starts_with('m') { value / 1000.0 } else { value })
}

/// From which length on a gap is one that the request asks for: `holes of more than five seconds`.
#[must_use]
pub fn long_gap(request: &str) -> Option<f64> {
    let lower = request.to_lowercase();
    let found = groups(
        r"(?:gap|hole|pause|silence|silent|break|stretch|interval|lücke|pausa)\w*\b[^.?]{0,40}?(?:over|more than|longer than|above|exceed\w*|at least|>|mehr als|más de|plus de)\s*([\d.,]+\s?\w+|\w+ \w+)",
        &lower,
    );
    let behind = groups(
        r"(?:more than|longer than|over|at least)\s+([\d.,]+\s?\w+|\w+ \w+)\s+(?:without|with no|where there are no|of silence)",
        &lower,
    );
    duration(found.get(1).or(behind.get(1))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_in_words() {
        for (text, expect) in [
            ("2,340 words in 15 minutes and 36 seconds", Some(936.0)),
            ("El vídeo dura 20 segundos", Some(20.0)),
            ("Durée totale : 15 secondes", Some(15.0)),
            ("the 60 s clip", Some(60.0)),
            ("it is 1:30 long", Some(90.0)),
            ("1 h 5 min", Some(3900.0)),
            ("two minutes", Some(120.0)),
            ("nothing", None),
        ] {
            assert_eq!(duration(text), expect, "{text}");
        }
        assert_eq!(media_seconds("How much of the 60 s clip is covered by captions?"), Some(60.0));
        assert_eq!(media_seconds("We publish decisions as videos, max 20 characters per second"), None);
        assert_eq!(long_gap("is there a hole of more than five seconds without subtitles?"), Some(5.0));
        assert_eq!(long_gap("overlaps, gaps over 10 s, speed over 20 cps"), Some(10.0));
        assert_eq!(
            thresholds("a gap of at least 80 milliseconds").get("least_gap_seconds").and_then(Value::as_f64),
            Some(0.08)
        );
        assert_eq!(media_seconds("Each caption at most 6 seconds, please"), None);
    }

    #[test]
    fn limits_in_words() {
        for (text, name, value) in [
            ("max 37 characters per line", "line_characters", 37.0),
            ("at most 15 cps", "characters_per_second", 15.0),
            ("no more than 160 wpm", "words_per_minute", 160.0),
            ("max. 2 lines", "lines", 2.0),
            ("captions of at least 1.5 seconds", "least_seconds", 1.5),
        ] {
            assert_eq!(thresholds(text).get(name).and_then(Value::as_f64), Some(value), "{text}");
        }
        assert!(thresholds("please check these captions").is_empty());
    }
}
