//! A component as a program: each call runs in a fresh instance.
//!
//! Invariants:
//! 1. A call returns at its deadline, whatever the guest does: a guest that computes is stopped at
//!    a tick, and one that waits by the outer time-out.
//! 2. The store, and with it the guest's memory and stack, is dropped before the call returns.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use tokio::time::Instant;
use tollbridge_plugin::{CallUsage, PluginInput, Program, ProgramCall, ProgramOutput, ProgramRun, Resource};
use wasmtime::Store;

use super::failure;
use super::state::State;
use crate::bindings::types;
use crate::imports::link::LinkedComponent;
use crate::loading::loaded::LoadedPlugin;
use crate::runtime::Shared;

/// A linked component.
pub(crate) struct ComponentProgram {
    /// Parts that all plugins share; holding them keeps the engine's ticker running.
    pub(crate) shared: Arc<Shared>,
    pub(crate) loaded: Arc<LoadedPlugin>,
    pub(crate) memory_bytes: usize,
    pub(crate) component: LinkedComponent,
}

impl Program for ComponentProgram {
    fn run(&self, call: ProgramCall) -> BoxFuture<'_, ProgramRun> {
        self.run_instance(call).boxed()
    }
}

impl ComponentProgram {
    async fn run_instance(&self, call: ProgramCall) -> ProgramRun {
        let started = Instant::now();
        let ProgramCall { request_id, account, caller, tenant, now_ms, resource, services, input, time } = call;
        let call = types::Call {
            request_id: request_id.clone(),
            deadline_ms: u32::try_from(time.as_millis()).unwrap_or(u32::MAX),
            now_ms,
            caller: caller.clone(),
            resource: resource.map(|Resource { id, content_type, bytes }| types::Stored { id, content_type, bytes }),
        };
        let deadline = started.checked_add(time).unwrap_or(started);
        let mut state = State::new(self.loaded.clone(), request_id, now_ms, services, self.memory_bytes, deadline);
        state.time = time;
        state.caller = caller;
        state.account = account;
        state.tenant = Some(tenant);
        let mut store = state.into_store(&self.shared.engine);
        let returned = tokio::time::timeout(time, self.guest(&mut store, &call, &input)).await;
        let usage = CallUsage { wall: started.elapsed(), memory_bytes: store.data().limiter.memory() };
        let proposal = store.data_mut().take_proposal();
        let result = match returned {
            Ok(Ok(Ok(body))) => {
                let State { request_id, panic_text: panic, buckets, .. } = store.into_data();
                let (kv, locks) = buckets.map(|buckets| buckets.into_writes()).unwrap_or_default();
                Ok(ProgramOutput { body, request_id, panic, kv, locks })
            }
            Ok(Ok(Err(error))) => Err(failure::declared(store.data(), error)),
            Ok(Err(Stopped { started, error })) => Err(failure::stopped(store.data(), started, &error)),
            Err(_) => Err(failure::timed_out(store.data())),
        };
        ProgramRun { result, usage, proposal }
    }

    /// Instantiates the component and calls it. Both steps run the guest's code.
    async fn guest(
        &self,
        store: &mut Store<State>,
        call: &types::Call,
        input: &PluginInput,
    ) -> Result<Result<Vec<u8>, types::Error>, Stopped> {
        let unstarted = |error| Stopped { started: false, error };
        let returned = match (&self.component, input) {
            (LinkedComponent::Bridge(pre), PluginInput::Bridge(object)) => {
                let bridge = pre.instantiate_async(&mut *store).await.map_err(unstarted)?;
                bridge.call_handle(store, call, object).await
            }
            (LinkedComponent::Agent(pre), PluginInput::Agent { task, input }) => {
                let agent = pre.instantiate_async(&mut *store).await.map_err(unstarted)?;
                agent.call_run(store, call, task, input.as_deref()).await
            }
            // `Plugin::call` has already rejected an input of the wrong kind.
            (LinkedComponent::Bridge(_), PluginInput::Agent { .. })
            | (LinkedComponent::Agent(_), PluginInput::Bridge(_)) => {
                Err(wasmtime::Error::msg("a bridge was called as an agent, or an agent as a bridge"))
            }
        };
        returned.map_err(|error| Stopped { started: true, error })
    }
}

/// The error that stopped a guest, and whether the guest had been instantiated.
struct Stopped {
    started: bool,
    error: wasmtime::Error,
}
