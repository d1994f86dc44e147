//! Fuzz tests of parsing untrusted headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tollbridge_core::fuzzing::Fuzzer;

use crate::check::check;
use crate::testing::{PAYMENT, signed};
use crate::wire::{PaymentPayload, PaymentRequired, SettlementResponse};

#[test]
fn a_payment_is_read_or_refused_and_never_authorizes_what_was_not_signed() {
    let vector = signed().remove(0);
    let good = serde_json::to_vec(&vector.payment).unwrap();
    let authorized = check(&vector.payment, &vector.requirement, vector.now_s).unwrap();
    Fuzzer::of("x402-payment").with("spec", PAYMENT.as_bytes().to_vec()).with("signed", good).run(|bytes| {
        let Ok(payment) = PaymentPayload::decode(STANDARD.encode(bytes).as_bytes()) else { return };
        let again = PaymentPayload::decode(payment.encode().as_bytes());
        assert_eq!(again, Ok(payment.clone()));
        if let Ok(found) = check(&payment, &vector.requirement, vector.now_s) {
            assert_eq!(
                (found.payer(), found.nonce(), found.valid_before(), found.amount()),
                (authorized.payer(), authorized.nonce(), authorized.valid_before(), authorized.amount())
            );
        }
    });
}

#[test]
fn a_header_is_read_or_refused() {
    let payment = STANDARD.encode(PAYMENT);
    Fuzzer::of("x402-header").with("payment", payment.into_bytes()).run(|bytes| {
        let _ = PaymentPayload::decode(bytes);
        let _ = PaymentRequired::decode(bytes);
        if let Ok(read) = SettlementResponse::decode(bytes) {
            assert_eq!(SettlementResponse::decode(read.encode().as_bytes()), Ok(read));
        }
    });
}
