//! What the host keeps for one call: small, and what few calls use is made when
//! it is first used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use wasmtime::{Store, UpdateDeadline};

use super::bindings::types;
use super::engine::Turns;
use super::host_http::Outgoing;
use super::host_kv::{Buckets, Counters};
use super::host_tables::Tables;
use super::limiter::Limiter;
use super::log::{CallLog, LogRing};
use super::services::Services;
use super::wasi::Basics;
use crate::registry::Kind;
use tollbridge_core::config::{HostPattern, Secret};
use tollbridge_core::egress::Egress;
use tollbridge_core::limits::{GUEST_HANDLES_MAX, HOST_CALL_BYTES_MAX, INFERENCE_REQUESTS_MAX};

/// What stays the same for all calls of one loaded plugin.
pub(super) struct Identity {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) version: semver::Version,
    pub(super) config: BTreeMap<String, String>,
    pub(super) secrets: BTreeMap<String, Secret>,
    pub(super) allow_hosts: Vec<HostPattern>,
    pub(super) callees: BTreeSet<(Kind, String)>,
    pub(super) kv_bytes: usize,
    pub(super) tables: Tables,
    pub(super) logs: Arc<LogRing>,
    pub(super) egress: Arc<Egress>,
    pub(super) turns: Arc<Turns>,
    pub(super) counters: Arc<Counters>,
}

/// The data of one store.
pub(super) struct State {
    pub(super) identity: Arc<Identity>,
    pub(super) request_id: String,
    /// The pseudonym that the plugin knows.
    pub(super) caller: Option<String>,
    /// The account itself, which the plugin is not told.
    pub(super) account: Option<String>,
    pub(super) now_ms: u64,
    pub(super) services: Services,
    pub(super) limiter: Limiter,
    pub(super) panic_text: Option<String>,
    pub(super) buckets: Option<Box<Buckets>>,
    pub(super) basics: Option<Box<Basics>>,
    pub(super) outgoing: Option<Box<Outgoing>>,
    pub(super) inference_left: u32,
    /// What the host said when nobody could answer.
    pub(super) no_provider: Option<String>,
    pub(super) deadline: Instant,
    log: Option<Arc<CallLog>>,
    /// Ticks during which this call was computing.
    ticks: u32,
}

/// Shapes only; there is nothing to call.
impl types::Host for State {}

/// The call computed past its deadline.
#[derive(Debug, thiserror::Error)]
#[error("the time limit was reached")]
pub(super) struct DeadlinePassed;

/// Ticks that a call may compute before it has to take turns.
const FREE_TICKS: u32 = 2;

impl State {
    pub(super) fn new(
        identity: Arc<Identity>,
        request_id: String,
        now_ms: u64,
        services: Services,
        memory_max: usize,
        deadline: Instant,
    ) -> Self {
        Self {
            identity,
            request_id,
            caller: None,
            account: None,
            now_ms,
            services,
            limiter: Limiter::new(memory_max),
            panic_text: None,
            buckets: None,
            basics: None,
            outgoing: None,
            inference_left: INFERENCE_REQUESTS_MAX,
            no_provider: None,
            deadline,
            log: None,
            ticks: 0,
        }
    }

    /// A store with every bound set.
    pub(super) fn into_store(self, engine: &wasmtime::Engine) -> Store<Self> {
        let mut store = Store::new(engine, self);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(HOST_CALL_BYTES_MAX);
        store.set_max_component_handles(GUEST_HANDLES_MAX);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut store| Ok(store.data_mut().tick()?));
        store
    }

    /// Called at each tick of a computing guest.
    fn tick(&mut self) -> Result<UpdateDeadline, DeadlinePassed> {
        if Instant::now() >= self.deadline {
            return Err(DeadlinePassed);
        }
        self.ticks = self.ticks.saturating_add(1);
        if self.ticks <= FREE_TICKS {
            return Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())));
        }
        let turns = self.identity.turns.clone();
        let turn = async move {
            tokio::task::yield_now().await;
            turns.take().await;
        };
        Ok(UpdateDeadline::YieldCustom(1, Box::pin(turn)))
    }

    pub(super) fn log(&mut self) -> &Arc<CallLog> {
        let Self { identity, request_id, now_ms, log, .. } = self;
        log.get_or_insert_with(|| {
            let version = identity.version.to_string();
            Arc::new(CallLog::new(&identity.name, &version, request_id, *now_ms, identity.logs.clone()))
        })
    }
}
