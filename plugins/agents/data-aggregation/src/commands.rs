//! The closed list of commands in words.

use agent_common::cells;
use agent_common::columns;
use agent_common::command::{Grammar, Match, Reading, Slots};
use agent_common::condition::{Comparison, Condition, Scalar};
use agent_common::expression::{self, Expression};
use agent_common::form::Draft;
use agent_common::lexer::Token;
use agent_common::material::Tables;
use agent_common::measures::{self, Figure, Measure, Pivot};
use agent_common::merging::Named;
use agent_common::quantity::Style;
use agent_common::table::Table;
use agent_common::table_slots::TableSlots;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::answer::is_partial;
use crate::input::{Input, Sort};

/// The published list.
pub(crate) const COMMANDS: &str = include_str!("../commands.md");
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
                let read = |all, down: bool| known(all).map(|(length, _)| (length, json!(down)));
                read(DOWN, true).or_else(|| read(UP, false)).into_iter().collect()
            }
            "joinword" => {
                let kind = |text: &str| json!(text.strip_suffix(" join"));
                known(JOINS).map(|(length, text)| (length, kind(text))).into_iter().collect()
            }
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
    let mut draft = reading.draft::<Input>(SHOWN);
    add_figures(&reading, &mut draft.form);
    let form = &mut draft.form;
    let has = |name: &str| reading.all(name).next().is_some();
    let text = |name: &str, slot: &str| reading.all(name).next().map(|found| found.text(slot));
    let pivot = text("pivotrows", "key").zip(text("pivotcolumns", "key")).filter(|_| has("pivot"));
    form.pivot = pivot.map(|(rows, columns)| Pivot { rows, columns });
    form.sort = sort(&reading, form);
    if has("dedupe") || has("merge") && form.is_query() && form.key.is_none() {
        form.deduplicate.get_or_insert_default();
    }
    if has("append") && !form.is_query() {
        form.columns = Some(slots.names());
    }
    let none = "which tables? Give one or more, with headers and a row on each line";
    let missing = tables.is_empty().then(|| none.to_owned()).or(draft.question.take());
    let missing = missing.or_else(|| conflict(&reading)).or_else(|| slots.ambiguous(command));
    draft.question = missing.or_else(|| doubt(&reading, &draft.form, named, &slots));
    draft
}

fn value<T: DeserializeOwned>(found: &Match, slot: &str) -> Option<T> {
    serde_json::from_value(found.value(slot)?.clone()).ok()
}

/// Returns the figures of one clause. A clause without measures has the name of its measure.
fn figures(found: &Match) -> Vec<Figure> {
    let text = |slot: &str| Some(found.text(slot)).filter(|text| !text.is_empty());
    if found.clause == "weighted" {
        let column = |slot: &str| Box::new(Expression::Column(found.text(slot)));
        let product = Expression::Both(column("what"), '*', column("weight")).text();
        let name = Some(format!("mean of {} weighted by {}", found.text("what"), found.text("weight")));
        return vec![Figure {
            measure: Measure::Ratio,
            of: Some(product),
            over: text("weight"),
            name,
            ..Figure::default()
        }];
    }
    let named = if found.clause == "mostrows" { json!("count") } else { json!(found.clause) };
    let measures: Option<Vec<Measure>> =
        value(found, "measures").or_else(|| serde_json::from_value(json!([named])).ok());
    let of = |measure: Measure, of: Option<String>| Figure {
        measure,
        of,
        over: text("over"),
        conditions: value(found, "filter"),
        ..Figure::default()
    };
    let mut columns: Vec<Option<String>> = found.texts("what").into_iter().map(Some).collect();
    if columns.is_empty() {
        columns.push(text("what"));
    }
    let measures = measures.unwrap_or_default();
    columns.iter().flat_map(|column| measures.iter().map(move |measure| of(*measure, column.clone()))).collect()
}

