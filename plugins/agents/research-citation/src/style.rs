//! A work written in a form of references.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::work::{Kind, Person, Work, dashed};

/// A form of references.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// American Psychological Association, 7th edition.
    Apa,
    /// ICMJE and National Library of Medicine.
    Vancouver,
    /// A BibTeX entry.
    Bibtex,
    /// Modern Language Association, 9th edition.
    Mla,
    /// Chicago Manual of Style, bibliography.
    Chicago,
    /// Harvard, as Cite Them Right has it.
    Harvard,
    /// Institute of Electrical and Electronics Engineers.
    Ieee,
}

impl Style {
    /// The form of a name in small letters.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "apa" | "apa7" => Self::Apa,
            "vancouver" | "icmje" => Self::Vancouver,
            "bibtex" | "bib" => Self::Bibtex,
            "mla" | "mla9" => Self::Mla,
            "chicago" => Self::Chicago,
            "harvard" => Self::Harvard,
            "ieee" => Self::Ieee,
            _ => return None,
        })
    }
}

/// The reference in a form.
pub fn write(work: &Work, style: Style, place: usize) -> String {
    let text = match style {
        Style::Apa => apa(work),
        Style::Vancouver => vancouver(work),
        Style::Bibtex => return bibtex(work, place),
        Style::Mla => mla(work),
        Style::Chicago => chicago(work),
        Style::Harvard => harvard(work),
        Style::Ieee => ieee(work),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `A`, `A and B`, `A, B, and C` with the words that join two and that join more.
fn joined(names: &[String], two: &str, more: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [a, b] => format!("{a}{two}{b}"),
        [head @ .., last] => format!("{}{more}{last}", head.join(", ")),
    }
}

fn turned(person: &Person, given: &str, between: &str) -> String {
    if given.is_empty() { person.family.clone() } else { format!("{}{between}{given}", person.family) }
}

fn straight(person: &Person, given: &str) -> String {
    if given.is_empty() { person.family.clone() } else { format!("{given} {}", person.family) }
}

fn dotted(person: &Person) -> String {
    person.initials(".", " ")
}

fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

fn link(work: &Work) -> String {
    if work.doi.is_empty() { work.url.clone() } else { format!("https://doi.org/{}", work.doi) }
}

fn when(work: &Work) -> String {
    let year = if work.year.is_empty() { "n.d." } else { &work.year };
    if work.day.is_empty() || work.kind != Kind::Page { year.to_owned() } else { format!("{year}, {}", work.day) }
}

/// `3rd ed.`
fn edition(work: &Work) -> String {
    let digits: String = work.edition.chars().take_while(char::is_ascii_digit).collect();
    let end = match digits.as_str() {
        "" => return if work.edition.is_empty() { String::new() } else { work.edition.clone() },
        "1" => return String::new(),
        n if n.ends_with('1') && !n.ends_with("11") => "st",
        n if n.ends_with('2') && !n.ends_with("12") => "nd",
        n if n.ends_with('3') && !n.ends_with("13") => "rd",
        _ => "th",
    };
    format!("{digits}{end} ed.")
}

fn list(parts: &[String]) -> String {
    parts.iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", ")
}

fn named(lead: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!("{lead}{value}") }
}

fn bracketed(work: &Work) -> String {
    if work.issue.is_empty() { work.volume.clone() } else { format!("{}({})", work.volume, work.issue) }
}

fn apa(work: &Work) -> String {
    let names: Vec<String> = work.authors.iter().map(|one| turned(one, &dotted(one), ", ")).collect();
    let names = joined(&names, ", & ", ", & ");
    let pages = dashed(&work.pages);
    let head = if names.is_empty() {
        format!("{} ({}).", ended(&work.title), when(work))
    } else {
        format!("{} ({}).", ended(&names).trim_end_matches(if names.ends_with('.') { '\0' } else { '.' }), when(work))
    };
    let title = if names.is_empty() { String::new() } else { work.title.clone() };
    let body = match work.kind {
        Kind::Article => {
            format!("{} {}", ended(&title), ended(&list(&[work.container.clone(), bracketed(work), pages])))
        }
        Kind::Chapter | Kind::Paper => {
            let editors: Vec<String> = work.editors.iter().map(|one| straight(one, &dotted(one))).collect();
            let mark = if editors.len() > 1 { "Eds." } else { "Ed." };
            let by = if editors.is_empty() {
                String::new()
            } else {
                format!("{} ({mark}), ", joined(&editors, " & ", ", & "))
            };
            let pages = named("pp. ", &pages);
            let within = list(&[edition(work), pages]);
            let within = if within.is_empty() { String::new() } else { format!(" ({within})") };
            format!(
                "{} In {by}{}. {}",
                ended(&title),
                format_args!("{}{within}", work.container),
                ended(&work.publisher)
            )
        }
        Kind::Page => format!("{} {}", ended(&title), ended(&work.container)),
        Kind::Thesis => format!("{title} [Thesis]. {}", ended(&work.publisher)),
        Kind::Book => {
            let edition = edition(work);
            let title = if edition.is_empty() { ended(&title) } else { format!("{title} ({edition}).") };
            format!("{title} {}", ended(&work.publisher))
        }
    };
    format!("{head} {body} {}", link(work))
}

