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

use crate::page::Page;
use crate::page_context::PageContext;

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
pub(crate) async fn page(context: &PageContext<'_>, path: &str) -> Result<Option<Page>, OperatorError> {
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let page = match parts.as_slice() {
        [""] => overview::page(context).await?,
        ["payments"] => payments::list(context).await?,
        ["payments", "show"] => payments::show(context).await?,
        ["accounts"] => accounts::list(context).await?,
        ["accounts", id] => accounts::show(context, id).await?,
        ["plugins"] => plugins::list(context).await?,
        ["plugins", kind, name] => plugins::show(context, &format!("{kind}/{name}")).await?,
        ["plugins", kind, name, "logs"] => logs::page(context, &format!("{kind}/{name}")).await?,
        ["inference"] => inference::page(context).await?,
        ["webhooks"] => webhooks::list(context).await?,
        ["webhooks", id] => webhooks::show(context, id).await?,
        ["disputes"] => disputes::list(context).await?,
        ["disputes", id] => disputes::show(context, id).await?,
        ["withdrawals"] => money::withdrawals(context).await?,
        ["money"] => money::page(context).await?,
        ["requests"] => requests::page(context).await?,
        ["audit"] => requests::audit(context).await?,
        _ => return Ok(None),
    };
    Ok(Some(page))
}
