//! ISO base media files (ISO/IEC 14496-12; MP4, MOV, M4A, 3GP, CMAF): what their boxes say.

use std::collections::BTreeMap;

use crate::bytes::{Atom, array, atoms, find, name, u32, u64};
use crate::fragment;
use crate::issue::Issues;
use crate::output::{Media, Track, bit_rate, seconds};
use crate::track::{self, Draft};

/// Most tracks that are looked at.
const MOST_TRACKS: usize = 100;
/// From this difference in seconds on, tracks are of different length.
const APART: f64 = 0.5;

/// The boxes at the top.
#[derive(Default)]
struct Top<'a> {
    ftyp: Option<&'a [u8]>,
    moov: Option<Atom<'a>>,
    data: Option<u64>,
    moofs: Vec<&'a [u8]>,
}

/// Probes a file of which `bytes` are the beginning or all of `whole`.
pub fn probe(bytes: &[u8], whole: u64, issues: &mut Issues) -> Media {
    let top = top(bytes, whole, issues);
    let mut media = Media { format: "iso_base_media", bytes: whole, ..Media::default() };
    match top.ftyp {
        Some(ftyp) => brands(ftyp, &mut media),
        None => issues.file("low", "no_ftyp", "there is no ftyp: players must guess the kind of file"),
    }
    media.faststart = top.moov.zip(top.data).map(|(moov, data)| moov.offset < data);
    if media.faststart == Some(false) {
        issues.file(
            "medium",
            "not_faststart",
            "moov comes after mdat: playing over a network starts late; rewrite with moov first",
        );
    }
    let Some(moov) = top.moov else {
        let more = if whole > bytes.len() as u64 { "the given part of" } else { "" };
        issues.file(
            "high",
            "no_moov",
            format!("there is no moov in {more} the file: tracks and durations are unknown").replace("  ", " "),
        );
        return media;
    };
    contents(moov.body, &top, &mut media, issues);
    media
}

fn top<'a>(bytes: &'a [u8], whole: u64, issues: &mut Issues) -> Top<'a> {
    let mut top = Top::default();
    let mut walk = atoms(bytes);
    for atom in walk.by_ref() {
        match &atom.kind {
            b"ftyp" => top.ftyp = top.ftyp.or(Some(atom.body)),
            b"moov" => top.moov = top.moov.or(Some(atom)),
            b"mdat" => top.data = top.data.or(Some(atom.offset)),
            b"moof" => top.moofs.push(atom.body),
            _ => {}
        }
        if atom.cut && atom.offset.saturating_add(atom.size) > whole {
            let message =
                format!("{} at byte {} says {} bytes, the file ends before", name(atom.kind), atom.offset, atom.size);
            issues.file("high", "truncated", message);
        }
    }
    if walk.bad {
        issues.file("medium", "bad_box", "after the last whole box there are bytes that are no box");
    }
    top
}

fn brands(ftyp: &[u8], media: &mut Media) {
    media.brand = array(ftyp, 0).map(name);
    let rest = ftyp.get(8..).unwrap_or_default().chunks_exact(4);
    media.compatible_brands = rest.take(50).filter_map(|brand| array(brand, 0)).map(name).collect();
}

