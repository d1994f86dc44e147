//! A work written in a style of references. Only the parts that the work has are written.

use agent_common::dates;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::work::{Kind, Work};

/// A style of references.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// American Psychological Association, 7th edition.
    #[default]
    Apa,
    /// ICMJE and National Library of Medicine.
    Vancouver,
    /// A BibTeX entry.
    Bibtex,
    /// Modern Language Association, 9th edition.
    Mla,
    /// Chicago Manual of Style, bibliography.
    Chicago,
    /// Harvard, as in Cite Them Right.
    Harvard,
    /// Institute of Electrical and Electronics Engineers.
    Ieee,
}

/// Returns a work in a style. `place` numbers a BibTeX entry without a year.
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

/// Returns the parts that are not empty, with a sign between them.
fn list<const N: usize>(between: &str, parts: [String; N]) -> String {
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join(between)
}

/// Returns a part between two texts; nothing if it is empty.
fn around(before: &str, part: &str, after: &str) -> String {
    if part.trim().is_empty() { String::new() } else { format!("{before}{part}{after}") }
}

/// Returns a part with a full stop behind it, unless it ends with a mark.
fn ended(part: &str) -> String {
    let part = part.trim();
    let closed = part.is_empty() || part.trim_end_matches(['”', '’']).ends_with(['.', '?', '!']);
    if closed { part.to_owned() } else { format!("{part}.") }
}

/// Returns `A`, `A and B`, `A, B, and C`.
fn joined(names: &[String], two: &str, more: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [a, b] => format!("{a}{two}{b}"),
        [head @ .., last] => format!("{}{more}{last}", head.join(", ")),
    }
}

/// The family name and the given names; an organisation has no given names.
fn split(name: &str) -> (&str, &str) {
    let (family, given) = name.split_once(',').unwrap_or((name, ""));
    (family.trim(), given.trim())
}

fn initials(given: &str, stop: &str, gap: &str) -> String {
    let letters = |word: &str| {
        let parts = word.split('-').filter_map(|part| part.chars().next());
        parts.map(|c| format!("{}{stop}", c.to_uppercase())).collect::<Vec<_>>().join("-")
    };
    let words = given.split([' ', '.']).filter(|word| !word.is_empty() && *word != "-");
    words.map(letters).collect::<Vec<_>>().join(gap)
}

/// Returns the names as `Family, G. H.`.
fn turned(names: &[String], between: &str, stop: &str, gap: &str) -> Vec<String> {
    let name = |name: &String| {
        let (family, given) = split(name);
        format!("{family}{}", around(between, &initials(given, stop, gap), ""))
    };
    names.iter().map(name).collect()
}

/// Returns the names as `Given Family`, or `G. H. Family`.
fn straight(names: &[String], short: bool) -> Vec<String> {
    let name = |name: &String| {
        let (family, given) = split(name);
        let given = if short { initials(given, ".", " ") } else { given.to_owned() };
        format!("{}{family}", around("", &given, " "))
    };
    names.iter().map(name).collect()
}

/// Returns the names with only the first one turned round; with more than `most`, `et al.`.
fn first_turned(names: &[String], most: usize) -> String {
    let Some((first, rest)) = names.split_first() else { return String::new() };
    let rest = straight(rest, false);
    match rest.as_slice() {
        [] => ended(first),
        _ if names.len() > most => format!("{first}, et al."),
        [one] => ended(&format!("{first}, and {one}")),
        more => ended(&format!("{first}, {}", joined(more, ", and ", ", and "))),
    }
}

fn edition(work: &Work, word: &str) -> String {
    let digits: String = work.edition.chars().take_while(char::is_ascii_digit).collect();
    let end = match digits.as_str() {
        "" => return work.edition.clone(),
        "1" => return String::new(),
        n if n.ends_with('1') && !n.ends_with("11") => "st",
        n if n.ends_with('2') && !n.ends_with("12") => "nd",
        n if n.ends_with('3') && !n.ends_with("13") => "rd",
        _ => "th",
    };
    format!("{digits}{end} {word}.")
}

fn link(work: &Work) -> String {
    if work.doi.is_empty() { work.url.clone() } else { format!("https://doi.org/{}", work.doi) }
}

