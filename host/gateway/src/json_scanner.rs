//! A scanner that reads clients' JSON in place.
//!
//! The scanner accepts only usual JSON; `None` does not mean that the input is invalid.
//! Invalid and merely unusual input (a duplicate name in an object, a name with an
//! escape, an exponent, deep nesting) is passed to `serde_json`, which reports the error
//! or normalizes the input.
//!
//! Invariants: a text that is scanned to its end is also valid for `serde_json`, and is
//! read the same way by every parser, because no object has a duplicate name. Nothing is
//! copied.

use std::ops::Range;

use super::json_text::{LISTED_NUMBER_BYTES, MEMBER_BYTES, WORD_BYTES};

/// Maximum nesting of usual JSON; scanning it uses a fraction of the stack.
const USUAL_DEPTH_MAX: usize = 48;
/// Maximum length of a number in usual JSON. No parser writes such a number longer than
/// it was sent.
const NUMBER_BYTES_MAX: usize = 18;
/// A 64-bit word in which each byte is 1.
const ONES: u64 = u64::MAX / 255;

/// Scans a JSON text from its beginning to its end.
#[derive(Debug)]
pub(super) struct JsonScanner<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
    /// Position of the last member name.
    name_at: usize,
    /// The member names of all open objects.
    names: Vec<&'t [u8]>,
    caches_for_an_hour: bool,
}

/// The size of a value, as counted for tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Number of bytes as a model may read them (`json_text::bytes_read`).
    pub(super) read: usize,
    /// Number of bytes in strings alone (`json_text::text_bytes_in`).
    pub(super) text: usize,
}

/// The raw content of a string, between its quotes, and its length after unescaping.
#[derive(Clone, Copy, Debug)]
struct ScannedString<'t> {
    raw: &'t [u8],
    length: usize,
}

impl<'t> JsonScanner<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, at: 0, depth: 0, name_at: 0, names: Vec::with_capacity(32), caches_for_an_hour: false }
    }

    /// Returns whether any value scanned so far asks Anthropic to cache a part for an
    /// hour.
    pub(super) const fn caches_for_an_hour(&self) -> bool {
        self.caches_for_an_hour
    }

    /// Returns whether only white space is left in the text.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peek().is_none()
    }

    /// Skips white space and returns the next byte, without consuming it.
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Returns the position of the name of the current member.
    pub(super) const fn name_place(&self) -> usize {
        self.name_at
    }

    fn place(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Reads a value; returns it and its position.
    pub(super) fn located<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<(T, Range<usize>)> {
        let begin = self.place();
        let value = read(self)?;
        Some((value, begin..self.at))
    }

    /// Scans any value.
    pub(super) fn value(&mut self) -> Option<Weight> {
        let (read, text) = match self.peek()? {
            b'"' => {
                let length = self.string()?.length;
                (length, length)
            }
            b'{' => return self.object(Self::member),
            b'[' => return self.list(Self::value).map(|(weight, _)| weight),
            b't' => (self.word(b"true")?, 0),
            b'f' => (self.word(b"false")?, 0),
            b'n' => (self.word(b"null")?, 0),
            _ => (self.number()?, 0),
        };
        Some(Weight { read, text })
    }

    /// Scans a member's value and records only whether it is a cache mark.
    pub(super) fn member(&mut self, name: &'t [u8]) -> Option<Weight> {
        if name != b"cache_control" || self.peek()? != b'{' {
            return self.value();
        }
        self.object(|this, name| {
            let (weight, place) = this.located(|this| this.member(name))?;
            if name == b"ttl" {
                let ttl = this.text.get(place)?;
                if ttl.contains(&b'\\') {
                    return None;
                }
                this.caches_for_an_hour |= ttl != b"\"5m\"";
            }
            Some(weight)
        })
    }

    /// Scans an object; `member` scans the value that follows each name.
    pub(super) fn object(&mut self, mut member: impl FnMut(&mut Self, &'t [u8]) -> Option<Weight>) -> Option<Weight> {
        self.open(b'{')?;
        let first = self.names.len();
        let mut weight = Weight::default();
        let mut more = self.peek()? != b'}';
        while more {
            let name = self.name()?;
            let value = member(self, name)?;
            weight.add(value, MEMBER_BYTES + name.len());
            more = self.goes_on(b'}')?;
        }
        self.close();
        let names = self.names.get_mut(first..)?;
        names.sort_unstable();
        let is_twice = names.windows(2).any(|pair| pair.first() == pair.last());
        self.names.truncate(first);
        (!is_twice).then_some(weight)
    }

    /// Scans a list and counts its items; `item` scans each item.
    pub(super) fn list(&mut self, mut item: impl FnMut(&mut Self) -> Option<Weight>) -> Option<(Weight, usize)> {
        self.open(b'[')?;
        let (mut weight, mut items) = (Weight::default(), 0);
        let mut more = self.peek()? != b']';
        while more {
            let is_number = matches!(self.peek()?, b'-' | b'0'..=b'9');
            let value = item(self)?;
            weight.add(value, if is_number { LISTED_NUMBER_BYTES } else { MEMBER_BYTES });
            items += 1;
            more = self.goes_on(b']')?;
        }
        self.close();
        Some((weight, items))
    }

    /// Scans a string without escapes; returns its content and weight.
    pub(super) fn plain_string(&mut self) -> Option<(&'t [u8], Weight)> {
        let ScannedString { raw, length } = self.string()?;
        // An escape is longer than the character it represents.
        (raw.len() == length).then_some((raw, Weight { read: length, text: length }))
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        let is_there = self.peek()? == bracket && self.depth < USUAL_DEPTH_MAX;
        self.at += 1;
        self.depth += 1;
        is_there.then_some(())
    }

    fn close(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// Consumes a comma and returns true, or returns false at the closing bracket without
    /// consuming it.
    fn goes_on(&mut self, bracket: u8) -> Option<bool> {
        match self.peek()? {
            b',' => {
                self.at += 1;
                Some(true)
            }
            byte => (byte == bracket).then_some(false),
        }
    }

    fn name(&mut self) -> Option<&'t [u8]> {
        self.name_at = self.place();
        let (name, _) = self.plain_string()?;
        let has_colon = self.peek()? == b':';
        self.at += 1;
        self.names.push(name);
        has_colon.then_some(name)
    }

    fn string(&mut self) -> Option<ScannedString<'t>> {
        if self.peek()? != b'"' {
            return None;
        }
        let begin = self.at + 1;
        let (mut at, mut length) = (begin, 0);
        loop {
            let rest = self.text.get(at..)?;
            let (run, is_ascii) = plain_run(rest);
            let (plain, rest) = rest.split_at_checked(run)?;
            if !is_ascii {
                std::str::from_utf8(plain).ok()?;
            }
            length += run;
            at += run;
            if rest.first() == Some(&b'"') {
                break;
            }
            let (written, meant) = escape(rest)?;
            at += written;
            length += meant;
        }
        self.at = at + 1;
        Some(ScannedString { raw: self.text.get(begin..at)?, length })
    }

    fn word(&mut self, word: &[u8]) -> Option<usize> {
        let is_there = self.text.get(self.at..)?.starts_with(word);
        self.at += word.len();
        is_there.then_some(WORD_BYTES)
    }

    /// Scans a number without an exponent and returns its length.
    fn number(&mut self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let length =
            rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let number = rest.get(..length).filter(|_| length <= NUMBER_BYTES_MAX)?;
        let digits = number.strip_prefix(b"-").unwrap_or(number);
        let (whole, fraction) = match digits.iter().position(|byte| *byte == b'.') {
            Some(point) => (digits.get(..point)?, digits.get(point + 1..)?),
            None => (digits, b"0".as_slice()),
        };
        let are_digits = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
        let has_zeros_before = whole.len() > 1 && whole.first() == Some(&b'0');
        self.at += length;
        (are_digits(whole) && are_digits(fraction) && !has_zeros_before).then_some(length)
    }
}

