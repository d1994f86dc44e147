//! Current problems, and the remedy for each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::time::Instant;
use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::request_log::{RequestFilter, RequestLog};
use tollbridge_core::time::{DAY_MS, now_ms, rfc3339};
use tollbridge_gateway::{EngineHandle, EnginePhase, EngineState, Gateway};
use tollbridge_market::accounts::{Withdrawal, WithdrawalState, Withdrawals};
use tollbridge_market::catalog::{CatalogReconciler, PluginReport};
use tollbridge_payment::{CallPayments, PaymentService};
use tollbridge_webhooks::{EndpointView, Webhooks};

use super::answers::answers;
use super::backup::last_backup_ms;
use super::disputes::disputes_from_records;
use super::error::OperatorError;
use super::record_reader::RecordReader;
use super::records::exact;
use super::webhooks::state_of;

answers! {
    /// Current problems, the most urgent first.
    Problems { at: String, problems: Vec<ProblemView> }
    /// A problem as shown: `urgency` is `now` if customers are affected, otherwise `soon`.
    ProblemView { urgency: String, what: String, todo: String, command: String, runbook: Option<String>, page: String }
}

/// Maximum age at which an open dispute is reported. By that age the bank has decided,
/// and the ledger cannot distinguish a lost dispute from an open one.
const DISPUTE_REPORTED_MS: u64 = 30 * DAY_MS;
/// Maximum number of disputes examined.
const DISPUTES_MAX: usize = 50;
/// Tolerated delay of a daily backup.
const BACKUP_GRACE_MS: u64 = 3_600_000;
/// Number of consecutive failed attempts at which a webhook is reported as failing.
const WEBHOOK_FAILURES_MIN: u64 = 3;
/// Maximum number of problems of one kind in the list; the console page about that kind
/// lists the rest.
const ROWS_MAX: usize = 10;
/// Period in which failed requests are reported.
const FAILED_WITHIN_MS: u64 = 3_600_000;

/// A problem that a person must look at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    /// Whether customers are affected now.
    now: bool,
    what: String,
    todo: &'static str,
    /// Command that shows details or fixes the problem.
    command: String,
    /// File in `docs/runbooks` that describes the remedy.
    runbook: Option<&'static str>,
    /// Page of the console about the problem.
    page: String,
}

impl Problem {
    fn view(self) -> ProblemView {
        ProblemView {
            urgency: if self.now { "now" } else { "soon" }.to_owned(),
            what: self.what,
            todo: self.todo.to_owned(),
            command: self.command,
            runbook: self.runbook.map(|name| format!("docs/runbooks/{name}.md")),
            page: self.page,
        }
    }
}

/// The command for current problems.
pub(super) struct StatusCommands {
    pub(super) data: PathBuf,
    pub(super) sandbox: bool,
    pub(super) payments: Arc<CallPayments>,
    pub(super) payment_service: Arc<PaymentService>,
    pub(super) withdrawals: Arc<Withdrawals>,
    pub(super) records: RecordReader,
    pub(super) artifact_problems: Arc<ArtifactProblems>,
    pub(super) reconciler: Option<Arc<CatalogReconciler>>,
    pub(super) webhooks: Option<Arc<Webhooks>>,
    pub(super) gateway: Option<Arc<Gateway>>,
    pub(super) requests: Option<Arc<RequestLog>>,
}

impl StatusCommands {
    /// Returns current problems, the most urgent first. Problems that only a running server can
    /// detect are omitted when it is stopped.
    pub(super) async fn problems(&self) -> Result<Problems, OperatorError> {
        let now_ms = now_ms();
        let mut problems = self.plugin_problems();
        problems.extend(self.artifact_problems.all().into_iter().take(ROWS_MAX).map(artifact_problem));
        problems.extend(self.money_problems(now_ms).await?);
        problems.extend(self.provider_problems(Instant::now()));
        problems.extend(self.webhook_problems().await);
        problems.extend(self.request_problem(now_ms));
        if let Some(rail) = self.payments.wallet_rail.as_deref() {
            let rate = rail.rate();
            problems.extend(rate_problem(rate.as_of_s(), rate.max_age_s(), now_ms));
        }
        // Test money does not need a backup.
        if !self.sandbox {
            problems.extend(backup_problem(last_backup_ms(&self.data), now_ms));
        }
        problems.extend(self.disk_problem());
        problems.sort_by_key(|problem| !problem.now);
        Ok(Problems { at: rfc3339(now_ms), problems: problems.into_iter().map(Problem::view).collect() })
    }