fn pages(work: &Work, one: &str, several: &str) -> String {
    let dashed = work.pages.replace("--", "–").replace(['-', '—'], "–");
    around(if dashed.contains('–') { several } else { one }, &dashed, "")
}

fn volume(work: &Work) -> String {
    format!("{}{}", work.volume, around("(", &work.issue, ")"))
}

/// Returns `Place: Publisher`.
fn printed(work: &Work) -> String {
    list(": ", [work.place.clone(), work.publisher.clone()])
}

/// Returns the day, the month and its short form, and the year of YYYY-MM-DD.
fn day(date: &str) -> Option<(u32, &'static str, String, i32)> {
    let date = dates::read(date, None)?;
    let month = dates::MONTH_NAMES.get(usize::try_from(date.month).ok()?.checked_sub(1)?)?;
    let short = match *month {
        "May" | "June" | "July" => (*month).to_owned(),
        "September" => "Sept.".to_owned(),
        long => format!("{}.", long.get(..3)?),
    };
    Some((date.day, month, short, date.year))
}

fn apa(work: &Work) -> String {
    let names = joined(&turned(&work.authors, ", ", ".", " "), ", & ", ", & ");
    let day = day(&work.date).filter(|_| work.kind == Kind::Page).map(|(day, month, _, _)| format!(", {month} {day}"));
    let year = if work.year.is_empty() { "n.d." } else { &work.year };
    let head = format!("{} ({year}{}).", ended(&names), day.unwrap_or_default());
    let title = &work.title;
    let body = match work.kind {
        Kind::Article => format!(
            "{} {}",
            ended(title),
            ended(&list(", ", [work.container.clone(), volume(work), pages(work, "", "")]))
        ),
        Kind::Chapter | Kind::Paper => {
            let mark = if work.editors.len() > 1 { " (Eds.), " } else { " (Ed.), " };
            let by = around("", &joined(&straight(&work.editors, true), " & ", ", & "), mark);
            let within = around(" (", &list(", ", [edition(work, "ed"), pages(work, "p. ", "pp. ")]), ")");
            format!("{} In {by}{}{within}. {}", ended(title), work.container, ended(&work.publisher))
        }
        Kind::Page => format!("{} {}", ended(title), ended(&work.container)),
        Kind::Thesis => format!("{title} [Thesis{}].", around(", ", &work.publisher, "")),
        Kind::Book => format!(
            "{} {}",
            ended(&format!("{title}{}", around(" (", &edition(work, "ed"), ")"))),
            ended(&work.publisher)
        ),
    };
    format!("{head} {body} {}", link(work))
}

fn mla(work: &Work) -> String {
    let quoted = format!("“{}”", ended(&work.title));
    let pages = pages(work, "p. ", "pp. ");
    let tail = match work.kind {
        Kind::Article => {
            let (volume, issue) = (around("vol. ", &work.volume, ""), around("no. ", &work.issue, ""));
            format!(
                "{quoted} {}",
                list(", ", [work.container.clone(), volume, issue, work.year.clone(), pages, link(work)])
            )
        }
        Kind::Chapter | Kind::Paper => {
            let by = around("edited by ", &joined(&straight(&work.editors, false), " and ", ", and "), "");
            let parts = [
                work.container.clone(),
                by,
                edition(work, "ed"),
                work.publisher.clone(),
                work.year.clone(),
                pages,
                link(work),
            ];
            format!("{quoted} {}", list(", ", parts))
        }
        Kind::Page => {
            let date =
                day(&work.date).map_or(work.year.clone(), |(day, _, short, year)| format!("{day} {short} {year}"));
            format!("{quoted} {}", list(", ", [work.container.clone(), work.publisher.clone(), date, link(work)]))
        }
        Kind::Thesis => {
            format!("{} {}. {}", ended(&work.title), work.year, list(", ", [work.publisher.clone(), "thesis".into()]))
        }
        Kind::Book => format!(
            "{} {}",
            ended(&work.title),
            list(", ", [edition(work, "ed"), work.publisher.clone(), work.year.clone(), link(work)])
        ),
    };
    format!("{} {}", first_turned(&work.authors, 2), ended(&tail))
}

