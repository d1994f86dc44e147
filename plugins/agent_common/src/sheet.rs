//! A table whose cells are read: numbers exactly, days as days.

use crate::dates::{self, Date, Order};
use crate::exact::Exact;
use crate::quantity::{self, Style};
use crate::table::Table;

/// What most cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Amounts.
    Number,
    /// Days.
    Day,
    /// Anything else.
    Text,
}

/// A table with read columns.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// The cells as written.
    pub table: Table,
    /// What most cells of each column are.
    pub kinds: Vec<Kind>,
    styles: Vec<Option<Style>>,
    orders: Vec<Option<Order>>,
}

impl Sheet {
    /// Reads the columns; rows that are totals of the others are left out.
    #[must_use]
    pub fn read(table: &Table) -> Self {
        let mut table = table.clone();
        let kept = (0..table.rows.len()).filter(|row| !table.is_total(*row)).collect::<Vec<_>>();
        if kept.len() > 1 {
            table.rows = kept.iter().filter_map(|row| table.rows.get(*row).cloned()).collect();
        }
        Self::of(table)
    }

    /// Reads the columns, with all rows.
    #[must_use]
    pub fn of(table: Table) -> Self {
        let mut sheet = Self { table, kinds: Vec::new(), styles: Vec::new(), orders: Vec::new() };
        for column in 0..sheet.table.columns.len() {
            let cells = sheet.table.cells(column);
            let (style, order) = (quantity::style(&cells), dates::order(&cells));
            let full: Vec<&str> = cells.into_iter().filter(|cell| !is_empty(cell)).collect();
            let share = |fits: &dyn Fn(&str) -> bool| {
                let count = full.iter().filter(|cell| fits(cell)).count();
                !full.is_empty() && count * 10 >= full.len() * 6
            };
            let kind = if share(&|cell| dates::read(cell, order).is_some()) {
                Kind::Day
            } else if share(&|cell| exact(cell, style).is_some()) {
                Kind::Number
            } else {
                Kind::Text
            };
            sheet.kinds.push(kind);
            sheet.styles.push(style);
            sheet.orders.push(order);
        }
        // `2.500` beside `0,12` has a comma for decimals too.
        let told: Vec<Style> = sheet.styles.iter().copied().flatten().collect();
        if let Some(first) = told.first().copied().filter(|first| told.iter().all(|style| style == first)) {
            sheet.styles.iter_mut().for_each(|style| *style = style.or(Some(first)));
        }
        sheet
    }

    /// A cell without space around it; empty where there is none.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.table.rows.get(row).and_then(|row| row.get(column)).map_or("", |cell| cell.trim())
    }

    /// The number in a cell.
    #[must_use]
    pub fn number(&self, row: usize, column: usize) -> Option<Exact> {
        exact(self.cell(row, column), self.styles.get(column).copied().flatten())
    }

    /// The day in a cell.
    #[must_use]
    pub fn day(&self, row: usize, column: usize) -> Option<Date> {
        dates::read(self.cell(row, column), self.orders.get(column).copied().flatten())
    }

    /// What most cells of a column are.
    #[must_use]
    pub fn kind(&self, column: usize) -> Kind {
        self.kinds.get(column).copied().unwrap_or(Kind::Text)
    }

    /// The name of a column.
    #[must_use]
    pub fn name(&self, column: usize) -> &str {
        self.table.columns.get(column).map_or("", String::as_str)
    }

    /// Columns of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Vec<usize> {
        (0..self.kinds.len()).filter(|at| self.kind(*at) == kind).collect()
    }

    /// Columns of amounts that are measured: no ids, years or running numbers.
    #[must_use]
    pub fn measures(&self) -> Vec<usize> {
        self.of_kind(Kind::Number).into_iter().filter(|at| !self.is_label(*at)).collect()
    }

    /// Whether the numbers of a column are names of something: an id, a year, a code.
    #[must_use]
    pub fn is_label(&self, column: usize) -> bool {
        const NAMES: &[&str] = &[
            "id",
            "nr",
            "no",
            "number",
            "year",
            "jahr",
            "annee",
            "code",
            "sku",
            "konto",
            "account",
            "zip",
            "plz",
            "postcode",
            "n",
            "line",
            "row",
            "invoice",
            "ref",
            "respondent",
            "week",
            "quarter",
            "month",
            "day",
            "ano",
            "anno",
            "key",
        ];
        let words = crate::columns::name_words(self.name(column));
        words.last().is_some_and(|word| NAMES.contains(&word.as_str()))
            || (words.len() > 1 && words.first().is_some_and(|word| word == "id"))
    }

    /// Whether every value of a column stands once.
    #[must_use]
    pub fn is_unique(&self, column: usize) -> bool {
        let all: std::collections::BTreeSet<String> =
            (0..self.table.rows.len()).map(|row| self.cell(row, column).to_lowercase()).collect();
        all.len() == self.table.rows.len()
    }

    /// The column that names the rows: the first of texts, else the first.
    #[must_use]
    pub fn label(&self) -> usize {
        (0..self.kinds.len())
            .find(|at| self.kind(*at) == Kind::Text)
            .or_else(|| (0..self.kinds.len()).find(|at| self.is_label(*at) || self.kind(*at) == Kind::Day))
            .unwrap_or(0)
    }
}

fn exact(cell: &str, style: Option<Style>) -> Option<Exact> {
    let found = quantity::read(cell, style).filter(|q| !q.in_words && !q.ordinal)?;
    Exact::read(&found.exact)
}

/// Whether a cell has no value.
#[must_use]
pub fn is_empty(cell: &str) -> bool {
    matches!(
        cell.trim().to_lowercase().as_str(),
        "" | "-" | "–" | "—" | "n/a" | "na" | "null" | "none" | "nil" | "?" | "k.a." | "k. a." | "nan" | "#n/a"
    )
}
