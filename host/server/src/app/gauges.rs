//! Gauges that a host has to poll, because no event marks a change of their values: disk
//! space, waiting work, the age of the exchange rate and of the last backup, unreachable
//! providers.
//!
//! Every host of a ledger sets all of them. Some values are shared by all hosts, so
//! alarms use the maximum over the hosts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metrics::gauge;
use tokio::time::Instant;
use tollbridge_core::money::Millipence;
use tollbridge_gateway::Gateway;
use tollbridge_http::AppState;
use tollbridge_market::accounts::{Withdrawal, Withdrawals};
use tollbridge_operator::last_backup_ms;
use tollbridge_payment::CallPayments;
use tollbridge_store::Hosts;

use super::base::Base;
use super::money::Money;

/// The sources of the gauges.
pub(super) struct HostGauges {
    data: PathBuf,
    withdrawals: Arc<Withdrawals>,
    payments: Arc<CallPayments>,
    gateway: Arc<Gateway>,
    hosts: Option<Arc<Hosts>>,
}

/// Totals of the open withdrawals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct OpenWithdrawals {
    count: usize,
    sum: Millipence,
    oldest_ms: Option<u64>,
}

impl HostGauges {
    pub(super) fn new(base: &Base, money: &Money, shared: &AppState) -> Self {
        Self {
            data: base.config.data.dir.clone(),
            withdrawals: money.withdrawals.clone(),
            payments: base.payments.clone(),
            gateway: shared.gateway.clone(),
            hosts: base.hosts.clone(),
        }
    }

    /// Updates all gauges.
    pub(super) fn measure_all(&self) {
        self.measure_providers(Instant::now());
        measure_disk(&self.data);
        self.measure_withdrawals();
        if let Some(rail) = self.payments.wallet_rail.as_deref() {
            let rate = rail.rate();
            gauge!("tollbridge_currency_rate_timestamp_seconds").set(number(rate.as_of_s()));
            gauge!("tollbridge_currency_rate_max_age_seconds").set(number(rate.max_age_s()));
        }
        if let Some(made_ms) = last_backup_ms(&self.data) {
            gauge!("tollbridge_backup_timestamp_seconds").set(number(made_ms.div_euclid(1_000)));
        }
        let hosts = self.hosts.as_ref().map_or(1, |hosts| hosts.count());
        gauge!("tollbridge_hosts").set(number(hosts));
    }

    /// Counts each provider's models that are paused after failures.
    pub(super) fn measure_providers(&self, now: Instant) {
        let mut tripped: BTreeMap<&str, usize> = BTreeMap::new();
        for deployment in self.gateway.router().all() {
            let models = tripped.entry(deployment.provider.name.as_str()).or_default();
            *models += usize::from(deployment.health.is_tripped(now));
        }
        for (provider, models) in tripped {
            gauge!("tollbridge_inference_breakers_open", "provider" => provider.to_owned()).set(number(models));
        }
    }

    fn measure_withdrawals(&self) {
        let open = match self.withdrawals.open() {
            Ok(open) => OpenWithdrawals::of(&open),
            Err(error) => return tracing::warn!(%error, "cannot count open withdrawals"),
        };
        gauge!("tollbridge_withdrawals_open").set(number(open.count));
        gauge!("tollbridge_withdrawals_open_millipence").set(number(open.sum.get()));
        // Report NaN if no withdrawal is open, because a gauge cannot be removed.
        let oldest = open.oldest_ms.map_or(f64::NAN, |oldest_ms| number(oldest_ms.div_euclid(1_000)));
        gauge!("tollbridge_withdrawals_oldest_timestamp_seconds").set(oldest);
    }
}

impl OpenWithdrawals {
    fn of(open: &[Withdrawal]) -> Self {
        open.iter().fold(Self::default(), |sums, one| Self {
            count: sums.count + 1,
            sum: sums.sum.checked_add(one.amount).unwrap_or(sums.sum),
            oldest_ms: Some(sums.oldest_ms.map_or(one.created_ms, |oldest_ms| oldest_ms.min(one.created_ms))),
        })
    }
}

fn measure_disk(data: &Path) {
    let found = match rustix::fs::statvfs(data) {
        Ok(found) => found,
        Err(error) => return tracing::warn!(%error, "cannot measure the free space of the data folder's disk"),
    };
    gauge!("tollbridge_data_disk_free_bytes").set(number(found.f_bavail.saturating_mul(found.f_frsize)));
    gauge!("tollbridge_data_disk_size_bytes").set(number(found.f_blocks.saturating_mul(found.f_frsize)));
}

/// Converts a number for Prometheus: exact up to 2^53, approximate beyond.
fn number(value: impl TryInto<i64>) -> f64 {
    value.try_into().unwrap_or(i64::MAX) as f64
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tollbridge_market::accounts::WithdrawalState;

    use super::*;

    fn withdrawal(created_ms: u64, amount: i64) -> Withdrawal {
        Withdrawal {
            id: format!("wd_{created_ms}"),
            account: "acct_a".to_owned(),
            amount: Millipence::new(amount),
            destination: "ac_1".to_owned(),
            created_ms,
            due_ms: created_ms,
            state: WithdrawalState::Sending,
            reference: None,
            ended_ms: None,
            returned: Millipence::ZERO,
        }
    }

    #[test]
    fn waiting_items_are_summed() {
        assert_eq!(OpenWithdrawals::of(&[]), OpenWithdrawals::default());
        let open = OpenWithdrawals::of(&[withdrawal(7_000, 500_000), withdrawal(5_000, 1), withdrawal(9_000, 20)]);
        assert_eq!((open.count, open.sum.get(), open.oldest_ms), (3, 500_021, Some(5_000)));
    }

    #[test]
    fn a_disk_has_room_of_its_size() {
        let recorder = PrometheusBuilder::new().build_recorder();
        metrics::with_local_recorder(&recorder, || measure_disk(Path::new("/")));
        let text = recorder.handle().render();
        let value = |name: &str| -> f64 {
            let line = text.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap();
            line.rsplit(' ').next().unwrap().parse().unwrap()
        };
        let (free, size) = (value("tollbridge_data_disk_free_bytes"), value("tollbridge_data_disk_size_bytes"));
        assert!(0.0 <= free && free <= size && size > 0.0, "{text}");
    }

    #[test]
    fn numbers_are_kept() {
        assert_eq!([number(0_usize), number(-5_i64), number(1_u64 << 53)], [0.0, -5.0, 9_007_199_254_740_992.0]);
    }
}
