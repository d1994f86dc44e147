//! Formats of single cells, with their check digits.

use bridge_common::luhn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dates::Date;
use crate::patterns;

/// A format of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::cells::names_only)]
pub enum Format {
    /// An e-mail address.
    Email,
    /// A phone number.
    Phone,
    /// A web address with `https://`, `http://` or `www.`.
    Url,
    /// With its length by country and its check digits.
    Iban,
    /// ISBN-10 or ISBN-13, with the check digit.
    Isbn,
    /// EAN and GTIN, with the check digit.
    Ean,
    /// A card number, with the check digit of Luhn.
    Card,
    /// IPv4 or IPv6.
    Ip,
    /// `#A1B2C3`
    HexColor,
    /// A UUID.
    Uuid,
    /// By `country`, or of any country.
    Postcode,
}

/// The formats with their names in commands.
pub const FORMATS: [(Format, &str); 11] = [
    (Format::Email, "email|emails|email address|email addresses|e-mail|e-mails|e-mail address|e-mail addresses"),
    (Format::Phone, "phone|phone number|phone numbers|telephone number|telephone numbers"),
    (Format::Url, "url|urls|web address|web addresses|link|links"),
    (Format::Iban, "iban|ibans"),
    (Format::Isbn, "isbn|isbns|isbn number|isbn-13|isbn-10"),
    (Format::Ean, "ean|eans|gtin|gtins|barcode|barcodes"),
    (Format::Card, "card number|card numbers|credit card number|credit card numbers|card"),
    (Format::Ip, "ip|ips|ip address|ip addresses"),
    (Format::HexColor, "hex color|hex colors|hex colour|hex colours|hex code|hex codes"),
    (Format::Uuid, "uuid|uuids"),
    (Format::Postcode, "postcode|postcodes|postal code|postal codes|zip code|zip codes|zip"),
];

/// Postcodes by country code.
const POSTCODES: [(&str, &str); 12] = [
    ("de fr it es fi", r"^\d{5}$"),
    ("us", r"^\d{5}(-\d{4})?$"),
    ("at ch dk no be au hu lu", r"^\d{4}$"),
    ("gb", r"^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$"),
    ("nl", r"^[1-9]\d{3} ?[A-Z]{2}$"),
    ("ca", r"^[A-Z]\d[A-Z] ?\d[A-Z]\d$"),
    ("pl", r"^\d{2}-\d{3}$"),
    ("se cz sk gr", r"^\d{3} ?\d{2}$"),
    ("pt", r"^\d{4}-\d{3}$"),
    ("br", r"^\d{5}-?\d{3}$"),
    ("in", r"^\d{6}$"),
    ("jp", r"^\d{3}-\d{4}$"),
];

/// Names of countries in commands, with their codes.
pub const COUNTRIES: [(&str, &str); 14] = [
    ("de", "german|germany"),
    ("fr", "french|france"),
    ("it", "italian|italy"),
    ("es", "spanish|spain"),
    ("us", "us|american|usa"),
    ("at", "austrian|austria"),
    ("ch", "swiss|switzerland"),
    ("gb", "uk|british|gb"),
    ("nl", "dutch|netherlands"),
    ("ca", "canadian|canada"),
    ("pl", "polish|poland"),
    ("be", "belgian|belgium"),
    ("dk", "danish|denmark"),
    ("in", "indian|india"),
];

/// Lengths of account numbers by country.
const IBANS: &str = "\
    DE22 AT20 CH21 FR27 GB22 NL18 BE16 ES24 IT27 PT25 PL28 DK18 SE24 NO15 FI18 IE22 CZ24 LU20 GR27 HU28 SK24 SI19 \
    HR21 RO24 BG22 EE20 LV21 LT20 MT31 CY28 LI21 IS26 TR26 AE23 SA24 UA29 RS22 MC27 SM27 AD24 BR29 IL23";

