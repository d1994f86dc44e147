//! What each signal adds to the score: the caller's weights, or this bridge's.
//!
//! The defaults are rules of thumb, not measured: what alone means little has less than 25 (low), what alone is worth a
//! look less than 60 (medium). Only an address that no client can have reaches 60 (high) by itself.

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::Error;

use crate::signal::Name;

/// Most that one signal may add.
const MOST: u32 = 100;

/// What each signal adds to the score, 0 to 100; those left out keep their default.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// An address that no client on the internet has. Default: 60.
    #[schemars(range(max = 100))]
    pub special_range: Option<u32>,
    /// An IPv6 transition gateway. Default: 20.
    #[schemars(range(max = 100))]
    pub gateway: Option<u32>,
    /// An address that no registry has delegated to a country. Default: 20.
    #[schemars(range(max = 100))]
    pub no_country: Option<u32>,
    /// On the operator's list of Tor exits, VPNs and proxies. Default: 40.
    #[schemars(range(max = 100))]
    pub anonymity: Option<u32>,
    /// On the list of data centres. Default: 25.
    #[schemars(range(max = 100))]
    pub hosting: Option<u32>,
    /// On the operator's list of bad addresses. Default: 50.
    #[schemars(range(max = 100))]
    pub blocklist: Option<u32>,
    /// Another country than that of the bill. Default: 20.
    #[schemars(range(max = 100))]
    pub country_mismatch: Option<u32>,
    /// E-mail of a disposable domain. Default: 30.
    #[schemars(range(max = 100))]
    pub disposable_email: Option<u32>,
    /// 60 calls with this address in an hour; 20 add five eighths of it, 10 a quarter. Default: 40.
    #[schemars(range(max = 100))]
    pub address_velocity: Option<u32>,
    /// 10 accounts with this address in 24 hours; 5 add five eighths of it, 3 a quarter. Default: 40.
    #[schemars(range(max = 100))]
    pub many_accounts: Option<u32>,
    /// 10 addresses of this account in 24 hours; 5 add five eighths of it, 3 a quarter. Default: 40.
    #[schemars(range(max = 100))]
    pub many_addresses: Option<u32>,
}

impl Weights {
    /// What a signal adds.
    #[must_use]
    pub fn of(&self, name: Name) -> u32 {
        let (given, default) = self.entry(name);
        given.unwrap_or(default)
    }

    /// Whether the caller gave any.
    #[must_use]
    pub fn is_given(&self) -> bool {
        Name::ALL.into_iter().any(|name| self.entry(name).0.is_some())
    }

    /// Refuses weights beyond their range.
    pub fn check(&self) -> Result<(), Error> {
        match Name::ALL.into_iter().find(|name| self.of(*name) > MOST) {
            Some(name) => Err(Error::invalid(format!("/weights/{}", name.text()), format!("from 0 to {MOST}"))),
            None => Ok(()),
        }
    }

    fn entry(&self, name: Name) -> (Option<u32>, u32) {
        match name {
            Name::SpecialRange => (self.special_range, 60),
            Name::Gateway => (self.gateway, 20),
            Name::NoCountry => (self.no_country, 20),
            Name::Anonymity => (self.anonymity, 40),
            Name::Hosting => (self.hosting, 25),
            Name::Blocklist => (self.blocklist, 50),
            Name::CountryMismatch => (self.country_mismatch, 20),
            Name::DisposableEmail => (self.disposable_email, 30),
            Name::AddressVelocity => (self.address_velocity, 40),
            Name::ManyAccounts => (self.many_accounts, 40),
            Name::ManyAddresses => (self.many_addresses, 40),
        }
    }
}
