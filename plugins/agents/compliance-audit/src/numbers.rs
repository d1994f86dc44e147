//! Tax numbers and bank accounts in a text, by their forms; whether they are right is for the bridges.

/// Tax numbers: two letters of a country and 8 to 12 signs after a word such as VAT.
pub fn vat(text: &str) -> Vec<String> {
    let upper: Vec<&str> = text.split_whitespace().collect();
    let mut numbers = Vec::new();
    for (at, word) in upper.iter().enumerate() {
        let cue = word.to_uppercase();
        if !["VAT", "USTID", "TVA", "IVA", "BTW"]
            .iter()
            .any(|name| cue.trim_matches(|c: char| !c.is_alphanumeric()).starts_with(name))
        {
            continue;
        }
        // The number may be parted by spaces: a country, then digits.
        let mut number = String::new();
        for word in upper.iter().skip(at + 1).take(6) {
            let clean: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
            let has_digit = clean.bytes().any(|byte| byte.is_ascii_digit());
            let is_country = clean.len() == 2 && clean.bytes().all(|byte| byte.is_ascii_uppercase());
            if has_digit || (is_country && number.is_empty()) {
                number.push_str(&clean);
            } else if !number.is_empty() {
                break;
            }
            if word.ends_with(['.', ',', ';']) && !number.is_empty() {
                break;
            }
        }
        let letters = number.bytes().take_while(u8::is_ascii_uppercase).count();
        if letters == 2 && (10..=14).contains(&number.len()) && !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

/// Accounts: two letters, two digits, then 11 to 30 letters and digits, parted by single spaces.
pub fn iban(text: &str) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    for number in text.lines().flat_map(iban_of_line) {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

fn iban_of_line(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut numbers = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let start: Vec<u8> = word.bytes().take(4).collect();
        if !matches!(start.as_slice(), [a, b, c, d] if a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit())
        {
            continue;
        }
        let mut number = String::new();
        for word in words.iter().skip(at) {
            let clean = word.trim_end_matches(['.', ',', ';', ')']);
            let fits = clean.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
            let group = number.is_empty() || clean.len() <= 4;
            if !fits || !group || number.len() + clean.len() > 34 {
                break;
            }
            number.push_str(clean);
            if clean.len() < word.len() || clean.len() > 4 {
                break;
            }
        }
        if number.len() >= 15 && !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

/// The first four and last two signs.
pub fn masked(number: &str) -> String {
    let length = number.chars().count();
    let show = |(at, c): (usize, char)| if at < 4 || at + 2 >= length { c } else { '*' };
    number.chars().enumerate().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_forms() {
        assert_eq!(vat("Our VAT number is DE 136 695 976. VAT GB 1"), ["DE136695976"]);
        assert_eq!(vat("VAT is charged at 20 percent in 2026"), Vec::<String>::new());
        assert_eq!(
            iban("Pay to GB29 NWBK 6016 1331 9268 19, or DE89370400440532013000."),
            ["GB29NWBK60161331926819", "DE89370400440532013000"]
        );
        assert_eq!(iban("AB12 is short"), Vec::<String>::new());
        assert_eq!(iban("AT61 1904 3002 3457 3201\nAT61 1904 3002 3457 3210").len(), 2);
        assert_eq!(masked("GB29NWBK60161331926819"), "GB29****************19");
    }
}
