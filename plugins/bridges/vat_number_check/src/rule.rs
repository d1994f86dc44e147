//! Check digits by country, on the number without its prefix.
//!
//! Invariant: a rule answers for any text; what is not a digit where one must be makes it fail.

use bridge_common::luhn;

/// A rule: its name, and whether a number keeps it.
pub type Rule = (&'static str, fn(&str) -> bool);

/// The rule of a country.
pub fn of(country: &str) -> Option<Rule> {
    Some(match country {
        "AT" => ("Luhn over seven digits, 96 less", austrian),
        "BE" => ("97 less the first eight digits mod 97", |n| {
            number(n, 0..8).zip(number(n, 8..10)).is_some_and(|(head, tail)| (head + tail) % 97 == 0)
        }),
        "BG" => ("weights mod 11 (firms), EGN, PNF or weights 4-3-2-7-6-5-4-3-2 (others)", bulgarian),
        "CH" => ("weights 5-4-3-2-7-6-5-4 mod 11", |n| eleven_less(n, &[5, 4, 3, 2, 7, 6, 5, 4])),
        "CY" => ("letter from tabled values mod 26", cypriot),
        "CZ" => ("weights mod 11 (firms), rodné číslo (people)", czech),
        "DE" => ("ISO 7064 mod 11,10", hybrid),
        "DK" => ("weights 2-7-6-5-4-3-2-1 mod 11", |n| sum(n, &[2, 7, 6, 5, 4, 3, 2, 1]).is_some_and(|s| s % 11 == 0)),
        "EE" => ("weights 3-7-1 mod 10", |n| sum(n, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_some_and(|s| s % 10 == 0)),
        "ES" => ("letter of DNI and NIE mod 23, Luhn digit or letter of CIF", spanish),
        "FI" => {
            ("weights 7-9-10-5-8-4-2-1 mod 11", |n| sum(n, &[7, 9, 10, 5, 8, 4, 2, 1]).is_some_and(|s| s % 11 == 0))
        }
        "FR" | "MC" => ("key mod 97 or 11 over the SIREN, and its Luhn digit", french),
        "GB" | "XI" => ("weights 8 to 2 mod 97, also with 55 added; branch and department ranges", british),
        "GR" => ("powers of two mod 11", greek),
        "HR" => ("ISO 7064 mod 11,10", hybrid),
        "HU" => ("weights 9-7-3-1 mod 10", |n| sum(n, &[9, 7, 3, 1, 9, 7, 3, 1]).is_some_and(|s| s % 10 == 0)),
        "IE" => ("letter from weights 8 to 2 mod 23", irish),
        "IT" => ("Luhn, and a known province office", italian),
        "LT" => ("weights 1 to 9 mod 11, twice", lithuanian),
        "LU" => ("first six digits mod 89", |n| number(n, 0..6).map(|head| head % 89) == number(n, 6..8)),
        "LV" => ("weights mod 11 (firms and people)", latvian),
        "ME" => ("weights 8 to 2 mod 11, 0 for 10", |n| {
            sum(n, &[8, 7, 6, 5, 4, 3, 2]).is_some_and(|s| Some((11 - s % 11) % 11 % 10) == digit(n, 7))
        }),
        "MK" => ("weights 7 to 2 twice mod 11, 0 for 10", |n| {
            let total = sum(n, &[7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
            total.is_some_and(|s| Some((11 - s % 11) % 11 % 10) == digit(n, 12))
        }),
        "MT" => ("weights mod 37", |n| {
            number(n, 6..8).zip(sum(n, &[3, 4, 6, 7, 8, 9])).is_some_and(|(tail, s)| (u64::from(s) + tail) % 37 == 0)
        }),
        "NL" => ("eleven-test of the BSN, or ISO 7064 mod 97-10", dutch),
        "NO" => ("weights 3-2-7-6-5-4-3-2 mod 11", |n| eleven_less(n, &[3, 2, 7, 6, 5, 4, 3, 2])),
        "PL" => ("weights 6-5-7-2-3-4-5-6-7 mod 11", |n| {
            sum(n, &[6, 5, 7, 2, 3, 4, 5, 6, 7]).is_some_and(|s| Some(s % 11) == digit(n, 9))
        }),
        "PT" => ("weights 9 to 2 mod 11", |n| {
            sum(n, &[9, 8, 7, 6, 5, 4, 3, 2]).is_some_and(|s| Some((11 - s % 11) % 11 % 10) == digit(n, 8))
        }),
        "RO" => ("weights 7-5-3-2-1-7-5-3-2 mod 11", romanian),
        "RS" => ("ISO 7064 mod 11,10", hybrid),
        "SE" => ("Luhn over ten digits", |n| n.get(..10).is_some_and(luhn::is_valid)),
        "SI" => ("weights 8 to 2 mod 11", slovenian),
        "SK" => ("divisible by 11", slovak),
        "TR" => ("powers of two mod 9, mod 10", turkish),
        _ => return None,
    })
}

/// Whether a country gives such numbers out, whatever their check digits: none has only zeros before the digits that
/// check them, and some have none at their beginning. British departments are numbered from 0.
pub fn is_given_out(country: &str, n: &str) -> bool {
    // The French key stands before the number that it checks, a British branch behind it.
    let firm = match country {
        "FR" | "MC" => n.get(2..),
        "GB" | "XI" => n.get(..9),
        _ => None,
    };
    let digits: Vec<u8> = firm.unwrap_or(n).bytes().filter(u8::is_ascii_digit).collect();
    // Romanian numbers begin with two digits, of which one checks the other.
    let checks = if country == "RO" { 1 } else { 2 };
    let body = digits.get(..digits.len().saturating_sub(checks)).unwrap_or_default();
    let starts_with_zero = matches!(country, "DE" | "DK" | "MT" | "PT") && n.starts_with('0');
    (body.iter().any(|digit| *digit != b'0') || n.starts_with("GD")) && !starts_with_zero
}

fn austrian(n: &str) -> bool {
    let sum = n.strip_prefix('U').and_then(|n| n.get(..7)).and_then(|head| luhn::sum(head, 0));
    sum.is_some_and(|sum| Some((96 - sum % 10) % 10) == digit(n, 8))
}

fn italian(n: &str) -> bool {
    let office = number(n, 7..10);
    luhn::is_valid(n) && office.is_some_and(|o| (1..=100).contains(&o) || [120, 121, 888, 999].contains(&o))
}

fn slovenian(n: &str) -> bool {
    let check = sum(n, &[8, 7, 6, 5, 4, 3, 2]).map(|s| 11 - s % 11);
    !n.starts_with('0') && check.map(|c| if c == 10 { 0 } else { c }) == digit(n, 7)
}

fn slovak(n: &str) -> bool {
    let firm = matches!(digit(n, 2), Some(2..=4 | 7..=9)) && !n.starts_with('0');
    (firm && number(n, 0..10).is_some_and(|all| all % 11 == 0)) || birth_number(n)
}

fn digit(text: &str, place: usize) -> Option<u32> {
    text.get(place..)?.chars().next()?.to_digit(10)
}

fn number(text: &str, range: std::ops::Range<usize>) -> Option<u64> {
    text.get(range).filter(|part| part.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

/// Digits from the beginning times weights.
fn sum(text: &str, weights: &[u32]) -> Option<u32> {
    weights.iter().enumerate().map(|(place, weight)| Some(digit(text, place)? * weight)).sum()
}

/// The digit after the weighted ones is 11 less their sum mod 11; 10 is no digit, 11 is 0.
fn eleven_less(text: &str, weights: &[u32]) -> bool {
    sum(text, weights).is_some_and(|s| Some((11 - s % 11) % 11) == digit(text, weights.len()))
}

/// ISO 7064 mod 11,10.
fn hybrid(text: &str) -> bool {
    let Some(last) = text.len().checked_sub(1) else { return false };
    let product = (0..last).try_fold(10u32, |product, place| {
        let sum = (product + digit(text, place)?) % 10;
        Some(if sum == 0 { 10 } else { sum } * 2 % 11)
    });
    product.is_some_and(|product| Some((11 - product) % 10) == digit(text, last))
}

/// Month and day of a birth number can be ones; `shifts` are added to months for sex and century.
fn birth_day(text: &str, shifts: &[u64]) -> bool {
    let month = number(text, 2..4).unwrap_or(0);
    let day = number(text, 4..6).unwrap_or(0);
    (1..=31).contains(&day) && shifts.iter().any(|shift| (shift + 1..=shift + 12).contains(&month))
}

/// Czech and Slovak birth number.
fn birth_number(text: &str) -> bool {
    let check = match text.len() {
        // Nine digits were given out for births until 1953: 54 to 79 are no year of them, 80 and more are of the century before.
        9 => !number(text, 0..2).is_some_and(|year| (54..=79).contains(&year)),
        10 => number(text, 0..9).map(|head| head % 11 % 10) == number(text, 9..10),
        _ => false,
    };
    check && birth_day(text, &[0, 20, 50, 70])
}

fn bulgarian(n: &str) -> bool {
    if n.len() == 9 {
        let first = sum(n, &[1, 2, 3, 4, 5, 6, 7, 8]).map(|s| s % 11);
        let check = if first == Some(10) { sum(n, &[3, 4, 5, 6, 7, 8, 9, 10]).map(|s| s % 11 % 10) } else { first };
        return check.is_some() && check == digit(n, 8);
    }
    let last = digit(n, 9);
    let citizen = birth_day(n, &[0, 20, 40]) && sum(n, &[2, 4, 8, 5, 10, 9, 7, 3, 6]).map(|s| s % 11 % 10) == last;
    let foreigner = sum(n, &[21, 19, 17, 13, 11, 9, 7, 3, 1]).map(|s| s % 10) == last;
    last.is_some() && (citizen || foreigner || eleven_less(n, &[4, 3, 2, 7, 6, 5, 4, 3, 2]))
}

fn cypriot(n: &str) -> bool {
    const EVEN: [u32; 10] = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
    let value = |place: usize| {
        let value = digit(n, place)?;
        if place.is_multiple_of(2) { EVEN.get(value as usize).copied() } else { Some(value) }
    };
    let total: Option<u32> = (0..8).map(value).sum();
    let letter = total.and_then(|total| char::from_digit(total % 26 + 10, 36)).map(|c| c.to_ascii_uppercase());
    letter.is_some() && n.chars().nth(8) == letter && !n.starts_with("12")
}

fn czech(n: &str) -> bool {
    match n.len() {
        8 => {
            let check = sum(n, &[8, 7, 6, 5, 4, 3, 2]).map(|s| (11 - s % 11) % 11);
            !n.starts_with('9') && check.map(|c| if c == 0 { 1 } else { c % 10 }) == digit(n, 7)
        }
        9 if n.starts_with('6') => {
            let rest = n.get(1..).unwrap_or_default();
            let special = sum(rest, &[8, 7, 6, 5, 4, 3, 2]).map(|s| (8 + 10 - (21 - s % 11) % 11) % 10);
            special.is_some() && special == digit(n, 8) || birth_number(n)
        }
        _ => birth_number(n),
    }
}

fn spanish(n: &str) -> bool {
    const PEOPLE: &str = "TRWAGMYFPDXBNJZSQVHLCKE";
    let letter = |value: Option<u64>| value.and_then(|value| PEOPLE.chars().nth((value % 23) as usize));
    let last = n.chars().nth(8);
    match n.chars().next() {
        Some('0'..='9') => last.is_some() && letter(number(n, 0..8)) == last,
        Some('K' | 'L' | 'M') => last.is_some() && letter(number(n, 1..8)) == last,
        Some(first @ ('X' | 'Y' | 'Z')) => {
            let lead = u64::from(u32::from(first) - u32::from('X')) * 10_000_000;
            last.is_some() && letter(number(n, 1..8).map(|rest| lead + rest)) == last
        }
        Some(first) if "ABCDEFGHJNPQRSUVW".contains(first) => {
            let total = n.get(1..8).and_then(|body| luhn::sum(body, 1));
            total.is_some_and(|total| {
                let check = (10 - total % 10) % 10;
                last == char::from_digit(check, 10) || last == "JABCDEFGHI".chars().nth(check as usize)
            })
        }
        _ => false,
    }
}

fn french(n: &str) -> bool {
    const LETTERS: &str = "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ";
    let Some((key, siren)) = n.split_at_checked(2) else { return false };
    // Monaco's numbers begin with 000 and are no SIREN.
    if !(siren.starts_with("000") || luhn::is_valid(siren)) {
        return false;
    }
    let Some(body) = number(siren, 0..9) else { return false };
    if let Some(key) = number(key, 0..2) {
        return (body * 100 + 12) % 97 == key;
    }
    let value = |place: usize| key.chars().nth(place).and_then(|c| LETTERS.find(c)).map(|at| at as u64);
    let Some((first, second)) = value(0).zip(value(1)) else { return false };
    let check = if first < 10 { (first * 24 + second).checked_sub(10) } else { (first * 34 + second).checked_sub(100) };
    check.is_some_and(|check| (body + 1 + check / 11) % 11 == check % 11)
}

fn british(n: &str) -> bool {
    if let Some(office) = n.strip_prefix("GD") {
        return number(office, 0..3).is_some_and(|number| number < 500);
    }
    if let Some(office) = n.strip_prefix("HA") {
        return number(office, 0..3).is_some_and(|number| number >= 500);
    }
    let total = sum(n, &[8, 7, 6, 5, 4, 3, 2]).zip(number(n, 7..9)).map(|(s, tail)| (u64::from(s) + tail) % 97);
    let newer = number(n, 0..3).is_some_and(|head| head >= 100);
    matches!((total, newer), (Some(0), _) | (Some(42 | 55), true))
}

fn greek(n: &str) -> bool {
    let total = (0..8).try_fold(0u32, |total, place| Some(total * 2 + digit(n, place)?));
    total.is_some_and(|total| Some(total * 2 % 11 % 10) == digit(n, 8))
}

fn romanian(n: &str) -> bool {
    let padded = format!("{n:0>10}");
    let total = sum(&padded, &[7, 5, 3, 2, 1, 7, 5, 3, 2]);
    total.is_some_and(|s| Some(s * 10 % 11 % 10) == digit(&padded, 9)) && !n.starts_with('0')
}

fn irish(n: &str) -> bool {
    const LETTERS: &str = "WABCDEFGHIJKLMNOPQRSTUV";
    // The old form has its first digit last and a letter or sign in its second place.
    let second = n.chars().nth(1);
    let plain = match second {
        Some('0'..='9') => n.to_owned(),
        _ => format!(
            "0{}{}{}",
            n.get(2..7).unwrap_or_default(),
            n.get(..1).unwrap_or_default(),
            n.get(7..).unwrap_or_default()
        ),
    };
    let extra = plain.chars().nth(8).map_or(Some(0), |c| LETTERS.find(c));
    let total = sum(&plain, &[8, 7, 6, 5, 4, 3, 2]).zip(extra).map(|(s, extra)| s as usize + 9 * extra);
    let letter = total.and_then(|total| LETTERS.chars().nth(total % 23));
    letter.is_some() && plain.chars().nth(7) == letter
}

fn lithuanian(n: &str) -> bool {
    let Some(last) = n.len().checked_sub(1) else { return false };
    let total = |shift: u32| -> Option<u32> {
        (0..last).zip(0u32..).map(|(place, step)| Some(digit(n, place)? * (1 + (step + shift) % 9))).sum()
    };
    let first = total(0).map(|s| s % 11);
    let check = if first == Some(10) { total(2).map(|s| s % 11 % 10) } else { first };
    // The digit before the check digit is 1.
    last.checked_sub(1).and_then(|place| digit(n, place)) == Some(1) && check.is_some() && check == digit(n, last)
}

fn latvian(n: &str) -> bool {
    if n.starts_with(['4', '5', '6', '7', '8', '9']) {
        return sum(n, &[9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1]).is_some_and(|s| s % 11 == 3);
    }
    let check = sum(n, &[10, 5, 8, 4, 2, 1, 6, 3, 7, 9]).map(|s| (1 + s) % 11 % 10);
    let day = number(n, 0..2).is_some_and(|day| (1..=31).contains(&day));
    let month = number(n, 2..4).is_some_and(|month| (1..=12).contains(&month));
    check.is_some() && check == digit(n, 10) && (n.starts_with("32") || (day && month))
}

fn dutch(n: &str) -> bool {
    let citizen = sum(n, &[9, 8, 7, 6, 5, 4, 3, 2]).is_some_and(|s| Some(s % 11) == digit(n, 8));
    let rest = format!("NL{n}").chars().fold(0u32, |rest, letter| match letter.to_digit(36) {
        Some(value) if value > 9 => (rest * 100 + value) % 97,
        Some(value) => (rest * 10 + value) % 97,
        None => rest,
    });
    // The suffix counts the firm's units from 01.
    let unit = number(n, 10..12).is_some_and(|unit| unit > 0);
    unit && number(n, 0..9).is_some_and(|body| body > 0) && (citizen || rest == 1)
}

fn turkish(n: &str) -> bool {
    let total: Option<u32> = (0..9usize)
        .zip((1u32..=9).rev())
        .map(|(place, step)| {
            let first = (digit(n, place)? + step) % 10;
            let second = first * 2u32.pow(step) % 9;
            Some(if first != 0 && second == 0 { 9 } else { second })
        })
        .sum();
    total.is_some_and(|total| Some((10 - total % 10) % 10) == digit(n, 9))
}
