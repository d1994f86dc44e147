//! Membership: the list of hosts that serve a ledger together, stored as rows of that
//! ledger.
//!
//! A host that joins writes a row; a host that finds another one dead removes the dead
//! host's row. Both are commits and so are part of the single order of all commits: a
//! host whose row was deleted sees the deletion before it can commit anything further.
//!
//! Invariant: a serving host knows of every other serving host. Before a joining host
//! serves, it waits until all other hosts must have seen its row.

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

/// Maximum staleness of reads that [`Hosts::stay_recent`] allows.
const RECENT: Duration = Duration::from_millis(100);

/// The id of a host; each process has a new one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(String);

/// The hosts of a ledger, as currently known to this host.
pub struct Hosts {
    db: Db,
    own: HostId,
    live: RwLock<BTreeSet<HostId>>,
    has_others: AtomicBool,
    has_joined: AtomicBool,
}

impl HostId {
    /// Creates a globally unique id.
    ///
    /// # Errors
    /// The operating system provides no randomness.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut id = [0; 16];
        getrandom::fill(&mut id)?;
        Ok(Self(hex::encode(id)))
    }

    /// Returns the id as written in rows.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Hosts {
    /// Loads the list of hosts from the rows of a store. The list contains `own` only
    /// after this host has joined.
    ///
    /// # Errors
    /// The rows cannot be read.
    pub fn load(db: Db, own: HostId) -> Result<Self, StoreError> {
        let (has_others, has_joined) = (AtomicBool::default(), AtomicBool::default());
        let hosts = Self { db, own, live: RwLock::default(), has_others, has_joined };
        hosts.refresh()?;
        Ok(hosts)
    }

    /// Reads the list of hosts again after a row changed. Returns false if this host's
    /// row was removed; true if it is present or was not written yet.
    ///
    /// # Errors
    /// The rows cannot be read.
    pub fn refresh(&self) -> Result<bool, StoreError> {
        let rows = Rows::of(self.db.store(), Collection::Hosts);
        let live = rows.map(|row| row.map(|(id, _)| HostId(id))).collect::<Result<BTreeSet<_>, _>>()?;
        let is_member = live.contains(&self.own);
        self.has_others.store(live.iter().any(|host| *host != self.own), Ordering::SeqCst);
        *self.live.write() = live;
        Ok(is_member || !self.has_joined.load(Ordering::SeqCst))
    }

    /// Returns the id of this host.
    pub const fn own(&self) -> &HostId {
        &self.own
    }

    /// Returns whether any other host serves this ledger. If so, reads on this host may
    /// be stale, and the other hosts do not know what this host has reserved in memory.
    pub fn has_others(&self) -> bool {
        self.has_others.load(Ordering::SeqCst)
    }

    /// Returns whether a host is in the list: it is serving, or is unreachable but not
    /// yet removed.
    pub fn is_live(&self, id: &str) -> bool {
        self.live.read().iter().any(|host| host.as_str() == id)
    }

    /// Returns the number of serving hosts, including this one.
    pub fn count(&self) -> usize {
        self.live.read().len().max(1)
    }

    /// Resolves when reads on this host see everything that any host had made durable
    /// before the call. Returns immediately if there is no other host.
    ///
    /// # Errors
    /// As [`crate::Writer::submit`].
    pub async fn catch_up(&self) -> Result<(), SubmitError> {
        match self.has_others() {
            true => self.db.writer().catch_up().await,
            false => Ok(()),
        }
    }

    /// Resolves when reads on this host see everything that any host had made durable 100
    /// ms ago. That is recent enough to grant a request, but not to refuse one. A busy
    /// host applies other hosts' writes with each of its own commits, so it does not wait
    /// here.
    ///
    /// # Errors
    /// As [`Hosts::catch_up`].
    pub async fn stay_recent(&self) -> Result<(), SubmitError> {
        match self.has_others() && !self.db.writer().has_caught_up_within(RECENT) {
            true => self.catch_up().await,
            false => Ok(()),
        }
    }

    /// Writes this host's row, which makes it a serving host.
    ///
    /// # Errors
    /// The row was not written.
    pub async fn join(&self) -> Result<(), SubmitError> {
        self.write(&self.own, Some(b"{}".to_vec())).await?;
        // Set the flag only now: until this host's row is written, any change to another
        // host's row would make the missing row look removed.
        self.has_joined.store(true, Ordering::SeqCst);
        // Refresh immediately as well: the row may have been removed in the meantime.
        match self.refresh() {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(SubmitError::Failed),
        }
    }

    /// Removes the row of a host that has stopped or was declared dead, which releases
    /// the balances that it had reserved.
    ///
    /// # Errors
    /// The row was not removed.
    pub async fn remove(&self, host: &HostId) -> Result<(), SubmitError> {
        if *host == self.own {
            self.has_joined.store(false, Ordering::SeqCst);
        }
        self.write(host, None).await
    }

    /// Returns all hosts that have a row.
    pub fn live(&self) -> Vec<HostId> {
        self.live.read().iter().cloned().collect()
    }

    async fn write(&self, host: &HostId, value: Option<Vec<u8>>) -> Result<(), SubmitError> {
        let put = Put { collection: Collection::Hosts, key: host.0.clone(), value, expect: Expect::Any };
        self.db.submit(Change { puts: vec![put], ..Change::default() }).await?;
        self.refresh().map(drop).map_err(|_| SubmitError::Failed)
    }
}

