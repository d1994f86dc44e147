//! A log of the most recent requests, in memory, so that the operator can look up the
//! outcome of a request by its id.
//!
//! Invariant: the log contains no bodies, query strings or secrets, and a limited number
//! of lines of limited length.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::excerpt::excerpt;
use crate::limits::REQUESTS_REMEMBERED_MAX;

/// Maximum length of a line's path and of its message.
const TEXT_CHARS_MAX: usize = 160;

/// Prefixes of secrets. The id of a payment intent, or the token of its link, also counts
/// as a secret, because its holder can spend the intent's money.
const SECRETS: [&str; 6] = ["pi_", "pt_", "wo_", "tb_test_", "tb_live_", "whsec_"];
/// Minimum number of characters after the prefix for a word to count as a secret.
const SECRET_CHARS_MIN: usize = 16;
/// Number of characters after the prefix that are shown, so that secrets can be
/// distinguished.
const SECRET_CHARS_SHOWN: usize = 4;

/// One line of the log: an answered request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLine {
    /// The time of the request, in Unix milliseconds.
    pub at_ms: u64,
    /// The id of the request, as in the header `X-Request-Id`.
    pub id: Box<str>,
    /// The HTTP method, for example `POST`.
    pub method: Box<str>,
    /// The path without the query string.
    pub path: Box<str>,
    /// The account whose key authenticated the request; `None` without a key.
    pub account: Option<Arc<str>>,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The error code and message of a refused request.
    pub refused: Option<(&'static str, Box<str>)>,
    /// The time until the head of the answer was ready, in microseconds.
    pub micros: u64,
}

/// A filter for lines; a member that is `None` matches any line.
#[derive(Clone, Debug, Default)]
pub struct RequestFilter {
    /// The id of the request.
    pub id: Option<String>,
    /// The account that sent the request.
    pub account: Option<String>,
    /// A prefix of the path.
    pub path: Option<String>,
    /// An HTTP status, such as 402, or a class of statuses, such as 4 or 5.
    pub status: Option<u16>,
    /// An error code, such as `E011`.
    pub code: Option<String>,
    /// The earliest time, in Unix milliseconds.
    pub since_ms: u64,
}

/// The log of the most recent requests.
#[derive(Debug, Default)]
pub struct RequestLog(Mutex<VecDeque<RequestLine>>);

impl RequestLine {
    /// Prepares a path or message for the log: shortens secrets, and cuts the text to the
    /// maximum length.
    pub fn text(text: &str) -> Box<str> {
        let text = &*without_secrets(text);
        if text.len() <= TEXT_CHARS_MAX { text.into() } else { excerpt(text, TEXT_CHARS_MAX).into() }
    }

    fn matches(&self, filter: &RequestFilter) -> bool {
        let status = |asked: u16| self.status == asked || (asked < 10 && self.status.div_euclid(100) == asked);
        let code = self.refused.as_ref().map(|(code, _)| *code);
        filter.id.as_deref().is_none_or(|id| *self.id == *id)
            && filter.account.as_deref().is_none_or(|account| self.account.as_deref() == Some(account))
            && filter.path.as_deref().is_none_or(|path| self.path.starts_with(path))
            && filter.status.is_none_or(status)
            && filter.code.as_deref().is_none_or(|asked| code == Some(asked))
            && self.at_ms >= filter.since_ms
    }
}

