//! What a call passes through.

use std::sync::Arc;

use tollbridge_core::in_flight::InFlight;
use tollbridge_ledger::Notary;
use tollbridge_payment::{PaymentAuthorizer, PaymentService};
use tollbridge_runtime::plugins::Services;
use tollbridge_store::{Db, Hash};

use super::resources::Resources;
use crate::catalog::Catalog;

/// The rooms a call passes through.
pub struct Checkout {
    pub catalog: Arc<Catalog>,
    pub payments: Arc<PaymentAuthorizer>,
    pub payment_service: Arc<PaymentService>,
    /// The data folder.
    pub db: Db,
    pub notary: Arc<Notary>,
    pub services: Services,
    pub resources: Resources,
    /// Days for which earnings stay pending.
    pub hold_days: u32,
    pub(super) in_flight: InFlight<Hash>,
}

impl Checkout {
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
        }
    }
}
