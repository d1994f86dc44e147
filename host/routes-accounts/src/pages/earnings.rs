//! The earnings of an account, by plugin and day.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::DailyEarnings;
use tollbridge_site::chart::Chart;
use tollbridge_site::month::{Daily, DayRow, Month, NameRow, first_day};
use tollbridge_web::AppState;

use crate::pages::frame::{Frame, private};
use crate::pages::session::Visitor;

/// Maximum number of index steps that one page view waits for; the background indexer
/// does the rest.
const STEPS_PER_VIEW: usize = 10;

/// The title of the chart.
pub(crate) const CHART: &str = "Earnings per day over the last 30 days";

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/account/earnings", get(page))
}

#[derive(Template)]
#[template(path = "earnings.html")]
struct EarningsPage<'a> {
    site: &'a str,
    frame: Frame,
    total: String,
    sales: u64,
    behind: bool,
    chart: Chart,
    plugins: Vec<NameRow>,
    days: Vec<DayRow>,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor) -> Result<Response, ApiError> {
    let (month, behind) = month(&app, visitor.account()).await?;
    private(&EarningsPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/earnings"),
        total: month.total().to_string(),
        sales: month.count(),
        behind,
        chart: month.chart(CHART),
        plugins: month.name_rows(),
        days: month.day_rows(),
    })
}

/// Returns an account's earnings over the displayed days, and whether the index is still behind.
pub(crate) async fn month(app: &AppState, account: &str) -> Result<(Month, bool), ApiError> {
    let tally = &app.accounts.earnings_indexer;
    let behind = match tally.catch_up(STEPS_PER_VIEW).await {
        Ok(more) => more,
        // If the update fails, show outdated sums rather than none.
        Err(error) => {
            tracing::warn!(%error, "cannot update the earnings index");
            true
        }
    };
    let first = first_day(now_ms());
    let earned = tally.earned(account, first).map_err(|error| internal(&error))?;
    let daily = |earned: DailyEarnings| Daily {
        day: earned.day,
        name: earned.plugin,
        amount: earned.amount,
        count: earned.sales,
    };
    Ok((Month { first, days: earned.into_iter().map(daily).collect() }, behind))
}
