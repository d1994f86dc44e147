//! The closed list of commands in words.

use agent_common::cells::{self, DayOrder, DecimalSign, Notation};
use agent_common::columns;
use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::condition::{Comparison, Condition, Scalar};
use agent_common::expression;
use agent_common::form::{self, Draft};
use agent_common::lexer::Token;
use agent_common::material::Tables;
use agent_common::measures::{self, Deduplicate, Figure, Keep, Measure, Pivot};
use agent_common::merging::Named;
use agent_common::quantity::Style;
use agent_common::relations::JoinKind;
use agent_common::table::Table;
use agent_common::table_slots::TableSlots;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answer::is_partial;
use crate::input::{Input, Join, Sort};

/// The published list.
const COMMANDS: &str = include_str!("../commands.md");
/// What a refusal shows of it.
const SHOWN: &str = "`sum of amount by region where status is paid, highest first`, `number of rows per month`, `remove \
    duplicates by email`, `compare the tables by sku`, each with the table above or below";

/// The words of measures.
const MEASURES: [(Measure, &str); 5] = [
    (Measure::Sum, "sum|total|sum total|sum up|add up|totals"),
    (Measure::Mean, "average|mean|avg|averages"),
    (Measure::Median, "median"),
    (Measure::Min, "minimum|min|lowest|smallest|earliest"),
    (Measure::Max, "maximum|max|highest|largest|latest"),
];
const DOWN: &str = "descending|desc|in descending order|highest first|largest first|biggest first|most first|newest first|\
    latest first|from high to low|from highest to lowest|from largest to smallest";
const UP: &str = "ascending|asc|in ascending order|lowest first|smallest first|least first|oldest first|earliest first|from \
    low to high|from lowest to highest|alphabetically";
const JOINS: &str = "join|inner join|left join|full join";

/// The slots of tables, and those of this agent.
struct Words<'t>(TableSlots<'t>);

impl Slots for Words<'_> {
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
        let names = self.0.names();
        let known = |all: &'static str| longest(all, tokens);
        match kind {
            "measures" => {
                let (mut at, mut found, mut all) = (0, Vec::new(), Vec::new());
                while let Some(rest) = tokens.get(at..) {
                    let of = |(measure, words): &(Measure, &str)| Some((longest(words, rest)?.0, *measure));
                    let Some((length, measure)) = MEASURES.iter().find_map(of) else { break };
                    // A column such as `total price` could be meant.
                    if expression::column(rest, &names).iter().any(|(words, _)| *words > length) {
                        break;
                    }
                    all.push(json!(measure));
                    at += length;
                    found.push((at, json!(all)));
                    let glue = tokens.get(at..).into_iter().flatten().take(2);
                    at += glue.take_while(|token| matches!(token.lower.as_str(), "," | "and" | "the")).count();
                }
                found.reverse();
                found
            }
            "direction" => {
                let both = known(DOWN).map(|(length, _)| (length, json!(true)));
                both.or_else(|| known(UP).map(|(length, _)| (length, json!(false)))).into_iter().collect()
            }
            "joinword" => known(JOINS).map(|(length, text)| (length, json!(text))).into_iter().collect(),
            _ => self.0.read(kind, tokens),
        }
    }
}

/// Returns the longest phrase of a list that the tokens begin with, and its length.
fn longest<'p>(all: &'p str, tokens: &[Token]) -> Option<(usize, &'p str)> {
    let spoken = |phrase: &str| {
        let words: Vec<&str> = phrase.split_whitespace().collect();
        let here = tokens.get(..words.len())?;
        here.iter().map(|token| token.lower.as_str()).eq(words.iter().copied()).then_some(words.len())
    };
    all.split('|').filter_map(|phrase| Some((spoken(phrase)?, phrase))).max()
}

/// Returns whether every word of a command is understood.
pub fn is_complete(split: &Tables) -> bool {
    let reading = Grammar::new(COMMANDS).read(&split.command, &Words(TableSlots::new(&split.tables)));
    reading.unread.is_empty() && !reading.found.is_empty()
}

