//! Prepares a component: runs its initialization once and stores the resulting state in the
//! component.
//!
//! A component may export `init: func()`. It is run when the plugin is built, and the resulting
//! memory becomes the initial memory of each call; the export is removed. So tables, schemas and
//! patterns that are the same in each call are built only once.
//!
//! Invariants:
//! 1. `init` has no inputs: every import except the one that reports panics is refused by name, so
//!    the result contains nothing of this machine, its time or its randomness.
//! 2. The same component yields the same bytes.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use futures_util::FutureExt;
use tollbridge_core::limits::{COMPONENT_BYTES_MAX, GUEST_MEMORY_BYTES_MAX};
use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use tollbridge_plugin::text;
use wasm_encoder::reencode::{self, Reencode, ReencodeComponent};
use wasmtime::component::{Component, Instance, Lift, Linker, WasmList};
use wasmtime::{Config, Engine, OptLevel, Store, StoreContextMut, StoreLimits, StoreLimitsBuilder, Trap};
use wasmtime_wizer::{ComponentInstanceState, Wizer};

use super::memory_layout::MemoryLayout;

/// The name of the export that initializes a component.
pub const INIT_EXPORT: &str = "init";

/// Version of the preparation. Raise it when a change makes the same component yield other bytes.
pub const PREPARE_VERSION: u32 = 1;

/// Time limit of `init`; generous, because plugins are built on any machine.
const INIT_TIME: Duration = Duration::from_secs(60);

/// The temporary name of the `init` export. The rewriter removes the exports of this name, from the
/// component and from its core modules. It must not remove the core modules' own `init`, which the
/// component still uses.
const RENAMED_EXPORT: &str = "tollbridge-init";

const PANIC_INTERFACE: &str = "tollbridge:plugin/panic@1.0.0";

/// The reason why a component could not be prepared.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum PrepareError {
    #[error("the component cannot be prepared: {0}")]
    Unsupported(String),
    #[error(
        "`init` calls {import}, which is available in calls only: the prepared state is the same for every caller, on every \
         host; make it from the data in the plugin"
    )]
    CallsHost { import: String },
    #[error("`init` panics: {0}")]
    Panics(String),
    #[error("`init` fails: {0}")]
    Traps(String),
    #[error("`init` takes more than {} s", INIT_TIME.as_secs())]
    TooSlow,
    #[error(
        "the state after `init` makes a component of {bytes} bytes; at most {COMPONENT_BYTES_MAX} are allowed: prepare less"
    )]
    TooLarge { bytes: usize },
}

/// The host's state while `init` runs.
struct Run {
    limits: StoreLimits,
    panic_text: Option<String>,
}

/// An instance after its `init` ran; the rewriter reads its memory.
struct Prepared {
    store: Store<Run>,
    instance: Instance,
    /// The first error while the instance was read.
    fault: Option<wasmtime::Error>,
}

/// Runs `init` of a component and makes the resulting state its initial state. Blocks.
///
/// # Errors
///
/// Fails if `init` calls the host, fails or takes too long, or if the resulting component
/// is too large.
pub fn prepare(component: &[u8]) -> Result<Vec<u8>, PrepareError> {
    prepare_within(component, INIT_TIME)
}

fn prepare_within(component: &[u8], time: Duration) -> Result<Vec<u8>, PrepareError> {
    let engine = engine().map_err(unsupported)?;
    let (running, over) = mpsc::channel::<()>();
    let stopped = engine.clone();
    let clock = std::thread::spawn(move || {
        if let Err(RecvTimeoutError::Timeout) = over.recv_timeout(time) {
            stopped.increment_epoch();
        }
    });
    // The rewriter panics on constructs that it does not support.
    let unknown = |_| Err(PrepareError::Unsupported("the component uses features that cannot be preserved".to_owned()));
    let taken = catch_unwind(AssertUnwindSafe(|| take(&engine, component))).unwrap_or_else(unknown);
    drop(running);
    // The thread cannot panic and returns nothing.
    let _ = clock.join();
    match taken {
        Ok(bytes) if bytes.len() > COMPONENT_BYTES_MAX => Err(PrepareError::TooLarge { bytes: bytes.len() }),
        taken => taken,
    }
}

/// Builds an engine for a single run of `init`. It compiles fast instead of optimizing, because the
/// code is discarded.
fn engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true).cranelift_opt_level(OptLevel::None).cranelift_nan_canonicalization(true);
    config.wasm_component_model(true).wasm_relaxed_simd(false).concurrency_support(false);
    MemoryLayout::OnDemand.apply(&mut config);
    Engine::new(&config)
}

