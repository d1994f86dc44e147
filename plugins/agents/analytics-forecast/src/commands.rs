//! The closed list of commands in words.

use agent_common::command::{Grammar, Reading, Slots};
use agent_common::form::Draft;
use agent_common::lexer::{Kind, Token};
use agent_common::periods::Period;
use agent_common::sequence::{self, Sequence};
use agent_common::slots::{self, Common};
use agent_common::time_unit::Unit;
use agent_common::{material, number_columns};
use serde_json::{Value, json};
use tollbridge_sdk::Error;

use crate::input::{Input, Series};
use crate::periods::{self, Calendar};

/// The published list.
pub const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`forecast the next 3 months`, `forecast until December 2024`, `when will we reach 3,000`, `total for \
    Q3 2024`, each followed by the numbers";
/// The clauses that state how far to look, of which a task has one kind.
const ENDS: [&str; 5] = ["ahead", "until", "range", "at", "restofyear"];

/// The slots: periods, units and the columns of the table.
struct Words {
    columns: Vec<String>,
}

impl Slots for Words {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let fits = match kind {
            "period" => is_period,
            "unit" => is_unit,
            "adverb" => is_adverb,
            "column" => return slots::longest(&self.columns, tokens),
            _ => return Common.read(kind, tokens),
        };
        let is_plain = |token: &&Token| matches!(token.kind, Kind::Word | Kind::Number) || token.text == ",";
        let plain: Vec<&str> = tokens.iter().take(4).take_while(is_plain).map(|token| token.text.as_str()).collect();
        let text = |length: usize| plain.get(..length).map(|words| words.join(" ").replace(" ,", ","));
        let read = |length: usize| text(length).filter(|text| fits(text)).map(|text| (length, json!(text)));
        (1..=4).rev().filter_map(read).collect()
    }
}

fn is_adverb(text: &str) -> bool {
    text.ends_with("ly") && periods::unit(text).is_some()
}

fn is_unit(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_step = matches!(lower.trim_end_matches('s'), "step" | "point" | "value" | "period");
    is_step || (periods::unit(text).is_some() && !lower.ends_with("ly") && lower != "annual")
}

