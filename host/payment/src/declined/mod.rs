//! Reasons why a payment does not pay for a call.

mod credential;
mod payment;
mod wallet;

pub use credential::CredentialDeclined;
pub use payment::PaymentDeclined;
pub(crate) use payment::check_use;
pub use wallet::WalletDeclined;