fn contents(moov: &[u8], top: &Top<'_>, media: &mut Media, issues: &mut Issues) {
    let (scale, mut ticks) = find(moov, b"mvhd").map_or((0, 0), |header| movie_header(header.body));
    let mvex = find(moov, b"mvex").map(|atom| atom.body);
    let fragmented = mvex.is_some() || !top.moofs.is_empty();
    ticks = ticks.max(mvex.and_then(fragment::said).unwrap_or(0));
    let mut walk = atoms(moov);
    let traks: Vec<Atom<'_>> = walk.by_ref().filter(|atom| &atom.kind == b"trak").collect();
    if walk.bad {
        issues.file("high", "bad_box", "inside moov there are bytes that are no box");
    }
    if traks.len() > MOST_TRACKS {
        issues.file("medium", "too_many_tracks", format!("{} tracks; the first {MOST_TRACKS} were read", traks.len()));
    }
    let mut order = Vec::new();
    let mut drafts = BTreeMap::new();
    for trak in traks.iter().take(MOST_TRACKS) {
        let draft = track::read(trak.body, issues);
        if drafts.contains_key(&draft.track.id) {
            issues.track("high", "bad_box", draft.track.id, "two tracks have this id; the second was left out");
            continue;
        }
        order.push(draft.track.id);
        drafts.insert(draft.track.id, draft);
    }
    let known = mvex.map(fragment::defaults).unwrap_or_default();
    for moof in &top.moofs {
        fragment::add(moof, &mut drafts, &known);
    }
    beyond(&drafts, media.bytes, issues);
    media.fragmented = Some(fragmented);
    media.fragments = fragmented.then_some(top.moofs.len());
    media.tracks =
        order.iter().filter_map(|id| drafts.remove(id)).map(|draft| draft.finish(fragmented, issues)).collect();
    let longest = media.tracks.iter().filter_map(|track| track.duration_seconds).fold(0.0, f64::max);
    // A fragmented movie's header says nothing or only its beginning.
    let stated = seconds(ticks, scale).filter(|stated| *stated > 0.0 && (!fragmented || *stated >= longest));
    media.duration_seconds = stated.or(Some(longest).filter(|longest| *longest > 0.0));
    media.bit_rate = bit_rate(media.bytes, media.duration_seconds);
    media.codecs = codecs(&media.tracks);
    review(media, top, issues);
}

fn movie_header(body: &[u8]) -> (u32, u64) {
    if body.first() == Some(&1) {
        let ticks = u64(body, 24).filter(|all| *all != u64::MAX).unwrap_or(0);
        return (u32(body, 20).unwrap_or(0), ticks);
    }
    let ticks = u32(body, 16).filter(|all| *all != u32::MAX).unwrap_or(0);
    (u32(body, 12).unwrap_or(0), u64::from(ticks))
}

fn beyond(drafts: &BTreeMap<u32, Draft>, whole: u64, issues: &mut Issues) {
    for draft in drafts.values() {
        if let Some(chunk) = draft.last_chunk.filter(|chunk| *chunk >= whole) {
            let message = format!("samples are said to be at byte {chunk}, the file has {whole}");
            issues.track("high", "samples_beyond_file", draft.track.id, message);
        }
    }
}

fn codecs(tracks: &[Track]) -> Option<String> {
    let played = tracks.iter().filter(|track| ["video", "audio", "subtitle"].contains(&track.kind));
    let mut strings = Vec::new();
    for track in played {
        let string = track.codec.as_deref()?;
        if !strings.contains(&string) {
            strings.push(string);
        }
    }
    (!strings.is_empty()).then(|| strings.join(", "))
}

fn review(media: &Media, top: &Top<'_>, issues: &mut Issues) {
    if media.tracks.is_empty() {
        issues.file("high", "no_tracks", "moov has no track");
    }
    if media.duration_seconds.is_none() && !media.tracks.is_empty() {
        issues.file("medium", "no_duration", "no header tells a duration, and no sample was seen");
    }
    if top.data.is_none() {
        issues.file("low", "no_media_data", "there is no mdat in the given bytes: headers only");
    }
    let lengths = media.tracks.iter().filter(|track| ["video", "audio"].contains(&track.kind));
    let lengths: Vec<f64> = lengths.filter_map(|track| track.duration_seconds).collect();
    let (least, most) =
        lengths.iter().fold((f64::MAX, 0.0_f64), |(least, most), length| (least.min(*length), most.max(*length)));
    if most - least > APART {
        let message = format!("video and audio last from {least} s to {most} s: {APART} s apart or more");
        issues.file("medium", "track_lengths_differ", message);
    }
}