#[cfg(test)]
mod tests {
    use std::pin::{Pin, pin};
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};

    use redb::backends::InMemoryBackend;

    use super::*;
    use crate::redb_engine::RedbStore;
    use crate::testing::changes::Numbered;
    use crate::testing::steps::WriterSteps;
    use crate::writer::Writer;

    fn hosts() -> (Hosts, Arc<WriterSteps>) {
        let store = Arc::new(RedbStore::with_backend(InMemoryBackend::new()).unwrap());
        let (writer, steps) = Writer::in_steps(store.clone(), Box::new(Numbered::default()), None, |_| {});
        (Hosts::load(Db::new(store, Arc::new(writer)), HostId::random().unwrap()).unwrap(), steps)
    }

    fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    /// Removes the row of a host, as another host would.
    fn remove(hosts: &Hosts, steps: &WriterSteps) {
        let put = Put { collection: Collection::Hosts, key: hosts.own.0.clone(), value: None, expect: Expect::Any };
        let removing = pin!(hosts.db.submit(Change { puts: vec![put], ..Change::default() }));
        assert!(poll(removing).is_pending() && steps.step());
    }

    #[test]
    fn changes_by_others_while_a_host_joins_do_not_make_it_dead() {
        let (hosts, steps) = hosts();
        let mut joining = pin!(hosts.join());
        assert!(poll(joining.as_mut()).is_pending());
        assert!(hosts.refresh().unwrap(), "not yet written");
        assert!(steps.step());
        assert!(hosts.refresh().unwrap(), "written");
        assert!(matches!(poll(joining), Poll::Ready(Ok(()))));
        assert!(hosts.refresh().unwrap() && hosts.is_live(hosts.own().as_str()));
    }

    #[test]
    fn a_host_notices_that_it_was_removed() {
        let (hosts, steps) = hosts();
        let mut joining = pin!(hosts.join());
        assert!(poll(joining.as_mut()).is_pending() && steps.step());
        remove(&hosts, &steps);
        assert!(matches!(poll(joining), Poll::Ready(Err(SubmitError::Failed))), "removed while it joined");

        let mut joining = pin!(hosts.join());
        assert!(poll(joining.as_mut()).is_pending() && steps.step());
        assert!(matches!(poll(joining), Poll::Ready(Ok(()))));
        remove(&hosts, &steps);
        assert!(!hosts.refresh().unwrap());
    }
}
