//! What a plugin sees of the secrets that it may use but not read.

/// What stands for the secret `name` inside the guest.
pub(super) fn placeholder(name: &str) -> String {
    format!("{{{{secret:{name}}}}}")
}
