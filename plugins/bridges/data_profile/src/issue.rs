//! What to look at: found from the profiles of columns and the table as a whole.

use std::collections::HashMap;

use crate::column::text;
use crate::kind::leading_zero;
use crate::output::{Column, Issue, Profile};
use crate::table::Table;

/// From this share of missing values on, a column is mostly missing.
const MOSTLY: f64 = 0.5;
/// From this share of different values on, a column that is not unique is almost so.
const ALMOST: f64 = 0.99;

/// All issues, the gravest first, then in order of the columns.
#[must_use]
pub fn find(table: &Table, profile: &Profile) -> Vec<Issue> {
    let mut issues = whole(table, profile);
    for (place, column) in profile.columns.iter().enumerate() {
        of_column(table, place, column, &mut issues);
    }
    let rank = |issue: &Issue| ["high", "medium", "low"].iter().position(|name| *name == issue.severity);
    issues.sort_by_key(rank);
    issues
}

fn whole(table: &Table, profile: &Profile) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut add = |applies: bool, severity, kind, message: String| {
        if applies {
            issues.push(Issue { severity, kind, column: None, message });
        }
    };
    let twins = profile.duplicate_rows;
    add(twins > 0, "medium", "duplicate_rows", format!("{twins} rows equal another one in all columns"));
    add(
        table.uneven > 0,
        "high",
        "uneven_rows",
        format!("{} rows have another number of cells than the first", table.uneven),
    );
    add(
        table.repeated > 0,
        "high",
        "duplicate_names",
        format!("{} names of columns are there more than once", table.repeated),
    );
    issues
}

fn of_column(table: &Table, place: usize, column: &Column, issues: &mut Vec<Issue>) {
    let rows = profile_rows(column);
    let mut add = |applies: bool, severity, kind, message: String| {
        if applies {
            issues.push(Issue { severity, kind, column: Some(column.name.clone()), message });
        }
    };
    let (missing, share) = (column.missing, column.missing_share);
    let empty = column.kind == "empty";
    add(empty, "high", "empty_column", "no row has a value".into());
    add(
        !empty && share >= MOSTLY,
        "high",
        "mostly_missing",
        format!("{missing} values are missing ({:.1} %)", share * 100.0),
    );
    add(
        missing > 0 && share < MOSTLY,
        "low",
        "missing_values",
        format!("{missing} values are missing ({:.1} %)", share * 100.0),
    );
    add(column.distinct == 1 && rows > 1, "low", "constant", "all values are the same".into());
    let types: Vec<String> = column.types.iter().map(|(name, count)| format!("{count} {name}")).collect();
    add(column.kind == "mixed", "high", "mixed_types", format!("values of several types: {}", types.join(", ")));
    let numeric = ["integer", "number"].contains(&column.kind);
    let strays = column.types.iter().filter(|(name, _)| match column.kind {
        _ if numeric => !["integer", "number"].contains(*name),
        "datetime" => !["date", "datetime"].contains(*name),
        kind => **name != kind,
    });
    let strays: usize = strays.map(|(_, count)| count).sum();
    add(
        strays > 0 && !["mixed", "text"].contains(&column.kind),
        "medium",
        "mixed_types",
        format!("{strays} values are no {}: {}", column.kind, types.join(", ")),
    );
    of_values(table, place, column, &mut add);
}

/// Issues of the values of a column, beside missing ones and mixed types.
fn of_values(
    table: &Table,
    place: usize,
    column: &Column,
    add: &mut impl FnMut(bool, &'static str, &'static str, String),
) {
    let outliers = column.numbers.as_ref().map_or(0, |numbers| numbers.outliers);
    add(outliers > 0, "low", "outliers", format!("{outliers} numbers lie outside Tukey's outer fences"));
    let padded = column.texts.as_ref().map_or(0, |texts| texts.padded);
    add(padded > 0, "low", "padded_text", format!("{padded} texts have spaces at their ends"));
    let ambiguous = column.dates.as_ref().is_some_and(|dates| dates.order == "ambiguous");
    add(ambiguous, "medium", "ambiguous_dates", "day and month cannot be told apart".into());
    add(
        column.name == format!("column {}", place + 1) && table.separator.is_some(),
        "low",
        "unnamed_column",
        "the column has no name".into(),
    );
    let variants = case_variants(table, place);
    add(
        variants > 0 && column.kind == "text",
        "low",
        "case_variants",
        format!("{variants} values are there in several spellings of upper and lower case"),
    );
    let zeros = table.column(place).filter_map(text).filter(|text| leading_zero(text.trim())).count();
    add(
        zeros > 0,
        "low",
        "numbers_with_leading_zeros",
        format!("{zeros} values are digits with a leading zero: taken as text, not numbers"),
    );
    let filled = profile_rows(column) - column.missing;
    let almost = filled >= 100 && column.distinct < filled && column.distinct as f64 >= ALMOST * filled as f64;
    add(
        almost,
        "medium",
        "almost_unique",
        format!("{} of {filled} values are repeated: perhaps a key with duplicates", filled - column.distinct),
    );
}

fn profile_rows(column: &Column) -> usize {
    column.missing + column.types.values().sum::<usize>()
}

/// Values that differ from another one in case only.
fn case_variants(table: &Table, place: usize) -> usize {
    let mut spellings: HashMap<String, (&str, bool)> = HashMap::new();
    for text in table.column(place).filter_map(text) {
        let text = text.trim();
        let known = spellings.entry(text.to_lowercase()).or_insert((text, false));
        known.1 |= known.0 != text;
    }
    spellings.values().filter(|(_, several)| *several).count()
}
