//! The closed list of commands in words.

use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::form::{self, Draft};
use agent_common::lexer::{Kind, Token};
use agent_common::sequence::{self, Sequence};
use agent_common::slots::{self, Common};
use agent_common::time_unit::Unit;
use agent_common::{material, number_columns};
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::input::{Input, Series};
use crate::periods::{self, Period};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`forecast the next 3 months`, `forecast until December 2024`, `when will we reach 3,000`, `total for \
    Q3 2024`, each followed by the numbers";

/// The slots: periods, units and the columns of the table.
struct Words {
    columns: Vec<String>,
}

impl Slots for Words {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let first = |length: usize| {
            let words = tokens.get(..length)?;
            let plain = words.iter().all(|token| matches!(token.kind, Kind::Word | Kind::Number) || token.text == ",");
            plain
                .then(|| words.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ").replace(" ,", ","))
        };
        let named = |lengths: &[usize], read: &dyn Fn(&str) -> bool| {
            let one = |length: &usize| first(*length).filter(|text| read(text)).map(|text| (*length, json!(text)));
            lengths.iter().filter_map(one).collect::<Vec<_>>()
        };
        let adverb = |text: &str| text.ends_with("ly") && periods::unit(text).is_some();
        let steps = |text: &str| {
            let lower = text.to_lowercase();
            let own = matches!(lower.trim_end_matches('s'), "step" | "point" | "value" | "period");
            own || (periods::unit(text).is_some() && !lower.ends_with("ly") && lower != "annual")
        };
        match kind {
            "period" => named(&[4, 3, 2, 1], &is_period),
            "unit" => named(&[2, 1], &steps),
            "adverb" => named(&[1], &adverb),
            "column" => slots::longest(&self.columns, tokens),
            _ => Common.read(kind, tokens),
        }
    }
}

