//! From the words of a request to a query.

use agent_common::formula::{self, Formula};
use agent_common::marks::{self, Mark, Piece};
use tollbridge_sdk::Error;

use crate::conditions;
use crate::grouping;
use crate::query::{Ask, Measure, Op, Query};
use crate::sheet::{Kind, Sheet};
use crate::{derived, words};

/// A request against a sheet: its pieces and which of them are understood.
pub struct Reader<'s> {
    pub sheet: &'s Sheet,
    pub pieces: Vec<Piece>,
    pub used: Vec<bool>,
    /// The formula, and where it stands; at the end where the request gives only its name.
    pub formula: Option<(Formula, usize, usize)>,
}

impl<'s> Reader<'s> {
    pub fn new(request: &str, sheet: &'s Sheet) -> Self {
        let pieces = marks::read(request, &sheet.table);
        let used = vec![false; pieces.len()];
        Self { sheet, pieces, used, formula: None }
    }

    pub fn piece(&self, at: usize) -> Option<&Piece> {
        self.pieces.get(at)
    }

    pub fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.pieces.get(at).is_some_and(|piece| piece.is_one(texts))
    }

    pub fn is_used(&self, at: usize) -> bool {
        self.used.get(at).copied().unwrap_or(true)
    }

    pub fn mark(&mut self, from: usize, to: usize) {
        for at in from..to {
            if let Some(slot) = self.used.get_mut(at) {
                *slot = true;
            }
        }
    }

    pub fn column(&self, at: usize) -> Option<usize> {
        self.pieces.get(at).and_then(Piece::column)
    }

    pub fn says_any(&self, texts: &[&str]) -> bool {
        self.pieces.iter().any(|piece| piece.says(texts))
    }

    /// Whether a piece ends a clause.
    pub fn is_stop(&self, at: usize) -> bool {
        self.is(at, &[",", ";", ".", "?", "!", ":"])
    }

    /// Whether months or weekdays are the columns.
    fn has_wide_periods(&self) -> bool {
        self.sheet.measures().iter().filter(|column| derived::is_period(self.sheet.name(**column))).count() > 1
    }

    /// A word that no list knows.
    pub fn is_unknown(&self, at: usize) -> bool {
        self.pieces.get(at).is_some_and(|piece| {
            piece.is_word()
                && !self.is_used(at)
                && !(self.has_wide_periods() && grouping::is_unit(&piece.text))
                && piece.text.len() > 1
                && !words::PLAIN.contains(&piece.text.as_str())
                && words::op(&piece.text).is_none()
                && ![words::BY, words::NOT, words::DOWN, words::UP, words::SORT, words::DISTINCT]
                    .iter()
                    .any(|list| list.contains(&piece.text.as_str()))
        })
    }
}

/// An op word and where it stands.
#[derive(Debug, Clone, Copy)]
struct Said {
    op: Op,
    at: usize,
}

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
    grouping::order(&mut reader, &mut query);
    grouping::keys(&mut reader, &mut query)?;
    conditions::read(&mut reader, &mut query)?;
    let said = ops(&reader);
    asks(&mut reader, &mut query, &said)?;
    shape(&reader, &mut query)?;
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

pub fn missing(message: String) -> Error {
    Error::invalid("/tables", message)
}

