//! The actions of forms: each is a command, with the role that it requires.

use serde::Deserialize as _;
use serde_json::Value;
use tollbridge_operator::{
    CanaryRules, Command, LimitsChange, ReplayOptions, ReplayReport, ReplayedDifference, Role, command,
};

/// The fields of a form or a query.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses a URL-encoded form or query.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(form_urlencoded::parse(text).into_owned().collect())
    }

    /// Returns a field, unless it is absent or blank.
    pub(crate) fn optional(&self, name: &str) -> Option<String> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    /// Returns a required field.
    ///
    /// # Errors
    ///
    /// A sentence that names the missing field.
    pub(crate) fn required(&self, name: &str) -> Result<String, String> {
        self.optional(name).ok_or_else(|| format!("`{name}` is missing"))
    }

    fn number(&self, name: &str) -> Result<u32, String> {
        self.required(name)?.parse().map_err(|_| format!("`{name}` is not a whole number"))
    }
}

/// The command that a form requests.
pub(crate) struct FormCommand {
    pub(crate) command: Command,
    /// The required role.
    pub(crate) role: Role,
    /// Path of the page that shows the result.
    pub(crate) then: String,
}

fn act(role: Role, then: String, command: impl Into<Command>) -> Result<FormCommand, String> {
    Ok(FormCommand { command: command.into(), role, then })
}

/// Reads the command that a form requests.
///
/// # Errors
///
/// A sentence that names the invalid field or the unknown command.
pub(crate) fn read(fields: &Fields) -> Result<FormCommand, String> {
    let name = fields.required("command")?;
    let account = || fields.required("id");
    let of_account = |id: &str| format!("/console/accounts/{id}");
    let of_webhook = |id: &str| format!("/console/webhooks/{}", crate::page::encoded(id));
    match name.as_str() {
        "payment-refund" => {
            let intent = fields.required("intent")?;
            let then = format!("/console/payments/show?name={}", crate::page::encoded(&intent));
            let (amount_gbp, reason) = (fields.optional("amount_gbp"), fields.optional("reason"));
            let to_credit = fields.optional("to").as_deref() == Some("credit");
            let command = command::PaymentRefund { intent, amount_gbp, to_credit, reason, dry_run: false };
            act(Role::Support, then, command)
        }
        "account-suspend" => {
            let (id, suspended) = (account()?, fields.optional("suspended").as_deref() == Some("yes"));
            act(Role::Support, of_account(&id), command::AccountSuspend { id, suspended })
        }
        "account-credit" => {
            let (id, amount_gbp) = (account()?, fields.required("amount_gbp")?);
            act(Role::Support, of_account(&id), command::AccountCredit { id, amount_gbp })
        }
        "credit-give" => {
            let (id, amount_gbp, reason) = (account()?, fields.required("amount_gbp")?, fields.required("reason")?);
            let own_money = fields.optional("own_money").as_deref() == Some("yes");
            let command = command::CreditGive { id: id.clone(), amount_gbp, reason, own_money, dry_run: false };
            act(Role::Support, of_account(&id), command)
        }
        "key-revoke" => {
            let (id, key) = (account()?, fields.required("key")?);
            act(Role::Support, of_account(&id), command::KeyRevoke { account: id, id: key })
        }
        "account-tier" => {
            let (id, tier) = (account()?, fields.required("tier")?);
            act(Role::Admin, of_account(&id), command::AccountTier { id, tier })
        }
        "account-limits" => {
            let id = account()?;
            let (per_minute, per_hour) = (Some(fields.number("per_minute")?), Some(fields.number("per_hour")?));
            let change = LimitsChange::Set { per_minute, per_hour };
            act(Role::Admin, of_account(&id), command::AccountLimits { id, change })
        }
        "withdrawal-release" => {
            let command = command::WithdrawalRelease { id: account()? };
            act(Role::Admin, "/console/withdrawals".to_owned(), command)
        }
        "withdrawal-reject" => {
            let command = command::WithdrawalReject { id: account()?, reason: fields.required("reason")? };
            act(Role::Admin, "/console/withdrawals".to_owned(), command)
        }
        "webhook-replay" => {
            let (id, event, failed_since) = (account()?, fields.optional("event"), fields.optional("failed_since"));
            act(Role::Support, of_webhook(&id), command::WebhookReplay { id, event, failed_since })
        }
        "webhook-enable" => {
            let id = account()?;
            act(Role::Support, of_webhook(&id), command::WebhookEnable { id })
        }
        "payment-reconcile" => {
            let days = fields.number("days")?;
            act(Role::Support, "/console/money".to_owned(), command::PaymentReconcile { days })
        }
        other => read_plugin_act(other, fields),
    }
}

/// Reads the command of a form about a plugin.
fn read_plugin_act(name: &str, fields: &Fields) -> Result<FormCommand, String> {
    if !name.starts_with("plugin-") {
        return Err(format!("the console has no form for `{name}`"));
    }
    let plugin = fields.required("plugin")?;
    let (then, version) = (format!("/console/plugins/{plugin}"), fields.optional("version"));
    let command = match name {
        "plugin-approve" => command::PluginApprove { plugin, version }.into(),
        "plugin-pin" => command::PluginPin { plugin, version }.into(),
        "plugin-unpin" => command::PluginUnpin { plugin }.into(),
        "plugin-rollback" => command::PluginRollback { plugin, version }.into(),
        "plugin-yank" => command::PluginYank { plugin, version: fields.required("version")? }.into(),
        "plugin-canary" => {
            let (version, share) = (fields.required("version")?, fields.required("share")?);
            command::PluginCanary { plugin, version, share, rules: CanaryRules::default() }.into()
        }
        "plugin-end-canary" => command::PluginEndCanary { plugin }.into(),
        "plugin-replay" => {
            let last = fields.optional("last").map(|_| fields.number("last")).transpose()?;
            let options = ReplayOptions { last, version, ..ReplayOptions::default() };
            command::PluginReplay { plugin, options: Box::new(options) }.into()
        }
        "plugin-forget-inputs" => command::PluginForgetInputs { plugin }.into(),
        "plugin-disable" => command::PluginDisable { plugin }.into(),
        "plugin-enable" => command::PluginEnable { plugin }.into(),
        other => return Err(format!("the console has no form for `{other}`")),
    };
    Ok(FormCommand { command, role: Role::Admin, then })
}

