//! Checks that must hold for every disk image after a crash.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use tollbridge_ledger::{Chain, Ledger, Notary, SignedCheckpoint, Trust, seal_of};
use tollbridge_store::testing::model::Model;
use tollbridge_store::{Change, Db, OpenError, RedbStore, Store, Writer};

use super::disk::{Disk, Image};
use super::story::Batch;
use super::workload::{self, SEED, grant, policy};

const NOW_MS: u64 = 1_790_000_000_000;

/// Checks the image of a disk on which `batches` were written; those acknowledged by
/// `epoch` must be present. Then resumes service on the disk and checks the result again.
/// Returns the disk, and the epoch in which new writes began.
pub(crate) fn check(image: Image, batches: &[Batch], epoch: usize, folder: &Path) -> Result<(Disk, usize), String> {
    let disk = Disk::new(image, None);
    let outside = folder.join("checkpoints");
    let acknowledged = |batch: &&Batch| batch.acknowledged.is_some_and(|at| at <= epoch);
    let least = batches.iter().rposition(|batch| acknowledged(&batch)).map_or(0, |last| last + 1);
    let most = batches.iter().filter(|batch| batch.began <= epoch).count();
    let empty = Model::default();
    let state = |count: usize| count.checked_sub(1).map_or(&empty, |last| &batches[last].after);
    let note = write_outside(state(least), &outside);
    let mut model = {
        let store = open(&disk)?;
        let survivor = survivor(&store, least, most, &state, batches)?;
        replay(&store)?;
        survivor
    };
    let recovered = disk.epoch();
    go_on(&disk, &outside, &mut model, note)?;
    let store = open(&disk)?;
    model.diff(&store).map_err(|why| format!("after resuming: {why}"))?;
    Ok((disk, recovered))
}

fn open(disk: &Disk) -> Result<RedbStore, String> {
    workload::open(disk).map_err(|error: OpenError| format!("cannot be opened: {error}"))
}

/// Finds the model state that matches the store. Each state follows a whole number of
/// durable writes, so a match proves that no change is lost or half present.
fn survivor<'m>(
    store: &RedbStore,
    least: usize,
    most: usize,
    state: &dyn Fn(usize) -> &'m Model,
    batches: &[Batch],
) -> Result<Model, String> {
    let mut whys = Vec::new();
    for count in (least..=most).rev() {
        let model = state(count);
        let ever = batches.last().map_or(model, |batch| &batch.after);
        match model.diff(store).and_then(|()| model.diff_beyond(ever, store)) {
            Ok(()) => return Ok(model.clone()),
            Err(why) => whys.push(format!("{count} writes do not match: {why}")),
        }
    }
    Err(format!("expected {least} to {most} durable writes: {}", whys.join("; ")))
}

/// Recomputes the balances from the bytes of the records alone, with an independent
/// reader.
fn replay(store: &RedbStore) -> Result<(), String> {
    let mut balances: BTreeMap<String, i64> = BTreeMap::new();
    let size = store.head().map_err(|error| error.to_string())?.size;
    let mut prev = "0".repeat(64);
    for seq in 0..size {
        let bytes = store.record(seq).map_err(|error| error.to_string())?.ok_or("a record is missing")?;
        let record: serde_json::Value = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
        if record["seq"] != seq || record["prev"] != prev {
            return Err(format!("record {seq} is not in the chain"));
        }
        prev = hex::encode(seal_of(&bytes));
        let mut sum = 0;
        for leg in record["postings"].as_array().ok_or("no postings")? {
            let amount = leg["amount_millipence"].as_i64().ok_or("no amount")?;
            *balances.entry(leg["account"].as_str().ok_or("no account")?.to_owned()).or_default() += amount;
            sum += amount;
        }
        if sum != 0 {
            return Err(format!("the postings of record {seq} sum to {sum}"));
        }
    }
    balances.retain(|_, amount| *amount != 0);
    let kept = store.balances().map_err(|error| error.to_string())?;
    let kept: BTreeMap<String, i64> = kept.into_iter().map(|(name, amount)| (name, amount.get())).collect();
    if kept == balances { Ok(()) } else { Err(format!("balances are {kept:?}, the records give {balances:?}")) }
}

