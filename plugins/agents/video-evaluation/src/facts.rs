//! Captions and words in figures, and those that a request asks for.

use agent_common::figures;
use agent_common::patterns::{groups, is_match};

use crate::found_captions::Cue;

/// A figure with its name, as words.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// What it is called as a member.
    pub name: &'static str,
    /// The figure.
    pub value: f64,
    /// The figure in words.
    pub words: String,
    /// What a request says that asks for it.
    asked: &'static str,
    /// The two captions that it lies between.
    pub between: Option<(usize, usize)>,
}

fn fact(name: &'static str, value: f64, words: String, asked: &'static str) -> Fact {
    Fact { name, value: (value * 1000.0).round() / 1000.0, words, asked, between: None }
}

fn shown(value: f64) -> String {
    figures::figure((value * 100.0).round() / 100.0)
}

/// Time during which a cue is shown, each moment once.
fn covered(cues: &[Cue]) -> f64 {
    let mut spans: Vec<(f64, f64)> =
        cues.iter().filter(|cue| cue.end > cue.start).map(|cue| (cue.start, cue.end)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut total, mut reached) = (0.0, 0.0_f64);
    for (start, end) in spans {
        total += (end - start.max(reached)).max(0.0);
        reached = reached.max(end);
    }
    total
}

/// All figures of captions.
#[must_use]
pub fn of_captions(cues: &[Cue], media: Option<f64>) -> Vec<Fact> {
    let mut all = Vec::new();
    let timed: Vec<&Cue> = cues.iter().filter(|cue| cue.end > cue.start).collect();
    let (Some(first), Some(last)) = (
        timed.iter().map(|cue| cue.start).min_by(f64::total_cmp),
        timed.iter().map(|cue| cue.end).max_by(f64::total_cmp),
    ) else {
        return all;
    };
    let count = cues.len() as f64;
    all.push(fact("captions", count, figures::count(cues.len(), "caption", "captions"), r"how many (?:captions?|cues?|subtitles?|subs|entries|blocks|titles)|number of (?:captions|cues|subtitles)|wie viele (?:untertitel|captions)|cuántos subt|combien de sous"));
    all.push(fact(
        "first_caption_starts",
        first,
        format!("the first caption starts at {} s", shown(first)),
        r"first .*(?:start|begin|appear)|start(?:s)? at|when do(?:es)? .*(?:start|begin)",
    ));
    all.push(fact(
        "last_caption_ends",
        last,
        format!("the last caption ends at {} s", shown(last)),
        r"last (?:one|caption|cue|subtitle)?.*(?:end|disappear)|running time|run time|runtime|when do(?:es)? .*end|end time",
    ));
    let time: f64 = timed.iter().map(|cue| cue.seconds()).sum();
    all.push(fact("average_duration", time / timed.len() as f64, format!("a caption lasts {} s on average", shown(time / timed.len() as f64)), r"(?:average|avg|mean|durchschnitt\w*|moyenne)\b.*(?:duration|length|time|long|on screen|dauer|durée)|(?:duration|length).*(?:average|mean)"));
    if let Some(cue) = timed.iter().max_by(|a, b| a.seconds().total_cmp(&b.seconds())) {
        all.push(fact("longest_duration", cue.seconds(), format!("the longest is caption {} with {} s", cue.number, shown(cue.seconds())), r"longest (?:caption|cue|subtitle|one|duration)|(?:caption|cue|subtitle)s?.*(?:longest|stays? on screen)|max(?:imum)? duration"));
    }
    if let Some(cue) = timed.iter().min_by(|a, b| a.seconds().total_cmp(&b.seconds())) {
        all.push(fact(
            "shortest_duration",
            cue.seconds(),
            format!("the shortest is caption {} with {} s", cue.number, shown(cue.seconds())),
            r"shortest|min(?:imum)? duration",
        ));
    }
    let seen = covered(cues);
    all.push(fact("shown_seconds", seen, format!("captions are on screen for {} s", shown(seen)), r"total (?:time|duration).*(?:caption|cue|screen)|stays? on (?:the )?screen|add(?:ed)? up|sum of|how long .*(?:captions|on screen|in total|altogether)|seconds .*(?:captioned|have captions)"));
    coverage(seen, (first, last), media, &mut all);
    gaps(&timed, &mut all);
    words(&timed, (first, last), media, &mut all);
    all
}

