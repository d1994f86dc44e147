//! Amounts as people write them: `1,234.56`, `1.234,56`, `(123)`, `£1.2m`, `12%`, `three thousand`, `3rd`.
//!
//! Digits stay exact: [`Quantity::exact`] is the decimal as text, for [`crate::decimal::Decimal`].

use crate::number_words;
use crate::quantity_words::{CODES, SCALES, SYMBOLS, UNITS};

/// Which sign parts the whole from its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `1,234.56`
    Point,
    /// `1.234,56`
    Comma,
}

/// An amount in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// The value; `12%` is 12.
    pub value: f64,
    /// The value as an exact decimal: `-1234.56`.
    pub exact: String,
    /// Code of the currency: `EUR`, `GBP`, `USD`.
    pub currency: Option<String>,
    /// The unit as written: `kg`, `ms`, `hours`.
    pub unit: Option<String>,
    /// A percent sign or word follows.
    pub percent: bool,
    /// `3rd`, `second`.
    pub ordinal: bool,
    /// Written as a word.
    pub in_words: bool,
    /// Place of its first byte in the text.
    pub start: usize,
    /// Place behind its last byte.
    pub end: usize,
}

/// One amount that is the whole of `cell`; `style` decides what `1,234` and `1.234` mean.
#[must_use]
pub fn read(cell: &str, style: Option<Style>) -> Option<Quantity> {
    let cell = cell.trim();
    let inner = cell.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let (text, negative) = inner.map_or((cell, false), |inner| (inner.trim(), true));
    let mut found = scan_as(text, style, true);
    let mut quantity = if found.len() == 1 { found.pop()? } else { return None };
    let outside = |part: Option<&str>| part.unwrap_or_default().trim().trim_matches(['.', ':', '=', '~']).is_empty();
    if !outside(text.get(..quantity.start)) || !outside(text.get(quantity.end..)) {
        return None;
    }
    if negative {
        quantity.value = -quantity.value;
        quantity.exact.insert(0, '-');
    }
    Some(quantity)
}

/// The decimal sign that the cells of a column use; none if they do not tell.
#[must_use]
pub fn style(cells: &[&str]) -> Option<Style> {
    let mut votes = (0_usize, 0_usize);
    for cell in cells {
        for token in cell.split(|c: char| !c.is_ascii_digit() && c != ',' && c != '.') {
            match style_of(token.trim_matches([',', '.'])) {
                Some(Style::Point) => votes.0 += 1,
                Some(Style::Comma) => votes.1 += 1,
                None => {}
            }
        }
    }
    match votes {
        (0, 0) => None,
        (points, commas) if points >= commas => Some(Style::Point),
        _ => Some(Style::Comma),
    }
}

/// What one number tells of its style; `1,234` and `1.234` tell nothing.
fn style_of(token: &str) -> Option<Style> {
    let (points, commas) = (token.matches('.').count(), token.matches(',').count());
    let last = token.rsplit([',', '.']).next().map_or(0, str::len);
    match (points, commas) {
        (0, 0) => None,
        (1, n) if n > 0 && token.rfind('.') > token.rfind(',') => Some(Style::Point),
        (n, 1) if n > 0 && token.rfind(',') > token.rfind('.') => Some(Style::Comma),
        (n, 0) if n > 1 => Some(Style::Comma),
        (0, n) if n > 1 => Some(Style::Point),
        (1, 0) => (last != 3 || token.starts_with("0.")).then_some(Style::Point),
        (0, 1) => (last != 3 || token.starts_with("0,")).then_some(Style::Comma),
        _ => None,
    }
}

/// All amounts of a text, in order.
#[must_use]
pub fn scan(text: &str) -> Vec<Quantity> {
    scan_as(text, None, false)
}

/// `cell` is true where the text is one amount, so that a space may group its digits.
fn scan_as(text: &str, style: Option<Style>, cell: bool) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let fresh = !before.is_alphanumeric() && before != '_';
        let rest = text.get(at..).unwrap_or_default();
        let number = rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit());
        let quantity = if fresh && number {
            digits(text, at, style, cell)
        } else if fresh && c.is_alphabetic() {
            number_words::read(rest).map(|words| spoken(text, at, &words))
        } else {
            None
        };
        match quantity {
            Some(quantity) => {
                at = quantity.end.max(at + c.len_utf8());
                before = text.get(..at).and_then(|done| done.chars().next_back()).unwrap_or(' ');
                if before.is_alphanumeric() {
                    before = ' ';
                }
                found.push(quantity);
            }
            None => {
                at += c.len_utf8();
                before = c;
            }
        }
    }
    found
}

