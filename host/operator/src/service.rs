//! The service that carries out commands.

use std::path::PathBuf;
use std::sync::Arc;

use tollbridge_agents::ProofIssuer;
use tollbridge_core::artifact_problems::ArtifactProblems;
use tollbridge_core::request_log::RequestLog;
use tollbridge_core::signing::Keyring;
use tollbridge_gateway::Gateway;
use tollbridge_ledger::{ExportError, Notary, Trust, VerificationReport};
use tollbridge_market::accounts::{Accounts, Payouts, Withdrawals};
use tollbridge_market::catalog::CatalogReconciler;
use tollbridge_market::earning::EarningService;
use tollbridge_market::kept_inputs::KeptInputs;
use tollbridge_market::replay::Replays;
use tollbridge_payment::{CallPayments, PaymentService};
use tollbridge_store::{Db, RedbStore};
use tollbridge_webhooks::Webhooks;

/// The service that carries out commands, with all the services that it uses.
pub struct OperatorService {
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
    /// Accounts that money is paid out to.
    pub payouts: Arc<Payouts>,
    /// Withdrawals.
    pub withdrawals: Arc<Withdrawals>,
    /// File of trusted publishers.
    pub publishers_file: PathBuf,
    /// Folder of published plugins.
    pub registry: PathBuf,
    /// Whether money is test money.
    pub sandbox: bool,
    /// Present while plugins are loaded: notified of every change.
    pub reconciler: Option<Arc<CatalogReconciler>>,
    /// Kept inputs of calls, for replay.
    pub kept_inputs: Arc<KeptInputs>,
    /// Present while plugins are loaded: replays kept inputs.
    pub replays: Option<Arc<Replays>>,
    /// Present while webhooks are delivered.
    pub webhooks: Option<Arc<Webhooks>>,
    /// Present while models are used.
    pub gateway: Option<Arc<Gateway>>,
    /// Present while requests are answered.
    pub requests: Option<Arc<RequestLog>>,
    /// Problems with artifacts of other registries, while a server follows them.
    pub artifact_problems: Arc<ArtifactProblems>,
    /// The wall clock, Unix milliseconds.
    pub now_ms: fn() -> u64,
}

impl OperatorService {
    /// Exports the whole ledger, line by line.
    pub fn export(&self, out: &mut dyn std::io::Write) -> Result<u64, ExportError> {
        self.notary.ledger().export(out)
    }

    /// Checks the whole data folder, including indexes and the stored tree.
    pub fn verify(&self, trust: &Trust) -> Result<VerificationReport, ExportError> {
        self.notary.ledger().verify(trust)
    }

    /// Makes a running server rescan the registry soon.
    pub(super) fn notify_reconciler(&self) {
        if let Some(reconciler) = &self.reconciler {
            reconciler.request_pass();
        }
    }

    /// Waits until a running server has applied a decision, before it is reported as done.
    pub(super) async fn refresh(&self) {
        if let Some(reconciler) = &self.reconciler {
            reconciler.refresh().await;
        }
    }
}
