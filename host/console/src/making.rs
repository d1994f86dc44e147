//! What a page is made with, and what pages share.

use serde_json::Value;
use tollbridge_operator::{Actor, Command, OperatorError, OperatorService};

use crate::actions::Fields;
use crate::page::{Cell, encoded};

/// What a page is made with.
pub(crate) struct Making<'a> {
    pub(crate) operator: &'a OperatorService,
    pub(crate) actor: &'a Actor,
    /// What stands behind the `?` of its address.
    pub(crate) query: Fields,
}

impl Making<'_> {
    /// What a command answers that changes nothing.
    pub(crate) async fn ask(&self, command: Command) -> Result<Value, OperatorError> {
        self.operator.execute(self.actor, command).await
    }

    pub(crate) fn query(&self, name: &str) -> Option<String> {
        self.query.optional(name)
    }

    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.query(name)?.parse().ok()
    }
}

/// A cell that leads to an account.
pub(crate) fn account_cell(row: &Value) -> Cell {
    let cell = Cell::member(row, "account_id").class("id");
    let href = format!("/console/accounts/{}", encoded(&cell.text));
    cell.link(href)
}

/// `2026-11-23 10:00:00` of a time in an answer.
pub(crate) fn when(row: &Value) -> Cell {
    let text = Cell::member(row, "at").text;
    Cell::text(text.get(..19).unwrap_or_default().replace('T', " ")).class("when")
}

/// Money of an answer, with its sign.
pub(crate) fn pounds(row: &Value, name: &str) -> Cell {
    let text = Cell::member(row, name).text;
    Cell::text(if text.is_empty() { text } else { format!("£{text}") }).class("number")
}

/// The query for what is older: the same, but below a record.
pub(crate) fn older(path: &str, making: &Making<'_>, names: &[&str], next: &Value) -> String {
    let Some(next) = next.as_u64() else { return String::new() };
    let kept = names.iter().filter_map(|name| Some(format!("{name}={}&", encoded(&making.query(name)?))));
    format!("{path}?{}before={next}", kept.collect::<String>())
}
