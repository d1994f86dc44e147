//! What is checked where no rule is said: what every table of its kind should hold to.

use agent_common::columns::{self, name_words};
use agent_common::dates::Date;
use agent_common::exact::Exact;
use agent_common::formula::{Formula, Step};
use agent_common::sheet::{Kind, Sheet, is_empty};

use crate::form::{self, Form};
use crate::rule::Rule;

/// Columns whose name is of a concept.
pub fn columns_of(sheet: &Sheet, word: &str) -> Vec<usize> {
    let concept = columns::concept(word);
    let fits = |at: &usize| {
        let own = name_words(sheet.name(*at));
        own.iter().any(|name| name == word || (concept.is_some() && columns::concept(name) == concept))
            || own.concat() == word
    };
    (0..sheet.table.columns.len()).filter(fits).collect()
}

fn named(sheet: &Sheet, at: usize, words: &[&str]) -> bool {
    let own = name_words(sheet.name(at));
    own.iter().any(|name| words.contains(&name.as_str())) || words.contains(&own.concat().as_str())
}

/// Columns that name the rows: ids and numbers of things.
pub fn keys(sheet: &Sheet) -> Vec<usize> {
    const NAMES: &[&str] = &[
        "id",
        "ids",
        "uuid",
        "sku",
        "nr",
        "no",
        "number",
        "nummer",
        "code",
        "key",
        "isbn",
        "ean",
        "iban",
        "email",
        "mail",
        "ref",
        "beleg",
        "ticket",
        "username",
        "matrikelnummer",
        "serial",
    ];
    let own = |at: usize| {
        let words = name_words(sheet.name(at));
        words.last().is_some_and(|word| NAMES.contains(&word.as_str()))
            || sheet.name(at).ends_with("ID")
            || sheet.name(at).ends_with("Id")
    };
    let first = (0..sheet.table.columns.len()).find(|at| own(*at) && *at == 0);
    let other = (0..sheet.table.columns.len())
        .filter(|at| named(sheet, *at, &["id", "sku", "email", "uuid", "isbn"]) && Some(*at) != first);
    let others: Vec<usize> = other.filter(|at| first.is_none() || named(sheet, *at, &["email"])).take(2).collect();
    first.into_iter().chain(others).collect()
}

/// Whether a name is one of days.
pub fn is_day_name(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "date",
        "datum",
        "born",
        "birthdate",
        "dob",
        "birthday",
        "geburtsdatum",
        "geboren",
        "deadline",
        "fecha",
        "due",
        "created",
        "updated",
        "joined",
        "hired",
        "shipped",
        "delivered",
    ];
    name_words(name).iter().any(|word| NAMES.contains(&word.as_str()))
}

/// The rules that hold for columns by their names and by most of their cells.
pub fn rules(sheet: &Sheet, today: Option<Date>) -> Vec<Rule> {
    let mut found = vec![Rule::Unique(Vec::new())];
    found.extend(keys(sheet).into_iter().map(|column| Rule::Unique(vec![column])));
    for column in 0..sheet.table.columns.len() {
        found.extend(of_column(sheet, column, today));
    }
    found.extend(between(sheet));
    found
}

