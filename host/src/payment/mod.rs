//! How a call is paid for: quotes, intents, prepaid credit and the processor
//! that takes the money.
//!
//! Invariants:
//! 1. A quote costs no disk write: everything it says is in its id, which only
//!    this host can have made. It is stored when somebody pays.
//! 2. The intent id is a bearer secret. The pay link shows a token that is
//!    derived from it one way.
//! 3. Paid money never expires; only an unpaid quote does.
//! 4. What is held for calls in flight is never held twice, and a hold that is
//!    dropped is released.

mod funds;
mod intent;
mod quote;
mod sandbox;
#[cfg(test)]
mod tests;

pub use funds::{Funds, Hold, HoldError};
pub use intent::{Draw, IntentRow, Payments, Problem, Quoting, Standing};
pub use quote::{Handle, Issued, Quote, QuoteBook, QuoteError, Terms};
pub use sandbox::{Paid, PayError};
