//! Names of the parts of a work, such as `vol` and `Verlag`.

/// The parts, and what people, RIS, and BibTeX call them.
const NAMES: [(&str, &[&str]); 18] = [
    (
        "author",
        &[
            "author",
            "authors",
            "author(s",
            "by",
            "autor",
            "autoren",
            "auteur",
            "auteurs",
            "autores",
            "writer",
            "organisation",
            "organization",
            "chapter author",
            "chapter authors",
            "verfasser",
            "au",
            "name",
            "a",
        ],
    ),
    ("editor", &["editor", "editors", "ed", "eds", "herausgeber", "hrsg", "book editor", "book editors", "edited by"]),
    (
        "title",
        &[
            "title",
            "titel",
            "titre",
            "título",
            "titolo",
            "chapter title",
            "article title",
            "paper title",
            "chapter",
            "page title",
            "ti",
            "t",
            "book title",
            "name of the book",
        ],
    ),
    (
        "container",
        &[
            "journal",
            "journal name",
            "journaltitle",
            "zeitschrift",
            "revue",
            "revista",
            "booktitle",
            "in",
            "jo",
            "jf",
            "t2",
            "ja",
            "magazine",
            "newspaper",
            "website",
            "site",
            "site name",
        ],
    ),
    ("conference", &["conference", "proceedings", "konferenz"]),
    ("book", &["book", "in book", "buch"]),
    (
        "year",
        &["year", "jahr", "année", "año", "ano", "published", "publication year", "py", "y", "year of publication"],
    ),
    ("date", &["date", "datum", "published on", "publication date", "da", "last updated", "posted"]),
    ("volume", &["volume", "vol", "band", "jahrgang", "vl"]),
    ("issue", &["issue", "no", "nr", "number", "heft", "is", "ausgabe", "numéro", "número"]),
    ("pages", &["pages", "page", "pp", "p", "seiten", "páginas", "sp"]),
    ("last page", &["ep"]),
    (
        "publisher",
        &[
            "publisher",
            "verlag",
            "éditeur",
            "editorial",
            "editora",
            "pb",
            "press",
            "institution",
            "university",
            "school",
        ],
    ),
    ("place", &["place", "city", "ort", "location", "lieu", "ciudad", "address", "cy", "place of publication"]),
    ("edition", &["edition", "auflage", "édition", "edición", "et"]),
    ("doi", &["doi", "do"]),
    ("url", &["url", "link", "web address", "ur", "address of the page"]),
    ("type", &["ty", "type", "kind", "entry type"]),
];

/// The part that a name stands for.
pub fn part(key: &str) -> Option<&'static str> {
    let key = key.trim().to_lowercase();
    let key = key.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '(' || c == ')');
    let isbn = ["isbn", "sn", "issn"].contains(&key);
    NAMES.iter().find(|(_, names)| names.contains(&key)).map(|(part, _)| *part).or(isbn.then_some("isbn"))
}
