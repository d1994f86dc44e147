//! Tests of power cuts and failing disks under the store, the ledger and payments.
//!
//! A script runs through the real services on a disk that remembers the writes between
//! syncs. For every sync, the disk is rebuilt as a power cut could have left it (whole,
//! empty, partial, torn, reordered), opened again and checked: acknowledged changes are
//! present exactly once, no change is half present, the ledger balances and verifies,
//! and the store can resume service. `TOLLBRIDGE_LONG=1` tries many more seeds.

// This whole crate is test code, including code outside of test functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod check;
mod disk;
mod images;
mod rng;
mod story;
mod workload;

use std::collections::BTreeSet;
use std::path::Path;

use disk::{Disk, Fault, Image, apply};
use images::{Cut, cuts, image};
use rng::Rng;
use story::Batch;

fn long() -> bool {
    std::env::var("TOLLBRIDGE_LONG").is_ok_and(|value| value == "1")
}

/// Checks one image; on failure, prints how to reproduce it.
fn check(what: &str, image: Image, batches: &[Batch], epoch: usize, folder: &Path) -> (Disk, usize) {
    check::check(image.clone(), batches, epoch, folder).unwrap_or_else(|why| {
        let kept = std::env::temp_dir().join(format!("tollbridge-crash-{}.redb", std::process::id()));
        let [database, journal] = &image;
        std::fs::write(&kept, database).unwrap();
        std::fs::write(kept.with_extension("journal"), journal).unwrap();
        panic!("{what}: {why}\nthe image is kept in {}", kept.display());
    })
}

/// Cuts the power in every epoch of a disk; returns the number of images.
fn cut_every_epoch(seed: u64, steps: usize, rounds: usize, nested: usize) -> usize {
    let disk = Disk::new(Image::default(), None);
    let outcome = workload::run(&disk, seed, steps);
    assert!(!outcome.failed && outcome.batches.iter().any(|batch| batch.changes > 1), "seed {seed}: no batch formed");
    let folder = tempfile::tempdir().unwrap();
    let mut rng = Rng::new(seed ^ 0xc0a5);
    let (mut durable, mut images) = (Image::default(), 0);
    for (epoch, open) in disk.epochs().iter().enumerate() {
        for cut in cuts(&mut rng, rounds) {
            let what = format!("seed {seed}, epoch {epoch}, {cut:?}");
            let survived = image(&mut rng, &durable, &open.dirty, cut);
            images += 1;
            let reopened = check(&what, survived.clone(), &outcome.batches, epoch, folder.path());
            if images % nested == 0 {
                images += cut_again(&what, &mut rng, survived, &reopened, (&outcome.batches, epoch), folder.path());
            }
        }
        open.durable().for_each(|op| apply(&mut durable, op));
    }
    images
}

/// Cuts the power again while the disk that survived the first cut recovers and resumes
/// service. After the second cut, everything that had to survive the first cut must still
/// be present.
fn cut_again(
    what: &str,
    rng: &mut Rng,
    mut durable: Image,
    (reopened, recovered): &(Disk, usize),
    (batches, epoch): (&[Batch], usize),
    folder: &Path,
) -> usize {
    let mut images = 0;
    // Later epochs contain new writes that are not in `batches`.
    for (again, open) in reopened.epochs().iter().take(*recovered).enumerate() {
        for cut in [Cut::Nothing, Cut::Header, Cut::Torn { block: 512, kept: 500 }, Cut::Reordered { block: 4096 }] {
            let survived = image(rng, &durable, &open.dirty, cut);
            let found = check::check(survived, batches, epoch, folder);
            if let Err(why) = found {
                panic!("{what}, then epoch {again}, {cut:?}: {why}");
            }
            images += 1;
        }
        open.durable().for_each(|op| apply(&mut durable, op));
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

/// Runs the script on a failing disk and checks its possible contents.
fn fail_with(fault: Fault, seed: u64, steps: usize, folder: &Path) -> bool {
    let disk = Disk::new(Image::default(), Some(fault));
    let outcome = workload::run(&disk, seed, steps);
    let what = format!("seed {seed}, {fault:?}");
    let (epochs, limbo) = (disk.epochs(), disk.limbo());
    let mut base = Image::default();
    epochs.iter().flat_map(|epoch| epoch.durable()).for_each(|op| apply(&mut base, op));
    let open = epochs.last().map_or(&[][..], |open| &open.dirty);
    // Without a power cut: every acknowledged change must be present.
    let mut rest = base.clone();
    open.iter().for_each(|op| apply(&mut rest, op));
    check(&what, rest, &outcome.batches, usize::MAX, folder);
    // With a power cut: writes that no successful sync covers may be lost, in whole or
    // in part.
    let mut rng = Rng::new(seed);
    let dirty: Vec<_> = limbo.iter().chain(open).cloned().collect();
    for cut in [Cut::Nothing, Cut::Everything, Cut::Torn { block: 4096, kept: 500 }] {
        let survived = image(&mut rng, &base, &dirty, cut);
        check(&format!("{what}, {cut:?}"), survived, &outcome.batches, usize::MAX, folder);
    }
    outcome.failed
}

/// Runs the script with each possible fault of one kind: `fault` of every number below
/// `count`.
fn fail_everywhere(fault: impl Fn(usize) -> Fault, count: usize, seed: u64, steps: usize) {
    let folder = tempfile::tempdir().unwrap();
    let stride = if long() { 1 } else { 1 + count / 400 };
    let failed: BTreeSet<bool> =
        (0..count).step_by(stride).map(|at| fail_with(fault(at), seed, steps, folder.path())).collect();
    assert!(failed.contains(&true), "no fault occurred");
}

const FAULTY_STEPS: usize = 4;

/// Returns the number of writes and the number of syncs of the script on a healthy disk.
fn healthy(seed: u64) -> (usize, usize) {
    let disk = Disk::new(Image::default(), None);
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
