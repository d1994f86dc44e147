//! Earning beside calls of plugins: tasks that the operator pays for, agents
//! that pay each other, and agents' memories.
//!
//! Invariants: a task pays an account once; what tasks pay never exceeds what
//! the operator put aside; a transfer is split like the price of a call, and
//! nobody pays themselves.

mod budget;
mod claim;
mod memory;
mod repeat;
mod settle;
mod task;

use std::sync::Arc;

use crate::catalog::{Offer, OfferError, PluginHost};
use tollbridge_core::config::{Earn as EarnSettings, Memory as MemorySettings};
use tollbridge_core::money::{Millipence, Shares};
use tollbridge_ledger::events;
use tollbridge_ledger::idempotency::IdempotencyError;
use tollbridge_ledger::{
    Earnings, Entry, EntryError, LedgerError, Notary, NotaryError, Purpose, Sealed, Transfer, salted,
};
use tollbridge_payment::{DailySpendLimit, PaymentAuthorizer, PaymentDeclined};
use tollbridge_runtime::plugins::SchemaError;
use tollbridge_runtime::registry::Kind;
use tollbridge_store::{Answer, Change, Hash, Put, Refusal, Store, StoreError, SubmitError};

pub use budget::BudgetSource;
pub use claim::Claim;
pub use memory::{Item, NewItem};
pub use repeat::Done;
pub use settle::Settlement;
pub use task::{Check, NewTask, Task};

/// What earning works with.
pub struct Earning {
    pub store: Arc<dyn Store>,
    pub notary: Arc<Notary>,
    pub payments: Arc<PaymentAuthorizer>,
    /// Agents that are paid, and bridges that check results; `None` on a stopped
    /// server.
    pub plugins: Option<PluginHost>,
    pub earn: EarnSettings,
    pub memory: MemorySettings,
    pub sandbox: bool,
    /// Days for which earnings stay pending.
    pub hold_days: u32,
    /// Held while a task's completions are counted and one is added.
    pub counting: tokio::sync::Mutex<()>,
}

#[derive(Debug, thiserror::Error)]
pub enum EarningError {
    #[error("{message}")]
    Invalid { field: String, message: String },
    #[error("there is no task {0} that pays; GET /v1/earn/1 lists them")]
    NoTask(String),
    #[error("there is a task {0} already")]
    TaskKnown(String),
    #[error("the schema of the task cannot be used: {0}")]
    Schema(#[from] SchemaError),
    #[error("the task cannot be checked right now: {0}")]
    Unchecked(String),
    #[error("what was put aside for earn tasks is spent; the operator adds to it with `tollbridge earn budget add`")]
    BudgetSpent,
    #[error("{0}")]
    Budget(String),
    #[error("there is no agent {0} of yours, or it is disabled")]
    NotYours(String),
    #[error("there is no agent {0}, or it is disabled")]
    NoAgent(String),
    #[error("this account keeps nothing under that key in the memory of {0}")]
    NoItem(String),
    #[error("this account keeps as much as it may in the memory of that agent; delete something")]
    MemoryFull,
    #[error("{0}")]
    Unpaid(PaymentDeclined),
    #[error("the credit of the account is in use by calls in flight")]
    InFlight,
    #[error("this transaction is already sealed")]
    AlreadySealed,
    #[error("this Idempotency-Key was used for another request; use a new one")]
    KeyReused,
    #[error("an Idempotency-Key is 1 to 255 printable ASCII characters without spaces")]
    BadKey,
    #[error("no randomness is available")]
    NoRandomness,
    #[error(transparent)]
    Entry(#[from] EntryError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Notary(#[from] NotaryError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Submit(SubmitError),
}

impl From<IdempotencyError> for EarningError {
    fn from(error: IdempotencyError) -> Self {
        match error {
            IdempotencyError::InvalidKey => Self::BadKey,
            IdempotencyError::KeyReused => Self::KeyReused,
            IdempotencyError::AlreadySealed => Self::AlreadySealed,
            IdempotencyError::NoRandomness => Self::NoRandomness,
            IdempotencyError::Ledger(error) => Self::Ledger(error),
            IdempotencyError::Store(error) => Self::Store(error),
        }
    }
}

impl From<SubmitError> for EarningError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(Refusal::Duplicate { .. }) => Self::AlreadySealed,
            SubmitError::Refused(Refusal::Insufficient { .. }) => Self::InFlight,
            other => Self::Submit(other),
        }
    }
}

