//! All routes of accounts, except their pages.

use tollbridge_web::Routes;

use crate::{
    account, checkout_session, connect, earning, marketplace, notify, oauth, owner, pay, payments, reputation,
    stripe_events, webhook_deliveries, webhooks, withdrawals,
};

/// Returns the routes that pages of any origin may call, because they use no cookies.
pub fn routes() -> Routes {
    marketplace::routes()
        .merge(owner::routes())
        .merge(payments::routes())
        .merge(account::routes())
        .merge(withdrawals::routes())
        .merge(checkout_session::routes())
        .merge(stripe_events::routes())
        .merge(webhooks::routes())
        .merge(webhook_deliveries::routes())
        .merge(earning::routes())
        .merge(notify::routes())
        .merge(reputation::routes())
        .merge(oauth::metadata::routes())
        .merge(oauth::register::routes())
        .merge(oauth::token::routes())
}

/// Returns routes that people open in a browser and programs may call too.
pub fn browser_routes() -> Routes {
    pay::routes().merge(connect::routes()).merge(oauth::authorize::routes())
}
