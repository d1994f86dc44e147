//! Fuzz tests of Stripe's events and their signatures.

use tollbridge_core::config::Secret;
use tollbridge_core::fuzzing::Fuzzer;

use super::*;
use crate::processor::StripeWebhookSecret;

#[test]
fn an_event_is_read_or_refused_and_names_only_what_is_an_id() {
    Fuzzer::of("stripe-event").run(|bytes| {
        let Ok(event) = serde_json::from_slice::<StripeEvent>(bytes) else { return };
        let member = |name: &str| event.data.object.get(name).and_then(Value::as_str).unwrap_or_default();
        if let Some(handle) = IntentHandle::parse(member("client_reference_id")) {
            assert!(handle.as_str().len() == 32 && handle.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    });
}

#[test]
fn no_changed_signature_is_accepted() {
    const TIME: u64 = 1_700_000_000;
    let secret = StripeWebhookSecret::new(Secret::new("whsec_test"));
    // HMAC-SHA256 of `1700000000.{}` with `whsec_test`.
    let good = "t=1700000000,v1=35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91";
    Fuzzer::of("stripe-signature").with("good", good.as_bytes().to_vec()).run(|bytes| {
        let Ok(header) = std::str::from_utf8(bytes) else { return };
        if secret.verify(header, b"{}", TIME).is_ok() {
            // An accepted header must contain the time and the signature of the valid
            // one.
            assert!(header.contains("1700000000"), "{header}");
            assert!(
                header
                    .to_ascii_lowercase()
                    .contains("35495024f4ef3f94e5a93e22221544c4b75e9a42300cd965ab81cb85cd994e91"),
                "{header}"
            );
        }
        assert!(secret.verify(header, b"{\"a\":1}", TIME).is_err(), "{header}");
    });
}
