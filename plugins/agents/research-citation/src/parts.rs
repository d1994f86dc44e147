//! Works given as parts: `Title: …` lines, RIS, and BibTeX.

use crate::given;
use crate::part_names::part;
use crate::work::{Kind, Person, Work, people};

/// The works of a text of parts; empty where it is none.
pub fn read(text: &str) -> Vec<Work> {
    let trimmed = text.trim();
    if let Some(entries) = bibtex_of(trimmed) {
        return bibtex(entries);
    }
    let ris =
        trimmed.lines().filter(|line| line.get(2..6) == Some("  - ") || line.trim_end().ends_with("  -")).count() > 2;
    let pairs = match given::members(trimmed) {
        Some(pairs) => pairs,
        None if ris => ris_pairs(trimmed),
        None => {
            let bare = given::unsigned(trimmed);
            if bare.is_empty() { labelled(trimmed) } else { bare }
        }
    };
    let mut works: Vec<Work> = Vec::new();
    let mut seen: Vec<&'static str> = Vec::new();
    let mut work = Work::default();
    let mut typed: Option<Kind> = None;
    for (key, value) in &pairs {
        let Some(part) = part(key) else { continue };
        // A part that comes again begins the next work.
        if seen.contains(&part) && !matches!(part, "author" | "editor" | "pages" | "url") && !work.title.is_empty() {
            works.push(finished(std::mem::take(&mut work), typed.take()));
            seen.clear();
        }
        seen.push(part);
        if part == "type" {
            typed = kind(value);
        } else {
            set(&mut work, part, value);
        }
    }
    if !work.title.is_empty() {
        works.push(finished(work, typed));
    }
    works
}

fn finished(mut work: Work, typed: Option<Kind>) -> Work {
    work.kind = typed.unwrap_or_else(|| {
        if !work.editors.is_empty() && !work.container.is_empty() {
            Kind::Chapter
        } else if work.kind != Kind::Book {
            work.kind
        } else if !work.container.is_empty() {
            if work.volume.is_empty() && work.issue.is_empty() && !work.publisher.is_empty() {
                Kind::Chapter
            } else {
                Kind::Article
            }
        } else if !work.url.is_empty() && work.publisher.is_empty() {
            Kind::Page
        } else {
            Kind::Book
        }
    });
    work
}

fn kind(text: &str) -> Option<Kind> {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(match () {
        () if has(&["chap", "incollection", "inbook"]) => Kind::Chapter,
        () if has(&["inproceedings", "conf", "cpaper", "cpapr"]) => Kind::Paper,
        () if has(&["jour", "article", "mgzn"]) => Kind::Article,
        () if has(&["thes", "dissertation"]) => Kind::Thesis,
        () if has(&["book", "buch"]) => Kind::Book,
        () if has(&["elec", "web", "online", "page"]) => Kind::Page,
        () => return None,
    })
}

fn set(work: &mut Work, part: &str, value: &str) {
    let value = value.trim().trim_end_matches(';').trim().trim_matches(['"', '“', '”']).to_owned();
    match part {
        "author" => {
            let body = value.trim_end_matches("(author)").trim_end_matches("(authors)").trim();
            let named = people(body);
            work.authors.extend(if value.ends_with("(author)") && named.len() == 1 && !body.contains(',') {
                vec![Person::read(body)]
            } else {
                named
            });
        }
        "editor" => work.editors.extend(people(&value)),
        "title" => work.title = value.trim_end_matches('.').to_owned(),
        "container" => work.container = value.trim_end_matches('.').to_owned(),
        "conference" => (work.container, work.kind) = (value, Kind::Paper),
        "book" => (work.container, work.kind) = (value, Kind::Chapter),
        "year" | "date" => (work.year, work.day) = date(&value),
        "volume" => work.volume = value.trim_start_matches("vol. ").to_owned(),
        "issue" => work.issue = value.trim_start_matches("no. ").to_owned(),
        "pages" => work.pages = value.trim_start_matches("pp. ").trim_start_matches("p. ").to_owned(),
        "last page" => work.pages = format!("{}-{value}", work.pages),
        "publisher" => work.publisher = value.trim_end_matches('.').to_owned(),
        "place" => work.place = value.trim_end_matches('.').to_owned(),
        "edition" => work.edition = value,
        "doi" => work.doi = bare_doi(&value),
        "url" if value.contains("doi.org/") => work.doi = bare_doi(&value),
        "url" => work.url = value,
        "isbn" => work.isbn = value,
        _ => {}
    }
}

