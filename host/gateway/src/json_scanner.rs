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

use super::json_text::{LISTED_NUMBER_BYTES, LITERAL_BYTES, MEMBER_BYTES};

/// Maximum nesting of usual JSON; scanning it uses a fraction of the stack.
const DEPTH_MAX: usize = 48;
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
    prompt_bytes: usize,
    text_bytes: usize,
    caches_for_an_hour: bool,
}

/// An object that is being scanned.
#[derive(Debug)]
pub(super) struct OpenObject {
    /// Index of the object's first member name among the names of all open objects.
    first_name: usize,
}

/// A list that is being scanned.
#[derive(Debug)]
pub(super) struct OpenList {
    /// Number of items so far.
    pub(super) items: usize,
}

/// The raw content of a string, between its quotes, and its length after unescaping.
#[derive(Clone, Copy, Debug)]
struct ScannedString<'t> {
    raw: &'t [u8],
    length: usize,
}

impl<'t> JsonScanner<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            name_at: 0,
            names: Vec::with_capacity(32),
            prompt_bytes: 0,
            text_bytes: 0,
            caches_for_an_hour: false,
        }
    }

    /// Returns the number of bytes scanned so far in the form that a model may read, as
    /// `json_text::prompt_bytes` counts them.
    pub(super) const fn prompt_bytes(&self) -> usize {
        self.prompt_bytes
    }

    /// Returns the number of bytes of all string values scanned so far, as
    /// `json_text::text_bytes_in` counts them.
    pub(super) const fn text_bytes(&self) -> usize {
        self.text_bytes
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
    pub(super) const fn name_position(&self) -> usize {
        self.name_at
    }

    /// Returns the position after the last scanned token.
    pub(super) const fn position(&self) -> usize {
        self.at
    }

    /// Scans any value.
    pub(super) fn value(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => {
                let length = self.string()?.length;
                self.add_text(length);
            }
            b'{' => {
                let mut object = self.open_object()?;
                while let Some(name) = self.next_member(&mut object)? {
                    self.member(name)?;
                }
            }
            b'[' => {
                let mut list = self.open_list()?;
                while self.next_item(&mut list)? {
                    self.value()?;
                }
            }
            b't' => self.literal(b"true")?,
            b'f' => self.literal(b"false")?,
            b'n' => self.literal(b"null")?,
            _ => self.number()?,
        }
        Some(())
    }

    /// Scans a member's value, and records whether the member is a mark that asks to
    /// cache a part for an hour.
    pub(super) fn member(&mut self, name: &'t [u8]) -> Option<()> {
        if name != b"cache_control" || self.peek()? != b'{' {
            return self.value();
        }
        let mut object = self.open_object()?;
        while let Some(name) = self.next_member(&mut object)? {
            self.peek()?;
            let begin = self.at;
            self.member(name)?;
            if name == b"ttl" {
                let ttl = self.text.get(begin..self.at)?;
                if ttl.contains(&b'\\') {
                    return None;
                }
                self.caches_for_an_hour |= ttl != b"\"5m\"";
            }
        }
        Some(())
    }

    /// Begins an object; [`Self::next_member`] scans it.
    pub(super) fn open_object(&mut self) -> Option<OpenObject> {
        self.open(b'{')?;
        Some(OpenObject { first_name: self.names.len() })
    }

    /// Scans the name of the next member, whose value the caller scans next. Returns
    /// `Some(None)` at the end of the object.
    pub(super) fn next_member(&mut self, object: &mut OpenObject) -> Option<Option<&'t [u8]>> {
        let is_first = self.names.len() == object.first_name;
        match self.peek()? {
            b'}' => {
                self.close();
                return self.has_distinct_names(object).then_some(None);
            }
            b',' if !is_first => self.at += 1,
            _ if is_first => {}
            _ => return None,
        }
        let name = self.name()?;
        self.prompt_bytes += MEMBER_BYTES + name.len();
        Some(Some(name))
    }

    /// Begins a list; [`Self::next_item`] scans it.
    pub(super) fn open_list(&mut self) -> Option<OpenList> {
        self.open(b'[')?;
        Some(OpenList { items: 0 })
    }

    /// Returns whether an item follows, which the caller scans next; false at the end of
    /// the list.
    pub(super) fn next_item(&mut self, list: &mut OpenList) -> Option<bool> {
        match self.peek()? {
            b']' => {
                self.close();
                return Some(false);
            }
            b',' if list.items > 0 => self.at += 1,
            _ if list.items == 0 => {}
            _ => return None,
        }
        list.items += 1;
        let is_number = matches!(self.peek()?, b'-' | b'0'..=b'9');
        self.prompt_bytes += if is_number { LISTED_NUMBER_BYTES } else { MEMBER_BYTES };
        Some(true)
    }

    /// Scans a string without escapes; returns its content.
    pub(super) fn plain_string(&mut self) -> Option<&'t [u8]> {
        let text = self.unescaped_string()?;
        self.add_text(text.len());
        Some(text)
    }

    fn unescaped_string(&mut self) -> Option<&'t [u8]> {
        let ScannedString { raw, length } = self.string()?;
        // An escape is longer than the character it represents.
        (raw.len() == length).then_some(raw)
    }

    fn add_text(&mut self, length: usize) {
        self.prompt_bytes += length;
        self.text_bytes += length;
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        let is_there = self.peek()? == bracket && self.depth < DEPTH_MAX;
        self.at += 1;
        self.depth += 1;
        is_there.then_some(())
    }

    fn close(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// Returns whether all members of a scanned object have different names, and removes
    /// these names from `names`.
    fn has_distinct_names(&mut self, object: &OpenObject) -> bool {
        let Some(names) = self.names.get_mut(object.first_name..) else { return false };
        names.sort_unstable();
        let has_duplicates = names.windows(2).any(|pair| pair.first() == pair.last());
        self.names.truncate(object.first_name);
        !has_duplicates
    }

    fn name(&mut self) -> Option<&'t [u8]> {
        self.peek();
        self.name_at = self.at;
        let name = self.unescaped_string()?;
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
            let (escape_length, char_length) = escape(rest)?;
            at += escape_length;
            length += char_length;
        }
        self.at = at + 1;
        Some(ScannedString { raw: self.text.get(begin..at)?, length })
    }

    fn literal(&mut self, word: &[u8]) -> Option<()> {
        let is_there = self.text.get(self.at..)?.starts_with(word);
        self.at += word.len();
        self.prompt_bytes += LITERAL_BYTES;
        is_there.then_some(())
    }

    /// Scans a number without an exponent.
    fn number(&mut self) -> Option<()> {
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
        let has_leading_zeros = whole.len() > 1 && whole.first() == Some(&b'0');
        self.at += length;
        self.prompt_bytes += length;
        (are_digits(whole) && are_digits(fraction) && !has_leading_zeros).then_some(())
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