    fn plugin_problems(&self) -> Vec<Problem> {
        let reports = self.reconciler.as_ref().map(|reconciler| reconciler.reports()).unwrap_or_default();
        let mut problems: Vec<Problem> = reports.iter().filter_map(plugin_problem).collect();
        let lacking = reports.iter().filter(|report| report.status == "unavailable");
        let lacking = lacking.map(|report| (report.plugin.as_str(), report.cause.as_deref().unwrap_or_default()));
        problems.extend(lacking_problems(lacking));
        problems
    }

    async fn money_problems(&self, now_ms: u64) -> Result<Vec<Problem>, OperatorError> {
        let open = self.withdrawals.open()?;
        let waiting = open.iter().filter_map(|one| withdrawal_problem(one, now_ms));
        let mut problems: Vec<Problem> = waiting.take(ROWS_MAX).collect();
        let unbooked = self.payment_service.disputes.unbooked()?;
        problems.extend(unbooked.into_iter().take(ROWS_MAX).map(|id| Problem {
            now: true,
            what: format!("Dispute {id} is not in the books"),
            todo: "It is retried automatically; if the problem remains, see the log for the reason",
            command: "tollbridge payment reconcile".to_owned(),
            runbook: Some("dispute"),
            page: format!("/console/disputes/{id}"),
        }));
        let since_ms = now_ms.saturating_sub(DISPUTE_REPORTED_MS);
        let (disputes, _) = disputes_from_records(&self.records, DISPUTES_MAX, since_ms).await?;
        problems.extend(disputes.iter().filter(|one| one.is_open()).take(ROWS_MAX).map(|one| Problem {
            now: true,
            what: match one.amount() {
                Some(amount) => format!("£{} is disputed ({})", exact(amount), one.id()),
                None => format!("A payment is disputed ({})", one.id()),
            },
            todo: "Answer it at the processor before the deadline, unless you have already",
            command: format!("tollbridge dispute show {}", one.id()),
            runbook: Some("dispute"),
            page: format!("/console/disputes/{}", one.id()),
        }));
        Ok(problems)
    }

    fn provider_problems(&self, now: Instant) -> Vec<Problem> {
        let Some(gateway) = &self.gateway else { return Vec::new() };
        let mut providers: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for deployment in gateway.router().all() {
            let (held, all) = providers.entry(deployment.provider.name.as_str()).or_default();
            *held += usize::from(deployment.health.is_tripped(now));
            *all += 1;
        }
        let engines = EngineHandle::all(gateway.router());
        let problem = |(name, (held, all))| {
            let handle = engines.iter().find(|handle| handle.engine.provider == name);
            handle
                .and_then(|handle| engine_problem(name, &handle.engine.state()))
                .unwrap_or_else(|| provider_problem(name, held, all))
        };
        let troubled = providers.into_iter().filter(|(_, (held, _))| *held > 0);
        troubled.take(ROWS_MAX).map(problem).collect()
    }

    async fn webhook_problems(&self) -> Vec<Problem> {
        let Some(webhooks) = &self.webhooks else { return Vec::new() };
        webhooks.all().await.iter().filter_map(webhook_problem).take(ROWS_MAX).collect()
    }

    fn request_problem(&self, now_ms: u64) -> Option<Problem> {
        let since_ms = now_ms.saturating_sub(FAILED_WITHIN_MS);
        let filter = RequestFilter { status: Some(5), since_ms, ..RequestFilter::default() };
        let failed = self.requests.as_ref()?.search(&filter, 1_000).len();
        (failed > 0).then(|| Problem {
            now: true,
            what: format!("{failed} requests of the last hour failed here"),
            todo: "Search the log for their ids",
            command: "tollbridge request list --status 5 --since 1h".to_owned(),
            runbook: Some("server-down"),
            page: "/console/requests?status=5&since=1h".to_owned(),
        })
    }

    fn disk_problem(&self) -> Option<Problem> {
        let found = rustix::fs::statvfs(&self.data).ok()?;
        disk_problem(found.f_bavail.saturating_mul(found.f_frsize), found.f_blocks.saturating_mul(found.f_frsize))
    }
}

fn plugin_problem(report: &PluginReport) -> Option<Problem> {
    let name = &report.plugin;
    let (now, what, todo) = match report.status.as_str() {
        "waiting" => {
            (false, format!("{name} waits for approval"), "Inspect the version, and approve it if you trust it")
        }
        "failed" => (true, format!("{name} does not load"), "Check the reason; its author must publish a new version"),
        _ => return None,
    };
    Some(Problem {
        now,
        what,
        todo,
        command: format!("tollbridge plugin inspect {name}"),
        runbook: (report.status == "failed").then_some("misbehaving-plugin"),
        page: format!("/console/plugins/{name}"),
    })
}

