//! Balances, withdrawals and transactions as the API shows them.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::money::Millipence;
use tollbridge_core::timestamp::Timestamp;

use super::history::HistoryLine;
use super::service::Balance;
use super::withdrawal::Withdrawal;
use crate::limits::WITHDRAWAL_PENCE_MIN;

/// The balance of an account.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Balance")]
pub struct BalanceView {
    user_id: String,
    balance_gbp: String,
    balance_pence: i64,
    pending_gbp: String,
    credit_gbp: String,
    credit_pence: i64,
    withdrawal_eligible: bool,
    minimum_withdrawal_pence: i64,
    /// Whether a payout account is connected.
    connected: bool,
}

impl BalanceView {
    /// Creates the view of a balance.
    pub fn new(user_id: String, balance: &Balance, connected: bool) -> Self {
        Self {
            user_id,
            balance_gbp: balance.available.display_gbp(),
            balance_pence: balance.available.pence_floor(),
            pending_gbp: balance.pending.display_gbp(),
            credit_gbp: balance.credit.display_gbp(),
            credit_pence: balance.credit.pence_floor(),
            withdrawal_eligible: balance.withdrawal_eligible(),
            minimum_withdrawal_pence: WITHDRAWAL_PENCE_MIN,
            connected,
        }
    }
}

/// A withdrawal.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Withdrawal")]
pub struct WithdrawalView {
    withdrawal_id: String,
    state: &'static str,
    reason: Option<String>,
    amount_gbp: String,
    amount_pence: i64,
    returned_pence: i64,
    /// The processor's id of the transfer.
    transfer: Option<String>,
    created_at: Timestamp,
    ended_at: Option<Timestamp>,
}

impl WithdrawalView {
    /// Creates the view of a withdrawal.
    pub fn new(withdrawal: Withdrawal) -> Self {
        Self {
            state: withdrawal.state.name(),
            reason: withdrawal.state.reason().map(str::to_owned),
            amount_gbp: withdrawal.amount.display_gbp(),
            amount_pence: withdrawal.amount.pence_floor(),
            returned_pence: withdrawal.returned().pence_floor(),
            created_at: Timestamp::from_ms(withdrawal.created_ms),
            ended_at: withdrawal.ended_ms.map(Timestamp::from_ms),
            withdrawal_id: withdrawal.id,
            transfer: withdrawal.reference,
        }
    }
}

/// A sealed record that concerns the account.
#[derive(Serialize, JsonSchema)]
pub struct Transaction {
    transaction_id: String,
    worm_seal: String,
    kind: String,
    at: Timestamp,
    plugin: Option<String>,
    intent: Option<String>,
    amount_millipence: Option<i64>,
    credit_millipence: i64,
    earnings_millipence: i64,
    refunded_millipence: Option<i64>,
}

impl Transaction {
    /// Creates the view of a history line.
    pub fn new(line: HistoryLine) -> Self {
        Self {
            transaction_id: format!("tx_{}", hex::encode(line.tx)),
            worm_seal: hex::encode(line.seal),
            kind: line.kind,
            at: Timestamp::from_ms(line.time_ms),
            plugin: line.plugin,
            intent: line.intent,
            amount_millipence: line.amount.map(Millipence::get),
            credit_millipence: line.credit.get(),
            earnings_millipence: line.earnings.get(),
            refunded_millipence: line.refunded.map(Millipence::get),
        }
    }
}
