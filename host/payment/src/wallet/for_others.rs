//! Settlement for other sellers, with this server as their facilitator.
//!
//! A settlement is sealed in the ledger as an event, with the account that requested it;
//! it moves none of this server's money, so it has no postings.
//!
//! Invariant: a nonce is settled once, for the first request that uses it; payments to
//! this server count too.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tollbridge_ledger::{Entry, Event, random_tx};
use tollbridge_store::{Change, Collection, Expect, Refusal, SubmitError};
use tollbridge_x402::{
    Attempt, Authorized, Code, Invalid, Outcome, PaymentPayload, PaymentRequirements, Requirement, Scheme,
    SettlementResponse, Supported, SupportedKind, TIMEOUT_S_MAX, TIMEOUT_S_MIN, UnclearReason, Verified,
    VerifyResponse, check,
};

use super::settlement_row::{nonce_key, put};
use super::settlements::WalletSettlements;
use crate::error::PaymentError;
use crate::processor::ProcessorError;

/// Name of the event in the ledger.
const SETTLED: &str = "x402.settled";

/// Row of a nonce that was used for another seller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ForeignRow {
    /// The account that requested the settlement.
    account: String,
    /// Unix time in seconds as of which the payment was checked.
    checked_s: u64,
    /// Hash of the transaction; `None` until the payment is settled.
    transaction: Option<String>,
}

impl WalletSettlements {
    /// Returns the kinds of payment that this server settles for other sellers; empty if
    /// this is off.
    pub fn supported(&self) -> Supported {
        let kinds = self.context.payments.wallet_rail.as_deref().filter(|rail| rail.serves_others()).map(|rail| {
            SupportedKind {
                version: 2,
                scheme: Scheme::EXACT.to_owned(),
                network: rail.token().chain.to_string(),
                extra: None,
            }
        });
        Supported { kinds: kinds.into_iter().collect(), extensions: Vec::new(), signers: Map::new() }
    }

    /// Checks whether a payment to another seller could be settled now. Writes nothing.
    ///
    /// # Errors
    ///
    /// Fails if the facilitator that this server uses gives no clear answer, or if the
    /// store cannot be read.
    pub async fn verify_for(
        &self,
        payment: &PaymentPayload,
        asked: &PaymentRequirements,
        now_ms: u64,
    ) -> Result<VerifyResponse, PaymentError> {
        let invalid =
            |reason: &str, payer| VerifyResponse { is_valid: false, invalid_reason: Some(reason.to_owned()), payer };
        let authorized = match self.authorized(payment, asked, now_ms / 1000) {
            Ok(authorized) => authorized,
            Err(code) => return Ok(invalid(code.as_str(), None)),
        };
        let payer = Some(authorized.payer().to_string());
        if self.context.db.get(Collection::Settlements, &nonce_key(&authorized))?.is_some() {
            return Ok(invalid(Code::InvalidTransactionState.as_str(), payer));
        }
        let verified = self.rail()?.facilitator.verify(&authorized).await;
        match verified.map_err(|error| ProcessorError::OutcomeUnknown(error.to_string()))? {
            Verified::Valid => Ok(VerifyResponse { is_valid: true, invalid_reason: None, payer }),
            Verified::Invalid { reason } => Ok(invalid(&reason, payer)),
        }
    }

    /// Settles a payment to another seller, requested by `account`.
    ///
    /// # Errors
    ///
    /// Fails if the outcome is unknown (repeat the call to learn it) or a write fails.
    pub async fn settle_for(
        &self,
        account: &str,
        payment: &PaymentPayload,
        asked: &PaymentRequirements,
        now_ms: u64,
    ) -> Result<SettlementResponse, PaymentError> {
        let network = asked.network.clone();
        let failed = |code: &str| SettlementResponse::failed(code, network.clone(), None);
        let now_s = now_ms / 1000;
        let authorized = match self.authorized(payment, asked, now_s) {
            Ok(authorized) => authorized,
            Err(code) => return Ok(failed(code.as_str())),
        };
        let key = nonce_key(&authorized);
        let asking = ForeignRow { account: account.to_owned(), checked_s: now_s, transaction: None };
        let attempt = match self.claim(&key, &asking).await? {
            Claim::New => Attempt::First,
            Claim::Asked => Attempt::Again,
            Claim::Settled(transaction) => return Ok(self.settled(&authorized, transaction, None)),
            Claim::Taken => return Ok(failed(Code::InvalidTransactionState.as_str())),
        };
        match self.rail()?.facilitator.settle(&authorized, attempt).await {
            Outcome::Settled(done) => {
                let transaction = done.transaction.to_string();
                let seal = self.seal(&key, &asking, &authorized, &transaction, now_ms).await?;
                Ok(self.settled(&authorized, transaction, seal))
            }
            Outcome::Refused { reason } => {
                self.unclaim(&key).await?;
                Ok(failed(&reason))
            }
            Outcome::Unclear { why, detail, .. } => {
                if why == UnclearReason::NotSent && attempt == Attempt::First {
                    self.unclaim(&key).await?;
                }
                Err(ProcessorError::OutcomeUnknown(detail).into())
            }
        }
    }