fn spoken(text: &str, start: usize, words: &number_words::Words) -> Quantity {
    let end = start + words.len;
    let (unit, currency, percent, end) = tail(text, end);
    Quantity {
        value: words.value,
        exact: format!("{}", words.value),
        currency,
        unit,
        percent,
        ordinal: words.ordinal,
        in_words: true,
        start,
        end,
    }
}

/// The length in bytes of the number that begins `rest`.
fn number_len(rest: &str, cell: bool, money: bool) -> usize {
    let bytes = rest.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let run = |from: usize| (from..).take_while(|at| digit(*at)).count();
    let mut end = run(0);
    if rest.starts_with('.') {
        return 1 + run(1);
    }
    let first = end;
    while let Some(next) = rest.get(end..).and_then(|rest| rest.chars().next()) {
        let size = next.len_utf8();
        let group = run(end + size);
        let space = matches!(next, '\u{a0}' | '\u{202f}' | '\u{2009}') || (next == ' ' && (cell || money));
        let groups = (space || matches!(next, '\'' | '’')) && group == 3 && first <= 3;
        if group == 0 || !(groups || matches!(next, ',' | '.')) {
            break;
        }
        end += size + group;
    }
    // `41,43,41,42` and `149,156,159,157,165` are several numbers.
    let token = rest.get(..end).unwrap_or_default();
    let commas = token.matches(',').count();
    let even = token.split(',').skip(1).all(|group| group.split('.').next().is_some_and(|group| group.len() == 3));
    let pointed = token.contains('.') && token.find('.') < token.find(',');
    if (commas > 1 && (!even || pointed || commas > 3 || token.split(',').next().is_some_and(|g| g.len() > 3)))
        || (commas == 1 && !pointed && token.contains('.') && !even)
    {
        return token.find(',').unwrap_or(end);
    }
    end
}

fn digits(text: &str, at: usize, style: Option<Style>, cell: bool) -> Option<Quantity> {
    let (start, negative, mut currency) = head(text, at);
    let rest = text.get(at..)?;
    let mut len = number_len(rest, cell, currency.is_some());
    // In `149,156,159` the commas part, for what follows as well.
    let mut before = text.get(..at).unwrap_or_default().chars().rev();
    if before.next() == Some(',') && before.next().is_some_and(|c| c.is_ascii_digit()) {
        len = rest.get(..len)?.find(',').unwrap_or(len);
    }
    let token = rest.get(..len)?;
    if token.matches('.').count() > 1 && !token.split('.').skip(1).all(|group| group.len() == 3 || group.contains(','))
    {
        return None;
    }
    let mut exact = plain(token, style);
    let after = rest.get(len..).unwrap_or_default();
    let ordinal = ["st", "nd", "rd", "th", "er", "ème", "º", "ª"].iter().find(|end| {
        after.starts_with(**end) && !after.get(end.len()..).is_some_and(|r| r.starts_with(char::is_alphanumeric))
    });
    if let Some(ending) = ordinal {
        let value = exact.parse().ok()?;
        let end = at + len + ending.len();
        let (percent, in_words) = (false, false);
        return Some(Quantity { value, exact, currency, unit: None, percent, ordinal: true, in_words, start, end });
    }
    let (shift, scaled) = scale(after, currency.is_some());
    if shift > 0 {
        exact = shifted(&exact, shift);
    }
    let (unit, tail_currency, percent, end) = tail(text, at + len + scaled);
    currency = currency.or(tail_currency);
    // A letter right behind, of no known unit, makes it a code: `14C`, `2024-W05`.
    let next = text.get(end..).and_then(|rest| rest.chars().next());
    if unit.is_none() && scaled == 0 && end == at + len && next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    if negative {
        exact.insert(0, '-');
    }
    let value = exact.parse().ok()?;
    Some(Quantity { value, exact, currency, unit, percent, ordinal: false, in_words: false, start, end })
}

