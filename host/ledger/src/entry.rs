//! The kinds of record: the members of each kind, and the postings that follow from them.
//!
//! To record something, a crate builds an entry, which becomes a `Draft`. The verifier
//! parses the entry from a record and derives the postings again. Both use this
//! definition, so a new kind needs one struct, one variant and its postings.
//!
//! Invariants: the postings follow from the body alone; they sum to zero; no amount is
//! negative.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tollbridge_core::money::{Share, SplitPolicy};
use tollbridge_store::{Draft, Hash, Posting};

use super::bodies::{Event, PluginAct, Policy, PublisherAct, Refund, RefundStage, TestCredit, Topup};
use super::canonical_json;
use super::chart::{LedgerAccount, transfer};
use super::dispute::Dispute;
use super::earning::{BudgetFunding, TaskReward, Transfer};
use super::entry_error::EntryError;
use super::explanation::explanation;
use super::goodwill::Goodwill;
use super::inference::InferenceCharge;
use super::names::{name, optional_name, party, version};
use super::nested::{Nested, NestedCosts, Tree};
use super::payment::Payment;
use super::route::Route;
use super::settlement::{Fee, Purchase, Release, Withdraw};
use super::tasks::TaskMoney;
use super::token_paid::TokenPaid;
use crate::limits::{LEDGER_NAME_BYTES_MAX, POSTINGS_PER_RECORD_MAX, RECORD_BODY_BYTES_MAX};

/// The contents of a record, by kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The split, name and mode that apply from this record on.
    Policy(Policy),
    /// Money received for a payment intent.
    Payment(Payment),
    /// Test credit for an account.
    Grant(TestCredit),
    /// Credit that the operator gives away.
    Goodwill(Goodwill),
    /// The remainder of a payment intent, converted to credit.
    Topup(Topup),
    /// A stage of a refund to a payer.
    Refund(Refund),
    /// A paid call.
    Route(Route),
    /// A paid request to a model.
    Inference(InferenceCharge),
    /// The costs of nested calls below a call that failed or was free.
    Nested(NestedCosts),
    /// A change of the hold for a queued task.
    Task(TaskMoney),
    /// An action on a plugin.
    Plugin(PluginAct),
    /// An action on a publisher.
    Publisher(PublisherAct),
    /// An event that no other kind of record covers.
    Event(Event),
    /// Money that the operator set aside for earn tasks.
    EarnBudget(BudgetFunding),
    /// The reward of a completed earn task.
    Earn(TaskReward),
    /// A transfer between accounts.
    Transfer(Transfer),
    /// A purchase of credit or a tier.
    Purchase(Purchase),
    /// A fee that the processor deducted.
    Fee(Fee),
    /// A step of a withdrawal.
    Withdraw(Withdraw),
    /// A stage of a disputed payment.
    Dispute(Dispute),
    /// Earnings whose hold has ended.
    Release(Release),
}

