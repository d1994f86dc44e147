//! The answer.

use bridge_common::Source;
use schemars::JsonSchema;
use serde::Serialize;

use crate::language::Language;

/// Metrics of source code.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Output {
    pub result: Metrics,
    /// How it was measured.
    pub method: &'static str,
    /// Always empty: no data set stands behind this answer, only the caller's source.
    pub data: Vec<Source>,
    /// What to bear in mind.
    pub limitations: Vec<String>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Metrics {
    pub totals: Totals,
    pub files: Vec<FileMetrics>,
    /// The most complex first (cognitive, then cyclomatic, then length).
    pub functions: Vec<Function>,
    /// Functions above a bound, the farthest above first.
    pub hotspots: Vec<Hotspot>,
    /// Stretches of equal tokens, the longest first.
    pub duplicates: Vec<Duplicate>,
}

/// Sums over all files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Totals {
    pub files: usize,
    /// Lines with code; lines with nothing but comments; empty lines.
    pub code_lines: usize,
    pub comment_lines: usize,
    pub blank_lines: usize,
    pub functions: usize,
    /// Mean over the functions; 0 without functions.
    pub mean_cyclomatic: f64,
    pub most_cyclomatic: usize,
    pub most_cognitive: usize,
    /// Share of the lines with code that lie in a duplicate, 0 to 1.
    pub duplicated_share: f64,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileMetrics {
    /// Empty when none was given.
    pub path: String,
    pub language: Language,
    pub code_lines: usize,
    pub comment_lines: usize,
    pub blank_lines: usize,
    pub functions: usize,
    /// Of all functions together, and of code outside functions.
    pub cyclomatic: usize,
    pub cognitive: usize,
}

/// A function, method, or named closure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Function {
    pub path: String,
    pub name: String,
    /// First and last line, from 1.
    pub line: usize,
    pub end_line: usize,
    /// Lines with code.
    pub code_lines: usize,
    /// 1 and one for each decision: if, loop, case, catch, conditional expression, and, or.
    pub cyclomatic: usize,
    /// After Campbell (SonarSource 2018): breaks in the flow count more the deeper they are nested.
    pub cognitive: usize,
    /// Deepest nesting of control structures.
    pub nesting: usize,
    pub parameters: usize,
}

/// A function above a bound.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hotspot {
    pub path: String,
    pub name: String,
    pub line: usize,
    /// The measure farthest above its bound, relative to it: cyclomatic, cognitive or lines.
    pub measure: &'static str,
    pub value: usize,
    pub bound: usize,
    /// Every bound that is passed, in words.
    pub reasons: Vec<String>,
}

/// The same tokens in two places.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Duplicate {
    pub tokens: usize,
    pub lines: usize,
    pub first: Place,
    pub second: Place,
}

/// Where.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Place {
    pub path: String,
    /// First and last line, from 1.
    pub line: usize,
    pub end_line: usize,
}
