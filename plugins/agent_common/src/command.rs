//! Commands in words: a closed list of clauses, in which every word of an instruction is
//! accounted for.
//!
//! An agent publishes its clauses in `commands.md`, which is also their source: each line
//! that begins with `- ` has a name, a pattern and its meaning:
//!
//! ```text
//! - sum: `(sum|total) [of] {what:column}` Sums a column.
//! ```
//!
//! `(a|b)` is a choice, `[a]` can be left out, `{slot:kind}` is a value. [`Grammar::read`]
//! covers an instruction with clauses, in any order. Names that begin with a dot set members
//! of the typed input ([`crate::assignment`]). If a word is left over, the agent
//! must not answer: [`Reading::unread`] names it, and the clauses that were found fill the
//! typed input that the refusal proposes.

use serde_json::Value;

use crate::assignment;
use crate::lexer::{self, Kind, Token};

/// Longest instruction that is read, in tokens.
const TOKENS_MAX: usize = 160;
/// Most ways in which one pattern may match from one token.
const MATCHES_MAX: usize = 48;

/// The reader of an agent's slots: which tokens are a column of the table at hand, a
/// language, a label.
pub trait Slots {
    /// Returns all ways to read a slot of `kind` from the first token on: how many tokens
    /// it takes and the value. The preferred way comes first.
    fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)>;
}

/// A match of a clause.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The name of the clause.
    pub clause: String,
    /// The values of its slots, in order.
    pub slots: Vec<(String, Value)>,
}

impl Match {
    /// Returns the value of a slot.
    pub fn value(&self, slot: &str) -> Option<&Value> {
        self.slots.iter().find(|(name, _)| name == slot).map(|(_, value)| value)
    }

    /// Returns the value of a slot as text; empty if the slot is absent or not a text.
    pub fn text(&self, slot: &str) -> String {
        self.value(slot).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Returns the value of a slot as a whole number.
    pub fn count(&self, slot: &str) -> Option<u32> {
        self.value(slot)?.as_u64().and_then(|count| u32::try_from(count).ok())
    }

    /// Returns the numbers of a slot that holds a list.
    pub fn numbers(&self, slot: &str) -> Vec<f64> {
        let list = self.value(slot).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_f64).collect()
    }

    /// Returns the texts of a slot that holds a list.
    pub fn texts(&self, slot: &str) -> Vec<String> {
        let list = self.value(slot).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// An instruction, covered with clauses as far as possible.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// The clauses, in the order of the instruction.
    pub found: Vec<Match>,
    /// Words that belong to no clause, as written. An answer may be given only if there
    /// are none.
    pub unread: Vec<String>,
}

impl Reading {
    /// Returns all matches of the clauses with this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Match> {
        self.found.iter().filter(move |found| found.clause == name)
    }

    /// Returns the only match of the clauses with this name; an error names the clause if
    /// it occurs twice with different content.
    pub fn one(&self, name: &str) -> Result<Option<&Match>, String> {
        let mut all = self.found.iter().filter(|found| found.clause == name);
        let first = all.next();
        match all.find(|next| Some(*next) != first) {
            Some(_) => Err(format!("the task has two different `{name}` clauses; keep one")),
            None => Ok(first),
        }
    }
}

/// The clauses of an agent, ready to read instructions.
#[derive(Debug)]
pub struct Grammar {
    clauses: Vec<Clause>,
}

#[derive(Debug)]
struct Clause {
    name: String,
    /// Members of the typed input that the clause sets; see [`crate::assignment`].
    constants: Vec<(String, Value)>,
    pattern: Vec<Part>,
}

impl Clause {
    fn new(name: &str, pattern: &str) -> Self {
        let (name, constants) = assignment::constants(name);
        Self { name, constants, pattern: parts(pattern) }
    }

    /// Returns where the clause can end that begins at a token, with its match.
    fn matches(&self, tokens: &[Token], at: usize, slots: &dyn Slots) -> impl Iterator<Item = (usize, Match)> {
        matches(&self.pattern, tokens, at, slots).into_iter().map(|(end, mut slots)| {
            slots.extend(self.constants.iter().cloned());
            (end, Match { clause: self.name.clone(), slots })
        })
    }
}

#[derive(Debug, Clone)]
enum Part {
    Word(String),
    Any(Vec<Vec<Self>>),
    Slot { name: String, kind: String },
}

/// Courtesy that carries no meaning. Every agent accepts it.
const COURTESY: &str = "[hi|hello|dear all] (please|thanks|thank you|thanks a lot|thx|pls|hi|hello|cheers|kindly|can you|could you|would you|i want to|i want|i need to|i need|i would like to|i would like|give me|show me|tell me|show|list|find|compute|calculate)";
/// The name of the clause of courtesy, which no agent looks up.
const COURTESY_NAME: &str = "courtesy";

type Slotted = Vec<(String, Value)>;

