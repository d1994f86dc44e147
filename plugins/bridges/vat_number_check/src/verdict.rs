//! The answer about one number.
//!
//! Invariant: `valid` holds exactly if there are no faults.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::Error;

use crate::{rule, table::Country};

/// What is known of the number.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Verdict {
    /// Format and, where checked, check digits are right.
    pub valid: bool,
    /// The number as it is stored and sent to VIES: letters of the country (EL for Greece) and number, nothing between.
    pub vat_number: String,
    /// The number without the letters of the country.
    pub national_number: String,
    /// ISO 3166-1 alpha-2 code, or XI, XK.
    pub country: &'static str,
    /// Its English name.
    pub country_name: &'static str,
    /// Member of the European Union.
    pub eu_member: bool,
    /// Does the number have the country's format?
    pub format_ok: bool,
    /// The format in words.
    pub expected_format: &'static str,
    /// The check digits.
    pub check_digits: Check,
    /// Their rule, if one is known.
    pub rule: Option<&'static str>,
    /// The same firm's number in the national register, where it is part of the VAT number.
    pub register: Option<Register>,
    /// Can VIES be asked about it (the EU and Northern Ireland)?
    pub vies_available: bool,
    /// Always `not_asked`.
    pub vies: &'static str,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// What came of the check digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// They agree.
    Passed,
    /// They do not.
    Failed,
    /// The country has none, or their rule is not known here.
    NoRule,
    /// Not checked, because the format is wrong.
    NotChecked,
}

/// A number in the national register.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Register {
    /// SIREN, KBO/BCE, UID, organisasjonsnummer, Business ID, CVR, organisationsnummer or OIB.
    pub name: &'static str,
    /// The number.
    pub number: String,
}

/// Something wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Fault {
    /// `format` or `check_digits`.
    pub code: &'static str,
    /// In words.
    pub message: String,
}

/// Answers about a number without white space and in capitals.
pub fn of(written: &str, country: Country) -> Result<Verdict, Error> {
    let national = national(written, country);
    let full = format!("{}{national}", country.prefix());
    let tested = if country.prefix_in_pattern() { &full } else { &national };
    let format_ok = tested.is_ascii() && country.fits(tested)?;
    let rule = rule::of(country.code);
    let given_out = rule::is_given_out(country.code, &national);
    let check_digits = match rule {
        _ if !format_ok => Check::NotChecked,
        _ if !given_out => Check::Failed,
        Some((_, keeps)) if keeps(&national) => Check::Passed,
        Some(_) => Check::Failed,
        None => Check::NoRule,
    };
    let mut faults = Vec::new();
    if !format_ok {
        let message = format!("a VAT number of {} is {}; this is {full}", country.name, country.format);
        faults.push(Fault { code: "format", message });
    }
    if check_digits == Check::Failed {
        let message = if given_out {
            format!("the check digits do not fit ({})", rule.map_or("", |(name, _)| name))
        } else {
            format!(
                "{} gives out no number with nothing but zeros before its check digits, or with such a zero at its beginning",
                country.name
            )
        };
        faults.push(Fault { code: "check_digits", message });
    }
    Ok(Verdict {
        valid: faults.is_empty(),
        register: register(country.code, &national).filter(|_| faults.is_empty()),
        vat_number: full,
        national_number: national,
        country: country.code,
        country_name: country.name,
        eu_member: country.eu,
        format_ok,
        expected_format: country.format,
        check_digits,
        rule: rule.map(|(name, _)| name),
        vies_available: country.eu || country.code == "XI",
        vies: "not_asked",
        faults,
    })
}

/// The number without the country's letters, and in the form of today where an older one is still written.
fn national(written: &str, country: Country) -> String {
    // EL and GR, GB and UK are both written.
    let other = match country.code {
        "GR" => "GR",
        "GB" => "UK",
        code => code,
    };
    let bare = written.strip_prefix(country.prefix()).or_else(|| written.strip_prefix(other)).unwrap_or(written);
    let digits = bare.bytes().all(|b| b.is_ascii_digit());
    match country.code {
        // Belgian numbers had nine digits before 2005, Greek ones eight.
        "BE" if bare.len() == 9 && digits => format!("0{bare}"),
        "GR" if bare.len() == 8 && digits => format!("0{bare}"),
        "AT" if bare.len() == 8 && digits => format!("U{bare}"),
        "NO" if bare.len() == 9 && digits => format!("{bare}MVA"),
        // Zeros before a Dutch number are left out by some.
        "NL" => match bare.split_once('B') {
            Some((head, tail)) if head.len() < 9 && !head.is_empty() => format!("{head:0>9}B{tail}"),
            _ => bare.to_owned(),
        },
        // The suffix says that the firm is registered, in one of the languages of the country.
        "CH" => {
            let suffix = ["MWST", "TVA", "IVA", "TPV"].into_iter().find_map(|suffix| bare.strip_suffix(suffix));
            suffix.unwrap_or(bare).to_owned()
        }
        // Also written in Cyrillic letters.
        "MK" => bare.strip_prefix("МК").unwrap_or(bare).to_owned(),
        _ => bare.to_owned(),
    }
}

fn register(country: &str, national: &str) -> Option<Register> {
    let part = |name, number: Option<&str>| Some(Register { name, number: number?.to_owned() });
    match country {
        "FR" => part("SIREN", national.get(2..)).filter(|found| !found.number.starts_with("000")),
        "BE" => part("KBO/BCE", Some(national)),
        "CH" => Some(Register { name: "UID", number: format!("CHE{}", national.get(..9)?) }),
        "NO" => part("organisasjonsnummer", national.get(..9)),
        "FI" => {
            Some(Register { name: "Business ID", number: format!("{}-{}", national.get(..7)?, national.get(7..)?) })
        }
        "DK" => part("CVR", Some(national)),
        "SE" => part("organisationsnummer", national.get(..10)),
        "HR" => part("OIB", Some(national)),
        _ => None,
    }
}
