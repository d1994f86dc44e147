//! The commands: their arguments, their answers, and the functions that carry them out.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_market::replay::ReplayReport;
use tollbridge_payment::BalanceComparison;
use tollbridge_webhooks::Registration;

use super::earning::EarnTaskSpec;
use super::error::OperatorError;
use super::goodwill::GoodwillOrder;
use super::money::RefundOrder;
use super::plugins::{Act, CanaryOrder};
use super::replay::ReplayOptions;
use super::service::OperatorService;
use super::{
    AccountShown, AccountView, AccountWebhooks, AccountsPage, AllWebhooks, AuditPage, CanaryRules, CreatedKey,
    DisputeShown, Disputes, EarnBudget, EarnTaskView, EarnTasks, FailedInputShown, ForgottenInputs, GivenCredit,
    HeadView, InferenceReport, KeyRevoked, Keys, LimitsView, MadeBackup, NewWebhook, NotifyPage, OpenWithdrawals,
    PaymentShown, PaymentsPage, PluginDecision, PluginInspection, PluginLogPage, PluginsPage, Problems,
    PublisherRevoked, PublisherTrusted, PublishersPage, RecordShown, RefundAnswer, RequestsPage, Revenue, RotatedKey,
    Statement, TopFrame, TrafficByMinute, WebhookDeleted, WebhookEnabled, WebhookReplayed, WebhookShown,
    WithdrawalView,
};

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

/// A command, and the type of its answer.
pub trait Request: CarryOut + Into<Command> + Clone + Send {}

impl<T: CarryOut + Into<Command> + Clone + Send> Request for T {}

/// Private, so that other crates call `OperatorService::execute`, which notes the command.
mod unnoted {
    use super::{DeserializeOwned, OperatorError, OperatorService, Serialize};

    pub trait CarryOut {
        /// The answer, which travels as JSON between a running server and the command line.
        type Answer: Serialize + DeserializeOwned + Send;

        /// Carries out the command.
        fn carry_out(
            self,
            operator: &OperatorService,
        ) -> impl Future<Output = Result<Self::Answer, OperatorError>> + Send;
    }
}

pub(super) use unnoted::CarryOut;

/// Declares the commands: their arguments, the types of their answers, and the calls that carry
/// them out.
macro_rules! commands {
    ($operator:ident: $($name:ident { $($field:ident: $type:ty),* } -> $answer:ty => $call:expr;)*) => {
        /// An operator command, as the command line sends it to a running server.
        #[expect(missing_docs, reason = "each is named after the command line that sends it")]
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(tag = "command", rename_all = "kebab-case")]
        pub enum Command {
            $($name($name),)*
        }

        impl CarryOut for Command {
            type Answer = Value;

            async fn carry_out(self, operator: &OperatorService) -> Result<Value, OperatorError> {
                let answer = match self {
                    $(Self::$name(command) => serde_json::to_value(command.carry_out(operator).await?),)*
                };
                answer.map_err(|error| OperatorError::Failed(error.to_string()))
            }
        }

        $(
            #[expect(missing_docs, reason = "it is named after the command line that sends it")]
            #[derive(Clone, Debug, Serialize, Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                $(pub $field: $type,)*
            }

            impl From<$name> for Command {
                fn from(command: $name) -> Self {
                    Self::$name(command)
                }
            }

            impl CarryOut for $name {
                type Answer = $answer;

                async fn carry_out(self, $operator: &OperatorService) -> Result<$answer, OperatorError> {
                    let Self { $($field),* } = self;
                    $call
                }
            }
        )*
    };
}

