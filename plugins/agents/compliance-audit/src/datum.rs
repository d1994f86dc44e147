//! Data by their forms: addresses, numbers, dates, and values behind labels.

use crate::cued_values::{addresses, behind, births, names, phones, rates};
use crate::plain_text::plain;
use crate::value_forms::{email, grouped, is_card, is_email, is_iban, is_ip, is_vat, shape, trimmed, words};

/// A kind of data that people ask for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Datum {
    /// E-mail address.
    Email,
    /// Telephone number.
    Phone,
    /// Bank account.
    Iban,
    /// VAT number.
    Vat,
    /// Payment card.
    Card,
    /// Address in a network.
    Ip,
    /// Date of birth.
    Birth,
    /// Postal address.
    Address,
    /// Tax number of a person.
    TaxId,
    /// US social security number.
    Ssn,
    /// US employer number.
    Ein,
    /// Entry in a register of companies.
    Register,
    /// Rate of a tax.
    TaxRate,
    /// Name of a person or company.
    Name,
}

/// Names of kinds, whole words in plain small letters.
const NAMES: &[(Datum, &[&str])] = &[
    (
        Datum::Email,
        &["email", "e mail", "mail address", "emails", "correo electronico", "e mail adresse", "email adresse"],
    ),
    (
        Datum::Phone,
        &["phone", "telephone", "telefon", "telefonnummer", "mobile", "telefono", "rufnummer", "phone number"],
    ),
    (Datum::Iban, &["iban", "bank account", "bankverbindung", "account number"]),
    (
        Datum::Vat,
        &[
            "vat",
            "ust idnr",
            "ust id",
            "umsatzsteuer id",
            "uid",
            "tva",
            "vat number",
            "vat id",
            "btw nummer",
            "partita iva",
            "nif iva",
        ],
    ),
    (Datum::Card, &["credit card", "card number", "payment card", "kreditkarte", "debit card"]),
    (Datum::Ip, &["ip address", "ip", "ip adresse"]),
    (
        Datum::Birth,
        &["date of birth", "birth date", "birthday", "geburtsdatum", "dob", "fecha de nacimiento", "date de naissance"],
    ),
    (Datum::TaxId, &["steuer id", "tax id", "steuernummer", "steuerliche identifikationsnummer", "tax number"]),
    (Datum::Ssn, &["social security number", "ssn", "social security"]),
    (Datum::Ein, &["ein", "employer identification number"]),
    (
        Datum::Register,
        &[
            "handelsregisternummer",
            "register number",
            "company registration number",
            "company number",
            "handelsregister",
            "commercial register",
        ],
    ),
    (Datum::TaxRate, &["tax rate", "vat rate", "steuersatz", "mwst satz"]),
    (
        Datum::Address,
        &["address", "postal address", "anschrift", "adresse", "contact address", "direccion", "home address"],
    ),
    (Datum::Name, &["name", "names", "company name", "seller name", "firma"]),
];

/// The kind of a name.
pub fn named(name: &str) -> Option<Datum> {
    let lower = format!(" {} ", plain(name));
    if lower.contains(" consent ")
        || lower.contains(" password")
        || lower.contains(" rate ") && !lower.contains("tax rate") && !lower.contains("vat rate")
    {
        return None;
    }
    let mut best: Option<(Datum, usize)> = None;
    for (datum, names) in NAMES {
        for known in *names {
            if (lower.contains(&format!(" {known} "))
                || lower.contains(&format!(" {known}s "))
                || lower.contains(&format!(" {known}es ")))
                && best.is_none_or(|(_, most)| known.len() > most)
            {
                best = Some((*datum, known.len()));
            }
        }
    }
    best.map(|(datum, _)| datum)
}