/// Returns whether a text is a period that a command can name; a plain number is none, except a year.
fn is_period(text: &str) -> bool {
    let counted = || {
        let (name, number) = text.split_once(' ')?;
        let is_named = matches!(name.to_lowercase().as_str(), "week" | "day" | "hour");
        Some(is_named && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    match periods::read(text, "") {
        Ok(Period::Number(_)) => counted() == Some(true),
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
    let tables = material::tables(task)?.tables;
    let words = Words { columns: tables.into_iter().flat_map(|table| table.columns).collect() };
    let sequence::Sequences { reading, mut series } = sequence::read(task, &Grammar::new(COMMANDS), &words)?;
    let mut draft = reading.draft::<Input>(SHOWN);
    let form = &mut draft.form;
    let twice = form.values.is_some() && !series.is_empty();
    let columns: Vec<String> = reading.all("column").map(|found| found.text("column")).collect();
    if !columns.is_empty() {
        series.retain(|one| one.name.as_ref().is_some_and(|name| columns.contains(name)));
    }
    let unknown = columns.len() > series.len();
    set_series(form, series);
    let positions = reading.all("ignore").filter_map(|found| found.count("n")).map(|position| position.to_string());
    positions.for_each(|position| form.ignore.get_or_insert_default().push(position));
    let none = !form.has_series();
    let missing = "which numbers? Give at least 4 in order of time behind the command, as a list or a table";
    let problem = |is: bool, text: &str| is.then(|| text.to_owned());
    draft.question = draft
        .question
        .or_else(|| problem(unknown, "a column that the command names has no numbers; which column is the series?"))
        .or_else(|| problem(none, missing))
        .or_else(|| problem(twice, "there are numbers inside and behind the command; which are the series?"))
        .or_else(|| ambiguous(task))
        .or_else(|| set_steps(&reading, form).err());
    Ok(draft)
}

fn set_series(form: &mut Input, series: Vec<Sequence>) {
    let known = |values: Vec<f64>| values.into_iter().map(Some).collect();
    match <[Sequence; 1]>::try_from(series) {
        Ok([Sequence { name: None, values, labels }]) => {
            form.values = Some(known(values));
            form.labels = Some(labels).filter(|labels| !labels.is_empty());
        }
        other => {
            let all = other.map_or_else(|all| all, Vec::from).into_iter();
            let all = all.map(|one| Series { name: one.name, values: known(one.values), labels: one.labels });
            form.several = Some(all.collect()).filter(|all: &Vec<Series>| !all.is_empty());
        }
    }
}

/// Returns the question about a number whose decimal sign is not clear.
fn ambiguous(task: &str) -> Option<String> {
    let pieces = task.split([' ', '\n', '\t', ';', '|', ',']).filter(|piece| piece.contains('.'));
    let cell = number_columns::ambiguous(&pieces.collect::<Vec<_>>())?;
    Some(format!("is `{cell}` a number with three decimals or with thousands? Write thousands without a sign"))
}

/// Sets how far to look, in steps of the series.
fn set_steps(reading: &Reading, form: &mut Input) -> Result<(), String> {
    if ENDS.iter().filter(|name| reading.all(name).next().is_some()).count() > 1 {
        return Err("two clauses contradict each other; how far should the forecast go?".to_owned());
    }
    let message = |error: Error| error.message().to_owned();
    let labels = form.all().into_iter().next().unwrap_or_default().labels;
    let calendar = Calendar::new(&labels).map_err(message)?;
    if let Some(found) = reading.one("ahead")? {
        let named = periods::unit(&found.text("unit"));
        let stated = form.frequency.as_deref().and_then(periods::unit);
        if labels.is_empty() && form.start.is_none() && form.frequency.is_none() {
            form.frequency = named.map(|unit| unit.name().to_owned());
        }
        let unit = if labels.is_empty() { stated.or(named.filter(|_| form.start.is_none())) } else { calendar.unit };
        let size = named.map_or(Ok(1), |named| size_of(named, unit))?;
        let n = found.count("n");
        if n.is_none() && size > 1 {
            let text = "from which period to which? Give the last one (`until December 2024`) or a number of steps";
            return Err(text.to_owned());
        }
        form.horizon = Some(n.unwrap_or(1).saturating_mul(size));
    }
    let at: Vec<String> = reading.all("at").map(|found| found.text("at")).collect();
    if let (Some(first), Some(last)) = (at.first(), at.last()) {
        (form.from, form.until) = (Some(first.clone()), Some(last.clone()));
        let steps: Vec<_> = at.iter().map(|label| calendar.steps_in(label, "").ok()).collect();
        let is_next = |pair: &[_]| matches!(pair, [Some((_, end)), Some((start, _))] if end + 1 == *start);
        if !steps.windows(2).all(is_next) {
            return Err("the periods do not follow each other; give the first and the last, as `May to August`".into());
        }
    }
    if reading.all("restofyear").next().is_some() {
        let end = end_of_year(&calendar).ok_or("which is the last period? Give it as `until December 2024`")?;
        form.until = Some(end);
    }
    if form.horizon.is_none() && form.until.is_none() && form.target.is_none() && form.totals.is_none() {
        form.horizon = Some(1);
    }
    Ok(())
}

/// Returns how many steps of the series one unit has.
fn size_of(named: Unit, unit: Option<Unit>) -> Result<u32, String> {
    let size = unit.and_then(|unit| {
        let varies = named == Unit::Month || unit == Unit::Week || (unit, named) == (Unit::WorkingDay, Unit::Day);
        unit.steps_in(named).filter(|_| unit == named || !varies)
    });
    size.ok_or_else(|| {
        let known = unit.map_or("without labels".to_owned(), |unit| format!("one {} apart", unit.name()));
        format!("the values are {known}: how many steps are the {}? Say `next 3 steps`", named.plural())
    })
}

/// Returns the label of the last step in the year of the last value.
fn end_of_year(calendar: &Calendar) -> Option<String> {
    match calendar.past.last()? {
        Period::Month(Some(year), _) => Some(format!("{year}-12")),
        Period::Month(None, _) => Some("December".to_owned()),
        Period::Quarter(Some(year), _) => Some(format!("Q4 {year}")),
        Period::Quarter(None, _) => Some("Q4".to_owned()),
        Period::Day(date) => Some(date.year.to_string()),
        _ => None,
    }
}