/// The figures that are said, in order.
fn ops(reader: &Reader<'_>) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    for (at, piece) in reader.pieces.iter().enumerate() {
        if piece.mark != Mark::Other || reader.is_used(at) {
            continue;
        }
        let many = piece.is_one(&["how", "wie"]) && reader.is(at + 1, &["many", "viele", "often", "oft", "viel"]);
        let much = piece.is_one(&["how"]) && reader.is(at + 1, &["much"]);
        let op = if many {
            Some(Op::Count)
        } else if much {
            Some(Op::Sum)
        } else {
            words::op(&piece.text)
        };
        let Some(op) = op else { continue };
        let ratio = matches!(&reader.formula, Some((Formula::Both(_, formula::Step::Over, _), ..)));
        if op == Op::Share && ratio {
            continue;
        }
        let number = piece.is_one(&["number", "nombre", "numero"]) && !reader.is(at + 1, &["of", "de", "di"]);
        if number || (op == Op::Max && piece.is_one(&["plus"])) {
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

fn numeric_follows(reader: &Reader<'_>, at: usize) -> bool {
    (at + 1..at + 4).find_map(|at| reader.column(at)).is_some_and(|column| reader.sheet.measures().contains(&column))
}

/// The columns that stand behind an op, until the next op or the end of the clause; and the words there that are unknown.
fn objects(reader: &Reader<'_>, from: usize, to: usize, wants_number: bool) -> (Vec<Measure>, Vec<String>) {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for at in from..to {
        if let Some((own, start, _)) = &reader.formula
            && *start == at
        {
            found.push(Measure::Of(own.clone()));
            unknown.clear();
        }
        if reader.is_used(at) {
            continue;
        }
        if let Some(column) = reader.column(at) {
            let fits = !wants_number || reader.sheet.measures().contains(&column);
            if fits {
                found.push(Measure::Of(Formula::Column(column)));
            }
        } else if reader.is_unknown(at) && found.is_empty() {
            unknown.extend(reader.piece(at).map(|piece| piece.text.clone()));
        }
        let joined = reader.is(at, &[",", "and", "und", "et", "y", "e", "&", "or"]);
        let goes_on = joined && reader.column(at + 1).is_some();
        if (reader.is_stop(at) || reader.is(at, &["for", "where", "when", "with", "who"]))
            && !goes_on
            && !found.is_empty()
        {
            break;
        }
        if reader.is(at, &[".", "?", "!", ";"]) {
            break;
        }
    }
    (found, unknown)
}

fn asks(reader: &mut Reader<'_>, query: &mut Query, said: &[Said]) -> Result<(), Error> {
    let mut open: Vec<Said> = Vec::new();
    for (number, one) in said.iter().enumerate() {
        let to = said.get(number + 1).map_or(reader.pieces.len(), |next| next.at);
        let wants = !matches!(one.op, Op::Count | Op::Distinct | Op::Share | Op::Max | Op::Min);
        let (mut found, unknown) = objects(reader, one.at + 1, to, wants);
        if found.is_empty() && one.op != Op::Count {
            // `damaged in total`, `visits on average`.
            let from = number.checked_sub(1).and_then(|before| said.get(before)).map_or(0, |before| before.at + 1);
            found = before(reader, from, one.at);
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
    for one in open {
        for measure in default_measure(reader, query, one.op, &[])? {
            add(reader, query, one.op, measure);
        }
    }
    Ok(())
}

/// The last number before an op in its clause.
fn before(reader: &Reader<'_>, from: usize, to: usize) -> Vec<Measure> {
    let mut last = None;
    for at in from..to {
        if reader.is(at, &[",", ";", ".", "?", "and", "und", "et"]) && !reader.is_stop(to.saturating_sub(1)) {
            last = last.filter(|_| !reader.is(at, &[";", ".", "?"]));
        }
        if let Some(column) =
            reader.column(at).filter(|column| !reader.is_used(at) && reader.sheet.measures().contains(column))
        {
            last = Some(Measure::Of(Formula::Column(column)));
        }
        if let Some((own, start, _)) = &reader.formula
            && *start == at
        {
            last = Some(Measure::Of(own.clone()));
        }
    }
    last.into_iter().collect()
}

fn add(reader: &Reader<'_>, query: &mut Query, op: Op, measure: Measure) {
    let text = match &measure {
        Measure::Rows => "rows".to_owned(),
        Measure::Of(formula) => formula.text(&reader.sheet.table.columns),
    };
    let name = format!("{} {text}", op_name(op));
    let percent = reader.says_any(&["%", "percent", "percentage", "prozent", "pct"]) && op != Op::Share;
    let ratio = matches!(&measure, Measure::Of(Formula::Both(_, formula::Step::Over, _)));
    if !query.asks.iter().any(|ask| ask.op == op && ask.measure == measure) {
        query.asks.push(Ask { op, measure, filters: Vec::new(), name, percent: percent && ratio });
    }
}

pub fn op_name(op: Op) -> &'static str {
    match op {
        Op::Sum => "sum of",
        Op::Mean => "average",
        Op::Median => "median",
        Op::Min => "lowest",
        Op::Max => "highest",
        Op::Count => "count of",
        Op::Distinct => "different",
        Op::Share => "share of",
    }
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
                || (unknown.len() == 1 && !narrowed && !sheet.table.headless && !is_row_word(reader, unknown))
            {
                return Err(no_column(sheet, unknown.last().map_or("", String::as_str)));
            }
            Ok(of(Op::Count, Measure::Rows, format!("count of {}", unknown.first().map_or("rows", String::as_str))))
        }
    }
}