impl RequestLog {
    /// Adds a line; the oldest is removed when the log is full.
    pub fn push(&self, line: RequestLine) {
        let mut lines = self.0.lock();
        if lines.len() >= REQUESTS_REMEMBERED_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Calls `look` with each line since a time, newest first. The log is locked
    /// meanwhile, so `look` must be quick.
    pub fn since(&self, since_ms: u64, mut look: impl FnMut(&RequestLine)) {
        // A slow request is logged after requests that began later, so every line is
        // checked.
        self.0.lock().iter().rev().filter(|line| line.at_ms >= since_ms).for_each(&mut look);
    }

    /// The time since which the log is complete; `None` if no line was removed yet.
    pub fn whole_since(&self) -> Option<u64> {
        let lines = self.0.lock();
        lines.front().filter(|_| lines.len() >= REQUESTS_REMEMBERED_MAX).map(|oldest| oldest.at_ms)
    }

    /// Returns the newest lines that match, newest first.
    pub fn search(&self, filter: &RequestFilter, limit: usize) -> Vec<RequestLine> {
        let lines = self.0.lock();
        lines.iter().rev().filter(|line| line.matches(filter)).take(limit).cloned().collect()
    }
}

fn without_secrets(text: &str) -> Cow<'_, str> {
    let ends_word = |next: char| !next.is_ascii_alphanumeric() && !matches!(next, '_' | '-');
    if !text.split(ends_word).any(|word| secret_shown(word).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    for part in text.split_inclusive(ends_word) {
        let word = part.trim_end_matches(ends_word);
        match secret_shown(word).and_then(|shown| word.get(..shown)) {
            Some(shown) => kept.extend([shown, "…", part.get(word.len()..).unwrap_or_default()]),
            None => kept.push_str(part),
        }
    }
    Cow::Owned(kept)
}

/// The number of characters to show of a secret; `None` if the word is not a secret.
fn secret_shown(word: &str) -> Option<usize> {
    let prefix = SECRETS.into_iter().find(|prefix| word.starts_with(prefix))?;
    let behind = word.len().saturating_sub(prefix.len());
    (behind >= SECRET_CHARS_MIN).then(|| prefix.len().saturating_add(SECRET_CHARS_SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_kept() {
        for (text, kept) in [
            ("/pay/pi_u3tQmzjTuDkmbLrYKttI6BB2YXRf-_8", "/pay/pi_u3tQ…"),
            ("/v1/payments/pi_u3tQmzjTuDkmbLrYKttI/refund", "/v1/payments/pi_u3tQ…/refund"),
            ("/pay/pt_u3tQmzjTuDkmbLrYKttI/", "/pay/pt_u3tQ…/"),
            ("the key `tb_live_0123456789abcdef` is unknown", "the key `tb_live_0123…` is unknown"),
            ("/v1/oracle/pi_approximation", "/v1/oracle/pi_approximation"),
            ("/v1/oracle/api_u3tQmzjTuDkmbLrYKttI", "/v1/oracle/api_u3tQmzjTuDkmbLrYKttI"),
            ("/ü/pi_", "/ü/pi_"),
            ("", ""),
        ] {
            assert_eq!(&*RequestLine::text(text), kept);
        }
        assert!(RequestLine::text(&"pi_u3tQmzjTuDkmbLrYKttI/".repeat(1_000)).len() < 1_000);
    }

    fn line(number: u64, status: u16) -> RequestLine {
        RequestLine {
            at_ms: number,
            id: format!("req_{number}").into(),
            method: "POST".into(),
            path: RequestLine::text(&format!("/v1/oracle/b{}", number % 3)),
            account: number.is_multiple_of(2).then(|| "acct_a".into()),
            status,
            refused: (status >= 400).then(|| ("E011", "`x` is missing".into())),
            micros: 10,
        }
    }

    #[test]
    fn the_newest_that_are_meant_come_first() {
        let log = RequestLog::default();
        for number in 0..100 {
            log.push(line(number, if number.is_multiple_of(10) { 400 } else { 200 }));
        }
        let found =
            |filter: RequestFilter| -> Vec<u64> { log.search(&filter, 3).into_iter().map(|line| line.at_ms).collect() };
        assert_eq!(found(RequestFilter::default()), [99, 98, 97]);
        assert_eq!(found(RequestFilter { status: Some(4), ..Default::default() }), [90, 80, 70]);
        assert_eq!(found(RequestFilter { status: Some(402), ..Default::default() }), [0_u64; 0]);
        assert_eq!(found(RequestFilter { code: Some("E011".to_owned()), since_ms: 85, ..Default::default() }), [90]);
        assert_eq!(found(RequestFilter { id: Some("req_7".to_owned()), ..Default::default() }), [7]);
        assert_eq!(found(RequestFilter { account: Some("acct_a".to_owned()), ..Default::default() }), [98, 96, 94]);
        assert_eq!(found(RequestFilter { path: Some("/v1/oracle/b0".to_owned()), ..Default::default() }), [99, 96, 93]);
    }

    #[test]
    fn it_forgets_the_oldest() {
        let log = RequestLog::default();
        for number in 0..u64::try_from(REQUESTS_REMEMBERED_MAX).unwrap() + 5 {
            log.push(line(number, 200));
        }
        let mut newest = Vec::new();
        log.since(u64::try_from(REQUESTS_REMEMBERED_MAX).unwrap() + 3, |line| newest.push(line.at_ms));
        assert_eq!(newest, [20_004, 20_003]);
        assert_eq!((log.whole_since(), RequestLog::default().whole_since()), (Some(5), None));
        let all = log.search(&RequestFilter::default(), usize::MAX);
        assert_eq!((all.len(), all.last().unwrap().at_ms), (REQUESTS_REMEMBERED_MAX, 5));
        let long = RequestLine::text(&"ä".repeat(5_000));
        assert!(long.chars().count() <= TEXT_CHARS_MAX + 1, "{long}");
    }
}