/// Whether a text is a period that a command can name; a plain number is none, except a year.
fn is_period(text: &str) -> bool {
    let counted = text.split_once(' ').is_some_and(|(name, number)| {
        let name = name.to_lowercase();
        matches!(name.as_str(), "week" | "day" | "hour") && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    match periods::wanted(text, "") {
        Ok(Period::Number(_)) => counted,
        Ok(Period::Year(year)) => (1900..=2100).contains(&year) && text.len() == 4,
        Ok(Period::Time(_)) | Err(_) => false,
        Ok(_) => !text.ends_with(','),
    }
}

/// Reads a task in words.
///
/// # Errors
/// A table that is no series.
pub fn draft(task: &str) -> Result<Draft<Input>, Error> {
    let grammar = Grammar::new(COMMANDS);
    let tables = material::tables(task)?.tables;
    let columns = tables.iter().flat_map(|table| table.columns.clone()).collect();
    let words = Words { columns };
    let read = sequence::read(task, &grammar, &words)?;
    let mut series = read.series;
    if series.is_empty() {
        let inside = |found: &Match| Sequence { values: found.numbers("values"), ..Sequence::default() };
        series.extend(read.reading.all("list").map(inside));
    }
    let question = form::unread(&read.reading.unread, SHOWN)
        .or_else(|| {
            series.is_empty().then(|| {
                "which numbers? Give at least 4 in order of time behind the command, as a list or a table".into()
            })
        })
        .or_else(|| ambiguous(task))
        .or_else(|| conflict(&read.reading));
    let chosen: Vec<String> = read.reading.all("column").map(|found| found.text("column")).collect();
    if !chosen.is_empty() {
        series.retain(|one| one.name.as_ref().is_some_and(|name| chosen.contains(name)));
    }
    let mut form = options(&read.reading);
    let missing = chosen.len() > series.len();
    set_series(&mut form, series);
    let question = question
        .or_else(|| {
            missing.then(|| "a column that the command names has no numbers; which column is the series?".into())
        })
        .or_else(|| steps(&read.reading, &mut form).err());
    Ok(Draft { form, question })
}

fn set_series(form: &mut Input, mut series: Vec<Sequence>) {
    let known = |values: Vec<f64>| values.into_iter().map(Some).collect::<Vec<Option<f64>>>();
    if series.len() == 1 && series.iter().all(|one| one.name.is_none()) {
        let one = series.remove(0);
        form.values = Some(known(one.values));
        form.labels = (!one.labels.is_empty()).then_some(one.labels);
    } else if !series.is_empty() {
        let named = |one: Sequence| Series { name: one.name, values: known(one.values), labels: one.labels };
        form.several = Some(series.into_iter().map(named).collect());
    }
}

/// Returns the question about a number whose decimal sign is not clear.
fn ambiguous(task: &str) -> Option<String> {
    let pieces: Vec<&str> = task.split([' ', '\n', '\t', ';', '|', ',']).filter(|piece| !piece.is_empty()).collect();
    let points: Vec<&str> = pieces.into_iter().filter(|piece| piece.contains('.')).collect();
    let cell = number_columns::ambiguous(&points)?;
    Some(format!("is `{cell}` a number with three decimals or with thousands? Write thousands without a sign"))
}

fn options(reading: &Reading) -> Input {
    let first = |name: &str| reading.found.iter().find(|found| found.clause == name);
    let number = |name: &str| first(name).and_then(|found| found.text("n").parse().ok());
    let texts = |name: &str, slot: &str| reading.all(name).map(|found| found.text(slot)).collect::<Vec<String>>();
    let ignored: Vec<String> = reading
        .all("ignore")
        .map(|found| found.count("n").map_or_else(|| found.text("label"), |position| position.to_string()))
        .collect();
    let mut totals = texts("total", "label");
    totals.extend(first("sum").map(|_| "all".to_owned()));
    let keep = first("keep").is_some() || !ignored.is_empty();
    Input {
        target: number("target"),
        totals: (!totals.is_empty()).then_some(totals),
        ignore: keep.then_some(ignored),
        period: first("season").and_then(|found| found.count("n")).or_else(|| first("noseason").map(|_| 1)),
        minimum: number("minimum").or_else(|| first("nonnegative").map(|_| 0.0)),
        maximum: number("maximum"),
        start: first("start").map(|found| found.text("label")),
        frequency: first("frequency").map(|found| found.text("every")),
        ..Input::default()
    }
}

/// Sets how far to look, in steps of the series.
fn steps(reading: &Reading, form: &mut Input) -> Result<(), String> {
    let labels: Vec<String> = form.all().first().map(|series| series.labels.clone()).unwrap_or_default();
    let borrowed: Vec<&str> = labels.iter().map(String::as_str).collect();
    let mut unit = if labels.is_empty() {
        form.frequency.as_deref().and_then(periods::unit)
    } else {
        periods::even(&borrowed).map_err(|error| error.message().to_owned())?
    };
    let by_count = reading.all("next").chain(reading.all("ahead")).map(|found| (found, found.count("n")));
    let mut counted: Vec<(&Match, Option<u32>)> = by_count.collect();
    counted.extend(reading.all("one").map(|found| (found, None)));
    if let Some((found, n)) = counted.first() {
        let named = periods::unit(&found.text("unit"));
        if unit.is_none() && form.start.is_none() && labels.is_empty() {
            unit = named;
            form.frequency = named.map(|unit| unit.name().to_owned());
        }
        let size = match named {
            Some(named) => size_of(named, unit)?,
            None => 1,
        };
        if n.is_none() && size > 1 {
            return Err(
                "from which period to which? Give the last one (`until December 2024`) or a number of steps".into()
            );
        }
        form.horizon = Some(n.unwrap_or(1).saturating_mul(size));
    }
    if let Some(found) = reading.all("until").next() {
        form.until = Some(found.text("last"));
    }
    if let Some(found) = reading.all("range").next() {
        (form.from, form.until) = (Some(found.text("first")), Some(found.text("last")));
    }
    let at: Vec<String> = reading.all("at").map(|found| found.text("at")).collect();
    if let (Some(first), Some(last)) = (at.first(), at.last()) {
        (form.from, form.until) = (Some(first.clone()), Some(last.clone()));
        in_a_row(&at, &borrowed)?;
    }
    if reading.all("restofyear").next().is_some() {
        form.until = Some(end_of_year(&borrowed).ok_or("which is the last period? Give it as `until December 2024`")?);
    }
    if form.horizon.is_none() && form.until.is_none() && form.target.is_none() && form.totals.is_none() {
        form.horizon = Some(1);
    }
    Ok(())
}

/// Returns how many steps of the series one unit has.
fn size_of(named: Unit, unit: Option<Unit>) -> Result<u32, String> {
    let exact = |unit: Unit| {
        let fixed = matches!(
            (unit, named),
            (Unit::Minute, Unit::Hour)
                | (Unit::Hour, Unit::Day | Unit::Week)
                | (Unit::Day | Unit::WorkingDay, Unit::Week)
                | (Unit::Month, Unit::Quarter | Unit::Year)
                | (Unit::Quarter, Unit::Year)
        );
        if unit == named { Some(1) } else { unit.steps_in(named).filter(|_| fixed) }
    };
    unit.and_then(exact).ok_or_else(|| {
        let known = unit.map_or("without labels".to_owned(), |unit| format!("one {} apart", unit.name()));
        format!("the values are {known}: how many steps are the {}? Say `next 3 steps`", named.plural())
    })
}

/// Checks that periods follow each other without a gap.
fn in_a_row(at: &[String], labels: &[&str]) -> Result<(), String> {
    let future = periods::future(labels, 400);
    let place = |label: &String| {
        let wanted = periods::wanted(label, "").ok()?;
        future.iter().position(|(_, step)| periods::inside(*step, wanted))
    };
    let places: Vec<Option<usize>> = at.iter().map(place).collect();
    let next = |pair: &[Option<usize>]| matches!(pair, [Some(a), Some(b)] if *b == a + 1);
    let fine = places.len() < 2 || places.windows(2).all(next);
    fine.then_some(())
        .ok_or_else(|| "the periods do not follow each other; give the first and the last, as `May to August`".into())
}

/// Returns the label of the last step in the year of the last value.
fn end_of_year(labels: &[&str]) -> Option<String> {
    match periods::all(labels).last()? {
        Period::Month(Some(year), _) => Some(format!("{year}-12")),
        Period::Month(None, _) => Some("December".to_owned()),
        Period::Quarter(Some(year), _) => Some(format!("Q4 {year}")),
        Period::Quarter(None, _) => Some("Q4".to_owned()),
        Period::Day(date) => Some(date.year.to_string()),
        _ => None,
    }
}

/// Returns the question about clauses that contradict each other.
fn conflict(reading: &Reading) -> Option<String> {
    let names =
        ["target", "season", "minimum", "maximum", "start", "frequency", "until", "range", "next", "ahead", "one"];
    let twice = names.iter().find_map(|name| reading.one(name).err());
    let has = |name: &str| usize::from(reading.all(name).next().is_some());
    let ends: usize = ["next", "ahead", "one", "until", "range", "at", "restofyear"].into_iter().map(has).sum();
    let season = has("season") + has("noseason");
    let least = has("minimum") + has("nonnegative");
    let text = "two clauses contradict each other; how far should the forecast go, and with which season and limits?";
    twice.or_else(|| (ends > 1 || season > 1 || least > 1).then(|| text.to_owned()))
}

#[cfg(test)]
mod tests {
    use agent_common::command;

    use super::*;
    use crate::plan;

    fn read(task: &str) -> Result<String, String> {
        let draft = draft(task).map_err(|error| error.message().to_owned())?;
        match draft.question {
            Some(question) => Err(question),
            None => {
                plan::plans(&draft.form).map_err(|error| error.message().to_owned())?;
                let form = Input { values: None, series: None, several: None, labels: None, ..draft.form };
                Ok(serde_json::to_string(&form).unwrap())
            }
        }
    }

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            assert_eq!(read(example).err(), None, "{example}");
        }
    }

    #[test]
    fn clauses_fill_the_form() {
        let months = "Jan 2024 5, Feb 2024 6, Mar 2024 7, Apr 2024 8, May 2024 9, Jun 2024 10";
        let cases = [
            ("forecast the next two months", r#"{"horizon":2}"#),
            ("Forecast the next quarter's", "error"),
            ("forecast the next 1 quarters", r#"{"horizon":3}"#),
            ("forecast the next 2 weeks", "error"),
            ("forecast for July 2024 and August 2024", r#"{"until":"August 2024","from":"July 2024"}"#),
            ("forecast July 2024 and September 2024", "error"),
            ("forecast the rest of the year and the total", r#"{"until":"2024-12","totals":["all"]}"#),
            ("when will we reach 12", r#"{"target":12.0}"#),
            ("total for Q3 2024", r#"{"totals":["Q3 2024"]}"#),
            ("forecast until August without April 2024", r#"{"until":"August","ignore":["April 2024"]}"#),
            ("forecast the next 3 months until August", "error"),
            ("forecast revenue for the next 3 months", "error"),
        ];
        for (command, expect) in cases {
            let read = read(&format!("{command}: {months}"));
            let found = read.clone().unwrap_or_else(|_| "error".into());
            assert_eq!(found, expect, "{command} {read:?}");
        }
    }

    #[test]
    fn material_that_is_not_clear_is_a_question() {
        for task in [
            "Forecast: 1.180, 1.225, 1.262, 1.310",
            "forecast the next 2 days: 01/02/2024 5, 02/02/2024 6, 03/02/2024 7, 04/02/2024 8",
            "forecast: Jan 5, Feb 6, Apr 7, May 8, Jun 9",
            "forecast\nday,sold\n2024-01-01,5\n2024-01-02,6,7\n2024-01-03,7",
            "forecast: north 5, south 6, east 7, west 8",
        ] {
            assert!(read(task).is_err(), "{task}");
        }
    }
}
