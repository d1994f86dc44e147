//! Sanitizes untrusted text for logs and display.

/// Returns the text on one line, cut to `max` bytes, without control characters, which could move a
/// terminal's cursor or forge a log line.
pub fn clean(raw: &str, max: usize) -> String {
    let mut clean = String::with_capacity(raw.len().min(max));
    for character in raw.chars() {
        let character = if is_unprintable(character) { ' ' } else { character };
        if clean.len().saturating_add(character.len_utf8()) > max {
            break;
        }
        clean.push(character);
    }
    clean
}

/// Sanitizes a text line by line: at most `max` bytes in total, without empty lines.
pub fn lines(raw: &str, max: usize) -> Vec<String> {
    let mut left = max;
    let mut lines = Vec::new();
    for line in raw.lines().filter(|line| !line.trim().is_empty()) {
        let line = clean(line.trim_end(), left);
        left = left.saturating_sub(line.len());
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    lines
}

/// Returns whether a character is a control character, or changes the direction of the text after
/// it.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(clean("a\u{1b}[2Jb\r\nc\u{202e}d", 100), "a [2Jb  c d");
    }

    #[test]
    fn lines_stay_lines_and_have_a_bound() {
        assert_eq!(lines("a\n\n  b\u{1b}[2J\r\nc", 100), ["a", "  b [2J", "c"]);
        assert_eq!(lines("abc\ndef\nghi", 5), ["abc", "de"]);
    }

    #[test]
    fn cuts_between_characters() {
        assert_eq!(clean("ééé", 3), "é");
        assert_eq!(clean("abc", 0), "");
    }
}