impl Format {
    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Self::Email => "e-mail address",
            Self::Phone => "phone number",
            Self::Url => "web address",
            Self::Iban => "IBAN",
            Self::Isbn => "ISBN",
            Self::Ean => "EAN",
            Self::Card => "card number",
            Self::Ip => "IP address",
            Self::HexColor => "colour of the form #RRGGBB",
            Self::Uuid => "UUID",
            Self::Postcode => "postcode",
        }
    }

    /// Returns whether a cell has the format.
    pub fn fits(self, cell: &str, country: Option<&str>) -> bool {
        let cell = cell.trim();
        match self {
            Self::Email => is_email(cell),
            Self::Phone => {
                let digits = cell.bytes().filter(u8::is_ascii_digit).count();
                (6..=15).contains(&digits) && patterns::is_match(r"^\+?[\d ()/.\-]+$", cell)
            }
            Self::Url => patterns::is_match(r"^(https?://|www\.)([\w-]+\.)+[\w-]{2,}(:\d+)?([/?#]\S*)?$", cell),
            Self::Iban => is_iban(cell),
            Self::Isbn => is_isbn(cell),
            Self::Ean => digits(cell).is_some_and(|all| matches!(all.len(), 8 | 12 | 13 | 14) && is_gtin(&all)),
            Self::Card => {
                let bare: String = cell.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
                (12..=19).contains(&bare.len()) && luhn::is_valid(&bare)
            }
            Self::Ip => cell.parse::<std::net::IpAddr>().is_ok(),
            Self::HexColor => patterns::is_match("^#[0-9A-Fa-f]{6}$", cell),
            Self::Uuid => patterns::is_match("^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$", cell),
            Self::Postcode => is_postcode(cell, country),
        }
    }
}

fn is_postcode(cell: &str, country: Option<&str>) -> bool {
    let code = country.map(str::to_lowercase);
    let own = |codes: &str| code.as_ref().is_none_or(|code| codes.split(' ').any(|one| one == code));
    POSTCODES.iter().any(|(codes, pattern)| own(codes) && patterns::is_match(pattern, &cell.to_uppercase()))
}

/// Returns whether the postcodes of a country are known.
pub fn knows(country: &str) -> bool {
    POSTCODES.iter().any(|(codes, _)| codes.split(' ').any(|code| code.eq_ignore_ascii_case(country)))
}

fn is_email(cell: &str) -> bool {
    let dots = cell.starts_with('.') || cell.contains("..") || cell.contains(".@");
    !dots && patterns::is_match(r"^[^\s@,;:()<>\[\]\\]+@(?:[^\W_]([\w-]*[^\W_])?\.)+[^\W\d_]{2,}$", cell)
}

fn is_iban(cell: &str) -> bool {
    let bare = cell.split_whitespace().collect::<String>().to_uppercase();
    if !patterns::is_match("^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$", &bare) {
        return false;
    }
    let (head, tail) = bare.split_at(4);
    let length =
        IBANS.split_whitespace().find_map(|known| head.starts_with(known.get(..2)?).then(|| known.get(2..))?);
    let rest = tail
        .chars()
        .chain(head.chars())
        .filter_map(|c| c.to_digit(36))
        .fold(0_u32, |rest, digit| (rest * if digit > 9 { 100 } else { 10 } + digit) % 97);
    rest == 1 && length.is_none_or(|length| length == bare.len().to_string())
}

fn digits(cell: &str) -> Option<Vec<u32>> {
    cell.chars().filter(|c| !matches!(c, '-' | ' ')).map(|c| c.to_digit(10)).collect()
}

fn is_gtin(all: &[u32]) -> bool {
    let sum: u32 = all.iter().rev().enumerate().map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 3 }).sum();
    sum.is_multiple_of(10)
}

fn is_isbn(cell: &str) -> bool {
    let bare: Vec<char> = cell.chars().filter(|c| !matches!(c, '-' | ' ')).collect();
    if bare.len() == 13 {
        return digits(cell).is_some_and(|all| is_gtin(&all) && matches!(all.get(..3), Some([9, 7, 8 | 9])));
    }
    let value = |(at, c): (usize, &char)| if at == 9 && matches!(c, 'X' | 'x') { Some(10) } else { c.to_digit(10) };
    let all: Option<Vec<u32>> = bare.iter().enumerate().map(value).collect();
    all.filter(|all| all.len() == 10)
        .is_some_and(|all| all.iter().zip((1..=10).rev()).map(|(digit, weight)| digit * weight).sum::<u32>() % 11 == 0)
}

