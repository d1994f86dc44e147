//! What is wrong in a row, or in rows that belong together.

/// What is wrong in a row, or in rows that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// From 1.
    pub(crate) rows: Vec<usize>,
    pub(crate) field: String,
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    pub(crate) repair: String,
}
