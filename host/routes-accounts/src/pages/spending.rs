//! The spending of an account by bridge and day, and its last calls.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::{DailySpending, HistoryLine, Spending, spent};
use tollbridge_site::chart::Chart;
use tollbridge_site::month::{Daily, DayRow, Month, NameRow, first_day};
use tollbridge_site::text::moment;
use tollbridge_web::AppState;

use crate::error_mapping::accounts::history_error;
use crate::pages::frame::{Frame, private};
use crate::pages::session::Visitor;

/// Number of calls that the page of spending lists.
const SPENDING_CALLS_LISTED: usize = 50;

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/account/spending", get(page))
}

#[derive(Template)]
#[template(path = "spending.html")]
struct SpendingPage<'a> {
    site: &'a str,
    frame: Frame,
    total: String,
    credit: String,
    /// Whether older records of the month were left out.
    more: bool,
    chart: Chart,
    names: Vec<NameRow>,
    days: Vec<DayRow>,
    calls: Vec<CallRow>,
}

struct CallRow {
    when: String,
    name: String,
    amount: String,
    /// The refunded amount, if any.
    refunded: Option<String>,
    seal: String,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor) -> Result<Response, ApiError> {
    let account = visitor.account();
    let balance = app.accounts.balance(account).map_err(|error| internal(&error))?;
    let (month, spending) = month(&app, account).await?;
    private(&SpendingPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/spending"),
        total: month.total().to_string(),
        credit: balance.credit.to_string(),
        more: spending.more,
        chart: month.chart("Spending per day over the last 30 days"),
        names: month.name_rows(),
        days: month.day_rows(),
        calls: spending.lines.iter().filter_map(call).take(SPENDING_CALLS_LISTED).collect(),
    })
}

fn call(line: &HistoryLine) -> Option<CallRow> {
    let (name, amount) = spent(line)?;
    let (when, seal) = (moment(line.time_ms), hex::encode(line.seal));
    let refunded = line.refunded.filter(|refunded| !refunded.is_zero()).map(|refunded| refunded.to_string());
    Some(CallRow { when, name, amount: amount.to_string(), refunded, seal })
}

/// Returns an account's spending over the displayed days, and the records behind it.
pub(crate) async fn month(app: &AppState, account: &str) -> Result<(Month, Spending), ApiError> {
    let first = first_day(now_ms());
    let spending = app.accounts.history.spending(account, first).await.map_err(history_error)?;
    let daily = |spent: &DailySpending| Daily {
        day: spent.day,
        name: spent.name.clone(),
        amount: spent.amount,
        count: spent.calls,
    };
    Ok((Month { first, days: spending.days.iter().map(daily).collect() }, spending))
}
