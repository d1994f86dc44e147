//! Labels of a series in the style of another label: its language, the length of names,
//! the order of the parts and the signs between them.

use crate::dates::{self, Date, Order};
use crate::periods::Period;

/// Names of months in English, German, French, Spanish, Dutch and Italian.
const MONTHS: [&str; 6] = [
    "January February March April May June July August September October November December",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "januari februari maart april mei juni juli augustus september oktober november december",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
];
const WEEKDAYS: [&str; 2] = [
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
];

/// Returns a period in the style of `model`; none if the model is no such period.
pub fn written(period: Period, model: &str, order: Option<Order>) -> Option<String> {
    written_in(period, model, order, language(&[model]))
}

/// Returns the names of months in the language of most of the labels.
pub(crate) fn language(labels: &[&str]) -> &'static str {
    names(&MONTHS, labels)
}

/// Returns the list that has most of the words of the labels.
fn names(lists: &[&'static str], labels: &[&str]) -> &'static str {
    let words = labels.iter().flat_map(|label| label.split(|c: char| !c.is_alphabetic()));
    let words: Vec<String> = words.filter(|word| word.len() > 2).map(str::to_lowercase).collect();
    let known = |list: &str| -> usize {
        let list = list.to_lowercase();
        let score = |word: &String| {
            let same = |name: &str| usize::from(name == word) + usize::from(name.starts_with(word.as_str()));
            list.split(' ').map(same).max().unwrap_or(0)
        };
        words.iter().map(score).sum()
    };
    let better = |best, next| if known(next) > known(best) { next } else { best };
    lists.iter().copied().reduce(better).unwrap_or_default()
}

pub(crate) fn written_in(period: Period, model: &str, order: Option<Order>, months: &str) -> Option<String> {
    let model = model.trim();
    Some(match period {
        Period::Year(year) => year.to_string(),
        Period::Number(n) => {
            let name = model.trim_end_matches(|c: char| c.is_ascii_digit());
            let old = model.get(name.len()..)?;
            let width = if old.starts_with('0') { old.len() } else { 0 };
            format!("{name}{n:0width$}")
        }
        Period::Time(minutes) => {
            let width = if model.starts_with('0') || model.find(':') == Some(2) { 2 } else { 1 };
            format!("{:0width$}:{:02}", minutes / 60, minutes % 60)
        }
        Period::Weekday(day) => named(model, names(&WEEKDAYS, &[model]), dates::weekday(model)?, day)?,
        Period::Week(year, week) => replaced(model, &[year.to_string(), format!("{week:02}")])?,
        Period::Quarter(year, quarter) => {
            let mark = model.find(|c: char| c.is_alphabetic())?;
            let (head, tail) = model.split_at_checked(mark + 1)?;
            with_year(&format!("{head}{quarter}{}", tail.get(1..)?), year)
        }
        Period::Month(year, month) => {
            if let Some((word, old)) = month_of(model) {
                return Some(with_year(&model.replacen(word, &named(word, months, old - 1, month - 1)?, 1), year));
            }
            let (year, month) = (year?.to_string(), format!("{month:02}"));
            let year_first = model.split(|c: char| !c.is_ascii_digit()).next()?.len() == 4;
            replaced(model, &if year_first { [year, month] } else { [month, year] })?
        }
        Period::Day(date) => day(date, model, order, months)?,
    })
}

/// Returns the first word of a label that names a month, and its number.
fn month_of(model: &str) -> Option<(&str, u32)> {
    model.split(|c: char| !c.is_alphabetic()).find_map(|word| Some((word, dates::month(word)?)))
}

fn day(date: Date, model: &str, order: Option<Order>, months: &str) -> Option<String> {
    let (year, month, day) = (date.year.to_string(), date.month, date.day);
    if let Some((word, old)) = month_of(model) {
        let text = model.replacen(word, &named(word, months, old - 1, month - 1)?, 1);
        return replaced(&text, &[day.to_string(), year]);
    }
    let first = model.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
    let width = if matches!(first.len(), 2 | 4) || day > 9 { 2 } else { 1 };
    let two = |number: u32| format!("{number:0width$}");
    let short = model.rsplit(|c: char| !c.is_ascii_digit()).next()?.len() == 2 && first.len() < 4;
    let year = if short { year.get(2..)?.to_owned() } else { year };
    let parts = match (first.len() == 4, order) {
        (true, _) => [year, two(month), two(day)],
        (false, Some(Order::MonthFirst)) => [two(month), two(day), year],
        (false, _) => [two(day), two(month), year],
    };
    replaced(model.split(['T', ' ']).next()?, &parts)
}

/// Returns the name `new` of a list in the style of `model`, which is its name `old`:
/// abbreviated to three letters, in capitals or with a point if the model is.
fn named(model: &str, names: &str, old: u32, new: u32) -> Option<String> {
    let bare = model.trim_end_matches('.');
    let length = bare.chars().count();
    let name = |at: u32| names.split(' ').nth(at as usize);
    let whole = name(old).is_some_and(|name| name.chars().count() == length);
    let short = !whole || (length == 3 && !bare.eq_ignore_ascii_case("mei"));
    let text: String = name(new)?.chars().take(if short { 3 } else { usize::MAX }).collect();
    let text = if model.chars().all(|c| !c.is_lowercase()) {
        text.to_uppercase()
    } else if model.starts_with(char::is_lowercase) {
        text.to_lowercase()
    } else {
        let mut chars = text.chars();
        chars.next().into_iter().flat_map(char::to_uppercase).chain(chars).collect()
    };
    Some(if model.ends_with('.') { format!("{text}.") } else { text })
}

/// Returns the model with its runs of digits replaced in order.
fn replaced(model: &str, numbers: &[String]) -> Option<String> {
    let mut numbers = numbers.iter();
    let mut text = String::new();
    let mut inside = false;
    for c in model.chars() {
        if !c.is_ascii_digit() {
            text.push(c);
        } else if !inside {
            text.push_str(numbers.next()?);
        }
        inside = c.is_ascii_digit();
    }
    Some(text)
}

/// Returns the text with its last year of four digits, or else of two digits, replaced.
fn with_year(text: &str, year: Option<i32>) -> String {
    let Some(year) = year.map(|year| year.to_string()) else { return text.to_owned() };
    let run = |size: usize| text.split(|c: char| !c.is_ascii_digit()).rfind(|run| run.len() == size);
    match (run(4), run(2)) {
        (Some(old), _) => text.replacen(old, &year, 1),
        (None, Some(old)) => text.replacen(old, year.get(2..).unwrap_or_default(), 1),
        _ => text.to_owned(),
    }
}
