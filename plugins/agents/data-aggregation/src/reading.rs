//! From the words of a request to a query.

use agent_common::formula;
use agent_common::sheet::{Kind, Sheet};
use tollbridge_sdk::Error;

use crate::query::Query;
use crate::reader::Reader;
use crate::refusal::missing;
use crate::{asks, conditions, derived, grouping, ordering, shape, words};

/// Reads a request; an error says what is missing.
pub fn read(request: &str, sheet: &Sheet) -> Result<Query, Error> {
    let mut reader = Reader::new(request, sheet);
    if let Some(piece) = reader.pieces.iter().find(|piece| piece.is_one(words::BEYOND)) {
        let word = request.get(piece.start..piece.end).unwrap_or(&piece.text);
        return Err(missing(format!(
            "the table has figures, nothing that tells \"{word}\": ask for sums, averages, counts or shares of its columns ({})",
            sheet.table.columns.join(", ")
        )));
    }
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
    query.unknown = unknown(&reader);
    query.lost = (1..reader.pieces.len()).any(|at| {
        let opens = [
            "are", "is", "was", "were", "that", "who", "where", "with", "which", "when", "whose", "non", "only", "nur",
            "from", "than", "like", "in",
        ];
        reader.is_unknown(at)
            && reader.is(at - 1, &opens)
            && query.unknown.iter().any(|word| reader.is(at, &[word.as_str()]))
    });
    Ok(query)
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