/// How much of the video has captions.
fn coverage(seen: f64, (first, last): (f64, f64), media: Option<f64>, all: &mut Vec<Fact>) {
    if let Some(media) = media.filter(|media| *media > 0.0) {
        let percent = seen / media * 100.0;
        all.push(fact(
            "covered_percent",
            percent,
            format!("captions cover {} % of the {} s", shown(percent), shown(media)),
            r"cover|percent|share of|proportion|what part of|fraction",
        ));
        all.push(fact(
            "uncovered_seconds",
            media - seen,
            format!("{} s are without captions", shown(media - seen)),
            r"without (?:any )?caption|uncovered|not covered|no captions",
        ));
        all.push(fact(
            "silence_at_end",
            media - last,
            format!("from the last caption to the end are {} s", shown(media - last)),
            r"(?:after the last|to the end|at the end|remain|left)",
        ));
    } else {
        let percent = seen / (last - first).max(0.001) * 100.0;
        all.push(fact(
            "covered_percent_of_span",
            percent,
            format!("captions cover {} % of the time from the first to the last", shown(percent)),
            r"cover.*(?:between|from the first)",
        ));
    }
}

fn gaps(timed: &[&Cue], all: &mut Vec<Fact>) {
    let gap = |pair: &[&Cue]| match pair {
        [a, b] => Some((a.number, b.number, b.start - a.end)),
        _ => None,
    };
    let gaps: Vec<(usize, usize, f64)> = timed.windows(2).filter_map(gap).collect();
    if let Some((a, b, longest)) = gaps.iter().max_by(|a, b| a.2.total_cmp(&b.2)) {
        all.push(fact("longest_gap", *longest, format!("the longest gap is {} s, between captions {a} and {b}", shown(*longest)), r"(?:longest|largest|biggest|greatest|max\w*) (?:gap|pause|silence|break)|how long (?:is|are) the (?:gap|pause)|gap between|biggest hole"));
    }
    if let Some((a, b, shortest)) = gaps.iter().min_by(|a, b| a.2.total_cmp(&b.2)) {
        all.push(fact(
            "shortest_gap",
            *shortest,
            format!("the shortest gap is {} s, between captions {a} and {b}", shown(*shortest)),
            r"(?:shortest|smallest|least|min\w*) (?:gap|pause)",
        ));
    }
    for (a, b, gap) in &gaps {
        all.push(Fact {
            name: "gap",
            value: (gap * 1000.0).round() / 1000.0,
            words: format!("from the end of caption {a} to the start of caption {b} are {} s", shown(*gap)),
            asked: "",
            between: Some((*a, *b)),
        });
    }
    let total: f64 = gaps.iter().map(|gap| gap.2.max(0.0)).sum();
    all.push(fact(
        "gaps_in_all",
        total,
        format!("all gaps together are {} s", shown(total)),
        r"(?:total|sum|all|together).*(?:gap|pause|silence)",
    ));
}

fn words(timed: &[&Cue], (first, last): (f64, f64), media: Option<f64>, all: &mut Vec<Fact>) {
    let words: usize = timed.iter().map(|cue| cue.words()).sum();
    let characters: usize = timed.iter().map(|cue| cue.characters()).sum();
    let time: f64 = timed.iter().map(|cue| cue.seconds()).sum();
    all.push(fact(
        "words",
        words as f64,
        figures::count(words, "word", "words"),
        r"how many words|word count|number of words|words in (?:total|all)",
    ));
    all.push(fact(
        "characters",
        characters as f64,
        figures::count(characters, "character", "characters"),
        r"how many characters|number of characters|character count",
    ));
    let speed = characters as f64 / time;
    all.push(fact(
        "characters_per_second",
        speed,
        format!("{} characters per second", shown(speed)),
        r"characters? (?:per|a|/) ?s|\bcps\b|reading speed|zeichen pro sekunde",
    ));
    if let Some(cue) = timed
        .iter()
        .max_by(|a, b| (a.characters() as f64 / a.seconds()).total_cmp(&(b.characters() as f64 / b.seconds())))
        .filter(|_| timed.len() > 1)
    {
        let fastest = cue.characters() as f64 / cue.seconds();
        all.push(fact(
            "most_characters_per_second",
            fastest,
            format!("the fastest is caption {} with {} characters per second", cue.number, shown(fastest)),
            r"fastest|(?:highest|max\w*|peak) (?:reading|cps|characters)|hardest to read|too fast",
        ));
    }
    pace(words as f64, time, (last - first, media), all);
    if let Some(cue) = timed.iter().max_by_key(|cue| cue.text.lines().map(|line| line.chars().count()).max()) {
        let longest = cue.text.lines().map(|line| line.trim().chars().count()).max().unwrap_or(0);
        all.push(fact(
            "longest_line",
            longest as f64,
            format!("the longest line has {longest} characters, in caption {}", cue.number),
            r"longest line|line length|characters (?:per|a|in the longest) line",
        ));
    }
}

