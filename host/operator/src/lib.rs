//! What an operator can tell the host to do, as data.
//!
//! A command has one implementation. The command line runs it here directly
//! when the server is stopped, and through the admin listener when it runs, so
//! both ways always do the same.

mod accounts;
mod backup;
mod earning;
mod ledger;
mod money;
mod plugins;
mod publishers;
mod signing;
mod statement;
mod webhooks;

pub use earning::TaskWish;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use tollbridge_agents::ProofIssuer;
use tollbridge_core::signing::Keyring;
use tollbridge_ledger::{ExportError, LedgerError, Notary, NotaryError, Report, Trust};
use tollbridge_market::accounts::{Accounts, AccountsError, Payouts, Withdrawals};
use tollbridge_market::catalog::Keeper;
use tollbridge_market::earning::Earning;
use tollbridge_payment::{PaymentAuthorizer, PaymentService};
use tollbridge_store::{RedbStore, Refusal, Store, StoreError, SubmitError, Writer};
use tollbridge_webhooks::{Registration, Webhooks};

/// Something the operator wants done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    KeyCreate { tier: Option<String>, email: Option<String> },
    KeyList { account: String },
    KeyRevoke { account: String, id: String },
    AccountList { after: Option<String> },
    AccountShow { id: String },
    AccountTier { id: String, tier: String },
    AccountSuspend { id: String, suspended: bool },
    AccountCredit { id: String, amount_gbp: String },
    PaymentShow { intent: String },
    EarnTaskAdd { task: Box<TaskWish> },
    EarnTaskOpen { id: String, open: bool },
    EarnTaskList,
    EarnBudgetShow,
    EarnBudgetAdd { amount_gbp: String, from_platform: bool },
    NotifyList { after: Option<String> },
    Backup { to: String },
    PaymentReconcile { days: u32 },
    LedgerStatement { account: String },
    PaymentRefund { intent: String, to_credit: bool },
    WithdrawalList,
    WithdrawalRelease { id: String },
    WithdrawalReject { id: String, reason: String },
    PluginList,
    WebhookAdd { account: String, url: String, events: Vec<String>, secret: Option<String> },
    WebhookList { account: String },
    WebhookDelete { account: String, id: String },
    PluginInspect { plugin: String },
    PluginApprove { plugin: String, version: Option<String> },
    PluginPin { plugin: String, version: Option<String> },
    PluginRollback { plugin: String, version: Option<String> },
    PluginYank { plugin: String, version: String },
    PluginDisable { plugin: String },
    PluginEnable { plugin: String },
    PluginLogs { plugin: String },
    PublisherTrust { name: String, public_key: String, account: String, namespaces: Vec<String>, auto_activate: bool },
    PublisherRevoke { name: String },
    PublisherList,
    LedgerHead,
    SigningRotate { purpose: String },
    LedgerShow { record: String },
    LedgerProof { seal: String },
}

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error("{0}")]
    NotFound(String),
    #[error("{0}")]
    Refused(String),
    #[error("{0}")]
    Failed(String),
}

/// The rooms that commands work on.
pub struct Desk {
    pub store: Arc<dyn Store>,
    /// The same, for a copy of it.
    pub engine: Arc<RedbStore>,
    /// The data folder.
    pub data: PathBuf,
    pub notary: Arc<Notary>,
    pub accounts: Arc<Accounts>,
    pub payments: Arc<PaymentAuthorizer>,
    pub earning: Arc<Earning>,
    pub writer: Arc<Writer>,
    pub proofs: Arc<ProofIssuer>,
    pub keys: Arc<Keyring>,
    pub payment_service: Arc<PaymentService>,
    pub payouts: Arc<Payouts>,
    pub withdrawals: Arc<Withdrawals>,
    /// Where publishers are trusted.
    pub publishers_file: PathBuf,
    /// Where plugins are published.
    pub registry: PathBuf,
    /// Whether money is test money.
    pub sandbox: bool,
    /// Present while plugins are loaded: it is told of every change.
    pub keeper: Option<Arc<Keeper>>,
    /// Present while webhooks are delivered.
    pub webhooks: Option<Arc<Webhooks>>,
    /// The wall clock, Unix milliseconds.
    pub now_ms: fn() -> u64,
}

