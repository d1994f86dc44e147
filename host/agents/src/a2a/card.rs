//! The agent cards that this server publishes.
//!
//! The signed card covers both versions of the protocol: clients of either version ignore
//! the members of the other. A client that names version 1.0 gets only the members of
//! 1.0.
//!
//! Invariants: a card is built once, and never from the contents of a request; its bytes
//! are ASCII; each signature covers the whole card except the signatures.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tollbridge_core::signing::Signer;

use super::canonical::{CanonicalForm, CanonicalFormError, TRANSPORT, ascii, version_1};
use super::payment::EXTENSION as X402_EXTENSION;
use super::skills::{OpenSkill, SKILLS};

const PROTOCOL_VERSION: &str = "0.3.0";
const CARD_VERSION: &str = "1.0.0";
const SCHEME: &str = "bearerAuth";
const SCHEME_TEXT: &str = "An API key of this server; POST /v1/signup gives one, free of charge.";

/// The public identity of this server on its cards. URLs have no trailing slash.
#[derive(Clone, Debug)]
pub struct CardIdentity {
    /// The server's name on the cards.
    pub display_name: String,
    /// The public base URL of this server.
    pub base_url: String,
    /// The URL of the operator's web site.
    pub provider_url: String,
    /// Whether wallets can pay for tasks.
    pub takes_wallets: bool,
}

/// The cards as JSON text.
#[derive(Clone, Debug)]
pub struct Cards {
    /// The signed card, with the security scheme and all skills.
    pub signed: String,
    /// The signed card with the members of version 1.0 only.
    pub version_1: String,
    /// The card without signatures, security and the skill `general`.
    pub plain: String,
    /// The time of creation, Unix time in milliseconds.
    pub made_ms: u64,
}

