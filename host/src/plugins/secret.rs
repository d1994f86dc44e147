//! What a plugin sees of the secrets that it may use but not read.

/// What a plugin sees in place of the secret `name`.
pub(super) fn placeholder(name: &str) -> String {
    format!("{{{{secret:{name}}}}}")
}
