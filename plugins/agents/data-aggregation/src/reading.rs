//! From the words of a request to a query.

use agent_common::formula;
use agent_common::sheet::{Kind, Sheet};
use tollbridge_sdk::Error;

use crate::query::{Op, Query};
use crate::reader::Reader;
use crate::refusal::missing;
use crate::{asks, conditions, derived, grouping, ordering, shape, silent, surcharge, words};

/// Reads a request; an error says what is missing.
pub fn read(request: &str, sheet: &Sheet) -> Result<Query, Error> {
    let mut reader = Reader::new(request, sheet);
    silent::mark(&mut reader);
    let beyond =
        reader.pieces.iter().enumerate().find(|(at, piece)| piece.is_one(words::BEYOND) && !reader.is_used(*at));
    if let Some((_, piece)) = beyond {
        let word = request.get(piece.start..piece.end).unwrap_or(&piece.text);
        return Err(missing(format!(
            "the table has figures, nothing that tells \"{word}\": ask for sums, averages, counts or shares of its columns ({})",
            sheet.table.columns.join(", ")
        )));
    }
    refuse_newest(&reader)?;
    let spread = reader.says_any(&["difference", "spread", "range", "gap", "differenz", "spannweite"])
        && reader.says_any(words::MAX)
        && reader.says_any(words::MIN);
    let mut query = Query { spread, ..Query::default() };
    reader.formula = formula::find(&reader.pieces)
        .filter(|(found, ..)| found.columns().iter().all(|at| sheet.kind(*at) == Kind::Number));
    if let Some((_, from, to)) = reader.formula.clone() {
        reader.mark(from, to);
        derived::use_name(&mut reader, from);
    } else {
        derived::find(&mut reader)?;
        derived::weighted(&mut reader);
    }
    query.surcharge = surcharge::read(&mut reader);
    let unmade =
        reader.pieces.iter().enumerate().find(|(at, piece)| piece.is_one(words::UNMADE) && !reader.is_used(*at));
    if let Some((_, piece)) = unmade.filter(|_| !query.spread && reader.formula.is_none()) {
        return Err(missing(format!(
            "\"{}\" is not worked out here by its name: write the formula between the columns ({}), such as a = b / c",
            piece.text,
            sheet.table.columns.join(", ")
        )));
    }
    ordering::order(&mut reader, &mut query);
    grouping::keys(&mut reader, &mut query)?;
    conditions::read(&mut reader, &mut query)?;
    asks::read(&mut reader, &mut query)?;
    shape::shape(&reader, &mut query)?;
    conditions::place(&reader, &mut query);
    let sums = query.asks.iter().any(|ask| ask.op == Op::Sum) && query.keys.is_empty() && query.which.is_none();
    if query.surcharge.is_some() && !sums {
        return Err(missing(
            "a rate on top is added to one sum: ask for the total and the rate, without groups".into(),
        ));
    }
    query.unknown = unknown(&reader);
    if of_one_value(&reader, &query) {
        query.unknown.clear();
    }
    query.lost = (1..reader.pieces.len()).any(|at| {
        let opens = [
            "are", "is", "was", "were", "that", "who", "where", "with", "which", "when", "whose", "non", "only", "nur",
            "from", "than", "like", "in",
        ];
        reader.is_unknown(at)
            && (reader.is(at - 1, &opens) || narrowing(&reader, at))
            && query.unknown.iter().any(|word| reader.is(at, &[word.as_str()]))
    }) || denied(&reader, &query);
    Ok(query)
}

/// Whether the rows have a label and a value without names: then other nouns can only name these.
fn of_one_value(reader: &Reader<'_>, query: &Query) -> bool {
    let narrows = ["only", "nur", "where", "whose", "than", "over", "above", "under", "below", "if", "unless"];
    let condition = (0..reader.pieces.len()).any(|at| {
        let number = (at + 1..at + 4).any(|at| reader.piece(at).is_some_and(|piece| piece.token.number().is_some()));
        let narrow = reader.is(at, &narrows) && (number || !reader.is(at, &["over", "above", "under", "below"]));
        !reader.is_used(at) && (narrow || (reader.is(at, words::NOT) && !reader.is(at, &["other", "but"])))
    });
    reader.sheet.table.headless && !query.asks.is_empty() && !condition && query.unknown.len() < 12
}

/// Whether an unknown word can be a value that the table does not have: `for the north region`, `at Acme`.
fn narrowing(reader: &Reader<'_>, at: usize) -> bool {
    let article = ["the", "our", "my", "all", "a", "an", "die", "den", "der", "das", "le", "la", "les", "el"];
    let before = (at.saturating_sub(3)..at).rev().find(|at| !reader.is(*at, &article));
    let named = reader
        .column(at + 1)
        .is_some_and(|column| reader.sheet.kind(column) == Kind::Text && !reader.sheet.is_unique(column));
    before.is_some_and(|at| reader.is(at, &["for", "at", "fur", "bei", "pour", "chez", "para"]))
        || (named && at > 0 && !reader.is_stop(at - 1))
}

/// The newest row is told by its day, not by the height of its figure.
fn refuse_newest(reader: &Reader<'_>) -> Result<(), Error> {
    let days = reader.sheet.of_kind(Kind::Day);
    let cue = (0..reader.pieces.len()).find(|at| {
        !reader.is_used(*at)
            && reader.is(*at, &["latest", "newest", "earliest", "neueste", "neuesten", "recent"])
            && !(*at + 1..*at + 3)
                .any(|at| reader.is(at, &["first"]) || reader.column(at).is_some_and(|column| days.contains(&column)))
    });
    match (cue.and_then(|at| reader.piece(at)), days.first()) {
        (Some(piece), Some(day)) => Err(missing(format!(
            "\"{}\" is read only as one row of each key: say `keep the newest row per …, by {}`",
            piece.text,
            reader.sheet.name(*day)
        ))),
        _ => Ok(()),
    }
}

/// Whether a word that no column or cell answers is left out or singled out: `without the refunded orders`.
fn denied(reader: &Reader<'_>, query: &Query) -> bool {
    let unknown = |at: usize| reader.is_unknown(at) && query.unknown.iter().any(|word| reader.is(at, &[word.as_str()]));
    (0..reader.pieces.len()).any(|at| {
        unknown(at)
            && (at.saturating_sub(3)..at).rev().take_while(|at| !reader.is_stop(*at)).any(|at| {
                !reader.is_used(at)
                    && (reader.is(at, words::NOT) || reader.is(at, &["only", "nur", "seulement", "solo"]))
            })
    })
}

/// Words in sentences that ask which nothing was made of.
fn unknown(reader: &Reader<'_>) -> Vec<String> {
    let mut all = Vec::new();
    let mut own = Vec::new();
    let mut asks = false;
    let mut depth = 0_usize;
    for at in 0..=reader.pieces.len() {
        if reader.is(at, &["("]) {
            depth += 1;
        } else if reader.is(at, &[")"]) {
            depth = depth.saturating_sub(1);
        }
        let ends = at == reader.pieces.len() || reader.is(at, &[".", "?", "!", "\n"]);
        let known = reader.column(at).is_some()
            || reader.piece(at).is_some_and(|piece| piece.is_word() && words::op(&piece.text).is_some());
        asks |= known;
        if reader.is_unknown(at) && depth == 0 {
            own.extend(reader.piece(at).map(|piece| piece.text.clone()));
        }
        if ends {
            if asks {
                all.append(&mut own);
            }
            own.clear();
            asks = false;
        }
    }
    all
}
