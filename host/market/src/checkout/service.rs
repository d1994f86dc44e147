//! What a call passes through.

use std::sync::Arc;

use tollbridge_core::in_flight::InFlight;
use tollbridge_ledger::Notary;
use tollbridge_payment::{PaymentAuthorizer, PaymentService};
use tollbridge_runtime::plugins::{Failure, Services};
use tollbridge_store::{Db, Hash};

use super::call::Call;
use super::failed_inputs::FailedInput;
use super::input::Input;
use super::kept_inputs::{InputToKeep, KeptInputs};
use super::owner_losses::OwnerLosses;
use super::resources::Resources;
use crate::catalog::{Catalog, Offer};

/// The services a call passes through.
pub struct Checkout {
    /// What is offered.
    pub catalog: Arc<Catalog>,
    /// Quotes and holds.
    pub payments: Arc<PaymentAuthorizer>,
    /// Payments and refunds.
    pub payment_service: Arc<PaymentService>,
    /// The data folder.
    pub db: Db,
    /// Seals records.
    pub notary: Arc<Notary>,
    /// What plugins may ask for.
    pub services: Services,
    /// What plugins attach to their answers.
    pub resources: Resources,
    /// Days for which earnings stay pending.
    pub hold_days: u32,
    pub(super) in_flight: InFlight<Hash>,
    pub(super) owner_losses: Arc<OwnerLosses>,
    /// Where inputs are kept to be replayed, if they are.
    kept_inputs: Option<Arc<KeptInputs>>,
}

impl Checkout {
    /// Builds it from its parts.
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
            payments: payment_service.authorizer().clone(),
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

    /// Keeps inputs where the operator says so.
    #[must_use]
    pub fn with_kept_inputs(self, kept_inputs: Arc<KeptInputs>) -> Self {
        Self { kept_inputs: Some(kept_inputs), ..self }
    }

    /// The input of a call, if it is to be kept once the call is answered.
    pub(super) fn input_to_keep(&self, offer: &Offer, input: &Input) -> Option<InputToKeep> {
        self.kept_inputs.as_ref()?.choose(offer, input)
    }

    /// Keeps the input of a call that the plugin failed.
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

    /// Keeps the input of a call that was answered.
    pub(super) fn keep_input(&self, input: Option<InputToKeep>) {
        if let (Some(kept_inputs), Some(input)) = (&self.kept_inputs, input) {
            kept_inputs.keep(input);
        }
    }
}
