//! What became of a settlement. The one question is whether money may have moved.

use serde_json::Map;

use crate::address::Address;
use crate::amount::Amount;
use crate::bytes32::TransactionHash;
use crate::check::Authorized;
use crate::code::Code;
use crate::network::Network;
use crate::wire::SettlementResponse;

/// Whether a settlement was asked for before.
///
/// After an unclear outcome a refusal tells nothing: that the nonce is used or the
/// authorization has run out may be because the first request was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Nobody asked any facilitator to settle this payment before.
    First,
    /// Somebody did, or may have, and the outcome is unknown.
    Again,
}

/// What became of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The money moved.
    Settled(Settled),
    /// No money moved by this payment; `reason` is the facilitator's code, at most
    /// 100 characters. It still could until [`Authorized::valid_before`] if
    /// somebody else has the authorization: forget neither it nor its nonce.
    Refused {
        /// The facilitator's code.
        reason: String,
    },
    /// Money may have moved. Ask again with [`Attempt::Again`], or look it up on
    /// the chain by payer and nonce; never take it for a no.
    Unclear {
        /// What is unclear.
        why: Why,
        /// What was seen, for the log; at most 300 characters.
        detail: String,
        /// The transaction that the facilitator named, if it named one.
        transaction: Option<TransactionHash>,
    },
}

/// A settlement that was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The transaction.
    pub transaction: TransactionHash,
    /// Whose money moved.
    pub payer: Address,
    /// Where.
    pub network: Network,
    /// How much, in smallest units: just what was asked for.
    pub amount: Amount,
}

impl From<&Settled> for SettlementResponse {
    /// What the payer is told.
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

/// Why an outcome is unclear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No connection was made, so the request did not leave: nothing happened by
    /// it. What follows may be [`Attempt::First`] if this was.
    NotSent,
    /// No answer in time.
    TimedOut,
    /// The connection broke after the request was sent.
    Broken,
    /// An answer that is no answer: a status that says nothing, a page of a proxy,
    /// too much of it.
    Nonsense,
    /// It says that it settled, and names no transaction.
    NoTransaction,
    /// It says that it settled something else: other network, payer or amount.
    OtherPayment,
    /// It says that it is not done, or failed after it began.
    Pending,
    /// It refuses what was asked for before.
    RefusedAgain,
}

/// Codes of official facilitators for what they found before they sent anything.
/// `..._nonce_already_used` is none: this very authorization may have been
/// carried out.
///
/// Source: `x402` 2.25.0 (PyPI), `mechanisms/evm/constants.py` and
/// `exact/facilitator.py`, `upto/permit2_utils.py`. `permit2_invalid_nonce` is none,
/// either.
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

/// Whether a code says that nothing was sent to the chain. Any that is not known
/// to say so does not.
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

    /// What a facilitator's answer to the settlement of `asked` means.
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
