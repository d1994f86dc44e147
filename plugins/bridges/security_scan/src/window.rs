//! Where a pattern is tried: around its literals, never on the whole file.
//!
//! The windows of one pattern do not overlap, so they add up to the file at most; a budget bounds all patterns.

use std::ops::Range;

use crate::source::Source;

/// Bytes that are looked at before and after a literal on one line; lines of programs are shorter.
const BEFORE: usize = 300;
const AFTER: usize = 800;
/// Bytes of windows in one call. The pattern engine needs some 50 ns a byte, so this is about two seconds.
pub const MOST_WORK: usize = 40 * 1024 * 1024;

/// What is left of the work for one call.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: MOST_WORK }
    }
}

impl Budget {
    /// Takes the work of a window; false when there is not enough left.
    pub fn take(&mut self, bytes: usize) -> bool {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                true
            }
            None => {
                self.left = 0;
                false
            }
        }
    }

    /// Whether work was refused.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.left == 0
    }
}

/// The windows around places in order: the lines of each, `above` before it and `lines` after it, cut to a number of bytes when lines are very
/// long.
#[must_use]
pub fn windows(source: &Source, places: Vec<usize>, above: usize, lines: usize) -> Vec<Range<usize>> {
    let mut windows: Vec<Range<usize>> = Vec::new();
    for at in places {
        let line = source.line_of(at);
        let start = source.line_start(line.saturating_sub(above)).max(at.saturating_sub(BEFORE));
        let limit = at.saturating_add(AFTER * (lines + 1));
        let end = source.line_start(line + lines + 1).min(limit).min(source.text.len());
        let (start, end) = (floor(&source.text, start), floor(&source.text, end));
        match windows.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => windows.push(start..end),
        }
    }
    windows
}

/// The last character boundary at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_apart_and_inside() {
        let text = "é eval\n".repeat(50) + &"x".repeat(5_000) + "eval" + &"é".repeat(5_000);
        let source = Source::new(String::new(), text.clone(), None);
        let windows = windows(&source, text.match_indices("eval").map(|(at, _)| at).collect(), 0, 1);
        assert!(windows.iter().zip(windows.iter().skip(1)).all(|(a, b)| a.end < b.start));
        assert!(windows.iter().all(|window| text.get(window.clone()).is_some()));
        assert!(windows.iter().map(|window| window.len()).sum::<usize>() < 5_000);
    }

    #[test]
    fn the_budget_ends() {
        let mut budget = Budget::default();
        assert!(budget.take(MOST_WORK) && !budget.take(1) && budget.is_used_up());
    }
}
