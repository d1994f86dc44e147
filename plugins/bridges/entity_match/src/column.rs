//! Columns: the fields to compare with their types, and every record's value made ready once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tollbridge_sdk::Error;

use crate::input::{Field, Input, Kind, LONGEST_NAME, MOST_FIELDS};
use crate::table::{Lists, text_of};
use crate::value::Value;

/// A field of all records.
pub struct Column {
    pub name: String,
    pub kind: Kind,
    pub m: Option<f64>,
    pub u: Option<f64>,
    /// Different values.
    pub values: Vec<Value>,
    /// How many records have each of them.
    pub counts: Vec<usize>,
    /// By record: place in `values`.
    pub cells: Vec<Option<usize>>,
}

impl Column {
    /// The value of a record.
    #[must_use]
    pub fn value(&self, record: usize) -> Option<&Value> {
        self.values.get(self.cells.get(record).copied().flatten()?)
    }

    /// Records that have a value.
    #[must_use]
    pub fn filled(&self) -> usize {
        self.counts.iter().sum()
    }

    fn new(field: &Field, kind: Kind, lists: &Lists) -> Self {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut column = Self {
            name: field.name.clone(),
            kind,
            m: field.m,
            u: field.u,
            values: Vec::new(),
            counts: Vec::new(),
            cells: Vec::new(),
        };
        for record in lists.all() {
            let value = text_of(record, &field.name).and_then(|text| Value::new(kind, &text));
            let cell = value.map(|value| {
                // Words in another order are another value, although their keys may be equal.
                let key = value.words.iter().map(|word| word.iter().collect::<String>()).collect::<Vec<_>>().join(" ");
                *known.entry(key).or_insert_with(|| {
                    column.values.push(value);
                    column.counts.push(0);
                    column.values.len() - 1
                })
            });
            if let Some(count) = cell.and_then(|place| column.counts.get_mut(place)) {
                *count += 1;
            }
            column.cells.push(cell);
        }
        column
    }
}

/// The columns to compare.
pub fn read(input: &Input, lists: &Lists) -> Result<Vec<Column>, Error> {
    let names: BTreeSet<&String> = lists.all().flat_map(BTreeMap::keys).collect();
    let id = id_field(input, &names)?;
    let fields: Vec<Field> = match &input.fields {
        Some(fields) => fields.clone(),
        None => {
            let wanted = names.iter().filter(|name| Some(name.as_str()) != id.as_deref());
            wanted.map(|name| Field { name: (*name).clone(), ..Field::default() }).collect()
        }
    };
    if fields.is_empty() || fields.len() > MOST_FIELDS {
        let text = format!("{} fields; name 1 to {MOST_FIELDS} to compare", fields.len());
        return Err(Error::invalid("/fields", text));
    }
    let mut columns: Vec<Column> = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        let wrong = |member: &str, text: String| Err(Error::invalid(format!("/fields/{place}{member}"), text));
        if !names.contains(&field.name) {
            return wrong("/name", "no record has this member".to_owned());
        }
        if field.name.len() > LONGEST_NAME {
            return wrong("/name", format!("longer than {LONGEST_NAME} bytes"));
        }
        if columns.iter().any(|column| column.name == field.name) {
            return wrong("/name", "this member is named twice".to_owned());
        }
        if field.m.is_some_and(|m| !(0.01..=0.9999).contains(&m)) {
            return wrong("/m", "must lie between 0.01 and 0.9999".to_owned());
        }
        if field.u.is_some_and(|u| !(0.000_001..=0.9).contains(&u)) {
            return wrong("/u", "must lie between 0.000001 and 0.9".to_owned());
        }
        if field.m.zip(field.u).is_some_and(|(m, u)| m <= u) {
            return wrong("/m", "must be above `u`, else agreement would speak against a match".to_owned());
        }
        let kind = field.kind.unwrap_or_else(|| guess(&field.name, lists));
        columns.push(Column::new(field, kind, lists));
    }
    Ok(columns)
}

/// The member that names records.
pub fn id_field(input: &Input, names: &BTreeSet<&String>) -> Result<Option<String>, Error> {
    match &input.id_field {
        Some(id) if names.contains(id) => Ok(Some(id.clone())),
        Some(_) => Err(Error::invalid("/id_field", "no record has this member")),
        None => Ok(["id", "rec_id"].into_iter().map(str::to_owned).find(|id| names.contains(id))),
    }
}

/// A type by the name of the field, else by the first values.
fn guess(name: &str, lists: &Lists) -> Kind {
    let lower = name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| lower.contains(part));
    if has(&["mail"]) {
        return Kind::Email;
    }
    if has(&["phone", "mobile", "fax", "tel"]) {
        return Kind::Phone;
    }
    if has(&["date", "dob", "birth", "born"]) {
        return Kind::Date;
    }
    if has(&["post", "zip", "code", "number", "_no", "_id", "state", "country", "vat", "iban", "sku", "gender", "sex"])
    {
        return Kind::Code;
    }
    if has(&["addr", "street", "road"]) {
        return Kind::Address;
    }
    if has(&["name", "company", "city", "town", "suburb", "firm", "author", "artist"]) {
        return Kind::Name;
    }
    let sample: Vec<String> = lists.all().filter_map(|record| text_of(record, name)).take(50).collect();
    let numbers = sample.iter().filter(|text| text.replace(',', "").parse::<f64>().is_ok()).count();
    if !sample.is_empty() && numbers == sample.len() { Kind::Number } else { Kind::Text }
}
