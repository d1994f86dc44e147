//! Placeholders for secrets that a plugin may use but not read.

/// Returns the placeholder that the guest sees instead of the secret `name`.
pub(super) fn placeholder(name: &str) -> String {
    format!("{{{{secret:{name}}}}}")
}
