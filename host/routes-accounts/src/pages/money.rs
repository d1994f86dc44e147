//! The money page of an account: payout account, withdrawals, credit.

use std::net::IpAddr;
use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tollbridge_api::error::{ApiError, internal};
use tollbridge_core::time::now_ms;
use tollbridge_ledger::idempotency::{IdempotencyKey, RequestIdentity};
use tollbridge_market::accounts::{Withdrawal, WithdrawalState};
use tollbridge_paywall::payout_errors::{connect_error, withdraw_error};
use tollbridge_site::text::moment;
use tollbridge_web::AppState;

use crate::error_mapping::accounts::accounts_error;
use crate::pages::frame::{Done, Frame, private, redirect_page};
use crate::pages::session::{Posted, Visitor};
use crate::{checkout_session, withdrawals};

/// Maximum number of withdrawals listed on the page.
const LISTED_MAX: usize = 50;
const ROUTE: &str = "POST /account/money/withdraw";

/// Returns this module's routes.
pub(crate) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/account/money", get(page))
        .route("/account/money/connect", post(begin_connect))
        .route("/account/money/withdraw", post(withdraw))
        .route("/account/money/top-up", post(top_up))
}

#[derive(Template)]
#[template(path = "money.html")]
struct MoneyPage<'a> {
    site: &'a str,
    frame: Frame,
    balance: String,
    pending: String,
    credit: String,
    eligible: bool,
    payout: Option<Payout>,
    /// Whether the visitor signed in by e-mail, and so may not move money.
    by_email: bool,
    /// The time until which withdrawals are blocked because an e-mail session created a
    /// key; `None` if they are not blocked.
    waits: Option<String>,
    withdrawals: Vec<Row>,
    /// Idempotency key: a form that is submitted twice requests only one withdrawal.
    once: String,
}

/// The account that withdrawals go to.
struct Payout {
    name: String,
    /// The time at which the account becomes usable; `None` if it already is.
    from: Option<String>,
}

struct Row {
    when: String,
    amount: String,
    state: String,
    id: String,
}

async fn page(State(app): State<Arc<AppState>>, visitor: Visitor, done: Done) -> Result<Response, ApiError> {
    let account = visitor.account();
    let balance = app.accounts.balance(account).map_err(|error| internal(&error))?;
    let holder = app.accounts.account(account).map_err(accounts_error)?;
    let payout = app.payouts.of(account).map_err(connect_error)?;
    let now = now_ms();
    let list = app.withdrawals.list(account, None, LISTED_MAX).map_err(withdraw_error)?;
    let notice = done.notice(&[
        ("sent", "Withdrawal sent. It arrives within one business day."),
        ("unclear", "Withdrawal is being confirmed. Check this page for its status."),
    ]);
    let mut once = [0_u8; 16];
    getrandom::fill(&mut once).map_err(|error| internal(&error))?;
    private(&MoneyPage {
        site: &app.settings.display_name,
        frame: Frame::new(&app, &visitor, "/account/money").with_notice(notice),
        balance: balance.available.display_gbp(),
        pending: balance.pending.display_gbp(),
        credit: balance.credit.display_gbp(),
        eligible: balance.withdrawal_eligible(),
        payout: payout.map(|account| Payout {
            name: account.destination,
            from: (account.usable_ms > now).then(|| moment(account.usable_ms)),
        }),
        by_email: visitor.by_email(),
        waits: holder.withdrawals_from_ms.filter(|from_ms| now < *from_ms).map(moment),
        withdrawals: list.iter().map(row).collect(),
        once: hex::encode(once),
    })
}

fn row(withdrawal: &Withdrawal) -> Row {
    let state = match withdrawal.state.reason() {
        Some(reason) => format!("{}: {reason}", withdrawal.state.name()),
        None => withdrawal.state.name().to_owned(),
    };
    Row {
        when: moment(withdrawal.created_ms),
        amount: withdrawal.amount.display_gbp(),
        state,
        id: withdrawal.id.clone(),
    }
}

async fn begin_connect(State(app): State<Arc<AppState>>, posted: Posted) -> Result<Response, ApiError> {
    posted.visitor.needs_key("connect a payout account")?;
    let url = app.payouts.invite(posted.visitor.account(), now_ms()).await.map_err(connect_error)?;
    redirect_page(&app, "Connect a payout account", &url)
}

async fn withdraw(
    State(app): State<Arc<AppState>>,
    Extension(client): Extension<IpAddr>,
    posted: Posted,
) -> Result<Response, ApiError> {
    posted.visitor.needs_key("withdraw")?;
    let account = posted.visitor.account();
    let once = posted.fields.text("once");
    if once.len() != 32 || !once.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(ApiError::invalid("/once", "reload the page and submit the form again"));
    }
    let key = IdempotencyKey::parse(once).map_err(|error| ApiError::invalid("/once", error.to_string()))?;
    let identity = Some(RequestIdentity::of_call(account, ROUTE, key, b""));
    let requested = app.withdrawals.withdraw(account, Some(client), identity, now_ms()).await;
    let requested = requested.map_err(withdraw_error)?;
    // Return an error if the processor or a risk rule refused the withdrawal.
    withdrawals::answer(&requested)?;
    withdrawals::notify(&app, account, &requested, client);
    let unclear = matches!(requested.withdrawal.state, WithdrawalState::Sending | WithdrawalState::Unclear);
    Ok(Redirect::to(&format!("/account/money?done={}", if unclear { "unclear" } else { "sent" })).into_response())
}

async fn top_up(State(app): State<Arc<AppState>>, posted: Posted) -> Result<Response, ApiError> {
    let pounds = posted.fields.text("pounds");
    let quantity: i64 =
        pounds.parse().map_err(|_| ApiError::invalid("/pounds", "enter a number of whole pounds, for example 10"))?;
    let session = checkout_session::begin(&app, posted.visitor.account(), "credit", quantity).await?;
    redirect_page(&app, "Add credit", &session.url)
}
