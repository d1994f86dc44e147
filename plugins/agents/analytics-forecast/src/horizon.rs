//! How far ahead a request looks: `next three months`, `through March`, `Q1 and Q2`, `tomorrow`.

use agent_common::periods::{self, Period, Step};
use agent_common::{number_words, quotes};

use agent_common::time_unit::{Unit, words};

use crate::horizon_parts;

/// Most points ahead.
pub const MOST: u32 = 400;
const NEXT: [&str; 30] = [
    "next",
    "following",
    "coming",
    "upcoming",
    "another",
    "further",
    "nächsten",
    "nächste",
    "nächster",
    "nächstes",
    "kommenden",
    "kommende",
    "prochain",
    "prochains",
    "prochaine",
    "prochaines",
    "próximo",
    "próximos",
    "próxima",
    "próximas",
    "proximos",
    "proximo",
    "siguiente",
    "siguientes",
    "volgende",
    "komende",
    "prossimo",
    "prossimi",
    "prossima",
    "prossime",
];
const AHEAD: [&str; 12] = [
    "ahead",
    "more",
    "out",
    "further",
    "forward",
    "advance",
    "voraus",
    "forecast",
    "outlook",
    "projection",
    "horizon",
    "prediction",
];
const PAST: [&str; 13] = [
    "last",
    "past",
    "previous",
    "first",
    "over",
    "letzten",
    "letzte",
    "derniers",
    "dernières",
    "últimos",
    "últimas",
    "of",
    "laatste",
];
const POINTS: [&str; 14] = [
    "step",
    "steps",
    "value",
    "values",
    "point",
    "points",
    "period",
    "periods",
    "number",
    "numbers",
    "reading",
    "readings",
    "entries",
    "observations",
];

/// What a request says about how far to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Horizon {
    /// So many steps, as said.
    Steps(u32),
    /// Nothing is said: one step.
    Unsaid,
    /// An end that cannot be counted in steps.
    Unknown,
}

/// Reads the words that ask; `last` is the last label, `unit` what one step is, `count` how many values there are.
pub fn read(asked: &str, last: Option<Period>, step: Option<Step>, unit: Option<Unit>, count: usize) -> Horizon {
    let bare = horizon_parts::plain(&without_quotes(asked).replace('=', " "));
    let words: Vec<String> = words(&bare).into_iter().map(spelled_out).collect();
    if let Some(found) = counted(&words, unit, count) {
        return found;
    }
    if let Some(steps) = horizon_parts::read(&bare, last, unit) {
        return bounded(steps);
    }
    if let Some(steps) = until_month(&bare, last, unit) {
        return bounded(steps);
    }
    if let Some(steps) = last.zip(step).and_then(|(last, step)| named(&bare, last, step, count)) {
        return bounded(steps);
    }
    if let Some(found) = whole_unit(&words, unit) {
        return found;
    }
    if open_end(&words) { Horizon::Unknown } else { Horizon::Unsaid }
}

/// Verbs that ask for so many steps.
const VERBS: &[&str] = &[
    "forecast",
    "predict",
    "project",
    "extrapolate",
    "prognose",
    "horizon",
    "for",
    "give",
    "need",
    "want",
    "estimate",
    "ahead",
    "me",
    "extend",
    "continue",
    "für",
];

const WEEKDAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/// `yrs` is `years`.
fn spelled_out(word: String) -> String {
    let long = match word.as_str() {
        "yrs" => "years",
        "yr" => "year",
        "qtrs" => "quarters",
        "qtr" => "quarter",
        "mos" => "months",
        "mo" => "month",
        _ => return word,
    };
    long.to_owned()
}

fn bounded(steps: u32) -> Horizon {
    if (1..=MOST).contains(&steps) { Horizon::Steps(steps) } else { Horizon::Unknown }
}

fn without_quotes(text: &str) -> String {
    let mut bare = String::new();
    let mut at = 0;
    for quoted in quotes::find(text) {
        bare.push_str(text.get(at..quoted.start).unwrap_or_default());
        bare.push(' ');
        at = quoted.end;
    }
    bare.push_str(text.get(at..).unwrap_or_default());
    bare
}

fn count(word: &str) -> Option<u32> {
    match word {
        "couple" => Some(2),
        "few" => Some(3),
        "half" => None,
        _ => word.parse().ok().filter(|n| (1..=MOST).contains(n)).or_else(|| number_words::cardinal(word)),
    }
}

