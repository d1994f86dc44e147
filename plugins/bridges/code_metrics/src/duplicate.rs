//! Duplicates: stretches of tokens that were there before, with texts and numbers of any value taken as equal.
//!
//! A rolling hash finds where a window of tokens comes again; it is then compared token by token and grown as far as
//! it goes. Every token is passed once, so the work is linear.

use std::collections::HashMap;

use crate::token::{Kind, Token};

/// Base of the rolling hash.
const BASE: u64 = 1_000_003;

/// Two stretches of `tokens` equal tokens: file and first token of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repetition {
    pub first: (usize, usize),
    pub second: (usize, usize),
    pub tokens: usize,
}

/// Finds duplicates of at least `window` tokens within and between files.
#[must_use]
pub fn find(files: &[Vec<Token<'_>>], window: usize) -> Vec<Repetition> {
    let codes: Vec<Vec<u64>> = files.iter().map(|tokens| tokens.iter().map(code).collect()).collect();
    let mut known: HashMap<u64, (usize, usize)> = HashMap::new();
    let mut twins = Vec::new();
    for (file, own) in codes.iter().enumerate() {
        let hashes = rolling(own, window);
        let mut at = 0;
        while let Some(hash) = hashes.get(at) {
            let earlier = *known.entry(*hash).or_insert((file, at));
            let length = if earlier == (file, at) { 0 } else { equal(&codes, earlier, (file, at)) };
            if length >= window {
                twins.push(Repetition { first: earlier, second: (file, at), tokens: length });
                at += length;
            } else {
                at += 1;
            }
        }
    }
    twins.sort_by(|a, b| b.tokens.cmp(&a.tokens).then(a.second.cmp(&b.second)));
    twins
}

/// How many tokens are equal from both places on, without one stretch running into the other.
fn equal(codes: &[Vec<u64>], a: (usize, usize), b: (usize, usize)) -> usize {
    let from = |(file, at): (usize, usize)| codes.get(file).and_then(|codes| codes.get(at..)).unwrap_or_default();
    let limit = if a.0 == b.0 { b.1 - a.1 } else { usize::MAX };
    from(a).iter().zip(from(b)).take(limit).take_while(|(x, y)| x == y).count()
}

fn rolling(codes: &[u64], window: usize) -> Vec<u64> {
    let mut top = 1u64;
    (1..window).for_each(|_| top = top.wrapping_mul(BASE));
    let mut hash = 0u64;
    let mut hashes = Vec::new();
    for (place, code) in codes.iter().enumerate() {
        if let Some(old) = place.checked_sub(window).and_then(|old| codes.get(old)) {
            hash = hash.wrapping_sub(old.wrapping_mul(top));
        }
        hash = hash.wrapping_mul(BASE).wrapping_add(*code);
        if place + 1 >= window {
            hashes.push(hash);
        }
    }
    hashes
}

/// FNV-1a of a word or mark; one code for all texts and one for all numbers.
fn code(token: &Token<'_>) -> u64 {
    let text = match token.kind {
        Kind::Text => "\"",
        Kind::Number => "0",
        Kind::Word | Kind::Mark => token.text,
    };
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
