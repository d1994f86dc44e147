//! What every part of the payment service works with.

use std::sync::Arc;

use tollbridge_store::Db;

use super::authorizer::PaymentAuthorizer;
use super::poll_throttle::PollThrottle;
use super::processor::PaymentProcessor;

/// Shared by the parts of the payment service.
pub(crate) struct PaymentContext {
    pub(crate) authorizer: Arc<PaymentAuthorizer>,
    pub(crate) processor: Arc<PaymentProcessor>,
    /// The data folder.
    pub(crate) db: Db,
    pub(crate) throttle: PollThrottle,
}
