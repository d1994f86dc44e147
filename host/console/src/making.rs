//! The context for rendering pages, and shared cells.

use serde_json::Value;
use tollbridge_operator::{Actor, OperatorError, OperatorService, Request};

use crate::actions::Fields;
use crate::page::{Cell, encoded};

/// The context for rendering a page.
pub(crate) struct Making<'a> {
    pub(crate) operator: &'a OperatorService,
    pub(crate) actor: &'a Actor,
    /// The query of the page's address.
    pub(crate) query: Fields,
}

impl Making<'_> {
    /// Runs a command that changes nothing, and returns its answer.
    pub(crate) async fn ask<R: Request>(&self, request: R) -> Result<R::Answer, OperatorError> {
        self.operator.execute(self.actor, request).await
    }

    pub(crate) fn query(&self, name: &str) -> Option<String> {
        self.query.optional(name)
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.query(name)?.parse().ok()
    }
}

/// Returns a cell that links to an account.
pub(crate) fn account_cell(row: &Value) -> Cell {
    let cell = Cell::member(row, "account_id").class("id");
    let href = format!("/console/accounts/{}", encoded(&cell.text));
    cell.link(href)
}

/// Formats the time of an answer as `2026-11-23 10:00:00`.
pub(crate) fn when(row: &Value) -> Cell {
    let text = Cell::member(row, "at").text;
    Cell::text(text.get(..19).unwrap_or_default().replace('T', " ")).class("when")
}

/// Formats an amount of an answer in pounds.
pub(crate) fn pounds(row: &Value, name: &str) -> Cell {
    let text = Cell::member(row, name).text;
    Cell::text(if text.is_empty() { text } else { format!("£{text}") }).class("number")
}

/// Returns the link to older rows: the same query, below a record.
pub(crate) fn older(path: &str, making: &Making<'_>, names: &[&str], next: &Value) -> String {
    let Some(next) = next.as_u64() else { return String::new() };
    let kept = names.iter().filter_map(|name| Some(format!("{name}={}&", encoded(&making.query(name)?))));
    format!("{path}?{}before={next}", kept.collect::<String>())
}
