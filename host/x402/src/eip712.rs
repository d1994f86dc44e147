//! What a payer signs, as 32 bytes (EIP-712, EIP-3009).

use sha3::{Digest, Keccak256};

use crate::authorization::Authorization;
use crate::token::Token;

const DOMAIN: &[u8] = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const TRANSFER: &[u8] = b"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/// The digest of an authorization for a token: what the payer's key signed.
pub fn digest(token: &Token, authorization: &Authorization) -> [u8; 32] {
    let mut chain = [0; 32];
    chain.split_at_mut(24).1.copy_from_slice(&token.chain.get().to_be_bytes());
    let domain = hash(&[
        &hash(&[DOMAIN]),
        &hash(&[token.name.as_bytes()]),
        &hash(&[token.version.as_bytes()]),
        &chain,
        &token.address.word(),
    ]);
    let message = hash(&[
        &hash(&[TRANSFER]),
        &authorization.from.word(),
        &authorization.to.word(),
        &authorization.value.word(),
        &authorization.valid_after.word(),
        &authorization.valid_before.word(),
        &authorization.nonce.bytes(),
    ]);
    hash(&[b"\x19\x01", &domain, &message])
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Keccak256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}
