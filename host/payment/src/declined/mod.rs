//! Reasons why a payment for a call is declined.

mod credential;
mod payment;
mod wallet;

pub use credential::CredentialDeclined;
pub use payment::PaymentDeclined;
pub(crate) use payment::check_use;
pub use wallet::WalletDeclined;
