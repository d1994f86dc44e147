//! Follows the references of a schema to the schemas that they mean.

use serde_json::Value;
use tollbridge_sdk::Error;

use crate::{
    documents::{Documents, NOWHERE},
    form,
    keywords::{self, Shape},
    limits::PATH_BYTES_MAX,
    names::{self, Names},
    shown,
};

/// The schema that a reference means.
#[derive(Debug)]
pub struct Target<'s> {
    pub schema: &'s Value,
    pub document: usize,
    /// Its place there, as a JSON pointer.
    pub pointer: String,
    pub resource: usize,
    /// The name of the `$dynamicAnchor` that the reference leads to by that name.
    pub dynamic: Option<&'s str>,
}

/// What the place of a value makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// A schema, whose form was looked at with that of its document.
    Schema,
    /// What holds schemas: a list, or an object by their names.
    Holder,
    /// Anything.
    Other,
}

/// Follows the reference `text` of a schema in the resource `own`, or says why it leads nowhere; it stands at `place`.
pub fn follow<'s>(
    names: &mut Names<'s>,
    documents: &Documents<'s>,
    own: usize,
    text: &str,
    place: impl Fn() -> String,
) -> Result<Target<'s>, Error> {
    let refused = |message: String| Error::invalid(shown::cut(&place(), PATH_BYTES_MAX), message);
    let (uri, fragment) = text.split_once('#').unwrap_or((text, ""));
    let resource = if uri.is_empty() {
        own
    } else {
        let base = names.resources.get(own).map_or(NOWHERE, |resource| resource.base.as_str());
        let uri = names::resolve(base, uri).ok_or_else(|| refused("not a URI reference".into()))?;
        names.resource(documents, &uri).ok_or_else(|| refused(unknown(&uri)))?
    };
    let decoded = decoded(fragment).ok_or_else(|| refused("not a URI reference".into()))?;
    if !decoded.is_empty() && !decoded.starts_with('/') {
        let anchored = anchored(names, resource, &decoded);
        return anchored.ok_or_else(|| refused(format!("no anchor {}", shown::cut(&decoded, 200))));
    }
    let pointed = pointed(names, resource, &decoded);
    let (target, stand) = pointed.ok_or_else(|| refused(format!("nothing at {}", shown::cut(&decoded, 200))))?;
    if stand != Stand::Schema {
        form::check(&format!("{}{}", documents.place(target.document), target.pointer), target.schema)?;
    }
    Ok(target)
}

/// The schema with an anchor.
fn anchored<'s>(names: &Names<'s>, resource: usize, name: &str) -> Option<Target<'s>> {
    let anchor = names.anchor(resource, name)?;
    Some(Target {
        schema: anchor.schema,
        document: names.resources.get(resource)?.document,
        pointer: anchor.pointer.clone(),
        resource,
        dynamic: anchor.dynamic.then_some(anchor.name),
    })
}

/// What a pointer leads to from the root of a resource, and what its place makes it.
fn pointed<'s>(names: &Names<'s>, resource: usize, pointer: &str) -> Option<(Target<'s>, Stand)> {
    let root = names.resources.get(resource)?;
    let (mut schema, mut resource, mut stand) = (root.root, resource, Stand::Schema);
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        schema = match schema {
            Value::Object(members) => members.get(&token)?,
            Value::Array(items) => items.get(index(&token)?)?,
            _ => return None,
        };
        stand = match (stand, keywords::shape(&token)) {
            (Stand::Schema, Some(Shape::One)) | (Stand::Holder, _) => Stand::Schema,
            (Stand::Schema, Some(Shape::List | Shape::Members)) => Stand::Holder,
            _ => Stand::Other,
        };
        if stand == Stand::Schema && schema.get("$id").is_some() {
            resource = names.rooted(schema).unwrap_or(resource);
        }
    }
    let pointer = format!("{}{pointer}", root.pointer);
    Some((Target { schema, document: root.document, pointer, resource, dynamic: None }, stand))
}

/// An index as a JSON pointer writes it: without a sign or leading zeros.
fn index(token: &str) -> Option<usize> {
    let plain = token == "0" || !token.starts_with(['0', '+']);
    plain.then(|| token.parse().ok()).flatten()
}

/// Why no schema has this URI.
fn unknown(uri: &str) -> String {
    let how = if uri.starts_with(NOWHERE) {
        "put it under $defs, or make the reference absolute (by an `$id` of the schema) and give it in `schemas`"
    } else {
        "give it in `schemas` under this URI, or put it under $defs"
    };
    let wanted = shown::cut(uri.strip_prefix(NOWHERE).unwrap_or(uri), 200);
    format!("{wanted} is not in this schema, and nothing is fetched; {how}")
}

/// A fragment without percent-encoding, if that is well formed and text.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment;
    while let Some((before, after)) = rest.split_once('%') {
        let digits = after.get(..2).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = after.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_decoded() {
        for (text, expect) in [
            ("/$defs/a%20b", Some("/$defs/a b")),
            ("%C3%A9", Some("é")),
            ("", Some("")),
            ("%", None),
            ("%2", None),
            ("%zz", None),
            ("%+1", None),
            ("%é", None),
            ("%ff", None),
        ] {
            assert_eq!(decoded(text).as_deref(), expect, "{text}");
        }
        assert_eq!(
            [index("0"), index("10"), index("01"), index("+1"), index("-1"), index("")],
            [Some(0), Some(10), None, None, None, None]
        );
    }
}
