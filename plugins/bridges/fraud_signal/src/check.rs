//! The checks: each adds signals, or says why it was not made.

use bridge_common::Source;
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Error, tables::Table};

use crate::{
    address::Address,
    history::Velocity,
    input::Known,
    signal::{Name, Signal},
    weights::Weights,
};

/// Lists of ranges; `hosting` is shipped, the operator supplies the others.
const LISTS: [(&str, Name); 3] =
    [("anonymity", Name::Anonymity), ("hosting", Name::Hosting), ("blocklist", Name::Blocklist)];
/// Eighths of a weight that are added when counts reach some height.
const FULL: u32 = 8;
const MORE_THAN_HALF: u32 = 5;
const QUARTER: u32 = 2;
/// Labels of lists are cut here.
const LABEL_MAX: usize = 100;
/// Parts of a domain that are looked up, so that mail.example.com is found as example.com.
const PARENTS_MAX: usize = 6;

/// A check, and whether it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// special_range, country, billing_country, anonymity, hosting, blocklist, disposable_email or velocity.
    pub name: &'static str,
    /// Whether it was made.
    pub done: bool,
    /// Why not; null when it was made.
    pub reason: Option<&'static str>,
}

/// What was found so far.
#[derive(Debug, Default)]
pub struct Findings {
    pub weights: Weights,
    pub signals: Vec<Signal>,
    pub checks: Vec<Check>,
    pub data: Vec<Source>,
    pub country: Option<String>,
    /// Lists that should have been asked and are not on this server.
    pub missing: Vec<&'static str>,
}

impl Findings {
    fn signal(&mut self, name: Name, evidence: String) {
        self.signals.push(Signal { name, weight: self.weights.of(name), evidence });
    }

    /// A signal that grows with a count.
    fn counted(&mut self, name: Name, count: usize, heights: [usize; 3], what: &str) {
        let steps = heights.into_iter().zip([FULL, MORE_THAN_HALF, QUARTER]);
        if let Some((_, eighths)) = steps.into_iter().find(|(least, _)| count >= *least) {
            let weight = self.weights.of(name) * eighths / FULL;
            self.signals.push(Signal { name, weight, evidence: format!("{count} {what}") });
        }
    }

    fn done(&mut self, name: &'static str) {
        self.checks.push(Check { name, done: true, reason: None });
    }

    /// A check that was not made.
    pub fn skipped(&mut self, name: &'static str, reason: &'static str) {
        self.checks.push(Check { name, done: false, reason: Some(reason) });
    }

    /// Special ranges; true if the address can be that of a client.
    pub fn special(&mut self, address: Address) -> bool {
        self.done("special_range");
        let Some(special) = address.special() else { return true };
        let (name, network) = (special.name, special.network);
        if special.is_gateway() {
            self.signal(Name::Gateway, format!("{network} is a gateway range ({name}); the client is behind it"));
            return true;
        }
        let evidence = format!("{network} is {name}; no client on the internet has such an address");
        self.signal(Name::SpecialRange, evidence);
        false
    }

    /// The country of the address, compared with that of the bill.
    pub fn country(&mut self, address: Address, billing: Option<&str>) -> Result<(), Error> {
        let table = Table::open("country")?;
        let country = range(&table, address);
        self.data.push(table.info().into());
        self.done("country");
        match (&country, billing) {
            (None, _) => {
                self.signal(Name::NoCountry, "no registry has delegated this address to a country".into());
            }
            (Some(country), Some(billing)) if !same(country, billing) => {
                let evidence = format!("the address is registered in {country}, the bill is for {billing}");
                self.signal(Name::CountryMismatch, evidence);
            }
            _ => {}
        }
        match billing {
            Some(_) => self.done("billing_country"),
            None => self.skipped("billing_country", "no billing_country was given"),
        }
        self.country = country;
        Ok(())
    }

    /// The lists of ranges.
    pub fn lists(&mut self, address: Address) {
        for (list, name) in LISTS {
            let Ok(table) = Table::open(list) else {
                self.skipped(list, "this server does not have this list");
                self.missing.push(list);
                continue;
            };
            self.done(list);
            let info = table.info();
            if let Some(label) = range(&table, address) {
                let label: String = label.chars().take(LABEL_MAX).collect();
                self.signal(name, format!("on the list `{list}` of {}: {label}", info.as_of));
            }
            self.data.push(info.into());
        }
    }

    /// The domain of the e-mail address and those above it.
    pub fn email(&mut self, domain: Option<&str>) -> Result<(), Error> {
        let Some(domain) = domain else {
            self.skipped("disposable_email", "no email was given");
            return Ok(());
        };
        let table = Table::open("disposable")?;
        self.done("disposable_email");
        let mut at = Some(domain);
        for _ in 0..PARENTS_MAX {
            let Some(part) = at.filter(|part| part.contains('.')) else { break };
            if table.get(part).is_some() {
                self.signal(Name::DisposableEmail, format!("{part} gives out disposable e-mail addresses"));
                break;
            }
            at = part.split_once('.').map(|(_, parent)| parent);
        }
        self.data.push(table.info().into());
        Ok(())
    }

    /// What the counts say.
    pub fn velocity(&mut self, velocity: &Velocity) {
        self.done("velocity");
        let calls = velocity.calls_hour;
        self.counted(Name::AddressVelocity, calls, [60, 20, 10], "calls with this address in an hour");
        let accounts = velocity.accounts_of_address.unwrap_or(0);
        self.counted(Name::ManyAccounts, accounts, [10, 5, 3], "accounts with this address in 24 hours");
        let addresses = velocity.addresses_of_account.unwrap_or(0);
        self.counted(Name::ManyAddresses, addresses, [10, 5, 3], "addresses of this account in 24 hours");
    }
}

/// Everything that is looked up in tables.
pub fn tables(known: &Known, weights: Weights) -> Result<Findings, Error> {
    let mut findings = Findings { weights, ..Findings::default() };
    if findings.special(known.address) {
        findings.country(known.address, known.billing.as_deref())?;
        findings.lists(known.address);
    } else {
        for name in ["country", "billing_country", "anonymity", "hosting", "blocklist"] {
            findings.skipped(name, "the address is no client's");
        }
    }
    findings.email(known.domain.as_deref())?;
    Ok(findings)
}

/// What a table of ranges says of an address.
fn range(table: &Table, address: Address) -> Option<String> {
    let key = address.key();
    let entry = table.at_or_before(&key)?;
    // The last range of IPv4 says nothing of IPv6.
    let same = entry.key.get(..1) == key.get(..1);
    Some(entry.value).filter(|value| same && value != "-")
}

/// Are these one country, or can the registry's code mean it? EU and AP stand for many countries.
fn same(country: &str, billing: &str) -> bool {
    country == billing || matches!(country, "EU" | "AP" | "ZZ")
}
