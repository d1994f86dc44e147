//! Outcomes of settlements. Above all, they say whether money may have moved.

use serde_json::Map;

use crate::address::Address;
use crate::amount::Amount;
use crate::bytes32::TransactionHash;
use crate::check::Authorized;
use crate::code::Code;
use crate::network::Network;
use crate::wire::SettlementResponse;

/// Whether a settlement of this payment was requested before.
///
/// If an earlier request had an unclear outcome, it may have been carried out. A refusal
/// of this request then proves nothing: the earlier settlement may have used the nonce,
/// or the authorization may have expired after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// No settlement of this payment was requested before.
    First,
    /// A settlement of this payment was, or may have been, requested before, and the
    /// outcome is unknown.
    Again,
}

/// The outcome of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The money moved.
    Settled(Settled),
    /// This payment moved no money. If another party has the authorization, money could
    /// still move until [`Authorized::valid_before`]: the caller must keep the
    /// authorization and its nonce until then.
    Refused {
        /// The facilitator's code, at most 100 characters.
        reason: String,
    },
    /// Money may have moved. Request the settlement again with [`Attempt::Again`], or
    /// look up the payment on the chain by payer and nonce; never treat this outcome as a
    /// refusal.
    Unclear {
        /// Reason why the outcome is unclear.
        why: UnclearReason,
        /// Details for the log; at most 300 characters.
        detail: String,
        /// The transaction named by the facilitator, if any.
        transaction: Option<TransactionHash>,
    },
}

/// A settlement that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Transaction hash.
    pub transaction: TransactionHash,
    /// Payer.
    pub payer: Address,
    /// Network of the transfer.
    pub network: Network,
    /// Amount in smallest units, exactly as requested.
    pub amount: Amount,
}

impl From<&Settled> for SettlementResponse {
    /// Converts the settlement to the response for the payer.
    fn from(settled: &Settled) -> Self {
        Self {
            success: true,
            error_reason: None,
            payer: Some(settled.payer.to_string()),
            transaction: settled.transaction.to_string(),
            network: settled.network.clone(),
            amount: Some(settled.amount),
            extensions: Map::new(),
        }
    }
}

/// A reason why the outcome of a settlement is unclear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnclearReason {
    /// No connection was made, so the request was not sent. If this attempt was
    /// [`Attempt::First`], the next attempt may be `First` too.
    NotSent,
    /// The facilitator did not respond in time.
    TimedOut,
    /// The connection broke after the request was sent.
    Broken,
    /// The response was unusable: an unexpected status, a proxy's page, or a body that is
    /// too large.
    Nonsense,
    /// The response reported success without a transaction.
    NoTransaction,
    /// The response reported success for another network, payer or amount.
    OtherPayment,
    /// The response reported a failure after the settlement had begun, or a settlement
    /// that is still pending.
    Pending,
    /// A repeated request was refused; the earlier request may have been carried out.
    RefusedAgain,
}

/// Codes with which official facilitators refuse a payment before sending anything to the
/// chain. `..._nonce_already_used` is omitted: this very authorization may have used the
/// nonce. `permit2_invalid_nonce` is omitted for the same reason.
///
/// Source: `x402` 2.25.0 (PyPI), `mechanisms/evm/constants.py` and
/// `exact/facilitator.py`, `upto/permit2_utils.py`.
const REFUSALS: [&str; 18] = [
    "asset_not_deployed_contract",
    "eip6492_factory_not_allowed",
    "invalid_exact_evm_eip3009_not_supported",
    "invalid_exact_evm_failed_to_get_asset_info",
    "invalid_exact_evm_failed_to_get_network_config",
    "invalid_exact_evm_failed_to_verify_signature",
    "invalid_exact_evm_insufficient_balance",
    "invalid_exact_evm_payload_undeployed_smart_wallet",
    "invalid_exact_evm_token_name_mismatch",
    "invalid_exact_evm_token_version_mismatch",
    "invalid_exact_evm_transaction_simulation_failed",
    "invalid_upto_evm_network_mismatch",
    "invalid_upto_evm_payload_settlement_exceeds_amount",
    "invalid_upto_evm_scheme",
    "missing_eip712_domain",
    "network_mismatch",
    "permit2_allowance_required",
    "permit2_insufficient_balance",
];

/// Returns whether a code proves that nothing was sent to the chain. An unknown code
/// proves nothing.
fn is_refusal(reason: &str) -> bool {
    match Code::find(reason) {
        Some(Code::InvalidTransactionState | Code::UnexpectedSettleError | Code::UnexpectedVerifyError) => false,
        Some(_) => true,
        None => REFUSALS.contains(&reason),
    }
}

impl Outcome {
    pub(crate) fn unclear(why: UnclearReason, detail: &str, transaction: Option<TransactionHash>) -> Self {
        Self::Unclear { why, detail: tollbridge_core::excerpt::excerpt(detail, 300), transaction }
    }

    /// Converts a facilitator's response to a request to settle `asked` into an outcome.
    pub(crate) fn of(answer: &SettlementResponse, asked: &Authorized, attempt: Attempt) -> Self {
        let transaction = answer.transaction.parse::<TransactionHash>().ok();
        if answer.success {
            return settled(answer, asked, transaction);
        }
        let reason = answer.error_reason.as_deref().unwrap_or_default();
        let short: String = reason.chars().filter(|c| !c.is_control()).take(100).collect();
        if !answer.transaction.is_empty() || !is_refusal(reason) {
            return Self::unclear(UnclearReason::Pending, &format!("not settled: `{short}`"), transaction);
        }
        match attempt {
            Attempt::First => Self::Refused { reason: short },
            Attempt::Again => Self::unclear(UnclearReason::RefusedAgain, &format!("refused: `{short}`"), None),
        }
    }
}

fn settled(answer: &SettlementResponse, asked: &Authorized, transaction: Option<TransactionHash>) -> Outcome {
    let (network, amount) = (asked.requirement().token().chain.network(), asked.amount());
    let other = |what: &str| {
        Outcome::unclear(UnclearReason::OtherPayment, &format!("settled with another {what}"), transaction)
    };
    if answer.network != network {
        return other("network");
    }
    if answer.payer.as_deref().is_some_and(|payer| payer.parse() != Ok(asked.payer())) {
        return other("payer");
    }
    if answer.amount.is_some_and(|settled| settled != amount) {
        return other("amount");
    }
    match transaction.filter(|transaction| transaction.bytes() != [0; 32]) {
        Some(transaction) => Outcome::Settled(Settled { transaction, payer: asked.payer(), network, amount }),
        None => Outcome::unclear(UnclearReason::NoTransaction, "settled, without a transaction", None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_found_before_anything_was_sent_is_a_refusal() {
        for reason in [
            "insufficient_funds",
            "unsupported_scheme",
            "invalid_exact_evm_insufficient_balance",
            "permit2_insufficient_balance",
            "permit2_deadline_expired",
        ] {
            assert!(is_refusal(reason), "{reason}");
        }
        for reason in [
            "",
            "settlement_pending",
            "transaction_failed",
            "invalid_exact_evm_nonce_already_used",
            "invalid_exact_evm_transfer_event_mismatch",
            "invalid_transaction_state",
            "unexpected_settle_error",
            "permit2_invalid_nonce",
            "invalid_upto_evm_transaction_failed",
            "rate limited",
        ] {
            assert!(!is_refusal(reason), "{reason}");
        }
    }
}