/// Returns whether a cell is written like a pattern of `YYYY`, `YY`, `MM`, `DD`, `HH`, `mm`, `SS` and is a day or time
/// that exists. `MM` behind `HH:` means minutes.
pub fn fits_pattern(cell: &str, pattern: &str) -> bool {
    let (mut rest, mut left) = (cell.trim(), pattern.to_uppercase());
    let (mut parts, mut hours) = ([2000, 1, 1, 0, 0, 0_u32], false);
    while !left.is_empty() {
        let unit = ["YYYY", "YY", "MM", "DD", "HH", "SS", "M", "D"].into_iter().find(|unit| left.starts_with(unit));
        let Some(unit) = unit else {
            let (Some(a), Some(b)) = (left.chars().next(), rest.chars().next()) else { return false };
            if a != b {
                return false;
            }
            (left, rest) = (left.split_off(a.len_utf8()), rest.get(b.len_utf8()..).unwrap_or_default());
            continue;
        };
        let more = unit.len() == 1 && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let width = unit.len() + usize::from(more);
        let Some(number) = rest.get(..width).filter(|text| text.bytes().all(|b| b.is_ascii_digit())) else {
            return false;
        };
        let place = match unit {
            "YYYY" | "YY" => 0,
            "HH" => 3,
            "SS" => 5,
            "DD" | "D" => 2,
            _ if hours => 4,
            _ => 1,
        };
        hours = hours || place == 3;
        if let Some(part) = parts.get_mut(place) {
            *part = number.parse().unwrap_or(99);
        }
        (left, rest) = (left.split_off(unit.len()), rest.get(width..).unwrap_or_default());
    }
    let [year, month, day, hour, minute, second] = parts;
    let year = i32::try_from(if year < 100 { year + 2000 } else { year }).unwrap_or(0);
    rest.is_empty() && Date::new(year, month, day).is_some() && hour < 24 && minute < 60 && second < 60
}

/// Returns whether a text is a pattern that [`fits_pattern`] reads.
pub fn is_pattern(text: &str) -> bool {
    const UNITS: &str = "(YYYY|YY|MM|M|DD|D|HH|SS)";
    let upper = text.to_uppercase();
    let twice = ["MMM", "DDD"].iter().any(|unit| upper.contains(unit));
    !twice && patterns::is_match(&format!("^{UNITS}([-/. :T]{{0,2}}{UNITS})+Z?$"), &upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn formats() {
        for (format, good, bad) in rows::<(Format, Vec<String>, Vec<String>)>(include_str!("../cases/formats.json")) {
            assert!(good.iter().all(|cell| format.fits(cell, None)), "{format:?} {good:?}");
            let passed: Vec<_> = bad.iter().filter(|cell| format.fits(cell, None)).collect();
            assert!(passed.is_empty(), "{format:?} {passed:?}");
        }
        assert!(Format::Postcode.fits("10115", Some("DE")) && !Format::Postcode.fits("10115", Some("GB")));
    }

    #[test]
    fn patterns_of_dates() {
        for (cell, pattern, expect) in [
            ("2024-02-29", "YYYY-MM-DD", true),
            ("2023-02-29", "YYYY-MM-DD", false),
            ("29.02.2024", "dd.mm.yyyy", true),
            ("2.2.2024", "dd.mm.yyyy", false),
            ("2.12.2024", "d.m.yyyy", true),
            ("23:59", "HH:MM", true),
            ("24:00", "hh:mm", false),
            ("2024-05-01 07:30:10", "YYYY-MM-DD HH:mm:SS", true),
        ] {
            assert!(is_pattern(pattern), "{pattern}");
            assert_eq!(fits_pattern(cell, pattern), expect, "{cell} {pattern}");
        }
        assert!(!is_pattern("text") && !is_pattern("MMM YYYY") && !is_pattern("12"));
    }
}
