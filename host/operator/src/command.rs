//! The commands: their arguments, their answers, and the functions that carry them out.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_market::replay::ReplayReport;
use tollbridge_payment::BalanceComparison;
use tollbridge_webhooks::Registration;

use super::actor::Actor;
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

/// Private, so that other crates call `OperatorService::execute`, which seals the command.
mod unsealed {
    use super::{DeserializeOwned, OperatorError, OperatorService, Serialize};

    pub trait CarryOut {
        /// The answer, which travels as JSON between a running server and the command line.
        type Answer: Serialize + DeserializeOwned + Send;

        /// Returns whether the command is sealed in the audit log before it is carried out.
        fn is_sealed(&self) -> bool;

        /// Carries out the command.
        fn carry_out(
            self,
            operator: &OperatorService,
        ) -> impl Future<Output = Result<Self::Answer, OperatorError>> + Send;
    }
}

pub(super) use unsealed::CarryOut;

/// Whether a command is sealed in the audit log before it is carried out.
macro_rules! is_sealed {
    ($command:ident reads) => {
        false
    };
    ($command:ident seals) => {
        true
    };
    ($command:ident seals unless $($reads:tt)+) => {{
        let reads = $command.$($reads)+;
        !reads
    }};
}

/// Declares the commands: whether each is sealed in the audit log, its arguments, the type of its
/// answer, and the call that carries it out.
///
/// A command that only `reads` is not sealed. One that `seals` changes something, copies the data
/// folder, or shows what callers sent.
macro_rules! commands {
    ($operator:ident: $(
        $effect:ident $((unless $($reads:tt)+))? $name:ident { $($field:ident: $type:ty),* } -> $answer:ty
            => $call:expr;
    )*) => {
        /// An operator command, as the command line sends it to a running server.
        #[expect(missing_docs, reason = "each is named after the command line that sends it")]
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(tag = "command", rename_all = "kebab-case")]
        pub enum Command {
            $($name($name),)*
        }

        impl CarryOut for Command {
            type Answer = Value;

            fn is_sealed(&self) -> bool {
                match self {
                    $(Self::$name(command) => command.is_sealed(),)*
                }
            }

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

                fn is_sealed(&self) -> bool {
                    is_sealed!(self $effect $(unless $($reads)+)?)
                }

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
    seals KeyCreate { tier: Option<String>, email: Option<String> } -> CreatedKey
        => operator.key_create(tier.as_deref(), email.as_deref()).await;
    reads KeyList { account: String } -> Keys => operator.key_list(&account);
    seals KeyRevoke { account: String, id: String } -> KeyRevoked => operator.key_revoke(&account, &id).await;
    reads AccountList { after: Option<String> } -> AccountsPage
        => operator.account_list(after.as_deref().unwrap_or_default());
    reads AccountShow { id: String } -> AccountShown => operator.account_show(&id);
    seals AccountTier { id: String, tier: String } -> AccountView => operator.account_tier(&id, &tier).await;
    seals(unless change == LimitsChange::Keep) AccountLimits { id: String, change: LimitsChange } -> LimitsView => operator.account_limits(&id, change).await;
    seals AccountSuspend { id: String, suspended: bool } -> AccountView => operator.account_suspend(&id, suspended).await;
    seals AccountCredit { id: String, amount_gbp: String } -> AccountShown => operator.account_credit(&id, &amount_gbp).await;
    seals(unless dry_run) CreditGive { id: String, amount_gbp: String, reason: String, own_money: bool, dry_run: bool } -> GivenCredit
        => operator.credit_give(&id, GoodwillOrder { amount_gbp, reason, own_money, dry_run }).await;
    reads PaymentList { filter: Box<PaymentFilter> } -> PaymentsPage => operator.payment_list(*filter).await;
    reads PaymentShow { intent: String } -> PaymentShown => operator.payment_show(&intent).await;
    reads ReportRevenue { by: Vec<String>, since: Option<String>, until: Option<String> } -> Revenue
        => operator.report_revenue(&by, since, until).await;
    reads RequestList { filter: Box<RequestQuery> } -> RequestsPage => operator.request_list(*filter);
    reads RequestMinutes { minutes: u64 } -> TrafficByMinute => operator.request_minutes(minutes);
    reads Top {} -> TopFrame => operator.top().await;
    reads Status {} -> Problems => operator.status().await;
    reads InferenceShow { days: u32 } -> InferenceReport => operator.inference_show(days).await;
    reads DisputeList { limit: Option<usize>, ask: bool } -> Disputes => operator.dispute_list(limit, ask).await;
    reads DisputeShow { id: String } -> DisputeShown => operator.dispute_show(&id).await;
    reads AuditList { before: Option<u64>, limit: Option<usize> } -> AuditPage => operator.audit_list(before, limit);
    seals EarnTaskAdd { task: Box<EarnTaskSpec> } -> EarnTaskView => operator.earn_task_add(*task).await;
    seals EarnTaskOpen { id: String, open: bool } -> EarnTaskView => operator.earn_task_open(&id, open).await;
    reads EarnTaskList {} -> EarnTasks => operator.earn_task_list();
    reads EarnBudgetShow {} -> EarnBudget => operator.earn_budget();
    seals EarnBudgetAdd { amount_gbp: String, from_platform: bool } -> EarnBudget
        => operator.earn_budget_add(&amount_gbp, from_platform).await;
    reads NotifyList { after: Option<String> } -> NotifyPage => operator.notify_list(after.as_deref().unwrap_or_default());
    seals Backup { to: String } -> MadeBackup => operator.backup(&to).await;
    seals PaymentReconcile { days: u32 } -> BalanceComparison => operator.payment_reconcile(days).await;
    reads LedgerStatement { account: String } -> Statement => operator.statement(&account).await;
    seals(unless dry_run) PaymentRefund {
        intent: String, amount_gbp: Option<String>, to_credit: bool, reason: Option<String>, dry_run: bool
    } -> RefundAnswer
        => operator.payment_refund(&intent, RefundOrder { amount_gbp, to_credit, reason, dry_run }).await;
    reads WithdrawalList {} -> OpenWithdrawals => operator.withdrawal_list();
    seals WithdrawalRelease { id: String } -> WithdrawalView => operator.withdrawal_release(&id).await;
    seals WithdrawalReject { id: String, reason: String } -> WithdrawalView => operator.withdrawal_reject(&id, &reason).await;
    reads PluginList {} -> PluginsPage => operator.plugin_list();
    seals WebhookAdd { account: String, url: String, events: Vec<String>, secret: Option<String> } -> NewWebhook
        => operator.webhook_add(&account, Registration { url, events, secret }).await;
    reads WebhookList { account: String } -> AccountWebhooks => operator.webhook_list(&account);
    seals WebhookDelete { account: String, id: String } -> WebhookDeleted => operator.webhook_delete(&account, &id).await;
    reads WebhookListAll {} -> AllWebhooks => operator.webhook_list_all().await;
    reads WebhookShow { id: String } -> WebhookShown => operator.webhook_show(&id).await;
    seals WebhookReplay { id: String, event: Option<String>, failed_since: Option<String> } -> WebhookReplayed
        => operator.webhook_replay(&id, event, failed_since.as_deref()).await;
    seals WebhookEnable { id: String } -> WebhookEnabled => operator.webhook_enable(&id).await;
    reads PluginInspect { plugin: String } -> PluginInspection => operator.plugin_inspect(&plugin);
    seals PluginApprove { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Approve(version)).await;
    seals PluginPin { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Pin(version)).await;
    seals PluginUnpin { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::Pin(None)).await;
    seals PluginRollback { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Rollback(version)).await;
    seals PluginYank { plugin: String, version: String } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Yank { version }).await;
    seals PluginCanary { plugin: String, version: String, share: String, rules: CanaryRules } -> PluginDecision
        => operator.plugin_act(&plugin, Act::Canary(CanaryOrder { version, share, rules })).await;
    seals PluginEndCanary { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::EndCanary).await;
    seals PluginDisable { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::Disable).await;
    seals PluginEnable { plugin: String } -> PluginDecision => operator.plugin_act(&plugin, Act::Enable).await;
    reads PluginLogs { plugin: String, after: Option<u64> } -> PluginLogPage => operator.plugin_logs(&plugin, after);
    seals PluginReplay { plugin: String, options: Box<ReplayOptions> } -> ReplayReport
        => operator.plugin_replay(&plugin, *options).await;
    seals PluginForgetInputs { plugin: String } -> ForgottenInputs => operator.plugin_forget_inputs(&plugin).await;
    seals PluginFailedInput { plugin: String, request: String } -> FailedInputShown
        => operator.plugin_failed_input(&plugin, &request);
    seals PublisherTrust {
        name: String, public_key: String, account: String, namespaces: Vec<String>, auto_activate: bool
    } -> PublisherTrusted
        => operator.publisher_trust(&name, &public_key, account, &namespaces, auto_activate).await;
    seals PublisherRevoke { name: String } -> PublisherRevoked => operator.publisher_revoke(&name).await;
    reads PublisherList {} -> PublishersPage => operator.publisher_list();
    reads LedgerHead {} -> HeadView => operator.ledger_head().await;
    seals SigningRotate { purpose: String } -> RotatedKey => operator.signing_rotate(&purpose).await;
    reads LedgerShow { record: String } -> RecordShown => operator.ledger_show(&record);
    reads LedgerProof { seal: String } -> Value => operator.ledger_proof(&seal).await;
}