/// What stands in place of a value that is not given.
pub fn is_blank(value: &str) -> bool {
    let lower = value.trim().to_lowercase();
    let bare = lower.trim_matches(['(', ')', '[', ']', '.', '-', '_', ' ', '…', '*']);
    bare.is_empty()
        || lower.contains("{{")
        || lower.contains("___")
        || [
            "to follow",
            "tbd",
            "tba",
            "n/a",
            "none",
            "blank",
            "pending",
            "to be added",
            "unknown",
            "folgt",
            "keine",
            "not yet",
            "missing",
            "to be confirmed",
            "not applicable",
        ]
        .iter()
        .any(|word| bare == *word || bare.starts_with(word))
}

/// The values of a kind in a text.
pub fn find(datum: Datum, text: &str) -> Vec<String> {
    match datum {
        Datum::Email => words(text).filter(|word| is_email(word)).map(|word| email(word).to_owned()).collect(),
        Datum::Phone => phones(text),
        Datum::Iban => grouped(text, is_iban),
        Datum::Vat => words(text)
            .map(trimmed)
            .filter(|word| is_vat(word))
            .map(str::to_owned)
            .chain(crate::numbers::vat(text))
            .fold(Vec::new(), once),
        Datum::Card => grouped(text, is_card),
        Datum::Ip => text
            .split(|c: char| !(c.is_ascii_hexdigit() || c == '.' || c == ':'))
            .filter(|word| is_ip(word))
            .map(str::to_owned)
            .collect(),
        Datum::Birth => births(text),
        Datum::Address => addresses(text),
        Datum::TaxId => behind(
            text,
            &[
                "steuer-id",
                "steuernummer",
                "steuernr",
                "st.-nr",
                "tax id",
                "tax number",
                "identifikationsnummer",
                "tin",
            ],
            8,
        ),
        Datum::Ssn => words(text).map(trimmed).filter(|word| shape(word) == "999-99-9999").map(str::to_owned).collect(),
        Datum::Ein => words(text).map(trimmed).filter(|word| shape(word) == "99-9999999").map(str::to_owned).collect(),
        Datum::Register => behind(
            text,
            &[
                "hrb",
                "hra",
                "fn ",
                "company no",
                "company number",
                "registration number",
                "handelsregister",
                "registered no",
                "registered number",
                "rcs ",
            ],
            3,
        ),
        Datum::TaxRate => rates(text),
        Datum::Name => names(text),
    }
}

fn once(mut list: Vec<String>, one: String) -> Vec<String> {
    if !list.contains(&one) {
        list.push(one);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_by_their_forms() {
        let cases = [
            (Datum::Email, "write to a.b@shop.example, or ?mail=c@d.example", "a.b@shop.example|c@d.example"),
            (Datum::Phone, "call 0170 5550199 or +49 30 5550 1234 on 14.02.2015", "0170 5550199|+49 30 5550 1234"),
            (
                Datum::Iban,
                "to DE89 3704 0044 0532 0130 00. IBAN:GB29NWBK60161331926819",
                "DE89 3704 0044 0532 0130 00|GB29NWBK60161331926819",
            ),
            (Datum::Vat, "UID ATU13585627, USt-IdNr.: DE136695976", "ATU13585627|DE136695976"),
            (Datum::Card, "card=4111111111111111 amount=19.90", "4111111111111111"),
            (Datum::Ip, "ip=203.0.113.42 version 1.2.3", "203.0.113.42"),
            (Datum::Birth, "my son, geb. 14.02.2015, came on 3 May 2024", "14.02.2015"),
            (Datum::Address, "It is: Lindenallee 22, 04157 Leipzig. Bye", "Lindenallee 22, 04157 Leipzig"),
            (Datum::Ein, "EIN 12-3456789", "12-3456789"),
            (Datum::TaxId, "no number here", ""),
            (Datum::Name, "Dear {{name}},\nyour date", ""),
        ];
        for (datum, text, expect) in cases {
            assert_eq!(find(datum, text).join("|"), expect, "{datum:?}: {text}");
        }
        assert!(is_blank("(to follow)") && is_blank("____") && !is_blank("38 per week"));
        assert_eq!(
            (named("E-Mail-Adresse"), named("customer VAT ID"), named("date of birth"), named("termination")),
            (Some(Datum::Email), Some(Datum::Vat), Some(Datum::Birth), None)
        );
    }
}
