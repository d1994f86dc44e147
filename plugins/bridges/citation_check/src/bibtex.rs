//! Reads one BibTeX entry.
//!
//! Invariant: one pass without recursion; what does not read ends the entry, and what came before stays.

use crate::csl::{Date, Item, Name, month, year};

/// Fields of an entry by name in small letters, and its type and key.
struct Entry {
    kind: String,
    key: String,
    fields: Vec<(String, String)>,
}

/// Most fields of one entry.
const FIELDS_MAX: usize = 100;

/// The item of an entry; none if the text is no entry.
pub fn read(text: &str) -> Option<Item> {
    let entry = entry(text.trim())?;
    let field = |name: &str| {
        let value = entry.fields.iter().find(|(key, _)| key == name).map(|(_, value)| plain(value));
        value.filter(|value| !value.is_empty())
    };
    let names = |name: &str| {
        let value = entry.fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
        people(value)
    };
    let month = field("month").and_then(|text| month(&text).or_else(|| text.parse().ok()));
    let date = field("date").or_else(|| field("year"));
    let (day_year, rest) = date.as_deref().map_or((None, None), |text| (year(text), text.get(5..)));
    let parts: Vec<u32> = rest.unwrap_or_default().split('-').filter_map(|part| part.parse().ok()).collect();
    let issued = day_year.map(|y| Date::new(y, parts.first().copied().or(month), parts.get(1).copied()));
    Some(Item {
        id: entry.key.clone(),
        kind: kind(&entry.kind).to_owned(),
        title: field("title"),
        author: names("author"),
        editor: names("editor"),
        issued,
        container: field("journal").or_else(|| field("journaltitle")).or_else(|| field("booktitle")),
        volume: field("volume"),
        issue: field("number").or_else(|| field("issue")),
        page: field("pages").map(|pages| pages.replace("--", "-").replace(['–', '—'], "-").replace(' ', "")),
        publisher: field("publisher").or_else(|| field("institution")).or_else(|| field("school")),
        place: field("address").or_else(|| field("location")),
        edition: field("edition"),
        ..Item::default()
    })
}

fn kind(bibtex: &str) -> &'static str {
    match bibtex {
        "article" => "article-journal",
        "book" | "booklet" | "proceedings" | "collection" => "book",
        "inproceedings" | "conference" => "paper-conference",
        "incollection" | "inbook" => "chapter",
        "phdthesis" | "mastersthesis" | "thesis" => "thesis",
        "techreport" | "report" => "report",
        "online" | "www" => "webpage",
        "unpublished" => "manuscript",
        "software" => "software",
        "dataset" => "dataset",
        _ => "document",
    }
}

fn entry(text: &str) -> Option<Entry> {
    let (kind, rest) = text.strip_prefix('@')?.split_once('{')?;
    let (key, mut rest) = rest.split_once(',')?;
    let kind = kind.trim().to_ascii_lowercase();
    if kind.is_empty() || !kind.bytes().all(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    let mut fields = Vec::new();
    while let Some((name, after)) = rest.split_once('=').filter(|_| fields.len() < FIELDS_MAX) {
        let name = name.trim_matches(|c: char| c.is_whitespace() || c == ',').to_ascii_lowercase();
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
            break;
        }
        let Some((value, after)) = value(after) else { break };
        fields.push((name, value));
        rest = after;
    }
    Some(Entry { kind, key: key.trim().to_owned(), fields })
}

/// The value at the beginning: `{…}`, `"…"` or a word, several joined by `#`; and what follows.
fn value(text: &str) -> Option<(String, &str)> {
    let mut rest = text.trim_start();
    let mut value = String::new();
    loop {
        let (part, after) = match rest.chars().next()? {
            '{' => delimited(rest, '}')?,
            '"' => delimited(rest, '"')?,
            _ => rest.split_at_checked(rest.find([',', '}', '#', '\n']).unwrap_or(rest.len()))?,
        };
        value.push_str(part);
        match after.trim_start().strip_prefix('#') {
            Some(next) => rest = next.trim_start(),
            None => return Some((value, after)),
        }
    }
}

