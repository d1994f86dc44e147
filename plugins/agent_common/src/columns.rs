//! Which column of a table a word of a request means: `vists` is the column `visits`, `Preis` is `unit_price`.

/// Words that mean the same as names of columns, in the languages of the requests.
const CONCEPTS: &[&[&str]] = &[
    &[
        "price",
        "preis",
        "prix",
        "precio",
        "prezzo",
        "preco",
        "prijs",
        "einzelpreis",
        "stueckpreis",
        "stuckpreis",
        "rate",
        "satz",
        "unitprice",
        "stundensatz",
    ],
    &[
        "quantity",
        "qty",
        "menge",
        "anzahl",
        "quantite",
        "cantidad",
        "quantita",
        "quantidade",
        "units",
        "pieces",
        "pcs",
        "stueck",
        "stuck",
        "qte",
        "aantal",
        "sold",
    ],
    &["amount", "betrag", "montant", "importe", "importo", "valor", "bedrag", "value", "sum", "wert"],
    &["revenue", "umsatz", "turnover", "sales", "ca", "ingresos", "ricavi", "receita", "omzet"],
    &["cost", "costs", "kosten", "cout", "coste", "costo", "custo", "expense", "expenses", "ausgaben"],
    &["date", "datum", "day", "tag", "fecha", "data", "jour"],
    &["customer", "client", "kunde", "cliente", "klant", "buyer", "kaeufer", "kaufer"],
    &["email", "mail", "emails", "correo", "courriel"],
    &["phone", "telephone", "tel", "telefon", "mobile", "handy", "telefono", "telefone", "cell"],
    &["postcode", "zip", "zipcode", "plz", "postal", "postleitzahl", "postcodes"],
    &["city", "town", "stadt", "ort", "ville", "ciudad", "citta", "cidade", "stad"],
    &["country", "land", "pays", "pais", "paese"],
    &["birthdate", "birthday", "dob", "born", "birth", "geburtsdatum", "geboren", "geburtstag", "birthdays"],
    &["age", "alter", "edad", "idade", "eta", "leeftijd"],
    &["start", "begin", "beginn", "from", "debut", "inicio", "inizio", "von", "anfang", "starts", "begins"],
    &["end", "ende", "until", "fin", "fine", "fim", "bis", "ends", "finish", "to"],
    &["net", "netto", "nett", "ht"],
    &["gross", "brutto", "ttc"],
    &["vat", "tax", "mwst", "ust", "tva", "iva", "steuer"],
    &["salary", "wage", "pay", "gehalt", "salaire", "sueldo", "lohn", "earn", "earns", "stipendio"],
    &["score", "points", "punkte", "mark", "grade", "note", "marks", "rating"],
    &["product", "produkt", "article", "artikel", "item", "produit", "producto", "prodotto", "produto", "sku"],
    &["department", "dept", "abteilung", "team"],
    &["employee", "worker", "mitarbeiter", "staff", "employe", "empleado"],
    &["time", "uhrzeit", "heure", "hora", "ora", "uhr"],
    &["year", "jahr", "annee", "ano", "anno", "jaar", "annual"],
    &["month", "monat", "mois", "mes", "mese", "maand"],
    &["hours", "stunden", "heures", "horas", "ore", "uren"],
    &["order", "bestellung", "auftrag", "commande", "pedido", "ordine", "bestellungen"],
    &["name", "nom", "nombre", "nome", "naam"],
    &["weight", "gewicht", "poids", "peso"],
    &["seller", "vertreter", "rep", "salesperson", "verkaeufer", "verkaufer", "vendeur", "salesman"],
];

/// How sure a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// One letter is another.
    Typo,
    /// Another word for it.
    Concept,
    /// One word of the name.
    Part,
    /// The name.
    Name,
}

/// Small letters without accents; `ß` is `ss`.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            'ä' | 'á' | 'à' | 'â' | 'ã' | 'å' | 'ą' => out.push('a'),
            'é' | 'è' | 'ê' | 'ë' | 'ę' | 'ě' => out.push('e'),
            'í' | 'ì' | 'î' | 'ï' => out.push('i'),
            'ö' | 'ó' | 'ò' | 'ô' | 'õ' | 'ø' => out.push('o'),
            'ü' | 'ú' | 'ù' | 'û' | 'ů' => out.push('u'),
            'ç' | 'č' | 'ć' => out.push('c'),
            'ñ' | 'ń' => out.push('n'),
            'š' | 'ś' => out.push('s'),
            'ž' | 'ż' | 'ź' => out.push('z'),
            'ř' => out.push('r'),
            'ý' => out.push('y'),
            'ł' => out.push('l'),
            'ß' => out.push_str("ss"),
            '’' => out.push('\''),
            other => out.push(other),
        }
    }
    out
}

