//! Tests of the tree against a naive implementation that follows the text of RFC 6962.

use std::convert::Infallible;

use proptest::prelude::*;
use tollbridge_store::Hash;

use super::*;
use crate::tree::Nodes;

struct Leaves(Vec<Hash>);

impl Nodes for Leaves {
    type Error = Infallible;

    fn node(&self, level: u8, index: u64) -> Result<Hash, Infallible> {
        let width = 1_usize << level;
        let start = usize::try_from(index).unwrap() * width;
        Ok(naive_root(&self.0[start..start + width]))
    }
}

fn leaves(count: usize) -> Leaves {
    Leaves((0..count).map(|number| leaf_hash(&number.to_be_bytes())).collect())
}

/// Returns the largest power of two below a number, by counting up.
fn naive_split(count: usize) -> usize {
    let mut power = 1;
    while power * 2 < count {
        power *= 2;
    }
    power
}

fn naive_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => empty_root(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(naive_split(leaves.len()));
            inner_hash(&naive_root(left), &naive_root(right))
        }
    }
}

fn naive_path(index: usize, leaves: &[Hash]) -> Vec<Hash> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let split = naive_split(leaves.len());
    let (left, right) = leaves.split_at(split);
    let (mut path, other) = if index < split {
        (naive_path(index, left), naive_root(right))
    } else {
        (naive_path(index - split, right), naive_root(left))
    };
    path.push(other);
    path
}

fn naive_subproof(old: usize, leaves: &[Hash], whole: bool) -> Vec<Hash> {
    if old == leaves.len() {
        return if whole { Vec::new() } else { vec![naive_root(leaves)] };
    }
    let split = naive_split(leaves.len());
    let (left, right) = leaves.split_at(split);
    let (mut path, other) = if old <= split {
        (naive_subproof(old, left, whole), naive_root(right))
    } else {
        (naive_subproof(old - split, right, false), naive_root(left))
    };
    path.push(other);
    path
}

/// Returns modified copies of a path, all of which verification must reject.
fn spoiled(path: &[Hash]) -> Vec<Vec<Hash>> {
    let mut all = Vec::new();
    for position in 0..path.len() {
        let mut missing = path.to_vec();
        missing.remove(position);
        all.push(missing);
        let mut flipped = path.to_vec();
        flipped[position][31] ^= 1;
        all.push(flipped);
        let mut doubled = path.to_vec();
        doubled.insert(position, path[position]);
        all.push(doubled);
        if position > 0 {
            let mut swapped = path.to_vec();
            swapped.swap(position, position - 1);
            all.push(swapped);
        }
    }
    for extra in [[0; 32], empty_root()] {
        all.push([path, &[extra]].concat());
        all.push([&[extra], path].concat());
    }
    all.retain(|other| other != path);
    all
}

fn check_inclusion(tree: &Leaves, index: usize, size: usize) {
    let path = inclusion(tree, index as u64, size as u64).unwrap();
    assert_eq!(path, naive_path(index, &tree.0[..size]), "path of {index} in {size}");
    let (leaf, root) = (tree.0[index], naive_root(&tree.0[..size]));
    let (index, size) = (index as u64, size as u64);
    assert!(verify_inclusion(&leaf, index, size, &path, &root));
    for bad in spoiled(&path) {
        assert!(!verify_inclusion(&leaf, index, size, &bad, &root), "{index} in {size}");
    }
    let mut other = leaf;
    other[0] ^= 1;
    assert!(!verify_inclusion(&other, index, size, &path, &root));
    assert!(!verify_inclusion(&leaf, index, size, &path, &other));
    for wrong in (0..size + 2).filter(|wrong| *wrong != index) {
        assert!(!verify_inclusion(&leaf, wrong, size, &path, &root), "{wrong} for {index} in {size}");
    }
    assert!(!verify_inclusion(&leaf, index, 0, &path, &root));
    // A tree of another size may have a path of the same length, but never the same root.
    for wrong in 1..=tree.0.len() {
        let wrong_root = naive_root(&tree.0[..wrong]);
        if wrong as u64 != size {
            assert!(!verify_inclusion(&leaf, index, wrong as u64, &path, &wrong_root), "{index} in {wrong}");
        }
    }
}

