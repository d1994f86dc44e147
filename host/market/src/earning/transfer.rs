//! Transfers of credit from an account to the owner of an agent.

use std::sync::Arc;

use tollbridge_core::money::{Millipence, Shares};
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_ledger::events;
use tollbridge_ledger::{Earnings, Entry, Notary, Purpose, Sealed, Transfer, salted};
use tollbridge_payment::{CallPayments, DailySpendLimit, PaymentDeclined};
use tollbridge_store::{Change, Hash, Put, StoredAnswer};

use super::error::EarningError;
use crate::catalog::{Offer, OfferError, PluginHost};

/// A transfer that has passed all checks but is not made yet.
pub(super) struct TransferRequest<'a> {
    pub(super) purpose: Purpose,
    pub(super) payer: &'a str,
    pub(super) from_agent: Option<&'a str>,
    pub(super) agent: &'a Offer,
    pub(super) gross: Millipence,
    /// Daily spending limit of the API key that pays.
    pub(super) spend: Option<&'a DailySpendLimit>,
    pub(super) tx: Hash,
    pub(super) request: &'a [u8],
    pub(super) now_ms: u64,
}

/// Transfers of credit to the owners of agents.
pub(super) struct Transfers {
    pub(super) notary: Arc<Notary>,
    /// Reserves the paying account's credit.
    pub(super) payments: Arc<CallPayments>,
    /// Access to the agents to pay.
    pub(super) plugins: Option<PluginHost>,
    /// Number of days for which earnings are on hold.
    pub(super) hold_days: u32,
}

impl Transfers {
    /// Returns the offer of an agent that is serving.
    pub(super) fn agent(&self, name: &str) -> Result<Arc<Offer>, EarningError> {
        let unknown = || EarningError::NoAgent(name.chars().take(64).collect());
        let plugins = self.plugins.as_ref().ok_or_else(unknown)?;
        plugins.catalog.offer(PluginKind::Agent, name).map_err(|error| match error {
            OfferError::Unknown { .. } | OfferError::NotLoaded { .. } | OfferError::Disabled { .. } => unknown(),
        })
    }

    /// Pays an agent's owner from an account's credit, and writes `puts` in the same
    /// durable change.
    pub(super) async fn make(
        &self,
        deal: TransferRequest<'_>,
        mut puts: Vec<Put>,
        answer: StoredAnswer,
    ) -> Result<Sealed, EarningError> {
        let draw = || self.payments.authorizer.authorize_credit_within(deal.payer, deal.gross, deal.spend, deal.now_ms);
        let mut draw = self.payments.shares.reserve(draw).await.map_err(|problem| match problem {
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
        let parties = events::split_parties(&deal.agent.owner, Some(deal.payer));
        let outbox = parties.map(|to| events::billing_split(to, &agent, &shares.into(), seal, deal.now_ms)).collect();
        let body = answer.body.clone();
        let change = Change { puts, record, answer: Some(answer), outbox, ..Change::default() };
        let sealed = self.notary.seal(change, body).await?;
        if let Some(spend_reservation) = &mut draw.spend_reservation {
            spend_reservation.commit();
        }
        drop(draw);
        Ok(sealed)
    }

    fn entry(&self, deal: &TransferRequest<'_>, shares: &Shares) -> Result<Entry, EarningError> {
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

/// Returns sixteen random bytes to hash together with a value, so that the value cannot
/// be guessed from its digest.
pub(super) fn salt() -> Result<[u8; 16], EarningError> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| EarningError::NoRandomness)?;
    Ok(salt)
}
