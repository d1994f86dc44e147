//! Leads in words: rows of a table, items of a list, lines that begin with a name.

use agent_common::patterns;
use agent_common::request::{PieceKind, Request};
use agent_common::table::Table;

use crate::leads::Lead;
use crate::person::Person;
use crate::records;
use crate::signals;

/// The leads of a task, in order; empty where they stand in no list that can be told apart.
pub fn read(task: &str, request: &Request) -> Vec<Person> {
    let records = records::read(task);
    if !records.is_empty() {
        return records;
    }
    let tables: Vec<Vec<Person>> = request.tables().iter().filter(|table| !table.headless).map(of_table).collect();
    let tabled = tables.into_iter().max_by_key(Vec::len).unwrap_or_default();
    if !tabled.is_empty() {
        return tabled;
    }
    let pieces: Vec<Person> = request
        .material
        .iter()
        .filter(|piece| piece.kind == PieceKind::ListItem)
        .filter_map(|piece| {
            of_line(&match piece.label.as_deref().filter(|label| label.len() > 2) {
                Some(label) => format!("{label}: {}", piece.text.replace('\n', " ")),
                None => piece.text.replace('\n', " "),
            })
        })
        .collect();
    let blocks = of_blocks(task);
    if blocks.len() > 1 && blocks.iter().all(|person| person.fields.len() > 1) {
        return blocks;
    }
    // Where leads are marked as a list, a line without a mark is none.
    let marked: Vec<Person> = task.lines().filter(|line| is_marked(line)).filter_map(of_line).collect();
    if marked.len() > 1 && marked.len() >= pieces.len() {
        return marked;
    }
    let lines: Vec<Person> = task.lines().filter_map(of_line).collect();
    [pieces, lines, blocks, inline(task)]
        .into_iter()
        .reduce(|best, next| if next.len() > best.len() { next } else { best })
        .unwrap_or_default()
}

/// `- Ann`, `1) Bob`, `* Cy`.
fn is_marked(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['-', '*', '•']) || numbered(line).len() < line.len()
}

fn of_table(table: &Table) -> Vec<Person> {
    let known = table.columns.iter().filter(|name| Lead::knows(name)).count();
    if known == 0 || table.columns.iter().any(|name| name.contains(['=', '@'])) {
        return Vec::new();
    }
    let row = |row: &Vec<String>| {
        Person::of_fields(table.columns.iter().cloned().zip(row.iter().map(|cell| cell.trim().to_owned())).collect())
    };
    table.rows.iter().filter_map(row).collect()
}

/// Leads in one line, parted by semicolons: `Rank: Ann Bee, CFO, wants a demo; Bob Cole, student`.
fn inline(task: &str) -> Vec<Person> {
    let of = |line: &str| -> Vec<Person> {
        let body = line.split_once(": ").filter(|(head, _)| !head.contains([';', ','])).map_or(line, |(_, body)| body);
        let parts: Vec<&str> = body.split("; ").collect();
        let people: Vec<Person> = parts.iter().filter_map(|part| of_line(part.trim_end_matches('.'))).collect();
        if people.len() == parts.len() && people.len() > 1 { people } else { Vec::new() }
    };
    task.lines().map(of).max_by_key(Vec::len).unwrap_or_default()
}

/// Blocks of `Label: value` lines.
fn of_blocks(task: &str) -> Vec<Person> {
    let block = |block: &str| {
        let pairs: Vec<(String, String)> = block
            .lines()
            .filter_map(|line| line.split_once([':', '=']))
            .map(|(label, value)| {
                (label.trim().trim_start_matches(['-', '*', ' ']).to_owned(), value.trim().to_owned())
            })
            .filter(|(label, _)| label.split_whitespace().count() <= 4)
            .collect();
        let named = pairs.iter().filter(|(label, _)| Lead::knows(label)).count();
        (named > 1).then(|| Person::of_fields(pairs)).flatten().filter(|person| person.lead != Lead::default())
    };
    task.split("\n\n").filter_map(block).collect()
}

const GENERIC: [&str; 12] = [
    "lead",
    "contact",
    "contato",
    "prospect",
    "kontakt",
    "client",
    "kunde",
    "candidate",
    "person",
    "company",
    "firma",
    "contatto",
];
/// Words that begin a sentence about the leads, not a name.
pub const NO_NAMES: &[&str] = &[
    "hey", "good", "cheers", "regards", "kind", "morning", "note", "fyi", "quick", "team", "two", "three", "merge",
    "rate", "tell", "also", "i", "we", "our", "the", "a", "an", "this", "these", "those", "that", "please", "who",
    "which", "what", "how", "rank", "score", "industry", "role", "timeline", "budget", "leads", "lead", "use", "give",
    "put", "sort", "order", "company", "name", "title", "email", "dear", "hi", "hello", "thanks", "subject", "from",
    "to", "result", "ignore", "all", "our rule", "points", "bonjour", "hallo", "olá", "merci", "bitte", "is", "are",
    "can", "compare", "here", "there", "last", "for", "and", "or", "if", "my", "best", "sales", "grade",
];