/// What stands before the digits: where the amount begins, its sign, its currency.
fn head(text: &str, at: usize) -> (usize, bool, Option<String>) {
    let mut start = at;
    let mut negative = false;
    let mut currency = None;
    let minus = |before: &str| -> Option<usize> {
        let cut = before.strip_suffix(['-', '−', '–'])?;
        let open = cut.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != ')');
        open.then_some(cut.len())
    };
    let before = |start: usize| text.get(..start).unwrap_or_default();
    if let Some(cut) = minus(before(start)) {
        (start, negative) = (cut, true);
    }
    let plain = before(start).trim_end_matches([' ', '\u{a0}']);
    if let Some((symbol, code)) = SYMBOLS.iter().find(|(symbol, _)| plain.ends_with(*symbol)) {
        start = plain.len() - symbol.len_utf8();
        currency = Some((*code).to_owned());
        if before(start).ends_with("R") {
            (start, currency) = (start - 1, Some("BRL".to_owned()));
        }
    } else {
        let word = plain.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let upper = word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let code = CODES.iter().find(|(name, code)| upper && *code == word && *name == word.to_lowercase());
        if let Some((_, code)) = code {
            (start, currency) = (plain.len() - word.len(), Some((*code).to_owned()));
        }
    }
    if let Some(cut) = minus(before(start)).filter(|_| currency.is_some()) {
        (start, negative) = (cut, true);
    }
    (start, negative, currency)
}

/// `k`, `million`: the power of ten and the bytes it takes.
fn scale(after: &str, money: bool) -> (u32, usize) {
    let spaces = after.len() - after.trim_start_matches([' ', '\u{a0}']).len();
    let word: String = after.chars().skip(spaces.min(1)).take_while(|c| c.is_alphabetic()).collect();
    let lower = word.to_lowercase();
    let known = SCALES.iter().find(|(name, _)| *name == lower);
    let short = lower.len() == 1;
    match known {
        Some(_) if short && spaces > 0 && !money => (0, 0),
        Some(_) if spaces > 1 => (0, 0),
        Some(_) if lower == "m" && word == "m" && !money => (0, 0),
        Some(_) if lower == "b" && !money => (0, 0),
        Some((_, shift)) => (*shift, spaces + word.len()),
        None => (0, 0),
    }
}

/// Unit, currency and percent behind a number, and where they end.
fn tail(text: &str, end: usize) -> (Option<String>, Option<String>, bool, usize) {
    let rest = text.get(end..).unwrap_or_default();
    let trimmed = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let spaces = rest.len() - trimmed.len();
    if let Some(c) = trimmed.chars().next().filter(|_| spaces < 4) {
        if c == '%' {
            return (None, None, true, end + spaces + 1);
        }
        let later = trimmed.get(c.len_utf8()..).and_then(|rest| rest.chars().next());
        let symbol = SYMBOLS.iter().find(|(symbol, _)| *symbol == c);
        if let Some((_, code)) = symbol.filter(|_| !later.is_some_and(|c| c.is_ascii_digit())) {
            return (None, Some((*code).to_owned()), false, end + spaces + c.len_utf8());
        }
    }
    let word: String = trimmed.chars().take_while(|c| c.is_alphabetic() || *c == '°').collect();
    let lower = word.to_lowercase();
    let after = trimmed.get(word.len()..).and_then(|rest| rest.chars().next());
    let cut = after.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if word.is_empty() || cut || spaces > 1 {
        return (None, None, false, end);
    }
    let whole = end + spaces + word.len();
    if matches!(lower.as_str(), "percent" | "prozent") {
        return (None, None, true, whole);
    }
    if lower == "per" && trimmed.to_lowercase().starts_with("per cent") {
        return (None, None, true, whole + 5);
    }
    if let Some((_, code)) = CODES.iter().find(|(name, _)| *name == lower) {
        return (None, Some((*code).to_owned()), false, whole);
    }
    // `a` behind a number is an article more often than an ampere.
    let unit = UNITS.contains(&lower.as_str()) && !(spaces > 0 && matches!(lower.as_str(), "a" | "v" | "w" | "s"));
    if unit { (Some(word), None, false, whole) } else { (None, None, false, end) }
}

/// Digits with a point for the fraction and nothing else.
fn plain(token: &str, style: Option<Style>) -> String {
    let told = style_of(token).or(style);
    let text: String = token.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let text = match told {
        Some(Style::Comma) => text.replace('.', "").replace(',', "."),
        Some(Style::Point) => text.replace(',', ""),
        None => text.replace(',', ""),
    };
    if text.starts_with('.') { format!("0{text}") } else { text }
}

