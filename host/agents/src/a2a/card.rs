//! The two cards, as they are served.
//!
//! Invariants: a card is built once and never from what a request says; its
//! bytes are ASCII; each signature covers the whole card but the signatures.

use serde::Serialize;
use serde_json::{Value, json};
use tollbridge_core::signing::Signer;

use super::canonical::{CanonicalForm, CanonicalFormError, TRANSPORT, ascii};
use super::skills::{AgentSkill, SKILLS};

const PROTOCOL_VERSION: &str = "0.3.0";
const CARD_VERSION: &str = "1.0.0";
const SCHEME: &str = "bearerAuth";

/// As whom this server appears. Addresses have no slash at their end.
#[derive(Clone, Debug)]
pub struct CardIdentity {
    /// The name on the cards.
    pub display_name: String,
    /// Where this server is reached.
    pub base_url: String,
    /// The operator's web site.
    pub provider_url: String,
}

/// Both variants as JSON text.
#[derive(Clone, Debug)]
pub struct Cards {
    /// Signed, with the security scheme and every skill.
    pub signed: String,
    /// Without signatures, security and the skill `general`.
    pub plain: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Card {
    protocol_version: &'static str,
    name: String,
    description: String,
    url: String,
    /// The default of the protocol; clients that look for it find it.
    preferred_transport: &'static str,
    version: &'static str,
    provider: Provider,
    capabilities: Capabilities,
    default_input_modes: [&'static str; 1],
    default_output_modes: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    security_schemes: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    security: Option<Value>,
    skills: Vec<SkillJson>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    signatures: Vec<Signature>,
}

#[derive(Serialize)]
struct Provider {
    organization: String,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    streaming: bool,
    push_notifications: bool,
}

#[derive(Serialize)]
struct SkillJson {
    id: &'static str,
    name: &'static str,
    description: &'static str,
    tags: [&'static str; 1],
}

#[derive(Serialize)]
struct Signature {
    protected: String,
    signature: String,
}

impl Cards {
    /// Builds and signs. A client's library accepts a signature over its own
    /// canonical form only, so there is one for each form in use.
    pub fn build(identity: &CardIdentity, signer: &Signer) -> Result<Self, CanonicalFormError> {
        let mut signed = card(identity, &SKILLS);
        signed.capabilities.push_notifications = true;
        signed.security_schemes = Some(json!({ SCHEME: {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key of this server; POST /v1/signup gives one, free of charge.",
        }}));
        signed.security = Some(json!([{ SCHEME: [] }]));
        let unsigned = serde_json::to_value(&signed)?;
        for form in CanonicalForm::ALL {
            let protected = json!({
                "alg": "EdDSA",
                "typ": "JOSE",
                "kid": signer.public().kid,
                "jku": format!("{}/.well-known/jwks.json", identity.base_url),
                // Which form was signed; readers that know it need not guess.
                "form": form.name(),
            });
            let (protected, signature) = signer.jws(&protected, form.of(&unsigned)?.as_bytes());
            signed.signatures.push(Signature { protected, signature });
        }
        let both: Vec<AgentSkill> = SKILLS.into_iter().filter(|skill| skill.in_both).collect();
        let plain = card(identity, &both);
        Ok(Self { signed: ascii(&serde_json::to_string(&signed)?), plain: ascii(&serde_json::to_string(&plain)?) })
    }
}

fn card(identity: &CardIdentity, skills: &[AgentSkill]) -> Card {
    let skills = skills.iter().map(|skill| SkillJson {
        id: skill.id,
        name: skill.id,
        description: skill.description,
        tags: [skill.id],
    });
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
        capabilities: Capabilities { streaming: false, push_notifications: false },
        default_input_modes: ["text/plain"],
        default_output_modes: ["application/json"],
        security_schemes: None,
        security: None,
        skills: skills.collect(),
        signatures: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use ed25519_dalek::{Signature as Ed25519, Verifier as _, VerifyingKey};

    use super::*;
    use tollbridge_core::vault::Vault;

    fn cards(display_name: &str) -> (Value, Value, VerifyingKey) {
        let data = tempfile::tempdir().unwrap();
        let signer = Signer::open(&Vault::open(data.path()).unwrap(), "cards").unwrap();
        let identity = CardIdentity {
            display_name: display_name.to_owned(),
            base_url: "https://bridge.example".to_owned(),
            provider_url: "https://example.com".to_owned(),
        };
        let cards = Cards::build(&identity, &signer).unwrap();
        assert!(cards.signed.is_ascii() && cards.plain.is_ascii());
        let read = |text: &str| serde_json::from_str(text).unwrap();
        (read(&cards.signed), read(&cards.plain), VerifyingKey::from_bytes(&signer.public().bytes).unwrap())
    }

    fn members(card: &Value) -> BTreeSet<&str> {
        card.as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn the_variants_differ_as_specified_and_in_nothing_else() {
        let (signed, plain, _) = cards("Tollbridge");
        let extra: Vec<&str> = members(&signed).difference(&members(&plain)).copied().collect();
        assert_eq!(extra, ["security", "securitySchemes", "signatures"]);
        assert_eq!(signed["capabilities"], json!({ "streaming": false, "pushNotifications": true }));
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

    /// Whatever the operator's name is, each signature holds for its form of
    /// the card as it was served, and for no other.
    #[test]
    fn each_signature_covers_its_form() {
        for name in ["Tollbridge", "P\u{e9}age \u{1f309} \"x\" \\ \u{7f}"] {
            let (mut signed, _, key) = cards(name);
            assert_eq!(signed["name"], name);
            let signatures = signed.as_object_mut().unwrap().remove("signatures").unwrap();
            let signatures = signatures.as_array().unwrap();
            assert_eq!(signatures.len(), CanonicalForm::ALL.len());
            for (form, entry) in CanonicalForm::ALL.into_iter().zip(signatures) {
                let protected = entry["protected"].as_str().unwrap();
                let header: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(protected).unwrap()).unwrap();
                assert_eq!(header["form"], form.name());
                let bytes = URL_SAFE_NO_PAD.decode(entry["signature"].as_str().unwrap()).unwrap();
                let signature = Ed25519::from_slice(&bytes).unwrap();
                let holds = |form: CanonicalForm| {
                    let payload = URL_SAFE_NO_PAD.encode(form.of(&signed).unwrap());
                    key.verify(format!("{protected}.{payload}").as_bytes(), &signature).is_ok()
                };
                assert_eq!(CanonicalForm::ALL.map(holds), CanonicalForm::ALL.map(|other| other == form));
            }
        }
    }
}
