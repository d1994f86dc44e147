//! The fields that a request names, and of what kind each is.

use agent_common::columns::{fold, name_words};
use agent_common::{phrases, quotes};

/// What a field holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    Email,
    Phone,
    Iban,
    Url,
    Day,
    Time,
    Amount,
    Percent,
    /// A number of something.
    Count,
    /// Letters and digits: `INV-1`.
    Code,
    Postcode,
    Hashtag,
    Mention,
    /// A person or a firm.
    Name,
    Text,
}

/// A field that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    pub name: String,
    pub words: Vec<String>,
    pub sort: Sort,
    /// All there are.
    pub many: bool,
}

/// Words of names by what they hold; the last word decides before the others.
const SORTS: &[(&[&str], Sort)] = &[
    (&["email", "mail", "emails", "mails", "courriel", "correo"], Sort::Email),
    (
        &[
            "phone",
            "phones",
            "telephone",
            "tel",
            "mobile",
            "telefon",
            "callback",
            "telefonnummer",
            "handy",
            "handynummer",
            "telefono",
            "telefone",
        ],
        Sort::Phone,
    ),
    (&["iban", "ibans"], Sort::Iban),
    (&["url", "urls", "website", "websites", "link", "links", "homepage", "webseite", "web"], Sort::Url),
    (&["hashtag", "hashtags"], Sort::Hashtag),
    (&["mention", "mentions"], Sort::Mention),
    (&["percentage", "percent", "prozent", "prozentsatz", "prozentpunkte"], Sort::Percent),
    (&["postcode", "zip", "plz", "postleitzahl", "postcodes"], Sort::Postcode),
    (
        &[
            "date",
            "dates",
            "datum",
            "deadline",
            "deadlines",
            "birthday",
            "dob",
            "fecha",
            "data",
            "geburtsdatum",
            "rechnungsdatum",
            "lieferdatum",
            "expiry",
            "due",
            "falligkeit",
            "bestelldatum",
            "born",
        ],
        Sort::Day,
    ),
    (&["time", "uhrzeit", "times", "heure", "hora", "departs", "arrives"], Sort::Time),
    (
        &[
            "amount",
            "amounts",
            "total",
            "totals",
            "price",
            "prices",
            "net",
            "gross",
            "vat",
            "tax",
            "subtotal",
            "cost",
            "costs",
            "fee",
            "fees",
            "salary",
            "rent",
            "deposit",
            "betrag",
            "gesamtbetrag",
            "preis",
            "summe",
            "netto",
            "brutto",
            "mwst",
            "montant",
            "prix",
            "valor",
            "importe",
            "precio",
            "balance",
            "miete",
            "kaution",
            "sum",
            "gesamtsumme",
            "rechnungsbetrag",
            "budget",
            "shipping",
            "discount",
            "gehalt",
            "prezzo",
            "totale",
            "importo",
            "premium",
            "charge",
            "penalty",
            "bid",
            "donation",
            "wage",
            "payment",
            "commission",
            "revenue",
            "turnover",
            "profit",
        ],
        Sort::Amount,
    ),
    (
        &[
            "quantity",
            "qty",
            "quantities",
            "count",
            "guests",
            "nights",
            "pages",
            "pieces",
            "menge",
            "anzahl",
            "age",
            "units",
            "pallets",
            "weight",
            "temperature",
            "port",
            "size",
            "rooms",
            "hours",
            "distance",
            "bedrooms",
            "capacity",
            "reading",
            "consumption",
            "mileage",
            "population",
            "area",
            "height",
            "width",
            "length",
            "speed",
            "power",
            "stock",
            "seats",
            "persons",
            "floors",
            "participants",
            "years",
            "days",
        ],
        Sort::Count,
    ),
    (
        &[
            "number",
            "no",
            "nr",
            "id",
            "code",
            "reference",
            "ref",
            "nummer",
            "rechnungsnummer",
            "bestellnummer",
            "kundennummer",
            "cpf",
            "cnpj",
            "nif",
            "sku",
            "plate",
            "numero",
            "isbn",
            "doi",
            "version",
            "steuernummer",
            "bic",
            "swift",
            "order",
            "invoice",
            "flight",
            "seat",
            "gate",
            "tracking",
            "serial",
            "fax",
            "vin",
            "registration",
            "auftragsnummer",
            "case",
            "ticket",
        ],
        Sort::Code,
    ),
    (
        &[
            "name",
            "names",
            "customer",
            "client",
            "company",
            "author",
            "sender",
            "recipient",
            "supplier",
            "vendor",
            "seller",
            "buyer",
            "person",
            "people",
            "persons",
            "contact",
            "kunde",
            "nom",
            "nome",
            "nombre",
            "absender",
            "empfanger",
            "lieferant",
            "firma",
            "organisation",
            "organisations",
            "driver",
            "passenger",
            "tenant",
            "landlord",
            "employee",
            "employer",
            "patient",
            "manager",
            "signatory",
            "artist",
            "places",
            "city",
            "town",
            "country",
            "cliente",
            "host",
            "guest",
        ],
        Sort::Name,
    ),
];

