//! The audit log: each operator action is sealed in the ledger before it is carried out.

use std::ops::ControlFlow;

use serde_json::{Map, Value};
use tollbridge_core::time::{now_ms, rfc3339};
use tollbridge_ledger::{Entry, Event, Notary};

use super::accounts::account_id;
use super::actor::Actor;
use super::answers::answers;
use super::error::OperatorError;
use super::record_reader::RecordReader;

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

/// The commands for the audit log.
pub(super) struct AuditCommands {
    pub(super) records: RecordReader,
}

impl AuditCommands {
    /// Seals an action that is about to be carried out.
    pub(super) async fn note(&self, actor: &Actor, (name, mut target): (String, String)) -> Result<(), OperatorError> {
        // Replace an intent's id or link by its handle: anyone with the id or link can
        // use it, and the handle is not secret.
        if target.starts_with("pi_") || target.starts_with("pt_") {
            let status = self.records.payments.intents.status(&target, now_ms());
            target = status.map(|status| status.quote.handle.as_str().to_owned()).unwrap_or_default();
        }
        // Replace an e-mail address by the account's id: records contain no personal
        // data.
        if target.contains('@') {
            target = account_id(&self.records.accounts, &target).unwrap_or_default();
        }
        note_act(&self.records.notary, actor, (&name, &target), now_ms()).await
    }

    /// Returns operator actions, newest first.
    pub(super) fn list(&self, before: Option<u64>, limit: Option<usize>) -> Result<AuditPage, OperatorError> {
        let limit = limit.unwrap_or(PAGE).clamp(1, 1_000);
        let (mut acts, mut next) = (Vec::new(), None);
        let mut last = None;
        let stopped = self.records.walk_ledger(before, &mut |row| {
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
