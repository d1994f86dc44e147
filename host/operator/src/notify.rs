//! The operator command for addresses that asked to be notified.

use std::sync::Arc;

use tollbridge_market::accounts::{Accounts, NotifyRequest};

use super::answers::answers;
use super::error::OperatorError;

answers! {
    /// A page of addresses that asked to be notified.
    NotifyPage { interested: Vec<NotifyView>, next: Option<String> }
    /// An address that asked to be notified.
    NotifyView { email: String, created_ms: u64 }
}

/// Number of addresses shown at a time.
const PAGE: usize = 1_000;

/// The command for addresses that asked to be notified.
pub(super) struct NotifyCommands {
    pub(super) accounts: Arc<Accounts>,
}

impl NotifyCommands {
    /// Lists addresses that asked to be notified, in alphabetical order, beginning after
    /// the address `after`.
    pub(super) fn list(&self, after: &str) -> Result<NotifyPage, OperatorError> {
        let (requests, next) = self.accounts.notify_requests(after, PAGE)?;
        let view = |NotifyRequest { email, created_ms }| NotifyView { email, created_ms };
        Ok(NotifyPage { interested: requests.into_iter().map(view).collect(), next })
    }
}
