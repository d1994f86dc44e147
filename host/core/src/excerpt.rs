//! Excerpts of text from clients, for messages.

/// Returns the first `chars` characters of a text, with an ellipsis if more follow.
pub fn excerpt(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
