//! The formats of draft 2020-12, as the library `jsonschema` checks them.

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};
use tollbridge_sdk::Ready;

/// All that the draft names.
const NAMES: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Texts that bring each check to its end, so that what it makes on the way is made.
const SAMPLES: [&str; 8] = [
    "2024-02-29T12:00:00Z",
    "P1DT2H",
    "münchen@münchen.de",
    "::1",
    "https://é.example/{a}?b#c",
    "/a~0b",
    "^\\d+$",
    "1/a",
];

/// A format.
#[derive(Debug)]
pub struct Format {
    /// What schemas call it.
    pub name: &'static str,
    check: Validator,
}

static FORMATS: Ready<Vec<Format>> = Ready::new(|| {
    let options = jsonschema::options().with_draft(Draft::Draft202012).offline().should_validate_formats(true);
    let built = NAMES.iter().filter_map(|name| {
        let check = options.build(&json!({ "format": name })).ok()?;
        Some(Format { name, check })
    });
    built.collect()
});

/// Makes the table.
pub fn prepare() {
    for text in SAMPLES {
        for format in FORMATS.iter() {
            format.has(&Value::String(text.to_owned()));
        }
    }
}

impl Format {
    /// The one of this name, if the draft has it.
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// Is the value no text, or one of this format?
    pub fn has(&self, value: &Value) -> bool {
        self.check.is_valid(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, text: &str, expect: Option<bool>) {
        let value = Value::String(text.to_owned());
        assert_eq!(Format::named(name).map(|format| format.has(&value)), expect, "{name} {text}");
    }

    #[test]
    fn every_format_of_the_draft_is_there_and_refuses_something() {
        prepare();
        for name in NAMES {
            assert!(
                Format::named(name).is_some_and(|format| !format.has(&Value::String("\u{0} %<~(".into()))),
                "{name}"
            );
        }
        check("colour", "red", None);
    }

    #[test]
    fn formats_are_as_their_documents_say() {
        for (name, text, expect) in [
            ("date", "2024-02-30", false),
            ("ipv4", "127.0.0.1", true),
            ("idn-hostname", "münchen.de", true),
            ("idn-hostname", "실례.테스트", true),
            ("idn-hostname", "xn--mnchen-3ya.de", true),
            ("idn-hostname", "〮실례.테스트", false),
            ("idn-hostname", "-münchen.de", false),
            ("idn-hostname", "a b", false),
            ("idn-hostname", "xn--0", false),
            ("idn-hostname", "ä".repeat(64).as_str(), false),
            ("idn-email", "실례@실례.테스트", true),
            ("idn-email", "имя@münchen.de", true),
            ("idn-email", "имя", false),
            ("idn-email", "a@-münchen.de", false),
            ("regex", "(?=a)a", true),
            ("regex", "(", false),
            ("uri-template", "https://example.com/{a", false),
            ("iri", "https://é.example/", true),
            ("time", "23:59:60Z", true),
        ] {
            check(name, text, Some(expect));
        }
    }
}
