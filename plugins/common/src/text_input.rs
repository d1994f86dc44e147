//! A text that comes with the call or is a stored resource.

use tollbridge_sdk::{Call, Error};

/// The text of a member or of the stored resource, exactly one of them, and the pointer of the member it came by.
///
/// `member` is the pointer of the text's member; `missing` says what to give where there is neither.
pub fn either<'c>(
    call: &'c Call,
    member: &'static str,
    text: Option<&'c str>,
    resource_id: Option<&str>,
    missing: &str,
) -> Result<(&'c str, &'static str), Error> {
    match (text, resource_id) {
        (Some(text), None) => Ok((text, member)),
        (None, Some(_)) => Ok((call.stored()?.text()?, "/resource_id")),
        (Some(_), Some(_)) => {
            let name = member.trim_start_matches('/');
            Err(Error::invalid("/resource_id", format!("give `{name}` or `resource_id`, not both")))
        }
        (None, None) => Err(Error::invalid(member, missing)),
    }
}

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
