//! Numbers in order with their labels, and where they were read.

/// Where a series was read from; the later, the less sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Rows and columns, or JSON.
    Table,
    /// Names and numbers in a list: `Jan 10, Feb 12`.
    Pairs,
    /// Numbers alone.
    List,
    /// Sentences.
    Prose,
}

/// Numbers in order, and what each is called.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The column, the group or the words before the list.
    pub name: Option<String>,
    /// As many as there are values, or none.
    pub labels: Vec<String>,
    /// The values.
    pub values: Vec<f64>,
    /// Labels behind the last value that have no value themselves.
    pub ahead: Vec<String>,
    /// Labels (or `row 3`) between the values that have none.
    pub gaps: Vec<String>,
    /// Where it was read.
    pub source: Source,
}

impl Series {
    pub(crate) fn of(source: Source, labels: Vec<String>, values: Vec<f64>) -> Self {
        Self { name: None, labels, values, ahead: Vec::new(), gaps: Vec::new(), source }
    }

    /// The label of a value, if it has one.
    #[must_use]
    pub fn label(&self, at: usize) -> Option<&str> {
        self.labels.get(at).map(String::as_str)
    }
}
