//! The service that carries out commands.

use std::path::PathBuf;
use std::sync::Arc;

use tollbridge_agents::ProofIssuer;
use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::request_log::RequestLog;
use tollbridge_core::signing::Keyring;
use tollbridge_gateway::Gateway;
use tollbridge_ledger::Notary;
use tollbridge_market::accounts::{Accounts, Withdrawals};
use tollbridge_market::catalog::CatalogReconciler;
use tollbridge_market::earning::EarningService;
use tollbridge_market::kept_inputs::KeptInputs;
use tollbridge_market::replay::Replays;
use tollbridge_payment::{CallPayments, PaymentService};
use tollbridge_store::{Db, RedbStore};
use tollbridge_webhooks::Webhooks;

use super::accounts::AccountCommands;
use super::audit::AuditCommands;
use super::backup::BackupCommands;
use super::disputes::DisputeCommands;
use super::earning::EarnCommands;
use super::goodwill::GoodwillCommands;
use super::inference::InferenceCommands;
use super::ledger::LedgerCommands;
use super::notify::NotifyCommands;
use super::payments::PaymentCommands;
use super::plugin_names::PluginNames;
use super::plugins::PluginCommands;
use super::publishers::PublisherCommands;
use super::qualification::{QualificationCommands, Trials};
use super::record_reader::RecordReader;
use super::refunds::RefundCommands;
use super::replay::ReplayCommands;
use super::requests::RequestCommands;
use super::revenue::RevenueCommands;
use super::signing::SigningCommands;
use super::statement::StatementCommands;
use super::status::StatusCommands;
use super::top::TopCommands;
use super::webhooks::WebhookCommands;
use super::withdrawals::WithdrawalCommands;

/// The service that carries out commands, with one group of commands per field.
pub struct OperatorService {
    pub(super) accounts: AccountCommands,
    pub(super) audit: AuditCommands,
    pub(super) backups: BackupCommands,
    pub(super) disputes: DisputeCommands,
    pub(super) earning: EarnCommands,
    pub(super) goodwill: GoodwillCommands,
    pub(super) inference: InferenceCommands,
    pub(super) ledger: LedgerCommands,
    pub(super) notify: NotifyCommands,
    pub(super) payments: PaymentCommands,
    pub(super) plugins: PluginCommands,
    pub(super) publishers: PublisherCommands,
    pub(super) qualifications: QualificationCommands,
    pub(super) refunds: RefundCommands,
    pub(super) replays: ReplayCommands,
    pub(super) requests: RequestCommands,
    pub(super) revenue: RevenueCommands,
    pub(super) signing: SigningCommands,
    pub(super) statements: StatementCommands,
    pub(super) status: StatusCommands,
    pub(super) top: TopCommands,
    pub(super) webhooks: WebhookCommands,
    pub(super) withdrawals: WithdrawalCommands,
}

/// The services that commands use, on a running or a stopped server.
pub struct Services {
    /// The data folder.
    pub db: Db,
    /// The store of the data folder, for backups.
    pub engine: Arc<RedbStore>,
    /// Path of the data folder.
    pub data: PathBuf,
    /// Seals records.
    pub notary: Arc<Notary>,
    /// Accounts and keys.
    pub accounts: Arc<Accounts>,
    /// Quotes, intents and holds.
    pub payments: Arc<CallPayments>,
    /// Earn tasks.
    pub earning: Arc<EarningService>,
    /// Signs proofs of tasks.
    pub proofs: Arc<ProofIssuer>,
    /// Signing keys.
    pub keys: Arc<Keyring>,
    /// Payments and refunds.
    pub payment_service: Arc<PaymentService>,
    /// Withdrawals.
    pub withdrawals: Arc<Withdrawals>,
    /// File of trusted publishers.
    pub publishers_file: PathBuf,
    /// Folder of published plugins.
    pub registry: PathBuf,
    /// Whether the server uses test money only.
    pub sandbox: bool,
    /// Kept inputs of calls, for replay.
    pub kept_inputs: Arc<KeptInputs>,
    /// Problems with artifacts of other registries.
    pub artifact_problems: Arc<ArtifactProblems>,
}

