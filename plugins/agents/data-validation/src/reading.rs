//! Rules that a request says in words.

use agent_common::columns::{self, Strength, fold};
use agent_common::dates::Date;
use agent_common::exact::Exact;
use agent_common::formula::{self, Formula};
use agent_common::marks::{self, Mark, Piece};
use agent_common::phrases;
use agent_common::sheet::{Kind, Sheet};
use agent_common::tokens::Sort;

use crate::form::{self, Form};
use crate::rule::Rule;

/// A sentence of a request.
pub struct Sentence<'s> {
    pub sheet: &'s Sheet,
    pub text: String,
    pub pieces: Vec<Piece>,
}

const DENIES: &[&str] = &[
    "not",
    "no",
    "nobody",
    "never",
    "cannot",
    "can't",
    "none",
    "nicht",
    "kein",
    "keine",
    "without",
    "don't",
    "mustn't",
    "nor",
    "niemand",
    "aucun",
    "ne",
    "shouldn't",
    "nothing",
    "isn't",
    "exceed",
    "exceeds",
];
const FLAGS: &[&str] = &[
    "flag",
    "find",
    "which",
    "where",
    "any",
    "mark",
    "wrong",
    "show",
    "list",
    "look",
    "impossible",
    "invalid",
    "welche",
    "finde",
    "suspicious",
    "report",
    "spot",
    "bad",
    "error",
    "reject",
    "outside",
];

impl Sentence<'_> {
    pub fn is(&self, at: usize, texts: &[&str]) -> bool {
        self.pieces.get(at).is_some_and(|piece| piece.is_one(texts))
    }

    pub fn says(&self, texts: &[&str]) -> bool {
        self.pieces.iter().any(|piece| piece.says(texts))
    }

    /// Whether the words of a phrase stand in it.
    pub fn has(&self, phrases: &[&str]) -> bool {
        let folded = format!(
            " {} ",
            fold(&self.text)
                .replace(|c: char| !(c.is_alphanumeric() || c == '@'), " ")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        );
        phrases.iter().any(|phrase| folded.contains(&format!(" {phrase} ")))
    }

    pub fn column(&self, at: usize) -> Option<usize> {
        self.pieces.get(at).and_then(Piece::column)
    }

    /// The columns that it names, each once.
    pub fn columns(&self) -> Vec<usize> {
        let mut all = Vec::new();
        for column in self.pieces.iter().filter_map(Piece::column) {
            if !all.contains(&column) {
                all.push(column);
            }
        }
        all
    }

    /// The column of a number or rule: named before it, else after it, else the only one that fits.
    fn column_near(&self, at: usize, fits: &dyn Fn(usize) -> bool) -> Option<usize> {
        let before = (0..at).rev().find_map(|at| self.column(at).filter(|column| fits(*column)));
        let after = (at..self.pieces.len()).find_map(|at| self.column(at).filter(|column| fits(*column)));
        before.or(after)
    }
}

/// The sentences of a request, marked.
pub fn sentences<'s>(request: &str, sheet: &'s Sheet) -> Vec<Sentence<'s>> {
    let pieces = marks::read(request, &sheet.table);
    let mut all = Vec::new();
    let mut own: Vec<Piece> = Vec::new();
    for piece in pieces {
        let line = own
            .last()
            .is_some_and(|last: &Piece| request.get(last.end..piece.start).is_some_and(|gap| gap.contains('\n')));
        if line && !own.is_empty() {
            all.push(std::mem::take(&mut own));
        }
        // `age is a number, active yes or no`: a rule of its own behind the comma.
        let comma = own.last().is_some_and(|last| last.is_one(&[","]));
        let ruled = own.iter().any(|piece| {
            piece.says(&["must", "should", "may", "is", "are", "between", "only", "darf", "muss", "can", "has"])
        }) && own.iter().any(|piece| piece.column().is_some());
        if comma && ruled && piece.column().is_some() {
            let next = request.get(piece.end..).unwrap_or_default().trim_start();
            if !next.starts_with([',', '.', ')', '?'])
                && !["and ", "or ", "und ", "oder "].iter().any(|word| next.starts_with(word))
            {
                all.push(std::mem::take(&mut own));
            }
        }
        let ends = piece.is_one(&[".", "?", "!", ";"]);
        own.push(piece);
        if ends {
            all.push(std::mem::take(&mut own));
        }
    }
    all.push(own);
    all.into_iter()
        .filter(|own| !own.is_empty())
        .map(|pieces| {
            let text = pieces
                .first()
                .zip(pieces.last())
                .and_then(|(first, last)| request.get(first.start..last.end))
                .unwrap_or_default()
                .to_owned();
            let shift = pieces.first().map_or(0, |first| first.start);
            let moved =
                pieces.into_iter().map(|piece| Piece { start: piece.start - shift, end: piece.end - shift, ..piece });
            Sentence { sheet, pieces: moved.collect(), text }
        })
        .collect()
}

