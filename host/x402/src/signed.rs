//! `Signed`: the signed parameters of a payment in either scheme, and the check of the
//! signer.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::address::Address;
use crate::amount::Amount;
use crate::authorization::ExactPayload;
use crate::bytes32::Nonce;
use crate::eip712::{digest, upto_digest};
use crate::header::read_value;
use crate::invalid::Invalid;
use crate::permit2::{UPTO_PROXY, UptoPayload};
use crate::requirement::Requirement;
use crate::scheme::Scheme;
use crate::wire::PaymentPayload;

/// Signed parameters that both schemes have. The digest also covers parameters that are
/// not listed here.
pub(crate) struct Signed {
    pub(crate) from: Address,
    pub(crate) to: Address,
    pub(crate) value: Amount,
    pub(crate) valid_after: Amount,
    /// Unix time in seconds from which chains no longer accept the payment.
    pub(crate) valid_before: Amount,
    pub(crate) nonce: Nonce,
    pub(crate) digest: [u8; 32],
    pub(crate) signature: String,
}

impl Signed {
    /// Reads the signed data of a payment, and checks the members specific to the
    /// requirement's scheme.
    pub(crate) fn read(payment: &PaymentPayload, requirement: &Requirement) -> Result<Self, Invalid> {
        match requirement.scheme() {
            Scheme::Exact => Ok(Self::exact(payload(payment, Scheme::EXACT)?, requirement)),
            Scheme::Upto { facilitator } => Self::upto(payload(payment, Scheme::UPTO)?, requirement, facilitator),
        }
    }

    fn exact(payload: ExactPayload, requirement: &Requirement) -> Self {
        let digest = digest(requirement.token(), &payload.authorization);
        let signed = payload.authorization;
        Self {
            from: signed.from,
            to: signed.to,
            value: signed.value,
            valid_after: signed.valid_after,
            valid_before: signed.valid_before,
            nonce: signed.nonce,
            digest,
            signature: payload.signature,
        }
    }

    fn upto(payload: UptoPayload, requirement: &Requirement, facilitator: Address) -> Result<Self, Invalid> {
        let (permit, token) = (payload.permit2_authorization, requirement.token());
        let other = |member, given: Address, asked: Address| Err(Invalid::Permit { member, given, asked });
        if permit.spender != UPTO_PROXY {
            return other("spender", permit.spender, UPTO_PROXY);
        }
        if permit.permitted.token != token.address {
            return other("permitted.token", permit.permitted.token, token.address);
        }
        if permit.witness.facilitator != facilitator {
            return other("witness.facilitator", permit.witness.facilitator, facilitator);
        }
        let digest = upto_digest(token.chain, &permit);
        Ok(Self {
            from: permit.from,
            to: permit.witness.to,
            value: permit.permitted.amount,
            valid_after: permit.witness.valid_after,
            // The permit's deadline is inclusive, but `valid_before` is exclusive.
            valid_before: Amount::new(permit.deadline.get().saturating_add(1)),
            nonce: Nonce::new(permit.nonce.bytes()),
            digest,
            signature: payload.signature,
        })
    }
}

