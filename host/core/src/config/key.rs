//! The dotted name of a setting, for example `plugins.weather.enabled`.

use std::fmt;

/// A setting's path of segments from the root of the configuration. Segments that are not
/// bare words are shown in quotes, as in TOML.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(Vec<String>);

impl Key {
    pub(super) fn new(segments: Vec<String>) -> Self {
        Self(segments)
    }

    /// Returns this key with one more segment.
    pub(super) fn then(&self, segment: &str) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment.to_owned());
        Self(segments)
    }

    pub(super) fn segments(&self) -> &[String] {
        &self.0
    }

    pub(super) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// The table that contains this key.
    pub(super) fn parent(&self) -> Self {
        Self(self.0.split_last().map_or_else(Vec::new, |(_, rest)| rest.to_vec()))
    }

    /// The segments after `prefix`, if this key is below `prefix`.
    pub(super) fn below(&self, prefix: &Self) -> Option<&[String]> {
        self.0.strip_prefix(prefix.0.as_slice()).filter(|rest| !rest.is_empty())
    }

    /// The environment variable that sets this key.
    pub(super) fn variable(&self) -> String {
        let segments: Vec<String> = self.0.iter().map(|s| s.to_uppercase().replace('-', "_")).collect();
        format!("{VARIABLE_PREFIX}{}", segments.join("__"))
    }
}

/// The prefix of environment variables that set configuration keys.
pub(super) const VARIABLE_PREFIX: &str = "TOLLBRIDGE__";

impl From<&str> for Key {
    /// Splits a dotted key that is a literal in this program.
    fn from(dotted: &str) -> Self {
        Self(dotted.split('.').map(str::to_owned).collect())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            if is_bare(segment) { f.write_str(segment)? } else { f.write_str(&quoted(segment))? }
        }
        Ok(())
    }
}

/// Quotes a text as a TOML basic string.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns the key among `known` that the operator most likely meant, if any is similar.
pub(super) fn nearest<'a>(wrong: &Key, known: impl Iterator<Item = &'a Key>) -> Option<&'a Key> {
    let text = wrong.to_string();
    let allowed = (text.chars().count() / 4).clamp(2, 4);
    let close = |key: &'a Key| {
        let whole = distance(&text, &key.to_string());
        // A correct name in the wrong section is as likely a mistake as a typo.
        let moved = distance(wrong.last(), key.last()) * 2 + 1;
        (whole.min(moved), whole, key)
    };
    known.map(close).filter(|(score, ..)| *score <= allowed).min().map(|(.., key)| key)
}

fn is_bare(segment: &str) -> bool {
    !segment.is_empty() && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The edit distance: the number of characters to insert, delete or replace to turn one
/// text into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for ((to, diagonal), above) in b.iter().zip(&row).zip(row.iter().skip(1)) {
            let left = next.last().copied().unwrap_or(usize::MAX - 1);
            next.push((diagonal + usize::from(from != *to)).min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_odd_segments_in_quotes() {
        let key = Key::from("agents.skills").then("research:citation");
        assert_eq!(key.to_string(), r#"agents.skills."research:citation""#);
        assert_eq!(quoted("a\"\\\n\u{1}"), r#""a\"\\\n\u0001""#);
        assert_eq!(Key::from("plugins.my-plugin.enabled").variable(), "TOLLBRIDGE__PLUGINS__MY_PLUGIN__ENABLED");
    }

    #[test]
    fn counts_edits() {
        for (a, b, edits) in
            [("", "", 0), ("listen", "listen", 0), ("listn", "listen", 1), ("", "abc", 3), ("ab", "ba", 2)]
        {
            assert_eq!((distance(a, b), distance(b, a)), (edits, edits), "{a} {b}");
        }
    }

    #[test]
    fn finds_what_was_meant() {
        let known: Vec<Key> = ["server.listen", "admin.listen", "server.base_url", "payments.quote_ttl", "data.dir"]
            .map(Key::from)
            .to_vec();
        for (wrong, expect) in [
            ("server.listn", Some("server.listen")),
            ("sever.listen", Some("server.listen")),
            ("base_url", Some("server.base_url")),
            ("server.quote_ttl", Some("payments.quote_ttl")),
            ("server.colour", None),
            ("x", None),
        ] {
            assert_eq!(nearest(&Key::from(wrong), known.iter()).map(Key::to_string).as_deref(), expect, "{wrong}");
        }
    }
}