/// The rules of a sentence; `topic` is the column that the sentence before spoke of.
pub fn rules(sentence: &Sentence<'_>, topic: Option<usize>, today: Option<Date>) -> Vec<Rule> {
    let mut found = Vec::new();
    if let Some(rule) = equation(sentence) {
        found.push(rule);
        return found;
    }
    if let Some(rule) = age(sentence, today) {
        found.push(rule);
        return found;
    }
    if let Some(rule) = order(sentence) {
        found.push(rule);
    }
    found.extend(one_of(sentence, topic));
    if found.is_empty() {
        found.extend(ranges(sentence, topic));
    }
    found.extend(whole(sentence, topic));
    found.extend(sequence(sentence));
    found.extend(rising(sentence));
    if !found.iter().any(|rule| matches!(rule, Rule::Sequence(..))) {
        found.extend(unique(sentence));
        let typos = sentence.text.contains('@') && !form_words(sentence).is_empty();
        if !typos {
            found.extend(required(sentence));
        }
    }
    found.extend(days(sentence, topic, today));
    if !found.iter().any(|rule| matches!(rule, Rule::OneOf(..))) {
        found.extend(forms(sentence, topic));
    }
    found
}

/// `total = qty * price`, `netto + mwst = brutto`, `the sum of a and b is c`.
fn equation(sentence: &Sentence<'_>) -> Option<Rule> {
    let equal = |at: usize| {
        sentence.is(
            at,
            &[
                "=",
                "==",
                "equals",
                "equal",
                "gives",
                "makes",
                "ergibt",
                "ergeben",
                "gleich",
                "egal",
                "is",
                "be",
                "as",
                "ist",
                "to",
                "match",
                "matches",
                "entspricht",
                "sein",
            ],
        )
    };
    if let Some((found, from, to)) = formula::find(&sentence.pieces) {
        let own = found.columns();
        let before = (0..from).rev().take(8).find_map(|at| sentence.column(at).filter(|column| !own.contains(column)));
        let after = (to..to + 6).find_map(|at| sentence.column(at).filter(|column| !own.contains(column)));
        let joined = (from.saturating_sub(6)..from).any(equal);
        let target = if joined { before.or(after) } else { after.filter(|_| (to..to + 5).any(equal)).or(before) };
        return target.map(|target| Rule::Equals(target, found));
    }
    let sums = sentence.has(&[
        "sum of",
        "add up",
        "adds up",
        "summe aus",
        "summe von",
        "added together",
        "sum to",
        "together",
        "sums to",
    ]);
    let columns: Vec<usize> =
        sentence.columns().into_iter().filter(|column| sentence.sheet.measures().contains(column)).collect();
    if let ([target], true) = (columns.as_slice(), sums) {
        let parts: Vec<usize> = sentence.sheet.measures().into_iter().filter(|column| column != target).collect();
        let whole = sentence.sheet.measures().contains(target)
            && parts.len() > 1
            && sentence.has(&["up to", "sum to", "equal", "equals", "sum of", "sums to", "ergeben"]);
        return whole.then_some(Rule::Equals(*target, Formula::Sum(parts)));
    }
    if !sums || columns.len() < 3 {
        return None;
    }
    let target = (1..sentence.pieces.len()).find_map(|at| {
        let behind = (at.saturating_sub(4)..at)
            .any(|at| sentence.is(at, &["=", "equal", "equals", "to", "gives", "make", "ergeben", "ist", "is"]));
        sentence.column(at).filter(|_| behind)
    });
    let first = columns.first().copied();
    let starts = (0..sentence.pieces.len()).find(|at| sentence.is(*at, &["sum", "summe"]));
    let leads = starts.is_some_and(|at| (0..at).any(|at| sentence.column(at).is_some()));
    let target =
        if leads { first } else { target.filter(|target| Some(*target) != first).or(columns.last().copied()) }?;
    Some(Rule::Equals(target, Formula::Sum(columns.into_iter().filter(|column| *column != target).collect())))
}

fn of_concept(sheet: &Sheet, word: &str) -> Option<usize> {
    let concept = columns::concept(word)?;
    (0..sheet.table.columns.len())
        .find(|at| columns::name_words(sheet.name(*at)).iter().any(|own| columns::concept(own) == Some(concept)))
}

/// Ages against days of birth, on a day that is said or today.
fn age(sentence: &Sentence<'_>, today: Option<Date>) -> Option<Rule> {
    let (birth, age) = (of_concept(sentence.sheet, "birthdate")?, of_concept(sentence.sheet, "age")?);
    let both = sentence.says(&["age", "ages", "alter", "age?"])
        && (sentence.says(&[
            "birth",
            "born",
            "birthdate",
            "dob",
            "birthday",
            "births",
            "geburtsdatum",
            "geboren",
            "birthdays",
        ]) || sentence.columns().contains(&birth));
    let fits = sentence.says(&[
        "fit",
        "fits",
        "match",
        "matches",
        "agree",
        "agrees",
        "consistent",
        "correct",
        "right",
        "inconsistent",
        "contradict",
        "wrong",
        "passt",
        "passen",
        "stimmt",
        "stimmen",
        "check",
        "mismatch",
        "compatible",
    ]);
    let day =
        sentence.pieces.iter().find_map(|piece| if let Sort::Day(day) = piece.token.sort { Some(day) } else { None });
    (both && fits && sentence.sheet.kind(birth) == Kind::Day).then(|| Some(Rule::Age(birth, age, day.or(today)?)))?
}