impl Entry {
    /// Returns the value of the record's member `kind`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Policy(_) => "policy",
            Self::Payment(_) => "payment",
            Self::Grant(_) => "grant",
            Self::Goodwill(_) => "goodwill",
            Self::Topup(_) => "topup",
            Self::Refund(_) => "refund",
            Self::Route(_) => "route",
            Self::Inference(_) => "inference",
            Self::Nested(_) => "nested",
            Self::Task(_) => "task",
            Self::Plugin(_) => "plugin",
            Self::Publisher(_) => "publisher",
            Self::Event(_) => "event",
            Self::EarnBudget(_) => "earn_budget",
            Self::Earn(_) => "earn",
            Self::Transfer(_) => "transfer",
            Self::Purchase(_) => "purchase",
            Self::Fee(_) => "fee",
            Self::Withdraw(_) => "withdraw",
            Self::Dispute(_) => "dispute",
            Self::Release(_) => "release",
        }
    }

    /// Parses an entry from a record's kind and body; accepts only exactly the form that
    /// `body` writes.
    pub fn read(kind: &str, body: &Map<String, Value>) -> Result<Self, EntryError> {
        let entry = match kind {
            "policy" => Self::Policy(body_of("policy", body)?),
            "payment" => Self::Payment(body_of("payment", body)?),
            "grant" => Self::Grant(body_of("grant", body)?),
            "goodwill" => Self::Goodwill(body_of("goodwill", body)?),
            "topup" => Self::Topup(body_of("topup", body)?),
            "refund" => Self::Refund(body_of("refund", body)?),
            "route" => Self::Route(body_of("route", body)?),
            "inference" => Self::Inference(body_of("inference", body)?),
            "nested" => Self::Nested(body_of("nested", body)?),
            "task" => Self::Task(body_of("task", body)?),
            "plugin" => Self::Plugin(body_of("plugin", body)?),
            "publisher" => Self::Publisher(body_of("publisher", body)?),
            "event" => Self::Event(body_of("event", body)?),
            "earn_budget" => Self::EarnBudget(body_of("earn_budget", body)?),
            "earn" => Self::Earn(body_of("earn", body)?),
            "transfer" => Self::Transfer(body_of("transfer", body)?),
            "purchase" => Self::Purchase(body_of("purchase", body)?),
            "fee" => Self::Fee(body_of("fee", body)?),
            "withdraw" => Self::Withdraw(body_of("withdraw", body)?),
            "dispute" => Self::Dispute(body_of("dispute", body)?),
            "release" => Self::Release(body_of("release", body)?),
            other => return Err(EntryError::UnknownKind(other.to_owned())),
        };
        // Refuse other forms, such as upper-case hex digits or `null` for an absent
        // member.
        if entry.body()? == *body {
            Ok(entry)
        } else {
            Err(EntryError::Malformed { kind: entry.kind(), why: "a member is not in canonical form".to_owned() })
        }
    }

    /// Returns the body of the record.
    pub fn body(&self) -> Result<Map<String, Value>, EntryError> {
        let value = match self {
            Self::Policy(entry) => serde_json::to_value(entry),
            Self::Payment(entry) => serde_json::to_value(entry),
            Self::Grant(entry) => serde_json::to_value(entry),
            Self::Goodwill(entry) => serde_json::to_value(entry),
            Self::Topup(entry) => serde_json::to_value(entry),
            Self::Refund(entry) => serde_json::to_value(entry),
            Self::Route(entry) => serde_json::to_value(entry),
            Self::Inference(entry) => serde_json::to_value(entry),
            Self::Nested(entry) => serde_json::to_value(entry),
            Self::Task(entry) => serde_json::to_value(entry),
            Self::Plugin(entry) => serde_json::to_value(entry),
            Self::Publisher(entry) => serde_json::to_value(entry),
            Self::Event(entry) => serde_json::to_value(entry),
            Self::EarnBudget(entry) => serde_json::to_value(entry),
            Self::Earn(entry) => serde_json::to_value(entry),
            Self::Transfer(entry) => serde_json::to_value(entry),
            Self::Purchase(entry) => serde_json::to_value(entry),
            Self::Fee(entry) => serde_json::to_value(entry),
            Self::Withdraw(entry) => serde_json::to_value(entry),
            Self::Dispute(entry) => serde_json::to_value(entry),
            Self::Release(entry) => serde_json::to_value(entry),
        };
        let malformed = |why: String| EntryError::Malformed { kind: self.kind(), why };
        match value {
            Ok(Value::Object(body)) => Ok(body),
            Ok(_) => Err(malformed("the body is not an object".to_owned())),
            Err(error) => Err(malformed(explanation(&error))),
        }
    }

    /// Checks all members of the entry and returns the postings that follow from them.
    pub fn postings(&self) -> Result<Vec<Posting>, EntryError> {
        self.check_names()?;
        match self {
            Self::Policy(policy) => policy.check().map(|()| Vec::new()),
            Self::Plugin(_) | Self::Publisher(_) | Self::Event(_) => Ok(Vec::new()),
            Self::Payment(payment) => payment.postings(),
            Self::Grant(TestCredit { account, amount }) => {
                transfer(&LedgerAccount::SandboxGrants, &LedgerAccount::Credit(account.clone()), *amount)
            }
            Self::Goodwill(goodwill) => goodwill.postings(),
            Self::Topup(Topup { intent, account, amount }) => {
                transfer(&LedgerAccount::Unearned(intent.clone()), &LedgerAccount::Credit(account.clone()), *amount)
            }
            Self::Refund(Refund { payer, stage: RefundStage::Owed, amount, .. }) => {
                transfer(&payer.ledger_account(), &LedgerAccount::Refunds, *amount)
            }
            Self::Refund(Refund { stage: RefundStage::Paid, amount, .. }) => {
                transfer(&LedgerAccount::Refunds, &LedgerAccount::ProcessorClearing, *amount)
            }
            Self::Refund(Refund { stage: RefundStage::Returned, amount, .. }) => {
                transfer(&LedgerAccount::ProcessorClearing, &LedgerAccount::Refunds, *amount)
            }
            Self::Refund(Refund { payer, stage: RefundStage::Failed, amount, .. }) => {
                transfer(&LedgerAccount::Refunds, &payer.ledger_account(), *amount)
            }
            Self::EarnBudget(funding) => funding.postings(),
            Self::Earn(earn) => earn.postings(),
            Self::Transfer(entry) => entry.postings(),
            Self::Inference(entry) => entry.postings(),
            Self::Route(route) => route.tree()?.postings(Some(&route.payer), route.earnings),
            Self::Nested(costs) => costs.tree()?.postings(costs.payer.as_ref(), costs.earnings),
            Self::Task(task) => task.postings(),
            Self::Purchase(purchase) => purchase.postings(),
            Self::Fee(fee) => fee.postings(),
            Self::Withdraw(withdraw) => withdraw.postings(),
            Self::Dispute(dispute) => dispute.postings(),
            Self::Release(release) => release.postings(),
        }
    }

    /// Returns the draft for a writer. `tx` must never be used for another entry.
    pub fn draft(&self, tx: Hash, time_ms: u64) -> Result<Draft, EntryError> {
        let postings = self.postings()?;
        debug_assert!(postings.len() <= POSTINGS_PER_RECORD_MAX);
        let body = self.canonical_body()?;
        if body.len() > RECORD_BODY_BYTES_MAX {
            return Err(EntryError::TooLong(body.len()));
        }
        Ok(Draft { kind: self.kind(), tx, time_ms, postings, body })
    }

    /// Returns the body in canonical form. The body of a paid call, the most frequent
    /// record, is written directly, without building a tree of values first.
    fn canonical_body(&self) -> Result<Vec<u8>, EntryError> {
        let mut bytes = Vec::with_capacity(1_024);
        if let Self::Route(route) = self {
            let malformed =
                |error: serde_json::Error| EntryError::Malformed { kind: "route", why: explanation(&error) };
            serde_json::to_writer(&mut bytes, route).map_err(malformed)?;
        } else {
            canonical_json::object(&mut bytes, &self.body()?);
        }
        Ok(bytes)
    }

    fn check_names(&self) -> Result<(), EntryError> {
        match self {
            Self::Policy(_) | Self::Grant(_) | Self::Topup(_) => Ok(()),
            Self::Goodwill(entry) => entry.check_names(),
            Self::Task(entry) => name("agent", &entry.agent),
            Self::Payment(entry) => {
                name("bridge", &entry.bridge)?;
                name("processor", &entry.processor)?;
                entry.account.as_deref().map_or(Ok(()), party)?;
                entry.token.as_ref().map_or(Ok(()), TokenPaid::check)?;
                optional_name("reference", entry.reference.as_deref())
            }
            Self::Refund(entry) => {
                entry.payer.check()?;
                name("reason", &entry.reason)?;
                optional_name("reference", entry.reference.as_deref())
            }
            Self::Route(entry) => {
                entry.payer.check()?;
                name("plugin", &entry.plugin)?;
                version(&entry.version)?;
                name("request_id", &entry.request_id)?;
                entry.nested.iter().try_for_each(check_nested)
            }
            Self::Nested(entry) => {
                entry.payer.as_ref().map_or(Ok(()), super::bodies::Payer::check)?;
                name("plugin", &entry.plugin)?;
                version(&entry.version)?;
                name("request_id", &entry.request_id)?;
                entry.nested.iter().try_for_each(check_nested)
            }
            Self::Inference(entry) => entry.check_names(),
            Self::Plugin(entry) => {
                name("plugin", &entry.plugin)?;
                name("by", &entry.by)?;
                entry.version.as_deref().map_or(Ok(()), version)?;
                optional_name("publisher", entry.publisher.as_deref())
            }
            Self::Publisher(entry) => {
                name("publisher", &entry.publisher)?;
                name("by", &entry.by)
            }
            Self::Event(entry) => name("event", &entry.event),
            Self::EarnBudget(_) => Ok(()),
            Self::Earn(entry) => entry.check_names(),
            Self::Transfer(entry) => entry.check_names(),
            // These entries check their names when they derive their postings.
            Self::Purchase(_) | Self::Fee(_) | Self::Withdraw(_) | Self::Dispute(_) | Self::Release(_) => Ok(()),
        }
    }
}

