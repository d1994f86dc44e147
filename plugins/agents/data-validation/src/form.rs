//! Forms of single values: e-mail addresses, phones, postcodes, account numbers, days, times, colours.

use agent_common::dates;

/// A form that a cell must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Form {
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
    pub fn name(&self) -> String {
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
    pub fn fits(&self, cell: &str) -> bool {
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

/// `AB-1234` is `AA-9999`, small letters are `a`.
pub fn shape(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            _ if c.is_ascii_digit() => '9',
            _ if c.is_uppercase() => 'A',
            _ if c.is_alphabetic() => 'a',
            _ => c,
        })
        .collect()
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

fn is_postcode(cell: &str, country: Option<&str>) -> bool {
    let form = shape(&cell.to_uppercase());
    let one = |forms: &[&str]| forms.contains(&form.as_str());
    let british = [
        "A9 9AA", "A99 9AA", "AA9 9AA", "AA99 9AA", "A9A 9AA", "AA9A 9AA", "A99AA", "A999AA", "AA99AA", "AA999AA",
        "A9A9AA", "AA9A9AA",
    ];
    match country {
        Some("de" | "fr" | "it" | "es" | "fi" | "tr" | "mx") => one(&["99999"]) && cell != "00000",
        Some("us") => one(&["99999", "99999-9999"]),
        Some("at" | "ch" | "dk" | "no" | "be" | "au" | "hu" | "lu") => {
            one(&["9999"]) && !(cell.starts_with('0') && matches!(country, Some("at" | "ch" | "be")))
        }
        Some("gb") => one(&british),
        Some("nl") => one(&["9999 AA", "9999AA"]) && !cell.starts_with('0'),
        Some("ca") => one(&["A9A 9A9", "A9A9A9"]),
        Some("pl") => one(&["99-999"]),
        Some("se" | "cz" | "sk" | "gr") => one(&["99999", "999 99"]),
        Some("pt") => one(&["9999-999", "9999"]),
        Some("br") => one(&["99999-999", "99999999"]),
        Some("in") => one(&["999999"]),
        _ => {
            one(&british)
                || one(&[
                    "99999",
                    "9999",
                    "999999",
                    "99999-9999",
                    "9999 AA",
                    "9999AA",
                    "A9A 9A9",
                    "99-999",
                    "999 99",
                    "9999-999",
                    "99999-999",
                    "999-9999",
                ])
        }
    }
}

/// The code of a country by its name or code.
pub fn country(text: &str) -> Option<&'static str> {
    const ALL: &[(&str, &[&str])] = &[
        ("de", &["de", "germany", "german", "deutschland", "deutsche", "deutschen", "allemagne", "alemania"]),
        ("fr", &["fr", "france", "french", "frankreich"]),
        ("it", &["italy", "italian", "italia", "italien"]),
        ("es", &["es", "spain", "spanish", "espana", "spanien"]),
        ("us", &["us", "usa", "american", "states", "zip"]),
        ("at", &["at", "austria", "austrian", "osterreich", "oesterreich"]),
        ("ch", &["ch", "switzerland", "swiss", "schweiz"]),
        ("dk", &["dk", "denmark", "danish"]),
        ("no", &["norway", "norwegian"]),
        ("be", &["be", "belgium", "belgian"]),
        ("gb", &["gb", "uk", "british", "britain", "england", "kingdom"]),
        ("nl", &["nl", "netherlands", "dutch", "nederland"]),
        ("ca", &["ca", "canada", "canadian"]),
        ("pl", &["pl", "poland", "polish", "polska"]),
        ("se", &["se", "sweden", "swedish"]),
        ("cz", &["cz", "czech", "czechia"]),
        ("pt", &["pt", "portugal", "portuguese"]),
        ("br", &["br", "brazil", "brazilian", "brasil"]),
        ("au", &["au", "australia", "australian"]),
        ("in", &["india", "indian"]),
    ];
    let folded = agent_common::columns::fold(text.trim());
    ALL.iter().find(|(_, names)| names.contains(&folded.as_str())).map(|(code, _)| *code)
}

