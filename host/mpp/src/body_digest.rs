//! The digest of a request body (RFC 9530); it binds a challenge to the body.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const PREFIX: &str = "sha-256=";

/// Returns the digest of a body as `sha-256=:…:`, for the header `Content-Digest` and the
/// member `digest` of a challenge.
pub fn body_digest(body: &[u8]) -> String {
    format!("{PREFIX}:{}:", STANDARD.encode(Sha256::digest(body)))
}

/// Checks whether a digest matches a body. Also accepts a digest without colons, because
/// the libraries of the draft's authors omit them.
pub fn is_digest_of(digest: &str, body: &[u8]) -> bool {
    let Some(value) = digest.strip_prefix(PREFIX) else { return false };
    let bare = value.strip_prefix(':').and_then(|value| value.strip_suffix(':')).unwrap_or(value);
    let Ok(given) = STANDARD.decode(bare) else { return false };
    Sha256::digest(body).as_slice().ct_eq(&given).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_9530_is_right() {
        let body = b"{\"hello\": \"world\"}\n";
        let digest = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
        assert_eq!(body_digest(body), digest);
        assert!(is_digest_of(digest, body) && is_digest_of(&digest.replace(':', ""), body));
        assert!(!is_digest_of(digest, b"") && !is_digest_of("sha-512=::", body) && !is_digest_of("", b""));
    }
}