fn check_consistency(tree: &Leaves, old: usize, new: usize) {
    let path = consistency(tree, old as u64, new as u64).unwrap();
    assert_eq!(path, naive_subproof(old, &tree.0[..new], true), "{old} to {new}");
    let (old_root, new_root) = (naive_root(&tree.0[..old]), naive_root(&tree.0[..new]));
    let (old, new) = (old as u64, new as u64);
    assert!(verify_consistency(old, new, &old_root, &new_root, &path), "{old} to {new}");
    for bad in spoiled(&path) {
        assert!(!verify_consistency(old, new, &old_root, &new_root, &bad), "{old} to {new}");
    }
    let mut other = old_root;
    other[5] ^= 0x80;
    assert!(!verify_consistency(old, new, &other, &new_root, &path));
    assert!(!verify_consistency(old, new, &old_root, &other, &path));
    if old != new {
        assert!(!verify_consistency(new, old, &new_root, &old_root, &path));
        assert!(!verify_consistency(old, new, &new_root, &old_root, &path));
    }
    // A wrong old size must be refused, except where verification computes the same root
    // for it.
    for wrong in (1..=new).filter(|wrong| *wrong != old) {
        let wrong_root = naive_root(&tree.0[..usize::try_from(wrong).unwrap()]);
        assert!(!verify_consistency(wrong, new, &wrong_root, &new_root, &path), "{wrong} for {old} to {new}");
    }
}

#[test]
fn equals_the_naive_tree_for_all_small_sizes() {
    let tree = leaves(70);
    for size in 0..=70 {
        assert_eq!(root(&tree, size as u64).unwrap(), naive_root(&tree.0[..size]), "{size}");
    }
    for size in (1..=40).chain([63, 64, 65, 70]) {
        for index in 0..size {
            check_inclusion(&tree, index, size);
        }
    }
    for new in 1..=70 {
        for old in 1..=new {
            check_consistency(&tree, old, new);
        }
    }
}

#[test]
fn nothing_is_proven_about_nothing() {
    let tree = leaves(3);
    assert!(inclusion(&tree, 3, 3).unwrap().is_empty());
    assert!(consistency(&tree, 0, 3).unwrap().is_empty());
    let root = root(&tree, 3).unwrap();
    assert!(verify_consistency(0, 3, &empty_root(), &root, &[]));
    assert!(!verify_consistency(0, 3, &root, &root, &[]));
    assert!(!verify_consistency(0, 3, &empty_root(), &root, &[root]));
    assert!(!verify_inclusion(&root, 0, 0, &[], &empty_root()));
    let long = vec![[7; 32]; 200];
    assert!(!verify_inclusion(&root, u64::MAX - 1, u64::MAX, &long, &root));
    assert!(!verify_consistency(u64::MAX - 1, u64::MAX, &root, &root, &long));
}

/// Test vectors shared by Certificate Transparency implementations.
#[test]
fn agrees_with_the_published_vectors() {
    let inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
    let tree = Leaves(inputs.map(|input| leaf_hash(&hex::decode(input).unwrap())).to_vec());
    for (size, expect) in [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
        (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
    ] {
        assert_eq!(hex::encode(root(&tree, size).unwrap()), expect, "{size}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn equals_the_naive_tree(size in 1_usize..700, a in 0_usize..700, b in 1_usize..700) {
        let tree = leaves(size);
        prop_assert_eq!(root(&tree, size as u64).unwrap(), naive_root(&tree.0));
        let index = a % size;
        let path = inclusion(&tree, index as u64, size as u64).unwrap();
        prop_assert_eq!(&path, &naive_path(index, &tree.0));
        prop_assert!(verify_inclusion(&tree.0[index], index as u64, size as u64, &path, &naive_root(&tree.0)));
        let old = 1 + b % size;
        let path = consistency(&tree, old as u64, size as u64).unwrap();
        prop_assert_eq!(&path, &naive_subproof(old, &tree.0, true));
        let old_root = naive_root(&tree.0[..old]);
        prop_assert!(verify_consistency(old as u64, size as u64, &old_root, &naive_root(&tree.0), &path));
        for bad in spoiled(&path) {
            prop_assert!(!verify_consistency(old as u64, size as u64, &old_root, &naive_root(&tree.0), &bad));
        }
    }
}
