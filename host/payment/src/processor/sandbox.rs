//! The sandbox processor: one click or one POST makes a payment, and no real money moves.
//! Its transfers are stored in separate rows, so that the ledger can be compared with
//! them.
//!
//! Some of its payout accounts fail on purpose, to show developers what a failure looks
//! like.

use std::collections::HashSet;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tollbridge_core::money::Millipence;
use tollbridge_store::{Change, Collection, Db, Expect, Put, Refusal, SubmitError};

use super::balance_transaction::ProcessorFee;
use super::error::{LookupError, ProcessorError};
use super::order::{LostPage, PaymentOrder, PaymentOrderStatus, PaymentPage, ProcessorPayment};
use super::payment_processor::PaymentProcessor;
use super::refund::ProcessorRefund;
use super::token_charge::{TokenCharge, TokenChargeStatus};
use super::transfer::ProcessorTransfer;

/// Prefix of Shared Payment Tokens.
const SHARED_PAYMENT_TOKEN: &str = "spt_";

/// Test payout accounts of the sandbox: the code from the connect page, the account id,
/// and a description of its behavior.
pub const SANDBOX_ACCOUNTS: [(&str, &str, &str); 4] = [
    ("ac_test_ok", "acct_test_ok", "every transfer arrives"),
    ("ac_test_refuses", "acct_test_refuses", "every transfer is refused"),
    ("ac_test_lost_after", "acct_test_lost_after", "the transfer is made, but its answer is lost"),
    ("ac_test_lost_before", "acct_test_lost_before", "the first request is lost; the second arrives"),
];

/// The built-in processor.
pub struct SandboxProcessor {
    /// Database handle.
    db: Db,
    /// Withdrawals whose first request the sandbox has dropped on purpose.
    lost: Mutex<HashSet<String>>,
}

/// A transfer made by the sandbox, stored under the withdrawal's id.
#[derive(Serialize, Deserialize)]
struct SandboxTransfer {
    reference: String,
    destination: String,
    amount: Millipence,
}

impl SandboxProcessor {
    /// Creates a sandbox that stores its transfers in separate rows.
    pub fn new(db: Db) -> Self {
        Self { db, lost: Mutex::default() }
    }
}

#[async_trait]
impl PaymentProcessor for SandboxProcessor {
    fn name(&self) -> &'static str {
        "sandbox"
    }

    fn is_sandbox(&self) -> bool {
        true
    }

    async fn open_page(&self, order: &PaymentOrder) -> Result<PaymentPage, ProcessorError> {
        Ok(PaymentPage { session: order.handle.clone(), url: order.return_url.clone() })
    }

    async fn find_page(&self, _: &LostPage<'_>) -> Result<Option<PaymentPage>, LookupError> {
        Ok(None)
    }

    /// Always returns `Open`: a sandbox payment is booked at once and never has an order
    /// to look up.
    async fn order_status(&self, _: &str) -> Result<PaymentOrderStatus, LookupError> {
        Ok(PaymentOrderStatus::Open)
    }

    /// Charges every token with the right prefix.
    async fn charge_token(&self, charge: &TokenCharge<'_>) -> Result<TokenChargeStatus, ProcessorError> {
        if !charge.token.starts_with(SHARED_PAYMENT_TOKEN) {
            let reason = format!("a Shared Payment Token begins with {SHARED_PAYMENT_TOKEN}");
            return Ok(TokenChargeStatus::Refused(reason));
        }
        Ok(TokenChargeStatus::Paid(ProcessorPayment {
            reference: format!("pi_test_{}", charge.handle),
            amount: charge.amount,
            handle: Some(charge.handle.to_owned()),
        }))
    }

    /// Returns `None`: the sandbox charges at once, and a repeat has the same result.
    async fn find_token_charge(&self, _: &str, _: u64) -> Result<Option<TokenChargeStatus>, LookupError> {
        Ok(None)
    }

    async fn refund(&self, refund: &str, _: &str, _: Millipence) -> Result<ProcessorRefund, ProcessorError> {
        Ok(ProcessorRefund::Paid { reference: refund.to_owned() })
    }

    async fn find_refund(&self, _: &str, _: &str) -> Result<Option<ProcessorRefund>, LookupError> {
        Ok(None)
    }

    async fn fee_of(&self, payment: &str) -> Result<Option<ProcessorFee>, LookupError> {
        Ok(Some(ProcessorFee { transaction: payment.to_owned(), amount: Millipence::ZERO }))
    }

    fn connect_url(&self, state: &str, _: &str, base_url: &str) -> Result<String, ProcessorError> {
        Ok(format!("{base_url}/sandbox/connect?state={state}"))
    }

    async fn connect(&self, code: &str) -> Result<String, ProcessorError> {
        let known = SANDBOX_ACCOUNTS.iter().find(|(known, ..)| *known == code);
        known.map(|(_, account, _)| (*account).to_owned()).ok_or_else(|| ProcessorError::Rejected {
            code: "invalid_grant".to_owned(),
            message: "the sandbox did not issue this code; open the connect page again".to_owned(),
        })
    }

    async fn transfer(
        &self,
        withdrawal: &str,
        destination: &str,
        amount: Millipence,
    ) -> Result<String, ProcessorError> {
        match destination {
            "acct_test_refuses" => {
                return Err(ProcessorError::Rejected {
                    code: "account_closed".to_owned(),
                    message: "this test account refuses every transfer".to_owned(),
                });
            }
            "acct_test_lost_before" if self.lost.lock().insert(withdrawal.to_owned()) => return Err(lost()),
            _ => {}
        }
        let reference = format!("tr_test_{withdrawal}");
        let transfer = SandboxTransfer { reference: reference.clone(), destination: destination.to_owned(), amount };
        let put = Put {
            collection: Collection::SandboxTransfers,
            key: withdrawal.to_owned(),
            value: serde_json::to_vec(&transfer).ok(),
            expect: Expect::Absent,
        };
        match self.db.submit(Change { puts: vec![put], ..Change::default() }).await {
            Ok(_) if destination == "acct_test_lost_after" => Err(lost()),
            // A repeat with the same id returns the same transfer.
            Ok(_) | Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Ok(reference),
            Err(error) => Err(ProcessorError::OutcomeUnknown(error.to_string())),
        }
    }

    async fn find_transfer(&self, withdrawal: &str) -> Result<Option<ProcessorTransfer>, LookupError> {
        let unclear = |why: String| LookupError::Unclear(why);
        let row = self.db.get(Collection::SandboxTransfers, withdrawal).map_err(|error| unclear(error.to_string()))?;
        let Some(row) = row else { return Ok(None) };
        let transfer: SandboxTransfer = serde_json::from_slice(&row).map_err(|error| unclear(error.to_string()))?;
        Ok(Some(ProcessorTransfer { reference: transfer.reference, reversed: Millipence::ZERO }))
    }
}

fn lost() -> ProcessorError {
    ProcessorError::OutcomeUnknown("this test account loses answers on purpose".to_owned())
}
