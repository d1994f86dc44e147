//! A wallet for tests: signs payments as official clients do.

// Panics are allowed: this is test code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use k256::ecdsa::SigningKey;
use serde::Serialize;
use serde_json::Value;
use sha3::{Digest, Keccak256};

use crate::address::Address;
use crate::amount::Amount;
use crate::authorization::{Authorization, ExactPayload};
use crate::bytes32::Nonce;
use crate::eip712::{digest, upto_digest};
use crate::permit2::{TokenPermissions, UPTO_PROXY, UptoAuthorization, UptoPayload, UptoWitness};
use crate::scheme::Scheme;
use crate::token::Token;
use crate::uint256::Uint256;
use crate::wire::{PaymentPayload, PaymentRequirements, V2};

/// A test account and its private key.
pub struct TestWallet {
    key: SigningKey,
}

impl TestWallet {
    /// Creates the wallet whose key is derived from a number from 1 to 255.
    pub fn new(number: u8) -> Self {
        let mut secret = [0_u8; 32];
        secret[31] = number;
        Self { key: SigningKey::from_slice(&secret).unwrap() }
    }

    /// Returns the address of the wallet.
    pub fn address(&self) -> Address {
        let point = self.key.verifying_key().to_sec1_point(false);
        let hash: [u8; 32] = Keccak256::digest(point.as_bytes().get(1..).unwrap()).into();
        Address::new(*hash.last_chunk::<20>().unwrap())
    }

    /// Signs a payment for an entry of `accepts` of either scheme, at the time `now_s`.
    pub fn pay(&self, asked: &PaymentRequirements, nonce: [u8; 32], now_s: u64) -> PaymentPayload {
        if asked.scheme == Scheme::UPTO {
            return self.permit(asked, self.permit_for(asked, nonce, now_s));
        }
        let authorization = Authorization {
            from: self.address(),
            to: asked.pay_to.parse().unwrap(),
            value: asked.amount,
            valid_after: Amount::new(u128::from(now_s.saturating_sub(600))),
            valid_before: Amount::new(u128::from(now_s.saturating_add(asked.max_timeout_seconds))),
            nonce: Nonce::new(nonce),
        };
        self.sign(asked, authorization)
    }

    /// Signs an authorization, even if it does not match the requirement.
    pub fn sign(&self, asked: &PaymentRequirements, authorization: Authorization) -> PaymentPayload {
        let text = |name: &str| asked.extra[name].as_str().unwrap().to_owned();
        let token = Token {
            chain: asked.network.chain_id().unwrap(),
            address: asked.asset.parse().unwrap(),
            name: text("name"),
            version: text("version"),
            decimals: 6,
        };
        let signature = self.signature(&digest(&token, &authorization));
        payment_of(asked, &ExactPayload { signature, authorization })
    }

    /// Returns a permit that matches an `upto` entry of `accepts`.
    pub fn permit_for(&self, asked: &PaymentRequirements, nonce: [u8; 32], now_s: u64) -> UptoAuthorization {
        let facilitator = asked.extra["facilitatorAddress"].as_str().unwrap().parse().unwrap();
        let witness = UptoWitness { to: asked.pay_to.parse().unwrap(), facilitator, valid_after: Amount::new(0) };
        UptoAuthorization {
            from: self.address(),
            permitted: TokenPermissions { token: asked.asset.parse().unwrap(), amount: asked.amount },
            spender: UPTO_PROXY,
            nonce: Uint256::new(nonce),
            deadline: Amount::new(u128::from(now_s.saturating_add(asked.max_timeout_seconds))),
            witness,
        }
    }

    /// Signs a permit, even if it does not match the requirement.
    pub fn permit(&self, asked: &PaymentRequirements, permit: UptoAuthorization) -> PaymentPayload {
        let signature = self.signature(&upto_digest(asked.network.chain_id().unwrap(), &permit));
        payment_of(asked, &UptoPayload { signature, permit2_authorization: permit })
    }

    fn signature(&self, digest: &[u8; 32]) -> String {
        let (signature, recovery) = self.key.sign_prehash_recoverable(digest);
        let mut bytes = signature.to_bytes().to_vec();
        bytes.push(27 + recovery.to_byte());
        format!("0x{}", hex::encode(bytes))
    }
}

fn payment_of(asked: &PaymentRequirements, payload: &impl Serialize) -> PaymentPayload {
    let Value::Object(payload) = serde_json::to_value(payload).unwrap() else { unreachable!("an object") };
    let extensions = serde_json::Map::new();
    PaymentPayload { version: V2, resource: None, accepted: asked.clone(), payload, extensions }
}