impl OperatorService {
    /// Carries out a command of an actor. A command that does more than read is first sealed in the
    /// ledger with the actor's name.
    pub async fn execute<R: Request>(&self, actor: &Actor, request: R) -> Result<R::Answer, OperatorError> {
        if request.is_sealed() {
            let command: Command = request.clone().into();
            self.note_act(actor, command.trace()).await?;
        }
        request.carry_out(self).await
    }
}

impl Command {
    /// Returns the name and the target of the command, without secrets. The audit log replaces an
    /// e-mail address by the account's id.
    fn trace(&self) -> (String, String) {
        let members = serde_json::to_value(self).unwrap_or_default();
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let target = ["id", "account", "intent", "plugin", "name", "purpose"].into_iter().find_map(text);
        let mut name = text("command").unwrap_or_default().to_owned();
        // The audit log distinguishes operators who read callers' inputs.
        if matches!(self, Self::PluginReplay(replay) if replay.options.show_inputs) {
            name.push_str(" --show-inputs");
        }
        (name, target.unwrap_or_default().to_owned())
    }
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

    #[test]
    fn a_copy_of_the_data_folder_is_sealed() {
        assert!(Command::from(Backup { to: "/backups/daily".to_owned() }).is_sealed());
    }

    #[test]
    fn limits_are_sealed_only_when_they_change() {
        let limits = |change| AccountLimits { id: "acct_1".to_owned(), change };
        assert!(limits(LimitsChange::Reset).is_sealed() && !limits(LimitsChange::Keep).is_sealed());
    }

