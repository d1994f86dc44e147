//! The configured store: files of this host, or a local replica of a ledger in PostgreSQL that
//! several hosts serve together.

use anyhow::{Context, Result, bail};
use tollbridge_core::config::{Config, StoreEngine};
use tollbridge_ledger::Chain;
use tollbridge_postgres::{Candidate, Leadership, PostgresLog, PostgresSettings};

use tollbridge_store::{DATABASE, RedbStore, Store as _};

use crate::exit::Exit;

/// The file name of a host's replica, in its data folder.
pub(super) const REPLICA: &str = "replica.redb";

/// The purpose for which a process opens the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenPurpose {
    /// To serve, together with other hosts if the ledger is in PostgreSQL.
    Serving,
    /// To run one command on a ledger that no host serves.
    Command,
}

/// The store, and the lock that reserves it for this process.
pub(super) struct Engine {
    pub(super) store: RedbStore,
    /// The lock that a command holds on a ledger in PostgreSQL.
    pub(super) tenure: Option<LedgerLock>,
}

/// The lock that a command holds while it works on a ledger in PostgreSQL.
pub struct LedgerLock(#[expect(dead_code, reason = "held until dropped")] Leadership);

/// Opens the ledger. Blocks.
pub(super) fn open(config: &Config, opened_for: OpenPurpose) -> Result<Engine> {
    let dir = &config.data.dir;
    let Some(settings) = database(config) else {
        return Ok(Engine { store: RedbStore::open(&dir.join(DATABASE))?, tenure: None });
    };
    if dir.join(DATABASE).exists() {
        bail!(
            "{} is this host's own ledger, and store.engine is \"postgres\"; move it there with `tollbridge store \
            migrate`, or set another data.dir",
            dir.join(DATABASE).display()
        );
    }
    let log = PostgresLog::open(settings.clone()).context("cannot use the database of store.url")?;
    let store = RedbStore::open_replica(&dir.join(REPLICA), Box::new(log))?;
    let tenure = match opened_for {
        OpenPurpose::Serving => None,
        OpenPurpose::Command => Some(alone(settings)?),
    };
    // Read the writes of other hosts before building on the ledger.
    store.commit(&[], &mut Chain::resume(&store)?)?;
    Ok(Engine { store, tenure })
}

/// Takes the leader lock for a command; fails if any host serves the ledger.
fn alone(settings: PostgresSettings) -> Result<LedgerLock> {
    let mut candidate = Candidate::new(settings)?;
    if !candidate.ask()? || candidate.any_host_alive()? {
        bail!("another host serves this ledger; run the command there");
    }
    let leadership = candidate.lead(|why| {
        tracing::error!(%why, "the ledger belongs to another host now; stopping at once");
        Exit::Replaced.now();
    })?;
    Ok(LedgerLock(leadership))
}

/// Returns the settings of the database, if the ledger is in one.
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
