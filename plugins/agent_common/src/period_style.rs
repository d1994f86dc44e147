//! Labels of a series in writing: names of months and days, order and separators as a model has them.

use crate::dates::{self, Date, MONTH_NAMES, Order};
use crate::periods::Period;

const GERMAN: [&str; 12] = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];
const FRENCH: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];
const SPANISH: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];
const DUTCH: [&str; 12] = [
    "januari",
    "februari",
    "maart",
    "april",
    "mei",
    "juni",
    "juli",
    "augustus",
    "september",
    "oktober",
    "november",
    "december",
];
const ITALIAN: [&str; 12] = [
    "gennaio",
    "febbraio",
    "marzo",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "agosto",
    "settembre",
    "ottobre",
    "novembre",
    "dicembre",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const TAGE: [&str; 7] = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"];

/// A period in the style of `model`: its language, length of names, order and separators.
#[must_use]
pub fn written(period: Period, model: &str, order: Option<Order>) -> Option<String> {
    written_in(period, model, order, language(&[model]))
}

/// The names of months in the language that knows most of the labels.
pub(crate) fn language(labels: &[&str]) -> &'static [&'static str; 12] {
    const LISTS: [&[&str; 12]; 6] = [&MONTH_NAMES, &GERMAN, &FRENCH, &SPANISH, &DUTCH, &ITALIAN];
    let known = |list: &[&str; 12]| {
        let words = labels.iter().flat_map(|label| label.split(|c: char| !c.is_alphabetic())).filter(|w| w.len() > 2);
        let score = |word: &str| {
            let word = word.to_lowercase();
            list.iter()
                .map(|name| name.to_lowercase())
                .map(|name| usize::from(name == word) + usize::from(name.starts_with(&word)))
                .max()
        };
        words.filter_map(score).sum::<usize>()
    };
    LISTS
        .iter()
        .copied()
        .reduce(|best, next| if known(next) > known(best) { next } else { best })
        .unwrap_or(&MONTH_NAMES)
}

pub(crate) fn written_in(period: Period, model: &str, order: Option<Order>, months: &[&str]) -> Option<String> {
    let model = model.trim();
    Some(match period {
        Period::Year(year) => year.to_string(),
        Period::Number(n) => {
            let digits = model.len() - model.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let (name, old) = model.split_at_checked(model.len() - digits)?;
            let width = if old.starts_with('0') { digits } else { 0 };
            format!("{name}{n:0width$}")
        }
        Period::Time(minutes) => {
            let (hour, minute) = (minutes / 60, minutes % 60);
            if model.starts_with('0') || model.find(':') == Some(2) {
                format!("{hour:02}:{minute:02}")
            } else {
                format!("{hour}:{minute:02}")
            }
        }
        Period::Weekday(day) => named(model, &[&DAYS, &TAGE], dates::weekday(model)?, day)?,
        Period::Week(year, week) => replaced(model, &[year.to_string(), format!("{week:02}")])?,
        Period::Quarter(year, quarter) => {
            let mark = model.find(|c: char| c.is_alphabetic())?;
            let (head, tail) = model.split_at_checked(mark + 1)?;
            let tail = format!("{quarter}{}", tail.get(1..)?);
            with_year(&format!("{head}{tail}"), year)
        }
        Period::Month(year, month) => {
            match model.split(|c: char| !c.is_alphabetic()).find_map(|w| dates::month(w).map(|m| (w, m))) {
                Some((word, old)) => {
                    with_year(&model.replacen(word, &named(word, &[months], old - 1, month - 1)?, 1), year)
                }
                None => {
                    let year = year?.to_string();
                    let month = format!("{month:02}");
                    let year_first = model.split(|c: char| !c.is_ascii_digit()).next()?.len() == 4;
                    replaced(model, &if year_first { [year, month] } else { [month, year] })?
                }
            }
        }
        Period::Day(date) => day(date, model, order, months)?,
    })
}

fn day(date: Date, model: &str, order: Option<Order>, months: &[&str]) -> Option<String> {
    let (year, month, day) = (date.year.to_string(), date.month, date.day);
    let word = model.split(|c: char| !c.is_alphabetic()).find_map(|w| dates::month(w).map(|m| (w, m)));
    let Some((word, old)) = word else {
        let first = model.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?;
        let padded = first.len() == 4 || first.starts_with('0') || date.day > 9 || first.len() == 2;
        let two = |n: u32| if padded { format!("{n:02}") } else { n.to_string() };
        let short = model.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?.len() == 2 && first.len() < 4;
        let year = if short { year.get(2..)?.to_owned() } else { year };
        let model = model.split(['T', ' ']).next()?;
        return replaced(
            model,
            &match (first.len() == 4, order) {
                (true, _) => [year, two(month), two(day)],
                (false, Some(Order::MonthFirst)) => [two(month), two(day), year],
                (false, _) => [two(day), two(month), year],
            },
        );
    };
    let name = named(word, &[months], old - 1, month - 1)?;
    let text = model.replacen(word, &name, 1);
    replaced(&text, &[day.to_string(), year])
}

/// The name of `new` in the language and the length of `model`, which is the name of `old`.
fn named(model: &str, lists: &[&[&str]], old: u32, new: u32) -> Option<String> {
    let bare = model.trim_end_matches('.');
    let lower = bare.to_lowercase();
    let old_name = |list: &&&[&str]| list.get(old as usize).is_some_and(|name| name.to_lowercase().starts_with(&lower));
    let list = lists.iter().find(old_name).or(lists.first())?;
    let name = *list.get(new as usize)?;
    let whole = list.get(old as usize).is_some_and(|name| name.chars().count() == bare.chars().count());
    let short = !whole || (bare.chars().count() == 3 && lower != "mei");
    let text: String = if short { name.chars().take(3).collect() } else { name.to_owned() };
    let text = if model.chars().all(|c| !c.is_lowercase()) {
        text.to_uppercase()
    } else if model.starts_with(char::is_lowercase) {
        text.to_lowercase()
    } else {
        let mut chars = text.chars();
        chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
    };
    Some(if model.ends_with('.') { format!("{text}.") } else { text })
}

/// `model` with its runs of digits replaced in order.
fn replaced(model: &str, numbers: &[String]) -> Option<String> {
    let mut numbers = numbers.iter();
    let mut text = String::new();
    let mut inside = false;
    for c in model.chars() {
        if c.is_ascii_digit() {
            if !inside {
                text.push_str(numbers.next()?);
            }
            inside = true;
        } else {
            text.push(c);
            inside = false;
        }
    }
    Some(text)
}

/// The text with its four-digit year, or a year of two digits, set anew.
fn with_year(text: &str, year: Option<i32>) -> String {
    let Some(year) = year else { return text.to_owned() };
    let run = |size: usize| {
        let digits: Vec<(usize, &str)> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter(|run| run.len() == size)
            .filter_map(|run| Some((text.find(run)?, run)))
            .collect();
        digits.last().copied()
    };
    let new = year.to_string();
    match (run(4), run(2)) {
        (Some((_, old)), _) => text.replacen(old, &new, 1),
        (None, Some((_, old))) => text.replacen(old, new.get(2..).unwrap_or_default(), 1),
        _ => text.to_owned(),
    }
}
