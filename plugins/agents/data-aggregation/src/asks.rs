//! The figures that a request asks for.

use agent_common::formula::{Formula, Step};
use agent_common::marks::Mark;
use tollbridge_sdk::Error;

use crate::measures::{add, before, default_measure, objects};
use crate::query::{Ask, Measure, Op, Query};
use crate::reader::Reader;
use crate::refusal::no_column;
use crate::{row_words, words};

/// An op word and where it stands.
#[derive(Debug, Clone, Copy)]
struct Said {
    op: Op,
    at: usize,
}

/// Finds the figures that are said, and what each is of.
pub fn read(reader: &mut Reader<'_>, query: &mut Query) -> Result<(), Error> {
    let said = ops(reader);
    let mut open: Vec<Said> = Vec::new();
    for (number, one) in said.iter().enumerate() {
        let to = said.get(number + 1).map_or(reader.pieces.len(), |next| next.at);
        let wants = !matches!(one.op, Op::Count | Op::Distinct | Op::Share | Op::Max | Op::Min);
        let (mut found, unknown): (Vec<Measure>, Vec<String>) = objects(reader, one.at + 1, to, wants);
        if found.is_empty() && one.op != Op::Count {
            // `damaged in total`, `visits on average`.
            let from = number.checked_sub(1).and_then(|before| said.get(before)).map_or(0, |before| before.at + 1);
            found = before(reader, from, one.at);
        }
        if matches!(one.op, Op::Max | Op::Min) && !found.is_empty() {
            let high = |measure: &Measure| !matches!(measure, Measure::Of(Formula::Column(column)) if !reader.sheet.measures().contains(column));
            let all = found.len();
            found.retain(high);
            // `the hottest day`: the noun is who has it, not what is measured.
            if found.is_empty() && all > 0 {
                query.which = Some(one.op == Op::Max);
            }
        }
        if one.op == Op::Count {
            let ask = count(reader, query, one.at, &found, &unknown)?;
            query.asks.push(ask);
            continue;
        }
        if found.is_empty() && number + 1 < said.len() && unknown.is_empty() {
            open.push(*one);
            continue;
        }
        if found.is_empty() {
            found = default_measure(reader, query, one.op, &unknown)?;
        }
        for op in open.drain(..).map(|open| open.op).chain([one.op]) {
            for measure in &found {
                add(reader, query, op, measure.clone());
            }
        }
    }
    let formula = reader.formula.as_ref().map(|(formula, ..)| Measure::Of(formula.clone()));
    if let Some(measure) =
        formula.filter(|measure| !query.asks.is_empty() && query.asks.iter().all(|ask| ask.measure != *measure))
    {
        add(reader, query, Op::Sum, measure);
    }
    implied(reader, query);
    for one in open {
        for measure in default_measure(reader, query, one.op, &[])? {
            add(reader, query, one.op, measure);
        }
    }
    Ok(())
}

/// `nights by room type + average stay per room type`: a part with its own `by` and no figure is a sum.
fn implied(reader: &Reader<'_>, query: &mut Query) {
    if query.asks.is_empty() {
        return;
    }
    let mut from = 0;
    for at in 0..=reader.pieces.len() {
        let ends = at == reader.pieces.len()
            || reader.is_stop(at)
            || reader.is(at, &["+", "&", "and", "und", "plus", "et", "y", "sowie"]);
        if !ends {
            continue;
        }
        let span = from..at;
        from = at + 1;
        let by = span.clone().find(|at| reader.is(*at, words::BY));
        let figure = span.clone().any(|at| {
            reader.piece(at).is_some_and(|piece| words::op(&piece.text).is_some()) || reader.is(at, &["how"])
        });
        let measure = by.and_then(|by| {
            (span.start..by).find_map(|at| reader.column(at).filter(|column| reader.sheet.measures().contains(column)))
        });
        if let Some(column) = measure.filter(|_| !figure && query.sort_by.is_none()) {
            let had = query.asks.len();
            add(reader, query, Op::Sum, Measure::Of(Formula::Column(column)));
            if query.asks.len() > had {
                query.asks.rotate_right(1);
            }
        }
    }
}

/// The figures that are said, in order.
fn ops(reader: &Reader<'_>) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    for (at, piece) in reader.pieces.iter().enumerate() {
        if piece.mark != Mark::Other || reader.is_used(at) {
            continue;
        }
        let many = piece.is_one(&["how", "wie"]) && reader.is(at + 1, &["many", "viele", "often", "oft", "viel"]);
        let spent = piece.is_one(&["what", "whats"])
            && (at + 1..at + 6)
                .any(|at| reader.is(at, &["spend", "spent", "pay", "paid", "earn", "earned", "owe", "owed"]));
        let much = piece.is_one(&["how"]) && reader.is(at + 1, &["much"]) || spent;
        let op = if many {
            Some(Op::Count)
        } else if much {
            Some(Op::Sum)
        } else {
            speed(reader, &piece.text).or_else(|| superlative(reader, at)).or_else(|| words::op(&piece.text))
        };
        let Some(op) = op else { continue };
        let ratio = matches!(&reader.formula, Some((Formula::Both(_, Step::Over, _), ..)));
        if op == Op::Share && ratio {
            continue;
        }
        let number = piece.is_one(&["number", "nombre", "numero"]) && !reader.is(at + 1, &["of", "de", "di"]);
        if number {
            continue;
        }
        // `total number of`, `average number of`: one figure.
        let close = said.last().is_some_and(|last| {
            at - last.at <= 2 && !(last.at..at).any(|at| reader.is_stop(at) || reader.is(at, &["and", "und", "et"]))
        });
        if close && op == Op::Count {
            if !numeric_follows(reader, at)
                && let Some(last) = said.last_mut()
            {
                *last = Said { op: if last.op == Op::Share || last.op == Op::Mean { last.op } else { Op::Count }, at };
            }
            continue;
        }
        if close && op == Op::Sum && matches!(said.last().map(|last| last.op), Some(Op::Max | Op::Min | Op::Share)) {
            continue;
        }
        said.push(Said { op, at });
    }
    said
}

