//! A bridge that scores an IP address by signals of fraud, each explained.
//!
//! Invariants: the score is the sum of the weights listed; a check that was not made is named.

mod address;
mod check;
mod history;
mod input;
mod signal;
mod weights;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Call, Error, bridge};

pub use crate::input::Input;
use crate::{
    check::Check,
    history::Velocity,
    signal::{Level, Signal},
};

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// A score and the signals behind it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The address in its shortest form; IPv4 inside IPv6 as IPv4.
    pub ip: String,
    /// 4 or 6.
    pub ip_version: u8,
    /// 0 to 100: all weights added up, cut at 100.
    pub score: u32,
    /// How suspicious; `unknown` when nothing much was found and lists are missing.
    pub level: Level,
    /// Why; empty when nothing that was checked speaks against the address.
    pub signals: Vec<Signal>,
    /// Country that the address was delegated to, ISO 3166-1 alpha-2 (EU: Europe); null when not known.
    pub country: Option<String>,
    /// Calls of the last day; null when not counted.
    pub velocity: Option<Velocity>,
    /// Every check, made or not.
    pub checks: Vec<Check>,
    /// Whether the answer depends on the moment and on your earlier calls; else on the tables alone.
    pub depends_on_history: bool,
}

const METHOD: &str = "special ranges (IANA), country by delegation of the registries, lists of data centres, anonymisers and bad \
     addresses where this server has them, disposable domains, and counts of your calls of the last 24 hours; the weights of what was found are added up";

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let known = input.read(call)?;
    let weights = input.weights.unwrap_or_default();
    let own_weights = weights.is_given();
    let mut findings = check::tables(&known, weights)?;
    let wanted = input.history.unwrap_or(true);
    let velocity = match (&call.caller, wanted) {
        (Some(_), true) => {
            let velocity = history::visit(call.now_ms, &known.address.client(), input.account.as_deref())?;
            findings.velocity(&velocity);
            Some(velocity)
        }
        (_, wanted) => {
            let reason = if wanted { "calls without a key are not counted" } else { "history is false" };
            findings.skipped("velocity", reason);
            None
        }
    };
    let (score, level) = signal::score(&findings.signals, !findings.missing.is_empty());
    let limitations = limitations(velocity.is_some(), own_weights, &findings.missing);
    let mut data = findings.data;
    data.push(Source {
        name: "special ranges".into(),
        version: address::list_version().into(),
        as_of: "undated; release 2.5.0".into(),
        licence: "MIT".into(),
        source: "ipaddr.js on npm, after the IANA special-purpose address registries".into(),
    });
    let answer = Answer {
        ip: known.address.to_string(),
        ip_version: known.address.version(),
        score,
        level,
        signals: findings.signals,
        country: findings.country,
        depends_on_history: velocity.is_some(),
        velocity,
        checks: findings.checks,
    };
    Ok(Report::new(answer, METHOD, limitations).with_data(data))
}

fn limitations(history: bool, own_weights: bool, missing: &[&str]) -> Vec<String> {
    let weights = if own_weights {
        "weights are the caller's, and this bridge's rules of thumb where none was given; the bounds of the levels (25, 60) go with the latter"
    } else {
        "weights are this bridge's rules of thumb, neither learned from fraud cases nor tested on any; `weights` takes your own"
    };
    let mut notes = vec![
        weights.to_owned(),
        "signals with one cause (a VPN and the other country of its address) count twice; a score is a reason to look, not a verdict on a person".to_owned(),
        "country is where a registry delegated the block, not where the address is used; travel, VPNs and mobile networks differ".to_owned(),
        "addresses change hands; a list is true of its day only, and no list is complete; a check that was not made adds nothing".to_owned(),
    ];
    if !missing.is_empty() {
        let what: Vec<String> = missing.iter().map(|list| format!("`{list}` ({})", contents(list))).collect();
        notes.push(format!(
            "missing on this server: {}; without them a score below 25 has the level `unknown`, and nothing here says that the address is harmless",
            what.join(", ")
        ));
    }
    if history {
        notes.push("velocity depends on the moment and on your calls of the last 24 hours; calls at the same moment may be missed".to_owned());
    }
    notes
}

/// What a list has.
fn contents(list: &str) -> &'static str {
    match list {
        "anonymity" => "Tor exits, VPNs and open proxies",
        "hosting" => "data centres and clouds",
        _ => "addresses that attacked or sent spam",
    }
}

bridge! { handle: handle, examples: ["../cases/google_dns.json", "../cases/mismatch_disposable.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