/// `end after start`, `start must not be later than end`.
fn order(sentence: &Sentence<'_>) -> Option<Rule> {
    const LATER: &[&str] = &[
        "after", "later", "nach", "greater", "larger", "more", "above", "exceed", "exceeds", ">", ">=", "higher",
        "apres", "bigger", "spater",
    ];
    const EARLIER: &[&str] = &[
        "before", "earlier", "vor", "less", "smaller", "below", "under", "<", "<=", "lower", "avant", "precede",
        "precedes", "fruher",
    ];
    let cue = (1..sentence.pieces.len()).find(|at| {
        let word = sentence.is(*at, LATER) || sentence.is(*at, EARLIER);
        word && !sentence
            .pieces
            .get(at + 1)
            .is_some_and(|piece| matches!(piece.token.sort, Sort::Number(_) | Sort::Day(_)))
    })?;
    let sheet = sentence.sheet;
    let left = (0..cue).rev().find_map(|at| sentence.column(at))?;
    let right = (cue + 1..(cue + 6).min(sentence.pieces.len())).find_map(|at| sentence.column(at))?;
    if left == right || (sheet.kind(left) != sheet.kind(right)) {
        return None;
    }
    let later = sentence.is(cue, LATER);
    let named = |column: usize, words: &[&str]| {
        columns::name_words(sheet.name(column)).iter().any(|own| words.contains(&own.as_str()))
    };
    const LATE: &[&str] = &[
        "due",
        "delivered",
        "delivery",
        "returned",
        "return",
        "shipped",
        "paid",
        "closed",
        "left",
        "expires",
        "expiry",
        "completed",
        "checkout",
        "death",
        "died",
    ];
    const SOON: &[&str] = &[
        "invoice",
        "ordered",
        "order",
        "issued",
        "created",
        "opened",
        "joined",
        "rented",
        "borrowed",
        "hired",
        "started",
        "checkin",
        "birth",
        "born",
        "manufactured",
    ];
    if sheet.kind(left) == Kind::Day
        && named(left, LATE) != named(right, LATE)
        && named(left, SOON) != named(right, SOON)
    {
        return Some(if named(left, LATE) { Rule::NotBefore(left, right) } else { Rule::NotBefore(right, left) });
    }
    let is = |column: usize, word: &str| {
        columns::name_words(sheet.name(column))
            .iter()
            .any(|own| columns::concept(own).is_some() && columns::concept(own) == columns::concept(word))
    };
    // An end is after a start however it is said.
    if is(left, "end") && is(right, "start") {
        return Some(Rule::NotBefore(left, right));
    }
    if is(left, "start") && is(right, "end") {
        return Some(Rule::NotBefore(right, left));
    }
    let rule = sentence.says(&[
        "must", "should", "always", "may", "muss", "shall", "cannot", "can't", "never", "only", "need", "needs",
    ]) || sentence.has(&["has to", "have to", "can not"]);
    let denied = sentence
        .pieces
        .iter()
        .take(cue)
        .any(|piece| piece.is_one(&["not", "never", "cannot", "can't", "no", "nicht", "nie", "mustn't"]));
    let flags = !rule && sentence.says(FLAGS);
    let holds = later != (denied || flags);
    Some(if holds { Rule::NotBefore(left, right) } else { Rule::NotBefore(right, left) })
}

/// `may only be open, pending or closed`.
fn one_of(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    const CUES: &[&str] = &[
        "one of",
        "only be",
        "may be",
        "must be",
        "either",
        "can be",
        "allowed values",
        "allowed are",
        "valid values",
        "permitted values",
        "has to be",
        "should be",
        "allowed:",
        "valid:",
        "are allowed",
        "darf nur",
        "nur",
        "erlaubt sind",
        "valid statuses",
        "are valid",
        "can only be",
        "only allow",
        "allowed",
        "are only",
        "in the set",
        "only",
        "is in",
        "be in",
        "are:",
        "values:",
    ];
    let lower = sentence.text.to_lowercase();
    for cue in CUES {
        let Some(at) = lower
            .find(&format!("{cue} "))
            .map(|at| at + cue.len())
            .or_else(|| lower.find(cue).filter(|_| cue.ends_with(':')).map(|at| at + cue.len()))
        else {
            continue;
        };
        let Some(rest) = sentence.text.get(at..) else { continue };
        let rest = rest.trim_start_matches([':', ' ', '(', '[', '{', '=']);
        let rest = rest.strip_prefix("one of").unwrap_or(rest).trim_start_matches([':', ' ', '(', '[', '{']);
        let cut = [
            " - ",
            " – ",
            ")",
            "]",
            "}",
            ". ",
            "?",
            "; ",
            ": ",
            " nothing else",
            " and nothing",
            ", flag",
            ", find",
            ", which",
            ", where",
            ", say",
            " in the ",
        ]
        .iter()
        .filter_map(|stop| rest.find(stop))
        .min()
        .unwrap_or(rest.len());
        let before = ["are allowed", "are valid"].contains(cue);
        let list = if before {
            lower
                .get(..at - cue.len())
                .and_then(|head| head.rsplit([':', '.']).next().map(str::to_owned))
                .unwrap_or_default()
        } else {
            rest.get(..cut).unwrap_or(rest).trim_end_matches(['.', '!']).to_owned()
        };
        let list = list.replace(" / ", ", ").replace(['/', '|'], ", ");
        let values: Vec<String> = phrases::list(&list);
        let numbers = values.iter().all(|value| value.parse::<f64>().is_ok());
        let words = |value: &String| value.split_whitespace().count() <= 3 && !value.is_empty();
        const NO_VALUES: &[&str] = &[
            "number",
            "date",
            "text",
            "string",
            "boolean",
            "email",
            "future",
            "past",
            "missing",
            "duplicate",
            "duplicated",
            "null",
            "a number",
            "unique",
            "filled",
            "empty",
            "positive",
            "negative",
            "valid",
            "numeric",
            "present",
            "between",
            "whole",
            "integer",
            "numbers",
            "given",
            "digits",
            "after",
            "before",
            "at least",
            "greater",
            "less",
            "more",
            "in the",
            "higher",
            "lower",
            "later",
            "earlier",
            "under",
            "above",
            "below",
            "distinct",
        ];
        let rule = values
            .iter()
            .any(|value| NO_VALUES.iter().any(|no| fold(value) == *no || fold(value).starts_with(&format!("{no} "))));
        if values.len() < 2 || !values.iter().all(words) || rule || (numbers && values.len() < 3) {
            continue;
        }
        let place = sentence.pieces.iter().position(|piece| piece.start >= at).unwrap_or(sentence.pieces.len());
        let named = (0..place).rev().find_map(|at| sentence.column(at));
        let holding = |column: usize| {
            (0..sentence.sheet.table.rows.len())
                .any(|row| values.iter().any(|value| fold(value) == fold(sentence.sheet.cell(row, column))))
        };
        let column = named
            .or(topic.filter(|column| holding(*column)))
            .or_else(|| (0..sentence.sheet.table.columns.len()).find(|column| holding(*column)));
        // The list may name columns instead: `must have a customer and an amount`.
        let are_columns = values.iter().all(|value| {
            let words = columns::name_words(value);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let names: Vec<Vec<String>> =
                sentence.sheet.table.columns.iter().map(|name| columns::name_words(name)).collect();
            columns::find(&names, &words).is_some_and(|(_, _, strength)| strength >= Strength::Part)
        });
        if let Some(column) = column.filter(|_| !are_columns) {
            return vec![Rule::OneOf(column, values)];
        }
    }
    listed(sentence)
}

