//! Self-dealing: who pays for calls whose price comes back to them.

use std::collections::{BTreeMap, HashSet};

use super::{Payout, Reason, Risk, RiskError, Rule};
use crate::ledger::{Entry, Payer, Record};
use crate::limits::RISK_RECORDS_SCANNED_MAX;
use crate::money::Millipence;

impl Risk {
    /// Looks at the newest records: of what the account earned from calls, how
    /// much did it or those it referred pay?
    pub(super) fn self_dealing(&self, payout: &Payout<'_>) -> Result<Option<Reason>, RiskError> {
        let mut related: HashSet<String> = self.referred(payout.account)?.into_iter().map(|row| row.id).collect();
        related.insert(payout.account.to_owned());
        let size = self.store.head()?.size;
        let (mut own, mut all) = (0_i64, 0_i64);
        let mut plugins = BTreeMap::<String, i64>::new();
        for seq in (size.saturating_sub(RISK_RECORDS_SCANNED_MAX)..size).rev() {
            let Some(bytes) = self.store.record(seq)? else { continue };
            // Most records are of others; reading them whole would take long.
            if !contains(&bytes, payout.account.as_bytes()) {
                continue;
            }
            let Ok(record) = Record::parse(&bytes) else { continue };
            let Ok(Entry::Route(route)) = Entry::read(&record.kind, &record.body) else { continue };
            if route.owner != payout.account {
                continue;
            }
            all = all.saturating_add(route.gross.get());
            if matches!(&route.payer, Payer::Account(payer) if related.contains(payer)) {
                own = own.saturating_add(route.gross.get());
                let slot = plugins.entry(route.plugin).or_default();
                *slot = slot.saturating_add(route.gross.get());
            }
        }
        let settings = &self.settings;
        let share = i128::from(own) * 100 / i128::from(all.max(1));
        let over = share >= i128::from(settings.self_dealing_pct) && own >= settings.self_dealing_from.get();
        Ok(over.then(|| {
            let (own, all) = (Millipence::new(own), Millipence::new(all));
            // The plugin through which most of it went.
            let most = plugins.into_iter().max_by_key(|(_, gross)| *gross);
            let permille = u16::try_from(share.saturating_mul(10)).unwrap_or(1_000);
            let about = most.map(|(plugin, _)| (plugin, permille));
            let reason = Rule::SelfDealing.because(format!(
                "{own} of {all} ({share} %) were paid by the account itself or by accounts it referred; below {} % passes",
                settings.self_dealing_pct
            ));
            Reason { about, ..reason }
        }))
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len().max(1)).any(|window| window == part)
}
