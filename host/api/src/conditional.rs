//! Conditional requests: whether a client's copy is current.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use sha2::{Digest, Sha256};

/// The version of a document that changes rarely: a tag of its bytes, and its
/// modification time.
pub struct Version {
    tag: String,
    /// The modification time, Unix time in seconds.
    modified_s: i64,
}

impl Version {
    /// Creates the version of a text that was modified at `made_ms`, Unix time in
    /// milliseconds.
    pub fn of(text: &str, made_ms: u64) -> Self {
        let digest = hex::encode(Sha256::digest(text));
        let digest = digest.get(..32).unwrap_or(&digest);
        Self { tag: format!("\"{digest}\""), modified_s: i64::try_from(made_ms / 1_000).unwrap_or(i64::MAX) }
    }

    /// Returns whether the client's copy is current, judged by its tag, or by its time if
    /// the client sends no tag.
    pub fn is_known(&self, headers: &HeaderMap) -> bool {
        if headers.contains_key(header::IF_NONE_MATCH) {
            return names_tag(headers, &self.tag);
        }
        let since = headers.get(header::IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
        let since = since.and_then(|text| DateTimeParser::new().parse_timestamp(text).ok());
        since.is_some_and(|since| since.as_second() >= self.modified_s)
    }

    /// Returns the headers with the version.
    pub fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let modified = Timestamp::from_second(self.modified_s).ok();
        let modified = modified.map(|time| time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
        let named = [(header::ETAG, Some(self.tag.clone())), (header::LAST_MODIFIED, modified)];
        named.into_iter().filter_map(|(name, text)| Some((name, HeaderValue::from_str(&text?).ok()?))).collect()
    }
}

/// Returns whether `If-None-Match` contains this tag.
pub fn names_tag(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| {
        let one = one.trim();
        one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_decides_before_an_age() {
        let version = Version::of("card", 1_700_000_000_120);
        let named = version.headers();
        assert_eq!(named[1].1, "Tue, 14 Nov 2023 22:13:20 GMT");
        let tag = named[0].1.to_str().unwrap().to_owned();
        let asked = |pairs: &[(HeaderName, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).unwrap()));
            version.is_known(&HeaderMap::from_iter(pairs))
        };
        let (none_match, since) = (header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE);
        let (same, before) = ("Tue, 14 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:13:19 GMT");
        assert!(asked(&[(none_match.clone(), &tag)]) && asked(&[(none_match.clone(), "*")]));
        assert!(asked(&[(none_match.clone(), &format!("\"other\", W/{tag}"))]));
        assert!(asked(&[(since.clone(), same)]) && !asked(&[(since.clone(), before)]));
        assert!(!asked(&[(none_match, "\"other\""), (since.clone(), same)]));
        assert!(!asked(&[]) && !asked(&[(since, "yesterday")]));
    }
}