/// `valid statuses: new, paid`, `active yes or no`.
fn listed(sentence: &Sentence<'_>) -> Vec<Rule> {
    let sheet = sentence.sheet;
    let colon = sentence.text.find(':');
    let head = colon.and_then(|at| sentence.text.get(..at)).unwrap_or_default();
    let allows = sentence.pieces.iter().take_while(|piece| piece.end <= head.len()).any(|piece| {
        piece.says(&[
            "valid",
            "allowed",
            "permitted",
            "possible",
            "legal",
            "accepted",
            "erlaubte",
            "gultige",
            "only",
            "options",
        ])
    });
    let (column, list) =
        if let Some(at) = colon.filter(|_| allows) {
            (sentence.columns().first().copied(), sentence.text.get(at + 1..).unwrap_or_default())
        } else {
            let Some(first) = sentence.pieces.first().filter(|piece| {
                piece.column().is_some() && sentence.pieces.len() <= 8 && sentence.says(&["or", "oder"])
            }) else {
                return Vec::new();
            };
            (first.column(), sentence.text.get(first.end..).unwrap_or_default())
        };
    let values = phrases::list(list.trim_end_matches(['.', '!']));
    let holds = |column: usize| {
        values.iter().any(|value| sheet.table.cells(column).iter().any(|cell| fold(cell) == fold(value)))
    };
    match column {
        Some(column)
            if values.len() > 1
                && values.iter().all(|value| value.split_whitespace().count() <= 2)
                && holds(column) =>
        {
            vec![Rule::OneOf(column, values)]
        }
        _ => Vec::new(),
    }
}

type Bound = Option<(Exact, bool)>;

/// `between 18 and 99`, `1 to 5`, `at least 3`, `nobody works more than 24 hours`, `never negative`.
fn ranges(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let mut bounds: Vec<(usize, Bound, Bound)> = Vec::new();
    let mut at = 0;
    while at < sentence.pieces.len() {
        if let Some((low, high, len)) = bound(sentence, at) {
            bounds.push((at, low, high));
            at += len;
        } else {
            at += 1;
        }
    }
    let numeric = |column: usize| sentence.sheet.kind(column) == Kind::Number;
    let only = match sentence.sheet.measures().as_slice() {
        [one] => Some(*one),
        _ => None,
    };
    let mut found: Vec<Rule> = Vec::new();
    for (at, low, high) in bounds {
        let column = sentence.column_near(at, &numeric).or(topic.filter(|column| numeric(*column))).or(only);
        let Some(column) = column else { continue };
        let merged = found.iter_mut().find_map(|rule| match rule {
            Rule::Range(own, a, b) if *own == column => Some((a, b)),
            _ => None,
        });
        match merged {
            Some((a, b)) => {
                *a = a.or(low);
                *b = b.or(high);
            }
            None => found.push(Rule::Range(column, low, high)),
        }
    }
    found
}

