//! Amounts as people write them: `1,234.56`, `1.234,56`, `(123)`, `£1.2m`, `12%`, `three thousand`, `3rd`.
//!
//! Digits stay exact: [`Quantity::exact`] is the decimal as text.

use crate::number_words;

/// Signs of currencies with their codes.
const SYMBOLS: [(char, &str); 8] =
    [('€', "EUR"), ('£', "GBP"), ('$', "USD"), ('¥', "JPY"), ('₹', "INR"), ('₺', "TRY"), ('₽', "RUB"), ('₩', "KRW")];
/// Codes of currencies, each with its names.
const CODES: &str = "EUR eur euro euros|USD usd dollar dollars|GBP gbp pounds|CHF chf|SEK sek|NOK nok|DKK dkk|PLN pln \
    zł|CZK czk|JPY jpy|CAD cad|AUD aud|BRL brl|INR inr";
/// Powers of ten with their names.
const SCALES: [(usize, &str); 3] =
    [(3, "k tsd thousand"), (6, "m mn mio million millions millionen"), (9, "bn b mrd billion billions milliarden")];
const UNITS: &str = "\
    kg g mg t tonnes tons lb lbs oz km m cm mm mi miles ft l ml litres liters gb mb kb tb kwh mwh kw w v a bar ms s \
    sec secs second seconds min mins minute minutes h hr hrs hour hours day days week weeks month months quarter \
    quarters year years pieces pcs units items orders employees people stück tage wochen monate jahre stunden jours \
    semaines mois ans días semanas meses años °c °f px words sentences points rows cells";
/// Endings that make a number an ordinal.
const ORDINALS: [&str; 8] = ["st", "nd", "rd", "th", "er", "ème", "º", "ª"];

/// The sign that separates the whole part from the fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `1,234.56`
    Point,
    /// `1.234,56`
    Comma,
}

/// An amount in a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quantity {
    /// The value; `12%` is 12.
    pub value: f64,
    /// The value as an exact decimal: `-1234.56`.
    pub exact: String,
    /// Code of the currency: `EUR`, `GBP`, `USD`.
    pub currency: Option<&'static str>,
    /// The unit as written: `kg`, `ms`, `hours`.
    pub unit: Option<String>,
    /// Whether a percent sign or word follows.
    pub percent: bool,
    /// Whether it is written as a word.
    pub in_words: bool,
    /// Place of its first byte in the text.
    pub start: usize,
    /// Place behind its last byte.
    pub end: usize,
}

/// Reads a cell that is one amount; `style` decides what `1,234` and `1.234` mean.
pub fn read(cell: &str, style: Option<Style>) -> Option<Quantity> {
    let cell = cell.trim();
    let inner = cell.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let (text, negative) = inner.map_or((cell, false), |inner| (inner.trim(), true));
    let mut found = scan_as(text, style, true);
    let mut quantity = found.pop().filter(|_| found.is_empty())?;
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

/// Reads a cell that is one amount in digits.
pub fn number(cell: &str, style: Option<Style>) -> Option<f64> {
    read(cell, style).filter(|found| !found.in_words).map(|found| found.value)
}

/// Returns the decimal sign of most cells of a column; none if no cell shows it.
pub fn style(cells: &[&str]) -> Option<Style> {
    let numbers = cells.iter().flat_map(|cell| cell.split(|c: char| !c.is_ascii_digit() && c != ',' && c != '.'));
    let shown: Vec<Style> = numbers.filter_map(|token| style_of(token.trim_matches([',', '.']))).collect();
    let points = shown.iter().filter(|style| **style == Style::Point).count();
    (!shown.is_empty()).then_some(if points * 2 >= shown.len() { Style::Point } else { Style::Comma })
}

/// Returns the decimal sign that one number shows; `1,234` and `1.234` show none.
fn style_of(token: &str) -> Option<Style> {
    let last = token.rsplit([',', '.']).next().map_or(0, str::len);
    let open = last == 3 && !token.starts_with("0.") && !token.starts_with("0,");
    match (token.matches('.').count(), token.matches(',').count()) {
        (1, 0) => (!open).then_some(Style::Point),
        (0, 1) => (!open).then_some(Style::Comma),
        (1, 1..) if token.rfind('.') > token.rfind(',') => Some(Style::Point),
        (1.., 1) if token.rfind(',') > token.rfind('.') => Some(Style::Comma),
        (2.., 0) => Some(Style::Comma),
        (0, 2..) => Some(Style::Point),
        _ => None,
    }
}

/// Returns all amounts of a text, in order.
pub fn scan(text: &str) -> Vec<Quantity> {
    scan_as(text, None, false)
}

/// Returns all amounts of a text; in a `cell`, which is one amount, a space may group digits.
fn scan_as(text: &str, style: Option<Style>, cell: bool) -> Vec<Quantity> {
    let mut found = Vec::new();
    let (mut at, mut before) = (0, ' ');
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let fresh = !before.is_alphanumeric() && before != '_';
        let rest = text.get(at..).unwrap_or_default();
        let quantity = if fresh && rest.strip_prefix('.').unwrap_or(rest).starts_with(|c: char| c.is_ascii_digit()) {
            digits(text, at, style, cell)
        } else if fresh {
            number_words::read(rest).map(|(value, length)| {
                let exact = value.to_string();
                Quantity { value, exact, in_words: true, start: at, ..tail(text, at + length) }
            })
        } else {
            None
        };
        (at, before) = match quantity {
            Some(quantity) => {
                let end = quantity.end.max(at + c.len_utf8());
                found.push(quantity);
                let last = text.get(..end).and_then(|done| done.chars().next_back());
                (end, last.filter(|last| !last.is_alphanumeric()).unwrap_or(' '))
            }
            None => (at + c.len_utf8(), c),
        };
    }
    found
}