fn payload<T: DeserializeOwned>(payment: &PaymentPayload, scheme: &'static str) -> Result<T, Invalid> {
    let payload = Value::Object(payment.payload.clone());
    read_value(payload).map_err(|problem| Invalid::Payload { scheme, problem })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::check::{Authorized, CLOCK_SLACK_S, SETTLE_MARGIN_S, check};
    use crate::code::Code;
    use crate::testing::{Vector, signed, signed_upto};

    use super::*;

    fn vector() -> Vector {
        signed_upto().remove(0)
    }

    fn changed(pointer: &str, value: Value) -> Result<Authorized, Invalid> {
        let vector = vector();
        let mut json = serde_json::to_value(&vector.payment).unwrap();
        *json.pointer_mut(pointer).unwrap() = value;
        check(&serde_json::from_value(json).unwrap(), &vector.requirement, vector.now_s)
    }

    #[test]
    fn payments_by_upto_of_official_clients_are_authorized() {
        let mut clients = std::collections::BTreeSet::new();
        for vector in signed_upto() {
            let permit = vector.permit();
            let computed = upto_digest(vector.requirement.token().chain, &permit);
            assert_eq!(hex::encode(computed), vector.digest.strip_prefix("0x").unwrap(), "{}", vector.client);
            let authorized = check(&vector.payment, &vector.requirement, vector.now_s).unwrap();
            assert_eq!(authorized.payer(), vector.payer, "{}", vector.client);
            assert_eq!(authorized.nonce().bytes(), permit.nonce.bytes());
            assert_eq!(authorized.nonce_contract(), crate::permit2::PERMIT2);
            assert_eq!(u128::from(authorized.valid_before()), permit.deadline.get() + 1);
            clients.insert(vector.client);
        }
        assert_eq!(clients.len(), 2, "{clients:?}");
    }

    #[test]
    fn each_permit_error_has_its_code() {
        let other = "0x0000000000000000000000000000000000000001";
        let permit = "/payload/permit2Authorization";
        for (pointer, value, code) in [
            ("/accepted/scheme".to_owned(), json!("exact"), Code::InvalidScheme),
            ("/accepted/amount".to_owned(), json!("1"), Code::InvalidPaymentRequirements),
            ("/accepted/extra/facilitatorAddress".to_owned(), json!(other), Code::InvalidPaymentRequirements),
            ("/accepted/extra/assetTransferMethod".to_owned(), json!("eip3009"), Code::InvalidPaymentRequirements),
            (format!("{permit}/spender"), json!(other), Code::PermitSpender),
            (format!("{permit}/permitted/token"), json!(other), Code::PermitToken),
            (format!("{permit}/permitted/amount"), json!("9999"), Code::PermitAmount),
            (format!("{permit}/permitted/amount"), json!("10001"), Code::PermitAmount),
            (format!("{permit}/witness/facilitator"), json!(other), Code::PermitFacilitator),
            (format!("{permit}/witness/to"), json!(other), Code::PermitRecipient),
            (format!("{permit}/witness/validAfter"), json!("9999999999"), Code::PermitNotYetValid),
            (format!("{permit}/deadline"), json!("1"), Code::PermitDeadline),
            (format!("{permit}/deadline"), json!("9999999999"), Code::PermitDeadline),
            (format!("{permit}/nonce"), json!("1"), Code::PermitSignature),
            (format!("{permit}/witness/validAfter"), json!("1"), Code::PermitSignature),
            (format!("{permit}/from"), json!(other), Code::PermitSignature),
            (format!("{permit}/nonce"), json!("0x01"), Code::InvalidPayload),
            ("/payload/signature".to_owned(), json!("0x"), Code::PermitSignature),
            ("/payload".to_owned(), json!({}), Code::InvalidPayload),
        ] {
            let error = changed(&pointer, value.clone()).unwrap_err();
            assert_eq!(error.code(), code, "{pointer} {value}: {error}");
        }
    }

    #[test]
    fn one_scheme_is_not_paid_by_the_other() {
        let (exact, upto) = (signed().remove(0), vector());
        for (payment, asked) in [(&exact, &upto), (&upto, &exact)] {
            let mut taken = payment.payment.clone();
            taken.accepted = asked.payment.accepted.clone();
            let error = check(&taken, &asked.requirement, payment.now_s).unwrap_err();
            assert_eq!(error.code(), Code::InvalidPayload, "{error}");
        }
    }

    #[test]
    fn a_deadline_is_the_last_moment() {
        let vector = vector();
        let at = |now_s: u64| check(&vector.payment, &vector.requirement, now_s);
        let last = u64::try_from(vector.permit().deadline.get()).unwrap();
        assert!(at(last + 1 - SETTLE_MARGIN_S).is_ok());
        assert!(at(last + 2 - SETTLE_MARGIN_S).is_err());
        assert!(at(last + 1 - vector.requirement.timeout_s() - CLOCK_SLACK_S).is_ok());
        assert!(at(last - vector.requirement.timeout_s() - CLOCK_SLACK_S).is_err());
    }

    #[test]
    fn a_charge_never_exceeds_the_signed_amount() {
        let vector = vector();
        let authorized = check(&vector.payment, &vector.requirement, vector.now_s).unwrap();
        let charging = |units| authorized.charging(Amount::new(units));
        assert_eq!(charging(1).unwrap().amount(), Amount::new(1));
        assert_eq!(charging(10_000).unwrap().asked().amount, Amount::new(10_000));
        assert_eq!((charging(0), charging(10_001)), (None, None));
        let exact = signed().remove(0);
        let exact = check(&exact.payment, &exact.requirement, exact.now_s).unwrap();
        assert_eq!(exact.charging(Amount::new(1)), None, "an exact amount was changed");
    }
}