/// Describes the result of a command in a sentence.
pub(crate) fn describe_result(command: &str, answer: &Value) -> String {
    if command == "plugin-replay" {
        let report = ReplayReport::deserialize(answer);
        return report.map(|report| describe_replay(&report)).unwrap_or_else(|error| error.to_string());
    }
    let member = |name: &str| answer.get(name).map(crate::page::readable_value).filter(|text| !text.is_empty());
    let facts = ["state", "amount_gbp", "account_id", "status", "serving", "residual_gbp", "difference_gbp", "queued"];
    let facts: Vec<String> =
        facts.into_iter().filter_map(|name| Some(format!("{} {}", name.replace('_', " "), member(name)?))).collect();
    format!("Done: {}. {}", command.replace('-', " "), facts.join(", ")).trim_end().to_owned()
}

/// Describes the result of a replay, with the first differences.
fn describe_replay(report: &ReplayReport) -> String {
    let ReplayReport { version, against, inputs, same, changed, newly_failed, newly_answered, .. } = report;
    let ReplayReport { failed_in_both, unsteady, not_run, .. } = report;
    let time = |micros: Option<u64>| micros.map_or_else(|| "no answer".to_owned(), |micros| format!("{micros} µs"));
    let mut text = format!(
        "{version} compared with {against} on {inputs} inputs: {same} same, {changed} changed, {newly_failed} newly \
         failed, {newly_answered} newly answered, {failed_in_both} failed in both, {unsteady} unsteady, {not_run} not \
         run. 95th percentile {} ({}).",
        time(report.times.p95_micros),
        time(report.against_times.p95_micros),
    );
    for ReplayedDifference { outcome, at, why, .. } in &report.differences {
        let side = |value: &Option<String>| value.clone().unwrap_or_default();
        let places = at.iter().map(|at| format!("{} {} → {}", at.pointer, side(&at.against), side(&at.version)));
        let (outcome, places) = (outcome.replace('_', " "), places.collect::<Vec<_>>().join(", "));
        text.push_str(&format!(" {outcome}: {}{places}.", side(why)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_names_what_it_lacks() {
        let read = |text: &str| read(&Fields::parse(text.as_bytes())).map(|act| (act.role, act.then));
        assert_eq!(
            read("command=payment-refund&intent=ab&amount_gbp=1.00"),
            Ok((Role::Support, "/console/payments/show?name=ab".to_owned()))
        );
        assert_eq!(read("command=payment-refund&intent=+").unwrap_err(), "`intent` is missing");
        assert_eq!(
            read("command=account-limits&id=a&per_minute=x&per_hour=1").unwrap_err(),
            "`per_minute` is not a whole number"
        );
        assert_eq!(read("command=credit-give&id=a&amount_gbp=1").unwrap_err(), "`reason` is missing");
        assert_eq!(
            read("command=credit-give&id=a&amount_gbp=1&reason=late"),
            Ok((Role::Support, "/console/accounts/a".to_owned()))
        );
        assert_eq!(
            read("command=webhook-replay&id=wh_1&failed_since=1h"),
            Ok((Role::Support, "/console/webhooks/wh_1".to_owned()))
        );
        assert_eq!(read("command=webhook-enable").unwrap_err(), "`id` is missing");
        assert_eq!(read("command=signing-rotate").unwrap_err(), "the console has no form for `signing-rotate`");
        assert_eq!(read("").unwrap_err(), "`command` is missing");
        assert_eq!(
            read("command=plugin-replay&plugin=bridges/x&last=10&version="),
            Ok((Role::Admin, "/console/plugins/bridges/x".to_owned()))
        );
        assert_eq!(
            read("command=plugin-replay&plugin=bridges/x&last=all").unwrap_err(),
            "`last` is not a whole number"
        );
        assert_eq!(
            read("command=plugin-disable&plugin=bridges/x"),
            Ok((Role::Admin, "/console/plugins/bridges/x".to_owned()))
        );
    }

    #[test]
    fn a_replay_says_what_it_has_found() {
        let report = serde_json::json!({
            "version": "1.0.1", "against": "1.0.0", "inputs": 2, "same": 1, "changed": 1, "newly_failed": 0,
            "newly_answered": 0, "failed_in_both": 0, "unsteady": 0, "not_run": 0,
            "times": { "p95_micros": 9 }, "against_times": { "p95_micros": null },
            "differences": [{ "outcome": "changed", "why": null, "more": 0,
                "at": [{ "pointer": "/a", "against": "1", "version": "2" }] }],
        });
        let expect = "1.0.1 compared with 1.0.0 on 2 inputs: 1 same, 1 changed, 0 newly failed, 0 newly answered, \
            0 failed in both, 0 unsteady, 0 not run. 95th percentile 9 µs (no answer). changed: /a 1 → 2.";
        assert_eq!(describe_result("plugin-replay", &report), expect);
    }
}
