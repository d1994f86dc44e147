//! Maps the errors of admission and of paid calls to API errors: code, status and text.

mod access;
mod checkout;

pub use access::access_error;
pub use checkout::checkout_error;
