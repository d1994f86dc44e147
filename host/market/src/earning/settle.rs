//! `/v1/a2a/settle`: one agent pays another. The money comes from the credit of the
//! account that owns the paying agent; the owner of the other agent earns the developer's
//! share.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Notary, Purpose};
use tollbridge_payment::DailySpendLimit;
use tollbridge_store::Store;

use super::error::{EarningError, invalid};
use super::replay::{EarningReceipt, find_replay, identity, stored_answer};
use super::task::bad_row;
use super::transfer::{TransferRequest, Transfers};

/// Maximum amount of one settlement between agents: £10,000.00.
const SETTLE_PENCE_MAX: i64 = 1_000_000;

const ROUTE: &str = "POST /v1/a2a/settle";

/// The receipt for a payment from one agent to another.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettlementReceipt {
    #[schemars(extend("const" = "settled"))]
    status: &'static str,
    from_agent: String,
    to_agent: String,
    amount_gbp: String,
    amount_pence: i64,
    /// The earnings of the paid agent's owner.
    earned_millipence: i64,
    record_id: String,
}

/// A payment from one agent to another.
#[derive(Clone, Debug)]
pub struct Settlement<'a> {
    /// Id of the paying account.
    pub account: &'a str,
    /// The paying agent, which must belong to the account.
    pub from_agent: &'a str,
    /// Name of the agent to pay.
    pub to_agent: &'a str,
    /// Amount to pay, in whole pence.
    pub amount: Millipence,
    /// Daily spending limit of the API key that pays.
    pub spend: Option<&'a DailySpendLimit>,
    /// `Idempotency-Key` of the request.
    pub idempotency_key: Option<&'a str>,
    /// The body of the request.
    pub body: &'a [u8],
    /// Unix time, milliseconds.
    pub now_ms: u64,
}

/// Payments between agents.
pub struct Settlements {
    pub(super) store: Arc<dyn Store>,
    pub(super) notary: Arc<Notary>,
    pub(super) transfers: Arc<Transfers>,
}

impl Settlements {
    /// Pays an agent of another account from the caller's credit.
    pub async fn settle(&self, wish: Settlement<'_>) -> Result<EarningReceipt, EarningError> {
        let identity = identity(wish.account, ROUTE, None, wish.idempotency_key, wish.body)?;
        if let Some(done) = find_replay(self.store.as_ref(), &self.notary, &identity)? {
            return Ok(done);
        }
        let pence = wish.amount.pence_floor();
        if !(1..=SETTLE_PENCE_MAX).contains(&pence) || wish.amount.get() % 1000 != 0 {
            return Err(invalid("/amount_gbp", "the amount must be whole pence from 0.01 to 10000.00"));
        }
        let from = self.transfers.agent(wish.from_agent)?;
        if from.owner != wish.account {
            // The error does not reveal which account owns the agent.
            return Err(EarningError::NotYours(from.name.clone()));
        }
        let to = self.transfers.agent(wish.to_agent)?;
        if to.owner == wish.account {
            return Err(invalid("/to_agent", "this agent is yours; an account cannot pay itself"));
        }
        let shares = self.notary.policy().split(wish.amount);
        let receipt = SettlementReceipt {
            status: "settled",
            from_agent: from.name.clone(),
            to_agent: to.name.clone(),
            amount_gbp: wish.amount.display_gbp(),
            amount_pence: pence,
            earned_millipence: shares.developer.get(),
            record_id: format!("tx_{}", hex::encode(identity.tx)),
        };
        let deal = TransferRequest {
            purpose: Purpose::A2a,
            payer: wish.account,
            from_agent: Some(&from.name),
            agent: &to,
            gross: wish.amount,
            spend: wish.spend,
            tx: identity.tx,
            request: wish.body,
            now_ms: wish.now_ms,
        };
        let answer = stored_answer(&identity, serde_json::to_vec(&receipt).map_err(bad_row)?, wish.now_ms);
        Ok(self.transfers.make(deal, Vec::new(), answer).await?.into())
    }
}