/// The bounds that a number gives, and how many pieces they take.
fn bound(sentence: &Sentence<'_>, at: usize) -> Option<(Bound, Bound, usize)> {
    let back = |n: usize, texts: &[&str]| at.checked_sub(n).is_some_and(|at| sentence.is(at, texts));
    let denied_before = |from: usize| {
        (from.saturating_sub(8)..from)
            .rev()
            .take_while(|at| !sentence.is(*at, &[",", "and", "und"]) || sentence.is(at + 1, DENIES))
            .any(|at| sentence.is(at, DENIES))
    };
    if sentence.is(at, &["negative", "negativ", "negatif", "negativen", "negatives"]) {
        return Some((Some((Exact::default(), true)), None, 1));
    }
    if sentence.is(at, &["positive", "positiv"]) {
        return Some((Some((Exact::default(), sentence.has(&["or zero", "non negative"]))), None, 1));
    }
    let zero = sentence.is(at, &["zero", "null"]);
    let number = sentence
        .pieces
        .get(at)
        .filter(|piece| piece.mark == Mark::Other)
        .and_then(|piece| piece.token.number())
        .or(zero.then(Exact::default))?;
    let negative = back(1, &["-", "−"])
        && at
            .checked_sub(2)
            .is_none_or(|at| sentence.pieces.get(at).is_none_or(|piece| piece.token.number().is_none()));
    let number = if negative { Exact::default().minus(number)? } else { number };
    let joined = |at: usize| {
        sentence.is(at, &["and", "to", "-", "–", "bis", "und", "through", "a", "et", "until", "y", "…", ".."])
    };
    let unit = usize::from(sentence.is(at + 1, &["%", "percent", "years", "°", "c", "kg", "eur", "€", "hours", "cm"]));
    let second = joined(at + 1 + unit).then(|| sentence.pieces.get(at + 2 + unit)?.token.number()).flatten();
    let only_range = back(1, &["between", "zwischen", "from", "von", "entre", "within"])
        || sentence.is(at + 1, &["to", "-", "–", "bis", "through", "until", "a"]);
    if let Some(high) = second.filter(|high| only_range && *high >= number) {
        return Some((Some((number, true)), Some((high, true)), 3 + unit));
    }
    let than = usize::from(back(1, &["than", "als", "que", "to", "of", "is"]));
    let near = |texts: &[&str]| back(1 + than, texts) || back(1, texts);
    let more = near(&[
        "more",
        "over",
        "above",
        "greater",
        ">",
        "exceed",
        "exceeds",
        "exceeding",
        "older",
        "higher",
        "larger",
        "uber",
        "mehr",
        "longer",
        "grosser",
        "bigger",
        "heavier",
    ]);
    let less = near(&[
        "less", "under", "below", "fewer", "<", "younger", "lower", "smaller", "unter", "weniger", "shorter", "kleiner",
    ]);
    let cue = at.saturating_sub(1 + than);
    let denied = denied_before(cue + 1);
    let asks_bad = sentence.says(FLAGS)
        && !sentence.says(&["must", "should", "may", "has", "muss", "soll", "darf", "need", "needs"]);
    let exceed = near(&["exceed", "exceeds"]);
    let out = denied || exceed || asks_bad;
    if near(&["least", "minimum", ">=", "≥", "mindestens", "min"])
        || sentence.is(at + 1, &["+"])
        || (sentence.is(at + 1, &["or"]) && sentence.is(at + 2, &["more", "older", "above", "higher", "over"]))
    {
        return Some((Some((number, true)), None, 1));
    }
    if near(&["most", "maximum", "<=", "≤", "hochstens", "max", "maximal"])
        || (sentence.is(at + 1, &["or"])
            && sentence.is(at + 2, &["less", "below", "under", "fewer", "younger", "lower"]))
        || (back(1, &["to"]) && back(2, &["up"]))
    {
        return Some((None, Some((number, true)), 1));
    }
    match (more, less) {
        (true, _) if out => Some((None, Some((number, true)), 1)),
        (true, _) => Some((Some((number, false)), None, 1)),
        (_, true) if out => Some((Some((number, true)), None, 1)),
        (_, true) => Some((None, Some((number, false)), 1)),
        _ => None,
    }
}

fn whole(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let wants = sentence.has(&[
        "whole number",
        "whole numbers",
        "integer",
        "integers",
        "no decimals",
        "ganze zahl",
        "ganze zahlen",
        "ganzzahlig",
        "no fractions",
        "half grades not exist",
        "no half",
        "no halves",
        "nombre entier",
        "nombres entiers",
    ]) || (sentence.says(&["half", "halves", "fractions"])
        && sentence.says(&["no", "not", "never", "without"]));
    let numeric = sentence.has(&[
        "numeric",
        "a number",
        "be numbers",
        "are numbers",
        "only numbers",
        "not a number",
        "not numbers",
        "must be number",
        "zahl sein",
        "no number",
    ]);
    if !wants && !numeric {
        return Vec::new();
    }
    let named: Vec<usize> = sentence
        .columns()
        .into_iter()
        .filter(|column| numeric || sentence.sheet.kind(*column) == Kind::Number)
        .collect();
    let columns = if named.is_empty() {
        topic.into_iter().chain(sentence.sheet.measures().first().copied()).take(1).collect()
    } else {
        named
    };
    columns.into_iter().map(|column| if wants { Rule::Whole(column) } else { Rule::Numeric(column) }).collect()
}

fn sequence(sentence: &Sentence<'_>) -> Vec<Rule> {
    let wants = sentence.has(&[
        "sequence",
        "consecutive",
        "gap",
        "gaps",
        "numbering",
        "fortlaufend",
        "luckenlos",
        "skipped",
        "without gaps",
        "running number",
        "running numbers",
        "continuous",
        "missing number",
        "missing numbers",
        "lucken",
        "lucke",
    ]);
    if !wants {
        return Vec::new();
    }
    let sheet = sentence.sheet;
    let numbered = |column: &usize| {
        sheet.kind(*column) == Kind::Number
            || sheet.table.cells(*column).iter().all(|cell| cell.ends_with(|c: char| c.is_ascii_digit()))
    };
    let column = sentence
        .columns()
        .into_iter()
        .find(|column| numbered(column))
        .or_else(|| (0..sheet.table.columns.len()).find(numbered));
    let numbers: Vec<Exact> = sentence
        .pieces
        .iter()
        .filter(|piece| piece.mark == Mark::Other)
        .filter_map(|piece| piece.token.number())
        .collect();
    let range = match numbers.as_slice() {
        [low, high] if low < high => Some((*low, *high)),
        _ => None,
    };
    column.map(|column| Rule::Sequence(column, range)).into_iter().collect()
}