/// What a field of this name holds.
pub fn sort(words: &[String]) -> Sort {
    let has = |word: &str| words.iter().any(|own| own == word);
    if has("number") && (has("phone") || has("callback") || has("mobile") || has("telephone") || has("contact")) {
        return Sort::Phone;
    }
    if (has("rate") && (has("vat") || has("tax"))) || words.last().is_some_and(|word| word == "percent") {
        return Sort::Percent;
    }
    if has("host") || has("database") || has("password") {
        return Sort::Text;
    }
    let of = |word: &String| SORTS.iter().find(|(names, _)| names.contains(&word.as_str())).map(|(_, sort)| *sort);
    // `nome do cliente`, `name of the customer`: the first word decides.
    let sum = has("amount") || has("total") || has("balance") || has("sum");
    if has("due") && sum && !has("date") {
        return Sort::Amount;
    }
    let joined = words
        .iter()
        .position(|word| ["of", "do", "da", "de", "du", "des", "der", "del", "della"].contains(&word.as_str()));
    let head = joined.and_then(|at| words.get(..at)).unwrap_or(words);
    // `payment method` is no amount: only the last word tells what is counted or paid.
    let names =
        |sort: &Sort| matches!(sort, Sort::Code | Sort::Name | Sort::Email | Sort::Phone | Sort::Iban | Sort::Url);
    let last = head.last().and_then(of);
    last.or_else(|| head.iter().rev().skip(1).filter_map(of).find(names))
        .or_else(|| words.last().filter(|_| head.len() < words.len()).and_then(of))
        .unwrap_or(Sort::Text)
}

/// The fields of a request.
pub fn read(instruction: &str) -> Vec<Wanted> {
    let marked: Vec<String> = quotes::find(instruction)
        .into_iter()
        .filter(|quote| instruction.get(quote.start..).is_some_and(|rest| rest.starts_with('`')))
        .map(|quote| quote.text.to_owned())
        .collect();
    let bare = without_each(instruction);
    let instruction = bare.as_str();
    let names = if marked.len() > 1 { marked } else { split(phrases::fields(instruction), instruction) };
    let mut all: Vec<Wanted> = Vec::new();
    for name in names {
        let name = clean(&name);
        let words = name_words(&name);
        let empty = words.is_empty() || words.iter().all(|word| EMPTY.contains(&word.as_str()));
        if !empty && !all.iter().any(|own| own.name == name) {
            // `total after discount` is a total.
            let cut = words.iter().position(|word| {
                ["after", "before", "including", "incl", "excluding", "excl", "per"].contains(&word.as_str())
            });
            let words: Vec<String> =
                words.iter().take(cut.filter(|at| *at > 0).unwrap_or(words.len())).cloned().collect();
            let last = words.last().cloned().unwrap_or_default();
            let many = is_plural(&last)
                || fold(instruction).contains(&format!("all {}", words.join(" ")))
                || fold(instruction).contains(&format!("every {}", words.join(" ")));
            all.push(Wanted { sort: sort(&words), words, name, many });
        }
    }
    all
}

/// `For each person give name and email`: without whose.
fn without_each(instruction: &str) -> String {
    let lower = fold(instruction);
    let leads = [
        "for each ",
        "for every ",
        "for all ",
        "from this ",
        "from the ",
        "from these ",
        "from each ",
        "in this ",
        "fur jede ",
        "fur jeden ",
        "pour chaque ",
    ];
    let opens = leads.iter().any(|lead| lower.starts_with(lead));
    let verbs = [
        " give ",
        " get ",
        " list ",
        " extract ",
        " return ",
        " pull ",
        " i need ",
        " we need ",
        " show ",
        " find ",
        " take ",
        " tell me ",
        ", ",
        ": ",
    ];
    let cut = verbs.iter().filter_map(|verb| instruction.find(verb)).filter(|at| *at < 60).min().filter(|_| opens);
    match cut.and_then(|at| instruction.get(at..)) {
        Some(rest) => {
            let rest = rest.trim_start_matches([',', ':', ' ']);
            let known = verbs.iter().any(|verb| rest.starts_with(verb.trim_start()) && verb.trim().len() > 1);
            if known { rest.to_owned() } else { format!("extract {rest}") }
        }
        None => instruction.to_owned(),
    }
}

