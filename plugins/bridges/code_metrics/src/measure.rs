//! Puts tokens, functions and complexities together into the metrics of files.

use std::collections::BTreeSet;

use crate::complexity::{Complexity, measure};
use crate::duplicate;
use crate::function::{Span, find};
use crate::input::{Input, MOST_TOKENS};
use crate::language::Language;
use crate::output::{Duplicate, FileMetrics, Function, Hotspot, Metrics, Place, Totals};
use crate::token::{self, Token, Tokens};

/// Functions and duplicates listed unless the caller says otherwise.
const LISTED: usize = 200;
/// Characters of a name that are shown.
const NAME_SHOWN: usize = 80;

/// A file to measure.
pub struct File {
    pub path: String,
    pub text: String,
    pub language: Language,
}

/// Measures files; none when they have more than [`MOST_TOKENS`].
#[must_use]
pub fn metrics(files: &[File], input: &Input) -> Option<Metrics> {
    let mut left = MOST_TOKENS;
    let mut read: Vec<Tokens<'_>> = Vec::with_capacity(files.len());
    for file in files {
        let tokens = token::read(&file.text, file.language, left);
        left = left.checked_sub(tokens.tokens.len())?;
        read.push(tokens);
    }
    let mut functions: Vec<Function> = Vec::new();
    let mut measured = Vec::new();
    for (file, tokens) in files.iter().zip(&read) {
        let (own, rest) = of_file(file, &tokens.tokens);
        measured.push(FileMetrics {
            path: file.path.clone(),
            language: file.language,
            code_lines: tokens.code_lines,
            comment_lines: tokens.comment_lines,
            blank_lines: tokens.blank_lines,
            functions: own.len(),
            cyclomatic: own.iter().map(|function| function.cyclomatic).sum::<usize>() + rest.decisions,
            cognitive: own.iter().map(|function| function.cognitive).sum::<usize>() + rest.cognitive,
        });
        functions.extend(own);
    }
    functions.sort_by(|a, b| {
        (b.cognitive, b.cyclomatic, b.code_lines)
            .cmp(&(a.cognitive, a.cyclomatic, a.code_lines))
            .then_with(|| (&a.path, a.line).cmp(&(&b.path, b.line)))
    });
    let all: Vec<Vec<Token<'_>>> = read.into_iter().map(|tokens| tokens.tokens).collect();
    let (duplicates, twice) = duplicates(files, &all, input.duplicate_tokens.unwrap_or(60) as usize);
    let totals = totals(&measured, &functions, twice);
    let hotspots = hotspots(&functions, input);
    let max_listed = input.max_listed.map_or(LISTED, |max| max as usize);
    functions.truncate(max_listed);
    let mut metrics = Metrics { totals, files: measured, functions, hotspots, duplicates };
    metrics.hotspots.truncate(max_listed);
    metrics.duplicates.truncate(max_listed);
    Some(metrics)
}