/// What leads do, behind a name of one word.
const DID: [&str; 20] = [
    "asked",
    "requested",
    "downloaded",
    "opened",
    "visited",
    "booked",
    "wants",
    "wanted",
    "is",
    "has",
    "works",
    "signed",
    "clicked",
    "attended",
    "replied",
    "runs",
    "leads",
    "owns",
    "called",
    "needs",
];

/// A line about one lead: a name, then a comma, a bracket, a colon, a dash or what it did.
fn of_line(line: &str) -> Option<Person> {
    let line = line.trim().trim_start_matches(['-', '*', '•', '>', ' ']);
    let whole = line;
    let line = numbered(line);
    if line.ends_with('?') || line.is_empty() {
        return None;
    }
    // `Case 1 – Ulverston Trust: needs …`
    let case = patterns::compiled(
        r"^(?i:case|enquiry|inquiry|caller|call|no\.?|nr\.?|option|account|visitor)\s*#?\d{1,2}\s*[–—:.)-]\s*",
    );
    if let Some(rest) = case.and_then(|case| case.find(line).map(|found| found.end())).and_then(|end| line.get(end..)) {
        return of_line(rest);
    }
    // `lead 1: name=Olga; title=CEO`
    if let Some((label, rest)) = line.split_once(": ")
        && GENERIC.contains(&label.split_whitespace().next().unwrap_or_default().to_lowercase().as_str())
        && label.split_whitespace().count() <= 2
    {
        // `Lead: Ferris, demo request`; `Lead 1: CFO of a bank`
        let bare = label.split_whitespace().count() == 1;
        let named = keyed(rest).or_else(|| of_line(rest).filter(|person| bare || person.name.contains(' ')));
        let words = rest.split_whitespace().count();
        let person = named.or_else(|| (words > 0).then(|| Person::of_words(label, rest)))?;
        return Some(Person { text: line.to_owned(), ..person });
    }
    if let Some(person) = keyed(line) {
        return Some(person);
    }
    if let Some(person) = quoted(line).or_else(|| handle(line)) {
        return Some(person);
    }
    let Some((name, rest)) = leading_name(line) else { return lettered(whole) };
    let first = name.split_whitespace().next().unwrap_or_default().to_lowercase();
    let sign = rest.trim_start();
    let verb = sign.split_whitespace().next().unwrap_or_default();
    // `Temos dois contatos` is no lead: one word is a name only before a comma or what leads do.
    let did = sign.starts_with(char::is_lowercase) && (name.contains(' ') || DID.contains(&verb));
    let joined = sign.starts_with([',', '(', ':', '-', '–', '—', '|', '/']) || did;
    let words = rest.split_whitespace().count();
    let fits = joined && words > 1 && !name.contains(['!', '?']) && !NO_NAMES.contains(&first.as_str());
    if fits { Some(Person::of_words(&name, line)) } else { lettered(whole) }
}

/// `"Marisol: our date is fixed, budget 9k"`: what somebody wrote, with the name before it.
fn quoted(line: &str) -> Option<Person> {
    let inner = line.strip_prefix(['"', '“', '„'])?.trim_end().trim_end_matches(['"', '”', '“', '.', ',']);
    let (name, rest) =
        inner.split_once(": ").filter(|(name, _)| !name.contains(',')).or_else(|| inner.split_once(", "))?;
    let capital =
        name.split_whitespace().all(|word| word.starts_with(|c: char| c.is_uppercase() || !c.is_alphabetic()))
            || line.contains(": ");
    if !capital {
        return None;
    }
    let short = (1..=4).contains(&name.split_whitespace().count()) && !name.contains(['?', '!', ',']);
    (short && !rest.trim().is_empty()).then(|| Person::of_words(name.trim(), inner))
}

/// `@brewster_labs: can we get a quote`
fn handle(line: &str) -> Option<Person> {
    let rest = line.strip_prefix('@')?;
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_.-".contains(c)))?;
    let (name, said) = rest.split_at_checked(end)?;
    (name.len() > 1 && said.trim_start().starts_with([':', '-', '–', ',', '(', '|'])).then(|| {
        let mut person = Person::of_words(name, said);
        person.lead.email = None;
        person
    })
}

/// `A: CTO of a bank, asked for a demo`: a letter or a number alone stands for a lead of which something is said.
fn lettered(line: &str) -> Option<Person> {
    let (mark, rest) = line.split_once([':', ')', '.'])?;
    let short = mark.chars().count() == 1 && mark.chars().all(char::is_alphanumeric);
    let person = Person::of_words(&format!("Lead {}", mark.to_uppercase()), rest);
    (short && signals::any(&signals::points(&person))).then_some(person)
}

fn numbered(line: &str) -> &str {
    let head = line.find([')', '.']).filter(|at| *at <= 2);
    let mark = head
        .and_then(|at| line.split_at_checked(at + 1))
        .filter(|(mark, _)| mark.chars().next().is_some_and(|c| c.is_ascii_alphanumeric()))
        // `I. Falk` is a name; lists with more than eight letters are rare.
        .filter(|(mark, _)| !(mark.ends_with('.') && mark.starts_with(|c: char| c.is_ascii_uppercase() && c > 'H')));
    mark.map_or(line, |(_, rest)| rest.trim_start())
}

