//! Postcodes by country.

use crate::shape::shape;

const BRITISH: &[&str] = &[
    "A9 9AA", "A99 9AA", "AA9 9AA", "AA99 9AA", "A9A 9AA", "AA9A 9AA", "A99AA", "A999AA", "AA99AA", "AA999AA",
    "A9A9AA", "AA9A9AA",
];

pub(crate) fn is_postcode(cell: &str, country: Option<&str>) -> bool {
    let form = shape(&cell.to_uppercase());
    let one = |forms: &[&str]| forms.contains(&form.as_str());
    match country {
        Some("de" | "fr" | "it" | "es" | "fi" | "tr" | "mx") => one(&["99999"]) && cell != "00000",
        Some("us") => one(&["99999", "99999-9999"]),
        Some("at" | "ch" | "dk" | "no" | "be" | "au" | "hu" | "lu") => {
            one(&["9999"]) && !(cell.starts_with('0') && matches!(country, Some("at" | "ch" | "be")))
        }
        Some("gb") => one(BRITISH),
        Some("nl") => one(&["9999 AA", "9999AA"]) && !cell.starts_with('0'),
        Some("ca") => one(&["A9A 9A9", "A9A9A9"]),
        Some("pl") => one(&["99-999"]),
        Some("se" | "cz" | "sk" | "gr") => one(&["99999", "999 99"]),
        Some("pt") => one(&["9999-999", "9999"]),
        Some("br") => one(&["99999-999", "99999999"]),
        Some("in") => one(&["999999"]),
        _ => {
            one(BRITISH)
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
