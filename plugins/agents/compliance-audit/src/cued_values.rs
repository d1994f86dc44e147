//! Values that words near them show: telephones, births, postal addresses, tax rates, names.

use agent_common::dates;

/// International numbers, and digits behind a word for telephones.
pub fn phones(text: &str) -> Vec<String> {
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
pub fn behind(text: &str, names: &[&str], least: usize) -> Vec<String> {
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

/// Dates behind a word for birth.
pub fn births(text: &str) -> Vec<String> {
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
pub fn addresses(text: &str) -> Vec<String> {
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
            let tail = street.rsplit(':').next().unwrap_or(street).trim();
            // `Weberstr. 9` has no end of a sentence in it.
            let tail = match tail.rsplit_once(". ") {
                Some((head, last)) if !head.ends_with("tr") && !head.ends_with("St") => last,
                _ => tail,
            };
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

/// Lines with a tax and a percentage.
pub fn rates(text: &str) -> Vec<String> {
    let fits = |line: &&str| {
        let lower = line.to_lowercase();
        ["vat", "tax", "mwst", "ust", "tva", "iva", "gst"].iter().any(|word| lower.contains(word)) && line.contains('%')
    };
    text.lines().filter(fits).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

/// Companies by their form, persons by a title or a greeting before the name.
pub fn names(text: &str) -> Vec<String> {
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