fn is_row_word(reader: &Reader<'_>, unknown: &[String]) -> bool {
    const ROWS: &[&str] = &[
        "orders",
        "order",
        "customer",
        "product",
        "tickets",
        "ticket",
        "people",
        "transactions",
        "sales",
        "employees",
        "customers",
        "students",
        "members",
        "products",
        "times",
        "visits",
        "users",
        "events",
        "bookings",
        "invoices",
        "tickets",
        "purchases",
        "payments",
        "deliveries",
        "games",
        "days",
        "bestellungen",
        "zeilen",
        "mitarbeiter",
        "produkte",
        "personen",
        "kunden",
        "eintrage",
        "lignes",
        "commandes",
        "personnes",
        "filas",
        "ventas",
        "articles",
        "articles",
        "countries",
        "cities",
        "shops",
        "stores",
        "branches",
        "teams",
        "animals",
        "books",
        "cars",
        "trips",
        "guests",
        "participants",
        "applications",
        "cases",
        "patients",
        "kids",
        "children",
    ];
    let title = reader.sheet.table.title.as_deref().map(agent_common::columns::fold).unwrap_or_default();
    unknown.first().is_some_and(|word| ROWS.contains(&word.as_str()) || title.contains(word.as_str()))
}

pub fn no_column(sheet: &Sheet, word: &str) -> Error {
    missing(format!(
        "there is no column for \"{word}\"; the table has {}, so add that column or name one of these",
        sheet.table.columns.join(", ")
    ))
}

