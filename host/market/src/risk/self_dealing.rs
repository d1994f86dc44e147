//! Self-dealing: accounts that pay for their own earnings, from credit, through a payment
//! intent that they own, or through accounts that they referred.

use std::collections::{BTreeMap, HashSet};

use tollbridge_core::money::Millipence;
use tollbridge_ledger::{Entry, Payer, Record};
use tollbridge_payment::IntentRow;
use tollbridge_store::Collection;

use super::payout::{BlockReason, PayoutRequest, RiskError, RiskRule};
use super::rules::RiskEngine;

/// Maximum number of records, from the newest, that the assessment of a payout reads;
/// takes less than a second.
const RISK_RECORDS_SCANNED_MAX: u64 = 50_000;

impl RiskEngine {
    /// Computes, from the newest records, the share of the account's earnings from calls
    /// that was paid by the account itself or by accounts it referred.
    pub(super) fn self_dealing(&self, payout: &PayoutRequest<'_>) -> Result<Option<BlockReason>, RiskError> {
        let mut related: HashSet<String> = self.referred(payout.account)?.into_iter().map(|row| row.id).collect();
        related.insert(payout.account.to_owned());
        let size = self.store.head()?.size;
        let (mut own_gross, mut all) = (0_i64, 0_i64);
        let mut plugins = BTreeMap::<String, i64>::new();
        for seq in (size.saturating_sub(RISK_RECORDS_SCANNED_MAX)..size).rev() {
            let Some(bytes) = self.store.record(seq)? else { continue };
            // Most records do not mention the account; skip them before parsing, which
            // would be slow.
            if !contains(&bytes, payout.account.as_bytes()) {
                continue;
            }
            let Ok(record) = Record::parse(&bytes) else { continue };
            let Some(sale) = self.sale(&record, payout.account)? else { continue };
            all = all.saturating_add(sale.gross);
            if sale.payer.is_some_and(|payer| related.contains(&payer)) {
                own_gross = own_gross.saturating_add(sale.gross);
                let slot = plugins.entry(sale.plugin).or_default();
                *slot = slot.saturating_add(sale.gross);
            }
        }
        let settings = &self.settings;
        let share = i128::from(own_gross) * 100 / i128::from(all.max(1));
        let over = share >= i128::from(settings.self_dealing_pct) && own_gross >= settings.self_dealing_from.get();
        Ok(over.then(|| {
            let (own_gross, all) = (Millipence::new(own_gross), Millipence::new(all));
            // Find the plugin with the largest part of these earnings.
            let largest_share = plugins.into_iter().max_by_key(|(_, gross)| *gross);
            let permille = u16::try_from(share.saturating_mul(10)).unwrap_or(1_000);
            let about = largest_share.map(|(plugin, _)| (plugin, permille));
            let reason = RiskRule::SelfDealing.reason(format!(
                "{own_gross} of {all} ({share} %) were paid by the account itself or by accounts it referred; shares below {} % pass",
                settings.self_dealing_pct
            ));
            BlockReason { about, ..reason }
        }))
    }
}

/// A sale from which the account earned.
struct Sale {
    gross: i64,
    plugin: String,
    /// Account that paid, if it is known.
    payer: Option<String>,
}

impl RiskEngine {
    /// Returns the account's sale in a record, if there is one: a call with any payment
    /// method, or an agent's service to another agent.
    fn sale(&self, record: &Record, owner: &str) -> Result<Option<Sale>, RiskError> {
        Ok(match Entry::read(&record.kind, &record.body) {
            Ok(Entry::Route(route)) if route.owner == owner => {
                let payer = match route.payer {
                    Payer::Account(account) | Payer::Task { account, .. } => Some(account),
                    Payer::Intent(handle) => self.buyer(&handle)?,
                };
                Some(Sale { gross: route.gross.get(), plugin: route.plugin, payer })
            }
            Ok(Entry::Transfer(transfer)) if transfer.owner == owner => {
                let (gross, payer) = (transfer.gross.get(), Some(transfer.account));
                Some(Sale { gross, plugin: transfer.agent, payer })
            }
            _ => None,
        })
    }

    /// Returns the account to which a payment intent belongs, if any.
    fn buyer(&self, handle: &str) -> Result<Option<String>, RiskError> {
        let row = self.store.get(Collection::Intents, handle)?;
        Ok(row.and_then(|row| serde_json::from_slice::<IntentRow>(&row).ok()?.account))
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len().max(1)).any(|window| window == part)
}
