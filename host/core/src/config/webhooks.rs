//! The sections `[webhooks]` and `[agents.skills]`.

use std::collections::BTreeMap;
use std::time::Duration;

use super::address::Network;
use super::key::Key;
use super::raw::Raw;
use super::reader::{NAME_WANTED, Reader, is_name};
use super::setting::Setting;

/// Maximum number of retries of one webhook delivery.
const WEBHOOK_RETRIES_MAX: usize = 20;

/// The section `[webhooks]`.
#[derive(Clone, Debug)]
pub struct WebhooksConfig {
    /// Private networks that deliveries may reach; all other private addresses are
    /// blocked.
    pub allow_networks: Vec<Network>,
    /// Delays between the attempts of a delivery. A delivery whose last attempt fails is
    /// dead: it is not retried.
    pub retries: Vec<Duration>,
    /// The name of the header that carries the signature of the body.
    pub signature_header: String,
}

/// The section `[agents]`.
#[derive(Clone, Debug)]
pub struct AgentsConfig {
    /// `[agents.skills]`: the agent that handles each skill id.
    pub skills: BTreeMap<String, String>,
}

impl WebhooksConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let allow_networks = r.required("webhooks.allow_networks");
        let retries: Option<Vec<Duration>> = r.required("webhooks.retries");
        let signature_header = r.required::<HeaderName>("webhooks.signature_header");
        if retries.as_ref().is_some_and(|waits| waits.len() > WEBHOOK_RETRIES_MAX) {
            r.error(&Key::from("webhooks.retries"), format!("has more than {WEBHOOK_RETRIES_MAX} delays"));
        }
        Some(Self { allow_networks: allow_networks?, retries: retries?, signature_header: signature_header?.0 })
    }
}

impl AgentsConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        r.section("agents");
        let skills = r.map::<AgentName>(Key::from("agents.skills"))?;
        Some(Self { skills: skills.into_iter().map(|(skill, agent)| (skill, agent.0)).collect() })
    }
}

struct AgentName(String);

impl Setting for AgentName {
    fn read(raw: &Raw) -> Result<Self, String> {
        let text = String::read(raw)?;
        if is_name(&text) { Ok(Self(text)) } else { Err(format!("\"{text}\" {NAME_WANTED}")) }
    }
}

struct HeaderName(String);

impl Setting for HeaderName {
    fn read(raw: &Raw) -> Result<Self, String> {
        let text = String::read(raw)?;
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        if text.len() <= 64 && text.bytes().all(plain) {
            return Ok(Self(text));
        }
        Err("is not a header name; use letters, digits and -, like \"X-Service-Signature\"".to_owned())
    }
}