/// `name=Olga; title=CEO; employees=500`
fn keyed(line: &str) -> Option<Person> {
    let sign = if line.contains(';') { ';' } else { ',' };
    let pairs: Vec<(String, String)> = line
        .split(sign)
        .filter_map(|part| part.split_once('=').or_else(|| part.split_once(": ")))
        .map(|(label, value)| (label.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let known = pairs.iter().filter(|(label, _)| Lead::knows(label)).count();
    (known > 1).then(|| Person::of_fields(pairs))?
}

/// The capitalised words that a line begins with.
fn leading_name(line: &str) -> Option<(String, &str)> {
    const FORMS: [&str; 12] = ["&", "+", "plc", "ltd", "gmbh", "ag", "inc", "bv", "nv", "oy", "sa", "as"];
    const BETWEEN: [&str; 10] = ["von", "van", "de", "der", "den", "da", "di", "del", "la", "le"];
    let mut end = 0;
    let mut count = 0;
    for word in line.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end().trim_end_matches([',', ':', ';']);
        let capital = bare.chars().next().is_some_and(char::is_uppercase) && !bare.contains(['@', '=', '(']);
        let between = count > 0 && (BETWEEN.contains(&bare) || FORMS.contains(&bare.trim_end_matches('.')));
        if !(capital || between) || count >= 5 {
            break;
        }
        end += word.len();
        count += 1;
        if word.trim_end().len() != bare.len() {
            end -= word.len() - bare.len();
            break;
        }
    }
    let name = line.get(..end)?.trim();
    (count > 0 && name.len() > 1).then(|| (name.to_owned(), line.get(end..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_in_words() {
        let cases = [
            (
                "Rank:\n\na) Nadia Haddad, COO, 240 employees, nadia@dunesoft.ae\nb) Felix Wendt, developer, 500 employees",
                "Nadia Haddad|Felix Wendt",
            ),
            (
                "which lead is hotter\n\nDana: opened 9 emails, booked a demo\nTodd: unsubscribed from all emails",
                "Dana|Todd",
            ),
            (
                "Leads\nAhlström (manufacturing, influencer, 2 months)\nBellweather (retail, decision maker, 5 months)",
                "Ahlström|Bellweather",
            ),
            (
                "lead 1: name=Olga Sidorenko; title=CEO; demo=yes\nlead 2: name=Pete Fallon; title=Student; demo=no",
                "Olga Sidorenko|Pete Fallon",
            ),
            (
                "Put in order A to D.\n\nYusuf Demir downloaded the whitepaper\nKarin Boll asked for a quote",
                "Yusuf Demir|Karin Boll",
            ),
            (
                "Name;Firma;E-Mail\nSabine Krüger;Hafenwerk GmbH;s.krueger@hafenwerk.de\nUwe Tamm;-;uwetamm@web.de",
                "Sabine Krüger|Uwe Tamm",
            ),
            (
                "Contato 1: Renata Alves, diretora de TI, Banco Serrano\nContato 2: anônimo, sem empresa, sem orçamento",
                "Renata Alves|Contato 2",
            ),
            (
                "Lead A: CFO of a 300-person firm, asked for a proposal.\nLead B: student writing a thesis.\nWhich first?",
                "Lead A|Lead B",
            ),
            ("A: CFO of a bank, wants a demo\nB: student, no budget\n\nrank", "Lead A|Lead B"),
            (
                "- Tom Ray (CEO, Fintech Ltd, 40 staff) - wants a demo\n- Amy Po (HR assistant) - newsletter",
                "Tom Ray|Amy Po",
            ),
            (
                "1) Hanna Berg | Head of Procurement | requested quote\n2) Per Olsen | retired | no company",
                "Hanna Berg|Per Olsen",
            ),
            ("Here are the leads:\n\nName: \nCompany: \nRole: \n\nWhich is best?", ""),
            ("Please rank our leads from best to worst and explain the scores.", ""),
            ("Rank Anna, Bea and Cleo.", ""),
            (
                "Sandford Ltd, j.moss@s.example, requested demo\nSandford Limited, j.moss@s.example, requested quote\nTolland plc, k.ray@t.example, unsubscribed\n\nRank them.",
                "Sandford Ltd|Sandford Limited|Tolland plc",
            ),
            ("Rank: Ann Bee, CFO, wants a demo; Bob Cole, student", "Ann Bee|Bob Cole"),
            (
                "- Hart Dental: asked for a demo\n- Pond & Sons: downloaded a list\n- Grey Legal: visited",
                "Hart Dental|Pond & Sons|Grey Legal",
            ),
            ("@brew_labs: \"a quote for 200 seats\" - Head of IT\n@cat99: \"lol\"", "brew_labs|cat99"),
        ];
        for (task, expect) in cases {
            let names: Vec<String> = read(task, &Request::read(task)).into_iter().map(|person| person.name).collect();
            assert_eq!(names.join("|"), expect, "{task}");
        }
    }
}
