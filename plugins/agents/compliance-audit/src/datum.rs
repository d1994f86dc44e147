//! Data by their forms: addresses, numbers, dates, and values behind labels.

use agent_common::dates;

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
    let lower = format!(" {} ", crate::plain(name));
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

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '<' | '>' | '|' | '"'))
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn shape(word: &str) -> String {
    word.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect()
}

fn is_email(word: &str) -> bool {
    let word = email(word);
    word.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty() && host.contains('.') && !host.starts_with('.') && !host.ends_with('.') && host.len() > 3
    })
}

/// `mail=a@b.example` and `(a@b.example).` without what is around.
fn email(word: &str) -> &str {
    let word = word.rsplit(['=', ':', '(']).next().unwrap_or(word);
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

/// Runs of groups of letters and digits, parted by single spaces or hyphens.
fn grouped(text: &str, fits: fn(&str) -> bool) -> Vec<String> {
    let tokens: Vec<&str> = text
        .split([' ', '\n', '=', '\t', ':', ';', ',', '|'])
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut hit = 0;
        for count in (1..=9).rev() {
            let Some(group) = tokens.get(at..at + count) else { continue };
            let joined = group.join(" ");
            if group.iter().all(|part| !part.is_empty()) && fits(&joined) && text.contains(&joined) {
                found.push(joined);
                hit = count;
                break;
            }
        }
        at += hit.max(1);
    }
    found
}

fn is_iban(text: &str) -> bool {
    let compact: String = text.chars().filter(|c| *c != ' ').collect();
    let bytes = compact.as_bytes();
    (15..=34).contains(&compact.len())
        && bytes.iter().take(2).all(u8::is_ascii_uppercase)
        && bytes.iter().skip(2).take(2).all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && compact.bytes().filter(u8::is_ascii_digit).count() >= 10
        && mod97(&compact)
}

/// The check number of an account.
pub fn mod97(compact: &str) -> bool {
    let Some((head, tail)) = compact.split_at_checked(4) else { return false };
    let mut rest = 0u32;
    for c in tail.chars().chain(head.chars()) {
        let Some(value) = c.to_digit(36) else { return false };
        rest = (rest * if value > 9 { 100 } else { 10 } + value) % 97;
    }
    rest == 1
}

fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter(|c| !matches!(c, ' ' | '-')).map_while(|c| c.to_digit(10)).collect();
    let whole = text.chars().filter(|c| !matches!(c, ' ' | '-')).count();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| {
            if at % 2 == 1 {
                let twice = digit * 2;
                twice / 10 + twice % 10
            } else {
                *digit
            }
        })
        .sum();
    digits.len() == whole
        && (13..=19).contains(&whole)
        && sum.is_multiple_of(10)
        && digits.first().is_some_and(|first| (2..=6).contains(first))
}

/// Two letters of a country and its count of signs.
pub fn is_vat(word: &str) -> bool {
    let (country, rest) = word.split_at_checked(2).unwrap_or(("", ""));
    let known = [
        "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GB", "HR", "HU", "IE", "IT", "LT",
        "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI",
    ]
    .contains(&country);
    known
        && (8..=12).contains(&rest.len())
        && rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase())
        && rest.bytes().filter(u8::is_ascii_digit).count() >= 7
        && !is_iban(word)
}

fn is_ip(word: &str) -> bool {
    let word = word.trim_matches(['.', ':']);
    let parts: Vec<&str> = word.split('.').collect();
    let four = parts.len() == 4 && parts.iter().all(|part| part.parse::<u8>().is_ok());
    let six = word.matches(':').count() >= 3 && word.parse::<std::net::Ipv6Addr>().is_ok();
    four || six
}

/// International numbers, and digits behind a word for telephones.
fn phones(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let allowed = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')' | '/' | '.');
    let mut taken = 0;
    for (at, c) in text.char_indices() {
        if at < taken
            || !(c == '+' || c == '0' || c == '(')
            || text
                .get(..at)
                .and_then(|t| t.chars().next_back())
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | ',' | '/'))
        {
            continue;
        }
        let rest = text.get(at + 1..).unwrap_or_default();
        let end = rest.find(|c: char| !allowed(c)).unwrap_or(rest.len());
        let body = text.get(at..at + 1 + end).unwrap_or_default().trim_end_matches([' ', '-', '(', '.', '/']);
        let digits = body.bytes().filter(u8::is_ascii_digit).count();
        let dated = !dates::scan(body, None).is_empty();
        if (8..=15).contains(&digits) && !dated && (c != '0' || body.contains([' ', '/', '-']) || digits >= 10) {
            found.push(body.to_owned());
            taken = at + body.len();
        }
    }
    if found.is_empty() {
        found = behind(text, &["phone", "tel.", "tel:", "telefon", "mobile", "call me at", "call us on", "ring "], 6);
    }
    found
}

