//! Power cuts and failing disks under the store, the ledger and payment.
//!
//! A script runs through the real rooms on a disk that remembers what was
//! written between syncs. For every sync of it, the disk is rebuilt as a power
//! cut could have left it (whole, nothing, parts, torn, reordered), opened
//! again and checked: what was acknowledged is there exactly once, nothing is
//! there by half, the books balance and verify, and the store can go on.
//! `TOLLBRIDGE_LONG=1` tries many more seeds.

// All of this crate is test code, also what stands outside of test functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod check;
mod disk;
mod images;
#[path = "../../src/store/model.rs"]
mod model;
mod rng;
mod story;
#[path = "../../src/store/watched.rs"]
mod watched;
mod workload;

use std::collections::BTreeSet;
use std::path::Path;

use tollbridge::{money, store};

use disk::{Disk, Fault, apply};
use images::{Cut, cuts, image};
use rng::Rng;
use story::Batch;

fn long() -> bool {
    std::env::var("TOLLBRIDGE_LONG").is_ok_and(|value| value == "1")
}

/// Checks one image; on failure says how to see it again.
fn check(what: &str, image: Vec<u8>, batches: &[Batch], epoch: usize, folder: &Path) -> Disk {
    check::check(image.clone(), batches, epoch, folder).unwrap_or_else(|why| {
        let kept = std::env::temp_dir().join(format!("tollbridge-crash-{}.redb", std::process::id()));
        std::fs::write(&kept, &image).unwrap();
        panic!("{what}: {why}\nthe image is kept in {}", kept.display());
    })
}

/// Cuts the power in every epoch of a disk; returns the number of images.
fn cut_every_epoch(seed: u64, steps: usize, rounds: usize, nested: usize) -> usize {
    let disk = Disk::new(Vec::new(), None);
    let told = workload::run(&disk, seed, steps);
    assert!(!told.failed && told.batches.iter().any(|batch| batch.changes > 1), "seed {seed}: no batch formed");
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(seed ^ 0xc0a5);
    let (mut durable, mut images) = (Vec::new(), 0);
    for (epoch, ops) in disk.epochs().iter().enumerate() {
        for cut in cuts(&mut rng, rounds) {
            let what = format!("seed {seed}, epoch {epoch}, {cut:?}");
            let survived = image(&mut rng, &durable, ops, cut);
            images += 1;
            let reopened = check(&what, survived.clone(), &told.batches, epoch, folder.path());
            if images % nested == 0 {
                images += cut_again(&what, &mut rng, survived, &reopened, (&told.batches, epoch), folder.path());
            }
        }
        ops.iter().for_each(|op| apply(&mut durable, op));
    }
    images
}

/// Cuts the power once more, while the survivor of the first cut is recovered
/// and goes on. Only what the first cut left is known for certain then.
fn cut_again(
    what: &str,
    rng: &mut Rng,
    mut durable: Vec<u8>,
    reopened: &Disk,
    (batches, epoch): (&[Batch], usize),
    folder: &Path,
) -> usize {
    let mut images = 0;
    // What goes on after the second epoch of commits is new and not in `batches`.
    for (again, ops) in reopened.epochs().iter().take(3).enumerate() {
        for cut in [Cut::Nothing, Cut::Header, Cut::Torn { block: 512, kept: 500 }, Cut::Reordered { block: 4096 }] {
            let survived = image(rng, &durable, ops, cut);
            let found = check::check(survived, batches, epoch, folder);
            if let Err(why) = found {
                panic!("{what}, then epoch {again}, {cut:?}: {why}");
            }
            images += 1;
        }
        ops.iter().for_each(|op| apply(&mut durable, op));
    }
    images
}

#[test]
fn a_power_cut_at_any_sync_loses_nothing_that_was_acknowledged() {
    let (seeds, steps, rounds) = if long() { (12, 60, 4) } else { (2, 24, 1) };
    for seed in 0..seeds {
        let images = cut_every_epoch(seed, steps, rounds, 40);
        assert!(images > 300, "only {images} images");
        eprintln!("seed {seed}: {images} images");
    }
}

/// Runs the script on a failing disk and checks what may be left of it.
fn fail_with(fault: Fault, seed: u64, steps: usize, folder: &Path) -> bool {
    let disk = Disk::new(Vec::new(), Some(fault));
    let told = workload::run(&disk, seed, steps);
    let what = format!("seed {seed}, {fault:?}");
    let (epochs, limbo) = (disk.epochs(), disk.limbo());
    let mut durable = Vec::new();
    epochs.iter().flatten().for_each(|op| apply(&mut durable, op));
    // Everything is at rest: what counts is what was acknowledged at all.
    check(&what, durable, &told.batches, usize::MAX, folder);
    if let Some((open, closed)) = epochs.split_last() {
        // And without what no sync that succeeded covers, or with a part of it.
        let mut base = Vec::new();
        closed.iter().flatten().for_each(|op| apply(&mut base, op));
        let mut rng = Rng::new(seed);
        let dirty: Vec<_> = limbo.iter().chain(open).cloned().collect();
        for cut in [Cut::Nothing, Cut::Everything, Cut::Torn { block: 4096, kept: 500 }] {
            let survived = image(&mut rng, &base, &dirty, cut);
            check(&format!("{what}, {cut:?}"), survived, &told.batches, usize::MAX, folder);
        }
    }
    told.failed
}

/// Every fault of a kind that the script can meet.
fn fail_everywhere(fault: impl Fn(usize) -> Fault, count: usize, seed: u64, steps: usize) {
    let folder = tempfile::tempdir().unwrap();
    let stride = if long() { 1 } else { 1 + count / 400 };
    let failed: BTreeSet<bool> =
        (0..count).step_by(stride).map(|at| fail_with(fault(at), seed, steps, folder.path())).collect();
    assert!(failed.contains(&true), "no fault was ever met");
}

const FAULTY_STEPS: usize = 4;

/// Writes and syncs of the script on a healthy disk.
fn healthy(seed: u64) -> (usize, usize) {
    let disk = Disk::new(Vec::new(), None);
    assert!(!workload::run(&disk, seed, FAULTY_STEPS).failed);
    disk.asked()
}

#[test]
fn a_full_disk_at_any_write_is_survived() {
    let (writes, _) = healthy(11);
    eprintln!("{writes} writes");
    fail_everywhere(|at| Fault::Write { at, once: false }, writes, 11, FAULTY_STEPS);
    fail_everywhere(|at| Fault::Write { at, once: true }, writes, 11, FAULTY_STEPS);
}

#[test]
fn an_error_of_any_sync_is_survived() {
    let (_, syncs) = healthy(12);
    eprintln!("{syncs} syncs");
    fail_everywhere(|at| Fault::Sync { at, once: false }, syncs, 12, FAULTY_STEPS);
    fail_everywhere(|at| Fault::Sync { at, once: true }, syncs, 12, FAULTY_STEPS);
}
