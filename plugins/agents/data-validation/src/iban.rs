//! Account numbers with their lengths and check digits.

use crate::shape::shape;

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

pub(crate) fn is_iban(cell: &str) -> bool {
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
