//! Lines of a chat: a time, who speaks, and what is said.

use crate::patterns::{compiled, is_match};

/// A line of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// Who speaks; empty where only a time stands before the words.
    pub speaker: String,
    /// What is said; further lines of the same message are joined by line ends.
    pub text: String,
}

/// What stands before the words of a message: `[10:02] Ann: `, `10:02 - Ann: `, `03/01/2024, 10:02 - Ann: `.
const HEAD: &str = r"^\s*\[?(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?\s+)?\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]m)?\]?\s*[-–—]?\s*(?:([^\s\d:\[\]][^:\[\]]{0,24}):\s+)?";

/// The lines of a chat; none unless a text has two lines with times before their words. What stands above and below
/// comes back as `around`.
#[must_use]
pub fn read(text: &str) -> Option<(Vec<ChatLine>, String)> {
    let head = compiled(HEAD)?;
    let mut lines: Vec<ChatLine> = Vec::new();
    let mut around: Vec<&str> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let found = head.captures(line).filter(|_| !line.contains("-->"));
        match found.and_then(|found| Some((found.get(0)?.end(), found.get(1).map_or("", |name| name.as_str())))) {
            Some((end, speaker)) => {
                let said = line.get(end..).unwrap_or_default().trim();
                lines.push(ChatLine { speaker: speaker.trim().to_owned(), text: said.to_owned() });
                inside = true;
            }
            None if line.trim().is_empty() => {
                inside = false;
                around.push("");
            }
            None if inside => {
                if let Some(last) = lines.last_mut() {
                    last.text.push('\n');
                    last.text.push_str(line.trim());
                }
            }
            None => around.push(line),
        }
    }
    let spoken = lines.iter().filter(|line| !line.speaker.is_empty()).count();
    (spoken > 1 && spoken * 2 > lines.len()).then(|| (lines, around.join("\n").trim().to_owned()))
}

/// A text without the times and names before the messages of one person who asks; as it is where several speak.
#[must_use]
pub fn of_one_speaker(text: &str) -> Option<String> {
    let (lines, around) = read(text)?;
    let first = lines.first()?.speaker.clone();
    let same = lines.iter().all(|line| line.speaker.is_empty() || line.speaker == first);
    let said: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
    let whole = format!("{around}\n\n{}", said.join("\n\n"));
    (same && !is_match(r"-->", text)).then(|| whole.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_chat() {
        let (lines, around) =
            read("Label the customer.\n\n[10:02] Ann: It broke.\n[10:03] Shop: Sorry.\nreally\n10:05 - Ann: ok")
                .unwrap();
        let told: Vec<String> = lines.iter().map(|line| format!("{}={}", line.speaker, line.text)).collect();
        assert_eq!(
            (told.join("|").as_str(), around.as_str()),
            ("Ann=It broke.|Shop=Sorry.\nreally|Ann=ok", "Label the customer.")
        );
        assert_eq!(of_one_speaker("[10:02] Kei: hi\n[10:03] Kei: check it").as_deref(), Some("hi\n\ncheck it"));
        assert!(read("00:00 Intro\n01:20 Part two").is_none() && read("At 10:02 she left.").is_none());
    }
}
