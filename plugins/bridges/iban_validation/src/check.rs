//! Whether an IBAN in electronic form is right, and what its parts are.
//!
//! Invariants: `valid` holds exactly if there are no faults; fields are given only for a BBAN of the right structure.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    national::{self, Status, mod97},
    registry::Country,
};

/// What is right and wrong with the IBAN.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verdict {
    /// Structure, check digits and, where checked, national check digits are right.
    pub valid: bool,
    /// Electronic form: capitals, nothing between.
    pub iban: String,
    /// Printed form: groups of four.
    pub formatted: String,
    /// For notes and logs: all but country and last four characters hidden.
    pub masked: String,
    /// The first two characters, if the country is known here.
    pub country: Option<&'static str>,
    /// Is the country in the SWIFT IBAN registry? None if it is not known at all.
    pub registered: Option<bool>,
    /// Is the country in the SEPA schemes, where the source says so?
    pub sepa: Option<bool>,
    /// Structure of the country's BBAN: `n` digits, `a` letters, `c` both.
    pub structure: Option<&'static str>,
    /// Length that an IBAN of this country has.
    pub expected_length: Option<usize>,
    /// The check digits that would be right for country and BBAN; none where the structure is wrong. A hint: the mistake may be elsewhere.
    pub expected_check_digits: Option<String>,
    /// The national account number.
    pub bban: Option<String>,
    /// The bank's code, if the country has such a field.
    pub bank_code: Option<String>,
    /// The branch's code, if the country has such a field.
    pub branch_code: Option<String>,
    /// All fields of the BBAN by place.
    pub fields: Vec<Field>,
    /// National check digits.
    pub national_check: Status,
    /// Their rule, if one is known.
    pub national_rule: Option<&'static str>,
    /// What is wrong; empty if valid.
    pub faults: Vec<Fault>,
}

/// A field of the BBAN.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Field {
    /// bank_code, branch_code, account_type, currency_code, account_code, account_id, account_holder_id or national_checksum_digits.
    pub name: &'static str,
    /// Its characters.
    pub value: String,
    /// Place of its first character in the IBAN, from 1.
    pub position: usize,
    /// Is it in the SWIFT registry's own data?
    pub registry: bool,
}

/// Something wrong.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// characters, country, length, structure, check_digits or national_check_digits.
    pub code: &'static str,
    /// In words.
    pub message: String,
    /// Place of the first wrong character in the IBAN (of a BBAN, in the BBAN), from 1, where there is one.
    pub position: Option<usize>,
}

impl Fault {
    fn new(code: &'static str, message: impl Into<String>, position: Option<usize>) -> Self {
        Self { code, message: message.into(), position }
    }
}

/// Checks an IBAN in electronic form.
pub fn check(iban: &str) -> Verdict {
    let country = iban.get(..2).and_then(Country::find);
    let bban = iban.get(4..).filter(|bban| iban.is_ascii() && !bban.is_empty());
    let mut faults = structure_faults(iban, country.as_ref());
    let sound = faults.is_empty();
    let expected = match (&country, bban) {
        (Some(country), Some(bban)) if bban_fault(country, bban).is_none() => Some(check_digits(country.code, bban)),
        _ => None,
    };
    if sound && expected.as_deref() != iban.get(2..4) {
        let message = format!("the check digits do not fit: {} would", expected.as_deref().unwrap_or("others"));
        faults.push(Fault::new("check_digits", message, Some(3)));
    }
    let rule = country.as_ref().and_then(|country| national::rule(country.code));
    let national_check = match (rule, bban) {
        _ if !sound => Status::NotChecked,
        (Some((_, keeps)), Some(bban)) if keeps(bban) => Status::Passed,
        (Some(_), _) => Status::Failed,
        (None, _) => Status::NoRule,
    };
    if national_check == Status::Failed {
        let rule = rule.map_or("", |(name, _)| name);
        faults.push(Fault::new(
            "national_check_digits",
            format!("the national check digits do not fit ({rule})"),
            None,
        ));
    }
    let fields = match (&country, bban) {
        (Some(country), Some(bban)) if sound => fields(country, bban),
        _ => Vec::new(),
    };
    let value = |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.value.clone());
    Verdict {
        valid: faults.is_empty(),
        formatted: grouped(iban),
        masked: masked(iban),
        registered: country.as_ref().map(|country| country.registered),
        sepa: country.as_ref().and_then(|country| country.sepa),
        structure: country.as_ref().map(|country| country.structure),
        expected_length: country.as_ref().map(|country| country.length() + 4),
        country: country.map(|country| country.code),
        expected_check_digits: expected,
        bban: bban.filter(|_| sound).map(str::to_owned),
        bank_code: value("bank_code"),
        branch_code: value("branch_code"),
        fields,
        national_check,
        national_rule: rule.map(|(name, _)| name),
        faults,
        iban: iban.to_owned(),
    }
}

