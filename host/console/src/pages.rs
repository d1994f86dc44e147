//! The pages, each made of what commands answer.

mod accounts;
mod money;
mod overview;
mod payments;
mod plugins;
mod requests;

use serde_json::Value;
use tollbridge_operator::{Actor, Command, OperatorError, OperatorService};

use crate::actions::Fields;
use crate::page::{Cell, Page, encoded};

/// Pages in the order of their tabs: path and name.
pub(crate) const TABS: [(&str, &str); 8] = [
    ("/console", "Overview"),
    ("/console/payments", "Payments"),
    ("/console/accounts", "Accounts"),
    ("/console/plugins", "Plugins"),
    ("/console/withdrawals", "Withdrawals"),
    ("/console/money", "Money and ledger"),
    ("/console/requests", "Requests"),
    ("/console/audit", "Audit log"),
];

/// What a page is made with.
pub(crate) struct Making<'a> {
    pub(crate) operator: &'a OperatorService,
    pub(crate) actor: &'a Actor,
    /// What stands behind the `?` of its address.
    pub(crate) query: Fields,
}

impl Making<'_> {
    /// What a command answers that changes nothing.
    async fn ask(&self, command: Command) -> Result<Value, OperatorError> {
        self.operator.execute(self.actor, command).await
    }

    fn query(&self, name: &str) -> Option<String> {
        self.query.optional(name)
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.query(name)?.parse().ok()
    }
}

/// The page of a path below `/console`; none if there is no such page.
pub(crate) async fn page(making: &Making<'_>, path: &str) -> Result<Option<Page>, OperatorError> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let page = match parts.as_slice() {
        [""] => overview::page(making).await?,
        ["payments"] => payments::list(making).await?,
        ["payments", "show"] => payments::show(making).await?,
        ["accounts"] => accounts::list(making).await?,
        ["accounts", id] => accounts::show(making, id).await?,
        ["plugins"] => plugins::list(making).await?,
        ["plugins", kind, name] => plugins::show(making, &format!("{kind}/{name}")).await?,
        ["withdrawals"] => money::withdrawals(making).await?,
        ["money"] => money::page(making).await?,
        ["requests"] => requests::page(making).await?,
        ["audit"] => requests::audit(making).await?,
        _ => return Ok(None),
    };
    Ok(Some(page))
}

/// A cell that leads to an account.
fn account_cell(row: &Value) -> Cell {
    let cell = Cell::member(row, "account_id").class("id");
    let href = format!("/console/accounts/{}", encoded(&cell.text));
    cell.link(href)
}

/// `2026-11-23 10:00:00` of a time in an answer.
fn when(row: &Value) -> Cell {
    let text = Cell::member(row, "at").text;
    Cell::text(text.get(..19).unwrap_or_default().replace('T', " ")).class("when")
}

/// Money of an answer, with its sign.
fn pounds(row: &Value, name: &str) -> Cell {
    let text = Cell::member(row, name).text;
    Cell::text(if text.is_empty() { text } else { format!("£{text}") }).class("number")
}

/// The query for what is older: the same, but below a record.
fn older(path: &str, making: &Making<'_>, names: &[&str], next: &Value) -> String {
    let Some(next) = next.as_u64() else { return String::new() };
    let kept = names.iter().filter_map(|name| Some(format!("{name}={}&", encoded(&making.query(name)?))));
    format!("{path}?{}before={next}", kept.collect::<String>())
}
