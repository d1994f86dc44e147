//! Which hosts serve a ledger together, as its rows say.
//!
//! A host that joins writes a row, and whoever finds it dead removes the row.
//! Both are commits, so they have their place in the one order of all commits:
//! a host whose row is gone finds that out before it can commit anything more.
//!
//! Invariant: a host that serves knows of every other one that serves. One that
//! joins waits before it serves until all others must have seen its row.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::RwLock;

use crate::change::{Change, Expect, Put};
use crate::collection::Collection;
use crate::db::Db;
use crate::engine::StoreError;
use crate::rows::Rows;
use crate::writer::SubmitError;

/// How old what a host grants something by may be.
const RECENT: Duration = Duration::from_millis(100);

/// A host, for as long as its process lives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(String);

/// The hosts of a ledger, as one of them knows them.
pub struct Hosts {
    db: Db,
    own: HostId,
    live: RwLock<BTreeSet<HostId>>,
    has_others: AtomicBool,
    has_joined: AtomicBool,
}

impl HostId {
    /// A name that no other process has.
    ///
    /// # Errors
    /// When the system gives no randomness.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Self(hex::encode(id)))
    }

    /// As it is written in rows.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Hosts {
    /// The hosts that the rows of a store name. `own` is not among them before it
    /// has joined.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn load(db: Db, own: HostId) -> Result<Self, StoreError> {
        let (has_others, has_joined) = (AtomicBool::default(), AtomicBool::default());
        let hosts = Self { db, own, live: RwLock::default(), has_others, has_joined };
        hosts.refresh()?;
        Ok(hosts)
    }

    /// Reads the rows again, after one of them has changed. Whether this host is
    /// still among them, or has not joined.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn refresh(&self) -> Result<bool, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Hosts);
        let live = rows.map(|row| row.map(|(id, _)| HostId(id))).collect::<Result<BTreeSet<_>, _>>()?;
        let is_member = live.contains(&self.own);
        self.has_others.store(live.iter().any(|host| *host != self.own), Ordering::SeqCst);
        *self.live.write() = live;
        Ok(is_member || !self.has_joined.load(Ordering::SeqCst))
    }

    /// This host.
    pub const fn own(&self) -> &HostId {
        &self.own
    }

    /// Whether any other host serves: what is read here may then be old, and what
    /// is promised here is known to nobody else.
    pub fn has_others(&self) -> bool {
        self.has_others.load(Ordering::SeqCst)
    }

    /// Whether a host serves, or may come back.
    pub fn is_live(&self, id: &str) -> bool {
        self.live.read().iter().any(|host| host.as_str() == id)
    }

    /// How many serve, this one included.
    pub fn count(&self) -> usize {
        self.live.read().len().max(1)
    }

    /// Resolves when reads on this host see everything that any host had made
    /// durable before. At once while there is no other.
    ///
    /// # Errors
    /// As [`crate::Writer::submit`].
    pub async fn catch_up(&self) -> Result<(), SubmitError> {
        match self.has_others() {
            true => self.db.writer().catch_up().await,
            false => Ok(()),
        }
    }

    /// Resolves when reads on this host see everything that any host had made durable
    /// a tenth of a second ago: enough to grant something, not to refuse it. A busy
    /// host sees what others write with each of its own commits; this costs it nothing.
    ///
    /// # Errors
    /// As [`Hosts::catch_up`].
    pub async fn stay_recent(&self) -> Result<(), SubmitError> {
        match self.has_others() && !self.db.writer().has_looked_within(RECENT) {
            true => self.catch_up().await,
            false => Ok(()),
        }
    }

    /// Writes this host's row. It is one of those that serve from then on.
    ///
    /// # Errors
    /// What was not written.
    pub async fn join(&self) -> Result<(), SubmitError> {
        self.has_joined.store(true, Ordering::SeqCst);
        self.write(&self.own, Some(b"{}".to_vec())).await
    }

    /// Removes the row of a host that has ended or is taken for dead: what it had
    /// reserved is free.
    ///
    /// # Errors
    /// What was not written.
    pub async fn remove(&self, host: &HostId) -> Result<(), SubmitError> {
        if *host == self.own {
            self.has_joined.store(false, Ordering::SeqCst);
        }
        self.write(host, None).await
    }

    /// All that have a row.
    pub fn live(&self) -> Vec<HostId> {
        self.live.read().iter().cloned().collect()
    }

    async fn write(&self, host: &HostId, value: Option<Vec<u8>>) -> Result<(), SubmitError> {
        let put = Put { collection: Collection::Hosts, key: host.0.clone(), value, expect: Expect::Any };
        self.db.submit(Change { puts: vec![put], ..Change::default() }).await?;
        self.refresh().map(drop).map_err(|_| SubmitError::Failed)
    }
}