/// Returns the problems of plugins that cannot answer, grouped by the missing item,
/// because one fix helps all of them.
fn lacking_problems<'a>(plugins: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<Problem> {
    let mut lacking: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (plugin, cause) in plugins {
        lacking.entry(cause).or_default().push(plugin);
    }
    let problem = |(cause, plugins): (&str, Vec<&str>)| {
        let first = plugins.first().copied().unwrap_or_default();
        let cause = if cause.is_empty() { String::new() } else { format!(": {cause}") };
        Problem {
            now: true,
            what: format!("{} cannot answer{cause}", plugins.join(", ")),
            todo: "Provide the missing item; until then callers are not charged",
            command: format!("tollbridge plugin inspect {first}"),
            runbook: None,
            page: format!("/console/plugins/{first}"),
        }
    };
    lacking.into_iter().map(problem).collect()
}

/// Returns the problem of an artifact that is not accepted; the versions in the registry
/// folder keep serving.
fn artifact_problem((artifact, why): (String, String)) -> Problem {
    Problem {
        now: false,
        what: format!("{artifact} is not taken: {why}"),
        todo: "It is checked again automatically; make sure that its registry answers and that its publisher is trusted",
        command: "tollbridge doctor".to_owned(),
        runbook: None,
        page: "/console/plugins".to_owned(),
    }
}

/// Returns the problem of a withdrawal that a rule has blocked, or that is not completed
/// after a day.
fn withdrawal_problem(one: &Withdrawal, now_ms: u64) -> Option<Problem> {
    let blocked = matches!(one.state, WithdrawalState::Blocked { .. });
    let late = now_ms.saturating_sub(one.created_ms) > DAY_MS;
    (blocked || late).then(|| Problem {
        now: true,
        what: format!("Withdrawal {} of £{} waits", one.id, one.amount.pounds()),
        todo: if blocked {
            "Release or reject it: the account that earned the money waits for it"
        } else {
            "The processor has not answered for a day: check there, then release or reject it"
        },
        command: "tollbridge withdrawal list".to_owned(),
        runbook: Some("waiting-withdrawal"),
        page: "/console/withdrawals".to_owned(),
    })
}

fn provider_problem(name: &str, held: usize, all: usize) -> Problem {
    Problem {
        now: held == all,
        what: format!("{held} of {all} models of {name} are paused, because they failed"),
        todo: "They are retried automatically. If they keep failing, check the provider's status page and its key",
        command: "tollbridge inference show".to_owned(),
        runbook: None,
        page: "/console/inference".to_owned(),
    }
}

/// Returns the problem of a provider's engine on this machine; `None` if it is ready.
fn engine_problem(name: &str, engine: &EngineState) -> Option<Problem> {
    Some(Problem {
        now: engine.phase == EnginePhase::Failed,
        what: format!("{name} does not answer: {}", engine.trouble()?),
        todo: "It is started again automatically. If it keeps failing, run its command in a terminal",
        command: "tollbridge inference show".to_owned(),
        runbook: None,
        page: "/console/inference".to_owned(),
    })
}

fn webhook_problem(view: &EndpointView) -> Option<Problem> {
    let (id, account) = (&view.endpoint.id, &view.endpoint.account);
    let (failing, dead) = (view.progress.failing, view.progress.dead);
    let (what, todo) = match state_of(view) {
        "disabled" => {
            let why = view.endpoint.disabled.as_deref().unwrap_or_default();
            (format!("Webhook {id} of {account} is off: {why}"), "Ask its owner; enable or delete it")
        }
        "failing" if failing >= WEBHOOK_FAILURES_MIN => {
            let what = format!("Webhook {id} of {account} failed {failing} times in a row; {dead} events are dead");
            (what, "Inform its owner. When the receiver is back, replay the dead events")
        }
        _ => return None,
    };
    Some(Problem {
        now: false,
        what,
        todo,
        command: format!("tollbridge webhooks show {id}"),
        runbook: None,
        page: format!("/console/webhooks/{id}"),
    })
}

fn rate_problem(as_of_s: u64, max_age_s: u64, now_ms: u64) -> Option<Problem> {
    let age_s = now_ms.div_euclid(1_000).saturating_sub(as_of_s);
    let too_old = age_s > max_age_s;
    // Report at four fifths of the maximum age, while there is still time to renew the
    // rate.
    let ages = age_s.saturating_mul(5) > max_age_s.saturating_mul(4);
    ages.then(|| Problem {
        now: too_old,
        what: if too_old {
            "Wallets cannot pay: the rate is too old".to_owned()
        } else {
            "The rate for payments by wallet will soon be too old".to_owned()
        },
        todo: "Renew payments.x402.gbp_rate and rate_as_of",
        command: "tollbridge config show".to_owned(),
        runbook: Some("old-rate"),
        page: "/console/money".to_owned(),
    })
}

