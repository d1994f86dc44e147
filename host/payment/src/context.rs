//! What every part of the payment service works with.

use std::sync::Arc;

use super::authorizer::PaymentAuthorizer;
use super::poll_throttle::PollThrottle;
use super::processor::PaymentProcessor;
use tollbridge_store::{Store, Writer};

/// Shared by the parts of the payment service.
pub(crate) struct PaymentContext {
    pub(crate) authorizer: Arc<PaymentAuthorizer>,
    pub(crate) processor: Arc<PaymentProcessor>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) writer: Arc<Writer>,
    pub(crate) throttle: PollThrottle,
}
