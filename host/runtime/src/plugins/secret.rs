//! Placeholders for secrets that a plugin may use but not read.

/// Returns the placeholder of the secret `name` inside the guest.
pub(super) fn placeholder(name: &str) -> String {
    format!("{{{{secret:{name}}}}}")
}
