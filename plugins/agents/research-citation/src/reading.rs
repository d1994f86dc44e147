//! The claims and the sources of a task in words.

use agent_common::{asking, quotes, request::Request, table::Table};

use crate::labels::{self, Role, Section};
use crate::source::Source;
use agent_common::prose;

/// What a task brings.
#[derive(Debug, Default)]
pub struct Reading {
    /// The claims as written.
    pub claims: Vec<String>,
    /// The sources.
    pub sources: Vec<Source>,
    /// References below their own heading.
    pub references: Vec<String>,
    /// A part named as a source holds only a hint such as `see attachment`.
    pub elsewhere: bool,
}

/// Reads a task.
pub fn read(task: &str, request: &Request) -> Reading {
    let sections = labels::sections(task);
    let mut reading = Reading::default();
    let named = |role: Role| sections.iter().any(|section| section.role == Some(role));
    let asked: Vec<&str> = request.instruction.lines().collect();
    for section in &sections {
        let text = without(&section.text, &asked);
        match section.role {
            Some(Role::Claim) => claims_of(&text, named(Role::Source), &mut reading),
            Some(Role::Source) => source_of(section, &text, &mut reading),
            Some(Role::References) => {
                reading
                    .references
                    .extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
            }
            _ => {}
        }
    }
    if let Some(before) =
        sections.first().filter(|section| section.role.is_none() && reading.claims.is_empty() && named(Role::Source))
    {
        reading.claims = loose_claims(&before.text, &asked);
    }
    if reading.sources.is_empty() && reading.claims.is_empty() && !named(Role::References) {
        quoted_pair(task, &asked, &mut reading);
    }
    if reading.sources.is_empty() {
        text_below(&sections, &mut reading);
    }
    reading
}

/// `Does the text back "…" up? Text: …`: what is called a text is the source of a quotation before it.
fn text_below(sections: &[Section], reading: &mut Reading) {
    let [before, text] = sections else { return };
    let role = text.role == Some(Role::Claim) || text.role == Some(Role::Either);
    let quoted = quotes::find(&before.text);
    let [claim] = quoted.as_slice() else { return };
    if before.role.is_none() && role && claim.text.split_whitespace().count() > 2 {
        reading.claims = vec![claim.text.to_owned()];
        reading.sources = vec![numbered(0, text.text.trim())];
    }
}