/// Wrong characters, country, length and structure, in this order; one hides the next.
fn structure_faults(iban: &str, country: Option<&Country>) -> Vec<Fault> {
    if let Some(place) = iban.chars().position(|letter| !letter.is_ascii_alphanumeric()) {
        let message = "an IBAN has only letters A to Z and digits";
        return vec![Fault::new("characters", message, Some(place + 1))];
    }
    let Some(country) = country else {
        let shown = iban.get(..2).unwrap_or(iban);
        return vec![Fault::new("country", format!("no country with IBANs known here has the code {shown}"), Some(1))];
    };
    let expect = country.length() + 4;
    if iban.len() != expect {
        let message = format!("an IBAN of {} has {expect} characters, this has {}", country.code, iban.len());
        return vec![Fault::new("length", message, None)];
    }
    if let Some(place) = iban.chars().skip(2).take(2).position(|letter| !letter.is_ascii_digit()) {
        return vec![Fault::new("structure", "the check digits are two digits", Some(place + 3))];
    }
    let fault = bban_fault(country, iban.get(4..).unwrap_or_default());
    fault.map(|fault| Fault { position: fault.position.map(|place| place + 4), ..fault }).into_iter().collect()
}

/// What is wrong with the structure of a BBAN.
pub fn bban_fault(country: &Country, bban: &str) -> Option<Fault> {
    let count = bban.chars().count();
    if count != country.length() {
        let message =
            format!("an account number of {} has {} characters, this has {count}", country.code, country.length());
        return Some(Fault::new("length", message, None));
    }
    bban.chars().enumerate().find_map(|(place, letter)| {
        let kind = country.kind_at(place);
        let (fits, what) = match kind {
            Some('n') => (letter.is_ascii_digit(), "a digit"),
            Some('a') => (letter.is_ascii_uppercase(), "a letter A to Z"),
            _ => (letter.is_ascii_uppercase() || letter.is_ascii_digit(), "a letter A to Z or a digit"),
        };
        (!fits).then(|| Fault::new("structure", format!("{letter:?} stands where {what} must be"), Some(place + 1)))
    })
}

/// The right check digits: 98 less the number that the rest makes, mod 97. They are 02 to 98.
pub fn check_digits(country: &str, bban: &str) -> String {
    format!("{:02}", 98u32.saturating_sub(mod97(&format!("{bban}{country}00"))))
}

fn fields(country: &Country, bban: &str) -> Vec<Field> {
    let field = |part: &crate::registry::Part| {
        Some(Field {
            name: part.name,
            value: bban.get(part.range.clone())?.to_owned(),
            position: part.range.start + 5,
            registry: part.registry,
        })
    };
    let mut fields: Vec<Field> = country.parts.iter().filter_map(field).collect();
    fields.sort_by_key(|field| field.position);
    fields
}

fn grouped(iban: &str) -> String {
    let mut text = String::new();
    for (place, letter) in iban.chars().enumerate() {
        if place > 0 && place % 4 == 0 {
            text.push(' ');
        }
        text.push(letter);
    }
    text
}

fn masked(iban: &str) -> String {
    let count = iban.chars().count();
    let hide = |(place, letter)| if place >= 2 && place + 4 < count { '*' } else { letter };
    iban.chars().enumerate().map(hide).collect()
}
