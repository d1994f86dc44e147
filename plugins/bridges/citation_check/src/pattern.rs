//! Reads references in running text: the APA pattern (author, year, title, source) and the Vancouver pattern (author,
//! title, source, year).
//!
//! Invariant: a part is given only if the pattern around it holds; else it is left out, never guessed.

use crate::csl::{Date, Item, Name, month, year};

/// The parts of a reference, and the name of the pattern.
pub fn read(text: &str) -> Option<(Item, &'static str)> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = numbered(&text);
    apa(text).map(|item| (item, "apa")).or_else(|| vancouver(text).map(|item| (item, "vancouver")))
}

/// Without a number of a list before it: `[12]`, `12.`.
fn numbered(text: &str) -> &str {
    let rest = text.strip_prefix('[').and_then(|rest| rest.split_once(']')).filter(|(n, _)| is_number(n));
    if let Some((_, rest)) = rest {
        return rest.trim_start();
    }
    match text.split_once(". ") {
        Some((number, rest)) if is_number(number) && number.len() <= 3 => rest,
        _ => text,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `Family, G., & Family, G. (2019, May 3). Title. Source, 8(3), 207–217. …`
fn apa(text: &str) -> Option<Item> {
    let (authors, rest) = text.split_once(" (")?;
    let (date, rest) = rest.split_once(')')?;
    let issued = apa_date(date)?;
    let rest = rest.strip_prefix('.').unwrap_or(rest).trim_start();
    let (title, source) = sentence(rest)?;
    if authors.len() > 2_000 || title.is_empty() || authors.trim().is_empty() {
        return None;
    }
    let mut item =
        Item { title: Some(title.to_owned()), issued: Some(issued), author: apa_authors(authors), ..Item::default() };
    apa_source(source, &mut item);
    Some(item)
}

fn apa_date(text: &str) -> Option<Date> {
    let (head, rest) = text.split_once(", ").unwrap_or((text, ""));
    let mut words = rest.split(' ');
    let month = words.next().and_then(month);
    // 2019a, 2019b tell works of one year apart.
    let head = head.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let y = year(head).filter(|_| head.len() == 4)?;
    Some(Date::new(y, month, words.next().and_then(|day| day.parse().ok())))
}

fn apa_authors(text: &str) -> Vec<Name> {
    let text = text.replace(", & ", ", ").replace(" & ", ", ").replace(", …", "").replace(", . . .", "");
    let parts: Vec<&str> = text.trim_end_matches(',').split(", ").collect();
    let initials = |part: &str| {
        !part.is_empty()
            && part.split([' ', '-']).all(|word| {
                let mut letters = word.chars();
                letters.next().is_some_and(char::is_uppercase) && letters.next() == Some('.')
            })
    };
    let person = |pair: &[&str]| match pair {
        [family, given] if initials(given) && !initials(family) => Some(Name::person(family, given)),
        _ => None,
    };
    let people: Option<Vec<Name>> = parts.chunks(2).take(100).map(person).collect();
    people.unwrap_or_else(|| vec![Name::literal(text.trim_end_matches('.'))])
}

/// Up to the full stop that ends a sentence: before a capital, a digit or an address.
fn sentence(text: &str) -> Option<(&str, &str)> {
    let stop = |(at, mark): (usize, &str)| {
        let head = text.get(..at)?;
        let rest = text.get(at + mark.len()..)?;
        // An initial or an abbreviation of one letter does not end a sentence.
        let word = head.rsplit(' ').next()?;
        let starts =
            rest.is_empty() || rest.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit() || c == 'h');
        (starts && word.chars().count() > 1).then_some((text.get(..at + usize::from(mark != ". "))?, rest))
    };
    let ends = text.match_indices(". ").chain(text.match_indices("? ")).chain(text.match_indices("! "));
    let mut stops: Vec<(&str, &str)> = ends.take(50).filter_map(stop).collect();
    stops.sort_by_key(|(head, _)| head.len());
    let whole = text.strip_suffix('.').unwrap_or(text);
    stops.into_iter().next().or(Some((whole, ""))).map(|(head, rest)| (head.trim(), rest))
}

/// `Journal, 8(3), 207–217. …` or a publisher.
fn apa_source(source: &str, item: &mut Item) {
    let address = source.find("http").or_else(|| source.find("doi:")).unwrap_or(source.len());
    let source = source.get(..address).unwrap_or_default().trim().trim_end_matches('.');
    let mut parts = source.split(", ");
    let name = parts.next().unwrap_or_default();
    let Some((volume, issue)) = parts.next().and_then(volume_issue) else {
        if !source.is_empty() {
            item.publisher = Some(source.to_owned());
        }
        return;
    };
    item.container = Some(name.to_owned());
    item.kind = "article-journal".to_owned();
    item.volume = Some(volume.to_owned());
    item.issue = issue.map(str::to_owned);
    item.page = parts.next().and_then(pages);
}

/// `8(3)` as 8 and 3; `8` alone.
fn volume_issue(text: &str) -> Option<(&str, Option<&str>)> {
    let (volume, issue) = match text.split_once('(') {
        Some((volume, issue)) => (volume, Some(issue.strip_suffix(')')?)),
        None => (text, None),
    };
    is_number(volume).then_some((volume, issue))
}

/// `207–217` with a plain hyphen; shortened ends (`284-7`) stay.
fn pages(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.').replace(['–', '—', '−'], "-");
    let begins = text.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
    let fits = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') && text.bytes().any(|b| b.is_ascii_digit());
    (begins && fits).then_some(text)
}

/// `Family AB, Family C. Title. Journal. 2002 Jul 25;347(4):284-7.`
fn vancouver(text: &str) -> Option<Item> {
    let marks = text.match_indices(';').take(20);
    let (at, issued) = marks.filter_map(|(at, _)| Some((at, date_before(text.get(..at)?)?))).next()?;
    let head = text.get(..issued.1)?.trim_end();
    let (authors, rest) = head.split_once(". ")?;
    let (title, journal) = sentence(rest)?;
    if journal.is_empty() {
        return None;
    }
    let tail = text.get(at + 1..)?;
    let (volume, rest) = tail.split_once(':')?;
    let (volume, issue) = volume_issue(volume.trim())?;
    let end = rest.find(['.', ' ', ';', ',']).unwrap_or(rest.len());
    Some(Item {
        kind: "article-journal".to_owned(),
        title: Some(title.to_owned()),
        author: vancouver_authors(authors)?,
        issued: Some(issued.0),
        container: Some(journal.trim_end_matches('.').to_owned()),
        volume: Some(volume.to_owned()),
        issue: issue.map(str::to_owned),
        page: pages(rest.get(..end)?),
        ..Item::default()
    })
}

/// `… 2002 Jul 25`: the date at the end, and where it begins.
fn date_before(text: &str) -> Option<(Date, usize)> {
    let from = text.char_indices().rev().take(16).last().map(|(at, _)| at)?;
    let tail = text.get(from..)?;
    let (at, y) = tail
        .match_indices([' ', '.'])
        .filter_map(|(at, _)| Some((at, tail.get(at + 1..)?)))
        .find_map(|(at, rest)| Some((at, year(rest).filter(|_| rest.starts_with(|c: char| c.is_ascii_digit()))?)))?;
    let mut words = tail.get(at + 5..)?.split_whitespace();
    let month = words.next().map_or(Some(None), |word| month(word).map(Some))?;
    Some((Date::new(y, month, words.next().and_then(|day| day.parse().ok())), from + at + 1))
}

fn vancouver_authors(text: &str) -> Option<Vec<Name>> {
    let name = |part: &str| {
        let (family, initials) = part.rsplit_once(' ')?;
        let fits = initials.chars().all(char::is_uppercase) && (1..=4).contains(&initials.chars().count());
        fits.then(|| {
            Name::person(family, &initials.chars().map(String::from).collect::<Vec<_>>().join(". ").to_string())
        })
    };
    let parts = text.split(", ").filter(|part| !matches!(*part, "et al" | "et al."));
    let people: Option<Vec<Name>> = parts.clone().take(100).map(name).collect();
    let dotted = |name: Name| Name { given: name.given.map(|given| format!("{given}.")), ..name };
    people.map(|people| people.into_iter().map(dotted).collect()).or_else(|| Some(vec![Name::literal(text)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples() {
        // APA Style, "Journal article references"; ICMJE, "Samples of formatted references", number 1.
        let (item, how) = read("Grady, J. S., Her, M., Moreno, G., Perez, C., & Yelinek, J. (2019). Emotions in storybooks: A comparison of storybooks that represent ethnic and racial groups in the United States. Psychology of Popular Media Culture, 8(3), 207–217. https://doi.org/10.1037/ppm0000185").unwrap();
        assert_eq!(how, "apa");
        assert_eq!(item.author.len(), 5);
        assert_eq!(item.author[0], Name::person("Grady", "J. S."));
        assert!(item.title.unwrap().ends_with("in the United States"));
        assert_eq!(
            (item.volume.as_deref(), item.issue.as_deref(), item.page.as_deref()),
            (Some("8"), Some("3"), Some("207-217"))
        );
        let (item, how) = read("1. Halpern SD, Ubel PA, Caplan AL. Solid-organ transplantation in HIV-infected patients. N Engl J Med. 2002 Jul 25;347(4):284-7.").unwrap();
        assert_eq!(how, "vancouver");
        assert_eq!(item.author[0], Name::person("Halpern", "S. D."));
        assert_eq!(item.title.as_deref(), Some("Solid-organ transplantation in HIV-infected patients"));
        assert_eq!(item.container.as_deref(), Some("N Engl J Med"));
        assert_eq!(item.issued, Some(Date::new(2002, Some(7), Some(25))));
        assert_eq!(
            (item.volume.as_deref(), item.issue.as_deref(), item.page.as_deref()),
            (Some("347"), Some("4"), Some("284-7"))
        );
    }

    #[test]
    fn other_texts_give_nothing() {
        for text in
            ["", "see the manual (2019", "A note (see below). And so on.", "x; y; z", ".;:", "Smith. (20191). T. J."]
        {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
