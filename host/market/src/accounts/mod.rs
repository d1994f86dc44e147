//! Account operations: opening accounts, keys, balances and payouts.
//!
//! The `access` crate computes the changes; this module writes them, and they take effect
//! immediately. A sandbox account starts with test credit, which is sealed in the same
//! write that opens the account.

mod delegations;
mod earnings_indexer;
mod email_links;
mod email_messages;
mod error;
mod history;
mod hold_releaser;
mod notify;
mod payouts;
mod reversals;
mod service;
mod spending;
mod transfer_step;
mod views;
mod withdrawal;
#[cfg(test)]
mod withdrawal_model;
mod withdrawals;

pub use delegations::{DelegationError, Delegations};
pub use earnings_indexer::{DailyEarnings, EarningsIndexer};
pub use email_links::{EmailLinks, EmailLinksError, LinkDelivery, RequestedLink, SignedInByEmail};
pub use email_messages::AccountNotice;
pub use error::AccountsError;
pub use history::{History, HistoryError, HistoryLine, HistoryPage, amount_of, intent_of};
pub use hold_releaser::{HoldReleaseError, HoldReleaser};
pub use notify::NotifyRequest;
pub use payouts::{CONNECT_CALLBACK, ConnectError, PayoutAccount, Payouts};
pub use service::{Accounts, Balance, OpenedAccount};
pub use spending::{DailySpending, Spending, spent};
pub use views::{BalanceView, Transaction, WithdrawalView};
pub use withdrawal::{Withdrawal, WithdrawalState};
pub use withdrawals::{WithdrawError, WithdrawalOutcome, Withdrawals};
