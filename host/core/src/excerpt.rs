//! The beginning of a text that somebody else wrote, for messages.

/// The first `chars` characters, and a sign where more follow.
pub fn excerpt(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
