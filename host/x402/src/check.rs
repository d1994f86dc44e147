//! Checks a payment against its requirement, as far as possible without access to the
//! chain.

use serde_json::Value;

use crate::address::Address;
use crate::amount::Amount;
use crate::bytes32::Nonce;
use crate::invalid::Invalid;
use crate::permit2::PERMIT2;
use crate::requirement::Requirement;
use crate::scheme::Scheme;
use crate::signature::Signature;
use crate::signed::Signed;
use crate::wire::{PaymentPayload, PaymentRequirements};

/// Tolerated difference between the payer's clock and this host's, in seconds.
pub const CLOCK_SLACK_S: u64 = 15;
/// Minimum remaining validity, in seconds, that an authorization needs to be settled;
/// official facilitators refuse authorizations with less.
pub const SETTLE_MARGIN_S: u64 = 6;

/// A payment accepted by [`check`]: the payer's key signed exactly this payment. It is
/// unknown whether the payer has the money, and whether the payment was already spent.
///
/// Created only by [`check`]. To restore a payment after a restart, store its header and
/// check it again with the time of the first check.
#[derive(Clone, Debug, PartialEq)]
pub struct Authorized {
    payer: Address,
    nonce: Nonce,
    valid_before: u64,
    requirement: Requirement,
    payment: PaymentPayload,
    /// The amount to settle, if it is less than the signed amount.
    charge: Option<Amount>,
}

impl Authorized {
    /// Returns the payer.
    pub const fn payer(&self) -> Address {
        self.payer
    }

    /// Returns the nonce, which identifies the payment together with the payer and
    /// [`Self::nonce_contract`].
    pub const fn nonce(&self) -> Nonce {
        self.nonce
    }

    /// Returns the contract that consumes the nonce: the token, or Permit2.
    pub const fn nonce_contract(&self) -> Address {
        match self.requirement.scheme() {
            Scheme::Exact => self.requirement.token().address,
            Scheme::Upto { .. } => PERMIT2,
        }
    }

    /// Returns the amount to settle in the token's smallest unit: the signed amount
    /// unless [`Self::charging`] reduced it.
    pub fn amount(&self) -> Amount {
        self.charge.unwrap_or(self.requirement.amount())
    }

    /// Returns an `upto` payment with the call's actual cost as the amount to settle.
    /// `None` if the cost is zero or above the signed amount, or if the scheme is not
    /// `upto`.
    #[must_use]
    pub fn charging(&self, amount: Amount) -> Option<Self> {
        let is_upto = matches!(self.requirement.scheme(), Scheme::Upto { .. });
        let fits = is_upto && !amount.is_zero() && amount <= self.requirement.amount();
        fits.then(|| Self { charge: Some(amount), ..self.clone() })
    }

    /// Returns the requirements sent to a facilitator for verification or settlement.
    pub(crate) fn asked(&self) -> PaymentRequirements {
        PaymentRequirements { amount: self.amount(), ..self.requirement.to_wire() }
    }

    /// Returns the Unix time in seconds from which chains no longer accept the payment.
    pub const fn valid_before(&self) -> u64 {
        self.valid_before
    }

    /// Returns the requirement that the payment was checked against.
    pub const fn requirement(&self) -> &Requirement {
        &self.requirement
    }

    /// Returns the payment as received.
    pub const fn payment(&self) -> &PaymentPayload {
        &self.payment
    }
}

/// Checks a payment against a requirement at `now_s` (Unix time in seconds). Makes no
/// network requests.
///
/// # Errors
///
/// Returns the first defect as an [`Invalid`].
pub fn check(payment: &PaymentPayload, requirement: &Requirement, now_s: u64) -> Result<Authorized, Invalid> {
    check_signed(payment, requirement, now_s).map_err(|invalid| match requirement.scheme() {
        Scheme::Exact => invalid,
        Scheme::Upto { .. } => Invalid::Upto(Box::new(invalid)),
    })
}

fn check_signed(payment: &PaymentPayload, requirement: &Requirement, now_s: u64) -> Result<Authorized, Invalid> {
    check_accepted(payment, requirement)?;
    let signed = Signed::read(payment, requirement)?;
    let (given, asked) = (signed.to, requirement.pay_to());
    if given != asked {
        return Err(Invalid::Recipient { given, asked });
    }
    if signed.from == asked {
        return Err(Invalid::ToItself);
    }
    if signed.value != requirement.amount() {
        return Err(Invalid::Value { given: signed.value, asked: requirement.amount() });
    }
    let valid_before = check_window(&signed, requirement, now_s)?;
    let signature: Signature = signed.signature.parse()?;
    let signer = signature.signer(&signed.digest)?;
    if signer != signed.from {
        return Err(Invalid::OtherSigner { from: signed.from, signer });
    }
    Ok(Authorized {
        payer: signer,
        nonce: signed.nonce,
        valid_before,
        requirement: requirement.clone(),
        payment: payment.clone(),
        charge: None,
    })
}

