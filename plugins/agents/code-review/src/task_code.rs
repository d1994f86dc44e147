//! The code of a task, apart from the words around it.

use crate::diff::Changed;
use crate::file::File;

/// What a task brings.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, in order.
    pub files: Vec<File>,
    /// Of a diff, the lines that it adds.
    pub changed: Option<Changed>,
    /// The words around the code.
    pub request: String,
}