    #[test]
    fn a_trace_has_no_address_and_no_secret() {
        let command = Command::from(KeyCreate { tier: None, email: Some("ada@example.com".to_owned()) });
        assert_eq!(command.trace(), ("key-create".to_owned(), String::new()));
        let command = Command::from(WebhookAdd {
            account: "acct_1".to_owned(),
            url: "https://x.example".to_owned(),
            events: Vec::new(),
            secret: Some("whsec_1".to_owned()),
        });
        assert_eq!(command.trace(), ("webhook-add".to_owned(), "acct_1".to_owned()));
        let give = |dry_run| {
            Command::from(CreditGive {
                id: "acct_1".to_owned(),
                amount_gbp: "1.00".to_owned(),
                reason: "late".to_owned(),
                own_money: false,
                dry_run,
            })
        };
        assert_eq!(give(false).trace(), ("credit-give".to_owned(), "acct_1".to_owned()));
        assert!(!give(true).is_sealed() && give(false).is_sealed());
        assert!(command.is_sealed() && !Command::from(LedgerHead {}).is_sealed());
        let id = "wh_1".to_owned();
        let replay = Command::from(WebhookReplay { id, event: Some("evt_1".to_owned()), failed_since: None });
        assert!(replay.is_sealed() && replay.trace() == ("webhook-replay".to_owned(), "wh_1".to_owned()));
        assert!(
            !Command::from(Status {}).is_sealed() && !Command::from(DisputeList { limit: None, ask: true }).is_sealed()
        );
    }

    #[test]
    fn a_replay_is_an_act_and_reading_inputs_shows() {
        let replay = |show_inputs| {
            let options = ReplayOptions { show_inputs, ..ReplayOptions::default() };
            Command::from(PluginReplay { plugin: "echo".to_owned(), options: Box::new(options) })
        };
        assert_eq!(replay(false).trace(), ("plugin-replay".to_owned(), "echo".to_owned()));
        assert_eq!(replay(true).trace(), ("plugin-replay --show-inputs".to_owned(), "echo".to_owned()));
        let forget = Command::from(PluginForgetInputs { plugin: "echo".to_owned() });
        assert!(replay(false).is_sealed() && replay(true).is_sealed() && forget.is_sealed());
        let failed = Command::from(PluginFailedInput { plugin: "echo".to_owned(), request: "req_1".to_owned() });
        assert_eq!(failed.trace(), ("plugin-failed-input".to_owned(), "echo".to_owned()));
        assert!(failed.is_sealed(), "it shows what a caller sent");
    }
}
