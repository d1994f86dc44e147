//! The audit log: each operator action is sealed in the ledger before it is carried out.

use std::ops::ControlFlow;

use serde_json::{Map, Value};
use tollbridge_core::time::rfc3339;
use tollbridge_ledger::{Entry, Event, Notary};

use super::actor::Actor;
use super::answers::answers;
use super::command::{Command, LimitsChange};
use super::error::OperatorError;
use super::service::OperatorService;

answers! {
    /// Operator actions, newest first.
    AuditPage { acts: Vec<AuditRow>, next: Option<u64> }
    /// An operator action.
    AuditRow {
        at: String, operator: Option<String>, role: Option<String>, command: Option<String>, target: Option<String>,
        worm_seal: String,
    }
}

/// Name of the event in the ledger.
const ACTED: &str = "operator.acted";
/// Number of rows on one page.
const PAGE: usize = 100;

impl Command {
    /// Returns whether the command only reads.
    pub fn only_looks(&self) -> bool {
        match self {
            Self::AccountLimits(limits) => limits.change == LimitsChange::Keep,
            Self::PaymentRefund(refund) => refund.dry_run,
            Self::CreditGive(credit) => credit.dry_run,
            _ => matches!(
                self,
                Self::KeyList(_)
                    | Self::AccountList(_)
                    | Self::AccountShow(_)
                    | Self::PaymentList(_)
                    | Self::PaymentShow(_)
                    | Self::ReportRevenue(_)
                    | Self::RequestList(_)
                    | Self::RequestMinutes(_)
                    | Self::Top(_)
                    | Self::Status(_)
                    | Self::InferenceShow(_)
                    | Self::DisputeList(_)
                    | Self::DisputeShow(_)
                    | Self::AuditList(_)
                    | Self::EarnTaskList(_)
                    | Self::EarnBudgetShow(_)
                    | Self::NotifyList(_)
                    | Self::Backup(_)
                    | Self::LedgerStatement(_)
                    | Self::WithdrawalList(_)
                    | Self::PluginList(_)
                    | Self::WebhookList(_)
                    | Self::WebhookListAll(_)
                    | Self::WebhookShow(_)
                    | Self::PluginInspect(_)
                    | Self::PluginLogs(_)
                    | Self::PublisherList(_)
                    | Self::LedgerHead(_)
                    | Self::LedgerShow(_)
                    | Self::LedgerProof(_)
            ),
        }
    }

    /// Returns the name and the target of the command, without secrets. `note_act` replaces an
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

/// Seals an operator action: the command and its target, without secrets and addresses.
///
/// # Errors
/// The record was not written.
pub async fn note_act(
    notary: &Notary,
    actor: &Actor,
    (command, target): (&str, &str),
    now_ms: u64,
) -> Result<(), OperatorError> {
    let data = Map::from_iter(
        [("operator", actor.name()), ("role", actor.role().as_str()), ("command", command), ("target", target)]
            .map(|(member, text)| (member.to_owned(), Value::from(text))),
    );
    let entry = Entry::Event(Event { event: ACTED.to_owned(), data });
    notary.note(&entry, Vec::new(), now_ms).await?;
    Ok(())
}

impl OperatorService {
    /// Seals an action that is about to be carried out.
    pub(super) async fn note_act(&self, actor: &Actor, command: &Command) -> Result<(), OperatorError> {
        let (name, mut target) = command.trace();
        // Anyone with an intent's id or link can spend it; the handle is not secret.
        if target.starts_with("pi_") || target.starts_with("pt_") {
            let status = self.payments.intents.status(&target, (self.now_ms)());
            target = status.map(|status| status.quote.handle.as_str().to_owned()).unwrap_or_default();
        }
        // Records contain no personal data.
        if target.contains('@') {
            target = self.account_id(&target).unwrap_or_default();
        }
        note_act(&self.notary, actor, (&name, &target), (self.now_ms)()).await
    }

    /// Returns operator actions, newest first.
    pub(super) fn audit_list(&self, before: Option<u64>, limit: Option<usize>) -> Result<AuditPage, OperatorError> {
        let limit = limit.unwrap_or(PAGE).clamp(1, 1_000);
        let (mut acts, mut next) = (Vec::new(), None);
        let mut last = None;
        let stopped = self.walk_ledger(before, &mut |row| {
            let body = &row.record.body;
            if row.record.kind != "event" || body.get("event").and_then(Value::as_str) != Some(ACTED) {
                return ControlFlow::Continue(());
            }
            if acts.len() == limit {
                next = last;
                return ControlFlow::Break(());
            }
            let member = |name: &str| body.get("data")?.get(name)?.as_str().map(str::to_owned);
            acts.push(AuditRow {
                at: rfc3339(row.record.time_ms),
                operator: member("operator"),
                role: member("role"),
                command: member("command"),
                target: member("target"),
                worm_seal: row.seal().to_owned(),
            });
            last = Some(row.record.seq);
            ControlFlow::Continue(())
        })?;
        Ok(AuditPage { acts, next: next.or(stopped) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;
    use crate::replay::ReplayOptions;

    #[test]
    fn a_trace_has_no_address_and_no_secret() {
        let command = Command::from(command::KeyCreate { tier: None, email: Some("ada@example.com".to_owned()) });
        assert_eq!(command.trace(), ("key-create".to_owned(), String::new()));
        let command = Command::from(command::WebhookAdd {
            account: "acct_1".to_owned(),
            url: "https://x.example".to_owned(),
            events: Vec::new(),
            secret: Some("whsec_1".to_owned()),
        });
        assert_eq!(command.trace(), ("webhook-add".to_owned(), "acct_1".to_owned()));
        let give = |dry_run| {
            Command::from(command::CreditGive {
                id: "acct_1".to_owned(),
                amount_gbp: "1.00".to_owned(),
                reason: "late".to_owned(),
                own_money: false,
                dry_run,
            })
        };
        assert_eq!(give(false).trace(), ("credit-give".to_owned(), "acct_1".to_owned()));
        assert!(give(true).only_looks() && !give(false).only_looks());
        assert!(!command.only_looks() && Command::from(command::LedgerHead {}).only_looks());
        let id = "wh_1".to_owned();
        let replay = Command::from(command::WebhookReplay { id, event: Some("evt_1".to_owned()), failed_since: None });
        assert!(!replay.only_looks() && replay.trace() == ("webhook-replay".to_owned(), "wh_1".to_owned()));
        assert!(
            Command::from(command::Status {}).only_looks()
                && Command::from(command::DisputeList { limit: None, ask: true }).only_looks()
        );
    }

    #[test]
    fn a_replay_is_an_act_and_reading_inputs_shows() {
        let replay = |show_inputs| {
            let options = ReplayOptions { show_inputs, ..ReplayOptions::default() };
            Command::from(command::PluginReplay { plugin: "echo".to_owned(), options: Box::new(options) })
        };
        assert_eq!(replay(false).trace(), ("plugin-replay".to_owned(), "echo".to_owned()));
        assert_eq!(replay(true).trace(), ("plugin-replay --show-inputs".to_owned(), "echo".to_owned()));
        let forget = Command::from(command::PluginForgetInputs { plugin: "echo".to_owned() });
        assert!(!replay(false).only_looks() && !replay(true).only_looks() && !forget.only_looks());
        let failed =
            Command::from(command::PluginFailedInput { plugin: "echo".to_owned(), request: "req_1".to_owned() });
        assert_eq!(failed.trace(), ("plugin-failed-input".to_owned(), "echo".to_owned()));
        assert!(!failed.only_looks(), "it shows what a caller sent");
    }
}
