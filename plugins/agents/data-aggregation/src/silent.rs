//! Parts of a request that ask for nothing: what it is for, remarks in brackets, sentences without a figure.

use agent_common::marks::Mark;

use crate::reader::Reader;
use crate::words;

/// Words that make a condition of what stands beside them.
const CONDITIONS: &[&str] = &[
    "only",
    "nur",
    "just",
    "solo",
    "seulement",
    "over",
    "above",
    "under",
    "below",
    "more",
    "less",
    "than",
    "since",
    "until",
    "before",
    "after",
    "between",
    "from",
    ">",
    "<",
    "=",
    "least",
    "most",
    "where",
    "if",
    "when",
    "unless",
    "solely",
];
/// What figures are wanted for.
const PURPOSES: &[&str] = &[
    "board",
    "slide",
    "slides",
    "report",
    "meeting",
    "newsletter",
    "boss",
    "manager",
    "magazine",
    "presentation",
    "website",
    "accountant",
    "audit",
    "records",
    "sheet",
    "thesis",
    "paper",
    "review",
    "dashboard",
    "email",
    "article",
    "minutes",
    "insurance",
    "school",
    "homework",
    "bericht",
    "sitzung",
    "chef",
    "chefin",
    "steuerberater",
    "rapport",
    "reunion",
    "committee",
    "council",
    "treasurer",
    "grant",
    "application",
    "tax",
    "statement",
    "return",
    "auditor",
    "landlord",
    "teacher",
    "coach",
    "planning",
    "handover",
    "wall",
    "notice",
];

/// Cells that hold nothing by another name.
const BLANKS: &[&str] =
    &["missing", "empty", "blank", "blanks", "null", "gaps", "na", "nan", "fehlende", "leere", "leer", "vides"];

/// Marks what asks for nothing as read.
pub fn mark(reader: &mut Reader<'_>) {
    purpose(reader);
    purposes(reader);
    quoted(reader);
    brackets(reader);
    sentences(reader);
    blanks(reader);
    deictic(reader);
}

/// Whether a span holds anything that a figure could be read from.
fn says_something(reader: &Reader<'_>, from: usize, to: usize, numbers: bool) -> bool {
    (from..to).any(|at| {
        reader.piece(at).is_some_and(|piece| {
            piece.mark != Mark::Other
                || words::op(&piece.text).is_some()
                || (numbers && piece.token.number().is_some())
                || piece.is_one(words::BY)
                || piece.is_one(words::NOT)
                || piece.is_one(words::SORT)
                || piece.is_one(words::UNMADE)
                || piece.is_one(words::BEYOND)
                || piece.is_one(CONDITIONS)
                || piece.is_one(&["how", "which", "who", "what", "top"])
        })
    })
}

/// `For the pay gap report: …`: what stands before the colon.
fn purpose(reader: &mut Reader<'_>) {
    let end = (0..reader.pieces.len().min(10)).find(|at| reader.is(*at, &[":"]));
    let Some(end) = end.filter(|end| *end > 1 && end + 2 < reader.pieces.len()) else { return };
    let named = (0..end).any(|at| {
        reader.column(at).is_some() || reader.piece(at).is_some_and(|piece| words::op(&piece.text).is_some())
    });
    if reader.is(0, &["for", "fur", "pour", "para"]) && !named && (0..end).any(|at| reader.is(at, PURPOSES)) {
        reader.mark(0, end);
    }
}

/// `for the notice board`: what the figures are for, where no column or cell is named.
fn purposes(reader: &mut Reader<'_>) {
    for at in 0..reader.pieces.len() {
        if !(reader.is(at, &["for", "fur", "pour", "para"])
            && reader.is(
                at + 1,
                &[
                    "the", "my", "our", "a", "an", "her", "his", "their", "unseren", "die", "den", "das", "mon",
                    "notre", "le", "la",
                ],
            ))
        {
            continue;
        }
        let end = (at + 2..at + 6).find(|place| {
            reader
                .piece(*place)
                .is_none_or(|piece| piece.mark != Mark::Other || !piece.is_word() || piece.is_one(words::BY))
        });
        let Some(end) = end.filter(|end| *end > at + 2) else { continue };
        let last = (at + 2..end).rev().find(|place| reader.is(*place, PURPOSES));
        if let Some(last) = last {
            reader.mark(at, last + 1);
        }
    }
}

