//! The services for incoming and outgoing payments, and their background work.

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
    UnconfiguredProcessor,
};

use super::base::Base;

/// Interval between checks for deleted plugins. Payments are refunded once a plugin has
/// been missing for a day.
const DEPARTURE_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// The payment services. Built once per process, because they also track work in memory.
#[derive(Clone)]
pub struct Money {
    /// Payments and refunds.
    pub payment_service: Arc<PaymentService>,
    /// Connected payout accounts.
    pub payouts: Arc<Payouts>,
    /// Withdrawals.
    pub withdrawals: Arc<Withdrawals>,
    /// Releases earnings after the hold period.
    pub holds: Arc<HoldReleaser>,
    /// The secret that verifies Stripe's events.
    pub event_secret: Option<StripeWebhookSecret>,
}

/// Builds the payment service; buyers return to `base_url` after paying.
pub(super) fn payment_service(base: &Base, processor: Arc<dyn PaymentProcessor>, base_url: String) -> PaymentService {
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
    /// Builds the services. Developers return to `base_url` after connecting a payout
    /// account. `plugins` score the client addresses of payout requests; `None` on a
    /// stopped server.
    pub fn new(
        base: &Base,
        payment_service: Arc<PaymentService>,
        processor: Arc<dyn PaymentProcessor>,
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

    /// Follows up open payments and withdrawals, at once and then regularly.
    pub async fn keep_following(self, catalog: Arc<Catalog>, every: Duration) {
        let mut looked: Option<Instant> = None;
        loop {
            self.follow().await;
            if looked.is_none_or(|looked| looked.elapsed() >= DEPARTURE_CHECK_INTERVAL) {
                looked = Some(Instant::now());
                self.follow_departures(&catalog).await;
            }
            tokio::time::sleep(every).await;
        }
    }

    /// Refunds what was paid for plugins that were permanently deleted.
    async fn follow_departures(&self, catalog: &Catalog) {
        let sold = match catalog.sold(self.payouts.db.store()) {
            Ok(sold) => sold,
            Err(error) => return tracing::warn!(%error, "cannot look for deleted plugins"),
        };
        let sold: Vec<Listing> = sold.into_iter().map(|(name, available)| Listing { name, available }).collect();
        if let Err(error) = self.payment_service.delistings.reconcile(&sold, now_ms()).await {
            tracing::warn!(%error, "cannot refund payments for deleted plugins");
        }
    }

    async fn follow(&self) {
        if let Err(error) = self.payment_service.reconcile(now_ms()).await {
            tracing::warn!(%error, "cannot follow up open payments");
        }
        if let Err(error) = self.withdrawals.follow(now_ms()).await {
            tracing::warn!(%error, "cannot follow up open withdrawals");
        }
        let spending = &self.payment_service.payments().authorizer.spend_limiter;
        if let Err(error) = spending.delete_expired(self.payouts.db.writer(), now_ms()).await {
            tracing::warn!(%error, "cannot delete the spending of past days");
        }
        if let Err(error) = self.holds.release(now_ms()).await {
            tracing::warn!(%error, "cannot release earnings on hold");
        }
    }
}

pub(super) fn processor(base: &Base) -> Result<Arc<dyn PaymentProcessor>> {
    let Config { payments, .. } = &base.config;
    Ok(match (payments.processor, &payments.stripe.secret_key) {
        (Chosen::Sandbox, _) => Arc::new(SandboxProcessor::new(base.db.clone())),
        (Chosen::Stripe, None) => {
            Arc::new(UnconfiguredProcessor { name: payments.processor.as_str(), fix: "set payments.stripe.secret_key" })
        }
        (Chosen::Stripe, Some(key)) => {
            let stripe = &payments.stripe;
            let client = stripe.client_id.clone();
            Arc::new(StripeProcessor::new(key.clone(), client, &stripe.api_base, &stripe.connect_base)?)
        }
    })
}