/// Writes the checkpoint file that the service would have written, and returns its newest
/// checkpoint.
fn write_outside(model: &Model, path: &Path) -> Option<SignedCheckpoint> {
    let mut file = std::fs::File::create(path).unwrap();
    let mut newest = None;
    for (_, value) in model.rows.iter().filter(|((name, _), _)| *name == "checkpoints") {
        let row: serde_json::Value = serde_json::from_slice(value).unwrap();
        writeln!(file, "{}", row["note"]).unwrap();
        newest = Some(SignedCheckpoint::parse(row["note"].as_str().unwrap()).unwrap());
    }
    newest
}

/// Resumes service: opens every service, seals one more record, signs, and verifies
/// everything.
fn go_on(disk: &Disk, outside: &Path, model: &mut Model, since: Option<SignedCheckpoint>) -> Result<(), String> {
    let store = Arc::new(open(disk)?);
    let mut chain = Chain::resume(store.as_ref()).map_err(|error| format!("chain: {error}"))?;
    let on_failure = |why| eprintln!("a healthy disk failed: {why}");
    let writer =
        Writer::start(store.clone(), Box::new(chain.clone()), None, on_failure).map_err(|error| error.to_string())?;
    let writer = Arc::new(writer);
    let ledger = Ledger::open(store.clone(), &SEED, "toll.example").map_err(|error| format!("ledger: {error}"))?;
    let key = ledger.key();
    let fresh = model.records.is_empty();
    let notary = Notary::open(ledger, Db::new(store.clone(), writer.clone()), outside, policy(), NOW_MS);
    let notary = notary.map_err(|error| format!("notary: {error}"))?;
    if fresh {
        // Opening the notary of an empty ledger sealed the policy under a random id,
        // which the model cannot predict: resume the chain from the store.
        chain = Chain::resume(store.as_ref()).map_err(|error| error.to_string())?;
    }
    let change = Change { record: Some(grant("acct_after", 5, [0xee; 32])), ..Change::default() };
    let receipt = writer.submit_blocking(change.clone()).map_err(|error| format!("resuming: {error}"))?;
    if !fresh {
        let expected = model.apply(&change, &mut chain);
        if expected != Ok(receipt) {
            return Err(format!("resuming gave {receipt:?}, the model expects {expected:?}"));
        }
        model.diff(store.as_ref()).map_err(|why| format!("resuming: {why}"))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let signed = runtime.block_on(notary.checkpoint(NOW_MS)).map_err(|error| format!("checkpoint: {error}"))?;
    let trust = Trust { keys: vec![key], since };
    let report = notary.ledger().verify(&trust).map_err(|error| format!("verify: {error}"))?;
    if report.uncovered != 0 || report.records != signed.checkpoint.size {
        return Err(format!("the new checkpoint does not cover everything: {report:?}"));
    }
    replay(&store)?;
    *model = snapshot(model, store.as_ref(), fresh)?;
    Ok(())
}

/// Returns the model, extended by the rows that were written while resuming and that only
/// the store has. If the ledger was empty before (`fresh`), also adds its records and
/// balances.
fn snapshot(model: &Model, store: &RedbStore, fresh: bool) -> Result<Model, String> {
    use tollbridge_store::Collection;
    let gone = |error: tollbridge_store::StoreError| error.to_string();
    let mut model = model.clone();
    for (key, value) in store.list(Collection::Checkpoints, "", usize::MAX).map_err(gone)? {
        model.rows.insert((Collection::Checkpoints.name(), key), value);
    }
    if fresh {
        for seq in 0..store.head().map_err(gone)?.size {
            let bytes = store.record(seq).map_err(gone)?.ok_or("a record is missing")?;
            let record = tollbridge_ledger::Record::parse(&bytes).map_err(|error| error.to_string())?;
            model.records.push((record.tx, seal_of(&bytes), bytes));
        }
        let balances = store.balances().map_err(gone)?;
        model.balances.extend(balances.into_iter().map(|(name, amount)| (name, amount.get())));
    }
    Ok(model)
}
