//! Fields whose names a request lists and whose values the text labels or states.
//!
//! Every way to part the task is tried; the one whose names the text has most values for is read.

use agent_common::asking;
use agent_common::columns::{fold, name_words};
use tollbridge_sdk::Error;

use crate::asked::{self, Names, Text};
use crate::divide::{self, Parted};
use crate::fill;
use crate::material::{Material, Value};
use crate::outcome::{LABELLED, Outcome, WORDED, missing};
use crate::scope::everything;
use crate::sort::{Sort, sort};
use crate::table_fields;
use crate::unmet;
use crate::wanted::Wanted;

/// Most ways to part a long task that are tried.
const WAYS_MAX: usize = 6;
/// A task of this many bytes is long.
const LONG: usize = 8_000;

/// A way to part the task with the names read from it.
struct Reading {
    parted: Parted,
    names: Names,
    material: Material,
}

/// The values, if the names of all fields are understood.
pub(crate) fn answer(task: &str) -> Result<Option<Outcome>, Error> {
    let mut ways = divide::all(task);
    if task.len() > LONG {
        ways.truncate(WAYS_MAX);
    }
    let mut best: Option<(i64, Reading)> = None;
    for parted in ways {
        let material = Material::read(&parted.text);
        let text =
            Text { knows: &|name, many| material.knows(&field(name, many)), labels: &|name| material.labels(name) };
        let names = asked::read(&parted.asked, &text);
        let Some(score) = score(&parted, &names) else { continue };
        if best.as_ref().is_none_or(|(top, _)| score > *top) {
            best = Some((score, Reading { parted, names, material }));
        }
    }
    let Some((_, reading)) = best else { return Ok(None) };
    if reading.names.unclear > 0 || loose(&reading) || everything(&reading.parted.asked) {
        return Ok(None);
    }
    let unknown = reading.names.all.iter().filter(|one| !one.known).map(|one| format!(" . {}", one.name));
    let beside = unknown.fold(reading.names.beside.clone(), |all, one| all + &one);
    if let Some(word) = unmet::beyond(&beside) {
        return Err(missing(format!(
            "values are given as they stand in the text, and \"{word}\" asks for more than that: leave it out, or name the fields as the text does"
        )));
    }
    outcome(&reading)
}

/// Whether one name is taken out of a longer question, which asks for something else then.
fn loose(reading: &Reading) -> bool {
    let [one] = reading.names.all.as_slice() else { return false };
    !reading.material.labels(&one.name) && asked::content(&reading.names.beside) > 2
}

/// A field by its name alone.
pub(crate) fn field(name: &str, many: bool) -> Wanted {
    let mut words = name_words(&name.replace("e-mail", "email").replace("E-Mail", "email").replace("E-mail", "email"));
    let several = plural(&words);
    let own = sort(&words);
    if several && let Some(last) = words.last_mut() {
        *last = singular(last);
    }
    let sort = if own == Sort::Text { sort(&words) } else { own };
    // `all dates` are told by their form; of other names only what stands behind them is taken.
    let formed = form(sort) || (many && matches!(sort, Sort::Amount | Sort::Day | Sort::Percent | Sort::Time));
    Wanted { name: name.to_owned(), many: several || (many && formed), words, sort }
}

fn singular(word: &str) -> String {
    let cut = |ending: &str| word.strip_suffix(ending).map(str::to_owned);
    cut("ies")
        .map(|stem| stem + "y")
        .or_else(|| cut("sses").map(|stem| stem + "ss"))
        .or_else(|| cut("s"))
        .unwrap_or_else(|| word.to_owned())
}

/// Kinds whose values are told by their form.
fn form(sort: Sort) -> bool {
    matches!(sort, Sort::Email | Sort::Phone | Sort::Iban | Sort::Url | Sort::Hashtag | Sort::Mention)
}

fn plural(words: &[String]) -> bool {
    words.last().is_some_and(|word| {
        word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is")
    })
}

/// How good a reading is: names the text has, without parts that are no names.
fn score(parted: &Parted, names: &Names) -> Option<i64> {
    let known = i64::try_from(names.all.iter().filter(|one| one.known).count()).unwrap_or(0);
    let unknown = i64::try_from(names.all.len()).unwrap_or(0) - known;
    let unclear = i64::try_from(names.unclear).unwrap_or(0);
    let words = i64::try_from(parted.asked.split_whitespace().count()).unwrap_or(0);
    let asks = asking::strength(&parted.asked) > 0;
    let fits = known > 0 && (asks || known > 1) && known >= unknown;
    fits.then(|| known * 40 - unknown * 15 - unclear * 25 - words / 2 + if asks { 10 } else { 0 })
}