/// A transfer that was agreed on and not made yet.
struct Deal<'a> {
    purpose: Purpose,
    payer: &'a str,
    from_agent: Option<&'a str>,
    agent: &'a Offer,
    gross: Millipence,
    /// The daily limit of the key that pays.
    spend: Option<&'a DailySpendLimit>,
    tx: Hash,
    request: &'a [u8],
    now_ms: u64,
}

impl Earning {
    /// An agent that serves.
    fn agent(&self, name: &str) -> Result<Arc<Offer>, EarningError> {
        let unknown = || EarningError::NoAgent(name.chars().take(64).collect());
        let plugins = self.plugins.as_ref().ok_or_else(unknown)?;
        plugins.catalog.offer(Kind::Agent, name).map_err(|error| match error {
            OfferError::Unknown { .. } | OfferError::NotLoaded { .. } | OfferError::Disabled { .. } => unknown(),
        })
    }

    /// Pays an agent's owner from an account's credit, with the rows that go
    /// with it: one durable write.
    async fn transfer(&self, deal: Deal<'_>, mut puts: Vec<Put>, answer: Answer) -> Result<Sealed, EarningError> {
        let drawn = self.payments.authorize_credit_within(deal.payer, deal.gross, deal.spend, deal.now_ms);
        let mut draw = drawn.map_err(|problem| match problem {
            PaymentDeclined::FundsInUse => EarningError::InFlight,
            PaymentDeclined::Store(error) => EarningError::Store(error),
            other => EarningError::Unpaid(other),
        })?;
        puts.extend(draw.spend_reservation.iter().map(|spend_reservation| spend_reservation.row(&deal.tx)));
        let shares = self.notary.policy().split(deal.gross);
        let entry = self.entry(&deal, &shares)?;
        let record = Some(entry.draft(deal.tx, deal.now_ms)?);
        let agent = format!("agent/{}", deal.agent.name);
        let seal = self.notary.policy_seal();
        let outbox = vec![events::billing_split(&deal.agent.owner, &agent, &shares, seal, deal.now_ms)];
        let body = answer.body.clone();
        let change = Change { puts, record, answer: Some(answer), outbox, ..Change::default() };
        let sealed = self.notary.seal(change, body).await?;
        if let Some(spend_reservation) = &mut draw.spend_reservation {
            spend_reservation.commit();
        }
        drop(draw);
        Ok(sealed)
    }

    fn entry(&self, deal: &Deal<'_>, shares: &Shares) -> Result<Entry, EarningError> {
        let salt = salt()?;
        Ok(Entry::Transfer(Transfer {
            purpose: deal.purpose,
            account: deal.payer.to_owned(),
            from_agent: deal.from_agent.map(str::to_owned),
            agent: deal.agent.name.clone(),
            owner: deal.agent.owner.clone(),
            earnings: if self.hold_days > 0 { Earnings::Pending } else { Earnings::Available },
            gross: deal.gross,
            shares: (*shares).into(),
            policy: *self.notary.policy_seal(),
            request_sha256: salted(&salt, deal.request),
            salt,
        }))
    }
}

fn salt() -> Result<[u8; 16], EarningError> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| EarningError::NoRandomness)?;
    Ok(salt)
}

fn invalid(field: &str, message: impl Into<String>) -> EarningError {
    EarningError::Invalid { field: field.to_owned(), message: message.into() }
}