/// Words a minute: while captions are shown, from the first to the last, over the whole video.
fn pace(words: f64, time: f64, (span, media): (f64, Option<f64>), all: &mut Vec<Fact>) {
    let spoken = words * 60.0 / time;
    let asked = r"words? (?:per|a|/) ?min|\bwpm\b|\bpace\b|speaking rate|speech rate|how fast|wörter pro minute";
    all.push(fact(
        "words_per_minute",
        spoken,
        format!("{} words per minute while captions are shown", shown(spoken)),
        asked,
    ));
    let overall = words * 60.0 / span.max(0.001);
    if (span - time).abs() > 0.01 {
        all.push(fact(
            "words_per_minute_overall",
            overall,
            format!("{} from the first caption to the last", shown(overall)),
            asked,
        ));
    }
    if let Some(media) = media.filter(|media| *media > 0.0 && (*media - span).abs() > 0.01) {
        let whole = words * 60.0 / media;
        all.push(fact(
            "words_per_minute_of_media",
            whole,
            format!("{} over the whole {} s", shown(whole), shown(media)),
            asked,
        ));
    }
}

/// The figures that a request asks for, those of one cue if it names one.
#[must_use]
pub fn asked<'f>(facts: &'f [Fact], request: &str) -> Vec<&'f Fact> {
    let lower = request.to_lowercase();
    let named = groups(
        r"(?:between|from|zwischen|entre)\D{0,24}(?:#\s?)?(\d+|first|second|third|fourth|fifth)\D{1,24}(\d+|second|third|fourth|fifth|sixth)\b",
        &lower,
    );
    let place = |word: &String| {
        let ordinals = ["first", "second", "third", "fourth", "fifth", "sixth"];
        word.parse::<usize>().ok().or_else(|| ordinals.iter().position(|one| one == word).map(|at| at + 1))
    };
    if let [_, a, b] = named.as_slice()
        && let (Some(a), Some(b)) = (place(a), place(b))
        && is_match(r"gap|pause|silence|break|time|long|big|distance|wait|pausa|lücke", &lower)
        && let Some(fact) = facts.iter().find(|fact| fact.between == Some((a.min(b), a.max(b))))
    {
        return vec![fact];
    }
    facts.iter().filter(|fact| !fact.asked.is_empty() && is_match(fact.asked, &lower)).collect()
}

/// The cues that a request is about: that which it names, else all.
#[must_use]
pub fn about<'c>(cues: &'c [Cue], request: &str) -> Option<&'c Cue> {
    let named = groups(r"(?i)\b(?:caption|cue|subtitle|number|no\.?|#|untertitel)\s*#?(\d+)\b", request);
    let number: usize = named.get(1)?.parse().ok()?;
    if is_match(r"(?i)between|zwischen|entre\b", request) {
        return None;
    }
    cues.iter().find(|cue| cue.number == number)
}

/// How a pace of speech is judged.
#[must_use]
pub fn judged(pace: f64) -> &'static str {
    match pace {
        pace if pace < 100.0 => "slow: most speakers say 120 to 170",
        pace if pace < 120.0 => "a calm pace: most speakers say 120 to 170",
        pace if pace <= 170.0 => "a normal pace, not too fast",
        pace if pace <= 190.0 => "brisk, a little faster than the usual 120 to 170",
        _ => "too fast for many listeners: usual are 120 to 170",
    }
}

