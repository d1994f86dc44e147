//! The line of a finding, cut to what matters, with every secret in it masked.

use crate::secret::Secret;
use crate::source::Source;

/// Characters of an excerpt.
const LONGEST: usize = 200;
/// Characters kept before the finding when the line is longer.
const BEFORE: usize = 60;
/// Characters of a long secret that stay readable, so that its owner knows which one it is.
const SHOWN: usize = 4;

/// The excerpt for a finding at a byte of the text.
#[must_use]
pub fn excerpt(source: &Source, secrets: &[Secret], at: usize) -> String {
    let range = source.line_range(source.line_of(at));
    let mut masked: Vec<char> = Vec::new();
    let mut focus = 0;
    let mut skip_to = 0;
    for (offset, letter) in source.text.get(range.clone()).unwrap_or_default().char_indices() {
        let place = range.start + offset;
        if place <= at {
            focus = masked.len();
        }
        if place < skip_to {
            continue;
        }
        match covering(secrets, place) {
            Some(secret) => {
                let from = place.max(secret.start);
                let begin = if from == secret.start { shown(source, secret) } else { "" };
                masked.extend(begin.chars().chain("****".chars()));
                skip_to = secret.end;
            }
            None => masked.push(if letter.is_control() { ' ' } else { letter }),
        }
    }
    cut(&masked, focus)
}

/// The secret that covers a byte. Secrets are in order and do not overlap.
fn covering(secrets: &[Secret], place: usize) -> Option<&Secret> {
    let after = secrets.partition_point(|secret| secret.start <= place);
    after.checked_sub(1).and_then(|before| secrets.get(before)).filter(|secret| place < secret.end)
}

fn shown<'a>(source: &'a Source, secret: &Secret) -> &'a str {
    let text = source.text.get(secret.start..secret.end).unwrap_or_default();
    if text.starts_with("-----BEGIN") {
        return "-----BEGIN PRIVATE KEY-----";
    }
    if text.len() < 16 { "" } else { text.get(..SHOWN).unwrap_or_default() }
}

fn cut(letters: &[char], focus: usize) -> String {
    if letters.len() <= LONGEST {
        return letters.iter().collect::<String>().trim().to_owned();
    }
    let from = focus.saturating_sub(BEFORE).min(letters.len() - LONGEST);
    let part: String = letters.iter().skip(from).take(LONGEST).collect();
    let (left, right) = (if from > 0 { "…" } else { "" }, if from + LONGEST < letters.len() { "…" } else { "" });
    format!("{left}{}{right}", part.trim())
}