/// The first turned round, the others as spoken; from three on by number of the form.
fn first_turned(work: &Work, many: usize) -> String {
    let mut names = work.authors.iter();
    let Some(first) = names.next() else { return String::new() };
    let first = turned(first, &first.given, ", ");
    let rest: Vec<String> = names.map(|one| straight(one, &one.given)).collect();
    match rest.len() {
        0 => first,
        n if n >= many => format!("{first}, et al"),
        1 => format!("{first}, and {}", rest.concat()),
        _ => format!("{first}, {}", joined(&rest, ", and ", ", and ")),
    }
}

fn mla(work: &Work) -> String {
    let names = ended(&first_turned(work, 2));
    let pages = named(if work.pages.contains(['-', '–']) { "pp. " } else { "p. " }, &dashed(&work.pages));
    let quoted = format!("“{}”", ended(&work.title));
    let tail = match work.kind {
        Kind::Article => format!(
            "{quoted} {}",
            list(&[
                work.container.clone(),
                named("vol. ", &work.volume),
                named("no. ", &work.issue),
                work.year.clone(),
                pages,
                link(work)
            ])
        ),
        Kind::Chapter | Kind::Paper => {
            let editors: Vec<String> = work.editors.iter().map(|one| straight(one, &one.given)).collect();
            format!(
                "{quoted} {}",
                list(&[
                    work.container.clone(),
                    named("edited by ", &joined(&editors, " and ", ", and ")),
                    work.publisher.clone(),
                    work.year.clone(),
                    pages,
                    link(work)
                ])
            )
        }
        Kind::Page => format!(
            "{quoted} {}",
            list(&[
                work.container.clone(),
                work.publisher.clone(),
                format!("{} {}", work.day, work.year).trim().to_owned(),
                link(work)
            ])
        ),
        Kind::Book | Kind::Thesis => format!(
            "{} {}",
            ended(&work.title),
            list(&[edition(work), work.publisher.clone(), work.year.clone(), link(work)])
        ),
    };
    format!("{names} {}", ended(&tail))
}

fn chicago(work: &Work) -> String {
    let names = ended(&first_turned(work, 10));
    let pages = dashed(&work.pages);
    let quoted = format!("“{}”", ended(&work.title));
    let printed = format!(
        "{}{}",
        named("", &if work.place.is_empty() { String::new() } else { format!("{}: ", work.place) }),
        list(&[work.publisher.clone(), work.year.clone()])
    );
    let tail = match work.kind {
        Kind::Article => {
            let volume =
                list(&[format!("{} {}", work.container, work.volume).trim().to_owned(), named("no. ", &work.issue)]);
            format!("{quoted} {volume} ({}){}. {}", work.year, named(": ", &pages), ended(&link(work)))
        }
        Kind::Chapter | Kind::Paper => {
            let editors: Vec<String> = work.editors.iter().map(|one| straight(one, &one.given)).collect();
            let within =
                list(&[work.container.clone(), named("edited by ", &joined(&editors, " and ", ", and ")), pages]);
            format!("{quoted} In {} {}", ended(&within), ended(&printed))
        }
        Kind::Page => format!(
            "{quoted} {} {} {}",
            ended(&work.container),
            ended(&list(&[work.day.clone(), work.year.clone()])),
            ended(&link(work))
        ),
        Kind::Book | Kind::Thesis => {
            let edition = ended(&edition(work));
            format!("{} {edition} {} {}", ended(&work.title), ended(&printed), ended(&link(work)))
        }
    };
    format!("{names} {tail}")
}

