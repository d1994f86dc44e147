//! The errors of the crates below as clients see them: code, status and text.

pub mod access;
pub mod accounts;
pub mod agents;
pub mod checkout;
pub mod deploy;
pub mod payments;
pub mod payouts;
pub mod webhooks;
