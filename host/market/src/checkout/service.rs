//! The checkout service, which holds everything that calls depend on.

use std::sync::Arc;

use tollbridge_core::in_flight::InFlight;
use tollbridge_ledger::Notary;
use tollbridge_payment::{CallPayments, PaymentService};
use tollbridge_runtime::plugins::{Failure, Services};
use tollbridge_store::{Db, Hash};

use super::call::Call;
use super::failed_inputs::FailedInput;
use super::input::Input;
use super::kept_inputs::{InputToKeep, KeptInputs};
use super::owner_losses::OwnerLosses;
use super::resources::Resources;
use crate::catalog::{Catalog, Offer};

/// The services that calls use.
pub struct Checkout {
    /// Catalog of offers.
    pub catalog: Arc<Catalog>,
    /// Quotes and holds.
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
    pub resources: Resources,
    /// Number of days for which earnings are on hold.
    pub hold_days: u32,
    pub(super) in_flight: InFlight<Hash>,
    pub(super) owner_losses: Arc<OwnerLosses>,
    /// Storage of inputs for replays, if configured.
    kept_inputs: Option<Arc<KeptInputs>>,
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
        let resources = Resources::new(db.clone());
        Self {
            catalog,
            payments: payment_service.payments().clone(),
            payment_service,
            resources,
            db,
            notary,
            services,
            hold_days,
            in_flight: InFlight::default(),
            owner_losses: Arc::default(),
            kept_inputs: None,
        }
    }

    /// Enables storing the inputs of plugins for which the operator configured it.
    #[must_use]
    pub fn with_kept_inputs(self, kept_inputs: Arc<KeptInputs>) -> Self {
        Self { kept_inputs: Some(kept_inputs), ..self }
    }

    /// Returns the input to store if the call is answered; `None` if inputs of this
    /// plugin are not stored.
    pub(super) fn input_to_keep(&self, offer: &Offer, input: &Input) -> Option<InputToKeep> {
        self.kept_inputs.as_ref()?.choose(offer, input)
    }

    /// Stores the input of a call that failed in the plugin.
    pub(super) fn keep_failed(&self, call: &Call, offer: &Offer, input: &Input, failure: &Failure) {
        let Some(report) = failure.report() else { return };
        if let (Some(kept_inputs), Some(to_keep)) = (&self.kept_inputs, self.input_to_keep(offer, input)) {
            let failed = FailedInput {
                request_id: call.request_id.clone(),
                version: offer.version_text.clone(),
                at_ms: call.now_ms,
                why: format!("{}: {}", failure.kind(), report.headline()),
                body: String::new(),
            };
            kept_inputs.keep_failed(to_keep, failed);
        }
    }

    /// Stores the input of an answered call.
    pub(super) fn keep_input(&self, input: Option<InputToKeep>) {
        if let (Some(kept_inputs), Some(input)) = (&self.kept_inputs, input) {
            kept_inputs.keep(input);
        }
    }
}