/// Adds the figures, and the conditions that are not those of one figure.
fn add_figures(reading: &Reading, form: &mut Input) {
    let (mut all, mut last): (Vec<Figure>, usize) = (Vec::new(), 0);
    let mut conditions = form.conditions.take().unwrap_or_default();
    let own = has_own_conditions(reading) == Some(true);
    for found in &reading.found {
        let filters: Vec<Condition> = value(found, "filter").unwrap_or_default();
        match found.clause.as_str() {
            "where" if own => {
                all.iter_mut().skip(last).for_each(|figure| figure.conditions = Some(filters.clone()));
            }
            "where" => conditions.extend(filters),
            "without" => {
                let negated = |one: Condition| Condition { is: one.is.negated().unwrap_or(one.is), ..one };
                conditions.extend(filters.into_iter().map(negated));
            }
            _ => {
                let new = figures(found);
                last = if new.is_empty() { last } else { all.len() };
                all.extend(new);
            }
        }
    }
    if reading.all("pivot").next().is_some() && all.len() > 1 {
        all.retain(|figure| figure.measure != Measure::Only);
    }
    if let Some(percent) = reading.all("plus").find_map(|found| found.text("p").parse().ok()) {
        all.extend(all.clone().into_iter().map(|figure| Figure { plus_percent: Some(percent), ..figure }));
    }
    form.figures = (!all.is_empty()).then_some(all);
    form.conditions = (!conditions.is_empty()).then_some(conditions);
}

/// Returns whether each condition belongs to the figures before it; none if that is unclear.
fn has_own_conditions(reading: &Reading) -> Option<bool> {
    let sign = |found: &Match| match found.clause.as_str() {
        "where" => Some('w'),
        _ => figures(found).first().map(|figure| if figure.conditions.is_none() { 'f' } else { 'c' }),
    };
    let order: String = reading.found.iter().filter_map(sign).collect();
    if order.matches(['f', 'c']).count() < 2 || !order.trim_start_matches('w').contains('w') {
        return Some(false);
    }
    order.replace("fw", "").is_empty().then_some(true)
}