impl Weight {
    fn add(&mut self, part: Self, around: usize) {
        self.read += part.read + around;
        self.text += part.text;
    }
}

/// Counts the bytes before the first quote, backslash or control character, eight at a
/// time; also returns whether the counted bytes are ASCII.
fn plain_run(text: &[u8]) -> (usize, bool) {
    // Sets the highest bit of the first byte of a word that is less than `limit`, and
    // possibly the highest bits of later bytes.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let (mut run, mut seen) = (0, 0);
    while let Some(bytes) = text.get(run..).and_then(|rest| rest.first_chunk()) {
        let word = u64::from_le_bytes(*bytes);
        let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
        let ends = (below(word, 0x20) | is(b'"') | is(b'\\')) & (ONES << 7);
        if ends != 0 {
            let before = ends.trailing_zeros() / 8;
            let seen = seen | (word & !(u64::MAX << (before * 8)));
            return (run + usize::try_from(before).unwrap_or(0), seen & (ONES << 7) == 0);
        }
        seen |= word;
        run += 8;
    }
    let rest = text.get(run..).unwrap_or_default();
    let last = rest.iter().take_while(|byte| **byte >= 0x20 && !matches!(byte, b'"' | b'\\'));
    let (count, is_ascii) = last.fold((0, true), |(count, is_ascii), byte| (count + 1, is_ascii && byte.is_ascii()));
    (run + count, is_ascii && seen & (ONES << 7) == 0)
}

/// Returns the length of the escape at the start of the text, and the UTF-8 length of its
/// character.
fn escape(text: &[u8]) -> Option<(usize, usize)> {
    match text.strip_prefix(b"\\")?.first()? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some((2, 1)),
        b'u' => match code_unit(text)? {
            0..=0x7f => Some((6, 1)),
            0x80..=0x7ff => Some((6, 2)),
            0xd800..=0xdbff => {
                let low = text.get(6..).and_then(code_unit)?;
                matches!(low, 0xdc00..=0xdfff).then_some((12, 4))
            }
            // A low surrogate without a preceding high surrogate.
            0xdc00..=0xdfff => None,
            _ => Some((6, 3)),
        },
        _ => None,
    }
}

/// Returns the UTF-16 code unit of an escape, `\u` and four digits.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    let value = |unit: u16, digit: &u8| Some(unit << 4 | u16::try_from(char::from(*digit).to_digit(16)?).ok()?);
    digits.iter().try_fold(0, value)
}
