//! The engine of the configuration: files of this host, or a copy here of a
//! ledger in PostgreSQL that several hosts serve together.

use anyhow::{Context, Result, bail};
use tollbridge_core::config::{Config, StoreEngine};
use tollbridge_ledger::Chain;
use tollbridge_postgres::{Candidate, Leadership, PostgresLog, PostgresSettings};

use tollbridge_store::{DATABASE, RedbStore, Store as _};

use crate::exit::Exit;

/// The file of a host's copy, in its data folder.
pub(super) const REPLICA: &str = "replica.redb";

/// How a process uses the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenedFor {
    /// It serves, beside other hosts where the ledger is in a database.
    Serving,
    /// It runs one command on a ledger that nobody serves.
    Command,
}

/// The store, and what keeps it this host's.
pub(super) struct Engine {
    pub(super) store: RedbStore,
    /// Of a command on a ledger in PostgreSQL.
    pub(super) tenure: Option<Tenure>,
}

/// What a command has while it works on a ledger in PostgreSQL.
pub struct Tenure(#[expect(dead_code, reason = "held until it is dropped")] Leadership);

/// Opens the ledger. Blocks.
pub(super) fn open(config: &Config, opened_for: OpenedFor) -> Result<Engine> {
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
    let tenure = match opened_for {
        OpenedFor::Serving => None,
        OpenedFor::Command => Some(alone(settings)?),
    };
    // What other hosts have written is read before anything is built on it.
    store.commit(&[], &mut Chain::resume(&store)?)?;
    Ok(Engine { store, tenure })
}

/// Keeps hosts from leading while a command works, if none does.
fn alone(settings: PostgresSettings) -> Result<Tenure> {
    let mut candidate = Candidate::new(settings)?;
    if !candidate.ask()? || candidate.sees_hosts()? {
        bail!("another host serves this ledger; run the command there");
    }
    let leadership = candidate.lead(|why| {
        tracing::error!(%why, "the ledger is another host's; stopping at once");
        Exit::Replaced.now();
    })?;
    Ok(Tenure(leadership))
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