impl Policy {
    fn check(&self) -> Result<(), EntryError> {
        let name = &self.display_name;
        if name.is_empty() || name.len() > LEDGER_NAME_BYTES_MAX || name.chars().any(char::is_control) {
            return Err(EntryError::DisplayName);
        }
        self.checked_split().map(drop)
    }

    /// Returns the split after checking it, because the policy may come from an untrusted
    /// file.
    pub fn checked_split(&self) -> Result<SplitPolicy, EntryError> {
        let [developer, platform, treasury] =
            [Share::Developer, Share::Platform, Share::Treasury].map(|share| self.split.tenths(share));
        SplitPolicy::new(developer, platform, treasury, self.split.floor_tenths()).map_err(|_| EntryError::Policy)
    }
}

impl Route {
    /// Returns the owners and amounts of the call and its nested calls.
    pub(super) fn tree(&self) -> Result<Tree<'_>, EntryError> {
        Tree::new(&self.owner, (self.gross, self.inference), self.shares, &self.nested)
    }
}

fn check_nested(call: &Nested) -> Result<(), EntryError> {
    name("plugin", &call.plugin)?;
    version(&call.version)
}

fn body_of<T: DeserializeOwned>(kind: &'static str, body: &Map<String, Value>) -> Result<T, EntryError> {
    let malformed = |error: serde_json::Error| EntryError::Malformed { kind, why: explanation(&error) };
    serde_json::from_value(Value::Object(body.clone())).map_err(malformed)
}