/// The fastest has the lowest time, and the highest speed.
fn speed(reader: &Reader<'_>, word: &str) -> Option<Op> {
    let fast = ["fastest", "quickest", "schnellste", "schnellsten", "rapide"].contains(&word);
    let slow = ["slowest", "langsamste", "langsamsten"].contains(&word);
    let spans = [
        "time", "times", "seconds", "second", "sec", "secs", "s", "minutes", "minute", "min", "mins", "duration", "ms",
        "zeit", "sekunden", "hours", "latency", "lap", "temps", "dauer",
    ];
    let timed = reader.sheet.measures().iter().any(|column| {
        agent_common::columns::name_words(reader.sheet.name(*column)).iter().any(|word| spans.contains(&word.as_str()))
    });
    match (fast, slow) {
        (true, _) => Some(if timed { Op::Min } else { Op::Max }),
        (_, true) => Some(if timed { Op::Max } else { Op::Min }),
        _ => None,
    }
}

/// `la plus haute`, `el más bajo`, `il più alto`: two words for one.
fn superlative(reader: &Reader<'_>, at: usize) -> Option<Op> {
    if !reader.is(at, &["plus", "mas", "più", "piu", "mais"]) {
        return None;
    }
    let high = [
        "haut", "haute", "eleve", "elevee", "grand", "grande", "alto", "alta", "cher", "chere", "caro", "cara", "fort",
        "forte", "gros", "grosse", "vieux", "long", "longue",
    ];
    let low = [
        "bas", "basse", "petit", "petite", "bajo", "baja", "basso", "bassa", "faible", "barato", "barata", "baixo",
        "baixa", "court", "courte", "jeune", "pequeno", "pequena",
    ];
    if reader.is(at + 1, &high) {
        Some(Op::Max)
    } else if reader.is(at + 1, &low) {
        Some(Op::Min)
    } else {
        None
    }
}

fn numeric_follows(reader: &Reader<'_>, at: usize) -> bool {
    (at + 1..at + 4).find_map(|at| reader.column(at)).is_some_and(|column| reader.sheet.measures().contains(&column))
}

/// How many of what.
fn count(reader: &Reader<'_>, query: &Query, at: usize, found: &[Measure], unknown: &[String]) -> Result<Ask, Error> {
    let distinct = (at + 1..at + 6).any(|at| reader.is(at, words::DISTINCT));
    let column = found.iter().find_map(|measure| match measure {
        Measure::Of(Formula::Column(column)) => Some(*column),
        _ => None,
    });
    let filtered = |column: usize| query.filters.iter().any(|filter| filter.column() == column);
    let sheet = reader.sheet;
    let noun_first = (at + 1..at + 5)
        .find_map(|at| (reader.column(at).is_some() || reader.is_unknown(at)).then(|| reader.column(at)));
    let often = reader.is(at + 1, &["often", "oft"]);
    let noun = noun_first.flatten().filter(|_| !often).or(column.filter(|_| unknown.is_empty() && !often));
    let of = |op, measure, name: String| Ask { op, measure, filters: Vec::new(), name, percent: false };
    match noun {
        Some(column) if distinct => {
            Ok(of(Op::Distinct, Measure::Of(Formula::Column(column)), format!("different {}", sheet.name(column))))
        }
        Some(column) if sheet.measures().contains(&column) && !filtered(column) => {
            Ok(of(Op::Sum, Measure::Of(Formula::Column(column)), format!("sum of {}", sheet.name(column))))
        }
        Some(column)
            if !filtered(column) && !sheet.is_unique(column) && !query.keys.iter().any(|key| key.column == column) =>
        {
            Ok(of(Op::Distinct, Measure::Of(Formula::Column(column)), format!("different {}", sheet.name(column))))
        }
        Some(column) => Ok(of(Op::Count, Measure::Rows, format!("count of {}", sheet.name(column)))),
        None => {
            // The noun names the rows; more unknown words are conditions that no column answers.
            let narrowed = !query.filters.is_empty() || !query.keys.is_empty();
            if unknown.len() > 1
                || (unknown.len() == 1
                    && !narrowed
                    && !sheet.table.headless
                    && !row_words::are_rows(&sheet.table, unknown))
            {
                return Err(no_column(sheet, unknown.last().map_or("", String::as_str)));
            }
            let noun = unknown.iter().find(|word| !["often", "oft"].contains(&word.as_str()));
            Ok(of(Op::Count, Measure::Rows, format!("count of {}", noun.map_or("rows", String::as_str))))
        }
    }
}
