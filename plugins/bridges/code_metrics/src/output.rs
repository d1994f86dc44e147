//! The answer.

use bridge_common::Report;
use schemars::JsonSchema;
use serde::Serialize;

use crate::language::Language;

/// The answer of this bridge.
pub type Output = Report<Metrics>;

/// Size, complexity and duplicates of the source code.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Metrics {
    pub totals: Totals,
    /// Each file, in the order given.
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
    /// Files measured.
    pub files: usize,
    /// Lines with code.
    pub code_lines: usize,
    /// Lines with nothing but comments; docstrings of Python are comments.
    pub comment_lines: usize,
    /// Empty lines.
    pub blank_lines: usize,
    /// Functions, methods and named closures.
    pub functions: usize,
    /// Mean cyclomatic complexity of the functions; 0 without functions.
    pub mean_cyclomatic: f64,
    /// Highest cyclomatic complexity of a function; 0 without functions.
    pub most_cyclomatic: usize,
    /// Highest cognitive complexity of a function; 0 without functions.
    pub most_cognitive: usize,
    /// Share of the lines with code that lie in a duplicate, 0 to 1.
    pub duplicated_share: f64,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileMetrics {
    /// Empty when none was given.
    pub path: String,
    /// The language that it was measured as.
    pub language: Language,
    /// Lines with code.
    pub code_lines: usize,
    /// Lines with nothing but comments; docstrings of Python are comments.
    pub comment_lines: usize,
    /// Empty lines.
    pub blank_lines: usize,
    /// Functions, methods and named closures.
    pub functions: usize,
    /// Cyclomatic complexity of all functions together, and of code outside functions.
    pub cyclomatic: usize,
    /// Cognitive complexity of the same.
    pub cognitive: usize,
}

/// A function, method, or named closure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Function {
    /// Path of its file; empty when none was given.
    pub path: String,
    /// Its name.
    pub name: String,
    /// First line, from 1.
    pub line: usize,
    /// Last line, from 1.
    pub end_line: usize,
    /// Lines with code.
    pub code_lines: usize,
    /// 1 and one for each decision: if, loop, case, catch, conditional expression, and, or.
    pub cyclomatic: usize,
    /// After Campbell (SonarSource 2018): breaks in the flow count more the deeper they are nested.
    pub cognitive: usize,
    /// Deepest nesting of control structures; 0 without any.
    pub nesting: usize,
    /// Parameters that it declares.
    pub parameters: usize,
}

/// A function above a bound.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Hotspot {
    /// Path of its file; empty when none was given.
    pub path: String,
    /// Its name.
    pub name: String,
    /// First line, from 1.
    pub line: usize,
    /// The measure farthest above its bound, relative to it: cyclomatic, cognitive or lines.
    pub measure: &'static str,
    /// What was measured.
    pub value: usize,
    /// The bound: `cyclomatic_max`, `cognitive_max` or `lines_max`.
    pub bound: usize,
    /// Every bound that is passed, in words.
    pub reasons: Vec<String>,
}

/// The same tokens in two places.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Duplicate {
    /// Tokens that are equal.
    pub tokens: usize,
    /// Lines of the first place.
    pub lines: usize,
    /// Where it stands first.
    pub first: Place,
    /// Where it stands again.
    pub second: Place,
}

/// Where.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Place {
    /// Path of the file; empty when none was given.
    pub path: String,
    /// First line, from 1.
    pub line: usize,
    /// Last line, from 1.
    pub end_line: usize,
}
