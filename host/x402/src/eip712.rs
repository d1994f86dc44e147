//! The digests that payers sign, as defined by EIP-712 (for EIP-3009 and Permit2).

use sha3::{Digest, Keccak256};

use crate::authorization::Authorization;
use crate::network::ChainId;
use crate::permit2::{PERMIT2, UptoAuthorization};
use crate::token::Token;

const DOMAIN: &[u8] = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const TRANSFER: &[u8] = b"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

/// The EIP-712 domain of Permit2, which has no version.
const PERMIT2_DOMAIN: &[u8] = b"EIP712Domain(string name,uint256 chainId,address verifyingContract)";
const PERMIT: &[u8] = b"PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,address facilitator,uint256 validAfter)";
const PERMISSIONS: &[u8] = b"TokenPermissions(address token,uint256 amount)";
const WITNESS: &[u8] = b"Witness(address to,address facilitator,uint256 validAfter)";

/// Returns the digest that the payer's key signs to authorize a transfer of a token.
pub fn digest(token: &Token, authorization: &Authorization) -> [u8; 32] {
    let domain = hash(&[
        &hash(&[DOMAIN]),
        &hash(&[token.name.as_bytes()]),
        &hash(&[token.version.as_bytes()]),
        &chain_word(token.chain),
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

/// Returns the digest that the payer's key signs for an `upto` permit on a chain.
pub fn upto_digest(chain: ChainId, permit: &UptoAuthorization) -> [u8; 32] {
    let domain = hash(&[&hash(&[PERMIT2_DOMAIN]), &hash(&[b"Permit2"]), &chain_word(chain), &PERMIT2.word()]);
    let (permitted, witness) = (&permit.permitted, &permit.witness);
    let permitted = hash(&[&hash(&[PERMISSIONS]), &permitted.token.word(), &permitted.amount.word()]);
    let witness =
        hash(&[&hash(&[WITNESS]), &witness.to.word(), &witness.facilitator.word(), &witness.valid_after.word()]);
    let message = hash(&[
        &hash(&[PERMIT]),
        &permitted,
        &permit.spender.word(),
        &permit.nonce.bytes(),
        &permit.deadline.word(),
        &witness,
    ]);
    hash(&[b"\x19\x01", &domain, &message])
}

fn chain_word(chain: ChainId) -> [u8; 32] {
    let mut word = [0; 32];
    word.split_at_mut(24).1.copy_from_slice(&chain.get().to_be_bytes());
    word
}

fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Keccak256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}