impl Desk {
    /// Carries out a command; what it answers is for people and programs alike.
    pub async fn execute(&self, command: Command) -> Result<Value, ControlError> {
        match command {
            Command::KeyCreate { tier, email } => self.key_create(tier.as_deref(), email.as_deref()).await,
            Command::KeyList { account } => self.key_list(&account),
            Command::KeyRevoke { account, id } => self.key_revoke(&account, &id).await,
            Command::AccountList { after } => self.account_list(after.as_deref().unwrap_or_default()),
            Command::AccountShow { id } => self.account_show(&id),
            Command::AccountTier { id, tier } => self.account_tier(&id, &tier).await,
            Command::AccountSuspend { id, suspended } => self.account_suspend(&id, suspended).await,
            Command::AccountCredit { id, amount_gbp } => self.account_credit(&id, &amount_gbp).await,
            Command::PaymentShow { intent } => self.payment_show(&intent),
            Command::EarnTaskAdd { task } => self.earn_task_add(*task).await,
            Command::EarnTaskOpen { id, open } => self.earn_task_open(&id, open).await,
            Command::EarnTaskList => self.earn_task_list(),
            Command::EarnBudgetShow => self.earn_budget(),
            Command::EarnBudgetAdd { amount_gbp, from_platform } => {
                self.earn_budget_add(&amount_gbp, from_platform).await
            }
            Command::WebhookAdd { account, url, events, secret } => {
                self.webhook_add(&account, Registration { url, events, secret }).await
            }
            Command::WebhookList { account } => self.webhook_list(&account),
            Command::WebhookDelete { account, id } => self.webhook_delete(&account, &id).await,
            Command::NotifyList { after } => self.notify_list(after.as_deref().unwrap_or_default()),
            Command::Backup { to } => self.backup(&to).await,
            Command::PaymentReconcile { days } => self.payment_reconcile(days).await,
            Command::LedgerStatement { account } => self.statement(&account).await,
            Command::PaymentRefund { intent, to_credit } => self.payment_refund(&intent, to_credit).await,
            Command::WithdrawalList => self.withdrawal_list(),
            Command::WithdrawalRelease { id } => self.withdrawal_release(&id).await,
            Command::WithdrawalReject { id, reason } => self.withdrawal_reject(&id, &reason).await,
            Command::PluginList => self.plugin_list(),
            Command::PluginInspect { plugin } => self.plugin_inspect(&plugin),
            Command::PluginLogs { plugin } => self.plugin_logs(&plugin),
            Command::PluginApprove { plugin, version } => {
                self.plugin_act(&plugin, plugins::Act::Approve(version)).await
            }
            Command::PluginPin { plugin, version } => self.plugin_act(&plugin, plugins::Act::Pin(version)).await,
            Command::PluginRollback { plugin, version } => {
                self.plugin_act(&plugin, plugins::Act::Rollback(version)).await
            }
            Command::PluginYank { plugin, version } => self.plugin_act(&plugin, plugins::Act::Yank { version }).await,
            Command::PluginDisable { plugin } => self.plugin_act(&plugin, plugins::Act::Disable).await,
            Command::PluginEnable { plugin } => self.plugin_act(&plugin, plugins::Act::Enable).await,
            Command::PublisherTrust { name, public_key, account, namespaces, auto_activate } => {
                self.publisher_trust(&name, &public_key, account, &namespaces, auto_activate).await
            }
            Command::PublisherRevoke { name } => self.publisher_revoke(&name).await,
            Command::PublisherList => self.publisher_list(),
            Command::SigningRotate { purpose } => self.signing_rotate(&purpose).await,
            Command::LedgerHead => self.ledger_head().await,
            Command::LedgerShow { record } => self.ledger_show(&record),
            Command::LedgerProof { seal } => self.ledger_proof(&seal).await,
        }
    }
}

impl Desk {
    /// The whole ledger as an export, line by line.
    pub fn export(&self, out: &mut dyn std::io::Write) -> Result<u64, ExportError> {
        self.notary.ledger().export(out)
    }

    /// Checks the whole data folder, indexes and stored tree included.
    pub fn verify(&self, trust: &Trust) -> Result<Report, ExportError> {
        self.notary.ledger().verify(trust)
    }

    /// Lets a running server look at the registry soon.
    fn tell_keeper(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.poke();
        }
    }

    /// Lets a running server follow a decision before it is reported as done.
    async fn refresh(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.refresh().await;
        }
    }
}

impl From<SubmitError> for ControlError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(Refusal::Unexpected { .. }) => {
                Self::Refused("somebody else changed this at the same moment; try again".to_owned())
            }
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<NotaryError> for ControlError {
    fn from(error: NotaryError) -> Self {
        match error {
            NotaryError::Submit(error) => error.into(),
            NotaryError::Entry(error) => Self::Refused(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<AccountsError> for ControlError {
    fn from(error: AccountsError) -> Self {
        match error {
            AccountsError::Submit(error) => error.into(),
            error if error.is_missing() => Self::NotFound(error.to_string()),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<StoreError> for ControlError {
    fn from(error: StoreError) -> Self {
        Self::Failed(format!("{error}: {:?}", error.source))
    }
}

impl From<LedgerError> for ControlError {
    fn from(error: LedgerError) -> Self {
        Self::Failed(error.to_string())
    }
}