/// Words that name no field.
const EMPTY: &[&str] = &[
    "fields",
    "field",
    "values",
    "value",
    "data",
    "information",
    "info",
    "details",
    "everything",
    "all",
    "following",
    "key",
    "pairs",
    "list",
    "lists",
    "table",
    "it",
    "them",
    "this",
    "json",
    "entities",
    "usual",
    "ones",
    "facts",
    "important",
    "text",
    "below",
    "the",
    "lines",
    "csv",
    "records",
    "structured",
    "relevant",
    "main",
    "things",
    "object",
];

fn is_plural(word: &str) -> bool {
    const ALL: &[&str] = &[
        "emails",
        "mails",
        "addresses",
        "phones",
        "numbers",
        "dates",
        "amounts",
        "prices",
        "hashtags",
        "mentions",
        "urls",
        "links",
        "names",
        "people",
        "ibans",
        "totals",
        "codes",
        "ids",
        "persons",
        "organisations",
        "places",
        "times",
        "percentages",
        "websites",
        "quantities",
        "adressen",
        "betrage",
        "nummern",
        "daten",
        "fechas",
        "figures",
        "companies",
        "cities",
        "ingredients",
        "deadlines",
    ];
    ALL.contains(&word)
}

/// `from / to`, `a & b`, and what stands before a colon of its own.
fn split(names: Vec<String>, instruction: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    // Portuguese and Italian join with `e`, which is a letter elsewhere.
    let romance = ["extraia", "estrai", "indique", "preciso", "trova", "encontre", "liste", "qual", "quais", "quali"];
    let asked = fold(instruction);
    let joins_by_e = asked.split(|c: char| !c.is_alphanumeric()).any(|word| romance.contains(&word));
    let names: Vec<String> = names
        .into_iter()
        .flat_map(|name| if joins_by_e { name.split(" e ").map(str::to_owned).collect::<Vec<_>>() } else { vec![name] })
        .collect();
    for name in names {
        let parts: Vec<&str> = if name.contains(" / ") { name.split(" / ").collect() } else { vec![&name] };
        all.extend(parts.into_iter().map(str::to_owned));
    }
    if all.is_empty() {
        // `phone number?`, `invoice number please`
        let first = instruction.split(['?', '.', '\n', ':']).next().unwrap_or_default();
        let short = first.split_whitespace().count() <= 5;
        let known = sort(&name_words(first)) != Sort::Text;
        if short && known {
            all = phrases::list(first);
        }
    }
    all
}

fn clean(name: &str) -> String {
    let mut text = name.trim().trim_matches(|c: char| "`'\"*:;.,()[]".contains(c)).to_owned();
    let asks = [
        "quels sont ",
        "quelles sont ",
        "quelle est ",
        "quel est ",
        "wie lautet ",
        "wie lauten ",
        "what are ",
        "what is ",
        "was ist ",
        "qual e ",
        "quais sao ",
        "cual es ",
        "cuales son ",
        "values for ",
        "values of ",
        "value of ",
        "value for ",
        "following fields ",
        "fields ",
    ];
    let folded = fold(&text);
    if let Some(lead) = asks.iter().find(|lead| folded.starts_with(**lead)) {
        text = text.chars().skip(lead.chars().count()).collect();
    }
    let lower = fold(&text);
    for lead in [
        "hole ",
        "give ",
        "get ",
        "show ",
        "return ",
        "list ",
        "extract ",
        "only the ",
        "just the ",
        "the ",
        "out the ",
        "me the ",
        "all the ",
        "all ",
        "every ",
        "each ",
        "both the ",
        "their ",
        "its ",
        "out ",
        "me ",
        "here the ",
        "whose ",
        "o ",
        "a ",
        "as ",
        "os ",
        "el ",
        "la ",
        "le ",
        "les ",
        "die ",
        "der ",
        "das ",
        "den ",
        "l'",
        "alle ",
        "tous les ",
        "toutes les ",
        "todos os ",
        "todas las ",
    ] {
        if lower.starts_with(lead) && text.len() > lead.len() {
            text = text.get(lead.len()..).unwrap_or(&text).to_owned();
            break;
        }
    }
    for tail in [
        " in euro",
        " in euros",
        " in eur",
        " in usd",
        " in dollars",
        " heraus",
        " raus",
        " mentioned",
        " found",
        " only",
        " too",
        " there",
        " please",
        " pls",
        " bitte",
        " as a list",
        " as list",
        " each",
        " of the sender",
        " in iso format",
        " if any",
        " if given",
        " if there is one",
        " from this",
        " from it",
        " as a number",
        " as number",
    ] {
        if fold(&text).ends_with(tail) && text.is_char_boundary(text.len() - tail.len()) {
            text.truncate(text.len() - tail.len());
        }
    }
    text.trim().to_owned()
}
