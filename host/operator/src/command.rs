//! The commands: their arguments, their answers, and the functions that carry them out.

use futures_util::future::{BoxFuture, FutureExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tollbridge_agents::qualification::Qualification;
use tollbridge_market::replay::ReplayReport;
use tollbridge_payment::BalanceComparison;
use tollbridge_registry::CanaryRules;
use tollbridge_webhooks::Registration;

use super::accounts::{
    AccountShown, AccountView, AccountsPage, CreatedKey, KeyRevoked, Keys, LimitsChange, LimitsView,
};
use super::actor::Actor;
use super::audit::AuditPage;
use super::backup::MadeBackup;
use super::disputes::{DisputeShown, Disputes};
use super::earning::{EarnBudget, EarnTaskSpec, EarnTaskView, EarnTasks};
use super::error::OperatorError;
use super::goodwill::{GivenCredit, GoodwillOrder};
use super::inference::InferenceReport;
use super::ledger::{HeadView, RecordShown};
use super::notify::NotifyPage;
use super::payments::{PaymentFilter, PaymentShown, PaymentsPage};
use super::plugins::{CanaryOrder, PluginAction, PluginDecision, PluginInspection, PluginLogPage, PluginsPage};
use super::publishers::{PublisherRevoked, PublisherTrusted, PublishersPage};
use super::qualification::TriedTask;
use super::refunds::{RefundAnswer, RefundOrder};
use super::replay::{FailedInputShown, ForgottenInputs, ReplayOptions};
use super::requests::{RequestQuery, RequestsPage, TrafficByMinute};
use super::revenue::Revenue;
use super::service::OperatorService;
use super::signing::RotatedKey;
use super::statement::Statement;
use super::status::Problems;
use super::top::TopFrame;
use super::webhooks::{
    AccountWebhooks, AllWebhooks, NewWebhook, WebhookDeleted, WebhookEnabled, WebhookReplayed, WebhookShown,
};
use super::withdrawals::{OpenWithdrawals, WithdrawalView};

/// A command, and the type of its answer.
pub trait Request: Execute + Into<Command> + Clone + Send {}

impl<T: Execute + Into<Command> + Clone + Send> Request for T {}

/// Private, so that other crates call `OperatorService::execute`, which seals the command.
mod unsealed {
    use futures_util::future::BoxFuture;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    use crate::error::OperatorError;
    use crate::service::OperatorService;

    pub trait Execute {
        /// The answer, which travels as JSON between a running server and the command line.
        type Answer: Serialize + DeserializeOwned + Send;

        /// Returns whether the audit log seals the command before it is carried out.
        fn is_sealed(&self) -> bool;

        /// Carries out the command. Boxed, so that console and command line do not compile
        /// every command again.
        fn execute(self, operator: &OperatorService) -> BoxFuture<'_, Result<Self::Answer, OperatorError>>;
    }
}

pub(super) use unsealed::Execute;

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

/// Declares the commands: whether each is sealed in the audit log, its arguments, the
/// type of its answer, and the call that carries it out.
///
/// A command that only `reads` is not sealed. A command that `seals` changes something,
/// copies the data folder, or shows what callers sent.
macro_rules! commands {
    ($operator:ident: $(
        $effect:ident $((unless $($reads:tt)+))? $name:ident { $($field:ident: $type:ty),* } -> $answer:ty
            => $call:expr;
    )*) => {
        /// An operator command, as the command line sends it to a running server.
        #[expect(missing_docs, reason = "each variant is named after the CLI command that sends it")]
        #[derive(Clone, Debug, Serialize, Deserialize)]
        #[serde(tag = "command", rename_all = "kebab-case")]
        pub enum Command {
            $($name($name),)*
        }

        impl Execute for Command {
            type Answer = Value;

            fn is_sealed(&self) -> bool {
                match self {
                    $(Self::$name(command) => command.is_sealed(),)*
                }
            }

            fn execute(self, operator: &OperatorService) -> BoxFuture<'_, Result<Value, OperatorError>> {
                async move {
                    let answer = match self {
                        $(Self::$name(command) => serde_json::to_value(command.execute(operator).await?),)*
                    };
                    answer.map_err(|error| OperatorError::Failed(error.to_string()))
                }
                .boxed()
            }
        }

        $(
            #[expect(missing_docs, reason = "it is named after the CLI command that sends it")]
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

            impl Execute for $name {
                type Answer = $answer;

                fn is_sealed(&self) -> bool {
                    is_sealed!(self $effect $(unless $($reads)+)?)
                }

                fn execute(self, $operator: &OperatorService) -> BoxFuture<'_, Result<$answer, OperatorError>> {
                    async move {
                        let Self { $($field),* } = self;
                        $call
                    }
                    .boxed()
                }
            }
        )*
    };
}

