//! The list: entries given in the input, or a stored CSV or JSON file.
//!
//! Invariant: every entry has a name; rows of one group (UK list: several names of one person) become one entry.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Error, Stored};

use crate::evidence::day;

/// Most names in a list.
pub const NAMES_MAX: usize = 50_000;

/// Someone on the list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The list's own id. Default: none.
    pub id: Option<String>,
    /// The main name.
    #[schemars(length(min = 1, max = 300))]
    pub name: String,
    /// Other names and spellings. Default: none.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// Days or years of birth: `YYYY-MM-DD`, `DD/MM/YYYY`, `DD Mon YYYY` or `YYYY`. Default: not known.
    #[serde(default)]
    pub births: Vec<String>,
    /// Countries: nationality, birth or address, by name or code as the list has them. Default: not known.
    #[serde(default)]
    pub countries: Vec<String>,
    /// Programme or regime. Default: none.
    pub programme: Option<String>,
}

/// What was wrong with a row is the whole list's fault: nobody may be left out unseen.
pub fn stored(stored: &Stored) -> Result<Vec<Entry>, Error> {
    let wrong = |text: String| Error::invalid("/resource_id", text);
    let text = stored.text()?.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| wrong(format!("the stored list: {error}")));
    }
    let rows = rows(text).map_err(wrong)?;
    from_rows(&rows).map_err(wrong)
}

/// CSV (RFC 4180) as rows of cells.
fn rows(text: &str) -> Result<Vec<Vec<String>>, String> {
    let (mut all, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted => quoted = false,
            _ if quoted => cell.push(letter),
            '"' if cell.trim().is_empty() => {
                cell.clear();
                quoted = true;
            }
            ',' => row.push(std::mem::take(&mut cell)),
            '\r' => {}
            // OFAC's files end with a control-Z.
            '\u{1a}' => {}
            '\n' => {
                row.push(std::mem::take(&mut cell));
                all.push(std::mem::take(&mut row));
            }
            _ => cell.push(letter),
        }
    }
    if quoted {
        return Err("the CSV ends inside quotes".to_owned());
    }
    row.push(cell);
    all.push(row);
    all.retain(|row| row.iter().any(|cell| !cell.trim().is_empty()));
    Ok(all)
}

/// Where a column's content goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Id,
    Name,
    NamePart,
    Alias,
    Birth,
    Country,
    Programme,
    Remarks,
    Other,
}

/// Columns by name: those of this bridge, of the UK Sanctions List and of OFAC's SDN file.
fn column(name: &str) -> Column {
    let name: String = name.trim().to_lowercase().replace(['_', '-'], " ");
    match name.as_str() {
        "id" | "unique id" | "ent num" | "uid" => Column::Id,
        "name" | "sdn name" | "full name" => Column::Name,
        "name 1" | "name 2" | "name 3" | "name 4" | "name 5" | "name 6" => Column::NamePart,
        "alias" | "aliases" | "name non latin script" | "alt name" => Column::Alias,
        "dob" | "d.o.b" | "birth" | "births" | "date of birth" => Column::Birth,
        "country" | "countries" | "nationality" | "nationality(/ies)" | "country of birth" | "address country" => {
            Column::Country
        }
        "programme" | "program" | "regime" | "regime name" => Column::Programme,
        "remarks" => Column::Remarks,
        _ => Column::Other,
    }
}

fn from_rows(rows: &[Vec<String>]) -> Result<Vec<Entry>, String> {
    // The UK list has a line with its date before the names of columns.
    let heads = rows
        .iter()
        .take(5)
        .position(|row| row.iter().any(|cell| matches!(column(cell), Column::Name | Column::NamePart)));
    let (columns, body): (Vec<Column>, &[Vec<String>]) = match heads {
        Some(at) => {
            let head = rows.get(at).map_or(&[][..], Vec::as_slice);
            (head.iter().map(|name| column(name)).collect(), rows.get(at + 1..).unwrap_or_default())
        }
        // OFAC's SDN.CSV has twelve columns without names.
        None if rows.first().is_some_and(|row| row.len() == 12) => {
            use Column::{Id, Name, Other, Programme, Remarks};
            (vec![Id, Name, Other, Programme, Other, Other, Other, Other, Other, Other, Other, Remarks], rows)
        }
        None => {
            return Err(
                "no column with names found; name one `name`, or give a UK Sanctions List or OFAC SDN CSV".to_owned()
            );
        }
    };
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (line, row) in body.iter().enumerate() {
        let parsed = entry(&columns, row);
        if parsed.name.is_empty() {
            return Err(format!("row {} after the names of columns has no name", line + 1));
        }
        match parsed.id.as_ref().and_then(|id| places.get(id)).and_then(|at| entries.get_mut(*at)) {
            Some(known) => merge(known, parsed),
            None => {
                places.extend(parsed.id.clone().map(|id| (id, entries.len())));
                entries.push(parsed);
            }
        }
    }
    Ok(entries)
}

fn entry(columns: &[Column], row: &[String]) -> Entry {
    let mut entry = Entry::default();
    let mut parts: Vec<&str> = Vec::new();
    for (column, cell) in columns.iter().zip(row) {
        let cell = cell.trim();
        if cell.is_empty() || cell == "-0-" {
            continue;
        }
        let several = || cell.split([';', '|']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned);
        match column {
            Column::Id => entry.id = Some(cell.to_owned()),
            Column::Name => entry.name = cell.to_owned(),
            Column::NamePart => parts.push(cell),
            Column::Alias => entry.aliases.extend(several()),
            Column::Birth => entry.births.extend(several()),
            Column::Country => entry.countries.extend(several()),
            Column::Programme => entry.programme = Some(cell.to_owned()),
            Column::Remarks => remarks(cell, &mut entry),
            Column::Other => {}
        }
    }
    if entry.name.is_empty() {
        entry.name = parts.join(" ");
    }
    entry
}

/// OFAC's remarks: `DOB 07 Oct 1954; alt. DOB circa 1955; nationality Iraq; a.k.a. 'X'.` A range, `DOB 1958 to 1962`, is
/// every year of it: someone born within it must not count as born at another time.
fn remarks(text: &str, entry: &mut Entry) {
    for part in text.split(';').map(|part| part.trim().trim_end_matches('.')) {
        let part = part.strip_prefix("alt. ").unwrap_or(part);
        if let Some(birth) = part.strip_prefix("DOB ") {
            let birth = birth.trim_start_matches("circa ");
            match birth.split_once(" to ").and_then(|(from, to)| Some((day(from)?.0, day(to)?.0))) {
                Some((from, to)) if from <= to && to.saturating_sub(from) <= 50 => {
                    entry.births.extend((from..=to).map(|year| year.to_string()));
                }
                _ => entry.births.push(birth.to_owned()),
            }
        } else if let Some(country) = part.strip_prefix("nationality ").or_else(|| part.strip_prefix("citizen ")) {
            entry.countries.push(country.to_owned());
        } else if let Some(alias) = part.strip_prefix("a.k.a. ") {
            entry.aliases.push(alias.trim_matches(['\'', '"']).to_owned());
        }
    }
}

fn merge(known: &mut Entry, other: Entry) {
    if other.name != known.name && !known.aliases.contains(&other.name) {
        known.aliases.push(other.name);
    }
    for (list, more) in [
        (&mut known.aliases, other.aliases),
        (&mut known.births, other.births),
        (&mut known.countries, other.countries),
    ] {
        for text in more {
            if !list.contains(&text) {
                list.push(text);
            }
        }
    }
}
