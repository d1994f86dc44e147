//! A receipt: one sealed record of an account, to print or to keep.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde_json::Value;
use tollbridge_api::error::{ApiError, internal, not_found};
use tollbridge_core::money::Millipence;
use tollbridge_market::accounts::{amount_of, intent_of};
use tollbridge_site::text::moment;
use tollbridge_store::Hash;
use tollbridge_web::{AppState, Path};

use crate::error_mapping::accounts::{accounts_error, history_error};
use crate::pages::frame::{Frame, private};
use crate::pages::session::Visitor;

/// Kinds of records in which an account pays for something.
const PAID: [&str; 7] = ["route", "nested", "task", "payment", "inference", "transfer", "purchase"];

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/account/receipts/{seal}", get(page))
}

#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptPage<'a> {
    site: &'a str,
    frame: Frame,
    base: &'a str,
    email: &'a str,
    account: &'a str,
    what: String,
    amount: String,
    when: String,
    paid_by: String,
    facts: Vec<(&'static str, String)>,
    seal: String,
}

async fn page(
    State(app): State<Arc<AppState>>,
    visitor: Visitor,
    Path(seal): Path<String>,
) -> Result<Response, ApiError> {
    let account = visitor.account();
    let missing = || not_found("no record of your account has this seal");
    let mut hash: Hash = [0; 32];
    hex::decode_to_slice(&seal, &mut hash).map_err(|_| missing())?;
    let stored = app.notary.record_for(&hash, account).map_err(|error| internal(&error))?;
    let (seq, bytes) = stored.ok_or_else(missing)?;
    let record: Value = serde_json::from_slice(&bytes).map_err(|error| internal(&error))?;
    let holder = app.accounts.account(account).map_err(accounts_error)?;
    let body = record.get("body").and_then(Value::as_object).ok_or_else(missing)?;
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let kind = record.get("kind").and_then(Value::as_str).unwrap_or_default();
    // The seller of a call may read the record too, but gets no receipt for it.
    if !PAID.contains(&kind) || !is_payers(&record, account) {
        return Err(missing());
    }
    let refunded = match (kind, intent_of(body)) {
        ("payment" | "purchase", Some(intent)) => refunded(&app, intent).await?,
        _ => Millipence::ZERO,
    };
    let facts = [
        ("Refunded", (!refunded.is_zero()).then(|| refunded.to_string())),
        ("Version", text("version").map(str::to_owned)),
        ("Transaction", record.get("tx").and_then(Value::as_str).map(|tx| format!("tx_{tx}"))),
        ("Request", text("request_id").map(str::to_owned)),
        ("Payment", intent_of(body).map(str::to_owned)),
        ("Processor reference", text("reference").map(str::to_owned)),
        ("Ledger number", Some(seq.saturating_add(1).to_string())),
    ];
    private(&ReceiptPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/spending"),
        base: &app.settings.base_url,
        email: holder.email.as_deref().unwrap_or_default(),
        account,
        what: describe_purchase(
            kind,
            text("plugin").or_else(|| text("agent")).or_else(|| text("bridge")).or_else(|| text("model")),
        ),
        amount: amount_of(body).unwrap_or(Millipence::ZERO).to_string(),
        when: moment(record.get("time_ms").and_then(Value::as_u64).unwrap_or_default()),
        paid_by: paid_by(kind, text("processor")),
        facts: facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect(),
        seal,
    })
}

async fn refunded(app: &AppState, intent: &str) -> Result<Millipence, ApiError> {
    let history = &app.accounts.history;
    history.parties.up_to_date().await.map_err(|error| history_error(error.into()))?;
    history.refunded(intent).map_err(history_error)
}

/// Checks whether the account is named in the record as the payer.
fn is_payers(record: &Value, account: &str) -> bool {
    let body = record.get("body");
    let named = |pointer: &str| body.and_then(|body| body.pointer(pointer)).and_then(Value::as_str) == Some(account);
    named("/account") || named("/payer/account") || named("/payer/task/account")
}

fn describe_purchase(kind: &str, name: Option<&str>) -> String {
    let name = name.map_or("", |name| name.strip_prefix("agents/").unwrap_or(name));
    match kind {
        "route" | "nested" => format!("One call to {name}"),
        "task" => format!("A queued task for {name}"),
        "payment" => format!("Calls to {name}, paid in advance"),
        "inference" => format!("One request to {name}"),
        "purchase" => "A purchase".to_owned(),
        other => format!("{other} {name}").trim_end().to_owned(),
    }
}

fn paid_by(kind: &str, processor: Option<&str>) -> String {
    match (kind, processor) {
        (_, Some("sandbox")) => "the sandbox: test money".to_owned(),
        (_, Some(processor)) => processor.to_owned(),
        ("route" | "nested" | "task" | "inference" | "transfer", None) => "prepaid credit".to_owned(),
        _ => "the account".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_payer_has_a_receipt() {
        let record = |body: Value| json!({ "body": body });
        assert!(is_payers(&record(json!({ "payer": { "account": "acct_a" }, "owner": "acct_b" })), "acct_a"));
        assert!(is_payers(&record(json!({ "payer": { "task": { "account": "acct_a", "task": "t" } } })), "acct_a"));
        assert!(is_payers(&record(json!({ "account": "acct_a", "intent": "h" })), "acct_a"));
        assert!(!is_payers(&record(json!({ "payer": { "account": "acct_a" }, "owner": "acct_b" })), "acct_b"));
        assert!(!is_payers(&json!(null), "acct_a"));
    }

    #[test]
    fn a_purchase_has_a_description() {
        assert_eq!(describe_purchase("route", Some("tax_jar_lookup")), "One call to tax_jar_lookup");
        assert_eq!(describe_purchase("payment", Some("agents/coding")), "Calls to coding, paid in advance");
        assert_eq!(describe_purchase("earn", None), "earn");
        assert_eq!(paid_by("payment", Some("sandbox")), "the sandbox: test money");
        assert_eq!(paid_by("route", None), "prepaid credit");
    }
}