/// Returns the length in bytes of the number that begins a text.
fn number_len(rest: &str, spaced: bool) -> usize {
    let bytes = rest.as_bytes();
    let run = |from: usize| (from..).take_while(|at| bytes.get(*at).is_some_and(u8::is_ascii_digit)).count();
    if rest.starts_with('.') {
        return 1 + run(1);
    }
    let first = run(0);
    let mut end = first;
    while let Some(next) = rest.get(end..).and_then(|rest| rest.chars().next()) {
        let size = next.len_utf8();
        let group = run(end + size);
        let space = matches!(next, '\u{a0}' | '\u{202f}' | '\u{2009}') || (next == ' ' && spaced);
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
    let long = commas > 3 || token.split(',').next().is_some_and(|group| group.len() > 3);
    let list = commas > 1 && (!even || pointed || long);
    let pair = commas == 1 && !pointed && token.contains('.') && !even;
    token.find(',').filter(|_| list || pair).unwrap_or(end)
}

/// Reads the amount whose digits begin at a place.
fn digits(text: &str, at: usize, style: Option<Style>, cell: bool) -> Option<Quantity> {
    let (start, negative, currency) = head(text, at);
    let rest = text.get(at..)?;
    let mut len = number_len(rest, cell || currency.is_some());
    // In `149,156,159` the commas are between numbers, also before the following ones.
    let mut before = text.get(..at)?.chars().rev();
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
    let ordinal = ORDINALS
        .iter()
        .find(|ending| after.strip_prefix(**ending).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
    if let Some(ending) = ordinal {
        let end = at + len + ending.len();
        return Some(Quantity { value: exact.parse().ok()?, exact, currency, start, end, ..Quantity::default() });
    }
    let (shift, scaled) = scale(after, currency.is_some());
    exact = shifted(&exact, shift);
    let tail = tail(text, at + len + scaled);
    // A letter right behind, of no known unit, makes it a code: `14C`, `2024-W05`.
    let next = text.get(tail.end..).and_then(|rest| rest.chars().next());
    if tail.unit.is_none() && tail.end == at + len && next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    if negative {
        exact.insert(0, '-');
    }
    Some(Quantity { value: exact.parse().ok()?, exact, currency: currency.or(tail.currency), start, ..tail })
}

/// Reads what precedes the digits: where the amount begins, its sign, its currency.
fn head(text: &str, at: usize) -> (usize, bool, Option<&'static str>) {
    let before = |start: usize| text.get(..start).unwrap_or_default();
    let minus = |start: usize| {
        let cut = before(start).strip_suffix(['-', '−', '–'])?;
        cut.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != ')').then_some(cut.len())
    };
    let cut = minus(at);
    let start = cut.unwrap_or(at);
    let plain = before(start).trim_end_matches([' ', '\u{a0}']);
    let (start, currency) = if let Some((symbol, code)) = SYMBOLS.iter().find(|(symbol, _)| plain.ends_with(*symbol)) {
        let start = plain.len() - symbol.len_utf8();
        if before(start).ends_with('R') { (start - 1, Some("BRL")) } else { (start, Some(*code)) }
    } else {
        let word = plain.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let code = CODES.split('|').filter_map(|names| names.get(..3)).find(|code| *code == word);
        (code.map_or(start, |_| plain.len() - word.len()), code)
    };
    let outer = minus(start).filter(|_| currency.is_some());
    (outer.unwrap_or(start), cut.or(outer).is_some(), currency)
}

/// Reads `k` or `million` behind digits: the power of ten, and how many bytes it takes.
fn scale(after: &str, money: bool) -> (usize, usize) {
    let spaces = after.len() - after.trim_start_matches([' ', '\u{a0}']).len();
    let word: String = after.chars().skip(spaces.min(1)).take_while(|c| c.is_alphabetic()).collect();
    let lower = word.to_lowercase();
    let Some((shift, _)) = SCALES.iter().find(|(_, names)| names.split(' ').any(|name| name == lower)) else {
        return (0, 0);
    };
    let other = (lower.len() == 1 && spaces > 0) || word == "m" || lower == "b";
    if spaces > 1 || (other && !money) { (0, 0) } else { (*shift, spaces + word.len()) }
}

/// Reads unit, currency and percent sign behind a number, and where they end.
fn tail(text: &str, end: usize) -> Quantity {
    let rest = text.get(end..).unwrap_or_default();
    let trimmed = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    let spaces = rest.len() - trimmed.len();
    let found = |length: usize| Quantity { end: end + spaces + length, ..Quantity::default() };
    if let Some(c) = trimmed.chars().next().filter(|_| spaces < 4) {
        if c == '%' {
            return Quantity { percent: true, ..found(1) };
        }
        let more = trimmed.get(c.len_utf8()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if let Some((_, code)) = SYMBOLS.iter().find(|(symbol, _)| *symbol == c && !more) {
            return Quantity { currency: Some(*code), ..found(c.len_utf8()) };
        }
    }
    let word: String = trimmed.chars().take_while(|c| c.is_alphabetic() || *c == '°').collect();
    let lower = word.to_lowercase();
    let cut = trimmed.get(word.len()..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
    let none = Quantity { end, ..Quantity::default() };
    if word.is_empty() || cut || spaces > 1 {
        return none;
    }
    let percent = matches!(lower.as_str(), "percent" | "prozent");
    if percent || (lower == "per" && trimmed.to_lowercase().starts_with("per cent")) {
        return Quantity { percent: true, ..found(if percent { word.len() } else { "per cent".len() }) };
    }
    if let Some(names) = CODES.split('|').find(|names| names.split(' ').skip(1).any(|name| name == lower)) {
        return Quantity { currency: names.get(..3), ..found(word.len()) };
    }
    // `a` behind a number is an article more often than an ampere.
    let unit = UNITS.split_whitespace().any(|unit| unit == lower);
    let letter = spaces > 0 && matches!(lower.as_str(), "a" | "v" | "w" | "s");
    if unit && !letter { Quantity { unit: Some(word.clone()), ..found(word.len()) } } else { none }
}

/// Returns digits with a point for the fraction and nothing else.
fn plain(token: &str, style: Option<Style>) -> String {
    let text: String = token.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    let text = match style_of(token).or(style) {
        Some(Style::Comma) => text.replace('.', "").replace(',', "."),
        _ => text.replace(',', ""),
    };
    if text.starts_with('.') { format!("0{text}") } else { text }
}

/// Multiplies a decimal by a power of ten, exactly.
fn shifted(exact: &str, shift: usize) -> String {
    if shift == 0 {
        return exact.to_owned();
    }
    let (whole, part) = exact.split_once('.').unwrap_or((exact, ""));
    let part = format!("{part:0<shift$}");
    let (moved, left) = part.split_at(shift);
    let whole = format!("{whole}{moved}");
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    if left.is_empty() { whole.to_owned() } else { format!("{whole}.{left}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows;

    #[test]
    fn cells_of_all_kinds() {
        for (cell, exact) in rows::<(String, Option<String>)>(include_str!("../cases/quantity_cells.json")) {
            assert_eq!(read(&cell, None).map(|found| found.exact), exact, "{cell}");
        }
    }

    #[test]
    fn the_cells_of_a_column_decide_its_style() {
        assert_eq!(style(&["0,12", "1,35", "6,90"]), Some(Style::Comma));
        assert_eq!(style(&["1.200,50", "2.015"]), Some(Style::Comma));
        assert_eq!(style(&["1,234", "5.5"]), Some(Style::Point));
        assert_eq!(style(&["1,234", "17"]), None);
        let exact = |cell: &str| read(cell, Some(Style::Comma)).map(|found| found.exact);
        assert_eq!((exact("2.500"), exact("1,234")), (Some("2500".into()), Some("1.234".into())));
    }

    #[test]
    fn amounts_in_sentences() {
        let shown = |one: &Quantity| {
            let percent = if one.percent { "%" } else { "" };
            format!("{}{}{}{percent}", one.currency.unwrap_or(""), one.exact, one.unit.clone().unwrap_or_default())
        };
        for (text, expect) in rows::<(String, String)>(include_str!("../cases/quantity_texts.json")) {
            assert_eq!(scan(&text).iter().map(shown).collect::<Vec<_>>().join(" "), expect, "{text}");
        }
    }
}
