//! Fragments (`moof`): what they add to the tracks of a movie.

use std::collections::BTreeMap;

use crate::bytes::{Atom, atoms, find, u32, u64};
use crate::track::Draft;

/// Defaults of a track for its fragments (`trex`).
#[derive(Debug, Clone, Copy, Default)]
pub struct Defaults {
    duration: u32,
    size: u32,
}

/// The defaults of all tracks, by id, from `mvex`.
pub fn defaults(mvex: &[u8]) -> BTreeMap<u32, Defaults> {
    let one = |atom: Atom<'_>| {
        let defaults = Defaults { duration: u32(atom.body, 12)?, size: u32(atom.body, 16)? };
        Some((u32(atom.body, 4)?, defaults))
    };
    atoms(mvex).filter(|atom| &atom.kind == b"trex").filter_map(one).collect()
}

/// Adds the samples of a fragment to the tracks.
pub fn add(moof: &[u8], drafts: &mut BTreeMap<u32, Draft>, known: &BTreeMap<u32, Defaults>) {
    for traf in atoms(moof).filter(|atom| &atom.kind == b"traf") {
        let Some(header) = find(traf.body, b"tfhd") else { continue };
        let Some(id) = u32(header.body, 4) else { continue };
        let Some(draft) = drafts.get_mut(&id) else { continue };
        let defaults = own(header.body, known.get(&id).copied().unwrap_or_default());
        for run in atoms(traf.body).filter(|atom| &atom.kind == b"trun") {
            samples(run.body, defaults, draft);
        }
    }
}

/// Defaults as the header of a track fragment changes them.
fn own(header: &[u8], mut defaults: Defaults) -> Defaults {
    let flags = u32(header, 0).unwrap_or(0);
    let mut at = 8;
    for (flag, width) in [(0x01, 8), (0x02, 4), (0x08, 4), (0x10, 4)] {
        if flags & flag == 0 {
            continue;
        }
        match flag {
            0x08 => defaults.duration = u32(header, at).unwrap_or(defaults.duration),
            0x10 => defaults.size = u32(header, at).unwrap_or(defaults.size),
            _ => {}
        }
        at += width;
    }
    defaults
}

fn samples(run: &[u8], defaults: Defaults, draft: &mut Draft) {
    let flags = u32(run, 0).unwrap_or(0);
    let count = u32(run, 4).unwrap_or(0);
    let mut at = 8;
    at += if flags & 0x1 != 0 { 4 } else { 0 };
    at += if flags & 0x4 != 0 { 4 } else { 0 };
    let width = [0x100, 0x200, 0x400, 0x800].iter().filter(|flag| flags & **flag != 0).count() * 4;
    if width == 0 {
        // All samples are alike: nothing to walk through, however many they are.
        one(draft, u64::from(count), defaults.duration, defaults.size);
        return;
    }
    for sample in run.get(at..).unwrap_or_default().chunks_exact(width).take(count as usize) {
        let mut place = 0;
        let mut next = |flag: u32, default| {
            if flags & flag == 0 {
                return default;
            }
            let value = u32(sample, place).unwrap_or(default);
            place += 4;
            value
        };
        let duration = next(0x100, defaults.duration);
        let size = next(0x200, defaults.size);
        one(draft, 1, duration, size);
    }
}

fn one(draft: &mut Draft, count: u64, duration: u32, size: u32) {
    draft.samples = draft.samples.saturating_add(count);
    draft.ticks = draft.ticks.saturating_add(count.saturating_mul(u64::from(duration)));
    draft.bytes = draft.bytes.saturating_add(count.saturating_mul(u64::from(size)));
    draft.even.add(count, duration);
}

/// Duration of all fragments as `mehd` says, in ticks of the movie.
pub fn said(mvex: &[u8]) -> Option<u64> {
    let header = find(mvex, b"mehd")?.body;
    if header.first() == Some(&1) { u64(header, 4) } else { u32(header, 4).map(u64::from) }
}