/// Reads a command in words about tables.
pub fn draft(command: &str, named: &[Named]) -> Draft<Input> {
    let tables: Vec<Table> = named.iter().map(|(_, table)| table.clone()).collect();
    let slots = TableSlots::new(&tables);
    let reading = Grammar::new(COMMANDS).read(command, &Words(slots));
    let mut form = form_of(&reading);
    let has = |name: &str| reading.all(name).next().is_some();
    if has("append") && !form.is_query() {
        form.columns = Some(slots.names());
    }
    if has("merge") && form.is_query() && form.key.is_none() {
        form.deduplicate.get_or_insert_default();
    }
    let none = "which tables? Give one or more, with headers and a row on each line";
    let question = tables
        .is_empty()
        .then(|| none.to_owned())
        .or_else(|| form::unread(&reading.unread, SHOWN))
        .or_else(|| conflict(&reading))
        .or_else(|| slots.ambiguous(command))
        .or_else(|| doubt(&reading, &form, named, &slots));
    Draft { form, question }
}

fn value<T: DeserializeOwned>(found: &Match, slot: &str) -> Option<T> {
    serde_json::from_value(found.value(slot)?.clone()).ok()
}

/// Returns the figures of one clause.
fn figures(found: &Match) -> Vec<Figure> {
    let text = |slot: &str| found.value(slot).and_then(Value::as_str).map(str::to_owned);
    let (what, over) = (text("what"), text("over"));
    let one = |measure: Measure| Figure { measure, of: what.clone(), over: over.clone(), ..Figure::default() };
    match found.clause.as_str() {
        "figure" | "topof" | "most" | "least" => {
            let whats: Vec<String> = value(found, "what").unwrap_or_else(|| what.clone().into_iter().collect());
            let measures: Vec<Measure> = value(found, "measures").unwrap_or_default();
            let of = |what: &String| {
                measures.iter().map(|m| Figure { of: Some(what.clone()), ..one(*m) }).collect::<Vec<_>>()
            };
            whats.iter().flat_map(of).collect()
        }
        "count" | "mostrows" => vec![one(Measure::Count)],
        "distinct" => vec![one(Measure::Distinct)],
        "share" => vec![one(Measure::Share)],
        "shareof" => vec![Figure { conditions: value(found, "filter"), ..one(Measure::Share) }],
        "ratio" => vec![one(Measure::Ratio)],
        "percentage" => vec![one(Measure::Percentage)],
        "weighted" => {
            let quoted = |slot: &str| expression::Expression::Column(found.text(slot));
            let product = expression::Expression::Both(Box::new(quoted("what")), '*', Box::new(quoted("weight")));
            let name = Some(format!("mean of {} weighted by {}", found.text("what"), found.text("weight")));
            vec![Figure { of: Some(product.text()), over: text("weight"), name, ..one(Measure::Ratio) }]
        }
        "pivotvalues" => vec![one(Measure::Only)],
        _ => Vec::new(),
    }
}