fn chicago(work: &Work) -> String {
    let quoted = format!("“{}”", ended(&work.title));
    let pages = pages(work, "", "");
    let printed = ended(&list(", ", [printed(work), work.year.clone()]));
    let tail = match work.kind {
        Kind::Article => {
            let volume = list(", ", [format!("{} {}", work.container, work.volume), around("no. ", &work.issue, "")]);
            format!("{quoted} {volume} ({}){}.", work.year, around(": ", &pages, ""))
        }
        Kind::Chapter | Kind::Paper => {
            let by = around("edited by ", &joined(&straight(&work.editors, false), " and ", ", and "), "");
            format!("{quoted} In {} {printed}", ended(&list(", ", [work.container.clone(), by, pages])))
        }
        Kind::Page => {
            let date =
                day(&work.date).map_or(work.year.clone(), |(day, month, _, year)| format!("{month} {day}, {year}"));
            format!("{quoted} {} {}", ended(&work.container), ended(&date))
        }
        Kind::Thesis => format!("{quoted} Thesis, {}", ended(&list(", ", [work.publisher.clone(), work.year.clone()]))),
        Kind::Book => format!("{} {} {printed}", ended(&work.title), ended(&edition(work, "ed"))),
    };
    format!("{} {tail} {}", first_turned(&work.authors, 10), ended(&link(work)))
}

fn harvard(work: &Work) -> String {
    let names = |names: &[String]| joined(&turned(names, ", ", ".", ""), " and ", " and ");
    let year = if work.year.is_empty() { "no date" } else { &work.year };
    let pages = pages(work, "p. ", "pp. ");
    let tail = match work.kind {
        Kind::Article => format!("‘{}’, {}", work.title, list(", ", [work.container.clone(), volume(work), pages])),
        Kind::Chapter | Kind::Paper => {
            let mark = if work.editors.len() > 1 { " (eds) " } else { " (ed.) " };
            let by = around("", &names(&work.editors), mark);
            format!("‘{}’, in {by}{} {}", work.title, ended(&work.container), list(", ", [printed(work), pages]))
        }
        Kind::Page => work.title.clone(),
        Kind::Thesis => format!("{} Thesis. {}", ended(&work.title), work.publisher),
        Kind::Book => format!("{} {} {}", ended(&work.title), edition(work, "edn"), printed(work)),
    };
    let read = day(&work.accessed).map(|(day, month, _, year)| format!(" (Accessed: {day} {month} {year})"));
    let link = around("Available at: ", &link(work), &format!("{}.", read.unwrap_or_default()));
    format!("{} ({year}) {} {link}", names(&work.authors), ended(&tail))
}

fn vancouver(work: &Work) -> String {
    let mut names = turned(work.authors.get(..6).unwrap_or(&work.authors), " ", "", "");
    names.extend((work.authors.len() > 6).then(|| "et al".to_owned()));
    let names = ended(&names.join(", "));
    let title = ended(&work.title);
    let printed = format!("{}; {}.", printed(work), work.year);
    let doi = around("doi: ", &work.doi, "");
    let pages = work.pages.replace("--", "-").replace('–', "-");
    match work.kind {
        Kind::Article => {
            format!(
                "{names} {title} {} {};{}{}. {doi}",
                ended(&work.container),
                work.year,
                volume(work),
                around(":", &pages, "")
            )
        }
        Kind::Chapter | Kind::Paper => {
            let mark = if work.editors.len() > 1 { ", editors." } else { ", editor." };
            let by = around("", &turned(&work.editors, " ", "", "").join(", "), mark);
            let edition = edition(work, "ed");
            format!(
                "{names} {title} In: {by} {} {edition} {printed} {} {doi}",
                ended(&work.container),
                around("p. ", &pages, ".")
            )
        }
        Kind::Page => {
            let read = day(&work.accessed)
                .map(|(day, month, _, year)| format!(" [cited {year} {} {day}]", month.get(..3).unwrap_or(month)));
            format!(
                "{names} {} [Internet]. {}{}. Available from: {}",
                work.title,
                work.year,
                read.unwrap_or_default(),
                link(work)
            )
        }
        Kind::Thesis => format!("{names} {} [thesis]. {printed}", work.title),
        Kind::Book => format!("{names} {title} {} {printed} {doi}", edition(work, "ed")),
    }
}