/// A decimal times a power of ten, exactly.
fn shifted(exact: &str, shift: u32) -> String {
    let shift = shift as usize;
    let (whole, part) = exact.split_once('.').unwrap_or((exact, ""));
    let mut part = part.to_owned();
    while part.len() < shift {
        part.push('0');
    }
    let (moved, left) = part.split_at(shift);
    let whole = format!("{whole}{moved}");
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if left.is_empty() { whole.to_owned() } else { format!("{whole}.{left}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_all_kinds() {
        let cases: &[(&str, &str)] = &[
            ("1,234.56", "1234.56"),
            ("1.234,56", "1234.56"),
            ("1 234", "1234"),
            ("1'234", "1234"),
            ("1\u{a0}234,5", "1234.5"),
            ("(123)", "-123"),
            ("-5", "-5"),
            ("−5", "-5"),
            ("12%", "12"),
            ("12 %", "12"),
            ("£1.2m", "1200000"),
            ("$3k", "3000"),
            ("1.5bn", "1500000000"),
            ("EUR 20", "20"),
            ("20 €", "20"),
            ("-$4.50", "-4.50"),
            ("$-4.50", "-4.50"),
            ("R$ 1.350,00", "1350.00"),
            ("three thousand", "3000"),
            ("a dozen", "12"),
            ("half", "0.5"),
            ("seven and a half", "7.5"),
            ("one hundred and ninety-five", "195"),
            ("thirty-one", "31"),
            ("0,12", "0.12"),
            ("2.500", "2.500"),
            ("12,310.50", "12310.50"),
            (".5", "0.5"),
            ("4.1 million", "4100000"),
            ("120 000 €", "120000"),
            ("1,234,567", "1234567"),
            ("1.234.567", "1234567"),
        ];
        for (cell, exact) in cases {
            assert_eq!(read(cell, None).map(|q| q.exact), Some((*exact).to_owned()), "{cell}");
        }
        for bad in ["", "abc", "14C", "2024-03-01", "12 of 20", "A-1", "1.2.3", "n/a", "unknown"] {
            assert_eq!(read(bad, None).map(|q| q.exact), None, "{bad}");
        }
    }

    #[test]
    fn a_column_decides_its_style() {
        assert_eq!(style(&["0,12", "1,35", "6,90"]), Some(Style::Comma));
        assert_eq!(style(&["1.200,50", "2.015"]), Some(Style::Comma));
        assert_eq!(style(&["1,234", "5.5"]), Some(Style::Point));
        assert_eq!(style(&["1,234", "17"]), None);
        assert_eq!(read("2.500", Some(Style::Comma)).map(|q| q.exact).as_deref(), Some("2500"));
        assert_eq!(read("1,234", Some(Style::Comma)).map(|q| q.exact).as_deref(), Some("1.234"));
    }

    #[test]
    fn amounts_in_sentences() {
        let all = |text: &str| scan(text).iter().map(|q| q.exact.clone()).collect::<Vec<_>>().join(" ");
        let cases = [
            ("149,156,159,157,165", "149 156 159 157 165"),
            ("41,43,41", "41 43 41"),
            ("1.02,0.99,1.01", "1.02 0.99 1.01"),
            ("70 69 66 12", "70 69 66 12"),
            ("500 up to and including 5,000", "500 5000"),
            ("On 5 May about two hundred", "5 200"),
            ("Q1 140, Q2 146", "140 146"),
            ("31=121 | 29=123", "31 121 29 123"),
            ("Soup at 4.00: 500 portions", "4.00 500"),
        ];
        for (text, expect) in cases {
            assert_eq!(all(text), expect, "{text}");
        }
        let money = scan("a budget of EUR 70k and 350 employees, 5 % off, the 3rd of 9 kg");
        let told: Vec<_> =
            money.iter().map(|q| (q.currency.as_deref(), q.unit.as_deref(), q.percent, q.ordinal)).collect();
        let expect = [
            (Some("EUR"), None, false, false),
            (None, Some("employees"), false, false),
            (None, None, true, false),
            (None, None, false, true),
            (None, Some("kg"), false, false),
        ];
        assert_eq!(told, expect);
    }
}