fn form_of(reading: &Reading) -> Input {
    let has = |name: &str| reading.all(name).next().is_some();
    let first =
        |name: &str, slot: &str| reading.all(name).next().map(|found| found.text(slot)).filter(|t| !t.is_empty());
    let (mut all, conditions) = asks(reading);
    if has("pivot") && all.len() > 1 {
        all.retain(|figure| figure.measure != Measure::Only);
    }
    let keys: Vec<String> = reading
        .found
        .iter()
        .filter(|found| matches!(found.clause.as_str(), "group" | "topof" | "most" | "least" | "mostrows"))
        .flat_map(|found| {
            value::<Vec<String>>(found, "keys").unwrap_or_else(|| value(found, "keys").into_iter().collect())
        })
        .collect();
    let lowest = has("bottom") || has("least") || has("lowest");
    let highest = has("top") || has("topof") || has("toprows") || has("most") || has("mostrows") || has("highest");
    let column = ["sort", "toprows", "highest", "lowest"].into_iter().find_map(|name| first(name, "by"));
    let down = ["direction", "sort"]
        .into_iter()
        .flat_map(|name| reading.all(name))
        .find_map(|found| found.value("down")?.as_bool());
    let figure = all.first().map(measures::name).filter(|_| !has("pivot"));
    let sorted = highest || lowest || down.is_some() || has("sort");
    // Groups are sorted by the figure of a column.
    let of = |by: String| {
        let mut own = all.iter().filter(|figure| figure.of.as_ref() == Some(&by) && !keys.contains(&by));
        own.next().filter(|_| own.next().is_none()).map_or(by.clone(), measures::name)
    };
    let by = column.map(of).or(figure).filter(|_| sorted);
    let count = ["top", "bottom", "first", "topof", "toprows"]
        .into_iter()
        .flat_map(|name| reading.all(name))
        .find_map(|found| found.count("n"));
    let one = ["most", "least", "mostrows", "highest", "lowest"].into_iter().any(has).then_some(1);
    let notation = notation(reading);
    let pivot = Pivot {
        rows: first("pivotrows", "key").unwrap_or_default(),
        columns: first("pivotcolumns", "key").unwrap_or_default(),
    };
    let some = |list: Vec<String>| (!list.is_empty()).then_some(list);
    Input {
        group_by: some(keys),
        key: first("merge", "key"),
        figures: (!all.is_empty()).then_some(all),
        conditions: (!conditions.is_empty()).then_some(conditions),
        sort: by.map(|by| vec![Sort { by, descending: highest || (!lowest && down.unwrap_or(false)) }]),
        top: count.or(one),
        deduplicate: deduplicate(reading),
        join: reading.all("join").next().map(|found| Join {
            on: found.text("left"),
            with: Some(found.text("right")).filter(|text| !text.is_empty()),
            kind: [("inner join", JoinKind::Inner), ("left join", JoinKind::Left), ("full join", JoinKind::Full)]
                .into_iter()
                .find_map(|(word, kind)| (found.text("kind") == word).then_some(kind)),
        }),
        compare: reading.all("compare").next().map(|found| found.texts("keys")),
        pivot: has("pivot").then_some(pivot),
        columns: reading.all("columns").next().map(|found| found.texts("columns")),
        notation: (notation != Notation::default()).then_some(notation),
        ..Input::default()
    }
}

/// Returns the figures and the conditions for all of them.
fn asks(reading: &Reading) -> (Vec<Figure>, Vec<Condition>) {
    let (mut all, mut conditions): (Vec<Figure>, Vec<Condition>) = (Vec::new(), Vec::new());
    let own = owned(reading) == Some(true);
    for found in &reading.found {
        let filters: Vec<Condition> =
            value(found, if found.clause == "period" { "when" } else { "filter" }).unwrap_or_default();
        match found.clause.as_str() {
            "where" if own => {
                if let Some(last) = all.last_mut() {
                    last.conditions = Some(filters);
                }
            }
            "where" | "only" | "period" => conditions.extend(filters),
            "without" => conditions
                .extend(filters.into_iter().map(|one| Condition { is: one.is.negated().unwrap_or(one.is), ..one })),
            _ => all.extend(figures(found)),
        }
    }
    if let Some(percent) = reading.all("plus").find_map(|found| found.text("p").parse().ok()) {
        all.extend(all.clone().into_iter().map(|figure| Figure { plus_percent: Some(percent), ..figure }));
    }
    (all, conditions)
}

fn notation(reading: &Reading) -> Notation {
    let has = |name: &str| reading.all(name).next().is_some();
    let order =
        if has("dayfirst") { Some(DayOrder::DayFirst) } else { has("monthfirst").then_some(DayOrder::MonthFirst) };
    let decimal = if has("comma") { Some(DecimalSign::Comma) } else { has("point").then_some(DecimalSign::Point) };
    Notation { decimal, dates: order }
}

fn deduplicate(reading: &Reading) -> Option<Deduplicate> {
    let has = |name: &str| reading.all(name).next().is_some();
    let per = reading.all("newestper").next();
    let of = per.or_else(|| reading.all("newest").next()).map(|found| found.text("by"));
    let by = per
        .map(|found| vec![found.text("keys")])
        .or_else(|| reading.all("dedupeby").next().map(|found| found.texts("keys")));
    let keep = if of.is_some() { Some(Keep::Highest) } else { has("keeplast").then_some(Keep::Last) };
    (has("dedupe") || by.is_some()).then_some(Deduplicate { by, keep, of })
}

