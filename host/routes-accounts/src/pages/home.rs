//! The overview of an account.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_site::chart::Chart;
use tollbridge_site::text::{count, moment};
use tollbridge_web::AppState;

use crate::error_mapping::accounts::accounts_error;
use crate::pages::frame::{Done, Frame, private};
use crate::pages::session::Visitor;
use crate::pages::sign_in::is_by_email;
use crate::pages::{earnings, spending};

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/account", get(page))
}

#[derive(Template)]
#[template(path = "account_home.html")]
struct HomePage<'a> {
    site: &'a str,
    frame: Frame,
    id: &'a str,
    email: &'a str,
    /// The time when the address was confirmed, as text.
    verified: Option<String>,
    /// Whether the page offers a link to confirm the address.
    confirmable: bool,
    by_email: bool,
    tier: &'static str,
    since: String,
    referral: &'a str,
    balance: String,
    pending: String,
    credit: String,
    eligible: bool,
    keys: usize,
    earned: String,
    sales: u64,
    chart: Chart,
    spent: String,
    calls: String,
    base: &'a str,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let id = visitor.account();
    let holder = app.accounts.account(id).map_err(accounts_error)?;
    let balance = app.accounts.balance(id).map_err(|error| internal(&error))?;
    let keys = app.accounts.keys(id).map_err(accounts_error)?;
    let (month, _) = earnings::month(&app, id).await?;
    let spent = spending::month(&app, id).await?.0;
    let notice = done.notice(&[
        ("changed", "E-mail address changed. It is not confirmed yet."),
        ("changed-sent", "E-mail address changed. We have sent you an e-mail to confirm it."),
    ]);
    private(&HomePage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account").with_notice(notice),
        id,
        email: holder.email.as_deref().unwrap_or("none"),
        verified: holder.email_verified_ms.map(moment),
        confirmable: is_by_email(&app) && holder.email.is_some() && holder.email_verified_ms.is_none(),
        by_email: visitor.by_email(),
        tier: holder.tier.as_str(),
        since: moment(holder.created_ms),
        referral: &holder.referral_code,
        balance: balance.available.display_gbp(),
        pending: balance.pending.display_gbp(),
        credit: balance.credit.display_gbp(),
        eligible: balance.withdrawal_eligible(),
        keys: keys.iter().filter(|key| key.row.is_active(now_ms())).count(),
        earned: month.total().to_string(),
        sales: month.count(),
        chart: month.chart(earnings::CHART),
        spent: spent.total().to_string(),
        calls: count(spent.count(), "payment or call", "payments and calls"),
        base: &app.settings.base_url,
    })
}