impl Grammar {
    /// Returns the grammar of a published list. Clauses that come first are preferred.
    pub fn new(commands: &str) -> Self {
        let own = commands.lines().filter_map(|line| {
            let (name, rest) = line.strip_prefix("- ")?.split_once(": `")?;
            let (pattern, _) = rest.split_once('`')?;
            Some(Clause::new(name, pattern))
        });
        Self { clauses: own.chain([Clause::new(COURTESY_NAME, COURTESY)]).collect() }
    }

    /// Covers an instruction with clauses so that as few words as possible are left over,
    /// then with as few clauses as possible. Marks between clauses and `and` belong to
    /// no clause.
    pub fn read(&self, instruction: &str, slots: &dyn Slots) -> Reading {
        let tokens = lexer::tokens(instruction);
        if tokens.len() > TOKENS_MAX {
            return Reading { found: Vec::new(), unread: vec!["an instruction of more than 160 words".into()] };
        }
        let mut best: Vec<Cover> = vec![Cover::default(); tokens.len() + 1];
        for at in (0..tokens.len()).rev() {
            let cover = self.best_from(at, &tokens, &best, slots);
            if let Some(place) = best.get_mut(at) {
                *place = cover;
            }
        }
        let mut reading = Reading::default();
        let mut at = 0;
        while let Some(cover) = best.get(at).filter(|_| at < tokens.len()) {
            match &cover.found {
                Some(found) if found.clause == COURTESY_NAME => {}
                Some(found) => reading.found.push(found.clone()),
                None if cover.skips => {
                    reading.unread.extend(tokens.get(at).map(|token| token.text.clone()));
                }
                None => {}
            }
            at = cover.next.max(at + 1);
        }
        reading
    }

    fn best_from(&self, at: usize, tokens: &[Token], best: &[Cover], slots: &dyn Slots) -> Cover {
        let after = |end: usize| best.get(end).map_or((0, 0), |cover| (cover.left, cover.clauses));
        let (left, clauses) = after(at + 1);
        // A dash before a number can be its sign, so it must belong to a clause.
        let number = tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Number);
        let dash = |token: &Token| matches!(token.text.as_str(), "-" | "–" | "—");
        let glue = tokens.get(at).is_some_and(|token| token.is_glue() && !(number && dash(token)));
        let mut chosen = Cover { left: left + usize::from(!glue), clauses, next: at + 1, skips: !glue, found: None };
        for (end, found) in self.clauses.iter().flat_map(|clause| clause.matches(tokens, at, slots)) {
            let (left, clauses) = after(end);
            if end > at && (left, clauses + 1) < (chosen.left, chosen.clauses) {
                chosen = Cover { left, clauses: clauses + 1, next: end, skips: false, found: Some(found) };
            }
        }
        chosen
    }

    /// Returns the matches of all clauses that begin with the first token.
    pub(crate) fn starts(&self, tokens: &[Token], slots: &dyn Slots) -> Vec<(usize, Match)> {
        let own = self.clauses.iter().filter(|clause| clause.name != COURTESY_NAME);
        own.flat_map(|clause| clause.matches(tokens, 0, slots)).collect()
    }
}

/// The best way to cover the tokens from one on.
#[derive(Debug, Clone, Default)]
struct Cover {
    left: usize,
    clauses: usize,
    next: usize,
    skips: bool,
    found: Option<Match>,
}

/// Returns where a pattern can end that begins at a token, with the values of its slots.
fn matches(pattern: &[Part], tokens: &[Token], at: usize, slots: &dyn Slots) -> Vec<(usize, Slotted)> {
    let Some((part, rest)) = pattern.split_first() else { return vec![(at, Vec::new())] };
    let mut found = Vec::new();
    for (end, values) in part_matches(part, tokens, at, slots) {
        for (last, more) in matches(rest, tokens, end, slots) {
            let all: Slotted = values.iter().cloned().chain(more).collect();
            if found.len() < MATCHES_MAX {
                found.push((last, all));
            }
        }
    }
    found
}

fn part_matches(part: &Part, tokens: &[Token], at: usize, slots: &dyn Slots) -> Vec<(usize, Slotted)> {
    match part {
        Part::Word(word) => {
            let same = tokens.get(at).is_some_and(|token| token.kind != Kind::Quoted && token.lower == *word);
            if same { vec![(at + 1, Vec::new())] } else { Vec::new() }
        }
        Part::Any(branches) => branches.iter().flat_map(|branch| matches(branch, tokens, at, slots)).collect(),
        Part::Slot { name, kind } => {
            let here = tokens.get(at..).unwrap_or_default();
            let read = if here.is_empty() { Vec::new() } else { slots.read(kind, here) };
            let within = read.into_iter().filter(|(length, _)| *length > 0 && *length <= here.len());
            let member = |value| if name.starts_with('.') { assignment::member(kind, value) } else { value };
            within.map(|(length, value)| (at + length, vec![(name.clone(), member(value))])).collect()
        }
    }
}

