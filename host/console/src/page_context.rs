//! The context for rendering pages, and shared cells.

use serde::Serialize;
use tollbridge_operator::{Actor, OperatorError, OperatorService, Request};

use crate::actions::Fields;
use crate::page::{Cell, encoded, readable_value};

/// The context for rendering a page.
pub(crate) struct PageContext<'a> {
    pub(crate) operator: &'a OperatorService,
    pub(crate) actor: &'a Actor,
    /// Whether the server uses test money only.
    pub(crate) sandbox: bool,
    /// The query of the page's address.
    pub(crate) query: Fields,
}

impl PageContext<'_> {
    /// Runs a command that changes nothing, as the signed-in operator, and returns its
    /// answer.
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
pub(crate) fn account_cell(id: &impl Serialize) -> Cell {
    let cell = Cell::of(id).class("id");
    let href = format!("/console/accounts/{}", encoded(&cell.text));
    cell.link(href)
}

/// Returns a cell with a time from a command's answer, such as `2026-11-23 10:00:00`.
pub(crate) fn time_cell(time: &impl Serialize) -> Cell {
    Cell::text(readable_value(time).get(..19).unwrap_or_default().replace('T', " ")).class("when")
}

/// Returns a cell with an amount in pounds from a command's answer.
pub(crate) fn pounds(amount: &impl Serialize) -> Cell {
    let text = readable_value(amount);
    Cell::text(if text.is_empty() { text } else { format!("£{text}") }).class("number")
}

/// Returns the link to older rows: the same query, for records before `next`.
pub(crate) fn older(path: &str, context: &PageContext<'_>, names: &[&str], next: Option<u64>) -> String {
    let Some(next) = next else { return String::new() };
    let kept = names.iter().filter_map(|name| Some(format!("{name}={}&", encoded(&context.query(name)?))));
    format!("{path}?{}before={next}", kept.collect::<String>())
}
