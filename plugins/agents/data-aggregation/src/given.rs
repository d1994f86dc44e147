//! The tables that a task in words gives.

use agent_common::numbers;
use agent_common::request::Request;
use agent_common::table::Table;
use tollbridge_sdk::Error;

use crate::refusal::missing;

/// The tables of a task: as they are written, else lists of one column, else a series of numbers.
pub fn tables(request: &Request) -> Result<Vec<Table>, Error> {
    let mut given = request.tables();
    given.retain(|table| !table.rows.is_empty());
    if given.is_empty() {
        given = one_column(&request.text());
    }
    if given.is_empty() {
        let series = numbers::longest_run(&request.text());
        if series.len() < 3 || request.instruction.is_empty() {
            return Err(missing("put the tables with headers into the task itself (CSV, Markdown or JSON, apart by blank lines): the text has none to work with".into()));
        }
        let rows = series.iter().map(|value| vec![value.to_string()]).collect();
        given.push(Table { headless: true, ..Table::new(vec!["value".into()], rows) });
    }
    Ok(given)
}

/// Lists of one column, each with its name above it, apart by blank lines.
fn one_column(text: &str) -> Vec<Table> {
    let table = |block: &str| {
        let lines: Vec<&str> = block.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let titled = lines.first().is_some_and(|line| line.ends_with(':'));
        let mut rest = lines.iter().skip(usize::from(titled));
        let name = rest.next()?;
        let rows: Vec<Vec<String>> = rest.map(|line| vec![(*line).to_owned()]).collect();
        let fits = !rows.is_empty()
            && lines.iter().all(|line| line.split_whitespace().count() <= 3)
            && name.chars().next().is_some_and(char::is_alphabetic);
        let title = lines.first().filter(|_| titled).map(|line| line.trim_end_matches(':').to_owned());
        fits.then(|| Table { title, ..Table::new(vec![(*name).to_owned()], rows) })
    };
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.trim().is_empty()).collect();
    let tables: Vec<Table> = blocks.iter().filter_map(|block| table(block)).collect();
    if tables.len() == blocks.len() { tables } else { Vec::new() }
}
