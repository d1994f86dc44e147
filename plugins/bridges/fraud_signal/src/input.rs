//! What a caller may send.

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

use crate::{address::Address, weights::Weights};

/// Longest texts.
const TEXT_MAX: usize = 320;

/// An address, and what is known of whoever uses it. Give `ip` or `resource_id`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("ip | resource_id"))]
pub struct Input {
    /// The IP address, as `ip` takes it; alone it is checked by itself. Not the id of a stored resource.
    #[schemars(length(min = 2, max = 64))]
    pub resource_id: Option<String>,
    /// IPv4 (`203.0.113.9`) or IPv6 (`2001:db8::1`), without port, prefix length or zone. Give this or `resource_id`.
    #[schemars(length(min = 2, max = 64))]
    pub ip: Option<String>,
    /// Country of the bill, ISO 3166-1 alpha-2 (`GB`; `UK` is taken for it). Default: countries are not compared.
    #[schemars(length(min = 2, max = 2))]
    pub billing_country: Option<String>,
    /// E-mail address of the customer; only its domain is used. Default: no domain is looked up.
    #[schemars(length(min = 3, max = 320))]
    pub email: Option<String>,
    /// Your id of the customer's account, for counting; kept for a day as a 64-bit digest. Default: only calls of the
    /// address are counted.
    #[schemars(length(min = 1, max = 320))]
    pub account: Option<String>,
    /// Count this call, and compare it with your calls of the last 24 hours. Default: true. With false the answer depends
    /// on the tables alone.
    pub history: Option<bool>,
    /// What each signal adds to the score. Default: this bridge's rules of thumb.
    pub weights: Option<Weights>,
}

/// The input, read.
#[derive(Debug)]
pub struct Known {
    pub address: Address,
    pub billing: Option<String>,
    pub domain: Option<String>,
}

impl Input {
    /// Checks all members.
    pub fn read(&self, call: &Call) -> Result<Known, Error> {
        call.without_stored("an IP address")?;
        let (text, field) = match (&self.ip, &self.resource_id) {
            (Some(text), None) => (text, "/ip"),
            (None, Some(text)) => (text, "/resource_id"),
            (Some(_), Some(_)) => return Err(Error::invalid("/resource_id", "give `ip` or `resource_id`, not both")),
            (None, None) => return Err(Error::invalid("/ip", "give an IP address in `ip` or `resource_id`")),
        };
        let wrong = "give an IPv4 or IPv6 address alone, for example 203.0.113.9 or 2001:db8::1";
        let address = Address::parse(text.trim()).ok_or_else(|| Error::invalid(field, wrong))?;
        if self.account.as_ref().is_some_and(|account| account.is_empty() || account.chars().count() > TEXT_MAX) {
            return Err(Error::invalid("/account", format!("give 1 to {TEXT_MAX} characters")));
        }
        self.weights.as_ref().map_or(Ok(()), Weights::check)?;
        Ok(Known {
            address,
            billing: self.billing_country.as_deref().map(country).transpose()?,
            domain: self.email.as_deref().map(domain).transpose()?,
        })
    }
}

fn country(text: &str) -> Result<String, Error> {
    if text.len() != 2 || !text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(Error::invalid("/billing_country", "give an ISO 3166-1 alpha-2 code such as GB"));
    }
    let code = text.to_ascii_uppercase();
    Ok(if code == "UK" { "GB".into() } else { code })
}

fn domain(email: &str) -> Result<String, Error> {
    let wrong = || Error::invalid("/email", "give an address such as name@example.org");
    if email.chars().count() > TEXT_MAX {
        return Err(wrong());
    }
    let (local, domain) = email.trim().rsplit_once('@').ok_or_else(wrong)?;
    let domain = domain.trim_end_matches('.').to_lowercase();
    let sound = domain.split('.').all(|label| !label.is_empty()) && !domain.contains(char::is_whitespace);
    if local.is_empty() || !sound { Err(wrong()) } else { Ok(domain) }
}
