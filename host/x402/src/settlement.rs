//! Outcomes of settlements. The essential question is whether money may have moved.

use serde_json::Map;

use crate::address::Address;
use crate::amount::Amount;
use crate::bytes32::TransactionHash;
use crate::check::Authorized;
use crate::code::Code;
use crate::network::Network;
use crate::wire::SettlementResponse;

/// Whether a settlement was requested before.
///
/// After an unclear outcome, a refusal proves nothing: the nonce may be used, or the
/// authorization expired, because the first request was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// No facilitator was asked to settle this payment before.
    First,
    /// A settlement was, or may have been, requested, and its outcome is unknown.
    Again,
}

/// The outcome of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The money moved.
    Settled(Settled),
    /// No money moved by this payment; `reason` is the facilitator's code, at most 100
    /// characters. Money could still move until [`Authorized::valid_before`] if another
    /// party has the authorization: keep both it and its nonce.
    Refused {
        /// The facilitator's code.
        reason: String,
    },
    /// Money may have moved. Ask again with [`Attempt::Again`], or look it up on the
    /// chain by payer and nonce; never treat it as a refusal.
    Unclear {
        /// Reason of the doubt.
        why: Why,
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
    /// Converts to the response for the payer.
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

/// A reason why an outcome is unclear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No connection was made, so the request was not sent and nothing happened. If
    /// this was [`Attempt::First`], the next may be too.
    NotSent,
    /// No response in time.
    TimedOut,
    /// The connection broke after the request was sent.
    Broken,
    /// An unusable response: a meaningless status, a proxy's page, or a body that is
    /// too large.
    Nonsense,
    /// A success without a transaction.
    NoTransaction,
    /// A success for another network, payer or amount.
    OtherPayment,
    /// A failure after the settlement began, or one that is not finished.
    Pending,
    /// A refusal of a repeated request.
    RefusedAgain,
}

/// Codes of official facilitators for refusals before anything was sent.
/// `..._nonce_already_used` is not among them: this very authorization may have been
/// carried out.
///
/// Source: `x402` 2.25.0 (PyPI), `mechanisms/evm/constants.py` and
/// `exact/facilitator.py`, `upto/permit2_utils.py`. `permit2_invalid_nonce` is not
/// included for the same reason.
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

/// Returns whether a code proves that nothing was sent to the chain. Unknown codes do
/// not.
fn is_refusal(reason: &str) -> bool {
    match Code::find(reason) {
        Some(Code::InvalidTransactionState | Code::UnexpectedSettleError | Code::UnexpectedVerifyError) => false,
        Some(_) => true,
        None => REFUSALS.contains(&reason),
    }
}

impl Outcome {
    pub(crate) fn unclear(why: Why, detail: &str, transaction: Option<TransactionHash>) -> Self {
        Self::Unclear { why, detail: tollbridge_core::excerpt::excerpt(detail, 300), transaction }
    }

    /// Interprets a facilitator's response to the settlement of `asked`.
    pub(crate) fn of(answer: &SettlementResponse, asked: &Authorized, attempt: Attempt) -> Self {
        let transaction = answer.transaction.parse::<TransactionHash>().ok();
        if answer.success {
            return settled(answer, asked, transaction);
        }
        let reason = answer.error_reason.as_deref().unwrap_or_default();
        let short: String = reason.chars().filter(|c| !c.is_control()).take(100).collect();
        if !answer.transaction.is_empty() || !is_refusal(reason) {
            return Self::unclear(Why::Pending, &format!("not settled: `{short}`"), transaction);
        }
        match attempt {
            Attempt::First => Self::Refused { reason: short },
            Attempt::Again => Self::unclear(Why::RefusedAgain, &format!("refused: `{short}`"), None),
        }
    }
}

fn settled(answer: &SettlementResponse, asked: &Authorized, transaction: Option<TransactionHash>) -> Outcome {
    let (network, amount) = (asked.requirement().token().chain.network(), asked.amount());
    let other = |what: &str| Outcome::unclear(Why::OtherPayment, &format!("settled, with another {what}"), transaction);
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
        None => Outcome::unclear(Why::NoTransaction, "settled, without a transaction", None),
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
