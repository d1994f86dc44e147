//! The checkout service, which holds everything that calls depend on.

use std::sync::Arc;

use tollbridge_ledger::{Earnings, Notary};
use tollbridge_payment::{CallPayments, PaymentService};
use tollbridge_plugin::Services;
use tollbridge_store::Db;

use super::call_tree::NestedCalls;
use super::checkout_payments::CheckoutPayments;
use super::nested_charges::NestedCharges;
use super::refusals::Refusals;
use super::sealer::Sealer;
use super::stored_answers::StoredAnswers;
use super::version_runner::VersionRunner;
use crate::catalog::Catalog;
use crate::kept_inputs::KeptInputs;
use crate::resources::Resources;

/// The services that calls use.
pub struct Checkout {
    /// Catalog of offers.
    pub catalog: Arc<Catalog>,
    /// Quotes, intents and holds.
    pub payments: Arc<CallPayments>,
    /// Payments and refunds.
    pub payment_service: Arc<PaymentService>,
    /// Handle on the data folder.
    pub db: Db,
    /// Notary that seals records.
    pub notary: Arc<Notary>,
    /// Services available to plugins.
    pub services: Services,
    /// Stored resources that calls refer to.
    pub resources: Arc<Resources>,
    /// Stored answers of sealed calls.
    pub answers: Arc<StoredAnswers>,
    pub(super) checkout_payments: CheckoutPayments,
    pub(super) version_runner: VersionRunner,
    pub(super) nested_calls: Arc<NestedCalls>,
    pub(super) nested_charges: NestedCharges,
    pub(super) sealer: Sealer,
}

impl Checkout {
    /// Creates the service from its parts.
    pub fn new(
        catalog: Arc<Catalog>,
        payment_service: Arc<PaymentService>,
        db: Db,
        notary: Arc<Notary>,
        services: Services,
        hold_days: u32,
    ) -> Self {
        let payments = payment_service.payments().clone();
        let resources = Arc::new(Resources::new(db.clone()));
        let answers = Arc::new(StoredAnswers::new(db.clone(), notary.clone()));
        let refusals = Arc::new(Refusals { payments: payments.clone(), answers: answers.clone() });
        let earnings = if hold_days > 0 { Earnings::Pending } else { Earnings::Available };
        Self {
            checkout_payments: CheckoutPayments {
                payments: payments.clone(),
                service: payment_service.clone(),
                refusals: refusals.clone(),
            },
            version_runner: VersionRunner {
                services: services.clone(),
                resources: resources.clone(),
                kept_inputs: None,
            },
            nested_calls: Arc::new(NestedCalls {
                catalog: catalog.clone(),
                payments: payments.clone(),
                db: db.clone(),
                services: services.clone(),
                resources: resources.clone(),
                owner_losses: Arc::default(),
            }),
            nested_charges: NestedCharges { db: db.clone(), notary: notary.clone(), earnings },
            sealer: Sealer { db: db.clone(), notary: notary.clone(), refusals, earnings },
            catalog,
            payments,
            payment_service,
            db,
            notary,
            services,
            resources,
            answers,
        }
    }

    /// Enables storing the inputs of calls, for the plugins that the operator configured.
    #[must_use]
    pub fn with_kept_inputs(mut self, kept_inputs: Arc<KeptInputs>) -> Self {
        self.version_runner.kept_inputs = Some(kept_inputs);
        self
    }
}
