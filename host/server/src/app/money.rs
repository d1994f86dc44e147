//! The services in which money comes in and goes out, and what follows up in
//! the background.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tollbridge_core::config::{Config, Processor as Chosen};
use tollbridge_core::time::now_ms;
use tollbridge_market::accounts::{HoldReleaser, Payouts, Withdrawals};
use tollbridge_market::catalog::{Catalog, PluginHost};
use tollbridge_market::risk::RiskEngine;
use tollbridge_payment::{
    Listing, PaymentProcessor, PaymentService, SandboxProcessor, StripeProcessor, StripeWebhookSecret,
};

use super::base::Base;

/// How often plugins that are gone are looked for. They are gone for a day
/// before anything follows from it.
const DEPARTED_EVERY: Duration = Duration::from_secs(60);

/// Built once per process: what is under way is known in memory too.
#[derive(Clone)]
pub struct Money {
    /// Payments and refunds.
    pub payment_service: Arc<PaymentService>,
    /// Accounts that money is paid out to.
    pub payouts: Arc<Payouts>,
    /// Withdrawals.
    pub withdrawals: Arc<Withdrawals>,
    /// Releases earnings.
    pub holds: Arc<HoldReleaser>,
    /// Signing secret of the events that Stripe sends.
    pub event_secret: Option<StripeWebhookSecret>,
}

/// `base_url` is where buyers come back to.
pub(super) fn payment_service(base: &Base, processor: Arc<PaymentProcessor>, base_url: String) -> PaymentService {
    PaymentService::new(
        base.payments.clone(),
        processor,
        base.db.clone(),
        base.access.clone(),
        base_url,
        base.config.tiers.pro_days,
    )
}

impl Money {
    /// `base_url` is where developers come back to. `plugins` score the addresses that ask for payouts; `None` on a stopped
    /// server.
    pub fn new(
        base: &Base,
        payment_service: Arc<PaymentService>,
        processor: Arc<PaymentProcessor>,
        base_url: String,
        plugins: Option<PluginHost>,
    ) -> Self {
        let config = &base.config;
        let risk = Arc::new(RiskEngine { settings: config.risk.clone(), store: base.db.shared_store(), plugins });
        let payouts = Arc::new(Payouts { db: base.db.clone(), processor, base_url });
        let holds = HoldReleaser { db: base.db.clone(), notary: base.notary.clone(), days: config.payments.hold_days };
        Self {
            payment_service,
            withdrawals: Arc::new(Withdrawals::new(payouts.clone(), *base.notary.policy(), Some(risk))),
            payouts,
            holds: Arc::new(holds),
            event_secret: config.payments.stripe.webhook_secret.clone().map(StripeWebhookSecret::new),
        }
    }

    /// Follows up what is under way, at once and then again and again.
    pub async fn keep_following(self, catalog: Arc<Catalog>, every: Duration) {
        let mut looked: Option<Instant> = None;
        loop {
            self.follow().await;
            if looked.is_none_or(|looked| looked.elapsed() >= DEPARTED_EVERY) {
                looked = Some(Instant::now());
                self.follow_departures(&catalog).await;
            }
            tokio::time::sleep(every).await;
        }
    }

    /// What was paid for plugins that are gone for good goes back.
    async fn follow_departures(&self, catalog: &Catalog) {
        let sold = match catalog.sold(self.payouts.db.store()) {
            Ok(sold) => sold,
            Err(error) => return tracing::warn!(%error, "plugins that are gone were not looked for"),
        };
        let sold: Vec<Listing> = sold.into_iter().map(|(name, available)| Listing { name, available }).collect();
        if let Err(error) = self.payment_service.delistings.reconcile(&sold, now_ms()).await {
            tracing::warn!(%error, "what was paid for plugins that are gone was not given back");
        }
    }

    async fn follow(&self) {
        if let Err(error) = self.payment_service.reconcile(now_ms()).await {
            tracing::warn!(%error, "payments under way were not followed up");
        }
        if let Err(error) = self.withdrawals.follow(now_ms()).await {
            tracing::warn!(%error, "withdrawals under way were not followed up");
        }
        let spending = &self.payment_service.authorizer().spend_limiter;
        if let Err(error) = spending.delete_expired(self.payouts.db.writer(), now_ms()).await {
            tracing::warn!(%error, "the spending of past days was not forgotten");
        }
        if let Err(error) = self.holds.release(now_ms()).await {
            tracing::warn!(%error, "earnings on hold were not released");
        }
    }
}

pub(super) fn processor(base: &Base) -> Result<PaymentProcessor> {
    let Config { payments, .. } = &base.config;
    Ok(match (payments.processor, &payments.stripe.secret_key) {
        (Chosen::Sandbox, _) => PaymentProcessor::Sandbox(SandboxProcessor::new(base.db.clone())),
        (Chosen::Stripe, None) => PaymentProcessor::Unconfigured,
        (Chosen::Stripe, Some(key)) => {
            let stripe = &payments.stripe;
            let client = stripe.client_id.clone();
            PaymentProcessor::Stripe(Box::new(StripeProcessor::new(
                key.clone(),
                client,
                &stripe.api_base,
                &stripe.connect_base,
            )?))
        }
    })
}
