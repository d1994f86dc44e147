//! The overview of an account.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;

use super::chart::Chart;
use super::{Frame, Visitor, earnings, minute, private};
use crate::error::ApiError;
use crate::{Shared, account, internal};

pub fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/account", get(page))
}

#[derive(Template)]
#[template(path = "account_home.html")]
struct HomePage<'a> {
    site: &'a str,
    frame: Frame,
    id: &'a str,
    email: &'a str,
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
    base: &'a str,
}

async fn page(State(shared): State<Arc<Shared>>, visitor: Visitor) -> Result<Response, ApiError> {
    let id = visitor.account();
    let own = shared.accounts.account(id).map_err(account::refused)?;
    let balance = shared.accounts.balance(id).map_err(|error| internal(&error))?;
    let keys = shared.accounts.keys(id).map_err(account::refused)?;
    let month = earnings::month(&shared, id).await?;
    private(&HomePage {
        site: &shared.settings.display_name,
        frame: Frame::new(&shared, &visitor, "/account"),
        id,
        email: own.email.as_deref().unwrap_or("none"),
        tier: own.tier.as_str(),
        since: minute(own.created_ms),
        referral: &own.referral_code,
        balance: balance.available.display_gbp(),
        pending: balance.pending.display_gbp(),
        credit: balance.credit.display_gbp(),
        eligible: balance.withdrawal_eligible(),
        keys: keys.iter().filter(|key| key.row.is_active(crate::now_ms())).count(),
        earned: month.total().display_gbp(),
        sales: month.sales(),
        chart: month.chart(),
        base: &shared.settings.base_url,
    })
}