fn harvard(work: &Work) -> String {
    let names: Vec<String> = work.authors.iter().map(|one| turned(one, &one.initials(".", ""), ", ")).collect();
    let names = joined(&names, " and ", " and ");
    let pages = named(if work.pages.contains(['-', '–']) { "pp. " } else { "p. " }, &dashed(&work.pages));
    let printed =
        if work.place.is_empty() { work.publisher.clone() } else { format!("{}: {}", work.place, work.publisher) };
    let year = if work.year.is_empty() { "no date" } else { &work.year };
    let head = format!("{names} ({year})");
    let tail = match work.kind {
        Kind::Article => format!("‘{}’, {}", work.title, list(&[work.container.clone(), bracketed(work), pages])),
        Kind::Chapter | Kind::Paper => {
            let editors: Vec<String> =
                work.editors.iter().map(|one| turned(one, &one.initials(".", ""), ", ")).collect();
            let mark = if editors.len() > 1 { " (eds)" } else { " (ed.)" };
            let by = if editors.is_empty() {
                String::new()
            } else {
                format!("{}{mark} ", joined(&editors, " and ", " and "))
            };
            let printed = if printed.is_empty() { String::new() } else { format!("{printed}, ") };
            format!("‘{}’, in {by}{}. {printed}{pages}", work.title, work.container)
        }
        Kind::Page => work.title.clone(),
        Kind::Book | Kind::Thesis => format!("{} {printed}", ended(&list(&[work.title.clone(), edition(work)]))),
    };
    let link = link(work);
    let link = if link.is_empty() { String::new() } else { format!("Available at: {link}.") };
    format!("{head} {} {link}", ended(tail.trim().trim_end_matches(',')))
}

fn vancouver(work: &Work) -> String {
    let mut names: Vec<String> =
        work.authors.iter().take(6).map(|one| turned(one, &one.initials("", ""), " ")).collect();
    if work.authors.len() > 6 {
        names.push("et al".into());
    }
    let names = ended(&names.join(", "));
    let title = ended(&work.title);
    let printed =
        if work.place.is_empty() { work.publisher.clone() } else { format!("{}: {}", work.place, work.publisher) };
    let doi = named("doi: ", &work.doi);
    match work.kind {
        Kind::Article => {
            let pages = named(":", &work.pages.replace("--", "-").replace('–', "-"));
            format!("{names} {title} {} {};{}{pages}. {doi}", ended(&work.container), work.year, bracketed(work))
        }
        Kind::Chapter | Kind::Paper => {
            let editors: Vec<String> = work.editors.iter().map(|one| turned(one, &one.initials("", ""), " ")).collect();
            let by = if editors.is_empty() {
                String::new()
            } else {
                format!("{}, editor{}. ", editors.join(", "), if editors.len() > 1 { "s" } else { "" })
            };
            format!(
                "{names} {title} In: {by}{} {printed}; {}. {}",
                ended(&work.container),
                work.year,
                named("p. ", &ended(&work.pages.replace('–', "-")))
            )
        }
        Kind::Page => format!("{names} {title} {}. Available from: {}", work.year, work.url),
        Kind::Book | Kind::Thesis => format!("{names} {title} {} {printed}; {}. {doi}", edition(work), work.year),
    }
}

fn ieee(work: &Work) -> String {
    let names: Vec<String> = work.authors.iter().map(|one| straight(one, &dotted(one))).collect();
    let names = joined(&names, " and ", ", and ");
    let pages = named(if work.pages.contains(['-', '–']) { "pp. " } else { "p. " }, &dashed(&work.pages));
    let doi = named("doi: ", &work.doi);
    let tail = match work.kind {
        Kind::Article => format!(
            "“{},” {}",
            work.title,
            list(&[
                work.container.clone(),
                named("vol. ", &work.volume),
                named("no. ", &work.issue),
                pages,
                work.year.clone(),
                doi
            ])
        ),
        Kind::Chapter | Kind::Paper => format!(
            "“{},” in {}",
            work.title,
            list(&[work.container.clone(), work.place.clone(), work.year.clone(), pages, doi])
        ),
        Kind::Page => format!("“{}.” {} [Online]. Available: {}", work.title, work.year, work.url),
        Kind::Book | Kind::Thesis => {
            let printed = if work.place.is_empty() {
                work.publisher.clone()
            } else {
                format!("{}: {}", work.place, work.publisher)
            };
            format!("{} {}", ended(&list(&[work.title.clone(), edition(work)])), list(&[printed, work.year.clone()]))
        }
    };
    format!("{names}, {}", ended(&tail))
}