fn rising(sentence: &Sentence<'_>) -> Vec<Rule> {
    let up = sentence.has(&[
        "go up",
        "goes up",
        "ascending",
        "increase",
        "increases",
        "increasing",
        "rise",
        "rises",
        "rising",
        "chronological",
        "chronologically",
        "in order",
        "never back",
        "jump back",
        "jumps back",
        "backwards",
        "aufsteigend",
        "monotonic",
        "never decrease",
        "sorted",
        "steigen",
        "go back",
        "goes back",
        "never go down",
        "never drop",
        "only grow",
        "only grows",
    ]);
    let down = sentence.has(&["descending", "go down only", "absteigend", "only decrease", "only fall"]);
    if !up && !down {
        return Vec::new();
    }
    let sheet = sentence.sheet;
    let named = sentence.columns().into_iter().find(|column| {
        sheet.kind(*column) != Kind::Text || sheet.table.cells(*column).iter().all(|cell| form::minutes(cell).is_some())
    });
    named
        .or_else(|| sheet.of_kind(Kind::Day).first().copied())
        .map(|column| Rule::Rising(column, !down))
        .into_iter()
        .collect()
}

fn unique(sentence: &Sentence<'_>) -> Vec<Rule> {
    let wants = sentence.has(&[
        "duplicate",
        "duplicates",
        "duplicated",
        "unique",
        "twice",
        "repeated",
        "double",
        "doubles",
        "doppelt",
        "doppelte",
        "doppelten",
        "more than once",
        "dubletten",
        "duplikate",
        "eindeutig",
        "en double",
        "doublons",
        "duplicados",
        "repeats",
        "several times",
        "only once",
        "appear once",
        "distinct",
        "duplicadas",
        "mehrfach",
        "same id",
        "dupes",
    ]);
    if !wants || sentence.has(&["spelling", "similar", "slightly", "fuzzy", "look alike", "almost the same"]) {
        return Vec::new();
    }
    let whole = sentence.has(&[
        "whole row",
        "row",
        "rows",
        "line",
        "lines",
        "entire",
        "every column",
        "all columns",
        "zeilen",
        "zeile",
        "identical",
        "records",
        "exact duplicates",
        "entries",
    ]);
    let sheet = sentence.sheet;
    let columns: Vec<usize> = sentence.columns();
    if columns.is_empty() || sentence.has(&["every column", "all columns", "whole row", "entire row"]) {
        if whole {
            return vec![Rule::Unique(Vec::new())];
        }
        let ids: Vec<usize> = crate::defaults::keys(sheet);
        return ids.into_iter().map(|column| Rule::Unique(vec![column])).chain([Rule::Unique(Vec::new())]).collect();
    }
    let together = sentence.has(&["combination", "same", "together", "combined", "pair", "pairs", "kombination"])
        && columns.len() > 1;
    if together {
        vec![Rule::Unique(columns)]
    } else {
        columns.into_iter().map(|column| Rule::Unique(vec![column])).collect()
    }
}

fn required(sentence: &Sentence<'_>) -> Vec<Rule> {
    let wants = sentence.has(&[
        "must have",
        "required",
        "mandatory",
        "missing",
        "empty",
        "blank",
        "blanks",
        "holes",
        "filled",
        "filled in",
        "incomplete",
        "complete",
        "fehlt",
        "fehlen",
        "fehlende",
        "leer",
        "leere",
        "pflicht",
        "pflichtfeld",
        "obligatoire",
        "obligatoires",
        "null",
        "no value",
        "manque",
        "manquantes",
        "obligatorio",
        "obligatorios",
        "must not be empty",
        "needs a",
        "need a",
        "has to have",
        "without a",
        "without an",
        "lacks",
        "lack",
        "vide",
        "faltan",
        "falta",
        "vacios",
        "every order must have",
        "unvollstandig",
        "ausgefullt",
        "lacking",
        "have no",
        "has no",
        "needs an",
    ]);
    if !wants || sentence.has(&["optional"]) && !sentence.has(&["mandatory", "required"]) {
        return Vec::new();
    }
    let sheet = sentence.sheet;
    let mut columns = sentence.columns();
    // `every order must have a customer`: the first column only says whose.
    let every = sentence
        .pieces
        .iter()
        .position(|piece| piece.says(&["every", "each", "jede", "jeder", "all", "chaque", "which", "any"]));
    if let Some(at) = every.filter(|_| {
        columns.len() > 1
            && sentence.has(&[
                "must have",
                "needs a",
                "needs an",
                "need a",
                "has to have",
                "without a",
                "without an",
                "lacks",
                "lack",
                "have no",
                "has no",
            ])
    }) && let Some(column) = sentence.column(at + 1)
    {
        columns.retain(|own| *own != column);
    }
    if columns.is_empty() {
        columns = (0..sheet.table.columns.len()).collect();
    }
    columns.into_iter().map(Rule::Required).collect()
}