    /// Returns the payment to settle if the signature meets the seller's requirements and
    /// pays in the token that this server accepts.
    fn authorized(
        &self,
        payment: &PaymentPayload,
        asked: &PaymentRequirements,
        now_s: u64,
    ) -> Result<Authorized, Code> {
        let rail = self.context.payments.wallet_rail.as_deref().filter(|rail| rail.serves_others());
        let rail = rail.ok_or(Code::UnsupportedScheme)?;
        let token = rail.token();
        if asked.scheme != Scheme::EXACT {
            return Err(Code::UnsupportedScheme);
        }
        if asked.network.chain_id() != Some(token.chain) {
            return Err(Code::InvalidNetwork);
        }
        let is_token = asked.asset.parse() == Ok(token.address);
        let pay_to = asked.pay_to.parse().ok().filter(|_| is_token).ok_or(Code::InvalidPaymentRequirements)?;
        let timeout_s = asked.max_timeout_seconds.clamp(TIMEOUT_S_MIN, TIMEOUT_S_MAX);
        let requirement = Requirement::new(token.clone(), asked.amount, pay_to, timeout_s)
            .map_err(|_| Code::InvalidPaymentRequirements)?;
        check(payment, &requirement, now_s).map_err(|invalid: Invalid| invalid.code())
    }

    async fn claim(&self, key: &str, row: &ForeignRow) -> Result<Claim, PaymentError> {
        let claiming = put(key.to_owned(), Some(row), Expect::Absent)?;
        match self.write(vec![claiming]).await {
            Ok(()) => return Ok(Claim::New),
            Err(PaymentError::Conflict) => {}
            Err(error) => return Err(error),
        }
        let Some(bytes) = self.context.db.get(Collection::Settlements, key)? else { return Ok(Claim::Taken) };
        // For a payment to this server, the row is not an object but a string: the intent
        // that the nonce pays.
        Ok(match serde_json::from_slice::<ForeignRow>(&bytes) {
            Ok(before) if before.account == row.account => before.transaction.map_or(Claim::Asked, Claim::Settled),
            _ => Claim::Taken,
        })
    }

    async fn unclaim(&self, key: &str) -> Result<(), PaymentError> {
        self.write(vec![put(key.to_owned(), None::<&ForeignRow>, Expect::Any)?]).await
    }

    /// Seals the settlement and returns the seal; `None` if another task has just sealed
    /// it.
    async fn seal(
        &self,
        key: &str,
        asking: &ForeignRow,
        authorized: &Authorized,
        transaction: &str,
        now_ms: u64,
    ) -> Result<Option<String>, PaymentError> {
        let row = ForeignRow { transaction: Some(transaction.to_owned()), ..asking.clone() };
        let requirement = authorized.requirement();
        let Value::Object(data) = json!({
            "account": asking.account,
            "amount": authorized.amount(),
            "asset": requirement.token().address,
            "network": requirement.token().chain.network(),
            "pay_to": requirement.pay_to(),
            "transaction": transaction,
        }) else {
            return Ok(None);
        };
        let event = Entry::Event(Event { event: SETTLED.to_owned(), data });
        let change = Change {
            puts: vec![put(key.to_owned(), Some(&row), Expect::Any)?],
            record: Some(event.draft(random_tx()?, now_ms)?),
            ..Change::default()
        };
        match self.context.db.submit(change).await {
            Ok(sealed) => Ok(sealed.sealed.map(|(_, seal)| hex::encode(seal))),
            Err(SubmitError::Refused(Refusal::Unexpected { .. })) => Ok(None),
            Err(error) => Err(PaymentError::Write(error)),
        }
    }

    fn settled(&self, authorized: &Authorized, transaction: String, seal: Option<String>) -> SettlementResponse {
        let mut extensions = Map::new();
        if let Some(seal) = seal {
            extensions.insert("tollbridge".to_owned(), json!({ "info": { "worm_seal": seal } }));
        }
        SettlementResponse {
            success: true,
            error_reason: None,
            payer: Some(authorized.payer().to_string()),
            transaction,
            network: authorized.requirement().token().chain.network(),
            amount: Some(authorized.amount()),
            extensions,
        }
    }
}

/// The result of claiming a nonce for a settlement.
enum Claim {
    /// The nonce was unused before.
    New,
    /// Claimed earlier by the same account; the outcome is not known yet.
    Asked,
    /// The payment was settled for the same account, in this transaction.
    Settled(String),
    /// Claimed for another account, or for a payment to this server.
    Taken,
}