fn bibtex(work: &Work, place: usize) -> String {
    let (kind, container) = match work.kind {
        Kind::Article => ("article", "journal"),
        Kind::Chapter => ("incollection", "booktitle"),
        Kind::Paper => ("inproceedings", "booktitle"),
        Kind::Page => ("online", "organization"),
        Kind::Thesis => ("phdthesis", "note"),
        Kind::Book => ("book", "series"),
    };
    let name = |one: &Person| {
        if one.given.is_empty() { format!("{{{}}}", one.family) } else { format!("{}, {}", one.family, one.given) }
    };
    let people = |list: &[Person]| list.iter().map(name).collect::<Vec<_>>().join(" and ");
    let letters: String =
        work.authors.first().map_or("ref", |one| &one.family).chars().filter(char::is_ascii_alphanumeric).collect();
    let key = format!(
        "{}{}",
        letters.to_lowercase(),
        if work.year.is_empty() { place.to_string() } else { work.year.clone() }
    );
    let fields = [
        ("author", people(&work.authors)),
        ("editor", people(&work.editors)),
        ("title", work.title.clone()),
        (container, work.container.clone()),
        ("year", work.year.clone()),
        ("volume", work.volume.clone()),
        ("number", work.issue.clone()),
        ("pages", dashed(&work.pages).replace('–', "--")),
        ("publisher", work.publisher.clone()),
        ("address", work.place.clone()),
        ("edition", work.edition.clone()),
        ("doi", work.doi.clone()),
        ("isbn", work.isbn.clone()),
        ("url", work.url.clone()),
    ];
    let body: String = fields
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!(",\n  {name} = {{{value}}}"))
        .collect();
    format!("@{kind}{{{key}{body}\n}}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::people;

    #[test]
    fn one_article_and_one_book_in_each_form() {
        let article = Work {
            kind: Kind::Article,
            authors: people("Chidi Okafor; Maja Lindgren"),
            title: "Sleep and shifts".into(),
            container: "Sleep Studies".into(),
            year: "2018".into(),
            volume: "27".into(),
            issue: "3".into(),
            pages: "145-160".into(),
            ..Work::default()
        };
        let book = Work {
            authors: people("Hannah Vogel"),
            title: "The River".into(),
            publisher: "Lark".into(),
            place: "Cork".into(),
            year: "2016".into(),
            edition: "2".into(),
            ..Work::default()
        };
        let cases = [
            (
                Style::Apa,
                "Okafor, C., & Lindgren, M. (2018). Sleep and shifts. Sleep Studies, 27(3), 145–160.",
                "Vogel, H. (2016). The River (2nd ed.). Lark.",
            ),
            (
                Style::Mla,
                "Okafor, Chidi, and Maja Lindgren. “Sleep and shifts.” Sleep Studies, vol. 27, no. 3, 2018, pp. 145–160.",
                "Vogel, Hannah. The River. 2nd ed., Lark, 2016.",
            ),
            (
                Style::Chicago,
                "Okafor, Chidi, and Maja Lindgren. “Sleep and shifts.” Sleep Studies 27, no. 3 (2018): 145–160.",
                "Vogel, Hannah. The River. 2nd ed. Cork: Lark, 2016.",
            ),
            (
                Style::Harvard,
                "Okafor, C. and Lindgren, M. (2018) ‘Sleep and shifts’, Sleep Studies, 27(3), pp. 145–160.",
                "Vogel, H. (2016) The River, 2nd ed. Cork: Lark.",
            ),
            (
                Style::Vancouver,
                "Okafor C, Lindgren M. Sleep and shifts. Sleep Studies. 2018;27(3):145-160.",
                "Vogel H. The River. 2nd ed. Cork: Lark; 2016.",
            ),
            (
                Style::Ieee,
                "C. Okafor and M. Lindgren, “Sleep and shifts,” Sleep Studies, vol. 27, no. 3, pp. 145–160, 2018.",
                "H. Vogel, The River, 2nd ed. Cork: Lark, 2016.",
            ),
        ];
        for (style, first, second) in cases {
            assert_eq!(write(&article, style, 1), first);
            assert_eq!(write(&book, style, 1), second);
        }
        assert!(
            write(&article, Style::Bibtex, 1)
                .starts_with("@article{okafor2018,\n  author = {Okafor, Chidi and Lindgren, Maja}")
        );
    }
}