/// `not in the future`, `after 1 January 2020`.
fn days(sentence: &Sentence<'_>, topic: Option<usize>, today: Option<Date>) -> Vec<Rule> {
    let sheet = sentence.sheet;
    let is_day = |column: usize| sheet.kind(column) == Kind::Day;
    let mut found = Vec::new();
    let place = |at: usize| {
        sentence
            .column_near(at, &is_day)
            .or(topic.filter(|column| is_day(*column)))
            .or_else(|| sheet.of_kind(Kind::Day).first().copied())
    };
    if sentence.has(&["future", "zukunft", "futur", "futuro"]) {
        let said = sentence
            .pieces
            .iter()
            .find_map(|piece| if let Sort::Day(day) = piece.token.sort { Some(day) } else { None });
        let columns: Vec<usize> = sentence.columns().into_iter().filter(|column| is_day(*column)).collect();
        let columns = if columns.is_empty() { sheet.of_kind(Kind::Day) } else { columns };
        if let Some(day) = said.or(today) {
            found.extend(columns.into_iter().map(|column| Rule::NotAfter(column, day)));
        }
        return found;
    }
    let denied = sentence.says(&["not", "no", "never", "cannot", "nicht", "can't"]);
    let bad = sentence.says(FLAGS) && !sentence.says(&["must", "should", "may", "muss"]);
    let all: Vec<(usize, Date)> = sentence
        .pieces
        .iter()
        .enumerate()
        .filter_map(|(at, piece)| if let Sort::Day(day) = piece.token.sort { Some((at, day)) } else { None })
        .collect();
    if let [(at, first), (_, last)] = all.as_slice()
        && let Some(column) = place(*at)
    {
        return vec![Rule::NotEarlier(column, *first), Rule::NotAfter(column, *last)];
    }
    for (at, day) in all {
        let before = |texts: &[&str]| (at.saturating_sub(2)..at).any(|at| sentence.is(at, texts));
        let Some(column) = place(at) else { continue };
        let early = before(&["before", "until", "till", "vor", "bis", "earlier"]);
        if early || before(&["after", "since", "from", "nach", "seit", "ab", "later"]) {
            found.push(if early != (denied || bad) {
                Rule::NotAfter(column, day)
            } else {
                Rule::NotEarlier(column, day)
            });
        }
    }
    found
}

const FORMS: &[(&[&str], &str, Form)] = &[
    (&["email", "emails", "mail", "mails", "mailadressen", "courriel", "correo"], "email", Form::Email),
    (
        &["phone", "phones", "telephone", "telefon", "telefonnummer", "telefonnummern", "mobile", "tel", "handynummer"],
        "phone",
        Form::Phone,
    ),
    (
        &["postcode", "postcodes", "zip", "zips", "plz", "postleitzahl", "postleitzahlen", "zipcode", "zipcodes"],
        "postcode",
        Form::Postcode(None),
    ),
    (&["iban", "ibans"], "iban", Form::Iban),
    (&["url", "urls", "website", "websites", "link", "links"], "url", Form::Url),
    (&["hex", "colour", "colours", "color", "colors"], "hex", Form::Hex),
    (&["isbn", "isbns"], "isbn", Form::Isbn),
    (&["ean", "eans", "gtin", "barcode", "barcodes"], "ean", Form::Ean),
    (&["card", "cards", "kreditkarte", "luhn"], "card", Form::Card),
    (&["ip", "ips"], "ip", Form::Ip),
    (&["uhrzeiten", "uhrzeit", "times", "clock"], "time", Form::Time),
    (&["dates", "datum", "daten", "date", "calendar", "datumsangaben", "fechas"], "date", Form::Day),
];

/// Words for forms that a sentence says, with the columns meant; none where there is no such column.
pub fn form_words(sentence: &Sentence<'_>) -> Vec<(&'static str, Form)> {
    let cues = [
        "valid",
        "typos",
        "incorrect",
        "mistyped",
        "gultig",
        "gultige",
        "format",
        "malformed",
        "wrong",
        "check",
        "validate",
        "correct",
        "like",
        "look",
        "looks",
        "well",
        "formed",
        "invalid",
        "prufen",
        "prufe",
        "real",
        "exist",
        "broken",
        "must",
        "be",
        "impossible",
        "right",
        "proper",
        "verify",
        "bad",
        "checksum",
        "typo",
        "syntax",
        "korrekt",
        "falsch",
        "possible",
        "not",
        "ungultig",
        "valide",
        "valides",
        "which",
        "any",
        "faulty",
        "validos",
    ];
    if !sentence.says(&cues) {
        return Vec::new();
    }
    let strong = sentence.says(&[
        "valid",
        "typo",
        "typos",
        "format",
        "malformed",
        "wrong",
        "check",
        "validate",
        "correct",
        "invalid",
        "syntax",
        "faulty",
        "gultig",
        "prufen",
        "prufe",
        "ok",
        "okay",
        "well",
    ]);
    let about = |name: &str| {
        strong && ["email", "phone", "postcode", "iban", "url", "isbn"].contains(&name) && defaults_of(sentence, name)
    };
    FORMS
        .iter()
        .filter(|(words, name, _)| sentence.says(words) || about(name))
        .map(|(_, name, form)| (*name, form.clone()))
        .collect()
}

/// Whether a sentence names a column of a kind.
fn defaults_of(sentence: &Sentence<'_>, name: &str) -> bool {
    let own = crate::defaults::columns_of(sentence.sheet, name);
    sentence.columns().iter().any(|column| own.contains(column))
}