/// Returns the parts of a pattern. Patterns are constants of the agents, which a test
/// reads; a bracket that is not closed ends with the pattern.
fn parts(pattern: &str) -> Vec<Part> {
    let mut in_slot = false;
    let spaced = pattern.chars().flat_map(|c| {
        in_slot = c == '{' || (in_slot && c != '}');
        // The brackets in `{.names[]:quoted}` belong to the name.
        if "()[]|".contains(c) && !in_slot { vec![' ', c, ' '] } else { vec![c] }
    });
    let spaced: String = spaced.collect();
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    branches(&words, &mut at).into_iter().next().unwrap_or_default()
}

/// Reads alternatives up to the closing bracket.
fn branches(words: &[&str], at: &mut usize) -> Vec<Vec<Part>> {
    let mut all = vec![Vec::new()];
    while let Some(word) = words.get(*at) {
        *at += 1;
        let part = match *word {
            ")" | "]" => break,
            "|" => {
                all.push(Vec::new());
                continue;
            }
            "(" => Part::Any(branches(words, at)),
            "[" => {
                let mut inner = branches(words, at);
                inner.push(Vec::new());
                Part::Any(inner)
            }
            word => match word.strip_prefix('{').and_then(|slot| slot.strip_suffix('}')) {
                Some(slot) => {
                    let (name, kind) = slot.split_once(':').unwrap_or((slot, slot));
                    Part::Slot { name: name.to_owned(), kind: kind.to_owned() }
                }
                None => Part::Word(word.to_lowercase()),
            },
        };
        if let Some(last) = all.last_mut() {
            last.push(part);
        }
    }
    all
}

/// Returns the examples of a published list: the fenced blocks of its text, which
/// [`crate::testing`] checks.
pub fn examples(commands: &str) -> Vec<&str> {
    commands.split("```\n").skip(1).step_by(2).map(str::trim_end).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::slots::Common;

    const COMMANDS: &str = "
- sum: `(sum|total) [of] [the] {what:name}` Sums a column.
- key: `(by|per) {key:name}` Groups.
- top: `top {n:count}` Keeps the first groups.
- limit: `(over|above|more than) {n:number}` Keeps rows above a limit.
";

    /// Columns of a table, besides the common kinds.
    struct Columns;

    impl Slots for Columns {
        fn read(&self, kind: &str, tokens: &[Token]) -> Vec<(usize, Value)> {
            if kind == "name" {
                return crate::slots::longest(&["unit price", "price", "region"], tokens);
            }
            Common.read(kind, tokens)
        }
    }

    fn read(text: &str) -> Reading {
        Grammar::new(COMMANDS).read(text, &Columns)
    }

    #[test]
    fn clauses_cover_an_instruction_in_any_order() {
        for text in ["Sum of the unit price by region, top 3", "top three: total unit_price per Region, please!"] {
            let reading = read(text);
            assert_eq!(reading.unread, Vec::<String>::new(), "{text}");
            let sum = reading.one("sum").unwrap().unwrap();
            assert_eq!(sum.text("what"), "unit price", "{text}");
            assert_eq!(reading.one("key").unwrap().unwrap().text("key"), "region", "{text}");
            assert_eq!(reading.one("top").unwrap().unwrap().count("n"), Some(3), "{text}");
        }
    }

    #[test]
    fn every_word_that_belongs_to_no_clause_is_named() {
        let reading = read("sum of price by region without the returns over 5.50");
        assert_eq!(reading.unread, ["without", "the", "returns"]);
        assert_eq!(reading.one("limit").unwrap().unwrap().value("n"), Some(&json!("5.50")));
        assert_eq!(read("sum of tax").unread, ["sum", "of", "tax"]);
    }

    #[test]
    fn a_dash_before_a_number_is_no_mark_between_clauses() {
        let grammar = Grammar::new("- points: `{n:number} points` Gives points.");
        let points = |text: &str| {
            let reading = grammar.read(text, &Common);
            (reading.found.first().map(|found| found.text("n")), reading.unread.len())
        };
        assert_eq!(points("-5 points"), (Some("-5".to_owned()), 0));
        assert_eq!(points("– 5 points").1, 1);
    }

    #[test]
    fn two_clauses_of_one_name_must_agree() {
        assert!(read("sum of price by region and by price").one("key").is_err());
        assert!(read("top 3, top 3").one("top").is_ok());
    }

    #[test]
    fn no_text_makes_the_reader_fail() {
        let mut seed = 7_u64;
        let pieces = ["sum", "of", "\"", "(", "price", "1.2.3", "’", "by", "\n", "🙂", "top", "-", "and", "%"];
        for _ in 0..3_000 {
            let mut text = String::new();
            for _ in 0..20 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let piece = pieces.get(usize::try_from(seed >> 33).unwrap_or(0) % pieces.len());
                text.push_str(piece.unwrap_or(&""));
                text.push_str(if seed.is_multiple_of(3) { "" } else { " " });
            }
            let words = lexer::tokens(&text).len();
            assert!(read(&text).unread.len() <= words, "{text}");
        }
    }
}
