//! What is checked where no rule is said: what every table of its kind should hold to.

pub(crate) mod between;
mod bounds;

use agent_common::dates::Date;
use agent_common::sheet::{Kind, Sheet, is_empty};

use crate::clock;
use crate::column_names::{columns_of, is_day_name, keys, named};
use crate::form::Form;
use crate::rule::Rule;

const OPTIONAL: &[&str] = &[
    "note",
    "notes",
    "comment",
    "comments",
    "remark",
    "remarks",
    "optional",
    "bemerkung",
    "notiz",
    "middle",
    "middlename",
    "fax",
    "phone2",
    "title",
    "suffix",
    "discount",
    "left",
    "cancelled",
    "returned",
    "closed",
];
const BIRTHS: &[&str] = &["born", "birthdate", "dob", "birthday", "birth", "geburtsdatum", "geboren"];

const FORMS: &[(&str, Form)] = &[
    ("email", Form::Email),
    ("phone", Form::Phone),
    ("iban", Form::Iban),
    ("isbn", Form::Isbn),
    ("url", Form::Url),
    ("website", Form::Url),
];

/// The rules that hold for columns by their names and by most of their cells.
pub(crate) fn rules(sheet: &Sheet, today: Option<Date>) -> Vec<Rule> {
    let mut found = vec![Rule::Unique(Vec::new())];
    found.extend(keys(sheet).into_iter().map(|column| Rule::Unique(vec![column])));
    for column in 0..sheet.table.columns.len() {
        found.extend(of_column(sheet, column, today));
    }
    found.extend(between::between(sheet));
    found
}

fn of_column(sheet: &Sheet, column: usize, today: Option<Date>) -> Vec<Rule> {
    let mut found = Vec::new();
    let cells = sheet.table.cells(column);
    let empty = cells.iter().filter(|cell| is_empty(cell)).count();
    let optional = named(sheet, column, OPTIONAL);
    if empty * 2 <= cells.len() && !optional {
        found.push(Rule::Required(column));
    }
    if let Some((_, form)) = FORMS.iter().find(|(word, _)| columns_of(sheet, word).contains(&column)) {
        found.push(Rule::Form(column, form.clone()));
        return found;
    }
    if columns_of(sheet, "postcode").contains(&column) {
        found.push(Rule::Form(column, postcode(&cells)));
        return found;
    }
    if is_day_name(sheet.name(column)) || sheet.kind(column) == Kind::Day {
        found.push(Rule::Form(column, Form::Day));
        if named(sheet, column, BIRTHS) {
            found.extend(today.map(|day| Rule::NotAfter(column, day)));
            found.extend(Date::new(1900, 1, 1).map(|day| Rule::NotEarlier(column, day)));
        }
        return found;
    }
    let times = cells.iter().filter(|cell| clock::minutes(cell).is_some()).count();
    if times * 10 >= cells.len() * 6 && times > 0 {
        found.push(Rule::Form(column, Form::Time));
        return found;
    }
    if sheet.kind(column) == Kind::Number && !sheet.is_label(column) {
        found.push(bounds::bounds(sheet, column));
    }
    found
}

/// All digits of one length, where most are.
fn postcode(cells: &[&str]) -> Form {
    let full: Vec<&&str> = cells.iter().filter(|cell| !is_empty(cell)).collect();
    let digits = |count: usize| full.iter().filter(|cell| Form::Digits(count).fits(cell)).count();
    [4_usize, 5, 6]
        .into_iter()
        .find(|count| digits(*count) * 2 > full.len())
        .map_or(Form::Postcode(None), |count| if count == 5 { Form::Postcode(Some("de")) } else { Form::Digits(count) })
}
