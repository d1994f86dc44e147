//! Accounts as they live: opening one, its keys, its balance.
//!
//! `access` describes changes; this room has them written and makes them count
//! at once. An account in the sandbox starts with test credit, sealed in the
//! same write that opens it.

mod delegations;
mod error;
mod history;
mod holds;
mod notify;
mod payouts;
mod service;
mod tally;
mod withdrawal;
mod withdrawals;

pub use delegations::{DelegationError, Delegations};
pub use error::AccountsError;
pub use history::{History, HistoryError, HistoryPage, Line};
pub use holds::{Holds, HoldsError};
pub use notify::Interested;
pub use payouts::{CONNECT_CALLBACK, ConnectError, PayoutAccount, Payouts};
pub use service::{Accounts, Balance, Opened};
pub use tally::{Earned, Tally, TallyError};
pub use withdrawal::{Withdrawal, WithdrawalState};
pub use withdrawals::{Requested, WithdrawError, Withdrawals};