fn outcome(reading: &Reading) -> Result<Option<Outcome>, Error> {
    let fields: Vec<Wanted> = reading.names.all.iter().map(|one| field(&one.name, one.many)).collect();
    if let Some(table) = reading.material.table(&fields) {
        let rows = table_fields::meant(&reading.parted.asked, table, &fields);
        return Ok(Some(table_fields::of_table(&rows, &fields, &reading.parted.text)));
    }
    let values: Vec<Value> = fields.iter().map(|field| reading.material.value(field, false)).collect();
    let counts: Vec<usize> = values.iter().map(Value::count).collect();
    let records = counts.first().copied().filter(|count| {
        let several = fields.len() > 1 || fields.iter().all(|field| field.many);
        *count > 1 && several && counts.iter().all(|one| one == count)
    });
    if records.is_some()
        && let Some(word) = reading.material.common(&reading.names.beside)
    {
        return Err(missing(format!(
            "the text has several values for \"{}\", and \"{word}\" does not tell here which is meant: put only that part of the text, or ask for all of them",
            reading.names.all.first().map_or("", |one| one.name.as_str())
        )));
    }
    let sure = values.iter().filter(|value| value.is_labelled()).count();
    let structured = sure * 2 >= fields.len() && sure > 0 && reading.material.is_form();
    let mut outcome = Outcome { text: reading.parted.text.clone(), confidence: LABELLED, ..Outcome::default() };
    for (field, value) in fields.iter().zip(values) {
        if !value.is_labelled() {
            outcome.confidence = outcome.confidence.min(WORDED);
        }
        let one = value.differing() < 2;
        let Some((json, raws)) = value.json(records.is_some(), field.many) else {
            if !one {
                return Err(missing(format!(
                    "\"{}\" has several different values in the text: say which one is meant, or ask for all of them",
                    field.name
                )));
            }
            if !(structured || asks_for_null(&reading.parted.asked)) || !reading.material.lacks(field) {
                return Ok(None);
            }
            outcome.values.push((field.name.clone(), serde_json::Value::Null));
            continue;
        };
        outcome.raws.extend(raws.into_iter().map(|(kind, raw)| (field.name.clone(), kind.to_owned(), raw)));
        outcome.values.push((field.name.clone(), json));
    }
    Ok(Some(outcome))
}

/// Whether the request says what to do where a field is missing.
fn asks_for_null(asked: &str) -> bool {
    let folded = fold(asked);
    ["null", "empty", "blank", "leer", "missing", "not there", "isn't there", "not in the", "n/a"]
        .iter()
        .any(|word| folded.contains(word))
}

impl Material {
    /// Whether a text has nothing that the field could be.
    pub(crate) fn lacks(&self, field: &Wanted) -> bool {
        !self.says(field) && (fill::has_none(&self.text, field) || !self.has_loose(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task, and its values; nothing where it is refused or read in another way.
    const CASES: &[(&str, &str)] = &[
        (
            "Can you grab the invoice number, the due date and the amount due for me? Cheers\n\nACME Tools Ltd\nInvoice No.        A-20391\nIssued             12/03/2025\nDue                11/04/2025\nAmount due         £492.00",
            "invoice number=\"A-20391\" due date=\"2025-04-11\" amount due=492",
        ),
        ("server=web01;cpu=87%;mem=12.4GB;uptime=9d\n\nfrom that line: cpu, mem", "cpu=\"87%\" mem=\"12.4GB\""),
        (
            "Order 1: SKU A-1, qty 3\nOrder 2: SKU B-7, qty 5\n\ngive me sku and qty for every order",
            "sku=[\"A-1\",\"B-7\"] qty=[3,5]",
        ),
        (
            "I need the price and the stock of the blue mug.\n\nitem,price,stock\nred mug,4.50,12\nblue mug,5.20,3",
            "price=5.2 stock=3",
        ),
        (
            "Extract vendor, date and total and convert the total to euros:\n\nVendor: Shell\nDate: 2025-02-03\nTotal: $45.00",
            "",
        ),
        (
            "Pull the host and the port of the database from this yaml\n\nserver:\n  host: web1\n  port: 80\ndatabase:\n  host: db1\n  port: 5432",
            "",
        ),
        (
            "Lease between Harbour Lets Ltd (\"Landlord\") and Ms Jo Birch (\"Tenant\"). The term is twelve months.\n\nlandlord, tenant, term",
            "landlord=\"Harbour Lets Ltd\" tenant=\"Ms Jo Birch\" term=\"twelve months\"",
        ),
        (
            "which invoice numbers are in here?\n\nWe miss invoice 4411 from May and invoice no. 4420.",
            "invoice numbers=[\"4411\",\"4420\"]",
        ),
        (
            "get email phone and address\n\nEmail: a@b.example\nPhone: 020 7946 0000\nAddress: 4 High St, Leeds",
            "email=\"a@b.example\" phone=\"020 7946 0000\" address=\"4 High St, Leeds\"",
        ),
        (
            "supplier, VAT ID and order date; leave empty what is not there\n\nSupplier....... Mühlbauer\nOrder date..... 2024-04-09",
            "supplier=\"Mühlbauer\" VAT ID=null order date=\"2024-04-09\"",
        ),
        ("the total?\n\nTotal: 12.00\nItems: 3\nTotal: 15.00", ""),
        (
            "city, payment method\n\n{\"address\":{\"city\":\"Frome\"},\"payment\":{\"method\":\"debit\"}}",
            "city=\"Frome\" payment method=\"debit\"",
        ),
    ];

    #[test]
    fn names_are_read_and_values_found() {
        for (task, expect) in CASES {
            let found = answer(task).ok().flatten().map(|outcome| outcome.values).unwrap_or_default();
            let told: Vec<String> = found.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!(told.join(" "), *expect, "{task}");
        }
    }
}
