//! Runs many seeds, and repeats a failing seed.

use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tollbridge_core::planted::Defect;

use crate::simulation::{Outcome, run};
use crate::world::Engine;

/// Number of seeds that every `make test` runs.
const SEEDS: u64 = 100;
/// Number of seeds that `make test-all` runs on each engine.
const LONG_SEEDS: u64 = 3_000;
/// Maximum number of seeds that are tried to find a planted defect.
const SEEDS_PER_DEFECT: u64 = 10_000;
/// Minimum number of planted defects that the simulation must find.
const FOUND_MIN: usize = 14;

fn is_long() -> bool {
    std::env::var_os("TOLLBRIDGE_LONG").is_some_and(|long| long == "1")
}

fn chosen() -> Option<u64> {
    std::env::var("TOLLBRIDGE_SEED").ok()?.parse().ok()
}

/// Returns the planted defect that the variable `TOLLBRIDGE_DEFECT` names.
fn chosen_defect() -> Option<Defect> {
    let name = std::env::var("TOLLBRIDGE_DEFECT").ok()?;
    let mut all = Defect::OF_A_HOST.into_iter().chain(Defect::OF_SEVERAL_HOSTS);
    let chosen = all.find(|defect| format!("{defect:?}") == name);
    assert!(chosen.is_some(), "no planted defect is called {name}");
    chosen
}

/// Returns the engine of the chosen seed: several hosts on a shared log with
/// `TOLLBRIDGE_ENGINE=log`, otherwise one host.
fn chosen_engine() -> Engine {
    if std::env::var("TOLLBRIDGE_ENGINE").is_ok_and(|engine| engine == "log") {
        Engine::SharedLog
    } else {
        Engine::Disk
    }
}

fn report(seed: u64, outcome: &Outcome) -> String {
    let engine = if outcome.engine == Engine::SharedLog { "TOLLBRIDGE_ENGINE=log " } else { "" };
    let tail = outcome.lines.len().saturating_sub(if chosen().is_some() { usize::MAX } else { 60 });
    format!(
        "seed {seed}:\n  {}\nthe last events:\n  {}\nrepeat it with: {engine}TOLLBRIDGE_SEED={seed} cargo test \
         -p tollbridge-simulation --test simulation one_seed",
        outcome.problems.join("\n  "),
        outcome.lines.get(tail..).unwrap_or_default().join("\n  "),
    )
}