/// What is meant where nothing is named.
fn default_measure(reader: &Reader<'_>, query: &mut Query, op: Op, unknown: &[String]) -> Result<Vec<Measure>, Error> {
    let sheet = reader.sheet;
    if let Some((formula, ..)) = &reader.formula {
        return Ok(vec![Measure::Of(formula.clone())]);
    }
    let keyed = |column: &usize| query.keys.iter().any(|key| key.column == *column);
    let filtered = |column: &usize| query.filters.iter().any(|filter| filter.column() == *column);
    let open: Vec<usize> = sheet.measures().into_iter().filter(|column| !keyed(column)).collect();
    let open = if open.len() > 1 { open.into_iter().filter(|column| !filtered(column)).collect() } else { open };
    // A name that a table without names cannot have.
    if op == Op::Share && !query.filters.is_empty() && unknown.len() < 2 {
        return Ok(vec![Measure::Rows]);
    }
    if let Some(word) = unknown
        .iter()
        .find(|word| !(is_row_word(reader, std::slice::from_ref(*word)) && open.len() == 1))
        .filter(|_| !sheet.table.headless)
    {
        return Err(no_column(sheet, word));
    }
    query.assumed = true;
    let periods = open.len() > 1 && open.iter().all(|column| derived::is_period(sheet.name(*column)));
    let across = reader.says_any(&["all", "alle", "across", "row", "each", "three", "drei", "tous", "toutes"]);
    match open.as_slice() {
        [] if op == Op::Share => Ok(vec![Measure::Rows]),
        [] => Err(missing(format!(
            "no column of the table has numbers to work with; it has {}",
            sheet.table.columns.join(", ")
        ))),
        [one] => Ok(vec![Measure::Of(Formula::Column(*one))]),
        several if periods && (op == Op::Sum || across) => Ok(vec![Measure::Of(Formula::Sum(several.to_vec()))]),
        several if matches!(op, Op::Sum | Op::Mean | Op::Median) => {
            Ok(several.iter().map(|column| Measure::Of(Formula::Column(*column))).collect())
        }
        _ => Err(missing(format!(
            "say of which column: {}",
            open.iter().map(|at| sheet.name(*at)).collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// `the most common colour`: the column that is counted.
fn most_frequent(reader: &Reader<'_>) -> Option<usize> {
    let at = (1..reader.pieces.len()).find(|at| {
        reader.is(*at, &["common", "frequent", "frequently", "often", "haufigste", "haufigsten", "frequente"])
            && (reader.is(at - 1, words::MAX)
                || reader.is(at - 1, words::MIN)
                || reader.is(*at, &["haufigste", "haufigsten"]))
    })?;
    let behind = (at + 1..at + 5).find_map(|at| reader.column(at));
    behind.or_else(|| (0..at).rev().find_map(|at| reader.column(at)))
}

/// What follows from the whole: which one, listings, figures that only a group asks for.
fn shape(reader: &Reader<'_>, query: &mut Query) -> Result<(), Error> {
    if let Some(column) = most_frequent(reader) {
        query.keys = vec![crate::query::Key { column, unit: None }];
        query.asks.clear();
        add(reader, query, Op::Max, Measure::Rows);
        query.which = Some(!reader.says_any(words::MIN));
        return Ok(());
    }
    let asks_which = reader.says_any(&[
        "which", "who", "what's", "welche", "welcher", "welches", "wer", "quel", "quelle", "top", "rank", "ranking",
        "cual", "where", "when", "busiest",
    ]) || reader.says_any(words::SORT);
    let extreme = query.asks.iter().position(|ask| matches!(ask.op, Op::Max | Op::Min));
    if let Some(at) = extreme.filter(|_| asks_which && query.descending.is_none()) {
        query.which = query.asks.get(at).map(|ask| ask.op == Op::Max);
    }
    if query.asks.is_empty() {
        let mentioned: Vec<Measure> = (0..reader.pieces.len())
            .filter(|at| !reader.is_used(*at))
            .filter_map(|at| reader.column(at))
            .filter(|column| reader.sheet.measures().contains(column))
            .map(|column| Measure::Of(Formula::Column(column)))
            .collect();
        if let Some((formula, ..)) = &reader.formula {
            add(reader, query, Op::Sum, Measure::Of(formula.clone()));
        } else if !query.keys.is_empty() {
            let found = if mentioned.is_empty() { default_measure(reader, query, Op::Sum, &[])? } else { mentioned };
            found.into_iter().for_each(|measure| add(reader, query, Op::Sum, measure));
        } else if query.sort_by.is_some()
            || query.descending.is_some()
            || query.top.is_some()
            || !query.filters.is_empty()
        {
            query.listing = true;
            query.sort_by = query.sort_by.or_else(|| match mentioned.as_slice() {
                [Measure::Of(Formula::Column(column)), ..] => Some(*column),
                _ => query.descending.and_then(|_| match reader.sheet.measures().as_slice() {
                    [one] => Some(*one),
                    _ => None,
                }),
            });
        } else {
            return Err(missing(
                "say which figure is wanted: a sum, average, count, share, the highest or lowest, by which column"
                    .into(),
            ));
        }
    }
    Ok(())
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