fn is_iban(cell: &str) -> bool {
    const LENGTHS: &[(&str, usize)] = &[
        ("DE", 22),
        ("AT", 20),
        ("CH", 21),
        ("FR", 27),
        ("GB", 22),
        ("NL", 18),
        ("BE", 16),
        ("ES", 24),
        ("IT", 27),
        ("PT", 25),
        ("PL", 28),
        ("DK", 18),
        ("SE", 24),
        ("NO", 15),
        ("FI", 18),
        ("IE", 22),
        ("CZ", 24),
        ("LU", 20),
        ("GR", 27),
        ("HU", 28),
        ("SK", 24),
        ("SI", 19),
        ("HR", 21),
        ("RO", 24),
        ("BG", 22),
        ("EE", 20),
        ("LV", 21),
        ("LT", 20),
        ("MT", 31),
        ("CY", 28),
        ("LI", 21),
    ];
    let bare: String = cell.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_uppercase();
    if !bare.is_ascii() || !(15..=34).contains(&bare.len()) || !bare.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let (head, tail) = bare.split_at(4);
    let known = LENGTHS.iter().find(|(code, _)| head.starts_with(code));
    if known.is_some_and(|(_, length)| *length != bare.len()) || !shape(head).starts_with("AA99") {
        return false;
    }
    let rest = tail.chars().chain(head.chars()).filter_map(|c| c.to_digit(36)).fold(0_u32, |rest, digit| {
        let shift = if digit > 9 { 100 } else { 10 };
        (rest * shift + digit) % 97
    });
    rest == 1
}

fn is_time(cell: &str) -> bool {
    let parts: Vec<&str> = cell.split(':').collect();
    let number = |text: &str, most: u32| (1..=2).contains(&text.len()) && text.parse::<u32>().is_ok_and(|n| n <= most);
    match parts.as_slice() {
        [hour, minute] => number(hour, 23) && minute.len() == 2 && number(minute, 59),
        [hour, minute, second] => {
            number(hour, 23) && minute.len() == 2 && number(minute, 59) && second.len() == 2 && number(second, 59)
        }
        _ => false,
    }
}

/// Minutes since midnight.
pub fn minutes(cell: &str) -> Option<i64> {
    let mut parts = cell.trim().split(':');
    let (hour, minute): (i64, i64) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    is_time(cell.trim()).then_some(hour * 60 + minute)
}

fn is_url(cell: &str) -> bool {
    let rest = cell.strip_prefix("https://").or_else(|| cell.strip_prefix("http://"));
    let host = rest.unwrap_or(cell).split(['/', '?', '#', ':']).next().unwrap_or_default();
    let bare = rest.is_some() || cell.starts_with("www.");
    bare && host.contains('.')
        && !cell.contains(char::is_whitespace)
        && host.split('.').all(|part| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '-'))
}

fn digits(cell: &str) -> Option<Vec<u32>> {
    let bare: Vec<char> = cell.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    bare.iter().map(|c| c.to_digit(10)).collect()
}

fn is_ean(cell: &str) -> bool {
    let Some(all) = digits(cell).filter(|all| matches!(all.len(), 8 | 12 | 13 | 14)) else { return false };
    let sum: u32 = all.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 3 }).sum();
    sum.is_multiple_of(10)
}

fn is_isbn(cell: &str) -> bool {
    let bare: Vec<char> = cell.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if bare.len() == 13 {
        return is_ean(cell);
    }
    let value = |(at, c): (usize, &char)| if at == 9 && matches!(c, 'X' | 'x') { Some(10) } else { c.to_digit(10) };
    let all: Option<Vec<u32>> = bare.iter().enumerate().map(value).collect();
    all.filter(|all| all.len() == 10)
        .is_some_and(|all| all.iter().zip((1..=10).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() % 11 == 0)
}

fn is_luhn(cell: &str) -> bool {
    let Some(all) = digits(cell).filter(|all| (12..=19).contains(&all.len())) else { return false };
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    all.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit }).sum::<u32>() % 10
        == 0
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