/// A run with digits behind one of the words.
fn behind(text: &str, names: &[&str], least: usize) -> Vec<String> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return Vec::new();
    }
    for name in names {
        for (at, _) in lower.match_indices(name) {
            let line = text.get(at + name.len()..).unwrap_or_default().split('\n').next().unwrap_or_default();
            let skip = line.find(|c: char| c.is_ascii_digit()).filter(|skip| *skip <= 24);
            let Some(skip) = skip else { continue };
            let rest = line.get(skip..).unwrap_or_default();
            let end =
                rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, ' ' | '/' | '-' | '.'))).unwrap_or(rest.len());
            let value = rest.get(..end).unwrap_or_default().trim_end_matches([' ', '.', '-', '/']);
            if value.bytes().filter(u8::is_ascii_digit).count() >= least {
                return vec![value.to_owned()];
            }
        }
    }
    Vec::new()
}

fn births(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let cues = [
        "born",
        "geb.",
        "geboren",
        "geburtsdatum",
        "date of birth",
        "dob",
        "birthday",
        "né le",
        "née le",
        "nacido",
        "nacida",
        "birth date",
    ];
    let near = |start: usize| {
        let before: String = lower
            .get(..start)
            .unwrap_or_default()
            .chars()
            .rev()
            .take(28)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
        // Another date between belongs to the word, not this one.
        cues.iter()
            .filter_map(|cue| before.rfind(cue).map(|at| at + cue.len()))
            .any(|end| !before.get(end..).unwrap_or_default().chars().any(|c| c.is_ascii_digit()))
    };
    if lower.len() != text.len() {
        return Vec::new();
    }
    dates::scan(text, None)
        .iter()
        .filter(|found| near(found.start))
        .filter_map(|found| text.get(found.start..found.end).map(str::to_owned))
        .collect()
}

/// Postcode and town with a street and a number before them.
fn addresses(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split(", ").collect();
        for (at, part) in parts.iter().enumerate() {
            let words: Vec<&str> = part.split_whitespace().collect();
            let code = words
                .first()
                .is_some_and(|word| (4..=5).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit()));
            let town = words.get(1).is_some_and(|word| word.starts_with(char::is_uppercase));
            let street = at.checked_sub(1).and_then(|before| parts.get(before)).copied().unwrap_or_default();
            let tail = street.rsplit([':', '.']).next().unwrap_or(street).trim();
            if code && town && tail.chars().any(|c| c.is_ascii_digit()) {
                let town: String = part.split(['.', ';']).next().unwrap_or(part).to_owned();
                found.push(format!("{tail}, {}", town.trim()));
            }
        }
        let lower = line.to_lowercase();
        let streets = [
            " street", " road", " lane", " avenue", " drive", "straße", "strasse", "str. ", "weg ", "allee ", "platz ",
            "gasse ", "rue ", "calle ", " walk", " square",
        ];
        if found.is_empty()
            && streets.iter().any(|street| lower.contains(street))
            && line.chars().any(|c| c.is_ascii_digit())
            && line.split_whitespace().count() <= 12
        {
            found.push(line.trim().to_owned());
        }
    }
    found
}

fn rates(text: &str) -> Vec<String> {
    let fits = |line: &&str| {
        let lower = line.to_lowercase();
        ["vat", "tax", "mwst", "ust", "tva", "iva", "gst"].iter().any(|word| lower.contains(word)) && line.contains('%')
    };
    text.lines().filter(fits).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Companies by their form, persons by a title or a greeting before the name.
fn names(text: &str) -> Vec<String> {
    let forms = [
        "GmbH", "AG", "KG", "Ltd", "Ltd.", "Inc", "Inc.", "LLC", "S.L.", "SARL", "GbR", "UG", "B.V.", "plc", "PLC",
        "OÜ", "S.A.", "SA", "e.K.", "OHG", "Limited", "S.r.l.", "AB", "Oy",
    ];
    let mut found: Vec<String> = text
        .lines()
        .filter(|line| line.split_whitespace().any(|word| forms.contains(&word.trim_matches([',', ';', '(', ')']))))
        .map(|line| line.trim().to_owned())
        .collect();
    let titles = [
        "Mr", "Mrs", "Ms", "Dr", "Prof", "Herr", "Frau", "Mr.", "Mrs.", "Ms.", "Dr.", "Dear", "Hallo", "Hello", "Hi",
        "Monsieur", "Madame", "Señor", "Señora",
    ];
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            let [title, name] = pair else { continue };
            let word = name.trim_matches(|c: char| !c.is_alphanumeric());
            let person = word.chars().count() > 2
                && word.starts_with(char::is_uppercase)
                && !["Sir", "Madam", "Team", "All", "Customer", "Colleagues", "Everyone"].contains(&word);
            if titles.contains(title) && person && !name.contains("{{") {
                found.push(format!("{title} {word}"));
            }
        }
    }
    found
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