/// The services that only a running server has.
pub struct RunningServices {
    /// Applies the operator's decisions to the catalog of serving plugins.
    pub reconciler: Arc<CatalogReconciler>,
    /// Replays kept inputs.
    pub replays: Arc<Replays>,
    /// Delivers webhooks.
    pub webhooks: Arc<Webhooks>,
    /// Answers requests to models.
    pub gateway: Arc<Gateway>,
    /// Runs agents that are measured with a model.
    pub trials: Trials,
    /// The last requests.
    pub requests: Arc<RequestLog>,
}

impl OperatorService {
    /// Creates the groups of commands from the services that they use. `running` is
    /// `None` on a stopped server.
    pub fn new(services: Services, running: Option<RunningServices>) -> Self {
        let Services { db, engine, data, notary, accounts, payments, earning, proofs, keys, payment_service, .. } =
            services;
        let Services { withdrawals, publishers_file, registry, sandbox, kept_inputs, artifact_problems, .. } = services;
        let trials = running.as_ref().map(|all| all.trials.clone());
        let (reconciler, replays, webhooks, gateway, requests) = match running {
            Some(all) => {
                (Some(all.reconciler), Some(all.replays), Some(all.webhooks), Some(all.gateway), Some(all.requests))
            }
            None => Default::default(),
        };
        let records = RecordReader { notary: notary.clone(), accounts: accounts.clone(), payments: payments.clone() };
        let names = PluginNames { db: db.clone(), registry };
        let payment_commands = PaymentCommands {
            db: db.clone(),
            payments: payments.clone(),
            payment_service: payment_service.clone(),
            accounts: accounts.clone(),
            records: records.clone(),
        };
        Self {
            accounts: AccountCommands { accounts: accounts.clone(), sandbox },
            audit: AuditCommands { records: records.clone() },
            backups: BackupCommands { engine, data: data.clone() },
            disputes: DisputeCommands { payments: payment_commands.clone() },
            earning: EarnCommands { earning, db: db.clone() },
            goodwill: GoodwillCommands { notary: notary.clone(), accounts: accounts.clone(), sandbox },
            inference: InferenceCommands { gateway: gateway.clone() },
            ledger: LedgerCommands { db: db.clone(), notary: notary.clone(), proofs },
            notify: NotifyCommands { accounts: accounts.clone() },
            payments: payment_commands,
            plugins: PluginCommands {
                names: names.clone(),
                notary: notary.clone(),
                publishers_file: publishers_file.clone(),
                reconciler: reconciler.clone(),
            },
            qualifications: QualificationCommands { db: db.clone(), trials },
            publishers: PublisherCommands {
                db,
                notary: notary.clone(),
                accounts,
                publishers_file,
                reconciler: reconciler.clone(),
            },
            refunds: RefundCommands { payments: payments.clone(), payment_service: payment_service.clone() },
            replays: ReplayCommands { names, kept_inputs, replays },
            requests: RequestCommands { log: requests.clone() },
            revenue: RevenueCommands { notary: notary.clone() },
            signing: SigningCommands { keys, notary: notary.clone() },
            statements: StatementCommands { notary: notary.clone() },
            status: StatusCommands {
                data,
                sandbox,
                payments,
                payment_service,
                withdrawals: withdrawals.clone(),
                records,
                artifact_problems,
                reconciler: reconciler.clone(),
                webhooks: webhooks.clone(),
                gateway,
                requests: requests.clone(),
            },
            top: TopCommands { notary, requests, reconciler },
            webhooks: WebhookCommands { webhooks },
            withdrawals: WithdrawalCommands { withdrawals },
        }
    }
}