/// A text without the lines and sentences that ask.
fn without(text: &str, asked: &[&str]) -> String {
    let mut text = text.to_owned();
    for line in asked
        .iter()
        .map(|line| line.trim())
        .filter(|line| line.len() > 2 && (asking::asks(line) || line.ends_with(['?', ':'])))
    {
        if let Some(at) = text.find(line) {
            text.replace_range(at..at + line.len(), "");
        }
    }
    let kept = text.lines().filter(|line| !asking::closes(line) && !is_request(line));
    kept.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn is_request(line: &str) -> bool {
    let line = line.trim();
    asking::strength(line) >= 4
        && line.split_whitespace().count() < 16
        && (line.ends_with('?') || asking::wants_work(line))
        && !line.contains('"')
}

/// A section of claims: a table, a list, or sentences. Without a source elsewhere what follows the first paragraph is it.
fn claims_of(text: &str, sourced: bool, reading: &mut Reading) {
    let mut text = text;
    if !sourced && let Some((head, rest)) = text.split_once("\n\n") {
        reading.sources.push(Source { id: "1".into(), text: rest.trim().to_owned() });
        text = head;
    }
    if let Some(rows) = rows(text) {
        reading.claims.extend(rows);
        return;
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let marked = lines.iter().filter(|line| marker(line).is_some()).count();
    if lines.len() > 1 || marked > 0 {
        for line in lines {
            let body = marker(line).unwrap_or(line);
            if marker(line).is_some() { push(body, reading) } else { split(body, reading) }
        }
    } else if let Some(line) = lines.first() {
        split(line, reading);
    }
}

fn split(text: &str, reading: &mut Reading) {
    let bare = prose::bare(text);
    let parts = prose::sentences(bare);
    if parts.len() > 1 {
        parts.iter().for_each(|part| push(part.text, reading));
    } else {
        push(bare, reading);
    }
}

fn push(text: &str, reading: &mut Reading) {
    let text = prose::bare(text).trim();
    if text.chars().filter(|c| c.is_alphanumeric()).count() > 3 {
        reading.claims.push(text.to_owned());
    }
}

/// The text behind `1.`, `a)`, `-`, `(2)`.
fn marker(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix(['-', '*', '•', '–']) {
        return rest.starts_with(' ').then(|| rest.trim());
    }
    let open = line.strip_prefix('(').unwrap_or(line);
    let end = open.find(['.', ')', ':'])?;
    let (id, rest) = open.split_at_checked(end)?;
    let short = (1..=3).contains(&id.len())
        && (id.bytes().all(|b| b.is_ascii_digit()) || id.len() == 1 && id.bytes().all(|b| b.is_ascii_alphabetic()));
    let rest = rest.get(1..)?;
    (short && rest.starts_with(' ')).then(|| rest.trim())
}

/// The claims of a table: its column of that name, or the wordiest.
fn rows(text: &str) -> Option<Vec<String>> {
    let table = piped(text)
        .or_else(|| Table::read_all(text).into_iter().next())
        .filter(|table| !table.headless && table.columns.len() > 1 && !table.rows.is_empty())?;
    let column =
        table.column_like(&["claim", "statement", "sentence", "text", "aussage", "behauptung"]).or_else(|| {
            (0..table.columns.len())
                .max_by_key(|column| table.cells(*column).iter().map(|cell| cell.len()).sum::<usize>())
        })?;
    let cells = table.cells(column);
    cells
        .iter()
        .all(|cell| cell.split_whitespace().count() > 2)
        .then(|| cells.iter().map(|cell| cell.trim().to_owned()).collect())
}

/// A table of bars, also a small one.
fn piped(text: &str) -> Option<Table> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.len() < 3 || !lines.iter().all(|line| line.starts_with('|')) {
        return None;
    }
    let cells =
        |line: &str| -> Vec<String> { line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect() };
    let mut rows = lines.iter().filter(|line| !line.chars().all(|c| "|-: ".contains(c))).map(|line| cells(line));
    let columns = rows.next()?;
    Some(Table::new(columns, rows.collect()))
}

fn source_of(section: &Section, text: &str, reading: &mut Reading) {
    let lower = text.to_lowercase();
    let hint = text.len() < 60
        && ["attach", "see ", "anhang", "link", "below", "file"].iter().any(|word| lower.contains(word));
    if text.is_empty() || hint {
        reading.elsewhere |= hint;
        return;
    }
    let text = prose::bare(text);
    let name = section.name.trim().trim_end_matches(':');
    let id = if name.is_empty() { (reading.sources.len() + 1).to_string() } else { name.chars().take(200).collect() };
    // A quotation with who said it: `Ito 2020, p. 3 — "…"`.
    let (id, text) = match quotes::find(text).as_slice() {
        [one]
            if one.text.len() * 2 > text.len()
                && one.start > 0
                && text.get(..one.start).is_some_and(|who| who.trim_end().ends_with(['—', '–', '-', ':', ','])) =>
        {
            let who = text.get(..one.start).unwrap_or_default().trim().trim_end_matches(['—', '–', '-', ':', ' ']);
            (format!("{id}, {who}"), one.text.to_owned())
        }
        _ => (id, text.to_owned()),
    };
    let plural = ["sources", "quellen", "fuentes", "fonti", "excerpts"].contains(&name.to_lowercase().as_str());
    let parts: Vec<&str> = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = if plural && parts.len() == 1 {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    } else {
        parts
    };
    if plural && parts.len() > 1 {
        reading.sources.extend(parts.into_iter().enumerate().map(|(at, part)| numbered(at, part)));
    } else if plural {
        reading.sources.push(numbered(reading.sources.len(), &text));
    } else {
        reading.sources.push(Source { id, text });
    }
}

/// `[1]` before a paragraph is its name.
pub fn numbered(at: usize, part: &str) -> Source {
    match part.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((id, text)) if !text.trim().is_empty() => Source { id: id.trim().into(), text: text.trim().into() },
        _ => Source { id: (at + 1).to_string(), text: part.into() },
    }
}