fn ieee(work: &Work) -> String {
    let names = joined(&straight(&work.authors, true), " and ", ", and ");
    let pages = pages(work, "p. ", "pp. ");
    let doi = around("doi: ", &work.doi, "");
    let quoted = format!("“{},”", work.title);
    let (year, container) = (work.year.clone(), work.container.clone());
    let tail = match work.kind {
        Kind::Article => {
            let (volume, issue) = (around("vol. ", &work.volume, ""), around("no. ", &work.issue, ""));
            format!("{quoted} {}", list(", ", [container, volume, issue, pages, year, doi]))
        }
        Kind::Chapter => {
            let mark = if work.editors.len() > 1 { ", Eds." } else { ", Ed." };
            let by = around("", &joined(&straight(&work.editors, true), " and ", ", and "), mark);
            let within = ended(&list(", ", [container, edition(work, "ed"), by]));
            format!("{quoted} in {within} {}", list(", ", [printed(work), year, pages, doi]))
        }
        Kind::Paper => format!("{quoted} in {}", list(", ", [container, work.place.clone(), year, pages, doi])),
        Kind::Page => {
            let read = day(&work.accessed).map(|(day, _, short, year)| format!("Accessed: {short} {day}, {year}. "));
            let site = ended(&container);
            return format!(
                "{}“{}” {site} {}[Online]. Available: {}",
                around("", &names, ". "),
                ended(&work.title),
                read.unwrap_or_default(),
                link(work)
            );
        }
        Kind::Thesis => {
            format!("{quoted} {}", list(", ", ["Thesis".into(), work.publisher.clone(), work.place.clone(), year]))
        }
        Kind::Book => {
            let title = ended(&list(", ", [work.title.clone(), edition(work, "ed")]));
            format!("{title} {}", list(", ", [printed(work), year]))
        }
    };
    format!("{names}, {}", ended(&tail))
}