/// Functions of a file, and the complexity of what lies outside them.
fn of_file(file: &File, tokens: &[Token<'_>]) -> (Vec<Function>, Complexity) {
    let spans = find(tokens, file.language);
    // The innermost function of each token.
    let mut owners: Vec<Option<usize>> = vec![None; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut next = spans.iter().enumerate().peekable();
    for (place, owner) in owners.iter_mut().enumerate() {
        while open.last().and_then(|span| spans.get(*span)).is_some_and(|span| span.end <= place) {
            open.pop();
        }
        while let Some((index, _)) = next.next_if(|(_, span)| span.start <= place) {
            open.push(index);
        }
        *owner = open.last().copied();
    }
    let mut owned: Vec<Vec<&Token<'_>>> = vec![Vec::new(); spans.len()];
    let mut outside: Vec<&Token<'_>> = Vec::new();
    for (token, (place, owner)) in tokens.iter().zip(owners.iter().enumerate()) {
        match owner.and_then(|owner| Some((spans.get(owner)?, owned.get_mut(owner)?))) {
            Some((span, list)) if place >= span.body => list.push(token),
            Some(_) => {}
            None => outside.push(token),
        }
    }
    let lines = Lines::of(tokens);
    let functions = spans.iter().zip(&owned).map(|(span, owned)| function(file, tokens, &lines, span, owned)).collect();
    (functions, measure(&outside, file.language, None))
}

/// For each token, on how many lines tokens begin or end up to it: lines of a range without walking through it, as
/// functions lie in functions.
struct Lines(Vec<usize>);

impl Lines {
    fn of(tokens: &[Token<'_>]) -> Self {
        let mut last = None;
        let count = |sum: &mut usize, token: &Token<'_>| {
            *sum += usize::from(last != Some(token.line)) + usize::from(token.line != token.end_line);
            last = Some(token.end_line);
            Some(*sum)
        };
        Self(tokens.iter().scan(0, count).collect())
    }

    /// Lines on which tokens of the range begin or end.
    fn within(&self, tokens: &[Token<'_>], start: usize, end: usize) -> usize {
        let up_to = |end: usize| end.checked_sub(1).and_then(|last| self.0.get(last)).copied().unwrap_or(0);
        let before = start.checked_sub(1).and_then(|before| tokens.get(before)).map(|token| token.end_line);
        let shared = before.is_some() && before == tokens.get(start).map(|token| token.line);
        if start < end { up_to(end).saturating_sub(up_to(start)) + usize::from(shared) } else { 0 }
    }
}

fn function(file: &File, tokens: &[Token<'_>], lines: &Lines, span: &Span, own: &[&Token<'_>]) -> Function {
    let complexity = measure(own, file.language, Some(&span.name));
    let range = tokens.get(span.start..span.end).unwrap_or_default();
    Function {
        path: file.path.clone(),
        name: span.name.chars().take(NAME_SHOWN).collect(),
        line: range.first().map_or(1, |token| token.line),
        end_line: range.last().map_or(1, |token| token.end_line),
        code_lines: lines.within(tokens, span.start, span.end),
        cyclomatic: 1 + complexity.decisions,
        cognitive: complexity.cognitive,
        nesting: complexity.nesting,
        parameters: span.parameters,
    }
}

/// Duplicates, and how many lines lie in any of them.
fn duplicates(files: &[File], tokens: &[Vec<Token<'_>>], window: usize) -> (Vec<Duplicate>, usize) {
    let mut lines: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut duplicates = Vec::new();
    for twin in duplicate::find(tokens, window) {
        let mut place = |(file, at): (usize, usize)| {
            let range = tokens.get(file).and_then(|tokens| tokens.get(at..at + twin.tokens)).unwrap_or_default();
            lines.extend(range.iter().map(|token| (file, token.line)));
            Place {
                path: files.get(file).map_or_else(String::new, |file| file.path.clone()),
                line: range.first().map_or(1, |token| token.line),
                end_line: range.last().map_or(1, |token| token.end_line),
            }
        };
        let (first, second) = (place(twin.first), place(twin.second));
        duplicates.push(Duplicate { tokens: twin.tokens, lines: second.end_line + 1 - second.line, first, second });
    }
    (duplicates, lines.len())
}

fn totals(files: &[FileMetrics], functions: &[Function], twice: usize) -> Totals {
    let sum = |pick: fn(&FileMetrics) -> usize| files.iter().map(pick).sum::<usize>();
    let code_lines = sum(|file| file.code_lines);
    let cyclomatic: usize = functions.iter().map(|function| function.cyclomatic).sum();
    let share = |part: usize, whole: usize| (1e4 * part as f64 / whole.max(1) as f64).round() / 1e4;
    Totals {
        files: files.len(),
        code_lines,
        comment_lines: sum(|file| file.comment_lines),
        blank_lines: sum(|file| file.blank_lines),
        functions: functions.len(),
        mean_cyclomatic: share(cyclomatic, functions.len()),
        most_cyclomatic: functions.iter().map(|function| function.cyclomatic).max().unwrap_or(0),
        most_cognitive: functions.iter().map(|function| function.cognitive).max().unwrap_or(0),
        duplicated_share: share(twice, code_lines).min(1.0),
    }
}

fn hotspots(functions: &[Function], input: &Input) -> Vec<Hotspot> {
    let bound = |given: Option<u32>, usual: usize| given.map_or(usual, |given| given as usize);
    let bounds = [bound(input.cyclomatic_max, 10), bound(input.cognitive_max, 15), bound(input.lines_max, 60)];
    let one = |function: &Function| {
        let values =
            [("cyclomatic", function.cyclomatic), ("cognitive", function.cognitive), ("lines", function.code_lines)];
        let above: Vec<(&'static str, usize, usize)> = values
            .into_iter()
            .zip(bounds)
            .filter(|((_, value), bound)| value > bound)
            .map(|((name, value), bound)| (name, value, bound))
            .collect();
        let reasons = above.iter().map(|(name, value, bound)| format!("{name} {value} is above {bound}")).collect();
        let excess = |entry: &(&str, usize, usize)| entry.1 as f64 / entry.2.max(1) as f64;
        let (measure, value, bound) = above.into_iter().max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
        Some(Hotspot {
            path: function.path.clone(),
            name: function.name.clone(),
            line: function.line,
            measure,
            value,
            bound,
            reasons,
        })
    };
    let mut hotspots: Vec<Hotspot> = functions.iter().filter_map(one).collect();
    let excess = |spot: &Hotspot| spot.value as f64 / spot.bound.max(1) as f64;
    hotspots.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    hotspots
}