fn of_column(sheet: &Sheet, column: usize, today: Option<Date>) -> Vec<Rule> {
    let mut found = Vec::new();
    let cells = sheet.table.cells(column);
    let empty = cells.iter().filter(|cell| is_empty(cell)).count();
    let optional = named(
        sheet,
        column,
        &[
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
        ],
    );
    if empty * 2 <= cells.len() && !optional {
        found.push(Rule::Required(column));
    }
    let forms: &[(&str, Form)] = &[
        ("email", Form::Email),
        ("phone", Form::Phone),
        ("iban", Form::Iban),
        ("isbn", Form::Isbn),
        ("url", Form::Url),
        ("website", Form::Url),
    ];
    if let Some((_, form)) = forms.iter().find(|(word, _)| columns_of(sheet, word).contains(&column)) {
        found.push(Rule::Form(column, form.clone()));
        return found;
    }
    if columns_of(sheet, "postcode").contains(&column) {
        found.push(Rule::Form(column, postcode(&cells)));
        return found;
    }
    if is_day_name(sheet.name(column)) || sheet.kind(column) == Kind::Day {
        found.push(Rule::Form(column, Form::Day));
        if named(sheet, column, &["born", "birthdate", "dob", "birthday", "birth", "geburtsdatum", "geboren"]) {
            found.extend(today.map(|day| Rule::NotAfter(column, day)));
            found.extend(Date::new(1900, 1, 1).map(|day| Rule::NotEarlier(column, day)));
        }
        return found;
    }
    let times = cells.iter().filter(|cell| form::minutes(cell).is_some()).count();
    if times * 10 >= cells.len() * 6 && times > 0 {
        found.push(Rule::Form(column, Form::Time));
        return found;
    }
    if sheet.kind(column) == Kind::Number && !sheet.is_label(column) {
        found.push(bounds(sheet, column));
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

fn bounds(sheet: &Sheet, column: usize) -> Rule {
    let (zero, number) = (Some((Exact::default(), true)), |n: i64| Some((Exact::whole(n), true)));
    let is = |words: &[&str]| named(sheet, column, words);
    if is(&["age", "alter", "edad"]) {
        Rule::Range(column, zero, number(120))
    } else if is(&["percent", "percentage", "pct", "prozent", "share", "humidity", "anteil"]) {
        Rule::Range(column, zero, number(100))
    } else if is(&["latitude", "lat"]) {
        Rule::Range(column, number(-90), number(90))
    } else if is(&["longitude", "lon", "lng"]) {
        Rule::Range(column, number(-180), number(180))
    } else if is(&[
        "quantity",
        "qty",
        "menge",
        "price",
        "preis",
        "stock",
        "weight",
        "gewicht",
        "salary",
        "gehalt",
        "height",
        "count",
        "units",
        "pieces",
        "hours",
        "stunden",
        "guests",
        "distance",
        "km",
        "visits",
        "anzahl",
        "bestand",
        "unit_price",
        "unitprice",
        "cost",
        "duration",
    ]) {
        Rule::Range(column, zero, None)
    } else {
        Rule::Numeric(column)
    }
}

/// Rules between columns: end and start, total and its parts.
fn between(sheet: &Sheet) -> Vec<Rule> {
    let mut found = Vec::new();
    let first = |word: &str, fits: &dyn Fn(usize) -> bool| columns_of(sheet, word).into_iter().find(|at| fits(*at));
    let timely = |at: usize| {
        sheet.kind(at) == Kind::Day || sheet.table.cells(at).iter().any(|cell| form::minutes(cell).is_some())
    };
    let numeric = |at: usize| sheet.kind(at) == Kind::Number;
    let pairs: &[(&[&str], &[&str])] = &[
        (
            &["end", "ende", "checkout", "return", "departure", "until", "finish", "to", "valid_to"],
            &["start", "begin", "beginn", "checkin", "arrival", "from", "pickup", "valid_from"],
        ),
        (&["delivered", "delivery", "shipped", "shipping", "due", "paid"], &["ordered", "order", "issued", "invoice"]),
    ];
    for (late, early) in pairs {
        let of = |words: &[&str]| (0..sheet.table.columns.len()).find(|at| timely(*at) && named(sheet, *at, words));
        if let (Some(late), Some(early)) = (of(late), of(early))
            && late != early
            && sheet.kind(late) == sheet.kind(early)
        {
            found.push(Rule::NotBefore(late, early));
        }
    }
    if let (Some(net), Some(vat), Some(gross)) =
        (first("net", &numeric), first("vat", &numeric), first("gross", &numeric))
    {
        let most = agrees(sheet, gross, &Formula::Sum(vec![net, vat]));
        if most {
            found.push(Rule::Equals(gross, Formula::Sum(vec![net, vat])));
        }
    }
    let total = (0..sheet.table.columns.len()).find(|at| {
        numeric(*at) && named(sheet, *at, &["total", "amount", "gesamt", "summe", "betrag", "line_total", "sum"])
    });
    if let (Some(total), Some(price), Some(quantity)) = (total, first("price", &numeric), first("quantity", &numeric)) {
        let product = Formula::Both(Box::new(Formula::Column(quantity)), Step::Times, Box::new(Formula::Column(price)));
        if total != price && total != quantity && agrees(sheet, total, &product) {
            found.push(Rule::Equals(total, product));
        }
    }
    found
}

/// Whether the formula holds in half of the rows at least; else it is not what the column means.
fn agrees(sheet: &Sheet, at: usize, formula: &Formula) -> bool {
    let rows = sheet.table.rows.len();
    let broken = Rule::Equals(at, formula.clone()).check(sheet).len();
    broken * 2 <= rows
}
