//! Tables as grids, by the HTML standard's algorithm for forming a table, bounded.
//!
//! Invariants: every row of a grid has the same width; a cell reaches at most `MOST_COLUMNS` columns and the rows that
//! are there.

use crate::output::Table;
use crate::text;
use crate::tree::{DOCUMENT, Id, Tree};

const MOST_COLUMNS: usize = 200;
const MOST_ROWS: usize = 2_000;
/// Places of all grids together, and bytes of their texts.
const MOST_PLACES: usize = 20_000;
const MOST_BYTES: usize = 200_000;
const LONGEST_CELL: usize = 2_000;

/// A place in a grid.
#[derive(Debug, Clone, Default)]
struct Place {
    text: String,
    header: bool,
}

/// A cell that reaches down into further rows.
#[derive(Debug, Clone)]
struct Down {
    rows: usize,
    place: Place,
}

/// What is left for the tables that follow.
struct Budget {
    places: usize,
    bytes: usize,
}

/// The tables that are kept, and how many there are.
pub fn tables(tree: &Tree, most: usize, in_main: &dyn Fn(Id) -> bool) -> (Vec<Table>, usize) {
    let mut budget = Budget { places: MOST_PLACES, bytes: MOST_BYTES };
    let (mut kept, mut count) = (Vec::new(), 0usize);
    for id in tree.walk(DOCUMENT).filter(|id| tree.name(*id) == "table") {
        count = count.saturating_add(1);
        if kept.len() < most && budget.places > 0 {
            kept.push(Table { in_main: in_main(id), ..table(tree, id, &mut budget) });
        }
    }
    (kept, count)
}

/// The rows of a table with their row groups: head first, foot last.
fn rows(tree: &Tree, table: Id) -> Vec<(Id, Id)> {
    let (mut head, mut body, mut foot) = (Vec::new(), Vec::new(), Vec::new());
    for group in tree.children(table) {
        let to = match tree.name(group) {
            "thead" => &mut head,
            "tbody" => &mut body,
            "tfoot" => &mut foot,
            _ => continue,
        };
        to.extend(tree.children(group).filter(|id| tree.name(*id) == "tr").map(|row| (group, row)));
    }
    head.append(&mut body);
    head.append(&mut foot);
    head
}

fn table(tree: &Tree, id: Id, budget: &mut Budget) -> Table {
    let mut table = Table { layout: holds_table(tree, id), ..Table::default() };
    let caption = tree.children(id).find(|id| tree.name(*id) == "caption");
    table.caption = caption.map(|id| text::line(tree, id, 300, &|_| false)).filter(|text| !text.is_empty());
    let rows = rows(tree, id);
    let mut grid: Vec<Vec<Place>> = Vec::new();
    let mut down: Vec<Option<Down>> = Vec::new();
    let (mut group, mut in_head) = (None, 0usize);
    for (own, row) in rows.iter().copied() {
        if grid.len() >= MOST_ROWS || budget.places == 0 {
            table.truncated = true;
            break;
        }
        if group != Some(own) {
            // A cell ends with its row group.
            down.clear();
            group = Some(own);
        }
        let places = form(tree, row, &mut down, budget, &mut table);
        in_head = in_head.saturating_add(usize::from(tree.name(own) == "thead"));
        grid.push(places);
    }
    finish(&mut table, grid, in_head, tree.attribute(id, "role"));
    table
}

fn holds_table(tree: &Tree, id: Id) -> bool {
    tree.walk(id).skip(1).any(|id| tree.name(id) == "table")
}