/// A DOI without an address before it.
pub fn bare_doi(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    text.find("10.").and_then(|at| text.get(at..)).unwrap_or(text).to_owned()
}

/// The year, and month and day with it.
pub fn date(text: &str) -> (String, String) {
    if let Some(found) = agent_common::dates::scan(text, None).first() {
        let month = agent_common::dates::MONTH_NAMES
            .get((found.date.month as usize).wrapping_sub(1))
            .copied()
            .unwrap_or_default();
        return (found.date.year.to_string(), format!("{month} {}", found.date.day));
    }
    let year = text.split(|c: char| !c.is_ascii_digit()).find(|word| word.len() == 4).unwrap_or_default();
    let month = text
        .split(|c: char| !c.is_alphabetic())
        .find(|word| agent_common::dates::month(word).is_some())
        .unwrap_or_default();
    let day = if month.is_empty() {
        ""
    } else {
        text.split(|c: char| !c.is_ascii_digit()).find(|word| (1..=2).contains(&word.len())).unwrap_or_default()
    };
    (year.to_owned(), format!("{month} {day}").trim().to_owned())
}

/// `Label: value` and `label = value`, also several in a line, and `vol 3`, `no 2`, `pages 4-9`, `2019` without a sign.
fn labelled(text: &str) -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
        let mut opens: Vec<(usize, usize)> = Vec::new();
        for (at, sign) in line.match_indices([':', '=']) {
            let before = line.get(..at).unwrap_or_default();
            let from = [". ", "; ", "| ", ", ", ") "]
                .iter()
                .filter_map(|cut| before.rfind(cut).map(|at| at + cut.len()))
                .max()
                .unwrap_or(0);
            let label = before.get(from..).unwrap_or_default().trim().trim_matches('*');
            let after = line.get(at + 1..).unwrap_or_default();
            let free = sign == "=" || after.is_empty() || after.starts_with([' ', '\t', '*']);
            if free && part(label).is_some() && opens.last().is_none_or(|(_, end)| *end <= from) {
                opens.push((from, at + 1));
            }
        }
        if opens.is_empty() {
            pairs.extend(unsigned(line));
        }
        for (index, (from, end)) in opens.iter().enumerate() {
            let to = opens.get(index + 1).map_or(line.len(), |(next, _)| *next);
            let label = line.get(*from..end - 1).unwrap_or_default().trim().trim_matches('*').to_owned();
            let value = line
                .get(*end..to)
                .unwrap_or_default()
                .trim()
                .trim_start_matches("** ")
                .trim_end_matches([';', ',', '|'])
                .trim();
            let value = if index + 1 < opens.len() { value.strip_suffix('.').unwrap_or(value) } else { value };
            if !value.is_empty() {
                pairs.push((label, value.to_owned()));
            }
        }
    }
    pairs
}

/// `vol 31, no 4, 2019, pages 402-19`: all parts have to be known.
fn unsigned(line: &str) -> Vec<(String, String)> {
    let read = |part_text: &str| -> Option<(String, String)> {
        let text = part_text.trim().trim_end_matches('.');
        if text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit()) {
            return Some(("year".into(), text.to_owned()));
        }
        let (name, value) = text.split_once(' ')?;
        let name = name.trim_end_matches('.');
        (part(name).is_some_and(|part| ["volume", "issue", "pages", "year"].contains(&part))
            && value.starts_with(|c: char| c.is_ascii_digit()))
        .then(|| (name.to_owned(), value.to_owned()))
    };
    let found: Vec<Option<(String, String)>> = line.split(", ").map(read).collect();
    if found.iter().all(Option::is_some) { found.into_iter().flatten().collect() } else { Vec::new() }
}

fn ris_pairs(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (key, value) = line.split_once("  -")?;
        let key = match key.trim() {
            "A1" => "AU",
            "A2" | "ED" => "editor",
            "T1" => "TI",
            "Y1" => "PY",
            key => key,
        };
        (key != "ER" && !value.trim().is_empty()).then(|| (key.to_owned(), value.trim().to_owned()))
    };
    text.lines().filter_map(line).collect()
}

