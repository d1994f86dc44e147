//! Random inputs for parsers, mutated from a corpus in `tests/fuzz`.
//!
//! This module is for tests, including those of other crates (feature `testing`). It
//! needs no external tool. Every run tries the same inputs: a few thousand in `make
//! test`, and as many as fit into half a minute per target with `TOLLBRIDGE_LONG=1`. A
//! failing input is written to a file; add the file to the corpus, which is tried first
//! from then on.

// This is test code, which may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

/// The number of generated inputs per target in `make test`.
const ITERATIONS: u64 = 4_000;
/// The time per target with `TOLLBRIDGE_LONG=1`.
const LONG: Duration = Duration::from_secs(30);
/// The longest time that a check of one input may take, even on a busy machine.
const CASE_MAX: Duration = Duration::from_secs(3);
/// The maximum size of a generated input, unless an input of the corpus is larger.
const BYTES_MAX: usize = 32 << 10;

/// Tokens of the parsed formats, and values that parsers often mishandle.
const TOKENS: [&[u8]; 40] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"\"",
    b"\\",
    b":",
    b",",
    b"=",
    b".",
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b"\n\n",
    b"\0",
    b"null",
    b"true",
    b"{}",
    b"[]",
    b"\"\"",
    b"-1",
    b"0",
    b"1.0",
    b"1e999",
    b"-0",
    b"9007199254740993",
    b"9223372036854775808",
    b"18446744073709551616",
    b"\\u0000",
    b"\\ud800",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x92\xa9",
    b"../",
    b"%00",
    b"data: ",
    b"event: ",
    b"\"\"\"",
    b"[[a]]\n",
    b"$ref",
];

/// A SplitMix64 random number generator: small, and with the same sequence on every
/// machine.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// Returns a random number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a bound; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % (bound as u64).max(1)).unwrap()
    }

    /// Returns `count` random bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.roll().to_le_bytes()[0]).collect()
    }

    /// Returns two positions within `length`, in order.
    fn span(&mut self, length: usize) -> (usize, usize) {
        let (one, other) = (self.below(length + 1), self.below(length + 1));
        (one.min(other), one.max(other))
    }
}

/// A fuzzing target and its corpus.
pub struct Fuzzer {
    target: &'static str,
    corpus: Vec<(String, Vec<u8>)>,
}

impl Fuzzer {
    /// Loads the corpus of a target, a folder in `tests/fuzz`.
    pub fn of(target: &'static str) -> Self {
        let mut corpus = Vec::new();
        for file in std::fs::read_dir(folder(target)).into_iter().flatten() {
            let path = file.unwrap().path();
            corpus.push((path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()));
        }
        corpus.sort();
        Self { target, corpus }
    }

    /// Adds a valid input that the test generates. With `RENEW_CORPUS=1`, the input is
    /// also written to the corpus.
    #[must_use]
    pub fn with(mut self, name: &str, bytes: Vec<u8>) -> Self {
        if std::env::var("RENEW_CORPUS").is_ok_and(|value| value == "1") {
            std::fs::create_dir_all(folder(self.target)).unwrap();
            std::fs::write(folder(self.target).join(name), &bytes).unwrap();
        }
        self.corpus.retain(|(known, _)| known != name);
        self.corpus.push((name.to_owned(), bytes));
        self
    }

    /// Runs `check` on the corpus, then on mutations of it. `check` panics on a failure.
    pub fn run(self, check: impl Fn(&[u8])) {
        assert!(!self.corpus.is_empty(), "tests/fuzz/{} is empty", self.target);
        for (name, bytes) in &self.corpus {
            self.check(&check, name, bytes);
        }
        let long = std::env::var("TOLLBRIDGE_LONG").is_ok_and(|value| value == "1");
        let (began, mut tried) = (Instant::now(), 0);
        while if long { began.elapsed() < LONG } else { tried < ITERATIONS } {
            let bytes = self.changed(&mut Dice(tried));
            self.check(&check, &format!("input {tried}"), &bytes);
            tried += 1;
        }
        println!("{}: {} of the corpus and {tried} mutations in {:?}", self.target, self.corpus.len(), began.elapsed());
    }