/// The words of a name: `unitPrice`, `unit_price` and `Unit price (EUR)` are `unit` and `price`.
#[must_use]
pub fn name_words(name: &str) -> Vec<String> {
    let bare = name.split(['(', '[']).next().unwrap_or(name);
    let bare = if bare.trim().is_empty() { name } else { bare };
    let mut spaced = String::new();
    let mut small = false;
    for c in bare.chars() {
        if small && c.is_uppercase() {
            spaced.push(' ');
        }
        small = c.is_lowercase();
        spaced.push(c);
    }
    fold(&spaced).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether two folded words are forms of one: `age` and `ages`, `country` and `countries`, `Kunde` and `Kunden`.
#[must_use]
pub fn same_word(a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    if short.len() < 2 || short.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    if let Some(rest) = long.strip_prefix(short) {
        let endings: &[&str] = if short.len() < 3 { &["s"] } else { &["s", "es", "e", "n", "en", "er", "ern", "nen"] };
        return endings.contains(&rest) && !(rest == "e" && short.len() < 4);
    }
    let stem = |word: &str, ending: &str| word.strip_suffix(ending).map(str::to_owned);
    let with = |x: &str, y: &str| stem(short, x).is_some_and(|s| s.len() > 2 && stem(long, y) == Some(s));
    with("y", "ies") || with("o", "i") || with("a", "e") || with("us", "i")
}

/// The concept that a folded word belongs to.
#[must_use]
pub fn concept(word: &str) -> Option<usize> {
    let exact = CONCEPTS.iter().position(|words| words.contains(&word));
    exact.or_else(|| {
        CONCEPTS
            .iter()
            .position(|words| word.len() > 3 && words.iter().any(|one| one.len() > 3 && same_word(one, word)))
    })
}

/// Whether two folded words mean the same kind of column.
#[must_use]
pub fn alike(a: &str, b: &str) -> bool {
    same_word(a, b) || concept(a).is_some_and(|one| concept(b) == Some(one))
}

/// One letter more, less or other, in words of five letters or more.
#[must_use]
pub fn is_typo(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().min(b.len()) < 5 || a.len().abs_diff(b.len()) > 1 || a.first() != b.first() {
        return false;
    }
    let front = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let back = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let longer = a.len().max(b.len());
    let swapped = a.len() == b.len() && front + back + 2 >= longer && {
        let pair = |w: &[char]| (w.get(front).copied(), w.get(front + 1).copied());
        let ((x, y), (p, q)) = (pair(&a), pair(&b));
        x == q && y == p
    };
    front + back + 1 >= longer || swapped
}

/// The column that the folded words from `at` name, how many words it takes and how sure it is. The longest and surest
/// wins; a word that fits two columns alike names none.
#[must_use]
pub fn find(columns: &[Vec<String>], words: &[&str]) -> Option<(usize, usize, Strength)> {
    let mut best: Option<(usize, usize, Strength)> = None;
    let mut tie = false;
    for (at, name) in columns.iter().enumerate() {
        if let Some((len, strength)) = fits(name, words) {
            let rank = |found: (usize, usize, Strength)| (found.2.max(Strength::Typo), found.1);
            match best.map(|best| rank((at, len, strength)).cmp(&rank(best))) {
                None | Some(std::cmp::Ordering::Greater) => {
                    best = Some((at, len, strength));
                    tie = false;
                }
                Some(std::cmp::Ordering::Equal) => tie = true,
                Some(std::cmp::Ordering::Less) => {}
            }
        }
    }
    best.filter(|_| !tie)
}

fn fits(name: &[String], words: &[&str]) -> Option<(usize, Strength)> {
    let first = words.first()?;
    let all = name.len() <= words.len() && name.iter().zip(words).all(|(own, word)| same_word(own, word));
    if all && !name.is_empty() {
        return Some((name.len(), Strength::Name));
    }
    let joined = name.concat();
    if same_word(&joined, &first.replace('_', "")) {
        return Some((1, Strength::Name));
    }
    if words.get(1).is_some_and(|second| same_word(&joined, &format!("{first}{second}"))) {
        return Some((2, Strength::Name));
    }
    // `check-in` is `checkin`.
    if let (Some(sign), Some(third)) = (words.get(1), words.get(2))
        && matches!(*sign, "-" | "–")
        && same_word(&joined, &format!("{first}{third}"))
    {
        return Some((3, Strength::Name));
    }
    let long = |word: &str| word.len() > 2 && !["the", "per", "and", "for", "of"].contains(&word);
    if name.len() > 1 && long(first) && name.iter().any(|own| own.len() > 2 && same_word(own, first)) {
        return Some((1, Strength::Part));
    }
    // `Geburtsdatum` is found by `Datum`, not the other way round.
    if let [one] = name {
        if concept(one).is_some() && concept(one) == concept(first) {
            return Some((1, Strength::Concept));
        }
    } else if name.last().is_some_and(|own| own.len() > 2 && concept(own).is_some() && concept(own) == concept(first)) {
        // The last word says what it is: `unit price` is a price, not units.
        return Some((1, Strength::Concept));
    }
    // `temp` is short for `temperature`.
    let short = |a: &str, b: &str| a.len() >= 4 && b.len() >= a.len() + 3 && b.starts_with(a);
    if let [own] = name
        && (short(own, first) || short(first, own))
    {
        return Some((1, Strength::Typo));
    }
    (name.len() == 1 && name.first().is_some_and(|own| is_typo(own, first))).then_some((1, Strength::Typo))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words, then the place of their column and how many of them name it.
    type Case = (&'static [&'static str], Option<(usize, usize)>);

    #[test]
    fn words_name_columns() {
        let columns: Vec<Vec<String>> =
            ["member", "visits", "unit_price", "Order date", "fee (EUR)"].iter().map(|name| name_words(name)).collect();
        let cases: &[Case] = &[
            (&["members"], Some((0, 1))),
            (&["vists"], Some((1, 1))),
            (&["unit", "price"], Some((2, 2))),
            (&["preis"], Some((2, 1))),
            (&["unitprice"], Some((2, 1))),
            (&["order", "date"], Some((3, 2))),
            (&["date"], Some((3, 1))),
            (&["fee"], Some((4, 1))),
            (&["gender"], None),
            (&["the"], None),
        ];
        for (words, expect) in cases {
            assert_eq!(find(&columns, words).map(|(at, len, _)| (at, len)), *expect, "{words:?}");
        }
        assert!(is_typo("status", "sttaus") && is_typo("visits", "vists") && !is_typo("north", "south"));
    }
}