/// Runs seeds in order, on all processors, until `over` returns true; returns the
/// problems of the failing seeds.
fn search(
    engine: Engine,
    defect: Option<Defect>,
    seeds: std::ops::Range<u64>,
    over: impl Fn(&[(u64, Outcome)]) -> bool + Sync,
) -> Vec<(u64, Outcome)> {
    let (next, failed) = (AtomicU64::new(seeds.start), Mutex::new(Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || over(&failed.lock().unwrap()) {
                        return;
                    }
                    let outcome = run(seed, engine, defect);
                    if !outcome.problems.is_empty() {
                        failed.lock().unwrap().push((seed, outcome));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort_by_key(|(seed, _)| *seed);
    failed
}

fn must_be_none(failed: &[(u64, Outcome)]) {
    let reports: Vec<String> = failed.iter().take(3).map(|(seed, outcome)| report(*seed, outcome)).collect();
    let seeds: Vec<u64> = failed.iter().map(|(seed, _)| *seed).collect();
    assert!(failed.is_empty(), "{} seeds fail: {seeds:?}\n{}", failed.len(), reports.join("\n\n"));
}

/// Runs the seed in `TOLLBRIDGE_SEED` and prints all events, with the defect that
/// `TOLLBRIDGE_DEFECT` names, if any.
#[test]
fn one_seed() {
    let Some(seed) = chosen() else { return };
    let outcome = run(seed, chosen_engine(), chosen_defect());
    println!("{}", outcome.lines.join("\n"));
    must_be_none(&if outcome.problems.is_empty() { Vec::new() } else { vec![(seed, outcome)] });
}

#[test]
fn the_same_seed_twice_gives_the_same_log() {
    for (seed, engine) in [1, 7, 23, 42].into_iter().flat_map(|seed| [(seed, Engine::Disk), (seed, Engine::SharedLog)])
    {
        let (one, other) = (run(seed, engine, None), run(seed, engine, None));
        if one.digest != other.digest {
            let apart = one.lines.iter().zip(&other.lines).position(|(one, other)| one != other).unwrap_or(0);
            let show = |outcome: &Outcome| {
                outcome.lines[apart.saturating_sub(5)..].iter().take(8).cloned().collect::<Vec<_>>()
            };
            panic!("seed {seed}: runs differ from line {apart}\n{:#?}\n{:#?}", show(&one), show(&other));
        }
    }
}

#[test]
fn one_hundred_seeds_keep_every_promise() {
    if chosen().is_none() {
        must_be_none(&search(Engine::Disk, None, 0..SEEDS, |failed| failed.len() >= 20));
    }
}

/// Runs seeds with several hosts on one ledger: two candidates take turns leading, one
/// per process, with up to two further hosts beside the leader. Each host may be cut off
/// from the log during an append, freeze, leave, or just stop.
#[test]
fn one_hundred_seeds_on_several_hosts_keep_every_promise() {
    if chosen().is_none() {
        must_be_none(&search(Engine::SharedLog, None, 0..SEEDS, |failed| failed.len() >= 20));
    }
}

/// Runs seeds that once failed:
/// - 5858: a session was opened, paid, and requested again a day later, when the
///   processor no longer recognised the repeat.
/// - 688: an agent failed while its caller waited; the caller sent the request again and
///   hung up, and the task could never end.
/// - 73 and 1291: one credential paid for two tasks.
/// - 69: a dispute arrived before the host knew of the disputed charge.
#[test]
fn seeds_that_failed_once_keep_every_promise() {
    let disk = [5858, 688, 69, 1291].map(|seed| (Engine::Disk, seed));
    for (engine, seed) in disk.into_iter().chain([(Engine::SharedLog, 73)]) {
        if chosen().is_none() {
            must_be_none(&search(engine, None, seed..seed + 1, |_| false));
        }
    }
}

/// Runs additional seeds if `TOLLBRIDGE_LONG=1`.
#[test]
fn three_thousand_seeds_keep_every_promise() {
    if is_long() && chosen().is_none() {
        for engine in [Engine::Disk, Engine::SharedLog] {
            must_be_none(&search(engine, None, SEEDS..LONG_SEEDS, |failed| !failed.is_empty()));
        }
    }
}

/// If `TOLLBRIDGE_LONG=1`, prints the table of defects for `docs/simulation.md`; with
/// `TOLLBRIDGE_DEFECT`, only one row of it.
#[test]
fn planted_defects_are_found() {
    if !is_long() || chosen().is_some() {
        return;
    }
    let chosen = chosen_defect();
    let of_a_host = Defect::OF_A_HOST.map(|defect| (Engine::Disk, defect));
    let of_several = Defect::OF_SEVERAL_HOSTS.map(|defect| (Engine::SharedLog, defect));
    let is_wanted = |(_, defect): &(Engine, Defect)| chosen.is_none_or(|chosen| chosen == *defect);
    let (mut found, mut tried) = (0, 0);
    for (engine, defect) in of_a_host.into_iter().chain(of_several).filter(is_wanted) {
        tried += 1;
        let failed = search(engine, Some(defect), 0..SEEDS_PER_DEFECT, |failed| !failed.is_empty());
        match failed.first() {
            Some((seed, outcome)) => {
                found += 1;
                println!("| {defect:?} | {} | {} |", seed + 1, outcome.problems[0]);
            }
            None => println!("| {defect:?} | not found in {SEEDS_PER_DEFECT} | |"),
        }
    }
    assert!(found >= FOUND_MIN.min(tried), "only {found} of {tried} planted defects were found");
}