    fn check(&self, check: &impl Fn(&[u8]), name: &str, bytes: &[u8]) {
        let began = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| check(bytes)));
        let took = began.elapsed();
        if outcome.is_ok() && took < CASE_MAX {
            return;
        }
        let kept = std::env::temp_dir().join(format!("tollbridge-fuzz-{}-{}", self.target, std::process::id()));
        std::fs::write(&kept, bytes).unwrap();
        let (target, kept) = (self.target, kept.display());
        eprintln!("{target}, {name} ({} bytes, {took:?}): kept in {kept}; copy it to tests/fuzz/{target}", bytes.len());
        match outcome {
            Err(panic) => resume_unwind(panic),
            Ok(()) => panic!("{target}, {name} took {took:?}"),
        }
    }

    /// Returns an input of the corpus with a few mutations.
    fn changed(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = self.any(dice).to_vec();
        let most = bytes.len().max(BYTES_MAX);
        for _ in 0..=dice.below(6) {
            self.change(dice, &mut bytes);
            bytes.truncate(most);
        }
        bytes
    }

    fn any(&self, dice: &mut Dice) -> &[u8] {
        &self.corpus[dice.below(self.corpus.len())].1
    }

    fn change(&self, dice: &mut Dice, bytes: &mut Vec<u8>) {
        let length = bytes.len();
        let (from, to) = dice.span(length);
        match dice.below(12) {
            0 if length > 0 => bytes[from.min(length - 1)] ^= 1 << dice.below(8),
            1 if length > 0 => bytes[from.min(length - 1)] = dice.bytes(1)[0],
            2 => drop(bytes.splice(from..from, TOKENS[dice.below(TOKENS.len())].iter().copied())),
            3 => drop(bytes.splice(from..to.min(from + 8), TOKENS[dice.below(TOKENS.len())].iter().copied())),
            4 => drop(bytes.drain(from..to.min(from + 64))),
            5 => bytes.truncate(from),
            6 => {
                let piece = bytes[from..to.min(from + 256)].to_vec();
                drop(bytes.splice(to..to, piece));
            }
            7 => {
                let other = self.any(dice);
                let (start, end) = dice.span(other.len());
                bytes.splice(from..to, other[start..end].iter().copied());
            }
            8 => {
                let (token, times) = (TOKENS[dice.below(TOKENS.len())], dice.below(400));
                bytes.splice(from..from, token.repeat(times));
            }
            9 => change_number(dice, bytes, from),
            10 => {
                let count = dice.below(16);
                bytes.splice(from..from, dice.bytes(count));
            }
            _ => swap_lines(dice, bytes),
        }
    }
}

/// Replaces a number in the input with another.
fn change_number(dice: &mut Dice, bytes: &mut Vec<u8>, from: usize) {
    let Some(start) = bytes[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = match dice.below(4) {
        0 => dice.roll().to_string(),
        1 => i64::MIN.to_string(),
        2 => dice.below(300).to_string(),
        _ => u64::MAX.to_string(),
    };
    bytes.splice(start..start + digits, number.into_bytes());
}

/// Swaps two lines of the input.
fn swap_lines(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.len() > 1 {
        let (one, other) = (dice.below(lines.len()), dice.below(lines.len()));
        lines.swap(one, other);
        *bytes = lines.concat();
    }
}

fn folder(target: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuzz").join(target)
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_same_inputs_on_every_run_and_many_different_ones() {
        let one = Fuzzer { target: "none", corpus: vec![("a".to_owned(), b"{\"a\": 12, \"b\": [\"text\"]}".to_vec())] };
        let all: Vec<_> = (0..500).map(|number| one.changed(&mut Dice(number))).collect();
        assert_eq!(all, (0..500).map(|number| one.changed(&mut Dice(number))).collect::<Vec<_>>());
        assert!(all.iter().collect::<HashSet<_>>().len() > 400);
        assert!(all.iter().filter(|bytes| std::str::from_utf8(bytes).is_ok()).count() > 200);
    }

    #[test]
    fn a_panic_is_found() {
        let seen = RefCell::new(0);
        let corpus = vec![("a".to_owned(), b"number 12 of 400".to_vec())];
        let fuzzer = Fuzzer { target: "self-test", corpus };
        let found = catch_unwind(AssertUnwindSafe(|| {
            fuzzer.run(|bytes| {
                *seen.borrow_mut() += 1;
                assert!(!bytes.ends_with(b"18446744073709551615"), "planted");
            });
        }));
        assert!(found.is_err() && *seen.borrow() > 1);
    }
}