/// Returns whether each condition belongs to the figure before it; none if that is unclear.
fn owned(reading: &Reading) -> Option<bool> {
    let order: String = reading
        .found
        .iter()
        .filter_map(|found| match found.clause.as_str() {
            "where" => Some('w'),
            _ => (!figures(found).is_empty()).then_some('f'),
        })
        .collect();
    let wheres = order.matches('w').count();
    if wheres == 0 || order.matches('f').count() < 2 || !order.trim_start_matches('w').contains('w') {
        return Some(false);
    }
    (order.replace("fw", "").is_empty()).then_some(true)
}

/// Returns the question about clauses that contradict or need each other.
fn conflict(reading: &Reading) -> Option<String> {
    let count = |names: &[&str]| reading.found.iter().filter(|found| names.contains(&found.clause.as_str())).count();
    let single = [
        "plus",
        "sort",
        "direction",
        "top",
        "bottom",
        "first",
        "join",
        "merge",
        "append",
        "compare",
        "columns",
        "newest",
        "pivotrows",
        "pivotcolumns",
        "pivotvalues",
        "dedupeby",
    ];
    let exclusive: [&[&str]; 7] = [
        &["top", "bottom", "first", "topof", "toprows", "most", "least", "mostrows", "highest", "lowest"],
        &["join", "merge", "append", "compare"],
        &["keepfirst", "keeplast", "newest", "newestper"],
        &["comma", "point"],
        &["dayfirst", "monthfirst"],
        &["rows", "toprows", "highest", "lowest", "figure", "count"],
        &["compare", "group", "pivot"],
    ];
    let leaves_out = |one: &Condition| {
        use Comparison::{Contains, Empty, Equal, NotEmpty, OneOf};
        matches!(one.is, Equal | OneOf | Contains | Empty | NotEmpty)
    };
    let left_out = reading.all("without").filter_map(|found| value::<Vec<Condition>>(found, "filter")).flatten();
    let upwards = reading.all("direction").any(|found| found.value("down") == Some(&json!(false)));
    let kept = count(&["keepfirst", "keeplast", "newest"]) > 0 && count(&["dedupe", "dedupeby"]) == 0;
    let pivot = [count(&["pivot"]), count(&["pivotrows"]), count(&["pivotcolumns"])];
    let text = if (upwards && count(&["top", "topof", "toprows"]) > 0)
        || exclusive.iter().any(|names| names.iter().filter(|name| count(&[name]) > 0).count() > 1)
    {
        "two clauses contradict each other; which one applies?"
    } else if !left_out.into_iter().all(|one| leaves_out(&one)) {
        "which rows should be kept? Say it with `only` in place of `without`"
    } else if owned(reading).is_none() {
        "to which figures do the conditions apply? Put conditions for all of them first, or after `only`"
    } else if kept {
        "which rows are repeated? Say `remove duplicates by` and the columns"
    } else if pivot.iter().any(|n| *n > 0) && (pivot != [1, 1, 1] || count(&["group"]) > 0) {
        "a cross table needs `pivot`, `one row per` and `one column per`; which columns?"
    } else {
        return single.iter().find_map(|name| reading.one(name).err());
    };
    Some(text.to_owned())
}

