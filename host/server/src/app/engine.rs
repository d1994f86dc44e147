//! The engine of the configuration: files of this host, or a copy here of a
//! ledger in PostgreSQL, which one host serves at a time and others stand by for.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tollbridge_core::config::{Config, StoreEngine};
use tollbridge_ledger::Chain;
use tollbridge_postgres::{Candidate, Compactor, Leadership, PostgresLog, PostgresSettings};
use tollbridge_store::{DATABASE, RedbStore, Store as _};

/// The file of a host's copy, in its data folder.
pub(super) const REPLICA: &str = "replica.redb";
/// How often a host that stands by asks whether it is its turn, and takes in
/// what was written meanwhile.
const STAND_BY: Duration = Duration::from_millis(100);
/// How long it waits after it lost the database: the host that serves then comes
/// first, and nothing is taken over without need.
const AFTER_LOSS: Duration = Duration::from_secs(2);
/// Exit code of a host that another one has replaced: start it again, to stand by.
const EXIT_REPLACED: i32 = 75;

/// Whether a host waits while another one serves the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenServed {
    /// It stands by, and takes over when the other ends.
    StandBy,
    /// It gives up.
    Refuse,
}

/// The store, and what keeps it this host's.
pub(super) struct Engine {
    pub(super) store: RedbStore,
    /// Of a ledger in PostgreSQL.
    pub(super) tenure: Option<Tenure>,
}

/// What a host has while it serves a ledger in PostgreSQL.
pub struct Tenure {
    _compactor: Option<Compactor>,
    _leadership: Leadership,
}

/// Opens the ledger. Blocks, standing by for as long as it takes.
pub(super) fn open(config: &Config, when_served: WhenServed) -> Result<Engine> {
    let dir = &config.data.dir;
    let Some(settings) = database(config) else {
        return Ok(Engine { store: RedbStore::open(&dir.join(DATABASE))?, tenure: None });
    };
    if dir.join(DATABASE).exists() {
        bail!(
            "{} is a ledger of this host's own, and store.engine is \"postgres\"; move it there with `tollbridge store \
             migrate`, or set another data.dir",
            dir.join(DATABASE).display()
        );
    }
    let log = PostgresLog::open(settings.clone()).context("the database of store.url cannot be used")?;
    let store = RedbStore::open_replica(&dir.join(REPLICA), Box::new(log))?;
    let tenure = take_over(&store, settings, when_served)?;
    Ok(Engine { store, tenure: Some(tenure) })
}

/// Waits until no other host serves; then has everything that any has written.
fn take_over(store: &RedbStore, settings: PostgresSettings, when_served: WhenServed) -> Result<Tenure> {
    let mut candidate = Candidate::new(settings.clone())?;
    let mut chain = Chain::resume(store)?;
    let mut stands_by = false;
    let mut answered = Instant::now();
    loop {
        let is_ours = match candidate.ask() {
            // The host that serves has lost the database, too, and asks first.
            Err(error) if stands_by && error.is_passing() && answered.elapsed() < settings.patience => {
                tracing::warn!(%error, "the database is away; standing by for it");
                std::thread::sleep(AFTER_LOSS);
                continue;
            }
            asked => asked?,
        };
        answered = Instant::now();
        store.commit(&[], &mut chain)?;
        if is_ours {
            break;
        }
        if when_served == WhenServed::Refuse {
            bail!("another host serves this ledger; run the command there");
        }
        if !std::mem::replace(&mut stands_by, true) {
            tracing::info!("another host serves this ledger; this one stands by");
        }
        std::thread::sleep(STAND_BY);
    }
    if stands_by {
        tracing::info!("the other host has ended; this one takes over");
    }
    let leadership = candidate.lead(|why| {
        tracing::error!(%why, "this host serves no more; stopping at once");
        std::process::exit(EXIT_REPLACED);
    })?;
    // One command is over before there is anything to compact.
    let compactor = (when_served == WhenServed::StandBy).then(|| Compactor::start(settings)).transpose()?;
    Ok(Tenure { _compactor: compactor, _leadership: leadership })
}

/// How to reach the database, if the ledger is in one.
pub fn database(config: &Config) -> Option<PostgresSettings> {
    match &config.store.engine {
        StoreEngine::Embedded => None,
        StoreEngine::Postgres { url } => Some(PostgresSettings {
            url: url.clone(),
            root_certificate: config.store.root_certificate.clone(),
            patience: config.store.patience,
        }),
    }
}
