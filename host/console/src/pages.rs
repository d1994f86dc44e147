//! The pages, each built from the answers of commands.

mod accounts;
mod disputes;
mod inference;
mod logs;
mod money;
mod overview;
mod payments;
mod plugins;
mod requests;
mod webhooks;

use tollbridge_operator::OperatorError;

use crate::making::Making;
use crate::page::Page;

/// Path and name of each page, in tab order.
pub(crate) const TABS: [(&str, &str); 11] = [
    ("/console", "Overview"),
    ("/console/payments", "Payments"),
    ("/console/accounts", "Accounts"),
    ("/console/plugins", "Plugins"),
    ("/console/inference", "Inference"),
    ("/console/webhooks", "Webhooks"),
    ("/console/disputes", "Disputes"),
    ("/console/withdrawals", "Withdrawals"),
    ("/console/money", "Money and ledger"),
    ("/console/requests", "Requests"),
    ("/console/audit", "Audit log"),
];

/// Renders the page at a path below `/console`; `None` if there is no such page.
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
        ["plugins", kind, name, "logs"] => logs::page(making, &format!("{kind}/{name}")).await?,
        ["inference"] => inference::page(making).await?,
        ["webhooks"] => webhooks::list(making).await?,
        ["webhooks", id] => webhooks::show(making, id).await?,
        ["disputes"] => disputes::list(making).await?,
        ["disputes", id] => disputes::show(making, id).await?,
        ["withdrawals"] => money::withdrawals(making).await?,
        ["money"] => money::page(making).await?,
        ["requests"] => requests::page(making).await?,
        ["audit"] => requests::audit(making).await?,
        _ => return Ok(None),
    };
    Ok(Some(page))
}
