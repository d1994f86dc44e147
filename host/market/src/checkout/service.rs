//! What a call passes through.

use std::sync::Arc;

use tollbridge_core::in_flight::InFlight;
use tollbridge_ledger::Notary;
use tollbridge_payment::{PaymentAuthorizer, PaymentService};
use tollbridge_runtime::plugins::Services;
use tollbridge_store::{Db, Hash};

use super::owner_losses::OwnerLosses;
use super::resources::Resources;
use crate::catalog::Catalog;

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
        }
    }
}
