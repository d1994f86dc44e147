//! Works written as references: in the patterns of APA and Harvard, MLA, Chicago and Vancouver.

use crate::parts::bare_doi;
use crate::work::{Kind, Work, people};

/// Reads one reference; none where its punctuation follows no known pattern.
pub fn read(line: &str) -> Option<Work> {
    let line = unnumbered(line.trim());
    let (body, doi, url) = address(&line);
    let mut work = dated(&body).or_else(|| quoted(&body)).or_else(|| vancouver(&body)).or_else(|| book(&body))?;
    (work.doi, work.url) = (doi, url);
    let whole = !work.title.is_empty() && work.title.len() < 400 && !work.authors.is_empty() && work.year.len() == 4;
    whole.then_some(work)
}

/// Without `[3]`, `3.` or a bullet before it.
fn unnumbered(line: &str) -> String {
    let line = line.trim_start_matches(['-', '*', '•', ' ']);
    let digits = |text: &str| !text.is_empty() && text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit());
    let bracket =
        line.strip_prefix('[').and_then(|rest| rest.split_once(']')).filter(|(id, _)| digits(id)).map(|(_, rest)| rest);
    let dotted =
        line.split_once(['.', ')']).filter(|(id, rest)| digits(id) && rest.starts_with(' ')).map(|(_, rest)| rest);
    bracket.or(dotted).unwrap_or(line).trim().to_owned()
}

/// The reference without its DOI and address, and both.
fn address(line: &str) -> (String, String, String) {
    let lower = line.to_lowercase();
    let at = ["https://", "http://", "doi:", "doi 10.", " 10."].iter().filter_map(|mark| lower.find(mark)).min();
    let Some(at) = at else { return (line.to_owned(), String::new(), String::new()) };
    let (body, tail) = line.split_at_checked(at).unwrap_or((line, ""));
    let tail = tail.trim().trim_end_matches('.');
    let doi = tail.contains("10.") && (tail.contains("doi") || tail.starts_with("10."));
    let (doi, url) = if doi { (bare_doi(tail), String::new()) } else { (String::new(), tail.to_owned()) };
    (body.trim().to_owned(), doi, url)
}

fn year(text: &str) -> Option<&str> {
    let year = text.get(..4)?;
    (year.bytes().all(|b| b.is_ascii_digit()) && year.parse::<u32>().is_ok_and(|year| (1450..2101).contains(&year)))
        .then_some(year)
}

/// `Family, G. (2017). Title. Journal, 12(1), 5–21.`, also Harvard: `Family, G. (2017) 'Title', Journal, 12(1), pp. 5-21.`
fn dated(line: &str) -> Option<Work> {
    let (authors, rest) = line.split_once(" (")?;
    let (date, rest) = rest.split_once(')')?;
    if authors.contains(['"', '“', '”']) {
        return None;
    }
    let year = year(date)?.to_owned();
    let rest = rest.trim_start_matches(['.', ',']).trim();
    let day = date.split_once(", ").map(|(_, day)| day.to_owned()).unwrap_or_default();
    let mut work = Work { authors: people(authors), year, day, ..Work::default() };
    let quoted = agent_common::quotes::find(rest);
    let source = if let Some(title) = quoted.first().filter(|one| one.start == 0) {
        work.title = title.text.trim_end_matches([',', '.']).to_owned();
        rest.get(title.end..)?.trim_start_matches([',', '.', ' ']).to_owned()
    } else {
        let (title, source) =
            rest.split_once(". ").or_else(|| rest.split_once("? ")).unwrap_or((rest.trim_end_matches('.'), ""));
        work.title = title.to_owned();
        source.to_owned()
    };
    source_of(&source, &mut work).then_some(work)
}

/// Where it was published, behind authors, year and title.
fn source_of(source: &str, work: &mut Work) -> bool {
    let source = source.trim().trim_end_matches('.');
    if source.is_empty() {
        return true;
    }
    let parts: Vec<&str> = source.split(", ").collect();
    let numbered = parts.iter().skip(1).any(|part| numbers(part, &mut Work::default()));
    if numbered {
        let at = parts.iter().skip(1).position(|part| numbers(part, &mut Work::default())).map_or(1, |at| at + 1);
        work.container = parts.get(..at).unwrap_or_default().join(", ");
        work.kind = Kind::Article;
        return parts.iter().skip(at).all(|part| numbers(part, work) || bare_numbers(part, work));
    }
    if source.starts_with("In ") || source.contains("(Ed") {
        return false;
    }
    match source.split_once(": ") {
        Some((place, publisher)) => (work.place, work.publisher) = (place.to_owned(), publisher.to_owned()),
        None => work.publisher = source.to_owned(),
    }
    true
}

