//! The commands, as the command line sends them to a running server.

use serde::{Deserialize, Serialize};

use super::CanaryRules;
use super::earning::EarnTaskSpec;
use super::replay::ReplayOptions;

/// A change of an account's custom limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum LimitsChange {
    /// No change: show the limits.
    Keep,
    /// Set these limits; omitted ones are unchanged.
    Set {
        /// Calls per minute.
        per_minute: Option<u32>,
        /// Calls per hour.
        per_hour: Option<u32>,
    },
    /// Remove custom limits: those of the tier apply again.
    Reset,
}

/// A filter for lists of payments; omitted members match everything.
#[expect(missing_docs, reason = "each is named after the option of the command line")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaymentFilter {
    pub account: Option<String>,
    pub email: Option<String>,
    pub plugin: Option<String>,
    /// Kind of record: `payment`, `route`, `refund` and so on.
    pub kind: Option<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    /// Only records below this number.
    pub before: Option<u64>,
    pub limit: Option<usize>,
}

/// A filter for lists of requests; omitted members match everything.
#[expect(missing_docs, reason = "each is named after the option of the command line")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestQuery {
    pub id: Option<String>,
    pub account: Option<String>,
    /// Prefix of the path.
    pub path: Option<String>,
    /// A status, or 4 or 5 for a whole class.
    pub status: Option<u16>,
    pub code: Option<String>,
    pub since: Option<String>,
    pub limit: Option<usize>,
}

/// An operator command.
#[expect(missing_docs, reason = "each is named after the command line that sends it")]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    KeyCreate { tier: Option<String>, email: Option<String> },
    KeyList { account: String },
    KeyRevoke { account: String, id: String },
    AccountList { after: Option<String> },
    AccountShow { id: String },
    AccountTier { id: String, tier: String },
    AccountLimits { id: String, change: LimitsChange },
    AccountSuspend { id: String, suspended: bool },
    AccountCredit { id: String, amount_gbp: String },
    CreditGive { id: String, amount_gbp: String, reason: String, own_money: bool, dry_run: bool },
    PaymentList { filter: Box<PaymentFilter> },
    PaymentShow { intent: String },
    ReportRevenue { by: Vec<String>, since: Option<String>, until: Option<String> },
    RequestList { filter: Box<RequestQuery> },
    RequestMinutes { minutes: u64 },
    Top,
    Status,
    InferenceShow { days: u32 },
    DisputeList { limit: Option<usize>, ask: bool },
    DisputeShow { id: String },
    AuditList { before: Option<u64>, limit: Option<usize> },
    EarnTaskAdd { task: Box<EarnTaskSpec> },
    EarnTaskOpen { id: String, open: bool },
    EarnTaskList,
    EarnBudgetShow,
    EarnBudgetAdd { amount_gbp: String, from_platform: bool },
    NotifyList { after: Option<String> },
    Backup { to: String },
    PaymentReconcile { days: u32 },
    LedgerStatement { account: String },
    PaymentRefund { intent: String, amount_gbp: Option<String>, to_credit: bool, reason: Option<String>, dry_run: bool },
    WithdrawalList,
    WithdrawalRelease { id: String },
    WithdrawalReject { id: String, reason: String },
    PluginList,
    WebhookAdd { account: String, url: String, events: Vec<String>, secret: Option<String> },
    WebhookList { account: String },
    WebhookDelete { account: String, id: String },
    WebhookListAll,
    WebhookShow { id: String },
    WebhookReplay { id: String, event: Option<String>, failed_since: Option<String> },
    WebhookEnable { id: String },
    PluginInspect { plugin: String },
    PluginApprove { plugin: String, version: Option<String> },
    PluginPin { plugin: String, version: Option<String> },
    PluginUnpin { plugin: String },
    PluginRollback { plugin: String, version: Option<String> },
    PluginYank { plugin: String, version: String },
    PluginCanary { plugin: String, version: String, share: String, rules: CanaryRules },
    PluginEndCanary { plugin: String },
    PluginDisable { plugin: String },
    PluginEnable { plugin: String },
    PluginLogs { plugin: String, after: Option<u64> },
    PluginReplay { plugin: String, options: Box<ReplayOptions> },
    PluginForgetInputs { plugin: String },
    PluginFailedInput { plugin: String, request: String },
    PublisherTrust { name: String, public_key: String, account: String, namespaces: Vec<String>, auto_activate: bool },
    PublisherRevoke { name: String },
    PublisherList,
    LedgerHead,
    SigningRotate { purpose: String },
    LedgerShow { record: String },
    LedgerProof { seal: String },
}
