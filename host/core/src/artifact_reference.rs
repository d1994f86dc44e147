//! References to artifacts: `REGISTRY/REPOSITORY:TAG`, or with a digest.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use crate::excerpt::excerpt;

/// The longest reference in bytes; the repository part alone may have 255 characters.
const REFERENCE_BYTES_MAX: usize = 512;

/// A text that is not a valid artifact reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a reference; write REGISTRY/REPOSITORY:TAG, for example registry.example.com/bridges/tax:1.0.0")]
pub struct ReferenceError(String);

/// A reference to an artifact. The registry is required; there is no default
/// public registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactReference {
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<String>,
}

impl ArtifactReference {
    /// Host and port of the registry.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// Path of the repository in the registry.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// The tag, if the reference has one.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// The digest of the manifest, if the reference has one: `sha256:` and 64 hexadecimal
    /// digits.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Returns the reference, with `tag` if it has neither a tag nor a digest.
    #[must_use]
    pub fn or_tag(self, tag: &str) -> Self {
        match (&self.tag, &self.digest) {
            (None, None) => Self { tag: Some(tag.to_owned()), ..self },
            _ => self,
        }
    }

    /// Whether the registry runs on this machine; such a connection needs no encryption.
    pub fn is_local(&self) -> bool {
        let host = match self.registry.strip_prefix('[') {
            Some(rest) => rest.split(']').next().unwrap_or_default(),
            None => self.registry.split(':').next().unwrap_or_default(),
        };
        host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl FromStr for ArtifactReference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let wrong = || ReferenceError(excerpt(text, 120));
        let text = text.strip_prefix("oci://").unwrap_or(text);
        if text.len() > REFERENCE_BYTES_MAX {
            return Err(wrong());
        }
        let (registry, rest) = text.split_once('/').ok_or_else(wrong)?;
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => (rest, Some(is_digest(digest).then(|| digest.to_owned()).ok_or_else(wrong)?)),
            None => (rest, None),
        };
        let (repository, tag) = match rest.rsplit_once(':') {
            Some((repository, tag)) => (repository, Some(tag.to_owned())),
            None => (rest, None),
        };
        let is_host = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b':' | b'[' | b']');
        // A first part without a dot or colon belongs to the repository: the registry was
        // left out.
        let names_host = registry.contains(['.', ':']) || registry == "localhost";
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'))
        };
        let is_tag = |tag: &String| {
            let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
            !tag.is_empty() && tag.len() <= 128 && tag.bytes().all(allowed)
        };
        let fits = names_host
            && registry.bytes().all(is_host)
            && repository.split('/').all(is_part)
            && tag.as_ref().is_none_or(is_tag);
        if !fits {
            return Err(wrong());
        }
        Ok(Self { registry: registry.to_owned(), repository: repository.to_owned(), tag, digest })
    }
}

/// Whether the text is a SHA-256 digest in the form that registries use; no other
/// algorithm is supported.
fn is_digest(text: &str) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.bytes().all(is_digit))
}

impl fmt::Display for ArtifactReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match &self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_they_are_written() {
        let digest = format!("sha256:{}", "a".repeat(64));
        for (text, local) in [
            ("registry.example.com/bridges/tax:1.0.0".to_owned(), false),
            ("localhost:5000/bridges/tax".to_owned(), true),
            ("127.0.0.1:5000/a/b/c:x".to_owned(), true),
            ("[::1]:5000/tax:1".to_owned(), true),
            (format!("registry.example.com/tax:1@{digest}"), false),
            (format!("registry.example.com/tax@{digest}"), false),
        ] {
            let reference: ArtifactReference = text.parse().unwrap();
            assert_eq!((reference.to_string(), reference.is_local()), (text, local));
        }
        let tagged = |text: &str| text.parse::<ArtifactReference>().unwrap().or_tag("9").to_string();
        assert_eq!(tagged("localhost:1/tax"), "localhost:1/tax:9");
        assert_eq!(tagged("localhost:1/tax:8"), "localhost:1/tax:8");
        for wrong in [
            "",
            "tax:1",
            "bridges/tax:1",
            "localhost",
            "localhost/",
            "localhost/A:1",
            "localhost/a:",
            "localhost/a@b",
            "localhost/a b",
            "local host.x/a",
        ] {
            assert!(wrong.parse::<ArtifactReference>().is_err(), "{wrong}");
        }
    }
}
