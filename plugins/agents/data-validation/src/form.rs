//! Forms of single values: e-mail addresses, phones, postcodes, account numbers, days, times, colours.

use agent_common::dates;

use crate::check_digit::{is_ean, is_isbn, is_luhn};
use crate::clock::is_time;
use crate::iban::is_iban;
use crate::postcode::is_postcode;
use crate::shape::shape;

/// A form that a cell must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    Email,
    Phone,
    /// By the code of a country, if it is known.
    Postcode(Option<&'static str>),
    Iban,
    Day,
    /// `2024-03-01` and nothing else.
    IsoDay,
    /// 24 hours.
    Time,
    Url,
    Hex,
    Ip,
    Isbn,
    /// EAN and GTIN, with their check digit.
    Ean,
    /// With the check digit of Luhn.
    Card,
    /// So many digits.
    Digits(usize),
    /// Letters, digits and signs as in an example: `AA-9999`.
    Like(String),
}

impl Form {
    /// What it is called.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Email => "e-mail address".into(),
            Self::Phone => "phone number".into(),
            Self::Postcode(_) => "postcode".into(),
            Self::Iban => "IBAN".into(),
            Self::Day => "date".into(),
            Self::IsoDay => "date of the form YYYY-MM-DD".into(),
            Self::Time => "time of the form HH:MM".into(),
            Self::Url => "web address".into(),
            Self::Hex => "colour of the form #RRGGBB".into(),
            Self::Ip => "IP address".into(),
            Self::Isbn => "ISBN".into(),
            Self::Ean => "EAN".into(),
            Self::Card => "card number".into(),
            Self::Digits(count) => format!("number of {count} digits"),
            Self::Like(shape) => format!("value of the form {shape}"),
        }
    }

    /// Whether a cell has the form.
    pub(crate) fn fits(&self, cell: &str) -> bool {
        let cell = cell.trim();
        match self {
            Self::Email => is_email(cell),
            Self::Phone => is_phone(cell),
            Self::Postcode(country) => is_postcode(cell, *country),
            Self::Iban => is_iban(cell),
            Self::Day => dates::read(cell, None).is_some() || dates::read(cell, Some(dates::Order::DayFirst)).is_some(),
            Self::IsoDay => shape(cell) == "9999-99-99" && dates::read(cell, None).is_some(),
            Self::Time => is_time(cell),
            Self::Url => is_url(cell),
            Self::Hex => cell
                .strip_prefix('#')
                .is_some_and(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_hexdigit())),
            Self::Ip => cell.parse::<std::net::IpAddr>().is_ok(),
            Self::Isbn => is_isbn(cell),
            Self::Ean => is_ean(cell),
            Self::Card => is_luhn(cell),
            Self::Digits(count) => cell.len() == *count && cell.bytes().all(|byte| byte.is_ascii_digit()),
            Self::Like(wanted) => shape(cell) == *wanted,
        }
    }
}

fn is_email(cell: &str) -> bool {
    let Some((local, domain)) = cell.split_once('@') else { return false };
    let label = |part: &str| {
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(|c| c.is_alphanumeric() || c == '-')
    };
    let labels: Vec<&str> = domain.split('.').collect();
    let top = labels.last().is_some_and(|top| top.chars().count() > 1 && top.chars().all(char::is_alphabetic));
    let name = !local.is_empty()
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local.chars().all(|c| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c));
    name && labels.len() > 1 && labels.iter().all(|part| label(part)) && top
}

fn is_phone(cell: &str) -> bool {
    let digits = cell.bytes().filter(u8::is_ascii_digit).count();
    let rest = cell.strip_prefix('+').unwrap_or(cell);
    (6..=15).contains(&digits) && rest.chars().all(|c| c.is_ascii_digit() || " ()/-.".contains(c))
}

fn is_url(cell: &str) -> bool {
    let rest = cell.strip_prefix("https://").or_else(|| cell.strip_prefix("http://"));
    let host = rest.unwrap_or(cell).split(['/', '?', '#', ':']).next().unwrap_or_default();
    let bare = rest.is_some() || cell.starts_with("www.");
    bare && host.contains('.')
        && !cell.contains(char::is_whitespace)
        && host.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let cases: &[(Form, &[&str], &[&str])] = &[
            (
                Form::Email,
                &["a.b@x.org", "ü+1@mail.example.com"],
                &["a@b", "a b@x.org", "@x.org", "a..b@x.org", "a@x..org", "a@x,org", "ann.x.org"],
            ),
            (Form::Phone, &["+49 170 5550123", "(030) 123-456"], &["12a4567", "123", "call me"]),
            (Form::Postcode(Some("de")), &["10115"], &["1011", "D-10115", "1O115"]),
            (Form::Postcode(Some("gb")), &["SW1A 1AA", "M1 1AE"], &["12345", "SW1 AAA"]),
            (
                Form::Iban,
                &["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819"],
                &["DE89370400440532013001", "DE8937040044"],
            ),
            (Form::Time, &["07:30", "23:59"], &["24:00", "7.30", "12:60"]),
            (Form::Hex, &["#0055AA"], &["#CCC", "333333", "#FF77G0"]),
            (Form::Isbn, &["978-3-16-148410-0", "0-306-40615-2"], &["978-3-16-148410-1"]),
            (Form::Ean, &["4006381333931"], &["4006381333932"]),
            (Form::IsoDay, &["2024-02-29"], &["2023-02-29", "29.02.2024"]),
        ];
        for (form, good, bad) in cases {
            for cell in *good {
                assert!(form.fits(cell), "{form:?} {cell}");
            }
            for cell in *bad {
                assert!(!form.fits(cell), "{form:?} {cell}");
            }
        }
    }
}
