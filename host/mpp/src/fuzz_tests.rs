//! Fuzz tests of untrusted credentials and challenges.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tollbridge_core::fuzzing::Fuzzer;
use tollbridge_core::vault::SecretBytes;

use crate::challenge::Challenge;
use crate::credential::{Credential, CredentialHeader};
use crate::encoding::base64url;
use crate::name::{Intent, Method};
use crate::receipt::Receipt;
use crate::signer::{ChallengeSigner, Terms};

const NOW_S: u64 = 1_800_000_000;

fn signer() -> ChallengeSigner {
    ChallengeSigner::new("api.example.com", SecretBytes::new([7; 32]), None).unwrap()
}

fn challenge() -> Challenge {
    let request: Map<String, Value> = serde_json::from_value(json!({ "amount": "30", "currency": "gbp" })).unwrap();
    let opaque = BTreeMap::from([("quote".to_owned(), "q".to_owned())]);
    let terms = Terms {
        method: &Method::STRIPE,
        intent: &Intent::CHARGE,
        request: &request,
        expires_s: NOW_S + 300,
        body: Some(b"{}"),
        description: Some("a \"call\" — 30p"),
        opaque: Some(&opaque),
        header: CredentialHeader::PaymentAuthorization,
    };
    signer().issue(terms).unwrap()
}

#[test]
fn no_changed_challenge_is_accepted() {
    let (signer, made) = (signer(), challenge());
    let good = json!({ "challenge": made, "payload": { "spt": "spt_1" }, "source": "did:key:z" });
    Fuzzer::of("mpp-credential").with("good", good.to_string().into_bytes()).run(|bytes| {
        let header = format!("Payment {}", base64url(bytes));
        let Ok(Some(credential)) = Credential::of_headers([header.as_str()]) else { return };
        assert_eq!(Credential::of_headers([credential.to_header().as_str()]), Ok(Some(credential.clone())));
        if let Ok(verified) = signer.verify(credential, b"{}", NOW_S) {
            let description = verified.challenge().description().map(str::to_owned);
            assert_eq!(*verified.challenge(), Challenge { description, ..made.clone() });
        }
    });
}

#[test]
fn a_challenge_is_read_or_refused() {
    let good = challenge().to_header();
    Fuzzer::of("mpp-challenge").with("good", good.into_bytes()).run(|bytes| {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        let _ = Credential::of_headers([text]);
        let _ = Receipt::parse(text);
        if let Ok(challenge) = Challenge::parse(text) {
            assert_eq!(Challenge::parse(&challenge.to_header()), Ok(challenge));
        }
    });
}
