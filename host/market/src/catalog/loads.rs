//! Loads versions in the background, so that no pass of the reconciler waits for a
//! compiler.
//!
//! A pass requests the version that it wants to activate. If the version is not loaded
//! yet, loading starts, and a later pass receives the result.
//!
//! Invariants:
//! 1. A version is loaded once, however many passes request it, and dropped when no pass
//!    requests it any longer.
//! 2. Versions of different accounts take turns, one version each; the operator's
//!    versions do not wait for them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_core::turns::Turns;
use tollbridge_plugin::Plugin;
use tollbridge_plugin::limits::COMPILE_WAIT_MS_MAX;
use tollbridge_registry::limits::PLUGINS_MAX;
use tollbridge_registry::{Candidate, Digest, PluginId};

use super::needs::Needs;
use super::version_loader::{LoadError, VersionLoader};

/// Maximum number of the operator's versions, and of all accounts' versions together,
/// that are loaded at once. It limits memory, because a load holds the version's bytes.
const LOADS_MAX: usize = 16;

type Key = (PluginId, Digest);
type Outcome = Result<(Arc<Plugin>, Needs), LoadError>;

/// Versions that are loading, and loaded versions that no pass has received yet.
pub(super) struct Loads {
    loader: Arc<VersionLoader>,
    turns: Turns,
    state: Arc<Mutex<State>>,
    /// Number of finished loads; tasks watch it to wait for a load to finish.
    ended: Arc<watch::Sender<u64>>,
    pass_requested: Arc<Notify>,
}

#[derive(Default)]
struct State {
    loads: HashMap<Key, Load>,
    /// Number of the current or last pass.
    pass: u64,
}

struct Load {
    began: Instant,
    /// The last pass that requested this version.
    pass: u64,
    waits: Patience,
    /// Result of the load; `None` while loading.
    outcome: Option<Outcome>,
}

/// The time for which a refresh of the catalog waits for a version to load.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// The refresh waits until the version is loaded: it belongs to the operator.
    Always,
    /// The refresh waits briefly: the version belongs to an account and is already
    /// compiled.
    Briefly,
    /// The refresh does not wait: the version belongs to an account and must be compiled
    /// first.
    Never,
}

/// The state of a version that a pass requested.
pub(super) enum Asked {
    /// The version is still loading.
    Loading,
    /// Loading finished; contains the time at which it started and its result.
    Ended(Instant, Outcome),
}

impl Loads {
    pub(super) fn new(loader: Arc<VersionLoader>, pass_requested: Arc<Notify>) -> Self {
        let (running, waiting) = (LOADS_MAX, PLUGINS_MAX);
        // Each account loads one version at a time; any number of its versions may wait.
        let accounts = FairLimits { running, running_per_tenant: 1, waiting, waiting_per_tenant: waiting };
        Self {
            loader,
            turns: Turns::new(LOADS_MAX, accounts),
            state: Arc::default(),
            ended: Arc::new(watch::Sender::new(0)),
            pass_requested,
        }
    }

    /// Marks the start of a pass.
    pub(super) fn begin_pass(&self) {
        let mut state = self.state.lock();
        state.pass = state.pass.wrapping_add(1);
    }

    /// Marks the end of a pass. Drops finished loads that the pass did not request.
    pub(super) fn end_pass(&self) {
        let mut state = self.state.lock();
        let pass = state.pass;
        state.loads.retain(|_, load| load.outcome.is_none() || load.pass == pass);
    }

    /// Returns the result of loading a version, and removes it from this list; starts
    /// loading if the version is not loading yet.
    pub(super) fn take(&self, candidate: &Arc<Candidate>, tenant: Option<TenantName>) -> Asked {
        let key = (candidate.id().clone(), candidate.digest);
        let mut state = self.state.lock();
        let pass = state.pass;
        if let Some(mut load) = state.loads.remove(&key) {
            return match load.outcome.take() {
                Some(outcome) => Asked::Ended(load.began, outcome),
                None => {
                    load.pass = pass;
                    state.loads.insert(key, load);
                    Asked::Loading
                }
            };
        }
        let waits = match &tenant {
            None => Patience::Always,
            Some(_) if self.loader.has_compiled_code(candidate) => Patience::Briefly,
            Some(_) => Patience::Never,
        };
        state.loads.insert(key.clone(), Load { began: Instant::now(), pass, waits, outcome: None });
        drop(state);
        self.start(key, candidate.clone(), tenant);
        Asked::Loading
    }

    fn start(&self, key: Key, candidate: Arc<Candidate>, tenant: Option<TenantName>) {
        let (loader, turns) = (self.loader.clone(), self.turns.clone());
        let (state, ended, pass_requested) = (self.state.clone(), self.ended.clone(), self.pass_requested.clone());
        let loading = tokio::spawn(async move {
            // Wait for a load slot before reading the version's bytes, so that waiting
            // versions use no memory.
            let turn = turns.take(tenant.as_ref(), LONG).await;
            let _turn =
                turn.map_err(|_| LoadError::Transient("too many versions are waiting to be loaded".to_owned()))?;
            loader.load(candidate, tenant).await
        });
        // A second task stores the outcome even if loading panics.
        tokio::spawn(async move {
            let outcome = loading.await.unwrap_or_else(|error| Err(LoadError::Transient(error.to_string())));
            if let Some(load) = state.lock().loads.get_mut(&key) {
                load.outcome = Some(outcome);
            }
            ended.send_modify(|count| *count = count.wrapping_add(1));
            pass_requested.notify_one();
        });
    }

    /// Returns the number of versions being loaded or waiting to be.
    pub(super) fn running(&self) -> usize {
        self.state.lock().loads.values().filter(|load| load.outcome.is_none()).count()
    }

    /// Waits until no version of a plugin is loading. Returns whether any was loading, or
    /// was loaded but not yet received by a pass of the reconciler.
    pub(super) async fn settled(&self, id: &PluginId) -> bool {
        self.wait_while(|(of, _), _| of == id).await
    }

    /// Waits until no version with a given [`Patience`] is loading. Returns whether any
    /// was loading, or was loaded but not yet received by a pass of the reconciler.
    pub(super) async fn idle(&self, kind: Patience) -> bool {
        self.wait_while(|_, load| load.waits == kind).await
    }

    async fn wait_while(&self, is_meant: impl Fn(&Key, &Load) -> bool) -> bool {
        let mut ended = self.ended.subscribe();
        // Also count loads that have finished but whose result no pass has received yet.
        let mut waited = self.state.lock().loads.iter().any(|(key, load)| is_meant(key, load));
        loop {
            let meant = |(key, load): (&Key, &Load)| load.outcome.is_none() && is_meant(key, load);
            if !self.state.lock().loads.iter().any(meant) {
                return waited;
            }
            waited = true;
            // Cannot fail: the sender lives as long as `self`.
            let _ = ended.changed().await;
        }
    }
}

/// Maximum time that a version waits for a load slot: a day. At the first start after an
/// update, very many other versions may have to be compiled before it.
const LONG: Duration = Duration::from_millis(COMPILE_WAIT_MS_MAX.saturating_mul(144));
