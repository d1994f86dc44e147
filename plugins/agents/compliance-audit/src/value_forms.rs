//! Values that their form alone shows: e-mail addresses, accounts, cards, tax numbers, network addresses.

/// The words of a text as values stand in it.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '|' | '"'))
}

/// A word without the signs around it.
pub fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// A word with 9 for every digit.
pub fn shape(word: &str) -> String {
    word.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect()
}

/// Whether a word is an e-mail address.
pub fn is_email(word: &str) -> bool {
    let word = email(word);
    word.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.contains('.') && !host.starts_with('.') && !host.ends_with('.') && host.len() > 3
    })
}

/// `mail=a@b.example` and `(a@b.example).` without what is around.
pub fn email(word: &str) -> &str {
    let word = word.rsplit(['=', ':', '(']).next().unwrap_or(word);
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Runs of groups of letters and digits, parted by single spaces or hyphens.
pub fn grouped(text: &str, fits: fn(&str) -> bool) -> Vec<String> {
    let tokens: Vec<&str> = text
        .split([' ', '\n', '=', '\t', ':', ';', ',', '|'])
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut hit = 0;
        for count in (1..=9).rev() {
            let Some(group) = tokens.get(at..at + count) else { continue };
            let joined = group.join(" ");
            if group.iter().all(|part| !part.is_empty()) && fits(&joined) && text.contains(&joined) {
                found.push(joined);
                hit = count;
                break;
            }
        }
        at += hit.max(1);
    }
    found
}

/// Whether a text is a bank account with right check digits.
pub fn is_iban(text: &str) -> bool {
    let compact: String = text.chars().filter(|c| *c != ' ').collect();
    let bytes = compact.as_bytes();
    (15..=34).contains(&compact.len())
        && bytes.iter().take(2).all(u8::is_ascii_uppercase)
        && bytes.iter().skip(2).take(2).all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && compact.bytes().filter(u8::is_ascii_digit).count() >= 10
        && mod97(&compact)
}

/// The check number of an account.
fn mod97(compact: &str) -> bool {
    let Some((head, tail)) = compact.split_at_checked(4) else { return false };
    let mut rest = 0u32;
    for c in tail.chars().chain(head.chars()) {
        let Some(value) = c.to_digit(36) else { return false };
        rest = (rest * if value > 9 { 100 } else { 10 } + value) % 97;
    }
    rest == 1
}

/// Whether a text is a card number with a right check digit.
pub fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter(|c| !matches!(c, ' ' | '-')).map_while(|c| c.to_digit(10)).collect();
    let whole = text.chars().filter(|c| !matches!(c, ' ' | '-')).count();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            if at % 2 == 1 {
                let twice = digit * 2;
                twice / 10 + twice % 10
            } else {
                *digit
            }
        })
        .sum();
    digits.len() == whole
        && (13..=19).contains(&whole)
        && sum.is_multiple_of(10)
        && digits.first().is_some_and(|first| (2..=6).contains(first))
}

/// Two letters of a country and its count of signs.
pub fn is_vat(word: &str) -> bool {
    let (country, rest) = word.split_at_checked(2).unwrap_or(("", ""));
    let known = [
        "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GB", "HR", "HU", "IE", "IT", "LT",
        "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI",
    ]
    .contains(&country);
    known
        && (8..=12).contains(&rest.len())
        && rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && rest.bytes().filter(u8::is_ascii_digit).count() >= 7
        && !is_iban(word)
}

/// Whether a word is an address in a network.
pub fn is_ip(word: &str) -> bool {
    let word = word.trim_matches(['.', ':']);
    let parts: Vec<&str> = word.split('.').collect();
    let four = parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok());
    let six = word.matches(':').count() >= 3 && word.parse::<std::net::Ipv6Addr>().is_ok();
    four || six
}