/// One row of the grid.
fn form(tree: &Tree, row: Id, down: &mut Vec<Option<Down>>, budget: &mut Budget, table: &mut Table) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for cell in tree.children(row).filter(|id| matches!(tree.name(*id), "td" | "th")) {
        fill(&mut places, down, budget, usize::MAX);
        if places.len() >= MOST_COLUMNS || budget.places == 0 {
            table.truncated = true;
            break;
        }
        let wide = span(tree, cell, "colspan", 1_000).max(1);
        let high = match span(tree, cell, "rowspan", 65_534) {
            0 => usize::MAX,
            rows => rows,
        };
        table.spans = table.spans.saturating_add(usize::from(wide > 1 || high > 1));
        let place = Place { text: content(tree, cell, budget, table), header: tree.name(cell) == "th" };
        let end = places.len().saturating_add(wide);
        table.truncated |= end > MOST_COLUMNS;
        while places.len() < end.min(MOST_COLUMNS) && budget.places > 0 {
            if high > 1 {
                let at = places.len();
                if down.len() <= at {
                    down.resize(at.saturating_add(1), None);
                }
                if let Some(down) = down.get_mut(at) {
                    *down = Some(Down { rows: high, place: place.clone() });
                }
            }
            put(&mut places, place.clone(), budget);
        }
    }
    let wide = down.len();
    fill(&mut places, down, budget, wide);
    // This row is done: cells reach one row less.
    for slot in down.iter_mut() {
        *slot = slot.take().filter(|down| down.rows > 1).map(|down| Down { rows: down.rows.saturating_sub(1), ..down });
    }
    places
}

/// Takes over cells from above: those next in line, or, with `to`, all up to there.
fn fill(places: &mut Vec<Place>, down: &[Option<Down>], budget: &mut Budget, to: usize) {
    while places.len() < MOST_COLUMNS && budget.places > 0 {
        match down.get(places.len()) {
            Some(Some(down)) => put(places, down.place.clone(), budget),
            Some(None)
                if to != usize::MAX && places.len() < to && down.iter().skip(places.len()).any(Option::is_some) =>
            {
                put(places, Place::default(), budget);
            }
            _ => return,
        }
    }
}

fn put(places: &mut Vec<Place>, place: Place, budget: &mut Budget) {
    budget.places = budget.places.saturating_sub(1);
    budget.bytes = budget.bytes.saturating_sub(place.text.len());
    let text = if budget.bytes == 0 { String::new() } else { place.text };
    places.push(Place { text, ..place });
}

/// The text of a cell without that of a table inside.
fn content(tree: &Tree, cell: Id, budget: &Budget, table: &mut Table) -> String {
    if budget.bytes == 0 {
        table.truncated = true;
        return String::new();
    }
    let text = text::line(tree, cell, LONGEST_CELL.saturating_add(1), &|id| tree.name(id) == "table");
    if text.chars().count() > LONGEST_CELL {
        table.truncated = true;
        return text::short(&text, LONGEST_CELL);
    }
    text
}

/// A number as the standard reads it: digits at the beginning; without any, 1.
fn span(tree: &Tree, cell: Id, name: &str, most: usize) -> usize {
    let stated = tree.attribute(cell, name).unwrap_or_default().trim_start();
    let stated = stated.strip_prefix('+').unwrap_or(stated);
    let digits: String = stated.chars().take_while(char::is_ascii_digit).take(9).collect();
    digits.parse::<usize>().map_or(1, |number| number.min(most))
}

/// Tells headers from rows.
fn finish(table: &mut Table, mut grid: Vec<Vec<Place>>, in_head: usize, role: Option<&str>) {
    let wide = grid.iter().map(Vec::len).max().unwrap_or(0);
    grid.iter_mut().for_each(|row| row.resize(wide, Place::default()));
    let headers = |row: &&Vec<Place>| row.iter().all(|place| place.header || place.text.is_empty());
    let leading = grid.iter().take_while(headers).count();
    // A table of nothing but headers has no header rows.
    let count = if in_head > 0 {
        in_head
    } else if leading < grid.len() {
        leading
    } else {
        0
    };
    let mut body = grid.split_off(count.min(grid.len()));
    table.headers = if grid.is_empty() { Vec::new() } else { (0..wide).map(|at| joined(&grid, at)).collect() };
    table.header_rows = grid.len();
    table.row_headers = !body.is_empty() && body.iter().all(|row| row.first().is_some_and(|place| place.header));
    table.columns = wide;
    table.layout |= matches!(role, Some("presentation" | "none"))
        || (grid.is_empty() && !table.row_headers && (wide < 2 || body.len() < 2));
    table.rows = body.drain(..).map(|row| row.into_iter().map(|place| place.text).collect()).collect();
}

fn joined(grid: &[Vec<Place>], at: usize) -> String {
    let mut texts: Vec<&str> = grid.iter().filter_map(|row| row.get(at)).map(|place| place.text.as_str()).collect();
    texts.retain(|text| !text.is_empty());
    texts.dedup();
    texts.join(" / ")
}