/// What stands between the delimiter at the beginning and its partner; braces inside are balanced.
fn delimited(text: &str, close: char) -> Option<(&str, &str)> {
    let (mut depth, mut escaped) = (0usize, false);
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == close && depth == 0 => return Some((text.get(1..at)?, text.get(at + letter.len_utf8()..)?)),
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// Authors and editors: joined by `and`, as `Family, Given` or `Given Family`; in braces they are bodies.
fn people(value: &str) -> Vec<Name> {
    let words: Vec<&str> = value.split_whitespace().collect();
    let names = words.split(|word| *word == "and").map(|words| words.join(" "));
    let name = |text: String| {
        let text = text.trim();
        if text.starts_with('{') && text.ends_with('}') {
            return Name::literal(&plain(text));
        }
        let text = plain(text);
        if let Some((family, given)) = text.split_once(',') {
            return Name::person(family, given.rsplit(',').next().unwrap_or(given));
        }
        // Particles in small letters belong to the family name.
        let words: Vec<&str> = text.split(' ').collect();
        let particle = |word: &&str| word.chars().next().is_some_and(char::is_lowercase);
        let last = words.len().saturating_sub(1);
        let split = words.iter().take(last).position(particle).unwrap_or(last);
        let (given, family) = words.split_at_checked(split).unwrap_or((&[], &words));
        Name::person(&family.join(" "), &given.join(" "))
    };
    names.filter(|text| !text.trim().is_empty() && text != "others").take(100).map(name).collect()
}

/// A value without TeX: accents as letters, braces and commands taken away, single spaces.
fn plain(value: &str) -> String {
    let mut out = String::new();
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '{' | '}' => {}
            '~' => out.push(' '),
            '\\' => match letters.next() {
                Some(mark)
                    if "\"'`^~=.".contains(mark)
                        || (matches!(mark, 'c' | 'v' | 'r' | 'u' | 'H' | 'k')
                            && !letters.peek().is_some_and(|c| c.is_ascii_alphabetic())) =>
                {
                    while letters.next_if(|c| matches!(c, '{' | ' ' | '\\')).is_some() {}
                    if let Some(base) = letters.next() {
                        out.extend(accented(mark, base));
                    }
                }
                Some(sign) if !sign.is_ascii_alphabetic() => out.push(sign),
                Some(first) => {
                    let mut name = String::from(first);
                    while let Some(next) = letters.next_if(char::is_ascii_alphabetic) {
                        name.push(next);
                    }
                    letters.next_if_eq(&' ');
                    out.push_str(command(&name));
                }
                None => {}
            },
            _ => out.push(letter),
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ").replace("---", "—").replace("--", "–")
}

fn command(name: &str) -> &'static str {
    match name {
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "textendash" => "–",
        "textemdash" => "—",
        _ => "",
    }
}

/// A letter with its accent: composed where it is common, else with a combining mark.
fn accented(mark: char, base: char) -> Vec<char> {
    let row = match mark {
        '"' => "aäeëiïoöuüAÄEËIÏOÖUÜyÿ",
        '\'' => "aáeéiíoóuúAÁEÉIÍOÓUÚyýYÝcćCĆnńNŃsśSŚzźZŹ",
        '`' => "aàeèiìoòuùAÀEÈIÌOÒUÙ",
        '^' => "aâeêiîoôuûAÂEÊIÎOÔUÛ",
        '~' => "aãnñoõAÃNÑOÕ",
        'c' => "cçCÇsşSŞtţTŢ",
        'v' => "cčCČsšSŠzžZŽrřRŘeěEĚnňNŇ",
        'r' => "aåAÅuůUŮ",
        'H' => "oőOŐuűUŰ",
        'u' => "aăAĂgğGĞ",
        'k' => "aąAĄeęEĘ",
        '.' => "zżZŻeėEĖIİ",
        _ => "aāeēiīoōuū",
    };
    let pairs: Vec<char> = row.chars().collect();
    let letter = pairs.chunks_exact(2).find_map(|pair| match pair {
        [from, to] if *from == base => Some(*to),
        _ => None,
    });
    vec![letter.unwrap_or(base)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_the_btxdoc_style() {
        let item = read("@Article{key1,\n author = {G{\\\"o}del, Kurt and van der Berg, A. and {World Health Organization} and Ludwig van Beethoven},\n title = \"{\\\"U}ber formal \" # {unentscheidbare S\\\"atze},\n journal = {Monatshefte}, volume = 38, number={1}, pages = {173--198}, year = 1931, month = dec }").unwrap();
        assert_eq!(item.title.as_deref(), Some("Über formal unentscheidbare Sätze"));
        assert_eq!(item.author.len(), 4);
        assert_eq!(item.author[0], Name::person("Gödel", "Kurt"));
        assert_eq!(item.author[2], Name::literal("World Health Organization"));
        assert_eq!(item.author[3], Name::person("van Beethoven", "Ludwig"));
        assert_eq!(item.page.as_deref(), Some("173-198"));
        assert_eq!(item.issued, Some(Date::new(1931, Some(12), None)));
        assert!(read("@article").is_none() && read("no entry").is_none());
        assert_eq!(read("@article{k, title = {open").map(|item| item.title), Some(None));
    }
}
