//! What an account earned, by plugin and day.

use std::collections::BTreeMap;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::limits::{EARNINGS_DAYS_SHOWN, EARNINGS_PLUGINS_SHOWN};
use tollbridge_core::money::Millipence;
use tollbridge_core::time::now_ms;
use tollbridge_core::time::{DAY_MS, date};
use tollbridge_market::accounts::DailyEarnings;

use crate::pages::frame::{Frame, private};
use crate::pages::session::Visitor;
use crate::state::AppState;
use tollbridge_site::chart::{Bar, Chart};

/// Writes of new sums that one look may wait for; the rest follows by itself.
const STEPS_PER_LOOK: usize = 10;

/// The routes of this area.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new().route("/account/earnings", get(page))
}

/// What an account earned in the days that are shown.
pub(crate) struct Month {
    /// Days since 1970.
    first: u64,
    earned: Vec<DailyEarnings>,
    /// Whether sales are known that are not in the sums yet.
    behind: bool,
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
    plugins: Vec<PluginRow>,
    days: Vec<DayRow>,
}

struct PluginRow {
    name: String,
    class: String,
    sales: u64,
    amount: String,
}

struct DayRow {
    day: String,
    plugin: String,
    sales: u64,
    amount: String,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor) -> Result<Response, ApiError> {
    let month = month(&app, visitor.account()).await?;
    private(&EarningsPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/earnings"),
        total: month.total().display_gbp(),
        sales: month.sales(),
        behind: month.behind,
        chart: month.chart(),
        plugins: month.plugin_rows(),
        days: month.day_rows(),
    })
}

/// The days that are shown, up to today.
pub(crate) async fn month(app: &AppState, account: &str) -> Result<Month, ApiError> {
    let tally = &app.accounts.earnings_indexer;
    let behind = match tally.catch_up(STEPS_PER_LOOK).await {
        Ok(more) => more,
        // Sums that are late are better than none.
        Err(error) => {
            tracing::warn!(%error, "earnings were not summed up");
            true
        }
    };
    let first = (now_ms() / DAY_MS).saturating_sub(EARNINGS_DAYS_SHOWN - 1);
    let earned = tally.earned(account, first).map_err(|error| internal(&error))?;
    Ok(Month { first, earned, behind })
}

impl Month {
    /// What was earned in all.
    pub(crate) fn total(&self) -> Millipence {
        sum(self.earned.iter().map(|earned| earned.amount))
    }

    /// How many calls were sold.
    pub(crate) fn sales(&self) -> u64 {
        self.earned.iter().map(|earned| earned.sales).sum()
    }

    /// Plugins, those that earned most first.
    fn ranking(&self) -> Vec<(&str, Millipence, u64)> {
        let mut sums = BTreeMap::<&str, (Millipence, u64)>::new();
        for earned in &self.earned {
            let (amount, sales) = sums.entry(&earned.plugin).or_default();
            *amount = amount.checked_add(earned.amount).unwrap_or(*amount);
            *sales = sales.saturating_add(earned.sales);
        }
        let mut ranked: Vec<_> = sums.into_iter().map(|(name, (amount, sales))| (name, amount, sales)).collect();
        ranked.sort_by_key(|(name, amount, _)| (std::cmp::Reverse(*amount), *name));
        ranked
    }

    /// One bar per day, its parts in the order of the ranking.
    pub(crate) fn chart(&self) -> Chart {
        let names: Vec<&str> = self.ranking().iter().map(|(name, ..)| *name).collect();
        let place = |plugin: &str| names.iter().position(|name| *name == plugin).unwrap_or(EARNINGS_PLUGINS_SHOWN);
        let bars = (self.first..self.first + EARNINGS_DAYS_SHOWN).map(|day| {
            let mut parts = vec![Millipence::ZERO; EARNINGS_PLUGINS_SHOWN + 1];
            for earned in self.earned.iter().filter(|earned| earned.day == day) {
                let place = place(&earned.plugin).min(EARNINGS_PLUGINS_SHOWN);
                if let Some(part) = parts.get_mut(place) {
                    *part = part.checked_add(earned.amount).unwrap_or(*part);
                }
            }
            Bar { label: date(day.saturating_mul(DAY_MS)), parts }
        });
        let mut legend: Vec<String> =
            names.iter().take(EARNINGS_PLUGINS_SHOWN).map(|name| (*name).to_owned()).collect();
        if names.len() > EARNINGS_PLUGINS_SHOWN {
            legend.push("others".to_owned());
        }
        Chart::new(&bars.collect::<Vec<_>>(), &legend)
    }

    fn plugin_rows(&self) -> Vec<PluginRow> {
        let row = |(place, (name, amount, sales)): (usize, (&str, Millipence, u64))| PluginRow {
            name: name.to_owned(),
            class: format!("s{}", place.min(EARNINGS_PLUGINS_SHOWN)),
            sales,
            amount: amount.to_string(),
        };
        self.ranking().into_iter().enumerate().map(row).collect()
    }

    /// The newest first.
    fn day_rows(&self) -> Vec<DayRow> {
        let row = |earned: &DailyEarnings| DayRow {
            day: date(earned.day.saturating_mul(DAY_MS)),
            plugin: earned.plugin.clone(),
            sales: earned.sales,
            amount: earned.amount.to_string(),
        };
        self.earned.iter().rev().map(row).collect()
    }
}

fn sum(amounts: impl Iterator<Item = Millipence>) -> Millipence {
    amounts.fold(Millipence::ZERO, |sum, amount| sum.checked_add(amount).unwrap_or(sum))
}
