//! Dispatch of commands to the functions that carry them out.

use serde_json::Value;
use tollbridge_webhooks::Registration;

use super::actor::Actor;
use super::command::Command;
use super::error::OperatorError;
use super::goodwill::GoodwillOrder;
use super::money::RefundOrder;
use super::plugins::{Act, CanaryOrder};
use super::service::OperatorService;

impl OperatorService {
    /// Carries out a command of an actor; the answer suits people and programs alike. A command
    /// that changes anything is first recorded in the ledger with the actor's name.
    pub async fn execute(&self, actor: &Actor, command: Command) -> Result<Value, OperatorError> {
        if !command.only_looks() {
            self.note_act(actor, &command).await?;
        }
        self.carry_out(command).await
    }

    async fn carry_out(&self, command: Command) -> Result<Value, OperatorError> {
        match command {
            Command::RequestList { filter } => self.request_list(*filter),
            Command::RequestMinutes { minutes } => self.request_minutes(minutes),
            Command::Top => self.top().await,
            Command::AuditList { before, limit } => self.audit_list(before, limit),
            Command::KeyCreate { tier, email } => self.key_create(tier.as_deref(), email.as_deref()).await,
            Command::KeyList { account } => self.key_list(&account),
            Command::KeyRevoke { account, id } => self.key_revoke(&account, &id).await,
            Command::AccountList { after } => self.account_list(after.as_deref().unwrap_or_default()),
            Command::AccountShow { id } => self.account_show(&id),
            Command::AccountTier { id, tier } => self.account_tier(&id, &tier).await,
            Command::AccountLimits { id, change } => self.account_limits(&id, change).await,
            Command::AccountSuspend { id, suspended } => self.account_suspend(&id, suspended).await,
            Command::AccountCredit { id, amount_gbp } => self.account_credit(&id, &amount_gbp).await,
            Command::CreditGive { id, amount_gbp, reason, own_money, dry_run } => {
                self.credit_give(&id, GoodwillOrder { amount_gbp, reason, own_money, dry_run }).await
            }
            Command::PaymentList { filter } => self.payment_list(*filter).await,
            Command::PaymentShow { intent } => self.payment_show(&intent).await,
            Command::ReportRevenue { by, since, until } => self.report_revenue(&by, since, until).await,
            Command::EarnTaskAdd { task } => self.earn_task_add(*task).await,
            Command::EarnTaskOpen { id, open } => self.earn_task_open(&id, open).await,
            Command::EarnTaskList => self.earn_task_list(),
            Command::EarnBudgetShow => self.earn_budget(),
            Command::EarnBudgetAdd { amount_gbp, from_platform } => {
                self.earn_budget_add(&amount_gbp, from_platform).await
            }
            Command::NotifyList { after } => self.notify_list(after.as_deref().unwrap_or_default()),
            Command::Backup { to } => self.backup(&to).await,
            Command::PaymentReconcile { days } => self.payment_reconcile(days).await,
            Command::LedgerStatement { account } => self.statement(&account).await,
            Command::PaymentRefund { intent, amount_gbp, to_credit, reason, dry_run } => {
                self.payment_refund(&intent, RefundOrder { amount_gbp, to_credit, reason, dry_run }).await
            }
            Command::WithdrawalList => self.withdrawal_list(),
            Command::WithdrawalRelease { id } => self.withdrawal_release(&id).await,
            Command::WithdrawalReject { id, reason } => self.withdrawal_reject(&id, &reason).await,
            Command::PluginList => self.plugin_list(),
            Command::PluginInspect { plugin } => self.plugin_inspect(&plugin),
            Command::PluginLogs { plugin, after } => self.plugin_logs(&plugin, after),
            Command::PluginReplay { plugin, options } => self.plugin_replay(&plugin, *options).await,
            Command::PluginForgetInputs { plugin } => self.plugin_forget_inputs(&plugin).await,
            Command::PluginFailedInput { plugin, request } => self.plugin_failed_input(&plugin, &request),
            act @ (Command::PluginApprove { .. }
            | Command::PluginPin { .. }
            | Command::PluginUnpin { .. }
            | Command::PluginRollback { .. }
            | Command::PluginYank { .. }
            | Command::PluginCanary { .. }
            | Command::PluginEndCanary { .. }
            | Command::PluginDisable { .. }
            | Command::PluginEnable { .. }) => self.decide_about_plugin(act).await,
            Command::PublisherTrust { name, public_key, account, namespaces, auto_activate } => {
                self.publisher_trust(&name, &public_key, account, &namespaces, auto_activate).await
            }
            Command::PublisherRevoke { name } => self.publisher_revoke(&name).await,
            Command::PublisherList => self.publisher_list(),
            Command::SigningRotate { purpose } => self.signing_rotate(&purpose).await,
            Command::LedgerHead => self.ledger_head().await,
            Command::LedgerShow { record } => self.ledger_show(&record),
            Command::LedgerProof { seal } => self.ledger_proof(&seal).await,
            other => self.carry_out_with_others(other).await,
        }
    }

    /// Carries out commands that involve third parties: receivers of webhooks, providers, the
    /// processor.
    async fn carry_out_with_others(&self, command: Command) -> Result<Value, OperatorError> {
        match command {
            Command::Status => self.status().await,
            Command::InferenceShow { days } => self.inference_show(days).await,
            Command::DisputeList { limit, ask } => self.dispute_list(limit, ask).await,
            Command::DisputeShow { id } => self.dispute_show(&id).await,
            Command::WebhookAdd { account, url, events, secret } => {
                self.webhook_add(&account, Registration { url, events, secret }).await
            }
            Command::WebhookList { account } => self.webhook_list(&account),
            Command::WebhookDelete { account, id } => self.webhook_delete(&account, &id).await,
            Command::WebhookListAll => self.webhook_list_all().await,
            Command::WebhookShow { id } => self.webhook_show(&id).await,
            Command::WebhookReplay { id, event, failed_since } => {
                self.webhook_replay(&id, event, failed_since.as_deref()).await
            }
            Command::WebhookEnable { id } => self.webhook_enable(&id).await,
            // A test fails if a new command is missing here.
            other => Err(OperatorError::Failed(format!("no function carries out `{}`", other.name()))),
        }
    }

    /// Carries out commands that decide which versions serve.
    async fn decide_about_plugin(&self, command: Command) -> Result<Value, OperatorError> {
        let (plugin, act) = match command {
            Command::PluginApprove { plugin, version } => (plugin, Act::Approve(version)),
            Command::PluginPin { plugin, version } => (plugin, Act::Pin(version)),
            Command::PluginUnpin { plugin } => (plugin, Act::Pin(None)),
            Command::PluginRollback { plugin, version } => (plugin, Act::Rollback(version)),
            Command::PluginYank { plugin, version } => (plugin, Act::Yank { version }),
            Command::PluginCanary { plugin, version, share, rules } => {
                (plugin, Act::Canary(CanaryOrder { version, share, rules }))
            }
            Command::PluginEndCanary { plugin } => (plugin, Act::EndCanary),
            Command::PluginDisable { plugin } => (plugin, Act::Disable),
            Command::PluginEnable { plugin } => (plugin, Act::Enable),
            other => return Err(OperatorError::Failed(format!("`{}` is not a command about a plugin", other.name()))),
        };
        self.plugin_act(&plugin, act).await
    }
}