commands! {
    operator:
    seals KeyCreate { tier: Option<String>, email: Option<String> } -> CreatedKey
        => operator.accounts.create_key(tier.as_deref(), email.as_deref()).await;
    reads KeyList { account: String } -> Keys => operator.accounts.keys(&account);
    seals KeyRevoke { account: String, id: String } -> KeyRevoked => operator.accounts.revoke_key(&account, &id).await;
    reads AccountList { after: Option<String> } -> AccountsPage
        => operator.accounts.list(after.as_deref().unwrap_or_default());
    reads AccountShow { id: String } -> AccountShown => operator.accounts.show(&id);
    seals AccountTier { id: String, tier: String } -> AccountView => operator.accounts.set_tier(&id, &tier).await;
    seals(unless change == LimitsChange::Keep) AccountLimits { id: String, change: LimitsChange } -> LimitsView
        => operator.accounts.limits(&id, change).await;
    seals AccountSuspend { id: String, suspended: bool } -> AccountView
        => operator.accounts.suspend(&id, suspended).await;
    seals AccountCredit { id: String, amount_gbp: String } -> AccountShown
        => operator.accounts.give_test_credit(&id, &amount_gbp).await;
    seals(unless dry_run) CreditGive {
        id: String, amount_gbp: String, reason: String, own_money: bool, dry_run: bool
    } -> GivenCredit
        => operator.goodwill.give(&id, GoodwillOrder { amount_gbp, reason, own_money, dry_run }).await;
    reads PaymentList { filter: Box<PaymentFilter> } -> PaymentsPage => operator.payments.list(*filter).await;
    reads PaymentShow { intent: String } -> PaymentShown => operator.payments.show(&intent).await;
    reads ReportRevenue { by: Vec<String>, since: Option<String>, until: Option<String> } -> Revenue
        => operator.revenue.report(&by, since, until).await;
    reads RequestList { filter: Box<RequestQuery> } -> RequestsPage => operator.requests.list(*filter);
    reads RequestMinutes { minutes: u64 } -> TrafficByMinute => operator.requests.by_minute(minutes);
    reads Top {} -> TopFrame => operator.top.frame().await;
    reads Status {} -> Problems => operator.status.problems().await;
    reads InferenceShow { days: u32 } -> InferenceReport
        => operator.inference.report(days, operator.qualifications.all()?).await;
    reads InferenceTry { agent: String, task: String, model: Option<String> } -> TriedTask
        => operator.qualifications.try_task(&agent, &task, model).await;
    seals InferenceQualify { id: String, measured: Box<Qualification> } -> Qualification
        => operator.qualifications.record(&id, *measured).await;
    reads DisputeList { limit: Option<usize>, ask: bool } -> Disputes => operator.disputes.list(limit, ask).await;
    reads DisputeShow { id: String } -> DisputeShown => operator.disputes.show(&id).await;
    reads AuditList { before: Option<u64>, limit: Option<usize> } -> AuditPage => operator.audit.list(before, limit);
    seals EarnTaskAdd { task: Box<EarnTaskSpec> } -> EarnTaskView => operator.earning.add_task(*task).await;
    seals EarnTaskOpen { id: String, open: bool } -> EarnTaskView => operator.earning.open_task(&id, open).await;
    reads EarnTaskList {} -> EarnTasks => operator.earning.tasks();
    reads EarnBudgetShow {} -> EarnBudget => operator.earning.budget();
    seals EarnBudgetAdd { amount_gbp: String, from_platform: bool } -> EarnBudget
        => operator.earning.fund(&amount_gbp, from_platform).await;
    reads NotifyList { after: Option<String> } -> NotifyPage
        => operator.notify.list(after.as_deref().unwrap_or_default());
    seals Backup { to: String } -> MadeBackup => operator.backups.make(&to).await;
    seals PaymentReconcile { days: u32 } -> BalanceComparison => operator.payments.reconcile(days).await;
    reads LedgerStatement { account: String } -> Statement => operator.statements.show(&account).await;
    seals(unless dry_run) PaymentRefund {
        intent: String, amount_gbp: Option<String>, to_credit: bool, reason: Option<String>, dry_run: bool
    } -> RefundAnswer
        => operator.refunds.refund(&intent, RefundOrder { amount_gbp, to_credit, reason, dry_run }).await;
    reads WithdrawalList {} -> OpenWithdrawals => operator.withdrawals.list();
    seals WithdrawalRelease { id: String } -> WithdrawalView => operator.withdrawals.release(&id).await;
    seals WithdrawalReject { id: String, reason: String } -> WithdrawalView
        => operator.withdrawals.reject(&id, &reason).await;
    reads PluginList {} -> PluginsPage => operator.plugins.list();
    seals WebhookAdd { account: String, url: String, events: Vec<String>, secret: Option<String> } -> NewWebhook
        => operator.webhooks.add(&account, Registration { url, events, secret }).await;
    reads WebhookList { account: String } -> AccountWebhooks => operator.webhooks.list(&account);
    seals WebhookDelete { account: String, id: String } -> WebhookDeleted
        => operator.webhooks.delete(&account, &id).await;
    reads WebhookListAll {} -> AllWebhooks => operator.webhooks.list_all().await;
    reads WebhookShow { id: String } -> WebhookShown => operator.webhooks.show(&id).await;
    seals WebhookReplay { id: String, event: Option<String>, failed_since: Option<String> } -> WebhookReplayed
        => operator.webhooks.replay(&id, event, failed_since.as_deref()).await;
    seals WebhookEnable { id: String } -> WebhookEnabled => operator.webhooks.enable(&id).await;
    reads PluginInspect { plugin: String } -> PluginInspection => operator.plugins.inspect(&plugin);
    seals PluginApprove { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugins.act(&plugin, PluginAction::Approve(version)).await;
    seals PluginPin { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugins.act(&plugin, PluginAction::Pin(version)).await;
    seals PluginUnpin { plugin: String } -> PluginDecision => operator.plugins.act(&plugin, PluginAction::Pin(None)).await;
    seals PluginRollback { plugin: String, version: Option<String> } -> PluginDecision
        => operator.plugins.act(&plugin, PluginAction::Rollback(version)).await;
    seals PluginYank { plugin: String, version: String } -> PluginDecision
        => operator.plugins.act(&plugin, PluginAction::Yank { version }).await;
    seals PluginCanary { plugin: String, version: String, share: String, rules: CanaryRules } -> PluginDecision
        => operator.plugins.act(&plugin, PluginAction::Canary(CanaryOrder { version, share, rules })).await;
    seals PluginEndCanary { plugin: String } -> PluginDecision => operator.plugins.act(&plugin, PluginAction::EndCanary).await;
    seals PluginDisable { plugin: String } -> PluginDecision => operator.plugins.act(&plugin, PluginAction::Disable).await;
    seals PluginEnable { plugin: String } -> PluginDecision => operator.plugins.act(&plugin, PluginAction::Enable).await;
    reads PluginLogs { plugin: String, after: Option<u64> } -> PluginLogPage => operator.plugins.logs(&plugin, after);
    seals PluginReplay { plugin: String, options: Box<ReplayOptions> } -> ReplayReport
        => operator.replays.run(&plugin, *options).await;
    seals PluginForgetInputs { plugin: String } -> ForgottenInputs => operator.replays.forget(&plugin).await;
    seals PluginFailedInput { plugin: String, request: String } -> FailedInputShown
        => operator.replays.failed_input(&plugin, &request);
    seals PublisherTrust {
        name: String, public_key: String, account: String, namespaces: Vec<String>, auto_activate: bool
    } -> PublisherTrusted
        => operator.publishers.trust(&name, &public_key, account, &namespaces, auto_activate).await;
    seals PublisherRevoke { name: String } -> PublisherRevoked => operator.publishers.revoke(&name).await;
    reads PublisherList {} -> PublishersPage => operator.publishers.list();
    reads LedgerHead {} -> HeadView => operator.ledger.head().await;
    seals SigningRotate { purpose: String } -> RotatedKey => operator.signing.rotate(&purpose).await;
    reads LedgerShow { record: String } -> RecordShown => operator.ledger.show(&record);
    reads LedgerProof { seal: String } -> Value => operator.ledger.proof(&seal).await;
}

impl OperatorService {
    /// Carries out a command of an actor. A command that does more than read is first
    /// sealed in the ledger with the actor's name.
    pub async fn execute<R: Request>(&self, actor: &Actor, request: R) -> Result<R::Answer, OperatorError> {
        if request.is_sealed() {
            let command: Command = request.clone().into();
            self.audit.note(actor, command.trace()).await?;
        }
        request.execute(self).await
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