/// Before the sources: the quotations, the items of a list, or the sentences that do not ask.
fn loose_claims(text: &str, asked: &[&str]) -> Vec<String> {
    let found: Vec<String> = quotes::find(text)
        .iter()
        .filter(|quoted| quoted.text.split_whitespace().count() > 2)
        .map(|q| q.text.to_owned())
        .collect();
    if !found.is_empty() {
        let parts = found
            .iter()
            .flat_map(|text| prose::sentences(text).into_iter().map(|part| part.text.to_owned()).collect::<Vec<_>>());
        return parts.collect();
    }
    let mut reading = Reading::default();
    let rest = without(text, asked);
    for paragraph in rest.split("\n\n") {
        claims_of(paragraph, true, &mut reading);
    }
    reading.claims.retain(|claim| claim.split_whitespace().count() > 2 && !asking::asks(claim));
    reading.claims
}

/// Two texts without names: a short quotation and the text that it is held against.
fn quoted_pair(task: &str, asked: &[&str], reading: &mut Reading) {
    let found = quotes::find(task);
    let Some(first) = found.first().filter(|one| one.text.split_whitespace().count() > 2) else { return };
    let rest: Vec<&str> =
        found.iter().skip(1).map(|one| one.text).filter(|text| text.split_whitespace().count() > 3).collect();
    if let [source] = rest.as_slice() {
        reading.claims.push(first.text.to_owned());
        reading.sources.push(Source { id: "1".into(), text: (*source).to_owned() });
        return;
    }
    let after = without(task.get(first.end..).unwrap_or_default(), asked);
    let paragraphs: Vec<&str> =
        after.split("\n\n").map(str::trim).filter(|part| part.split_whitespace().count() > 6).collect();
    if rest.is_empty() && !paragraphs.is_empty() && task.get(first.end..).is_some_and(|tail| tail.contains('\n')) {
        reading.claims.push(first.text.to_owned());
        reading.sources.extend(paragraphs.into_iter().enumerate().map(|(at, part)| numbered(at, part)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_and_sources_of_many_layouts() {
        // Task, claims, sources.
        let cases = [
            (
                "Check it.\n\nClaim: The lake is deep.\n\nSource (Falk 2001): \"The lake is 90 m deep.\"",
                "The lake is deep.",
                "The lake is 90 m deep.",
            ),
            (
                "Statement: \"All left.\"\nSource: Abe 2017, p. 3 — \"Of the 8 guests, 5 left.\"\nTrue?",
                "All left.",
                "Of the 8 guests, 5 left.",
            ),
            (
                "Sources: A b c d.\nThe mill was sold.\n\nClaims:\n1. One two three.\n2. Four five six.",
                "One two three.|Four five six.",
                "A b c d.|The mill was sold.",
            ),
            (
                "Is \"the tower is tall\" right? The page: \"The tower has 90 m and leans.\"",
                "the tower is tall",
                "The tower has 90 m and leans.",
            ),
            (
                "Does this hold: \"the tower is tall\"?\n\nThe tower has a height of ninety metres and leans to the left.",
                "the tower is tall",
                "The tower has a height of ninety metres and leans to the left.",
            ),
            (
                "| # | claim |\n|---|---|\n| 1 | It is very old |\n| 2 | It is now sold |\n\nSource (sheet): It was made in 1900.\n\nCheck every row.",
                "It is very old|It is now sold",
                "It was made in 1900.",
            ),
            (
                "Owls see well at night [1]. They eat mice [2].\n\n[1] Atlas: Owls see.\n[2] Book: Mice are eaten.",
                "Owls see well at night [1].|They eat mice [2].",
                "Atlas: Owls see.|Book: Mice are eaten.",
            ),
            ("Check the claim \"Owls see well at night\".", "", ""),
            (
                "Does the text back this up? \"Sales rose by much.\"\n\nText: In 2021 sales rose by much.",
                "Sales rose by much.",
                "In 2021 sales rose by much.",
            ),
            ("Claims:\nA b c d.\nSources: see attachment", "A b c d.", ""),
        ];
        for (task, claims, sources) in cases {
            let reading = read(task, &Request::read(task));
            assert_eq!(reading.claims.join("|"), claims, "{task}");
            let told: Vec<&str> = reading.sources.iter().map(|source| source.text.as_str()).collect();
            assert_eq!(told.join("|"), sources, "{task}");
        }
    }
}
