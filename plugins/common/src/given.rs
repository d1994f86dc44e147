//! A text that the caller gives in the call or has stored.

use tollbridge_sdk::{Call, Error};

/// The text of `text` or of the stored resource, exactly one of them and at most `most` bytes long, and the pointer of
/// the member it came by.
pub fn text(
    call: &Call,
    text: Option<&String>,
    resource_id: Option<&String>,
    most: usize,
) -> Result<(String, &'static str), Error> {
    let (text, field) = match (text, resource_id) {
        (Some(text), None) => (text.clone(), "/text"),
        (None, Some(_)) => (call.stored()?.text()?.to_owned(), "/resource_id"),
        _ => return Err(Error::invalid("/text", "give `text` or `resource_id` (a stored text), one of them")),
    };
    if text.len() > most {
        return Err(Error::invalid(field, format!("{} bytes are more than {most}; send parts", text.len())));
    }
    Ok((text, field))
}