/// Returns the different values of a slot in all clauses.
fn values<'r>(reading: &'r Reading, slot: &str) -> Vec<&'r Value> {
    let mut all: Vec<&Value> = Vec::new();
    for value in reading.found.iter().filter_map(|found| found.value(slot)) {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// Returns the order: by the column that is named, or by the first figure. A column with one figure means the figure.
fn sort(reading: &Reading, form: &Input) -> Option<Vec<Sort>> {
    let has = |names: &[&str]| reading.found.iter().any(|found| names.contains(&found.clause.as_str()));
    let highest = has(&["highest", "highestrow", "mostrows"]);
    let lowest = has(&["lowest", "lowestrow"]);
    let down = values(reading, "down").first().and_then(|down| down.as_bool());
    let figures = form.figures.as_deref().unwrap_or_default();
    let keys = form.group_by.as_deref().unwrap_or_default();
    let of = |by: String| {
        let mut own = figures.iter().filter(|figure| figure.of.as_ref() == Some(&by) && !keys.contains(&by));
        own.next().filter(|_| own.next().is_none()).map_or(by.clone(), measures::name)
    };
    let column = values(reading, "by").first().and_then(|by| by.as_str().map(str::to_owned)).map(of);
    let first = figures.first().map(measures::name).filter(|_| form.pivot.is_none());
    let by = column.or(first).filter(|_| highest || lowest || down.is_some() || has(&["sort"]))?;
    Some(vec![Sort { by, descending: highest || (!lowest && down.unwrap_or(false)) }])
}

/// Returns the question about clauses that contradict or need each other.
fn conflict(reading: &Reading) -> Option<String> {
    let has = |name: &&str| reading.all(name).next().is_some();
    let exclusive: [&[&str]; 6] = [
        &["highest", "lowest", "first", "mostrows", "highestrow", "lowestrow"],
        &["join", "merge", "append", "compare"],
        &["dedupeby", "newestper"],
        &["rows", "highestrow", "lowestrow", "figure", "count"],
        &["compare", "group", "pivot"],
        &["plus", "pivot"],
    ];
    let leaves_out = |one: &Condition| {
        use Comparison::{Contains, Empty, Equal, NotEmpty, OneOf};
        matches!(one.is, Equal | OneOf | Contains | Empty | NotEmpty)
    };
    let mut left_out = reading.all("without").filter_map(|found| value::<Vec<Condition>>(found, "filter")).flatten();
    let (down, by) = (values(reading, "down"), values(reading, "by"));
    let upwards = down.contains(&&json!(false)) && (has(&"highest") || has(&"highestrow"));
    let pivot = ["pivot", "pivotrows", "pivotcolumns"].iter().map(has).collect::<Vec<_>>();
    let single =
        ["plus", "highest", "lowest", "highestrow", "lowestrow", "mostrows", "pivotrows", "pivotcolumns", "only"];
    let text = if upwards
        || down.len() > 1
        || by.len() > 1
        || exclusive.iter().any(|names| names.iter().filter(|name| has(name)).count() > 1)
    {
        "two clauses contradict each other; which one applies?"
    } else if left_out.any(|one| !leaves_out(&one)) {
        "which rows should be kept? Say it with `only` in place of `without`"
    } else if has_own_conditions(reading).is_none() {
        "to which figures do the conditions apply? Put conditions for all of them first, or after `only`"
    } else if has(&"keep") && !has(&"dedupe") && !has(&"dedupeby") {
        "which rows are repeated? Say `remove duplicates by` and the columns"
    } else if pivot.contains(&true) && (pivot.contains(&false) || has(&"group")) {
        "a cross table needs `pivot`, `one row per` and `one column per`; which columns?"
    } else {
        return single.iter().find_map(|name| reading.one(name).err());
    };
    Some(text.to_owned())
}

/// Returns the question about an input that does not fit its tables.
fn doubt(reading: &Reading, form: &Input, named: &[Named], slots: &TableSlots<'_>) -> Option<String> {
    let has = |name: &str| reading.all(name).next().is_some();
    let figures = || form.figures.iter().flatten();
    let shared = |figure: &Figure| figure.measure == Measure::Share && figure.conditions.is_none();
    let total = |table: &Table| (0..table.rows.len()).any(|row| table.is_total(row));
    let text = if named.iter().any(|(_, table)| table.headless) {
        "what are the columns? Name them in the first line of the table"
    } else if named.iter().any(|(_, table)| total(table)) {
        "the table has a row with a total; should it be left out? Remove it from the table"
    } else if named.len() > 1 && !["join", "merge", "append", "compare"].into_iter().any(has) {
        "how do the tables belong together: join on a column, compare by a key, merge, or append?"
    } else if !form.is_query() && !has("merge") {
        "what should be computed? Name a figure such as `sum of` and a column"
    } else if form.sort.is_none() && (has("direction") || form.top.is_some() && !has("first")) {
        "by which column should be sorted?"
    } else if figures().any(shared) && form.group_by.is_none() {
        "the share of which groups? Add `by` and a column"
    } else if form.join.as_ref().is_some_and(|join| join.kind.is_none() && is_partial(named, join)) {
        "some rows have no partner: `inner join` (leave them out), `left join` or `full join`?"
    } else {
        let conditions = figures().filter_map(|figure| figure.conditions.as_ref()).chain(&form.conditions).flatten();
        let mut conditions = conditions.collect::<Vec<_>>().into_iter();
        let distinct = figures().filter(|figure| figure.measure == Measure::Distinct).flat_map(|figure| &figure.of);
        let repeated = form.deduplicate.iter().flat_map(|ask| ask.by.iter().flatten());
        let mut keys = form.group_by.iter().flatten().chain(repeated).chain(distinct);
        let absent = conditions.find_map(|condition| absent(condition, slots));
        return absent.or_else(|| keys.find_map(|name| spellings(&slots.cells(name), name)));
    };
    Some(text.to_owned())
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
