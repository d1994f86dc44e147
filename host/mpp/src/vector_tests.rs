//! Interoperability tests: this crate reads challenges and credentials of the official
//! libraries, and writes vectors for those libraries to read (`vectors/README.md`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tollbridge_core::vault::SecretBytes;

use crate::challenge::Challenge;
use crate::credential::{Credential, CredentialHeader};
use crate::json_rpc::{META_CREDENTIAL, credential_of_message, required_error, verification_failed_error};
use crate::name::{Intent, Method};
use crate::problem::{Problem, ProblemType};
use crate::receipt::Receipt;
use crate::signer::{ChallengeSigner, Terms};

/// One day before the challenges expire.
const NOW_S: u64 = 1_799_913_600;
const EXPIRES_S: u64 = 1_800_000_000;

#[derive(Deserialize)]
struct File {
    secret: String,
    realm: String,
    vectors: Vec<Vector>,
    receipt: String,
}

#[derive(Deserialize)]
struct Vector {
    challenge: String,
    id: String,
    request: Map<String, Value>,
    opaque: Option<BTreeMap<String, String>>,
    description: Option<String>,
    credential: String,
    payload: Map<String, Value>,
    body: Option<String>,
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors").join(name)
}

fn file(name: &str) -> (File, ChallengeSigner) {
    let file: File = serde_json::from_str(&std::fs::read_to_string(path(name)).unwrap()).unwrap();
    let key = SecretBytes::new(file.secret.as_bytes().try_into().unwrap());
    let signer = ChallengeSigner::new(&file.realm, key, None).unwrap();
    (file, signer)
}

fn credential(header: &str) -> Credential {
    Credential::of_headers([header]).unwrap().unwrap()
}

/// Issues the vector's challenge with this crate's signer.
fn issue(signer: &ChallengeSigner, vector: &Vector, method: &Method, header: CredentialHeader) -> Challenge {
    let terms = Terms {
        method,
        intent: &Intent::CHARGE,
        request: &vector.request,
        expires_s: EXPIRES_S,
        body: vector.body.as_deref().map(str::as_bytes),
        description: vector.description.as_deref(),
        opaque: vector.opaque.as_ref(),
        header,
    };
    signer.issue(terms).unwrap()
}

#[test]
fn challenges_and_credentials_of_official_libraries_are_verified() {
    for name in ["python.json", "node.json", "ours.json"] {
        let (file, signer) = file(name);
        assert_eq!(file.vectors.len(), 4);
        for vector in file.vectors {
            let challenge = Challenge::parse(&vector.challenge).unwrap();
            assert_eq!((challenge.id(), challenge.description()), (vector.id.as_str(), vector.description.as_deref()));
            assert_eq!(challenge.request().unwrap(), vector.request);
            let body = vector.body.as_deref().unwrap_or_default().as_bytes();
            let verified = signer.verify(credential(&vector.credential), body, NOW_S).unwrap();
            assert_eq!(verified.request(), &vector.request, "{name}");
            assert_eq!(verified.opaque(), &vector.opaque.clone().unwrap_or_default(), "{name}");
            assert_eq!(verified.credential().payload(), &vector.payload);
            assert_eq!(verified.credential().source(), Some("did:key:z6Mk"));
            let header = match challenge.credential_header() {
                Some(_) => CredentialHeader::PaymentAuthorization,
                None => CredentialHeader::Authorization,
            };
            let ours = issue(&signer, &vector, challenge.method(), header);
            // The other libraries write the digest of a body without the colons of RFC
            // 9530, so a challenge with a body gets a different id from this crate.
            assert_eq!(
                ours.id() == vector.id,
                vector.body.is_none() || name == "ours.json",
                "{name} {}",
                vector.challenge
            );
        }
        let receipt = Receipt::parse(&file.receipt).unwrap();
        assert_eq!((receipt.reference.as_str(), receipt.timestamp.as_str()), ("pi_1", "2027-01-15T08:00:00Z"));
    }
}

#[test]
fn the_vectors_file_is_up_to_date() {
    let (file, signer) = file("python.json");
    let vectors: Vec<Value> = file
        .vectors
        .iter()
        .map(|vector| {
            let theirs = Challenge::parse(&vector.challenge).unwrap();
            let header = match theirs.credential_header() {
                Some(_) => CredentialHeader::PaymentAuthorization,
                None => CredentialHeader::Authorization,
            };
            let challenge = issue(&signer, vector, theirs.method(), header);
            let source = Some("did:key:z6Mk".to_owned());
            let credential = Credential { challenge: challenge.clone(), payload: vector.payload.clone(), source };
            let problem = Problem::new(ProblemType::PaymentRequired, "pay");
            json!({
                "challenge": challenge.to_header(),
                "id": challenge.id(),
                "request": vector.request,
                "opaque": vector.opaque,
                "description": vector.description,
                "credential": credential.to_header(),
                "payload": vector.payload,
                "body": vector.body,
                "error": required_error(&[challenge], &problem).unwrap(),
            })
        })
        .collect();
    let receipt = Receipt::new(Method::STRIPE, "pi_1", "c", EXPIRES_S).to_header();
    let made = json!({
        "source": "tollbridge-mpp", "secret": file.secret, "realm": file.realm, "vectors": vectors, "receipt": receipt
    });
    if std::env::var("RENEW_VECTORS").is_ok_and(|value| value == "1") {
        std::fs::write(path("ours.json"), format!("{made:#}\n")).unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(path("ours.json")).unwrap()).unwrap();
    assert_eq!(kept, made, "run with RENEW_VECTORS=1 to rewrite the file");
}

#[test]
fn a_credential_of_json_rpc_is_the_same_one() {
    let (file, signer) = file("python.json");
    let vector = &file.vectors[3];
    let challenge = Challenge::parse(&vector.challenge).unwrap();
    let echoed = json!({ "challenge": challenge.to_json().unwrap(), "payload": vector.payload });
    let nested = json!({ "method": "tools/call", "params": { "_meta": { META_CREDENTIAL: echoed } } });
    let root = json!({ "method": "x", "params": [1], "_meta": { META_CREDENTIAL: echoed } });
    for message in [&nested, &root] {
        let credential = credential_of_message(message).unwrap().unwrap();
        assert_eq!(signer.verify(credential, b"", NOW_S).unwrap().challenge_id(), vector.id);
    }
    let mut both = nested.clone();
    both["_meta"] = root["_meta"].clone();
    assert!(credential_of_message(&both).is_err());
    assert_eq!(credential_of_message(&json!({ "params": { "_meta": {} } })), Ok(None));
    let mut wrong = nested;
    wrong["params"]["_meta"][META_CREDENTIAL]["challenge"]["id"] = json!(1);
    assert!(credential_of_message(&wrong).unwrap_err().to_string().contains("challenge.id"));
    let problem = Problem::new(ProblemType::VerificationFailed, "no");
    let error = verification_failed_error(&[challenge], &problem).unwrap();
    assert_eq!(
        (error["code"].as_i64(), error["data"]["failure"]["reason"].as_str()),
        (Some(-32043), Some("verification-failed"))
    );
    assert_eq!(error["data"]["challenges"][0]["request"]["amount"], "1000000");
}