/// Words in quotation marks that name no column and no cell are said of the data, not asked.
fn quoted(reader: &mut Reader<'_>) {
    let mut open = None;
    for at in 0..reader.pieces.len() {
        if !reader.is(at, &["\"", "“", "”", "„", "«", "»"]) {
            continue;
        }
        match open.take() {
            None => open = Some(at + 1),
            Some(from) => {
                let named = (from..at).any(|at| reader.piece(at).is_some_and(|piece| piece.mark != Mark::Other));
                if at > from + 3 && !named {
                    reader.mark(from, at);
                }
            }
        }
    }
}

/// `(60 metres)`, `(EUR)`: remarks.
fn brackets(reader: &mut Reader<'_>) {
    let mut open = None;
    for at in 0..reader.pieces.len() {
        if reader.is(at, &["("]) {
            open = Some(at + 1);
        } else if reader.is(at, &[")"])
            && let Some(from) = open.take()
            && !says_something(reader, from, at, false)
            && !(from..at)
                .any(|at| reader.piece(at).is_some_and(|piece| piece.text.len() == 4 && piece.token.number().is_some()))
        {
            reader.mark(from, at);
        }
    }
}

/// `Parking office here.`: sentences that no figure is read from.
fn sentences(reader: &mut Reader<'_>) {
    let mut from = 0;
    for at in 0..=reader.pieces.len() {
        if at == reader.pieces.len() || reader.is(at, &[".", "?", "!", "\n"]) {
            if !says_something(reader, from, at, true) {
                reader.mark(from, at);
            }
            from = at + 1;
        }
    }
}

/// `closed this quarter` of rows without a day: the rows are those of the quarter.
fn deictic(reader: &mut Reader<'_>) {
    if !reader.sheet.of_kind(agent_common::sheet::Kind::Day).is_empty() {
        return;
    }
    let state = reader.sheet.table.columns.iter().any(|name| {
        agent_common::columns::name_words(name)
            .iter()
            .any(|word| ["status", "state", "stage", "zustand", "statut", "estado"].contains(&word.as_str()))
    });
    for at in 1..reader.pieces.len() {
        let span = reader.is(
            at,
            &[
                "year", "quarter", "month", "week", "season", "term", "semester", "jahr", "quartal", "monat", "woche",
                "today", "morning",
            ],
        );
        if !(span && reader.is(at - 1, &["this", "our", "the", "dieses", "diesen", "diese", "cette", "ce"]))
            || reader.is(at - 1, &["the"]) && !reader.is(at.wrapping_sub(2), &["of", "in", "during"])
        {
            continue;
        }
        reader.mark(at - 1, at + 1);
        // The verb before it tells what was done with the value, where no column tells it.
        let verb = at
            .checked_sub(2)
            .filter(|at| reader.piece(*at).is_some_and(|piece| piece.is_word() && piece.text.ends_with("ed")));
        if let Some(verb) = verb.filter(|_| !state) {
            reader.mark(verb, verb + 1);
        }
    }
}

/// `ignore the missing ones (n/a or empty)`: cells without a number count in no figure anyway.
fn blanks(reader: &mut Reader<'_>) {
    for at in 0..reader.pieces.len() {
        if !reader.is(at, words::NOT) {
            continue;
        }
        let end = (at + 1..(at + 10).min(reader.pieces.len()))
            .find(|at| reader.is(*at, &[".", "?", "!", ";"]))
            .unwrap_or((at + 10).min(reader.pieces.len()));
        let blank = |place: usize| reader.is(place, BLANKS);
        let column = (at + 1..end).any(|at| reader.column(at).is_some());
        let Some(last) = (at + 1..end).rev().find(|place| blank(*place)).filter(|_| !column) else { continue };
        let counted = reader.says_any(&["many", "count", "number"]);
        if !counted {
            reader.mark(at, last + 1);
        }
    }
}