fn take(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, PrepareError> {
    let mut wizer = Wizer::new();
    wizer.init_func(RENAMED_EXPORT);
    let renamed = renamed(component)?;
    let (context, instrumented) = wizer.instrument_component(&renamed).map_err(unsupported)?;
    let instrumented = Component::new(engine, instrumented).map_err(unsupported)?;
    let mut prepared = Prepared::run(engine, &instrumented)?;
    // The future completes on its first poll, because reading the instance does not wait.
    let taken = wizer.snapshot_component(&context, &mut prepared).now_or_never();
    match (taken, prepared.fault) {
        (Some(Ok(bytes)), None) => Ok(bytes),
        (Some(Err(error)), _) | (_, Some(error)) => Err(unsupported(error)),
        (None, None) => Err(PrepareError::Unsupported("its memory cannot be read without waiting".to_owned())),
    }
}

/// Returns the component with its export `init` renamed.
fn renamed(component: &[u8]) -> Result<Vec<u8>, PrepareError> {
    let mut renamed = wasm_encoder::Component::new();
    let whole = RenameInit::default().parse_component(&mut renamed, wasmparser::Parser::new(0), component);
    whole.map_err(|error| PrepareError::Unsupported(error.to_string()))?;
    Ok(renamed.finish())
}

/// Copies a component and renames its own `init` export, but not those of nested components.
#[derive(Default)]
struct RenameInit {
    depth: usize,
}

impl Reencode for RenameInit {
    type Error = Infallible;
}

impl ReencodeComponent for RenameInit {
    fn push_depth(&mut self) {
        self.depth = self.depth.saturating_add(1);
    }

    fn pop_depth(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn parse_component_export(
        &mut self,
        exports: &mut wasm_encoder::ComponentExportSection,
        mut export: wasmparser::ComponentExport<'_>,
    ) -> Result<(), reencode::Error> {
        if self.depth == 0 && export.name.name == INIT_EXPORT {
            export.name.name = RENAMED_EXPORT;
        }
        reencode::component_utils::parse_component_export(self, exports, export)
    }
}

impl Prepared {
    fn run(engine: &Engine, component: &Component) -> Result<Self, PrepareError> {
        let limits = StoreLimitsBuilder::new().memory_size(GUEST_MEMORY_BYTES_MAX).build();
        let mut store = Store::new(engine, Run { limits, panic_text: None });
        store.limiter(|run| &mut run.limits);
        store.set_epoch_deadline(1);
        let mut linker = Linker::<Run>::new(engine);
        let report = |mut store: StoreContextMut<'_, Run>, (message,): (String,)| {
            store.data_mut().panic_text = Some(text::clean(&message, PLUGIN_TEXT_BYTES_MAX));
            Ok(())
        };
        let mut panics = linker.instance(PANIC_INTERFACE).map_err(unsupported)?;
        panics.func_wrap("report", report).map_err(unsupported)?;
        linker.define_unknown_imports_as_traps(component).map_err(unsupported)?;
        let instance = linker.instantiate(&mut store, component).map_err(|error| failed(&store, &error))?;
        let init = instance.get_typed_func::<(), ()>(&mut store, RENAMED_EXPORT).map_err(unsupported)?;
        init.call(&mut store, ()).map_err(|error| failed(&store, &error))?;
        Ok(Self { store, instance, fault: None })
    }

    /// Calls a function that the rewriter added to the instance; returns its result.
    fn read<R: Lift + 'static>(&mut self, interface: &str, function: &str) -> Option<R> {
        let (store, instance) = (&mut self.store, self.instance);
        let mut read = || {
            let missing = || wasmtime::Error::msg("the export that the rewriter added is missing");
            let interface = instance.get_export_index(&mut *store, None, interface).ok_or_else(missing)?;
            let function = instance.get_export_index(&mut *store, Some(&interface), function).ok_or_else(missing)?;
            let function = instance.get_typed_func::<(), (R,)>(&mut *store, function)?;
            Ok(function.call(&mut *store, ())?.0)
        };
        match read() {
            Ok(value) => Some(value),
            Err(error) => {
                self.fault.get_or_insert(error);
                None
            }
        }
    }
}

impl ComponentInstanceState for Prepared {
    async fn call_func_ret_list_u8(&mut self, interface: &str, function: &str, contents: impl FnOnce(&[u8]) + Send) {
        let Some(list) = self.read::<WasmList<u8>>(interface, function) else { return contents(&[]) };
        contents(list.as_le_slice(&self.store));
    }

    async fn call_func_ret_s32(&mut self, interface: &str, function: &str) -> i32 {
        self.read(interface, function).unwrap_or_default()
    }

    async fn call_func_ret_s64(&mut self, interface: &str, function: &str) -> i64 {
        self.read(interface, function).unwrap_or_default()
    }

    async fn call_func_ret_f32(&mut self, interface: &str, function: &str) -> u32 {
        self.read::<f32>(interface, function).unwrap_or_default().to_bits()
    }

    async fn call_func_ret_f64(&mut self, interface: &str, function: &str) -> u64 {
        self.read::<f64>(interface, function).unwrap_or_default().to_bits()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn unsupported(error: wasmtime::Error) -> PrepareError {
    PrepareError::Unsupported(format!("{error:#}"))
}

/// Returns the reason why `init` failed.
fn failed(store: &Store<Run>, error: &wasmtime::Error) -> PrepareError {
    if matches!(error.downcast_ref(), Some(Trap::Interrupt)) {
        return PrepareError::TooSlow;
    }
    if let Some(text) = &store.data().panic_text {
        return PrepareError::Panics(text.clone());
    }
    let cause = error.root_cause().to_string();
    // This parses the message of wasmtime's `define_unknown_imports_as_traps`.
    let import = cause.strip_prefix("unknown import: `").and_then(|rest| rest.split('`').next());
    match import {
        Some(import) => PrepareError::CallsHost { import: import.to_owned() },
        None => PrepareError::Traps(text::clean(&cause, PLUGIN_TEXT_BYTES_MAX)),
    }
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