/// Checks that the requirement echoed by the client matches the offered one in all
/// binding members.
fn check_accepted(payment: &PaymentPayload, requirement: &Requirement) -> Result<(), Invalid> {
    let (accepted, token, scheme) = (&payment.accepted, requirement.token(), requirement.scheme());
    if accepted.scheme != scheme.name() {
        let given = tollbridge_core::excerpt::excerpt(&accepted.scheme, 60);
        return Err(Invalid::Scheme { given, asked: scheme.name() });
    }
    if accepted.network.chain_id() != Some(token.chain) {
        return Err(Invalid::Network { given: accepted.network.to_string(), asked: token.chain.to_string() });
    }
    let other = |member, asked: String| Err(Invalid::Accepted { member, asked });
    let is = |text: &str, address: Address| text.parse() == Ok(address);
    let extra = |name: &str| accepted.extra.get(name).and_then(Value::as_str);
    if !is(&accepted.asset, token.address) {
        return other("asset", token.address.to_string());
    }
    if !is(&accepted.pay_to, requirement.pay_to()) {
        return other("payTo", requirement.pay_to().to_string());
    }
    if accepted.amount != requirement.amount() {
        return other("amount", requirement.amount().to_string());
    }
    if extra("name") != Some(&token.name) {
        return other("extra.name", token.name.clone());
    }
    if extra("version") != Some(&token.version) {
        return other("extra.version", token.version.clone());
    }
    let method = accepted.extra.get(Scheme::TRANSFER_METHOD);
    if method.is_some_and(|method| method.as_str() != Some(scheme.transfer_method())) {
        return other("extra.assetTransferMethod", scheme.transfer_method().to_owned());
    }
    if let Scheme::Upto { facilitator } = scheme {
        let named = extra(Scheme::FACILITATOR).is_some_and(|named| is(named, facilitator));
        if !named {
            return other("extra.facilitatorAddress", facilitator.to_string());
        }
    }
    Ok(())
}