/// `next 3 months`, `6 months ahead`, `forecast 6 more values`, `a 12-month forecast`, `horizon 5`.
fn counted(words: &[String], unit: Option<Unit>, values: usize) -> Option<Horizon> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    for at in 0..words.len() {
        let Some(n) = count(word(at)) else { continue };
        let back = |list: &[&str], far: usize| {
            (1..=far).any(|by| at.checked_sub(by).is_some_and(|at| list.contains(&word(at))))
        };
        if back(&PAST, 1) || (back(&["last", "past", "previous", "letzten", "derniers", "últimos"], 2)) {
            continue;
        }
        let skip = usize::from(
            [
                "more",
                "further",
                "next",
                "additional",
                "future",
                "full",
                "of",
                "working",
                "business",
                "nächsten",
                "prochains",
                "próximos",
            ]
            .contains(&word(at + 1)),
        );
        let skip = if word(at + 1) == "more" && POINTS.contains(&word(at + 2)) { 1 } else { skip };
        let thing = word(at + 1 + skip);
        let asked = Unit::of(thing);
        let point = POINTS.contains(&thing);
        let next = back(&NEXT, 2) || NEXT.contains(&word(at + 1));
        let ahead = (1..=4).any(|by| AHEAD.contains(&word(at + by)));
        let verb = back(VERBS, 2);
        // `extend the series by 5 points`
        let longer = back(&["by"], 1)
            && words.iter().any(|word| ["extend", "continue", "extrapolate", "prolong"].contains(&word.as_str()));
        let verb = verb || longer;
        if let Some(asked) = asked {
            let steps = in_steps(n, asked, unit);
            // `guests for four weeks` says how much there is, where there are 28 values.
            let all = !next && !ahead && steps == bounded(u32::try_from(values).unwrap_or(0));
            if (next || ahead || verb) && !all {
                return Some(steps);
            }
        } else if (unit == Some(Unit::Week)
            && WEEKDAYS.contains(&thing.trim_end_matches('s'))
            && (next || ahead || verb))
            || (point && (next || ahead || verb || word(at + 1) == "more"))
            || (next && thing.is_empty())
            || (next && !point)
            || (word(at + 1) == "more" && ahead)
            || (at > 0 && ["horizon", "h", "steps", "periods"].contains(&word(at - 1)))
        {
            return Some(bounded(n));
        }
    }
    half_or_fortnight(words, unit)
}

/// `half a year`, `a fortnight`.
fn half_or_fortnight(words: &[String], unit: Option<Unit>) -> Option<Horizon> {
    let text = words.join(" ");
    let halves = ["half year", "half a year", "halbjahr", "halbes jahr", "semestre"];
    if halves.iter().any(|half| text.contains(half)) {
        return Some(match unit {
            Some(Unit::Month) => Horizon::Steps(6),
            Some(Unit::Quarter) => Horizon::Steps(2),
            Some(Unit::Week) => Horizon::Steps(26),
            _ => Horizon::Unknown,
        });
    }
    text.contains("fortnight").then(|| in_steps(2, Unit::Week, unit))
}

fn in_steps(n: u32, asked: Unit, unit: Option<Unit>) -> Horizon {
    match unit {
        None => bounded(n),
        Some(unit) => unit.steps_in(asked).map_or(Horizon::Unknown, |each| bounded(n.saturating_mul(each))),
    }
}

/// `through March 2024`, `rest of the year`.
fn until_month(asked: &str, last: Option<Period>, unit: Option<Unit>) -> Option<u32> {
    let months = periods::months_until(last?, asked)?;
    match unit? {
        Unit::Month => Some(months),
        Unit::Quarter => (months % 3 == 0).then_some(months / 3),
        _ => None,
    }
}

