//! Loading versions beside the passes of the reconciler, so that no pass waits
//! for a compiler.
//!
//! A pass asks for the version that it wants to activate. What is not loaded yet
//! begins to be, and a later pass finds it.
//!
//! Invariants:
//! 1. A version is loaded once, however many passes ask for it, and forgotten
//!    when a pass wants it no more.
//! 2. Accounts load in turns, one version each; the operator's versions wait for
//!    none of them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_core::fair_queue::FairLimits;
use tollbridge_core::limits::{COMPILE_WAIT_MS_MAX, LOADS_MAX, PLUGINS_MAX};
use tollbridge_core::turns::Turns;
use tollbridge_runtime::plugins::Plugin;
use tollbridge_runtime::registry::{Candidate, Digest, PluginId};

use super::needs::Needs;
use super::version_loader::{LoadError, VersionLoader};

type Key = (PluginId, Digest);
type Outcome = Result<(Arc<Plugin>, Needs), LoadError>;

/// Versions that are being loaded, and those that wait for a pass.
pub(super) struct Loads {
    loader: Arc<VersionLoader>,
    turns: Turns,
    state: Arc<Mutex<State>>,
    /// Counts loads that have ended.
    ended: Arc<watch::Sender<u64>>,
    pass_requested: Arc<Notify>,
}

#[derive(Default)]
struct State {
    loads: HashMap<Key, Load>,
    /// The pass that runs, or the last one.
    pass: u64,
}

struct Load {
    began: Instant,
    /// The last pass that asked for it.
    pass: u64,
    waits: Patience,
    /// None while it is being loaded.
    outcome: Option<Outcome>,
}

/// Who waits for a version.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Everybody, for it is the operator's.
    Always,
    /// Others wait a moment: it is an account's, and compiled.
    Briefly,
    /// Its account alone: it has to be compiled.
    Never,
}

/// What a pass hears of a version.
pub(super) enum Asked {
    /// It is being loaded.
    Loading,
    /// It was loaded, since this moment, or was not.
    Ended(Instant, Outcome),
}

impl Loads {
    pub(super) fn new(loader: Arc<VersionLoader>, pass_requested: Arc<Notify>) -> Self {
        let (running, waiting) = (LOADS_MAX, PLUGINS_MAX);
        let accounts = FairLimits { running, running_per_tenant: 1, waiting, waiting_per_tenant: waiting };
        Self {
            loader,
            turns: Turns::new(LOADS_MAX, accounts),
            state: Arc::default(),
            ended: Arc::new(watch::Sender::new(0)),
            pass_requested,
        }
    }

    /// A pass begins to ask.
    pub(super) fn begin_pass(&self) {
        let mut state = self.state.lock();
        state.pass = state.pass.wrapping_add(1);
    }

    /// A pass has asked for all that it wants.
    pub(super) fn end_pass(&self) {
        let mut state = self.state.lock();
        let pass = state.pass;
        state.loads.retain(|_, load| load.outcome.is_none() || load.pass == pass);
    }

    /// A version as it was loaded, once; else it is loaded from now on.
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
            // The bytes of those that wait are not in memory.
            let turn = turns.take(tenant.as_ref(), LONG).await;
            let _turn = turn.map_err(|_| LoadError::Transient("too many versions wait to be loaded".to_owned()))?;
            loader.load(candidate, tenant).await
        });
        tokio::spawn(async move {
            let outcome = loading.await.unwrap_or_else(|error| Err(LoadError::Transient(error.to_string())));
            if let Some(load) = state.lock().loads.get_mut(&key) {
                load.outcome = Some(outcome);
            }
            ended.send_modify(|count| *count = count.wrapping_add(1));
            pass_requested.notify_one();
        });
    }

    /// How many versions are being loaded, or wait for it.
    pub(super) fn running(&self) -> usize {
        self.state.lock().loads.values().filter(|load| load.outcome.is_none()).count()
    }

    /// Waits until a plugin has no version that is being loaded. Tells whether
    /// there was one.
    pub(super) async fn settled(&self, id: &PluginId) -> bool {
        self.wait_while(|(of, _), _| of == id).await
    }

    /// Waits until nothing of a kind is being loaded. Tells whether there was
    /// something.
    pub(super) async fn idle(&self, kind: Patience) -> bool {
        self.wait_while(|_, load| load.waits == kind).await
    }

    async fn wait_while(&self, is_meant: impl Fn(&Key, &Load) -> bool) -> bool {
        let mut ended = self.ended.subscribe();
        // One that has ended since it was asked for waits for a pass, too.
        let mut waited = self.state.lock().loads.iter().any(|(key, load)| is_meant(key, load));
        loop {
            let meant = |(key, load): (&Key, &Load)| load.outcome.is_none() && is_meant(key, load);
            if !self.state.lock().loads.iter().any(meant) {
                return waited;
            }
            waited = true;
            // The sender lives as long as this.
            let _ = ended.changed().await;
        }
    }
}

/// At a first start after an update, a version may wait for very many others.
const LONG: Duration = Duration::from_millis(COMPILE_WAIT_MS_MAX.saturating_mul(144));
