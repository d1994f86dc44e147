//! Signals, and the score that they add up to.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::serde_json;

/// Scores from here on are medium …
const MEDIUM: u32 = 25;
/// … and high.
const HIGH: u32 = 60;

/// A reason for suspicion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signal {
    /// Which.
    pub name: Name,
    /// What it adds to the score, 0 to 100.
    pub weight: u32,
    /// What was seen.
    pub evidence: String,
}

/// What a signal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// No client on the internet has this address.
    SpecialRange,
    /// IPv6 transition gateway: the true client is behind it.
    Gateway,
    /// No registry has delegated it to a country.
    NoCountry,
    /// On the operator's list of Tor exits, VPNs and proxies.
    Anonymity,
    /// On the list of data centres.
    Hosting,
    /// On the operator's list of bad addresses.
    Blocklist,
    /// Another country than that of the bill.
    CountryMismatch,
    /// E-mail of a disposable domain.
    DisposableEmail,
    /// Many calls with this address.
    AddressVelocity,
    /// Many accounts with this address.
    ManyAccounts,
    /// Many addresses of this account.
    ManyAddresses,
}

impl Name {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::SpecialRange,
        Self::Gateway,
        Self::NoCountry,
        Self::Anonymity,
        Self::Hosting,
        Self::Blocklist,
        Self::CountryMismatch,
        Self::DisposableEmail,
        Self::AddressVelocity,
        Self::ManyAccounts,
        Self::ManyAddresses,
    ];

    /// As the answer writes it.
    #[must_use]
    pub fn text(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// How suspicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Score below 25, and every list was there to be asked.
    Low,
    /// 25 to 59.
    Medium,
    /// From 60.
    High,
    /// Score below 25, but lists are missing that could have raised it; `checks` and the limitations say which.
    Unknown,
}

/// All weights added up, at most 100. What was found counts without the lists that are missing; that nothing was found
/// does not.
pub fn score(signals: &[Signal], is_missing_lists: bool) -> (u32, Level) {
    let score = signals.iter().map(|signal| signal.weight).fold(0, u32::saturating_add).min(100);
    let level = match score {
        HIGH.. => Level::High,
        MEDIUM.. => Level::Medium,
        _ if is_missing_lists => Level::Unknown,
        _ => Level::Low,
    };
    (score, level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        let check = |weights: &[u32], missing, expect| {
            let signal = |weight: &u32| Signal { name: Name::Hosting, weight: *weight, evidence: String::new() };
            assert_eq!(score(&weights.iter().map(signal).collect::<Vec<_>>(), missing), expect);
        };
        check(&[], false, (0, Level::Low));
        check(&[24], false, (24, Level::Low));
        check(&[5, 20], false, (25, Level::Medium));
        check(&[59], false, (59, Level::Medium));
        check(&[60, 60], false, (100, Level::High));
        check(&[], true, (0, Level::Unknown));
        check(&[24], true, (24, Level::Unknown));
        check(&[25], true, (25, Level::Medium));
        check(&[60], true, (60, Level::High));
    }
}