/// Checks that the authorization is valid now, remains valid long enough to settle, and
/// does not exceed the allowed duration. Returns the end of its validity.
fn check_window(signed: &Signed, requirement: &Requirement, now_s: u64) -> Result<u64, Invalid> {
    let (valid_after, valid_before) = (signed.valid_after, signed.valid_before);
    let (now, timeout_s) = (u128::from(now_s), requirement.timeout_s());
    let slack = u128::from(CLOCK_SLACK_S);
    if valid_after.get() > now.saturating_add(slack) {
        return Err(Invalid::NotYetValid { valid_after, now_s });
    }
    if valid_before.get() < now.saturating_add(u128::from(SETTLE_MARGIN_S)) {
        return Err(Invalid::Expired { valid_before, now_s });
    }
    let latest = now.saturating_add(u128::from(timeout_s)).saturating_add(slack);
    match u64::try_from(valid_before.get()) {
        Ok(valid_before) if u128::from(valid_before) <= latest => Ok(valid_before),
        _ => Err(Invalid::TooLong { valid_before, timeout_s, now_s }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::code::Code;
    use crate::testing::{Vector, signed};

    fn vector() -> Vector {
        signed().remove(0)
    }

    fn changed(pointer: &str, value: Value) -> Result<Authorized, Invalid> {
        let vector = vector();
        let mut json = serde_json::to_value(&vector.payment).unwrap();
        *json.pointer_mut(pointer).unwrap() = value;
        check(&serde_json::from_value(json).unwrap(), &vector.requirement, vector.now_s)
    }

    #[test]
    fn payments_of_official_clients_are_authorized() {
        for vector in signed() {
            let authorized = check(&vector.payment, &vector.requirement, vector.now_s).unwrap();
            assert_eq!(authorized.payer(), vector.payer, "{}", vector.client);
            assert_eq!(authorized.amount(), vector.requirement.amount());
            assert_eq!(authorized.nonce(), vector.payload().authorization.nonce);
            assert_eq!(u128::from(authorized.valid_before()), vector.payload().authorization.valid_before.get());
        }
    }

    #[test]
    fn each_error_has_its_code() {
        let other = "0x0000000000000000000000000000000000000001";
        for (pointer, value, code) in [
            ("/accepted/scheme", json!("upto"), Code::InvalidScheme),
            ("/accepted/network", json!("eip155:1"), Code::InvalidNetwork),
            ("/accepted/network", json!("solana:mainnet"), Code::InvalidNetwork),
            ("/accepted/asset", json!(other), Code::InvalidPaymentRequirements),
            ("/accepted/payTo", json!(other), Code::InvalidPaymentRequirements),
            ("/accepted/payTo", json!("merchant"), Code::InvalidPaymentRequirements),
            ("/accepted/amount", json!("1"), Code::InvalidPaymentRequirements),
            ("/accepted/extra/name", json!("USD Coin!"), Code::InvalidPaymentRequirements),
            ("/accepted/extra", json!(null), Code::InvalidPaymentRequirements),
            (
                "/accepted/extra",
                json!({ "name": "USDC", "version": "2", "assetTransferMethod": "permit2" }),
                Code::InvalidPaymentRequirements,
            ),
            ("/payload/authorization/to", json!(other), Code::RecipientMismatch),
            ("/payload/authorization/value", json!("9999"), Code::ValueMismatch),
            ("/payload/authorization/value", json!("10001"), Code::ValueMismatch),
            ("/payload/authorization/value", json!(10000), Code::InvalidPayload),
            ("/payload/authorization/nonce", json!("0x00"), Code::InvalidPayload),
            ("/payload/authorization/validAfter", json!("9999999999"), Code::ValidAfter),
            ("/payload/authorization/validBefore", json!("1"), Code::ValidBefore),
            ("/payload/authorization/validBefore", json!("9999999999"), Code::ValidBefore),
            ("/payload/authorization/validBefore", json!(u128::MAX.to_string()), Code::ValidBefore),
            ("/payload/authorization/from", json!(other), Code::Signature),
            ("/payload/signature", json!("0x"), Code::Signature),
            ("/payload", json!({}), Code::InvalidPayload),
            ("/payload", json!({ "permit2Authorization": {}, "signature": "0x" }), Code::InvalidPayload),
        ] {
            let error = changed(pointer, value.clone()).unwrap_err();
            assert_eq!(error.code(), code, "{pointer} {value}: {error}");
        }
    }

    #[test]
    fn every_signed_member_is_signed() {
        for (pointer, value) in [
            ("/payload/authorization/validAfter", json!("1")),
            ("/payload/authorization/nonce", json!(format!("0x{}", "11".repeat(32)))),
        ] {
            assert!(matches!(changed(pointer, value), Err(Invalid::OtherSigner { .. })), "{pointer}");
        }
        let vector = vector();
        let mut token = vector.requirement.token().clone();
        token.name = "USD Coin".to_owned();
        let mut payment = vector.payment.clone();
        payment.accepted.extra.insert("name".to_owned(), json!("USD Coin"));
        let asked = Requirement::new(
            token,
            vector.requirement.amount(),
            vector.requirement.pay_to(),
            vector.requirement.timeout_s(),
        );
        assert!(matches!(check(&payment, &asked.unwrap(), vector.now_s), Err(Invalid::OtherSigner { .. })));
    }

    #[test]
    fn the_window_has_its_edges() {
        let vector = vector();
        let at = |now_s: u64| check(&vector.payment, &vector.requirement, now_s);
        let end = u64::try_from(vector.payload().authorization.valid_before.get()).unwrap();
        assert!(at(end - SETTLE_MARGIN_S).is_ok());
        assert!(matches!(at(end - SETTLE_MARGIN_S + 1), Err(Invalid::Expired { .. })));
        let begin = end - vector.requirement.timeout_s() - CLOCK_SLACK_S;
        assert!(at(begin).is_ok());
        assert!(matches!(at(begin - 1), Err(Invalid::TooLong { .. })));
        assert!(at(0).is_err() && at(u64::MAX).is_err());
    }

    #[test]
    fn addresses_are_compared_as_bytes() {
        let vector = vector();
        let asset = vector.payment.accepted.asset.to_lowercase();
        assert!(changed("/accepted/asset", json!(asset)).is_ok());
        let to = vector.payload().authorization.to.to_string().to_lowercase();
        assert!(changed("/payload/authorization/to", json!(to)).is_ok());
    }
}