commands! {
    operator:
    KeyCreate { tier: Option<String>, email: Option<String> } -> CreatedKey
        => operator.key_create(tier.as_deref(), email.as_deref()).await;
    KeyList { account: String } -> Keys => operator.key_list(&account);
    KeyRevoke { account: String, id: String } -> KeyRevoked => operator.key_revoke(&account, &id).await;
    AccountList { after: Option<String> } -> AccountsPage
        => operator.account_list(after.as_deref().unwrap_or_default());
    AccountShow { id: String } -> AccountShown => operator.account_show(&id);
    AccountTier { id: String, tier: String } -> AccountView => operator.account_tier(&id, &tier).await;
    AccountLimits { id: String, change: LimitsChange } -> LimitsView => operator.account_limits(&id, change).await;
    AccountSuspend { id: String, suspended: bool } -> AccountView => operator.account_suspend(&id, suspended).await;
    AccountCredit { id: String, amount_gbp: String } -> AccountShown => operator.account_credit(&id, &amount_gbp).await;
    CreditGive { id: String, amount_gbp: String, reason: String, own_money: bool, dry_run: bool } -> GivenCredit
        => operator.credit_give(&id, GoodwillOrder { amount_gbp, reason, own_money, dry_run }).await;
    PaymentList { filter: Box<PaymentFilter> } -> PaymentsPage => operator.payment_list(*filter).await;
    PaymentShow { intent: String } -> PaymentShown => operator.payment_show(&intent).await;
    ReportRevenue { by: Vec<String>, since: Option<String>, until: Option<String> } -> Revenue
        => operator.report_revenue(&by, since, until).await;
    RequestList { filter: Box<RequestQuery> } -> RequestsPage => operator.request_list(*filter);
    RequestMinutes { minutes: u64 } -> TrafficByMinute => operator.request_minutes(minutes);
    Top {} -> TopFrame => operator.top().await;
    Status {} -> Problems => operator.status().await;
    InferenceShow { days: u32 } -> InferenceReport => operator.inference_show(days).await;
    DisputeList { limit: Option<usize>, ask: bool } -> Disputes => operator.dispute_list(limit, ask).await;
    DisputeShow { id: String } -> DisputeShown => operator.dispute_show(&id).await;
    AuditList { before: Option<u64>, limit: Option<usize> } -> AuditPage => operator.audit_list(before, limit);
    EarnTaskAdd { task: Box<EarnTaskSpec> } -> EarnTaskView => operator.earn_task_add(*task).await;
    EarnTaskOpen { id: String, open: bool } -> EarnTaskView => operator.earn_task_open(&id, open).await;
    EarnTaskList {} -> EarnTasks => operator.earn_task_list();
    EarnBudgetShow {} -> EarnBudget => operator.earn_budget();
    EarnBudgetAdd { amount_gbp: String, from_platform: bool } -> EarnBudget
        => operator.earn_budget_add(&amount_gbp, from_platform).await;
    NotifyList { after: Option<String> } -> NotifyPage => operator.notify_list(after.as_deref().unwrap_or_default());
    Backup { to: String } -> MadeBackup => operator.backup(&to).await;
    PaymentReconcile { days: u32 } -> BalanceComparison => operator.payment_reconcile(days).await;
    LedgerStatement { account: String } -> Statement => operator.statement(&account).await;
    PaymentRefund {
        intent: String, amount_gbp: Option<String>, to_credit: bool, reason: Option<String>, dry_run: bool
    } -> RefundAnswer
        => operator.payment_refund(&intent, RefundOrder { amount_gbp, to_credit, reason, dry_run }).await;
    WithdrawalList {} -> OpenWithdrawals => operator.withdrawal_list();
    WithdrawalRelease { id: String } -> WithdrawalView => operator.withdrawal_release(&id).await;
    WithdrawalReject { id: String, reason: String } -> WithdrawalView => operator.withdrawal_reject(&id, &reason).await;
    PluginList {} -> PluginsPage => operator.plugin_list();
    WebhookAdd { account: String, url: String, events: Vec<String>, secret: Option<String> } -> NewWebhook
        => operator.webhook_add(&account, Registration { url, events, secret }).await;
    WebhookList { account: String } -> AccountWebhooks => operator.webhook_list(&account);
    WebhookDelete { account: String, id: String } -> WebhookDeleted => operator.webhook_delete(&account, &id).await;
    WebhookListAll {} -> AllWebhooks => operator.webhook_list_all().await;
    WebhookShow { id: String } -> WebhookShown => operator.webhook_show(&id).await;
    WebhookReplay { id: String, event: Option<String>, failed_since: Option<String> } -> WebhookReplayed
        => operator.webhook_replay(&id, event, failed_since.as_deref()).await;
    WebhookEnable { id: String } -> WebhookEnabled => operator.webhook_enable(&id).await;
    PluginInspect { plugin: String } -> PluginInspection => operator.plugin_inspect(&plugin);
    PluginApprove { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Approve(version)).await;
    PluginPin { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Pin(version)).await;
    PluginUnpin { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::Pin(None)).await;
    PluginRollback { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Rollback(version)).await;
    PluginYank { plugin: String, version: String } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Yank { version }).await;
    PluginCanary { plugin: String, version: String, share: String, rules: CanaryRules } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Canary(CanaryOrder { version, share, rules })).await;
    PluginEndCanary { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::EndCanary).await;
    PluginDisable { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::Disable).await;
    PluginEnable { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::Enable).await;
    PluginLogs { plugin: String, after: Option<u64> } -> PluginLogPage => operator.plugin_logs(&plugin, after);
    PluginReplay { plugin: String, options: Box<ReplayOptions> } -> ReplayReport
        => operator.plugin_replay(&plugin, *options).await;
    PluginForgetInputs { plugin: String } -> ForgottenInputs => operator.plugin_forget_inputs(&plugin).await;
    PluginFailedInput { plugin: String, request: String } -> FailedInputShown
        => operator.plugin_failed_input(&plugin, &request);
    PublisherTrust {
        name: String, public_key: String, account: String, namespaces: Vec<String>, auto_activate: bool
    } -> PublisherTrusted
        => operator.publisher_trust(&name, &public_key, account, &namespaces, auto_activate).await;
    PublisherRevoke { name: String } -> PublisherRevoked => operator.publisher_revoke(&name).await;
    PublisherList {} -> PublishersPage => operator.publisher_list();
    LedgerHead {} -> HeadView => operator.ledger_head().await;
    SigningRotate { purpose: String } -> RotatedKey => operator.signing_rotate(&purpose).await;
    LedgerShow { record: String } -> RecordShown => operator.ledger_show(&record);
    LedgerProof { seal: String } -> Value => operator.ledger_proof(&seal).await;
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::*;

    #[test]
    fn a_command_is_sent_under_its_name_with_its_arguments() {
        assert_eq!(to_value(Command::from(Top {})).unwrap(), json!({ "command": "top" }));
        let list = to_value(Command::from(DisputeList { limit: None, ask: true })).unwrap();
        assert_eq!(list, json!({ "command": "dispute-list", "limit": null, "ask": true }));
        let read = from_value(json!({ "command": "dispute-list", "ask": false })).unwrap();
        assert!(matches!(read, Command::DisputeList(DisputeList { limit: None, ask: false })));
        assert!(matches!(from_value(json!({ "command": "top" })).unwrap(), Command::Top(_)));
        for unknown in [json!({ "command": "none" }), json!({ "command": "dispute-list", "ask": true, "x": 1 })] {
            assert!(from_value::<Command>(unknown).is_err());
        }
    }
}