fn bibtex(work: &Work, place: usize) -> String {
    let (kind, container, publisher) = match work.kind {
        Kind::Article => ("article", "journal", "publisher"),
        Kind::Chapter => ("incollection", "booktitle", "publisher"),
        Kind::Paper => ("inproceedings", "booktitle", "publisher"),
        Kind::Page => ("online", "organization", "publisher"),
        Kind::Thesis => ("phdthesis", "note", "school"),
        Kind::Book => ("book", "series", "publisher"),
    };
    let name = |name: &String| if name.contains(',') { name.clone() } else { format!("{{{name}}}") };
    let people = |list: &[String]| list.iter().map(name).collect::<Vec<_>>().join(" and ");
    let family = work.authors.first().map_or("ref", |name| split(name).0);
    let letters: String = family.chars().filter(char::is_ascii_alphanumeric).collect();
    let key = if work.year.is_empty() { place.to_string() } else { work.year.clone() };
    let fields = [
        ("author", people(&work.authors)),
        ("editor", people(&work.editors)),
        ("title", work.title.clone()),
        (container, work.container.clone()),
        ("year", work.year.clone()),
        ("date", work.date.clone()),
        ("volume", work.volume.clone()),
        ("number", work.issue.clone()),
        ("pages", pages(work, "", "").replace('–', "--")),
        (publisher, work.publisher.clone()),
        ("address", work.place.clone()),
        ("edition", work.edition.clone()),
        ("doi", work.doi.clone()),
        ("isbn", work.isbn.clone()),
        ("url", work.url.clone()),
    ];
    let given = fields.iter().filter(|(_, value)| !value.is_empty());
    let body: String = given.map(|(name, value)| format!(",\n  {name} = {{{value}}}")).collect();
    format!("@{kind}{{{}{key}{body}\n}}", letters.to_lowercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn works_of_all_kinds_in_each_style() {
        let works: Vec<Work> = serde_json::from_value(json!([
            { "kind": "article", "authors": ["Okafor, Chidi", "Lindgren, Maja"], "title": "Sleep and shifts", "container": "Sleep Studies", "year": "2018", "volume": "27", "issue": "3", "pages": "145-160" },
            { "kind": "book", "authors": ["Vogel, Hannah Jo"], "title": "The River", "publisher": "Lark", "place": "Cork", "year": "2016", "edition": "2" },
            { "kind": "chapter", "authors": ["Lee, Ann"], "editors": ["Bee, Carl"], "title": "Fog", "container": "Weather at Sea", "publisher": "Air", "place": "Oslo", "pages": "10-20", "year": "2001" },
            { "kind": "page", "authors": ["Coast Agency"], "title": "Tide tables", "year": "2023", "date": "2023-11-02", "url": "https://c.example/t" }
        ]))
        .unwrap();
        let shown = |style: Style| works.iter().map(|work| write(work, style, 1)).collect::<Vec<_>>();
        assert_eq!(
            shown(Style::Apa),
            [
                "Okafor, C., & Lindgren, M. (2018). Sleep and shifts. Sleep Studies, 27(3), 145–160.",
                "Vogel, H. J. (2016). The River (2nd ed.). Lark.",
                "Lee, A. (2001). Fog. In C. Bee (Ed.), Weather at Sea (pp. 10–20). Air.",
                "Coast Agency. (2023, November 2). Tide tables. https://c.example/t",
            ]
        );
        assert_eq!(
            shown(Style::Mla),
            [
                "Okafor, Chidi, and Maja Lindgren. “Sleep and shifts.” Sleep Studies, vol. 27, no. 3, 2018, pp. 145–160.",
                "Vogel, Hannah Jo. The River. 2nd ed., Lark, 2016.",
                "Lee, Ann. “Fog.” Weather at Sea, edited by Carl Bee, Air, 2001, pp. 10–20.",
                "Coast Agency. “Tide tables.” 2 Nov. 2023, https://c.example/t.",
            ]
        );
        assert_eq!(
            shown(Style::Chicago),
            [
                "Okafor, Chidi, and Maja Lindgren. “Sleep and shifts.” Sleep Studies 27, no. 3 (2018): 145–160.",
                "Vogel, Hannah Jo. The River. 2nd ed. Cork: Lark, 2016.",
                "Lee, Ann. “Fog.” In Weather at Sea, edited by Carl Bee, 10–20. Oslo: Air, 2001.",
                "Coast Agency. “Tide tables.” November 2, 2023. https://c.example/t.",
            ]
        );
        assert_eq!(
            shown(Style::Harvard),
            [
                "Okafor, C. and Lindgren, M. (2018) ‘Sleep and shifts’, Sleep Studies, 27(3), pp. 145–160.",
                "Vogel, H.J. (2016) The River. 2nd edn. Cork: Lark.",
                "Lee, A. (2001) ‘Fog’, in Bee, C. (ed.) Weather at Sea. Oslo: Air, pp. 10–20.",
                "Coast Agency (2023) Tide tables. Available at: https://c.example/t.",
            ]
        );
        assert_eq!(
            shown(Style::Vancouver),
            [
                "Okafor C, Lindgren M. Sleep and shifts. Sleep Studies. 2018;27(3):145-160.",
                "Vogel HJ. The River. 2nd ed. Cork: Lark; 2016.",
                "Lee A. Fog. In: Bee C, editor. Weather at Sea. Oslo: Air; 2001. p. 10-20.",
                "Coast Agency. Tide tables [Internet]. 2023. Available from: https://c.example/t",
            ]
        );
        assert_eq!(
            shown(Style::Ieee),
            [
                "C. Okafor and M. Lindgren, “Sleep and shifts,” Sleep Studies, vol. 27, no. 3, pp. 145–160, 2018.",
                "H. J. Vogel, The River, 2nd ed. Cork: Lark, 2016.",
                "A. Lee, “Fog,” in Weather at Sea, C. Bee, Ed. Oslo: Air, 2001, pp. 10–20.",
                "Coast Agency. “Tide tables.” [Online]. Available: https://c.example/t",
            ]
        );
        assert!(
            write(&works[0], Style::Bibtex, 1)
                .starts_with("@article{okafor2018,\n  author = {Okafor, Chidi and Lindgren, Maja}")
        );
    }
}
