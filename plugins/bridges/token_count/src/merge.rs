//! Byte-pair encoding of one piece: the adjacent pair with the lowest rank is joined first, the left one of equals.
//!
//! Invariant: n bytes take at most n joins, each found in logarithmic time; the tokens put together are the piece.

use std::{cmp::Reverse, collections::BinaryHeap};

/// No neighbour.
const NONE: usize = usize::MAX;

/// A part of the piece; parts that were joined into others are empty.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    before: usize,
    after: usize,
}

/// The tokens of a piece as ranges of bytes.
pub fn tokens(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> Vec<std::ops::Range<usize>> {
    let mut parts: Vec<Part> = (0..piece.len())
        .map(|at| Part {
            start: at,
            end: at.saturating_add(1),
            before: at.checked_sub(1).unwrap_or(NONE),
            after: if at.saturating_add(1) < piece.len() { at.saturating_add(1) } else { NONE },
        })
        .collect();
    let joined = |parts: &[Part], left: usize| -> Option<(u32, usize, usize)> {
        let first = parts.get(left)?;
        let second = parts.get(first.after)?;
        rank(piece.get(first.start..second.end)?).map(|rank| (rank, left, second.end))
    };
    let mut waiting: BinaryHeap<Reverse<(u32, usize, usize)>> =
        (0..parts.len()).filter_map(|left| joined(&parts, left)).map(Reverse).collect();
    while let Some(Reverse((_, left, end))) = waiting.pop() {
        // A pair whose parts have changed since is no pair any more; one with the same ends has the same bytes.
        let now = parts.get(left).and_then(|part| parts.get(part.after)).map(|second| second.end);
        if now != Some(end) {
            continue;
        }
        join(&mut parts, left);
        let before = parts.get(left).map_or(NONE, |part| part.before);
        waiting.extend([before, left].into_iter().filter_map(|left| joined(&parts, left)).map(Reverse));
    }
    parts.iter().filter(|part| part.end > part.start).map(|part| part.start..part.end).collect()
}

/// Joins a part with the one after it.
fn join(parts: &mut [Part], left: usize) {
    let Some(right) = parts.get(left).map(|part| part.after) else { return };
    let Some(gone) = parts.get(right).copied() else { return };
    if let Some(part) = parts.get_mut(left) {
        part.end = gone.end;
        part.after = gone.after;
    }
    if let Some(part) = parts.get_mut(gone.after) {
        part.before = left;
    }
    if let Some(part) = parts.get_mut(right) {
        *part = Part { start: gone.start, end: gone.start, before: NONE, after: NONE };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The plain way: look for the lowest pair over and over.
    fn plainly(piece: &[u8], rank: impl Fn(&[u8]) -> Option<u32>) -> Vec<Vec<u8>> {
        let mut parts: Vec<Vec<u8>> = piece.iter().map(|byte| vec![*byte]).collect();
        loop {
            let pairs =
                parts.windows(2).enumerate().filter_map(|(at, pair)| rank(&pair.concat()).map(|rank| (rank, at)));
            let Some((_, at)) = pairs.min() else { return parts };
            let right = parts.remove(at + 1);
            parts[at].extend(right);
        }
    }

    proptest! {
        #[test]
        fn as_the_plain_way(piece in "[ab]{0,40}", ranks in prop::collection::hash_map("[ab]{2,5}", 0u32..50, 0..30)) {
            // Every token has a rank of its own.
            let rank = |token: &[u8]| std::str::from_utf8(token).ok().and_then(|text| ranks.get(text).map(|rank| {
                rank * 1000 + token.iter().fold(1u32, |sum, byte| sum * 2 + u32::from(byte % 2))
            }));
            let quick: Vec<Vec<u8>> = tokens(piece.as_bytes(), rank).into_iter().map(|range| piece.as_bytes()[range].to_vec()).collect();
            prop_assert_eq!(quick, plainly(piece.as_bytes(), rank));
        }
    }
}
