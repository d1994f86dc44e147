//! Whether a label in a text says the field that is asked for.

use agent_common::columns::{self, fold, name_words};

/// Labels that mean the same; each folded, its words apart.
const SAME: &[&[&str]] = &[
    &[
        "total",
        "total due",
        "amount due",
        "grand total",
        "total amount",
        "sum",
        "gesamtbetrag",
        "rechnungsbetrag",
        "gesamtsumme",
        "gesamt",
        "montant total",
        "valor total",
        "importe total",
        "to pay",
        "balance due",
        "zu zahlen",
        "zahlbetrag",
        "total to pay",
        "total a pagar",
        "total ttc",
        "endbetrag",
        "quantia total",
        "summe",
        "invoice total",
        "order total",
        "amount payable",
        "amount",
        "betrag",
        "total price",
        "gross total",
        "totale",
        "total paid",
        "amount paid",
    ],
    &[
        "invoice number",
        "invoice no",
        "invoice",
        "invoice nr",
        "rechnungsnummer",
        "rechnung nr",
        "rechnungs nr",
        "rechnung",
        "facture n",
        "numero facture",
        "facture no",
        "numero de facture",
        "facture",
        "inv no",
        "invoice id",
        "factura",
        "numero de factura",
        "fattura n",
        "fatura",
    ],
    &[
        "due date",
        "due",
        "payable by",
        "pay by",
        "payment due",
        "zahlbar bis",
        "fallig am",
        "fallig",
        "echeance",
        "vencimiento",
        "due on",
        "falligkeit",
        "please pay by",
        "payment deadline",
        "paid by",
        "be paid by",
        "payment by",
        "payable until",
        "faellig am",
        "zahlungsziel",
        "due by",
        "date d'echeance",
    ],
    &[
        "invoice date",
        "date",
        "datum",
        "dated",
        "rechnungsdatum",
        "issued",
        "issue date",
        "date of issue",
        "date de facture",
        "fecha",
        "data",
        "ausgestellt am",
        "issued on",
        "of",
    ],
    &[
        "deadline",
        "apply by",
        "application deadline",
        "closing date",
        "bewerbungsschluss",
        "until",
        "closes",
        "bewerbung bis",
        "applications by",
    ],
    &[
        "order number",
        "order no",
        "order",
        "bestellnummer",
        "bestellung",
        "ordernr",
        "order id",
        "auftragsnummer",
        "numero de commande",
        "commande",
        "pedido",
        "order nr",
    ],
    &["order date", "ordered on", "ordered", "bestelldatum", "bestellt am", "date of order", "date ordered"],
    &[
        "delivery date",
        "delivered on",
        "delivery",
        "lieferdatum",
        "liefertermin",
        "lieferung",
        "delivered",
        "deliver by",
    ],
    &["customer number", "customer no", "kundennummer", "customer id", "kunden nr", "client number"],
    &[
        "customer",
        "client",
        "bill to",
        "billed to",
        "kunde",
        "cliente",
        "buyer",
        "sold to",
        "customer name",
        "name of the customer",
        "kaufer",
        "nome do cliente",
        "nom du client",
        "rechnung an",
        "client name",
        "nombre del cliente",
        "to",
    ],
    &[
        "supplier",
        "vendor",
        "seller",
        "lieferant",
        "fournisseur",
        "verkaufer",
        "proveedor",
        "from",
        "supplier name",
        "vendor name",
    ],
    &[
        "vat",
        "tax",
        "mwst",
        "ust",
        "tva",
        "iva",
        "vat amount",
        "mehrwertsteuer",
        "umsatzsteuer",
        "sales tax",
        "tax amount",
    ],
    &["net", "netto", "net amount", "subtotal", "zwischensumme", "net total", "nettobetrag", "sub total", "total ht"],
    &["gross", "brutto", "gross amount", "bruttobetrag", "gross total", "total ttc"],
    &[
        "phone",
        "phone number",
        "tel",
        "telephone",
        "telefon",
        "mobile",
        "telefonnummer",
        "call",
        "mobile number",
        "contact number",
        "telephone number",
        "callback number",
        "ring",
    ],
    &["email", "e mail", "email address", "mail", "e mail address", "e mail adresse"],
    &["licence", "license", "lizenz", "licencia"],
    &["sender", "from", "absender", "von", "expediteur"],
    &["recipient", "to", "empfanger", "an", "destinataire"],
    &["address", "adresse", "anschrift", "direccion", "indirizzo", "street address"],
    &["city", "town", "ort", "stadt", "ville", "ciudad", "place", "location"],
    &["name", "full name", "nom", "nombre", "nome", "vollstandiger name"],
    &["price", "preis", "prix", "precio", "cost", "costs", "asking price", "prezzo", "price per night"],
    &["quantity", "qty", "menge", "anzahl", "quantite", "cantidad"],
    &[
        "birth date",
        "date of birth",
        "born",
        "dob",
        "birthdate",
        "birthday",
        "geburtsdatum",
        "geboren",
        "geboren am",
        "born on",
    ],
    &["rent", "monthly rent", "miete", "kaltmiete", "loyer", "alquiler"],
    &["deposit", "security deposit", "kaution", "caution", "fianza"],
    &[
        "reference",
        "ref",
        "reference number",
        "ref no",
        "our reference",
        "your reference",
        "aktenzeichen",
        "referenz",
        "zeichen",
    ],
    &["departure", "departure time", "departs", "abfahrt", "abflug", "depart"],
    &["arrival", "arrival time", "arrives", "ankunft", "arrive"],
    &["subject", "betreff", "objet", "asunto", "re"],
    &["company", "firma", "employer", "organisation", "company name", "organization"],
    &["role", "position", "job title", "title", "funktion"],
    &["start date", "start", "dtstart", "starts on", "beginn", "from", "begins"],
    &["end date", "end", "dtend", "ends on", "ende", "until", "to"],
    &["tracking number", "tracking", "tracking no", "sendungsnummer", "tracking id"],
    &[
        "vat id",
        "vat number",
        "ust idnr",
        "vat no",
        "tva intracommunautaire",
        "vat reg no",
        "ust id",
        "vat registration number",
    ],
    &["room", "zimmer", "room number"],
    &["check in", "checkin", "arrival", "anreise", "check in date"],
    &["check out", "checkout", "departure", "abreise", "check out date"],
];
/// Words that say of what kind a value is, not which.
const KINDS: &[&str] = &[
    "number", "no", "nr", "date", "name", "time", "amount", "price", "id", "code", "address", "value", "total", "of",
    "the", "de", "do", "da", "du", "der", "des", "full", "exact", "n", "a", "in", "for", "his", "her", "their", "city",
];