/// An agent card of version 0.3.0, 1.0, or both.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentCard")]
#[serde(rename_all = "camelCase")]
pub struct Card {
    // Version 1.0 does not have the members that are skipped when empty; cards of that
    // version leave them empty.
    #[serde(skip_serializing_if = "str::is_empty")]
    protocol_version: &'static str,
    name: String,
    description: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    url: String,
    /// The transport, which is the protocol's default; sent for clients that require the
    /// member.
    #[serde(skip_serializing_if = "str::is_empty")]
    preferred_transport: &'static str,
    version: &'static str,
    provider: Provider,
    capabilities: Capabilities,
    default_input_modes: [&'static str; 1],
    default_output_modes: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Map<String, Value>")]
    security_schemes: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Value>")]
    security: Option<Value>,
    /// The security requirements in version 1.0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<Value>")]
    security_requirements: Option<Value>,
    /// The URLs for each protocol version, the preferred version first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supported_interfaces: Vec<Interface>,
    skills: Vec<SkillJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signatures: Vec<Signature>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentProvider")]
struct Provider {
    organization: String,
    url: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentCapabilities")]
struct Capabilities {
    streaming: bool,
    push_notifications: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool")]
    extended_agent_card: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    extensions: Vec<Extension>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentExtension")]
struct Extension {
    uri: &'static str,
    description: &'static str,
}

/// The extension for payments by wallet. It is not required, because an account's credit
/// can pay too.
const X402: Extension =
    Extension { uri: X402_EXTENSION, description: "A wallet can pay for a task, by x402 version 2." };

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "AgentInterface")]
struct Interface {
    url: String,
    protocol_binding: &'static str,
    protocol_version: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentSkill")]
struct SkillJson {
    id: &'static str,
    name: &'static str,
    description: String,
    tags: [&'static str; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AgentCardSignature")]
struct Signature {
    protected: String,
    signature: String,
}

impl Cards {
    /// Builds and signs the cards. Each client library accepts only signatures over its
    /// own canonical form, so a card has a signature for each form in use.
    pub fn build(identity: &CardIdentity, signer: &Signer, now_ms: u64) -> Result<Self, CanonicalFormError> {
        let text = |card: &Value| Ok::<_, CanonicalFormError>(ascii(&serde_json::to_string(card)?));
        let mut signed = signed_card(identity, SKILLS.map(|skill| described(skill.id, skill.description)).into());
        let unsigned = serde_json::to_value(&signed)?;
        let of_1 = version_1(unsigned.clone());
        signed.signatures = signatures(&unsigned, &CanonicalForm::ALL, identity, signer)?;
        let both = SKILLS.into_iter().filter(|skill| skill.in_both);
        let plain = card(identity, both.map(|skill| described(skill.id, skill.description)).collect());
        Ok(Self {
            signed: ascii(&serde_json::to_string(&signed)?),
            version_1: text(&with_signatures(of_1, identity, signer)?)?,
            plain: ascii(&serde_json::to_string(&plain)?),
            made_ms: now_ms,
        })
    }
}

/// Builds the version 1.0 card with the currently available skills and their
/// prices.
pub(super) fn extended(
    identity: &CardIdentity,
    signer: &Signer,
    skills: &[OpenSkill],
) -> Result<Value, CanonicalFormError> {
    let priced = skills.iter().map(|open| {
        let price = open.price.to_string();
        let price = price.trim_start_matches('\u{a3}');
        let described = described(open.skill.id, &format!("{} A call costs {price} GBP.", open.skill.description));
        SkillJson { examples: open.examples(), ..described }
    });
    let card = signed_card(identity, priced.collect());
    with_signatures(version_1(serde_json::to_value(&card)?), identity, signer)
}

/// Adds the signatures to a card of version 1.0.
fn with_signatures(mut card: Value, identity: &CardIdentity, signer: &Signer) -> Result<Value, CanonicalFormError> {
    let signatures = signatures(&card, &CanonicalForm::OF_VERSION_1, identity, signer)?;
    if let Some(members) = card.as_object_mut() {
        members.insert("signatures".to_owned(), serde_json::to_value(signatures)?);
    }
    Ok(card)
}

fn signatures(
    unsigned: &Value,
    forms: &[CanonicalForm],
    identity: &CardIdentity,
    signer: &Signer,
) -> Result<Vec<Signature>, CanonicalFormError> {
    let sign = |form: &CanonicalForm| {
        let protected = json!({
            "alg": "EdDSA",
            "typ": "JOSE",
            "kid": signer.public().kid,
            "jku": format!("{}/.well-known/jwks.json", identity.base_url),
            // Names the signed form, so that verifiers need not guess it.
            "form": form.name(),
        });
        let (protected, signature) = signer.jws(&protected, form.of(unsigned)?.as_bytes());
        Ok(Signature { protected, signature })
    };
    forms.iter().map(sign).collect()
}

fn described(id: &'static str, description: &str) -> SkillJson {
    SkillJson { id, name: id, description: description.to_owned(), tags: [id], examples: Vec::new() }
}

/// Builds the card that covers both versions, without signatures.
fn signed_card(identity: &CardIdentity, skills: Vec<SkillJson>) -> Card {
    let mut signed = card(identity, skills);
    signed.capabilities.push_notifications = true;
    signed.capabilities.extended_agent_card = Some(true);
    signed.security_schemes = Some(json!({ SCHEME: {
        "type": "http",
        "scheme": "bearer",
        "description": SCHEME_TEXT,
        // The same scheme in the format of version 1.0.
        "httpAuthSecurityScheme": { "scheme": "bearer", "description": SCHEME_TEXT },
    }}));
    signed.security = Some(json!([{ SCHEME: [] }]));
    signed.security_requirements = Some(json!([{ "schemes": { SCHEME: {} } }]));
    let interface = |path: &str, protocol_binding, protocol_version| Interface {
        url: format!("{}{path}", identity.base_url),
        protocol_binding,
        protocol_version,
    };
    signed.supported_interfaces = vec![
        interface("/v1/a2a/execute", TRANSPORT, "1.0"),
        interface("/v1/a2a", "HTTP+JSON", "1.0"),
        interface("/v1/a2a/execute", TRANSPORT, "0.3"),
    ];
    signed
}

/// Builds the card of version 0.3.0, without signatures and security.
fn card(identity: &CardIdentity, skills: Vec<SkillJson>) -> Card {
    Card {
        protocol_version: PROTOCOL_VERSION,
        name: identity.display_name.clone(),
        description: format!(
            "Paid agents with sealed, verifiable answers. Name a skill in params.message.metadata.capability. Prices: \
             {}/api/v1/agents.",
            identity.base_url
        ),
        url: format!("{}/v1/a2a/execute", identity.base_url),
        preferred_transport: TRANSPORT,
        version: CARD_VERSION,
        provider: Provider { organization: identity.display_name.clone(), url: identity.provider_url.clone() },
        capabilities: Capabilities {
            streaming: false,
            push_notifications: false,
            extended_agent_card: None,
            extensions: identity.takes_wallets.then_some(X402).into_iter().collect(),
        },
        default_input_modes: ["text/plain"],
        default_output_modes: ["application/json"],
        security_schemes: None,
        security: None,
        security_requirements: None,
        supported_interfaces: Vec::new(),
        skills,
        signatures: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ed25519_dalek::{Signature as Ed25519, Verifier as _, VerifyingKey};

    use tollbridge_core::vault::Vault;

    use super::*;

    fn signer() -> Signer {
        let data = tempfile::tempdir().unwrap();
        Signer::open(&Vault::open(data.path()).unwrap(), "cards").unwrap()
    }

    fn identity(display_name: &str) -> CardIdentity {
        CardIdentity {
            display_name: display_name.to_owned(),
            base_url: "https://bridge.example".to_owned(),
            provider_url: "https://example.com".to_owned(),
            takes_wallets: false,
        }
    }

    fn read(text: &str) -> Value {
        assert!(text.is_ascii());
        serde_json::from_str(text).unwrap()
    }

    fn members(card: &Value) -> BTreeSet<&str> {
        card.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn the_variants_differ_as_specified_and_in_nothing_else() {
        let cards = Cards::build(&identity("Tollbridge"), &signer(), 0).unwrap();
        let (signed, plain) = (read(&cards.signed), read(&cards.plain));
        let extra: Vec<&str> = members(&signed).difference(&members(&plain)).copied().collect();
        let of_1 = ["securityRequirements", "securitySchemes", "signatures", "supportedInterfaces"];
        assert_eq!(extra, ["security"].into_iter().chain(of_1).collect::<Vec<_>>());
        let capabilities = json!({ "streaming": false, "pushNotifications": true, "extendedAgentCard": true });
        assert_eq!(signed["capabilities"], capabilities);
        assert_eq!(plain["capabilities"], json!({ "streaming": false, "pushNotifications": false }));
        assert_eq!(signed["skills"].as_array().unwrap().len(), 17);
        let without: Vec<&Value> =
            signed["skills"].as_array().unwrap().iter().filter(|skill| skill["id"] != "general").collect();
        assert_eq!(plain["skills"].as_array().unwrap().iter().collect::<Vec<_>>(), without);
        for name in ["protocolVersion", "name", "description", "url", "version", "provider"] {
            assert_eq!(signed[name], plain[name]);
        }
        assert_eq!(signed["url"], "https://bridge.example/v1/a2a/execute");
        assert_eq!(signed["provider"], json!({ "organization": "Tollbridge", "url": "https://example.com" }));
    }

    #[test]
    fn the_card_of_version_1_has_its_members_and_no_others() {
        let cards = Cards::build(&identity("Tollbridge"), &signer(), 0).unwrap();
        let (signed, card) = (read(&cards.signed), read(&cards.version_1));
        let known = "capabilities defaultInputModes defaultOutputModes description name provider securityRequirements \
                     securitySchemes signatures skills supportedInterfaces version";
        assert_eq!(members(&card), known.split(' ').collect());
        assert_eq!(members(&card["securitySchemes"]["bearerAuth"]), BTreeSet::from(["httpAuthSecurityScheme"]));
        let spoken: Vec<String> = card["supportedInterfaces"]
            .as_array()
            .unwrap()
            .iter()
            .map(|interface| format!("{} {}", interface["protocolBinding"], interface["protocolVersion"]))
            .collect();
        assert_eq!(spoken, [r#""JSONRPC" "1.0""#, r#""HTTP+JSON" "1.0""#, r#""JSONRPC" "0.3""#]);
        assert_eq!(card["skills"], signed["skills"]);
    }

    /// For arbitrary operator names, each signature must be valid for its own form of the
    /// served card, and for no other form.
    #[test]
    fn each_signature_covers_its_form() {
        for name in ["Tollbridge", "P\u{e9}age \u{1f309} \"x\" \\ \u{7f}"] {
            let signer = signer();
            let key = VerifyingKey::from_bytes(&signer.public().bytes).unwrap();
            let cards = Cards::build(&identity(name), &signer, 0).unwrap();
            let commands = Some("- a: `check {x:quoted}`\n\n```\ncheck \"y\"\n```\n".into());
            let open = [OpenSkill { skill: SKILLS[0], price: "0.30".parse().unwrap(), commands }];
            let extended = extended(&identity(name), &signer, &open).unwrap();
            assert_eq!(extended["skills"][0]["examples"], json!(["check \"y\""]));
            let price = extended["skills"][0]["description"].as_str().unwrap();
            assert!(price.ends_with(" A call costs 0.30 GBP."), "{price}");
            let of_1 = CanonicalForm::OF_VERSION_1.as_slice();
            for (mut card, forms) in
                [(read(&cards.signed), &CanonicalForm::ALL[..]), (read(&cards.version_1), of_1), (extended, of_1)]
            {
                assert_eq!(card["name"], name);
                let signatures = card.as_object_mut().unwrap().remove("signatures").unwrap();
                let signatures = signatures.as_array().unwrap();
                assert_eq!(signatures.len(), forms.len());
                for (form, entry) in forms.iter().zip(signatures) {
                    let protected = entry["protected"].as_str().unwrap();
                    let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(protected).unwrap()).unwrap();
                    assert_eq!(header["form"], form.name());
                    let bytes = URL_SAFE_NO_PAD.decode(entry["signature"].as_str().unwrap()).unwrap();
                    let signature = Ed25519::from_slice(&bytes).unwrap();
                    let holds = |form: &CanonicalForm| {
                        let payload = URL_SAFE_NO_PAD.encode(form.of(&card).unwrap());
                        key.verify(format!("{protected}.{payload}").as_bytes(), &signature).is_ok()
                    };
                    assert!(forms.iter().all(|other| holds(other) == (other == form)), "{form:?}");
                }
            }
        }
    }
}