/// `12(1)`, `vol. 12`, `no. 1`, `pp. 5–21`, `5–21`.
fn numbers(part: &str, work: &mut Work) -> bool {
    let part = part.trim().trim_end_matches('.');
    let digits = |text: &str| !text.is_empty() && text.len() < 6 && text.bytes().all(|b| b.is_ascii_digit());
    let lower = part.to_lowercase();
    if let Some(volume) = lower.strip_prefix("vol. ").or_else(|| lower.strip_prefix("vol ")) {
        work.volume = volume.to_owned();
        return digits(volume);
    }
    if let Some(issue) =
        lower.strip_prefix("no. ").or_else(|| lower.strip_prefix("no ")).or_else(|| lower.strip_prefix("issue "))
    {
        work.issue = issue.to_owned();
        return issue.starts_with(|c: char| c.is_ascii_digit());
    }
    if let Some(pages) = lower.strip_prefix("pp. ").or_else(|| lower.strip_prefix("p. ")) {
        work.pages = pages.to_owned();
        return pages.starts_with(|c: char| c.is_alphanumeric());
    }
    if let Some((volume, issue)) =
        part.split_once('(').and_then(|(volume, rest)| Some((volume.trim(), rest.strip_suffix(')')?)))
    {
        (work.volume, work.issue) = (volume.to_owned(), issue.to_owned());
        return digits(volume);
    }
    if digits(part) && work.volume.is_empty() {
        work.volume = part.to_owned();
        return true;
    }
    false
}

/// Pages or a year without a word before them.
fn bare_numbers(part: &str, work: &mut Work) -> bool {
    let part = part.trim().trim_end_matches('.');
    if year(part).is_some() && part.len() == 4 {
        part.clone_into(&mut work.year);
        return true;
    }
    let range = part.split_once(['-', '–', '—']).is_some_and(|(a, b)| {
        let page = |text: &str| !text.is_empty() && text.len() < 7 && text.chars().all(|c| c.is_ascii_alphanumeric());
        page(a.trim()) && page(b.trim())
    });
    let one =
        part.len() < 7 && part.chars().any(|c| c.is_ascii_digit()) && part.chars().all(|c| c.is_ascii_alphanumeric());
    if range || one {
        part.clone_into(&mut work.pages);
    }
    range || one
}

/// `Family, Given. "Title." Journal, vol. 3, no. 2, 2011, pp. 14-29.` and `… Journal 8, no. 3 (2006): 201-214.`
fn quoted(line: &str) -> Option<Work> {
    let found = agent_common::quotes::find(line);
    let title = found.iter().find(|one| one.text.contains(' '))?;
    let authors = line.get(..title.start)?.trim().trim_end_matches([',', ' ']);
    if authors.is_empty() {
        return None;
    }
    let mut work = Work {
        kind: Kind::Article,
        authors: people(authors),
        title: title.text.trim_end_matches(['.', ',']).to_owned(),
        ..Work::default()
    };
    let rest = line.get(title.end..)?.trim().trim_start_matches([',', '.', ' ']).trim_end_matches('.');
    if let Some((head, tail)) = rest.split_once(" (")
        && let Some((date, pages)) = tail.split_once(')')
        && let Some(found) = year(date)
    {
        found.clone_into(&mut work.year);
        let pages = pages.trim_start_matches([':', ',', ' ']).trim_start_matches("pp. ");
        pages.clone_into(&mut work.pages);
        let (journal, issue) = head.split_once(", no. ").unwrap_or((head, ""));
        let (name, volume) =
            journal.rsplit_once(' ').filter(|(_, volume)| volume.bytes().all(|b| b.is_ascii_digit()))?;
        (work.container, work.volume, work.issue) =
            (name.trim_end_matches(',').to_owned(), volume.to_owned(), issue.to_owned());
        return Some(work);
    }
    let parts: Vec<&str> = rest.split(", ").collect();
    let at = parts.iter().position(|part| numbers(part, &mut Work::default()))?;
    work.container = parts.get(..at)?.join(", ");
    let all = parts.iter().skip(at).all(|part| {
        let yearly = year(part).is_some() && part.len() == 4;
        if yearly { bare_numbers(part, &mut work) } else { numbers(part, &mut work) || bare_numbers(part, &mut work) }
    });
    (all && !work.container.is_empty()).then_some(work)
}