/// Returns the question about an input that does not fit its tables.
fn doubt(reading: &Reading, form: &Input, named: &[Named], slots: &TableSlots<'_>) -> Option<String> {
    let has = |name: &str| reading.all(name).next().is_some();
    if named.iter().any(|(_, table)| table.headless) {
        return Some("what are the columns? Name them in the first line of the table".into());
    }
    if named.iter().any(|(_, table)| (0..table.rows.len()).any(|row| table.is_total(row))) {
        return Some("the table has a row with a total; should it be left out? Remove it from the table".into());
    }
    if named.len() > 1 && !["join", "merge", "append", "compare"].into_iter().any(has) {
        return Some("how do the tables belong together: join on a column, compare by a key, merge, or append?".into());
    }
    if !form.is_query() && !has("merge") {
        return Some("what should be computed? Name a figure such as `sum of` and a column".into());
    }
    let sorted_by_nothing = form.sort.is_none() && (has("direction") || has("top") || has("bottom"));
    if sorted_by_nothing {
        return Some("by which column should be sorted?".into());
    }
    if form.figures.iter().flatten().any(|figure| figure.measure == Measure::Share && figure.conditions.is_none())
        && form.group_by.is_none()
    {
        return Some("the share of which groups? Add `by` and a column".into());
    }
    if is_partial(named, form) && reading.all("join").any(|found| found.text("kind") == "join") {
        return Some("some rows have no partner: `inner join` (leave them out), `left join` or `full join`?".into());
    }
    let figures = form.figures.iter().flatten();
    let conditions = figures.clone().filter_map(|figure| figure.conditions.as_ref()).chain(&form.conditions).flatten();
    if let Some(missing) = conditions.clone().find_map(|condition| absent(condition, slots)) {
        return Some(missing);
    }
    let distinct = figures.filter(|figure| figure.measure == Measure::Distinct).filter_map(|figure| figure.of.as_ref());
    let keys =
        form.group_by.iter().flatten().chain(form.deduplicate.iter().filter_map(|ask| ask.by.as_ref()).flatten());
    keys.chain(distinct).find_map(|name| spellings(&slots.cells(name), name))
}

/// Returns the question about a value that no cell of its column has.
fn absent(condition: &Condition, slots: &TableSlots<'_>) -> Option<String> {
    let equal =
        matches!(condition.is, Comparison::Equal | Comparison::NotEqual | Comparison::OneOf | Comparison::NoneOf);
    let cells = slots.cells(&condition.column);
    let texts = condition.value.iter().chain(condition.values.iter().flatten());
    let mut texts = texts.filter_map(|value| if let Scalar::Text(text) = value { Some(text) } else { None });
    let known = |text: &String| cells.iter().any(|cell| columns::fold(cell) == columns::fold(text));
    let missing = texts
        .find(|text| equal && !cells.is_empty() && !known(text) && !text.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(format!("no cell of the column `{}` is `{missing}`; which value is meant?", condition.column))
}

/// Returns the question about two cells that differ only in case, accents or spaces.
fn spellings(all: &[&str], name: &str) -> Option<String> {
    let bare = |cell: &str| {
        let number = cells::number(cell, Style::Point).map(|(number, unit)| format!("{} {unit}", number.text()));
        number.unwrap_or_else(|| columns::fold(cell).split_whitespace().collect())
    };
    let mut known = std::collections::BTreeMap::new();
    let twice = all
        .iter()
        .find_map(|cell| known.insert(bare(cell), *cell).filter(|other| other != cell).map(|other| (other, *cell)))?;
    Some(format!("are `{}` and `{}` in the column `{name}` the same? Write them in one way", twice.0, twice.1))
}

#[cfg(test)]
mod tests {
    use agent_common::{command, table_slots};

    use super::*;
    use crate::answer::answer;

    /// Returns the question or the summary of a task.
    fn told(task: &str) -> String {
        let split = match table_slots::split(task, is_complete) {
            Ok(split) => split,
            Err(error) => return error.message().to_owned(),
        };
        let name = |(at, table): (usize, Table)| (format!("t{at}"), table);
        let tables: Vec<Named> = split.tables.into_iter().enumerate().map(name).collect();
        let draft = draft(&split.command, &tables);
        let answered =
            || answer(&tables, &draft.form).map_or_else(|error| error.message().to_owned(), |out| out.summary);
        draft.question.unwrap_or_else(answered)
    }

    #[test]
    fn published_examples_are_understood() {
        for example in command::examples(COMMANDS) {
            let text = told(example);
            assert!(text.ends_with('.') && text.chars().any(|c| c.is_ascii_digit()), "{example}\n{text}");
        }
    }

    /// Tasks of a user who knows only the list, checked by hand: what the answer or the question says.
    #[test]
    fn tasks_are_answered_or_refused() {
        let tasks: Vec<[String; 2]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
        let wrong = |[task, expect]: &[String; 2]| {
            let text = told(task);
            let right = text.contains(expect) && (!expect.is_empty() || text.is_empty());
            (!right).then(|| format!("{task}\n=> {text}\n"))
        };
        let wrong: Vec<String> = tasks.iter().filter_map(wrong).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