/// Pace, length or number of words from the two others, in words: `2,340 words in 15 minutes and 36 seconds`.
#[must_use]
pub fn of_speech(request: &str, transcript: &str, media: Option<f64>) -> Vec<Fact> {
    let lower = request.to_lowercase();
    let without_pace = lower.replace("words per minute", "wpm").replace("words a minute", "wpm");
    let told = groups(r"\b(\d{1,3}(?:[,. ']\d{3})+|\d+)\s*(?:spoken )?(?:words|wörter|mots|palabras)\b", &without_pace);
    let told = told
        .get(1)
        .and_then(|count| count.chars().filter(char::is_ascii_digit).collect::<String>().parse::<f64>().ok());
    let own = transcript.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    let words = told.or_else(|| (own > 2).then_some(own as f64));
    let pace = groups(r"(\d+)\s*(?:words (?:per|a) minute|wpm|wörter pro minute)", &lower);
    let pace = pace.get(1).and_then(|pace| pace.parse::<f64>().ok());
    let seconds = crate::stated::duration(&without_pace).or(media);
    let mut all = Vec::new();
    if let Some(words) = words {
        all.push(fact(
            "words",
            words,
            format!("{} words", figures::figure(words)),
            r"how many words|word count|number of words",
        ));
    }
    match (words, seconds, pace) {
        (Some(words), Some(seconds), _) if seconds > 0.0 => {
            let pace = words * 60.0 / seconds;
            all.push(fact(
                "words_per_minute",
                pace,
                format!(
                    "{} words per minute ({} words in {} s), {}",
                    shown(pace),
                    figures::figure(words),
                    shown(seconds),
                    judged(pace)
                ),
                r"words? (?:per|a|/) ?min|\bwpm\b|pace|rate|fast|speed|slow|tempo",
            ));
        }
        (Some(words), None, Some(pace)) if pace > 0.0 => {
            let seconds = words * 60.0 / pace;
            all.push(fact(
                "seconds",
                seconds,
                format!(
                    "{} s ({} minutes) for {} words at {} words per minute",
                    shown(seconds),
                    shown(seconds / 60.0),
                    figures::figure(words),
                    figures::figure(pace)
                ),
                r"how long|duration|length|minutes|wie lang",
            ));
        }
        (None, Some(seconds), Some(pace)) => {
            let words = pace * seconds / 60.0;
            all.push(fact(
                "words",
                words,
                format!(
                    "{} words fit into {} s at {} words per minute",
                    shown(words),
                    shown(seconds),
                    figures::figure(pace)
                ),
                r"how many words|words (?:fit|can|do)|word count",
            ));
        }
        _ => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cues() -> Vec<Cue> {
        let cue = |number, start, end, text: &str| Cue { number, start, end, text: text.into() };
        vec![
            cue(1, 0.0, 6.0, "We left at dawn, all five of us."),
            cue(2, 10.0, 19.0, "The road was empty."),
            cue(3, 50.0, 59.0, "The coast."),
        ]
    }

    #[test]
    fn figures_that_are_asked_for() {
        let cues = cues();
        let facts = of_captions(&cues, Some(60.0));
        for (request, name, value) in [
            ("How many captions are there?", "captions", 3.0),
            ("when does the last one end", "last_caption_ends", 59.0),
            ("avg caption duration in seconds?", "average_duration", 8.0),
            ("How much of the 60 s clip is covered by captions, in percent?", "covered_percent", 40.0),
            ("What is the longest gap?", "longest_gap", 31.0),
            ("how many words", "words", 14.0),
        ] {
            let found = asked(&facts, request);
            assert_eq!(found.iter().find(|fact| fact.name == name).map(|fact| fact.value), Some(value), "{request}");
        }
        let one = [Cue { number: 1, start: 10.0, end: 13.0, text: "The ferry to the island leaves at nine.".into() }];
        assert_eq!(
            asked(&of_captions(&one, None), "reading speed (characters per second)").first().map(|fact| fact.value),
            Some(13.0)
        );
        assert_eq!(about(&cues, "How long is cue 2?").map(|cue| cue.number), Some(2));
    }

    #[test]
    fn speech_in_figures() {
        let value = |request: &str| of_speech(request, "", None).last().map(|fact| fact.value);
        assert_eq!(value("2,340 words in 15 minutes and 36 seconds. What pace is that?"), Some(150.0));
        assert_eq!(value("How long does it take to say 450 words at 150 wpm"), Some(180.0));
        assert_eq!(value("How many words fit into 2 minutes at 130 words per minute?"), Some(260.0));
    }
}