/// `Family AB, Family C. Title. Journal. 2002;347(4):284-7.`
fn vancouver(line: &str) -> Option<Work> {
    let (head, tail) = line.split_once(';')?;
    let (volume, pages) = tail.trim().trim_end_matches('.').split_once(':')?;
    let (head, date) = head.rsplit_once(". ")?;
    let found = year(date.trim())?.to_owned();
    let (authors, rest) = head.split_once(". ")?;
    let (title, journal) = rest.rsplit_once(". ")?;
    let mut work = Work {
        kind: Kind::Article,
        authors: people(authors),
        title: title.to_owned(),
        container: journal.to_owned(),
        year: found,
        pages: pages.trim().to_owned(),
        ..Work::default()
    };
    numbers(volume, &mut work).then_some(work)
}

/// `Family, Given. Title. Place: Publisher, Year.`, also without a place.
fn book(line: &str) -> Option<Work> {
    let line = line.trim_end_matches('.');
    let (head, last) = line.rsplit_once(", ").or_else(|| line.rsplit_once("; "))?;
    let found = year(last.trim()).filter(|_| last.trim().len() == 4)?.to_owned();
    let (front, publisher) = head.rsplit_once(". ")?;
    let (authors, title) = front.split_once(". ")?;
    let (authors, title) = if title.is_empty() { return None } else { (authors, title) };
    let (place, publisher) = publisher.split_once(": ").unwrap_or(("", publisher));
    let initial = title.split(' ').next().is_some_and(|word| word.len() <= 2 && word.ends_with('.'));
    let clean =
        !initial && !title.contains(['"', ';']) && title.split_whitespace().count() < 30 && authors.contains(',');
    clean.then(|| Work {
        kind: Kind::Book,
        authors: people(authors),
        title: title.to_owned(),
        place: place.to_owned(),
        publisher: publisher.to_owned(),
        year: found,
        ..Work::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_four_patterns() {
        let cases = [
            (
                "Rossi, F., & Byrne, K. (2017). Opera at night. Music Review, 12(1), 5–21.",
                "Article|Rossi;Byrne|Opera at night|Music Review|2017|12|1|5–21|",
            ),
            ("Bauer, S. (2015). Ferries. Nordbooks.", "Book|Bauer|Ferries||2015||||Nordbooks"),
            (
                "1. Yilmaz, Deniz. \"Queues at posts.\" Transport, vol. 3, no. 2, 2011, pp. 14-29.",
                "Article|Yilmaz|Queues at posts|Transport|2011|3|2|14-29|",
            ),
            (
                "Nilsen, Tor. \"Ice in harbours.\" Arctic Work 8, no. 3 (2006): 201-214.",
                "Article|Nilsen|Ice in harbours|Arctic Work|2006|8|3|201-214|",
            ),
            (
                "Hoang, Minh. The Garden Year. Bath: Marrow House, 2013.",
                "Book|Hoang|The Garden Year||2013||||Marrow House",
            ),
            (
                "Smith JA, Gupta R. Early tests. Ann Audiol. 2020;14(2):88-95.",
                "Article|Smith;Gupta|Early tests|Ann Audiol|2020|14|2|88-95|",
            ),
            ("Lee, A. (2019) 'Fog at sea', Air, 4(2), pp. 3-9.", "Article|Lee|Fog at sea|Air|2019|4|2|3-9|"),
            ("We met on Monday, 2019.", ""),
        ];
        for (line, expect) in cases {
            let told = read(line).map_or(String::new(), |work| {
                let names: Vec<&str> = work.authors.iter().map(|one| one.family.as_str()).collect();
                format!(
                    "{:?}|{}|{}|{}|{}|{}|{}|{}|{}",
                    work.kind,
                    names.join(";"),
                    work.title,
                    work.container,
                    work.year,
                    work.volume,
                    work.issue,
                    work.pages,
                    work.publisher
                )
            });
            assert_eq!(told, expect, "{line}");
        }
    }
}
