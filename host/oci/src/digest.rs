//! Digests in the notation of registries: `sha256:` and 64 hexadecimal digits.

use tollbridge_registry::Digest;

const ALGORITHM: &str = "sha256:";

/// Formats a digest as `sha256:` and hexadecimal digits.
pub(crate) fn text_of(digest: Digest) -> String {
    format!("{ALGORITHM}{digest}")
}

/// Parses a digest; returns `None` if the text is invalid or names another algorithm.
pub(crate) fn read(text: &str) -> Option<Digest> {
    text.strip_prefix(ALGORITHM)?.parse().ok()
}

/// Finishes a hasher and returns its digest.
pub(crate) fn of_hasher(hasher: sha2::Sha256) -> Option<Digest> {
    use sha2::Digest as _;
    hex::encode(hasher.finalize()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_as_they_are_read() {
        let digest = Digest::of(b"x");
        assert_eq!(read(&text_of(digest)), Some(digest));
        for wrong in ["", "sha256:", "sha512:00", &text_of(digest).to_uppercase(), &digest.to_string()] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        use sha2::Digest as _;
        assert_eq!(of_hasher(sha2::Sha256::new().chain_update(b"x")), Some(digest));
    }
}
