//! Words of a text with the sentence and the clause that each stands in.

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// In small letters, without marks around it.
    pub word: String,
    /// Number of its sentence, from 0.
    pub sentence: usize,
    /// Number of its part between commas, from 0.
    pub part: usize,
    /// Number of its clause, from 0: parts, and what conjunctions part.
    pub clause: usize,
}

const CONJUNCTIONS: &[&str] = &[
    "but", "and", "although", "though", "however", "yet", "while", "whereas", "except", "aber", "und", "doch", "mais",
    "et", "pero", "y", "ma", "mas", "maar", "en",
];

/// Faces made of signs.
pub const FACES: &[&str] = &[
    ":)", ":-)", ";)", ";-)", ":d", ":-d", "=)", ":]", "<3", "^^", ":p", ":(", ":-(", ":'(", ":/", ":-/", "=(", ":[",
    "):", ">:(", "xd",
];

/// The words of a text; each emoji and each run of stars is one.
#[must_use]
pub fn read(text: &str) -> Vec<Token> {
    let lower = text.to_lowercase().replace(['’', '`'], "'");
    let mut tokens: Vec<Token> = Vec::new();
    let (mut sentence, mut part, mut clause) = (0, 0, 0);
    for line in lower.lines() {
        let mut ended = true;
        for raw in line.split_whitespace() {
            for word in words(raw) {
                if CONJUNCTIONS.contains(&word.as_str()) && tokens.last().is_some_and(|last| last.clause == clause) {
                    clause += 1;
                }
                tokens.push(Token { word, sentence, part, clause });
            }
            let tail = raw.trim_end_matches(['"', '\'', ')', '”', '»']);
            let stops = tail.ends_with(['.', '!', '?', '…', '。', '！', '？']);
            ended = stops;
            if stops || tail.ends_with([',', ';', ':', '–', '—']) || raw == "-" {
                part += 1;
                clause += 1;
            }
            sentence += usize::from(stops);
        }
        if !ended {
            sentence += 1;
            part += 1;
            clause += 1;
        }
    }
    tokens
}

/// `good...bad`, `👍👍`, `don't`, `10/10`.
fn words(raw: &str) -> Vec<String> {
    if FACES.contains(&raw) {
        return vec![raw.to_owned()];
    }
    let mut all: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in raw.chars() {
        let is_word = c.is_alphanumeric() || "'-/%+".contains(c);
        let is_picture = u32::from(c) >= 0x2190 && !c.is_alphanumeric() && c != '\u{fe0f}';
        if is_word {
            word.push(c);
        } else if is_picture || !word.is_empty() {
            all.push(std::mem::take(&mut word));
        }
        if is_picture {
            all.push(c.to_string());
        }
    }
    all.push(word);
    let bare = |word: &String| word.trim_matches(|c| "'-/+".contains(c)).to_owned();
    let mut out = Vec::new();
    for one in all {
        let keep = if one == "/s" { one } else { bare(&one) };
        if !keep.is_empty() {
            out.push(keep);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_sentences_and_clauses() {
        let shown = |text: &str| {
            read(text).iter().map(|t| format!("{}{}{}", t.word, t.sentence, t.clause)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown("It isn't bad, but loud. 10/10 👍👍"), "it00 isn't00 bad00 but01 loud01 10/1012 👍12 👍12");
        assert_eq!(shown("“Good”...\nok"), "good00 ok11");
    }
}
