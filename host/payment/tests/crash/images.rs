//! Possible contents of a disk after a power cut between two syncs.
//!
//! The kernel may write dirty blocks in any order, and may write any version of each. So
//! for every block, the number of writes that reached it is chosen independently. The
//! length of a file is its length before the epoch or any length set within it.

use std::collections::HashMap;

use super::disk::{FileOperation, Image, Name, Op, apply};
use super::rng::Rng;

/// A choice of the writes that reached the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    Nothing,
    Everything,
    /// Only writes to the first page of the database.
    Header,
    /// All writes except those to the first page.
    NoHeader,
    /// The first operations in order; the number is their share of all operations, in
    /// thousandths.
    Prefix(u64),
    /// Each block of the size `block` is written completely or not at all; `kept` is the
    /// chance that it is written, in thousandths.
    Torn {
        block: usize,
        kept: u64,
    },
    /// Each block of the size `block` has received a random number of its writes.
    Reordered {
        block: usize,
    },
}

const HEADER_BYTES: usize = 4096;

/// Returns the cuts to try for one epoch, which is the time between two syncs.
pub(crate) fn cuts(rng: &mut Rng, rounds: usize) -> Vec<Cut> {
    let mut cuts = vec![Cut::Nothing, Cut::Everything, Cut::Header, Cut::NoHeader];
    for _ in 0..rounds {
        cuts.push(Cut::Prefix(rng.below(1_000)));
        for block in [512, 4096] {
            cuts.push(Cut::Torn { block, kept: 50 + rng.below(900) });
            cuts.push(Cut::Reordered { block });
        }
    }
    cuts
}

/// Returns the contents of the disk after a power cut: those of `durable`, changed by the
/// operations that `cut` selects.
pub(crate) fn image(rng: &mut Rng, durable: &Image, ops: &[Op], cut: Cut) -> Image {
    let mut image = durable.clone();
    let in_header =
        |op: &&Op| op.file == Name::Database && matches!(op.deed, FileOperation::Write { at, .. } if at < HEADER_BYTES);
    match cut {
        Cut::Nothing => {}
        Cut::Everything => ops.iter().for_each(|op| apply(&mut image, op)),
        Cut::Header => ops.iter().filter(in_header).for_each(|op| apply(&mut image, op)),
        Cut::NoHeader => ops.iter().filter(|op| !in_header(op)).for_each(|op| apply(&mut image, op)),
        Cut::Prefix(thousandths) => {
            let count = ops.len() * usize::try_from(thousandths).unwrap() / 1_000;
            ops.iter().take(count).for_each(|op| apply(&mut image, op));
        }
        Cut::Torn { block, kept } => {
            let choose = |rng: &mut Rng, versions: usize| if rng.below(1_000) < kept { versions } else { 0 };
            scatter(rng, &mut image, ops, block, choose);
        }
        Cut::Reordered { block } => scatter(rng, &mut image, ops, block, |rng, versions| rng.index(versions + 1)),
    }
    image
}

/// Applies some of the operations: for each block, as many of its writes as `choose`
/// returns.
fn scatter(rng: &mut Rng, image: &mut Image, ops: &[Op], block: usize, choose: impl Fn(&mut Rng, usize) -> usize) {
    let mut lengths = image.each_ref().map(|file| vec![file.len()]);
    let mut pieces: Vec<((Name, usize), usize, &[u8])> = Vec::new();
    for op in ops {
        match &op.deed {
            FileOperation::SetLen(length) => lengths[op.file as usize].push(*length),
            FileOperation::Write { at, bytes } => {
                let mut from = 0;
                while from < bytes.len() {
                    let place = at + from;
                    let take = (block - place % block).min(bytes.len() - from);
                    pieces.push(((op.file, place / block), place, &bytes[from..from + take]));
                    from += take;
                }
            }
        }
    }
    let mut versions: HashMap<(Name, usize), usize> = HashMap::new();
    for (number, _, _) in &pieces {
        *versions.entry(*number).or_default() += 1;
    }
    let mut numbers: Vec<_> = versions.keys().copied().collect();
    numbers.sort_unstable();
    let mut left: HashMap<(Name, usize), usize> = HashMap::new();
    for number in numbers {
        left.insert(number, choose(rng, versions[&number]));
    }
    for (file, lengths) in image.iter_mut().zip(lengths) {
        file.resize(lengths[rng.index(lengths.len())], 0);
    }
    for (number, place, bytes) in pieces {
        let kept = left.get_mut(&number).filter(|kept| **kept > 0);
        let (Some(kept), Some(room)) = (kept, image[number.0 as usize].get_mut(place..)) else { continue };
        *kept -= 1;
        let fits = bytes.len().min(room.len());
        room[..fits].copy_from_slice(&bytes[..fits]);
    }
}
