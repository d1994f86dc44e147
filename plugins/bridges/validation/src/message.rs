//! What findings say, in words. `subject` stands for the value, which a message never shows.

use serde_json::Value;

use crate::{
    limits::{MESSAGE_BYTES_MAX, SHOWN_BYTES_MAX},
    plan::Leaf,
    shown,
};

/// The subject of a message about a value.
pub const VALUE: &str = "this value";

/// Options of an `enum` that a message names.
const OPTIONS_SHOWN: usize = 3;

/// A keyword that looks at one value does not hold of it; `keyword` is its value.
pub fn leaf(leaf: &Leaf<'_>, keyword: &Value, subject: &str) -> String {
    match leaf {
        Leaf::Type(types) => match types.names().as_slice() {
            [one] => format!("{subject} is not of type \"{one}\""),
            several => format!("{subject} is not of types \"{}\"", several.join("\", \"")),
        },
        Leaf::Const(wanted, _) => format!("{} was expected", json(wanted)),
        Leaf::Enum(options, _) => one_of(options, subject),
        Leaf::Minimum(bound) => format!("{subject} is less than the minimum of {bound}"),
        Leaf::Maximum(bound) => format!("{subject} is greater than the maximum of {bound}"),
        Leaf::ExclusiveMinimum(bound) => format!("{subject} is less than or equal to the minimum of {bound}"),
        Leaf::ExclusiveMaximum(bound) => format!("{subject} is greater than or equal to the maximum of {bound}"),
        Leaf::MultipleOf(divisor) => format!("{subject} is not a multiple of {divisor}"),
        Leaf::MinLength(bound) => format!("{subject} is shorter than {}", count(*bound, "character", "characters")),
        Leaf::MaxLength(bound) => format!("{subject} is longer than {}", count(*bound, "character", "characters")),
        Leaf::Pattern(_) => format!("{subject} does not match \"{}\"", keyword.as_str().unwrap_or_default()),
        Leaf::Format(format) => format!("{subject} is not a \"{}\"", format.name),
        Leaf::MinItems(bound) => format!("{subject} has fewer than {}", count(*bound, "item", "items")),
        Leaf::MaxItems(bound) => format!("{subject} has more than {}", count(*bound, "item", "items")),
        Leaf::UniqueItems => format!("{subject} has the same item more than once"),
        Leaf::MinProperties(bound) => format!("{subject} has fewer than {}", count(*bound, "property", "properties")),
        Leaf::MaxProperties(bound) => format!("{subject} has more than {}", count(*bound, "property", "properties")),
    }
}

/// A property that has to be there is not.
pub fn required(name: &str) -> String {
    format!("{} is a required property", json(&Value::String(name.to_owned())))
}

/// Properties that no keyword allows; `which` are they?
pub fn unexpected_members(which: &str, names: &[&str]) -> String {
    let mut text = format!("{which} properties are not allowed (");
    for (index, name) in names.iter().enumerate() {
        if text.len() > MESSAGE_BYTES_MAX {
            break;
        }
        text.push_str(if index == 0 { "'" } else { ", '" });
        text.push_str(&shown::cut(name, MESSAGE_BYTES_MAX));
        text.push('\'');
    }
    text.push_str(if names.len() == 1 { " was unexpected)" } else { " were unexpected)" });
    text
}

/// Items that no keyword allows.
pub fn unexpected_items(count: u64) -> String {
    format!("Unevaluated items are not allowed ({})", self::count(count, "item", "items"))
}

/// The schema `false` met something.
pub fn nothing_allowed(subject: &str) -> String {
    format!("False schema does not allow {subject}")
}

/// Too few items fit the schema of `contains`.
pub fn too_few(min: Option<u64>, subject: &str) -> String {
    match min {
        None | Some(1) => format!("no item of {subject} fits the schema in 'contains'"),
        Some(min) => format!("fewer than {min} items of {subject} fit the schema in 'contains'"),
    }
}

/// Too many do.
pub fn too_many(max: u64, subject: &str) -> String {
    format!("more than {} of {subject} fit the schema in 'contains'", count(max, "item", "items"))
}

/// No alternative of the keyword fits.
pub fn no_alternative(keyword: &str, subject: &str) -> String {
    format!("{subject} is not valid under any of the schemas listed in the '{keyword}' keyword")
}

/// More than one alternative fits where one has to.
pub fn more_than_one(subject: &str) -> String {
    format!("{subject} is valid under more than one of the schemas listed in the 'oneOf' keyword")
}

/// The schema of `not` fits.
pub fn not(schema: &Value, subject: &str) -> String {
    format!("{} is not allowed for {subject}", json(schema))
}

fn one_of(options: &[Value], subject: &str) -> String {
    if options.is_empty() {
        return format!("{subject} is not one of the options, of which there are none");
    }
    // Either all are named, or all but one fewer than could be and the number of the rest.
    let named = if options.len() <= OPTIONS_SHOWN { options.len() } else { OPTIONS_SHOWN - 1 };
    let mut names: Vec<String> = options.iter().take(named).map(json).collect();
    let last = if named < options.len() {
        Some(format!("{} other candidates", options.len().saturating_sub(named)))
    } else if names.len() > 1 {
        names.pop()
    } else {
        None
    };
    let last = last.map(|last| format!(" or {last}")).unwrap_or_default();
    format!("{subject} is not one of {}{last}", names.join(", "))
}

/// A value of the schema, short.
fn json(value: &Value) -> String {
    shown::value(value).to_string()
}

fn count(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A name of the output as the subject of a message.
pub fn name(name: &str) -> String {
    Value::String(shown::cut(name, SHOWN_BYTES_MAX)).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn options_are_named_while_they_are_few() {
        let check = |options: Value, expect: &str| assert_eq!(one_of(options.as_array().unwrap(), VALUE), expect);
        check(json!([]), "this value is not one of the options, of which there are none");
        check(json!([1]), "this value is not one of 1");
        check(json!([1, "a"]), "this value is not one of 1 or \"a\"");
        check(json!([1, 2, 3]), "this value is not one of 1, 2 or 3");
        check(json!([1, 2, 3, 4]), "this value is not one of 1, 2 or 2 other candidates");
    }

    #[test]
    fn names_are_listed() {
        assert_eq!(
            unexpected_members("Additional", &["a"]),
            "Additional properties are not allowed ('a' was unexpected)"
        );
        assert_eq!(
            unexpected_members("Unevaluated", &["a", "b"]),
            "Unevaluated properties are not allowed ('a', 'b' were unexpected)"
        );
        assert!(unexpected_members("Additional", &vec!["name"; 100_000]).len() < 2 * MESSAGE_BYTES_MAX);
        assert_eq!(unexpected_items(1), "Unevaluated items are not allowed (1 item)");
    }
}