fn forms(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let sheet = sentence.sheet;
    let named = sentence.columns();
    let country = sentence.pieces.iter().find_map(|piece| {
        if piece.is_word() {
            form::country(&piece.text).filter(|_| piece.text.len() > 2 || piece.text == "uk" || piece.text == "us")
        } else {
            None
        }
    });
    let place = |_: usize| named.first().copied().or(topic);
    if let Some(rule) =
        like(sentence).and_then(|form| Some(Rule::Form(place(0).or_else(|| shape_column(sheet, &form))?, form)))
    {
        return vec![rule];
    }
    let mut found = Vec::new();
    for (name, form) in form_words(sentence) {
        let form = if let Form::Postcode(_) = form { Form::Postcode(country) } else { form };
        let columns: Vec<usize> = match &form {
            Form::Time => (0..sheet.table.columns.len())
                .filter(|at| {
                    sheet.table.cells(*at).iter().any(|cell| cell.contains(':') && form::minutes(cell).is_some())
                })
                .collect(),
            Form::Day => {
                let own: Vec<usize> = named
                    .iter()
                    .copied()
                    .filter(|column| {
                        sheet.kind(*column) == Kind::Day || crate::defaults::is_day_name(sheet.name(*column))
                    })
                    .collect();
                if own.is_empty() {
                    sheet
                        .of_kind(Kind::Day)
                        .into_iter()
                        .chain(
                            (0..sheet.table.columns.len()).filter(|at| crate::defaults::is_day_name(sheet.name(*at))),
                        )
                        .collect()
                } else {
                    own
                }
            }
            Form::Hex => named
                .iter()
                .copied()
                .take(1)
                .chain(
                    (0..sheet.table.columns.len())
                        .filter(|at| sheet.table.cells(*at).iter().any(|cell| cell.starts_with('#'))),
                )
                .take(1)
                .collect(),
            _ => crate::defaults::columns_of(sheet, name)
                .into_iter()
                .chain(named.iter().copied().filter(|at| {
                    sheet.table.columns.len() == 1
                        || columns::name_words(sheet.name(*at)).iter().any(|word| word == name)
                }))
                .collect(),
        };
        for column in columns {
            let rule = Rule::Form(column, form.clone());
            if !found.contains(&rule) {
                found.push(rule);
            }
        }
    }
    found
}

/// A form by an example or by a count of digits.
fn like(sentence: &Sentence<'_>) -> Option<Form> {
    let lower = fold(&sentence.text);
    if lower.contains("yyyy-mm-dd") || lower.contains("iso 8601") || lower.contains("iso format") {
        return Some(Form::IsoDay);
    }
    if lower.contains("hh:mm") {
        return Some(Form::Time);
    }
    if sentence.says(&["hex"]) {
        return None;
    }
    for at in 0..sentence.pieces.len() {
        let Some(count) = sentence.pieces.get(at).and_then(|piece| {
            let digits = piece.token.number().and_then(|n| n.text().parse::<usize>().ok());
            digits.or_else(|| agent_common::number_words::cardinal(&piece.text).and_then(|n| usize::try_from(n).ok()))
        }) else {
            continue;
        };
        let digits = sentence.is(at + 1, &["digits", "digit", "stellen", "ziffern", "chiffres", "stellig"])
            || (sentence.is(at + 1, &["-"]) && sentence.is(at + 2, &["digit", "digits"]));
        let letters = (0..at).rev().take(5).any(|at| sentence.is(at, &["letters", "letter", "buchstaben"]));
        if digits && (1..=30).contains(&count) {
            let before = (0..at).rev().take(6).find_map(|at| {
                let n = sentence.pieces.get(at)?;
                let value =
                    n.token.number().and_then(|n| n.text().parse::<usize>().ok()).or_else(|| {
                        agent_common::number_words::cardinal(&n.text).and_then(|n| usize::try_from(n).ok())
                    })?;
                sentence
                    .is(
                        at + 1,
                        &["letters", "letter", "capital", "uppercase", "buchstaben", "grossbuchstaben", "capitals"],
                    )
                    .then_some(value)
            });
            return match before.filter(|_| {
                letters
                    || (0..at).any(|at| sentence.is(at, &["letters", "letter", "capital", "capitals", "buchstaben"]))
            }) {
                Some(letters) => {
                    let dash = if lower.contains("dash") || lower.contains("hyphen") || lower.contains("bindestrich") {
                        "-"
                    } else {
                        ""
                    };
                    Some(Form::Like(format!("{}{dash}{}", "A".repeat(letters), "9".repeat(count))))
                }
                None => Some(Form::Digits(count)),
            };
        }
    }
    let cue = ["like ", "format ", "form ", "pattern ", "look like ", "wie "]
        .iter()
        .find_map(|cue| sentence.text.find(cue).map(|at| at + cue.len()))?;
    let example = sentence.text.get(cue..)?.split_whitespace().find(|word| word.chars().any(|c| c.is_ascii_digit()))?;
    let example = example.trim_matches(|c: char| "\"'`.,;:()?!".contains(c));
    let fits = example.chars().any(|c| c.is_ascii_digit()) && example.len() > 2;
    fits.then(|| Form::Like(form::shape(example)))
}

fn shape_column(sheet: &Sheet, form: &Form) -> Option<usize> {
    let count = |column: usize| sheet.table.cells(column).iter().filter(|cell| form.fits(cell)).count();
    (0..sheet.table.columns.len()).filter(|column| count(*column) > 0).max_by_key(|column| count(*column))
}
