//! A work that is cited, and the people who made it.

/// What kind of work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// In a journal.
    Article,
    /// On its own.
    #[default]
    Book,
    /// In an edited book.
    Chapter,
    /// At a conference.
    Paper,
    /// On the web.
    Page,
    /// A thesis.
    Thesis,
}

/// A person, or a body as its whole name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Person {
    /// Family name, or the name of the body.
    pub family: String,
    /// Given names or initials; empty for a body.
    pub given: String,
}

/// A work with the parts that the text gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    pub kind: Kind,
    pub authors: Vec<Person>,
    pub editors: Vec<Person>,
    pub title: String,
    pub container: String,
    pub year: String,
    /// Month and day behind the year, as written: `November 2`.
    pub day: String,
    pub volume: String,
    pub issue: String,
    pub pages: String,
    pub publisher: String,
    pub place: String,
    pub edition: String,
    pub doi: String,
    pub url: String,
    pub isbn: String,
}

const PARTICLES: &[&str] = &[
    "van", "von", "de", "der", "den", "del", "della", "di", "da", "du", "la", "le", "ten", "ter", "zu", "dos", "bin",
    "al",
];
const BODIES: &[&str] = &[
    "agency",
    "organization",
    "organisation",
    "ministry",
    "university",
    "institute",
    "association",
    "council",
    "bank",
    "department",
    "office",
    "commission",
    "group",
    "committee",
    "society",
    "team",
    "foundation",
    "centre",
    "center",
    "authority",
    "service",
    "bureau",
    "union",
    "company",
    "press",
    "ltd",
    "inc",
    "gmbh",
    "museum",
    "trust",
    "federation",
    "board",
];

impl Person {
    /// Takes a name apart: `Family, Given`, `Given Family`, `Family AB`, or a body.
    pub fn read(text: &str) -> Self {
        let text = text.trim().trim_matches(['{', '}']).trim();
        let lower = text.to_lowercase();
        if lower.split_whitespace().any(|word| BODIES.contains(&word.trim_matches(|c: char| !c.is_alphanumeric()))) {
            return Self { family: text.to_owned(), given: String::new() };
        }
        if let Some((family, given)) = text.split_once(',') {
            return Self { family: family.trim().to_owned(), given: given.trim().to_owned() };
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((last, head)) = words.split_last() else { return Self::default() };
        if !head.is_empty() && is_initials(last) {
            return Self { family: head.join(" "), given: last.to_string() };
        }
        let cut = head
            .iter()
            .skip(1)
            .position(|word| PARTICLES.contains(&word.to_lowercase().as_str()) && word.starts_with(char::is_lowercase))
            .map_or(head.len(), |at| at + 1);
        let (given, family) = words.split_at_checked(cut).unwrap_or((&[], &words));
        Self { family: family.join(" "), given: given.join(" ") }
    }

    /// The first letters of the given names: `C.`, `J.-P.`; `stop` follows each, `gap` parts them.
    pub fn initials(&self, stop: &str, gap: &str) -> String {
        if is_initials(&self.given) && !self.given.contains('.') && !self.given.contains(' ') {
            return self.given.chars().map(|c| format!("{c}{stop}")).collect::<Vec<_>>().join(gap);
        }
        let one = |word: &str| {
            word.split('-')
                .filter_map(|part| part.chars().next())
                .map(|c| format!("{}{stop}", c.to_uppercase()))
                .collect::<Vec<_>>()
                .join("-")
        };
        self.given
            .split([' ', '.'])
            .filter(|word| !word.is_empty() && *word != "-")
            .map(one)
            .collect::<Vec<_>>()
            .join(gap)
    }
}

fn is_initials(word: &str) -> bool {
    (1..=3).contains(&word.chars().count()) && word.chars().all(|c| c.is_uppercase())
}

/// The people of `A; B`, `A and B`, `Family, G., & Family, G.`, `Smith JA, Gupta R`, `Lena Fuchs, Omar Said`.
pub fn people(text: &str) -> Vec<Person> {
    let text = text.trim();
    let initial = text.trim_end_matches('.').rsplit([' ', '.']).next().is_some_and(|word| word.chars().count() == 1);
    let text = if initial { text } else { text.trim_end_matches('.').trim() };
    let text = text.strip_suffix("et al").unwrap_or(text).trim().trim_end_matches(',');
    if text.is_empty() {
        return Vec::new();
    }
    if text.contains(';') {
        return text
            .split(';')
            .map(|part| part.trim().trim_start_matches("and ").trim_start_matches("& "))
            .filter(|part| !part.is_empty())
            .map(Person::read)
            .collect();
    }
    let marked = text
        .replace(", & ", " & ")
        .replace(", and ", " & ")
        .replace(" and ", " & ")
        .replace(" und ", " & ")
        .replace(" et ", " & ")
        .replace(" y ", " & ");
    marked.split(" & ").flat_map(of_commas).collect()
}

/// A list parted by commas, in which a comma may also part family and given name.
fn of_commas(text: &str) -> Vec<Person> {
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let dotted = |part: &&str| {
        part.ends_with('.') && part.split([' ', '-']).all(|word| word.trim_end_matches('.').chars().count() <= 2)
            || is_initials(part)
    };
    if parts.len().is_multiple_of(2) && parts.iter().skip(1).step_by(2).all(dotted) {
        return parts
            .chunks(2)
            .filter_map(|pair| Some(Person { family: (*pair.first()?).to_owned(), given: (*pair.get(1)?).to_owned() }))
            .collect();
    }
    let several = |part: &&str| part.split_whitespace().count() > 1;
    if parts.len() > 1 && parts.iter().all(several) {
        return parts.into_iter().map(Person::read).collect();
    }
    // `Ito, Kenji, Ruth Marlowe`: the first is turned round, the others are not.
    if parts.len() > 2 && parts.iter().skip(2).all(several) {
        let first = Person {
            family: parts.first().map(|p| (*p).to_owned()).unwrap_or_default(),
            given: parts.get(1).map(|p| (*p).to_owned()).unwrap_or_default(),
        };
        return std::iter::once(first).chain(parts.into_iter().skip(2).map(Person::read)).collect();
    }
    vec![Person::read(text)]
}

/// The pages with an en dash.
pub fn dashed(pages: &str) -> String {
    pages.replace("--", "–").replace(['-', '—'], "–")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        let cases = [
            ("Chidi Okafor; Maja Lindgren", "Okafor/Chidi|Lindgren/Maja"),
            ("Smith JA, Gupta R, O'Neil T", "Smith/JA|Gupta/R|O'Neil/T"),
            ("Rossi, F., & Byrne, K. L.", "Rossi/F.|Byrne/K. L."),
            ("Ito, Kenji and Marlowe, Ruth", "Ito/Kenji|Marlowe/Ruth"),
            ("Holloway, Grace, and Dev Patel", "Holloway/Grace|Patel/Dev"),
            ("Ludwig van Beethoven", "van Beethoven/Ludwig"),
            ("Tide Agency of Norland", "Tide Agency of Norland/"),
            ("Lena Fuchs, Omar Said", "Fuchs/Lena|Said/Omar"),
        ];
        for (text, expect) in cases {
            let told: Vec<String> = people(text).iter().map(|one| format!("{}/{}", one.family, one.given)).collect();
            assert_eq!(told.join("|"), expect, "{text}");
        }
        assert_eq!(Person::read("Jean-Paul Maria Sol").initials(".", " "), "J.-P. M.");
    }
}