/// Periods that the request names behind the last label: `July and August`, `Q2 2024`, `2026`, `week six`.
fn named(asked: &str, last: Period, step: Step, count: usize) -> Option<u32> {
    let tokens: Vec<&str> = asked
        .split(|c: char| c.is_whitespace() || ",;?!()".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let (mut ahead, mut again) = (None, None);
    let mut counted: Option<&str> = None;
    for at in 0..tokens.len() {
        let one = tokens.get(at).copied().unwrap_or_default();
        // `measured every Sunday`, `begins on a Monday`: a habit, and no day ahead.
        let lead = at.checked_sub(1).and_then(|at| tokens.get(at)).map(|word| word.to_lowercase()).unwrap_or_default();
        if ["every", "each", "a", "per", "jeden", "chaque", "cada"].contains(&lead.as_str()) {
            continue;
        }
        let two = tokens.get(at + 1).map(|next| format!("{one} {next}"));
        let three = tokens.get(at + 1).zip(tokens.get(at + 2)).map(|(b, c)| format!("{one} {b} {c}"));
        let spelled = tokens.get(at + 1).and_then(|next| number_words::cardinal(next)).map(|n| format!("{one} {n}"));
        // `week 7 and 8`: the second number is a week as well.
        let number = one.bytes().all(|byte| byte.is_ascii_digit());
        if Unit::of(one).is_some() {
            counted = Some(one);
        } else if !number && !["and", "to", "und", "or"].contains(&one.to_lowercase().as_str()) {
            counted = None;
        }
        let again_unit = counted.filter(|_| number).map(|unit| format!("{unit} {one}"));
        let whole_year = horizon_parts::year_ahead(&tokens, at, last, step);
        ahead = ahead.max(whole_year);
        let all = three
            .iter()
            .chain(spelled.iter())
            .chain(two.iter())
            .chain(again_unit.iter())
            .map(String::as_str)
            .chain([one]);
        let found = all.filter(|label| plausible(label, last)).find_map(|label| {
            let period = periods::read(label, None)?;
            steps_to(last, period, step)
        });
        // `With the right May, what will August be?`: May is one of the values.
        let given = found.is_some_and(|steps| cycle(last).is_some_and(|cycle| steps as usize + count > cycle));
        if given { again = again.max(found) } else { ahead = ahead.max(found) }
    }
    ahead.or(again)
}

/// After how many steps names come again that stand without a year.
fn cycle(period: Period) -> Option<usize> {
    match period {
        Period::Month(None, _) => Some(12),
        Period::Quarter(None, _) => Some(4),
        Period::Weekday(_) => Some(7),
        _ => None,
    }
}

/// `may` and bare numbers name no period; a number does behind `week`, `day` and so on.
fn plausible(label: &str, last: Period) -> bool {
    let first = label.split_whitespace().next().unwrap_or_default();
    match last {
        Period::Number(_) => Unit::of(first).is_some() && label.contains(' '),
        Period::Year(_) => label.len() == 4,
        _ => {
            first != "may" && first != "mar" && first != "set" && first != "dom" && label != "sun" && label != "second"
        }
    }
}

/// How many steps lie between the last label and a named period.
fn steps_to(last: Period, target: Period, step: Step) -> Option<u32> {
    let (last, target) = same_kind(last, target)?;
    let mut at = last;
    (1..=MOST)
        .find(|_| {
            let Some(next) = periods::following(at, step) else { return false };
            at = next;
            matches(at, target)
        })
        .filter(|steps| !(cyclic(target) && *steps > 12))
}

fn cyclic(period: Period) -> bool {
    matches!(period, Period::Month(None, _) | Period::Quarter(None, _) | Period::Weekday(_) | Period::Time(_))
}

fn same_kind(last: Period, target: Period) -> Option<(Period, Period)> {
    use Period::{Day, Month, Number, Quarter, Time, Week, Weekday, Year};
    match (last, target) {
        (Month(None, _), Month(Some(_), month)) => Some((last, Month(None, month))),
        (Quarter(None, _), Quarter(Some(_), quarter)) => Some((last, Quarter(None, quarter))),
        (Month(..), Month(..))
        | (Quarter(..), Quarter(..))
        | (Day(_), Day(_) | Month(..) | Weekday(_))
        | (Weekday(_), Weekday(_))
        | (Time(_), Time(_))
        | (Year(_), Year(_))
        | (Number(_), Number(_))
        | (Week(..), Week(..)) => Some((last, target)),
        _ => None,
    }
}

fn matches(at: Period, target: Period) -> bool {
    use Period::{Day, Month, Quarter, Weekday};
    match (at, target) {
        (Month(_, a), Month(None, b)) => a == b,
        (Quarter(_, a), Quarter(None, b)) => a == b,
        (Day(date), Weekday(day)) => date.weekday() == day,
        (Day(date), Month(year, month)) => date.month == month && year.is_none_or(|year| year == date.year),
        _ => at == target,
    }
}

/// `next month`, `tomorrow`, `the coming year`.
fn whole_unit(words: &[String], unit: Option<Unit>) -> Option<Horizon> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let text = words.join(" ");
    if text.contains("tomorrow and the day after") || text.contains("day after tomorrow") || text.contains("übermorgen")
    {
        return Some(in_steps(2, Unit::Day, unit));
    }
    if ["tomorrow", "morgen", "demain", "mañana", "domani"].iter().any(|day| words.iter().any(|word| word == day)) {
        return Some(in_steps(1, Unit::Day, unit));
    }
    for at in 0..words.len() {
        let next = NEXT.contains(&word(at)) || (word(at) == "one" && AHEAD.contains(&word(at + 2)));
        let before = at > 0 && NEXT.contains(&word(at));
        if !(next || before) {
            continue;
        }
        let skip = usize::from(["full", "working", "business", "calendar", "whole", "school"].contains(&word(at + 1)));
        if let Some(asked) = Unit::of(word(at + 1 + skip)) {
            return Some(in_steps(1, asked, unit));
        }
        // `le mois prochain`, `el mes siguiente`
        if let Some(asked) = at.checked_sub(1).and_then(|at| Unit::of(word(at))) {
            return Some(in_steps(1, asked, unit));
        }
    }
    None
}

/// `until our lease ends`, `as far as possible`: an end, but none that can be counted.
fn open_end(words: &[String]) -> bool {
    let text = format!(" {} ", words.join(" "));
    const OPEN: [&str; 16] = [
        " until ",
        " till ",
        " up to the ",
        " up until ",
        " through the end of the ",
        " by the time ",
        " as far ",
        " long term ",
        " long run ",
        " foreseeable ",
        " for as long ",
        " forever ",
        " bis zum ",
        " jusqu ",
        " hasta ",
        " for a while ",
    ];
    OPEN.iter().any(|open| text.contains(open))
}

#[cfg(test)]
#[path = "horizon_tests.rs"]
mod tests;