fn backup_problem(last_ms: Option<u64>, now_ms: u64) -> Option<Problem> {
    let what = match last_ms {
        None => "There is no backup".to_owned(),
        Some(last_ms) if now_ms.saturating_sub(last_ms) > DAY_MS.saturating_add(BACKUP_GRACE_MS) => {
            format!("The last backup is of {}", rfc3339(last_ms))
        }
        Some(_) => return None,
    };
    Some(Problem {
        now: false,
        what,
        todo: "Make a backup, and check why the timer did not",
        command: "tollbridge backup FOLDER".to_owned(),
        runbook: Some("restore"),
        page: "/console/money".to_owned(),
    })
}

/// Returns the problem of a disk that is filling up, at the same thresholds as the
/// alarms.
fn disk_problem(free: u64, size: u64) -> Option<Problem> {
    let percent = free.saturating_mul(100).checked_div(size)?;
    (percent < 15).then(|| Problem {
        now: percent < 5,
        what: format!("{percent}% of the disk of the data folder is free, {} GiB", free >> 30),
        todo: "Make room before it is full: a server that cannot write stops",
        command: "tollbridge doctor".to_owned(),
        runbook: Some("full-disk"),
        page: "/console/money".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use tollbridge_webhooks::{DeliveryProgress, WebhookEndpoint};

    use super::*;

    fn endpoint(failing: u64, disabled: Option<&str>) -> EndpointView {
        let endpoint = WebhookEndpoint {
            id: "wh_1".to_owned(),
            account: "acct_1".to_owned(),
            url: "https://example.com/".to_owned(),
            events: vec!["*".to_owned()],
            secrets: Vec::new(),
            created_ms: 0,
            after: None,
            disabled: disabled.map(str::to_owned),
        };
        let progress = DeliveryProgress { failing, dead: 2, ..DeliveryProgress::default() };
        EndpointView { endpoint: Arc::new(endpoint), progress, missed: 0 }
    }

    #[test]
    fn a_receiver_that_failed_once_is_no_trouble() {
        assert_eq!(webhook_problem(&endpoint(WEBHOOK_FAILURES_MIN - 1, None)), None);
        let failing = webhook_problem(&endpoint(WEBHOOK_FAILURES_MIN, None)).unwrap();
        assert!(failing.what.contains("failed 3 times in a row; 2 events") && !failing.now, "{failing:?}");
        let off = webhook_problem(&endpoint(0, Some("the receiver answered 410 Gone"))).unwrap();
        assert!(off.what.ends_with("is off: the receiver answered 410 Gone"), "{off:?}");
    }

    #[test]
    fn a_need_of_several_plugins_is_reported_once() {
        let plugins = [("bridges/a", "no provider"), ("bridges/b", "no list"), ("agents/c", "no provider")];
        let problems = lacking_problems(plugins.into_iter());
        let what: Vec<&str> = problems.iter().map(|problem| problem.what.as_str()).collect();
        assert_eq!(what, ["bridges/b cannot answer: no list", "bridges/a, agents/c cannot answer: no provider"]);
        assert_eq!(problems[1].command, "tollbridge plugin inspect bridges/a");
    }

    #[test]
    fn a_rate_is_renewed_in_time() {
        assert_eq!(rate_problem(1_000, 100, 1_080_000), None);
        assert!(!rate_problem(1_000, 100, 1_081_000).unwrap().now);
        assert!(!rate_problem(1_000, 100, 1_100_000).unwrap().now);
        assert!(rate_problem(1_000, 100, 1_101_000).unwrap().now);
    }

    #[test]
    fn a_backup_is_made_every_day() {
        let now_ms = 10 * DAY_MS;
        assert_eq!(backup_problem(Some(9 * DAY_MS), now_ms), None);
        let old = backup_problem(Some(8 * DAY_MS), now_ms).unwrap();
        assert_eq!(old.what, "The last backup is of 1970-01-09T00:00:00Z");
        assert_eq!(backup_problem(None, now_ms).unwrap().what, "There is no backup");
    }

    #[test]
    fn a_disk_is_nearly_full_at_the_shares_of_the_alarms() {
        assert_eq!(disk_problem(15, 100), None);
        assert!(!disk_problem(14, 100).unwrap().now && disk_problem(4, 100).unwrap().now);
        assert_eq!(disk_problem(0, 0), None, "a file system that reports no size must not be a problem");
    }

    #[test]
    fn a_provider_whose_models_are_all_paused_is_missed_now() {
        assert!(provider_problem("one", 2, 2).now && !provider_problem("one", 1, 2).now);
        let view = provider_problem("one", 1, 2).view();
        assert_eq!((view.urgency.as_str(), view.runbook), ("soon", None));
    }
}
