//! The Merkle tree of RFC 6962: roots, proofs, and their verification.
//!
//! This module does no I/O: nodes come from a [`Nodes`] source. Invariants: a leaf and an
//! inner node never hash the same input (they are prefixed with 0x00 and 0x01); a proof
//! is accepted only if it consists of exactly the hashes that its verification needs.

use sha2::{Digest, Sha256};
use tollbridge_store::Hash;

/// A source of hashes of complete subtrees. `index` counts subtrees of 2^level leaves
/// from the left; level 0 has the leaf hashes.
pub trait Nodes {
    /// The error returned if a node cannot be read.
    type Error;
    /// Returns the hash of a complete subtree.
    fn node(&self, level: u8, index: u64) -> Result<Hash, Self::Error>;
}

/// Returns the hash of a leaf.
pub fn leaf_hash(record: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(record).finalize().into()
}

/// Returns the hash of an inner node.
pub fn inner_hash(left: &Hash, right: &Hash) -> Hash {
    let mut input = [1_u8; 65];
    let (_, halves) = input.split_at_mut(1);
    let (first, second) = halves.split_at_mut(32);
    first.copy_from_slice(left);
    second.copy_from_slice(right);
    Sha256::digest(input).into()
}

/// Returns the root of the tree without leaves.
pub fn empty_root() -> Hash {
    Sha256::digest([]).into()
}

/// Returns the root of the tree over the first `size` leaves.
pub fn root<N: Nodes>(nodes: &N, size: u64) -> Result<Hash, N::Error> {
    if size == 0 { Ok(empty_root()) } else { range(nodes, 0, size) }
}

/// Returns the audit path of leaf `index` in the tree of `size` leaves, from the leaf up.
/// Returns an empty path if the leaf is not in the tree.
pub fn inclusion<N: Nodes>(nodes: &N, index: u64, size: u64) -> Result<Vec<Hash>, N::Error> {
    let mut path = Vec::new();
    let (mut start, mut count) = (0, size);
    if index >= size {
        return Ok(path);
    }
    while count > 1 {
        let left = split(count);
        if index < start + left {
            path.push(range(nodes, start + left, count - left)?);
            count = left;
        } else {
            path.push(range(nodes, start, left)?);
            start += left;
            count -= left;
        }
    }
    path.reverse();
    Ok(path)
}

/// Returns the proof that the tree of `old` leaves is a prefix of the tree of `new`
/// leaves. The proof is empty if `old` is 0 or not less than `new`.
pub fn consistency<N: Nodes>(nodes: &N, old: u64, new: u64) -> Result<Vec<Hash>, N::Error> {
    let mut path = Vec::new();
    if old == 0 || old >= new {
        return Ok(path);
    }
    let (mut start, mut count, mut rest, mut whole) = (0, new, old, true);
    while rest != count {
        let left = split(count);
        if rest <= left {
            path.push(range(nodes, start + left, count - left)?);
            count = left;
        } else {
            path.push(range(nodes, start, left)?);
            start += left;
            count -= left;
            rest -= left;
            whole = false;
        }
    }
    if !whole {
        path.push(range(nodes, start, count)?);
    }
    path.reverse();
    Ok(path)
}

/// Returns whether `path` proves that `leaf` is at `index` of the tree with this root.
pub fn verify_inclusion(leaf: &Hash, index: u64, size: u64, path: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut place, mut last, mut hash) = (index, size - 1, *leaf);
    for sibling in path {
        if last == 0 {
            return false;
        }
        if place & 1 == 1 || place == last {
            hash = inner_hash(sibling, &hash);
            // At the right edge, skip the levels on which the node has no left neighbour.
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            hash = inner_hash(&hash, sibling);
        }
        place >>= 1;
        last >>= 1;
    }
    last == 0 && hash == *root
}

/// Returns whether `path` proves that the tree of `old` leaves with `old_root` is a prefix of the
/// tree of `new` leaves with `new_root`.
pub fn verify_consistency(old: u64, new: u64, old_root: &Hash, new_root: &Hash, path: &[Hash]) -> bool {
    if old > new {
        return false;
    }
    if old == new {
        return path.is_empty() && old_root == new_root;
    }
    if old == 0 {
        return path.is_empty() && *old_root == empty_root();
    }
    // If the old tree is a complete subtree, its root is the first node and the proof
    // omits it.
    let (first, rest) = match path.split_first() {
        _ if old.is_power_of_two() => (old_root, path),
        Some((first, rest)) => (first, rest),
        None => return false,
    };
    let (mut place, mut last) = (old - 1, new - 1);
    while place & 1 == 1 {
        place >>= 1;
        last >>= 1;
    }
    let (mut old_hash, mut new_hash) = (*first, *first);
    for sibling in rest {
        if last == 0 {
            return false;
        }
        if place & 1 == 1 || place == last {
            old_hash = inner_hash(sibling, &old_hash);
            new_hash = inner_hash(sibling, &new_hash);
            while place & 1 == 0 && place != 0 {
                place >>= 1;
                last >>= 1;
            }
        } else {
            new_hash = inner_hash(&new_hash, sibling);
        }
        place >>= 1;
        last >>= 1;
    }
    last == 0 && old_hash == *old_root && new_hash == *new_root
}

/// Returns the largest power of two below `count`, which must be at least 2.
const fn split(count: u64) -> u64 {
    1 << (u64::BITS - 1 - (count - 1).leading_zeros())
}

/// Returns the hash of `count` ≥ 1 leaves from `start`, which must be a boundary of a
/// split.
fn range<N: Nodes>(nodes: &N, start: u64, count: u64) -> Result<Hash, N::Error> {
    // Collect the complete subtrees from the left, largest first, then join them from the
    // right.
    let mut parts = Vec::new();
    let (mut at, mut left) = (start, count);
    while left > 0 {
        let level = left.ilog2();
        parts.push(nodes.node(u8::try_from(level).unwrap_or(u8::MAX), at >> level)?);
        at += 1 << level;
        left -= 1 << level;
    }
    let joined = parts.into_iter().rev().reduce(|right, left| inner_hash(&left, &right));
    Ok(joined.unwrap_or_else(empty_root))
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
