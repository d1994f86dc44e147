//! `Requirement`: a payment that this host requires, in scheme `exact` or `upto`.

use serde_json::{Map, Value};

use crate::address::Address;
use crate::amount::Amount;
use crate::scheme::Scheme;
use crate::token::Token;
use crate::wire::PaymentRequirements;

/// Minimum validity of an authorization, in seconds; the settlement needs part of that
/// time.
pub const TIMEOUT_S_MIN: u64 = 10;
/// Maximum validity of an authorization, in seconds. With a longer one, the money could
/// move more than a day later, and the payment could not be booked until then.
pub const TIMEOUT_S_MAX: u64 = 24 * 3600;

/// A required payment in a token to one account: exactly an amount, or at most an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    scheme: Scheme,
    token: Token,
    amount: Amount,
    pay_to: Address,
    timeout_s: u64,
}

/// The reason why a requirement is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum RequirementError {
    #[error("the amount of a payment cannot be zero")]
    NoAmount,
    #[error("the zero address has no owner")]
    NoPayee,
    #[error("{0} s is out of range for a payment; use {TIMEOUT_S_MIN} s to {TIMEOUT_S_MAX} s")]
    Timeout(u64),
}

impl Requirement {
    /// Creates a requirement to pay `amount` of a token to `pay_to` in scheme `exact`,
    /// with an authorization valid for at most `timeout_s` seconds.
    ///
    /// # Errors
    ///
    /// Fails if the amount is zero, the payee is the zero address, or `timeout_s` is out
    /// of range.
    pub fn new(token: Token, amount: Amount, pay_to: Address, timeout_s: u64) -> Result<Self, RequirementError> {
        if amount.is_zero() {
            return Err(RequirementError::NoAmount);
        }
        if pay_to.is_zero() {
            return Err(RequirementError::NoPayee);
        }
        if !(TIMEOUT_S_MIN..=TIMEOUT_S_MAX).contains(&timeout_s) {
            return Err(RequirementError::Timeout(timeout_s));
        }
        Ok(Self { scheme: Scheme::Exact, token, amount, pay_to, timeout_s })
    }

    /// Changes the scheme to `upto`: `facilitator` settles at most the amount.
    #[must_use]
    pub fn upto(self, facilitator: Address) -> Self {
        Self { scheme: Scheme::Upto { facilitator }, ..self }
    }

    /// Returns the scheme.
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// Returns the token.
    pub const fn token(&self) -> &Token {
        &self.token
    }

    /// Returns the exact or maximum amount, in the token's smallest unit.
    pub const fn amount(&self) -> Amount {
        self.amount
    }

    /// Returns the payee.
    pub const fn pay_to(&self) -> Address {
        self.pay_to
    }

    /// Returns the maximum validity of an authorization in seconds.
    pub const fn timeout_s(&self) -> u64 {
        self.timeout_s
    }

    /// Converts the requirement to an entry of `accepts`.
    pub fn to_wire(&self) -> PaymentRequirements {
        let mut extra = Map::new();
        extra.insert("name".to_owned(), Value::from(self.token.name.as_str()));
        extra.insert("version".to_owned(), Value::from(self.token.version.as_str()));
        if let Scheme::Upto { facilitator } = self.scheme {
            extra.insert(Scheme::TRANSFER_METHOD.to_owned(), Value::from(self.scheme.transfer_method()));
            extra.insert(Scheme::FACILITATOR.to_owned(), Value::from(facilitator.to_string()));
        }
        PaymentRequirements {
            scheme: self.scheme.name().to_owned(),
            network: self.token.chain.network(),
            amount: self.amount,
            asset: self.token.address.to_string(),
            pay_to: self.pay_to.to_string(),
            max_timeout_seconds: self.timeout_s,
            extra,
            other: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::ChainId;

    #[test]
    fn an_unpayable_requirement_is_refused() {
        let token = Token::usdc(ChainId::BASE).unwrap();
        let (some, somebody) = (Amount::new(1), Address::new([1; 20]));
        let ask = |amount, pay_to, timeout_s| Requirement::new(token.clone(), amount, pay_to, timeout_s);
        assert_eq!(ask(Amount::new(0), somebody, 60), Err(RequirementError::NoAmount));
        assert_eq!(ask(some, Address::new([0; 20]), 60), Err(RequirementError::NoPayee));
        for timeout_s in [0, TIMEOUT_S_MIN - 1, TIMEOUT_S_MAX + 1] {
            assert_eq!(ask(some, somebody, timeout_s), Err(RequirementError::Timeout(timeout_s)));
        }
        assert_eq!(ask(some, somebody, TIMEOUT_S_MIN).unwrap().to_wire().max_timeout_seconds, TIMEOUT_S_MIN);
    }

    #[test]
    fn upto_names_the_settler() {
        let token = Token::usdc(ChainId::BASE).unwrap();
        let exact = Requirement::new(token, Amount::new(1), Address::new([1; 20]), 60).unwrap();
        let wire = exact.clone().upto(Address::new([2; 20])).to_wire();
        assert_eq!((wire.scheme.as_str(), exact.to_wire().scheme.as_str()), ("upto", "exact"));
        assert_eq!(wire.extra["assetTransferMethod"], "permit2");
        assert_eq!(wire.extra["facilitatorAddress"], Address::new([2; 20]).to_string());
        assert_eq!((&wire.extra["name"], &wire.extra["version"]), (&"USD Coin".into(), &"2".into()));
    }
}
