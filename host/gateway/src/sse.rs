//! Splits a byte stream into server-sent events, wherever its pieces are cut.
//!
//! Invariant: only complete events are returned, so a character that was split between
//! pieces is whole again; the size of an incomplete event is limited.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use memchr::{memchr_iter, memchr2_iter};

use crate::limits::INFERENCE_EVENT_BYTES_MAX;

/// Collects bytes and splits them into complete events.
#[derive(Debug)]
pub(crate) struct EventSplitter {
    buffer: BytesMut,
    /// Number of bytes at the start of the buffer that are known to contain no end of an
    /// event.
    searched: usize,
    /// Maximum size of an event.
    limit: usize,
}

impl Default for EventSplitter {
    fn default() -> Self {
        Self::with_limit(INFERENCE_EVENT_BYTES_MAX)
    }
}

/// The error of an event that exceeds the maximum size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

impl EventSplitter {
    /// Creates a splitter for events of at most `limit` bytes.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self { buffer: BytesMut::new(), searched: 0, limit }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete event, including the empty line at its end.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, TooLong> {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        let mut line_ends = memchr_iter(b'\n', unsearched).map(|at| self.searched + at);
        let Some(end) = line_ends.find(|at| ends_event(&self.buffer, *at)) else {
            self.searched = self.buffer.len();
            return if self.buffer.len() > self.limit { Err(TooLong) } else { Ok(None) };
        };
        self.searched = 0;
        Ok(Some(self.buffer.split_to(end + 1).freeze()))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Returns the remaining bytes at the end of the stream: an event without its empty
    /// line.
    pub(crate) fn rest(&mut self) -> Option<Bytes> {
        self.searched = 0;
        let rest = self.buffer.split().freeze();
        (!rest.is_empty()).then_some(rest)
    }
}

/// Returns whether the byte at `at` ends an empty line (LF or CR LF).
fn ends_event(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at));
    bytes.get(at) == Some(&b'\n')
        && match before(1) {
            None | Some(b'\n') => true,
            Some(b'\r') => matches!(before(2), None | Some(b'\n')),
            Some(_) => false,
        }
}

/// Returns the data of an event: its `data:` lines, joined. A single line is not copied.
/// Comments have no data.
pub(crate) fn data(event: &[u8]) -> Cow<'_, [u8]> {
    let (mut joined, mut begin) = (None::<Cow<'_, [u8]>>, 0);
    let ends = memchr2_iter(b'\n', b'\r', event).chain([event.len()]);
    for end in ends {
        let line = event.get(begin..end).unwrap_or_default();
        begin = end + 1;
        let Some(rest) = line.strip_prefix(b"data:") else { continue };
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        joined = Some(match joined {
            None => Cow::Borrowed(rest),
            Some(before) => {
                let mut before = before.into_owned();
                before.push(b'\n');
                before.extend_from_slice(rest);
                Cow::Owned(before)
            }
        });
    }
    joined.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(splitter: &mut EventSplitter) -> Vec<Vec<u8>> {
        std::iter::from_fn(|| splitter.next().unwrap()).map(|event| data(&event).into_owned()).collect()
    }

    #[test]
    fn reads_every_kind_of_line_end() {
        for end in ["\n", "\r\n"] {
            let text = ["data: a", "", ": a comment", "", "event: x", "data:b", "data: c", "", "data: open"].join(end);
            let mut splitter = EventSplitter::default();
            splitter.push(text.as_bytes());
            assert_eq!(all(&mut splitter), [b"a".to_vec(), b"".to_vec(), b"b\nc".to_vec()], "{end:?}");
            assert_eq!(splitter.rest().map(|rest| data(&rest).into_owned()), Some(b"open".to_vec()));
            assert_eq!(splitter.rest(), None);
        }
    }

    #[test]
    fn an_event_without_end_is_bounded() {
        let mut splitter = EventSplitter::default();
        let piece = vec![b'x'; 64 << 10];
        for _ in 0..INFERENCE_EVENT_BYTES_MAX / piece.len() {
            splitter.push(&piece);
            assert_eq!(splitter.next(), Ok(None));
        }
        splitter.push(b"x");
        assert_eq!(splitter.next(), Err(TooLong));
    }

    proptest! {
        /// Wherever the bytes are split, the resulting events are equal, byte for byte.
        #[test]
        fn pieces_do_not_matter(texts in prop::collection::vec("[a-zé€𝄞 ]{0,12}", 1..8), size in 1_usize..9) {
            let whole: String = texts.iter().map(|text| format!("data: {text}\n\n")).collect();
            let (mut one, mut cut) = (EventSplitter::default(), EventSplitter::default());
            one.push(whole.as_bytes());
            let expected = all(&mut one);
            let mut events = Vec::new();
            for piece in whole.as_bytes().chunks(size) {
                cut.push(piece);
                events.extend(all(&mut cut));
            }
            prop_assert_eq!(&events, &expected);
            let texts: Vec<Vec<u8>> = texts.iter().map(|text| text.as_bytes().to_vec()).collect();
            prop_assert_eq!(events, texts);
        }
    }
}