/// From the first entry on: `@article{…`.
fn bibtex_of(text: &str) -> Option<&str> {
    let opens = |at: &usize| {
        let name = text.get(at + 1..).unwrap_or_default();
        let word = name.chars().take_while(char::is_ascii_alphabetic).count();
        let begins = text.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace));
        word > 2 && begins && name.get(word..).is_some_and(|rest| rest.trim_start().starts_with('{'))
    };
    text.match_indices('@').map(|(at, _)| at).find(opens).and_then(|at| text.get(at..))
}

/// Whether a text gives a work by its parts, with title and author.
pub fn gives_work(text: &str) -> bool {
    read(text).iter().any(|work| !work.title.is_empty() && !work.authors.is_empty())
}

fn bibtex(text: &str) -> Vec<Work> {
    let entries = format!("\n{text}");
    entries.split("\n@").skip(1).filter_map(entry).collect()
}

fn entry(text: &str) -> Option<Work> {
    let (kind_name, rest) = text.split_once('{')?;
    let (_, body) = rest.split_once(',')?;
    let mut work = Work::default();
    let mut rest = body;
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.trim_matches(|c: char| c.is_whitespace() || c == ',').to_owned();
        let after = after.trim_start();
        let (value, next) = value(after)?;
        let clean: String = value.replace(['{', '}'], "").split_whitespace().collect::<Vec<_>>().join(" ");
        match key.as_str() {
            "author" | "editor" => {
                let people: Vec<Person> =
                    value.split(" and ").map(Person::read).filter(|one| !one.family.is_empty()).collect();
                if key == "author" { work.authors = people } else { work.editors = people }
            }
            "eprint" | "archiveprefix" | "archivePrefix" => {}
            _ => {
                if let Some(part) = part(&key) {
                    set(&mut work, part, &clean);
                }
            }
        }
        rest = next;
    }
    let typed = kind(kind_name);
    (!work.title.is_empty()).then(|| finished(work, typed))
}

/// The value in braces or quotation marks, or a bare word, and what follows.
fn value(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0i32;
    if text.starts_with('{') {
        for (at, c) in text.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some((text.get(1..at)?, text.get(at + 1..)?));
            }
        }
        return None;
    }
    if let Some(inner) = text.strip_prefix('"') {
        return inner.split_once('"');
    }
    let end = text.find([',', '}', '\n']).unwrap_or(text.len());
    Some((text.get(..end)?.trim(), text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_become_works() {
        let cases = [
            ("Author: Ann Lee\nTitle: Fog\nPublisher: Tern\nPlace: Hull\nYear: 2001", "Book|Lee|Fog||2001|Tern|"),
            (
                "author 1 = Ann Lee\nauthor 2 = Bo Ek\ntitle = Fog\njournal = Air\nvol 3, no 2, 2019, pages 4-9",
                "Article|Lee;Ek|Fog|Air|2019||4-9",
            ),
            ("TY  - BOOK\nAU  - Lee, Ann\nTI  - Fog\nPB  - Tern\nPY  - 1994\nER  -", "Book|Lee|Fog||1994|Tern|"),
            (
                "@article{a, author={Lee, Ann and Ek, Bo}, title={Fog}, journal={Air}, year=2016, pages={7--9}}",
                "Article|Lee;Ek|Fog|Air|2016||7--9",
            ),
            (
                "Organisation: Sea Agency (author). Title: Tides. Date: 2023, May 2. URL: https://x.example/t",
                "Page|Sea Agency|Tides||2023||",
            ),
            (
                "chapter author: A Lee\nchapter title: Fog\nbook: Weather\neditor: Bo Ek\npublisher: Tern\nyear: 2010\npages 5-7",
                "Chapter|Lee|Fog|Weather|2010|Tern|5-7",
            ),
            ("It rained in May: all day.", ""),
        ];
        for (text, expect) in cases {
            let told: Vec<String> = read(text)
                .iter()
                .map(|work| {
                    let names: Vec<&str> = work.authors.iter().map(|one| one.family.as_str()).collect();
                    format!(
                        "{:?}|{}|{}|{}|{}|{}|{}",
                        work.kind,
                        names.join(";"),
                        work.title,
                        work.container,
                        work.year,
                        work.publisher,
                        work.pages
                    )
                })
                .collect();
            assert_eq!(told.join("\n"), expect, "{text}");
        }
        assert_eq!(read("Title: A b\nYear: 1999\n\nTitle: C d\nYear: 2000").len(), 2);
    }
}
