//! The host's state of one call. Parts that few calls use are created on first use, so that the
//! state stays small.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tollbridge_core::fair_limiter::TenantName;
use tollbridge_plugin::{CallLog, ProposedInput, Services};
use wasmtime::{Store, UpdateDeadline};

use super::limiter::Limiter;
use crate::bindings::types;
use crate::imports::buckets::Buckets;
use crate::imports::outgoing::OutgoingRequests;
use crate::imports::wasi_basics::WasiBasics;
use crate::limits::{GUEST_HANDLES_MAX, INFERENCE_REQUESTS_MAX};
use crate::loading::loaded::LoadedPlugin;

/// Maximum number of bytes that one host call may copy out of a plugin; the engine's
/// default of 128 MiB would let a plugin make the host allocate that much.
const HOST_CALL_BYTES_MAX: usize = 4 << 20;

/// The host's state of one call, stored in the engine's `Store`.
pub(crate) struct State {
    pub(crate) plugin: Arc<LoadedPlugin>,
    pub(crate) request_id: String,
    /// The caller's pseudonym, which the plugin sees.
    pub(crate) caller: Option<String>,
    /// The calling account, which the plugin never sees.
    pub(crate) account: Option<String>,
    /// The caller's tenant, whose budgets the call uses; `None` without a caller.
    pub(crate) tenant: Option<TenantName>,
    pub(crate) now_ms: u64,
    pub(crate) services: Services,
    pub(crate) limiter: Limiter,
    pub(crate) panic_text: Option<String>,
    /// The text of the input that the agent proposed last.
    pub(crate) proposed_input: Option<String>,
    pub(crate) buckets: Option<Box<Buckets>>,
    pub(crate) basics: Option<Box<WasiBasics>>,
    pub(crate) outgoing: Option<Box<OutgoingRequests>>,
    pub(crate) inference_left: u32,
    /// The host's error message, if a request of this call failed because no provider
    /// could answer it.
    pub(crate) no_provider: Option<String>,
    pub(crate) deadline: Instant,
    /// The call's time limit; zero while the plugin describes itself.
    pub(crate) time: Duration,
    log: Option<Arc<CallLog>>,
    /// Number of ticks at which this call was computing.
    ticks: u32,
}

/// Required by the bindings; the interface has types but no functions.
impl types::Host for State {}

/// The error for a call that is still computing after its deadline.
#[derive(Debug, thiserror::Error)]
#[error("the time limit was reached")]
pub(crate) struct DeadlinePassed;

/// Number of ticks for which a call may compute freely; each further tick needs a permit
/// of the `FairnessShare`.
const FREE_TICKS: u32 = 2;

impl State {
    pub(crate) fn new(
        plugin: Arc<LoadedPlugin>,
        request_id: String,
        now_ms: u64,
        services: Services,
        memory_max: usize,
        deadline: Instant,
    ) -> Self {
        Self {
            plugin,
            request_id,
            caller: None,
            account: None,
            tenant: None,
            now_ms,
            services,
            limiter: Limiter::new(memory_max),
            panic_text: None,
            proposed_input: None,
            buckets: None,
            basics: None,
            outgoing: None,
            inference_left: INFERENCE_REQUESTS_MAX,
            no_provider: None,
            deadline,
            time: Duration::ZERO,
            log: None,
            ticks: 0,
        }
    }

    /// Creates the call's store with all limits set.
    pub(crate) fn into_store(self, engine: &wasmtime::Engine) -> Store<Self> {
        let mut store = Store::new(engine, self);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(HOST_CALL_BYTES_MAX);
        store.set_max_component_handles(GUEST_HANDLES_MAX);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut store| Ok(store.data_mut().tick()?));
        store
    }

    /// Runs at each tick while a guest is computing.
    fn tick(&mut self) -> Result<UpdateDeadline, DeadlinePassed> {
        if Instant::now() >= self.deadline {
            return Err(DeadlinePassed);
        }
        self.ticks = self.ticks.saturating_add(1);
        if self.ticks <= FREE_TICKS {
            return Ok(UpdateDeadline::YieldCustom(1, Box::pin(tokio::task::yield_now())));
        }
        let fairness = self.plugin.fairness.clone();
        let turn = async move {
            tokio::task::yield_now().await;
            fairness.take().await;
        };
        Ok(UpdateDeadline::YieldCustom(1, Box::pin(turn)))
    }

    /// Takes the input that the agent proposed.
    pub(crate) fn take_proposal(&mut self) -> Option<ProposedInput> {
        let text = self.proposed_input.take()?;
        Some(ProposedInput { text, log: self.log().clone() })
    }

    pub(crate) fn log(&mut self) -> &Arc<CallLog> {
        let Self { plugin, request_id, now_ms, log, .. } = self;
        log.get_or_insert_with(|| {
            let version = plugin.facts.version.to_string();
            Arc::new(CallLog::new(&plugin.facts.name, &version, request_id, *now_ms, plugin.facts.logs.clone()))
        })
    }
}