/// Whether a word says of what kind a value is, not which.
pub(crate) fn is_kind(word: &str) -> bool {
    KINDS.contains(&word)
}

/// Words of a label.
pub fn words(label: &str) -> Vec<String> {
    // `VAT 20 %` is the label of the VAT.
    let all = name_words(&label.replace(['#', '°', 'º', '/'], " "));
    let named: Vec<String> =
        all.iter().filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit())).cloned().collect();
    if named.is_empty() { all } else { named }
}

/// How well a label says a field: 4 the same, 3 another word for it, 2 without the word for its kind, 1 in part.
pub fn fit(field: &[String], label: &[String]) -> u32 {
    let alike = |a: &String, b: &String| columns::same_word(a, b) || columns::alike(a, b);
    if field == label || (field.len() == label.len() && field.iter().zip(label).all(|(a, b)| columns::same_word(a, b)))
    {
        return 4;
    }
    let (own, other) = (field.join(" "), label.join(" "));
    if SAME.iter().any(|group| group.contains(&own.as_str()) && group.contains(&other.as_str())) {
        return 3;
    }
    if field.concat() == label.concat()
        || (field.len() == 1 && label.len() == 1 && field.iter().zip(label).all(|(a, b)| alike(a, b)))
    {
        return 3;
    }
    let core =
        |words: &[String]| words.iter().filter(|word| !KINDS.contains(&word.as_str())).cloned().collect::<Vec<_>>();
    let (a, b) = (core(field), core(label));
    let within = |x: &[String], y: &[String]| {
        !x.is_empty() && x.iter().all(|word| y.iter().any(|other| columns::same_word(word, other)))
    };
    if !a.is_empty() && within(&a, &b) && within(&b, &a) {
        return 2;
    }
    u32::from(
        within(&a, &b) || within(&b, &a) || (a.is_empty() && field.last().is_some_and(|word| label.contains(word))),
    )
}

/// Whether two ways to say a field mean the same.
pub fn are_same(one: &str, other: &str) -> bool {
    SAME.iter().any(|group| group.contains(&one) && group.contains(&other))
}

/// Other ways to say a field, longest first; itself among them.
pub fn ways(field: &[String]) -> Vec<String> {
    let own = field.join(" ");
    let mut all = vec![own.clone()];
    all.extend(
        SAME.iter()
            .filter(|group| group.contains(&own.as_str()))
            .flat_map(|group| group.iter().map(|way| (*way).to_owned())),
    );
    let core: Vec<&str> = field.iter().map(String::as_str).filter(|word| !KINDS.contains(word)).collect();
    if !core.is_empty() && core.len() < field.len() {
        all.push(core.join(" "));
    }
    if let Some(last) = field.last().filter(|last| field.len() == 2 && !KINDS.contains(&last.as_str())) {
        all.push(last.clone());
    }
    // One word alone such as `to` or `of` says too little in a sentence.
    all.retain(|way| {
        way.len() > 2
            && ![
                "from",
                "date",
                "data",
                "title",
                "start",
                "end",
                "place",
                "sum",
                "call",
                "depart",
                "until",
                "order total",
            ]
            .contains(&way.as_str())
            || *way == own
    });
    all.sort_by_key(|way| std::cmp::Reverse(way.len()));
    all.dedup();
    all
}

/// The places behind a way to say it, in bytes of the text; whole words, any case, signs between words allowed.
pub fn places(text: &str, way: &str) -> Vec<(usize, usize)> {
    let mut letters: Vec<(usize, usize, String)> = Vec::new();
    let mut open: Option<usize> = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c.is_alphanumeric(), open) {
            (true, None) => open = Some(at),
            (false, Some(start)) => {
                letters.push((start, at, fold(text.get(start..at).unwrap_or_default())));
                open = None;
            }
            _ => {}
        }
    }
    let wanted: Vec<&str> = way.split(' ').collect();
    let mut found = Vec::new();
    for at in 0..letters.len() {
        let window = letters.get(at..at + wanted.len()).unwrap_or_default();
        let fits = !window.is_empty()
            && window
                .iter()
                .zip(&wanted)
                .all(|((_, _, own), word)| own == word || (word.len() > 3 && columns::same_word(own, word)));
        if let (true, Some((start, ..)), Some((_, end, _))) = (fits, window.first(), window.last()) {
            found.push((*start, *end));
        }
    }
    found
}
