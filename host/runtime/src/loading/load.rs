//! Loads a plugin: turns a component's bytes into a plugin that can be called.
//!
//! Invariant: no code of a component runs before its format, its imports and its resource needs
//! were checked. The first code that runs is `describe`, within the plugin's own limits.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::{BoxFuture, FutureExt, TryFutureExt};
use semver::Version;
use sha2::{Digest, Sha256};
use tokio::time::Instant;
use tollbridge_plugin::limits::{COMPILE_WAIT_MS_MAX, PLUGIN_TEXT_BYTES_MAX};
use tollbridge_plugin::{
    CallLimits, DescriptionError, DescriptionText, ExampleText, Failure, LoadFailure, Plugin, PluginFacts,
    PluginLoader, PluginSpec, Services, text,
};
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use super::checked::checked;
use super::loaded::LoadedPlugin;
use super::reported_limits::ReportedLimits;
use crate::bindings::types;
use crate::calls::component_program::ComponentProgram;
use crate::calls::failure;
use crate::calls::state::State;
use crate::code::cache::CodeCache;
use crate::code::child;
use crate::code::compiler::{CompileError, Compiler};
use crate::code::component_limits::{COMPONENT_LIMITS, ComponentFault};
use crate::code::native::{self, Authentic};
use crate::imports::grants::{self, GrantError};
use crate::imports::link::{self, LinkedComponent};
use crate::limits::{DESCRIBE_MS_MAX, GUEST_MEMORIES_MAX, GUEST_TABLE_ELEMENTS_MAX, GUEST_TABLES_MAX};
use crate::runtime::{Runtime, Shared};

/// The error for a plugin that could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("plugin {plugin} {version} was not loaded: {cause}")]
pub struct LoadError {
    /// Name of the plugin.
    pub plugin: String,
    /// Version of the plugin.
    pub version: Version,
    /// The reason why the plugin was not loaded.
    #[source]
    pub cause: LoadProblem,
}

impl LoadError {
    /// Returns whether loading the same bytes may succeed later, because the plugin's code ran and
    /// may have failed only on a busy machine.
    pub const fn is_transient(&self) -> bool {
        matches!(self.cause, LoadProblem::Describe(_)) || self.is_busy()
    }

    /// Returns whether the machine was too busy to examine the plugin.
    pub const fn is_busy(&self) -> bool {
        match &self.cause {
            LoadProblem::Stopped | LoadProblem::Busy => true,
            LoadProblem::Compile(error) => error.is_transient(),
            _ => false,
        }
    }
}

/// The reason why a plugin was not loaded.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum LoadProblem {
    #[error("plugin.wasm has {size} bytes; at most {max} are allowed (`plugins.max_component`)")]
    TooLarge { size: usize, max: usize },
    #[error("plugin.wasm is compiled native code, which is never run; publish the WebAssembly component")]
    Precompiled,
    #[error("plugin.wasm is a core module, not a component; build it with `tollbridge plugin build`, which makes one")]
    CoreModule,
    #[error("plugin.wasm is not a WebAssembly component")]
    NotWasm,
    #[error("plugin.wasm does not have the digest that was signed")]
    OtherDigest,
    #[error(transparent)]
    Component(#[from] ComponentFault),
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("the compiled code of plugin.wasm cannot be loaded: {0}")]
    Invalid(String),
    #[error(transparent)]
    Grant(#[from] GrantError),
    #[error("the component requires more than its limits allow: {0}")]
    Needs(String),
    #[error("the component does not fit the world `{world}` of tollbridge:plugin@1.0.0: {why}")]
    World { world: &'static str, why: String },
    #[error("the component failed when asked to describe itself: {0}")]
    Describe(String),
    #[error(transparent)]
    Description(#[from] DescriptionError),
    #[error("the compiler was stopped")]
    Stopped,
    #[error("too many plugins wait to be compiled; try again in a few minutes")]
    Busy,
}

impl Runtime {
    /// Loads a plugin: checks, compiles (or reads from the cache) and links its component, and asks
    /// it for its description. Compiling takes seconds for large components; it runs off the
    /// threads that serve calls, and accounts share the compiler fairly.
    pub async fn load(&self, spec: PluginSpec) -> Result<Arc<Plugin>, LoadError> {
        let (plugin, version) = (spec.name.clone(), spec.version.clone());
        self.try_load(spec).await.map_err(|cause| LoadError { plugin, version, cause })
    }

    async fn try_load(&self, spec: PluginSpec) -> Result<Arc<Plugin>, LoadProblem> {
        let shared = &self.0;
        check_form(&spec.wasm, shared.limits.max_component)?;
        let Compiled { component, fresh } = compiled(shared, &spec).await?;
        let linked = audit_and_link(&shared.engine, &component, &spec)?;
        let limits = spec.limits.clone().within(&shared.limits);
        check_needs(&component, &limits)?;
        let facts = Arc::new(PluginFacts::of(&spec));
        let loaded = Arc::new(loaded_plugin(shared, facts.clone(), &spec, &limits));
        let turn = shared.describing.take(spec.tenant.as_ref(), WAIT).await.map_err(|_| LoadProblem::Busy)?;
        let described = describe_plugin(shared, &linked, &loaded, &limits, &spec).await?;
        drop(turn);
        let checked = checked(shared, spec.sha256, described, limits.clone()).await;
        let described = checked.ok_or(LoadProblem::Stopped)??;
        if let Some(code) = fresh {
            store_compiled(shared, code, spec.sha256).await;
        }
        let memory_bytes = limits.memory_bytes;
        let program = ComponentProgram { shared: shared.clone(), loaded, memory_bytes, component: linked };
        Ok(Arc::new(Plugin::new(&shared.pool, facts, limits, described, Box::new(program))))
    }
}

impl PluginLoader for Runtime {
    fn load(&self, spec: PluginSpec) -> BoxFuture<'_, Result<Arc<Plugin>, LoadFailure>> {
        let failure = |error: LoadError| LoadFailure {
            is_transient: error.is_transient(),
            is_busy: error.is_busy(),
            reason: error.to_string(),
        };
        Self::load(self, spec).map_err(failure).boxed()
    }

    fn has_compiled_code(&self, sha256: &[u8; 32]) -> bool {
        self.0.cache.iter().chain(&self.0.installed).any(|cache| cache.has(sha256))
    }

    fn remove_compiled_code(&self, sha256: &[u8; 32]) {
        if let Some(cache) = &self.0.cache {
            cache.forget(sha256);
        }
    }

    fn sweep_compiled_code(&self, keep: &HashSet<[u8; 32]>, before: SystemTime) -> io::Result<usize> {
        self.0.cache.as_ref().map_or(Ok(0), |cache| cache.sweep(keep, before))
    }
}

/// The longest time that a component waits to be compiled.
const WAIT: Duration = Duration::from_millis(COMPILE_WAIT_MS_MAX);

/// A component that can be linked.
struct Compiled {
    component: Component,
    /// Newly compiled code; `None` if the code was in the cache.
    fresh: Option<Vec<u8>>,
}

/// Stores compiled code in the cache after the plugin has loaded, so that a plugin that fails to
/// load is not cached.
async fn store_compiled(shared: &Arc<Shared>, code: Vec<u8>, sha256: [u8; 32]) {
    let shared = shared.clone();
    let stored = tokio::task::spawn_blocking(move || {
        if let Some(cache) = &shared.cache {
            cache.put(&sha256, &code);
        }
    });
    if let Err(error) = stored.await {
        tracing::warn!(%error, "compiled code was not cached");
    }
}

/// Checks the size and kind of a file, without parsing it.
fn check_form(wasm: &[u8], max: usize) -> Result<(), LoadProblem> {
    if wasm.len() > max {
        return Err(LoadProblem::TooLarge { size: wasm.len(), max });
    }
    if Engine::detect_precompiled(wasm).is_some() {
        return Err(LoadProblem::Precompiled);
    }
    // Magic, then version and layer: components are layer 1, modules layer 0.
    match wasm.first_chunk::<8>() {
        Some([0, b'a', b's', b'm', _, _, 1, 0]) => Ok(()),
        Some([0, b'a', b's', b'm', _, _, 0, 0]) => Err(LoadProblem::CoreModule),
        _ => Err(LoadProblem::NotWasm),
    }
}

/// Returns the component from the cache; if missing, waits for a compiler slot and compiles it.
async fn compiled(shared: &Arc<Shared>, spec: &PluginSpec) -> Result<Compiled, LoadProblem> {
    if let Some(component) = cached(shared, spec).await? {
        return Ok(Compiled { component, fresh: None });
    }
    let _turn = shared.compiling.take(spec.tenant.as_ref(), WAIT).await.map_err(|_| LoadProblem::Busy)?;
    // Another load may have compiled the same component while this one waited.
    if let Some(component) = cached(shared, spec).await? {
        return Ok(Compiled { component, fresh: None });
    }
    let wasm = spec.wasm.clone();
    blocking(move || COMPONENT_LIMITS.check(&wasm)).await??;
    let (wasm, layout, target) = (spec.wasm.clone(), shared.layout, shared.target);
    let code = match &shared.compiler {
        Compiler::Child(compiler) => compiler.compile(layout, target, wasm).await?,
        Compiler::InProcess => blocking(move || child::compile(layout, target, &wasm))
            .await?
            .map_err(|error| CompileError::Refused(error.to_string()))?,
    };
    let engine = shared.engine.clone();
    let loaded = blocking(move || native::load(&engine, &Authentic::vouch(&code)).map(|component| (component, code)));
    let (component, code) = loaded.await?.map_err(|error| LoadProblem::Invalid(one_line(&error)))?;
    Ok(Compiled { component, fresh: Some(code) })
}

/// Returns the component from the cache, if its compiled code is there.
async fn cached(shared: &Arc<Shared>, spec: &PluginSpec) -> Result<Option<Component>, LoadProblem> {
    let (shared, wasm, sha256) = (shared.clone(), spec.wasm.clone(), spec.sha256);
    blocking(move || {
        // Cached code is stored under this digest, so the digest must be verified.
        if Sha256::digest(&wasm).as_slice() != sha256 {
            return Err(LoadProblem::OtherDigest);
        }
        let load = |cache: &CodeCache| native::load(&shared.engine, &cache.get(&sha256)?).ok();
        Ok(shared.cache.as_ref().and_then(load).or_else(|| shared.installed.as_ref().and_then(load)))
    })
    .await?
}

/// Runs blocking work off the threads that serve calls.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, LoadProblem> {
    tokio::task::spawn_blocking(work).await.map_err(|_| LoadProblem::Stopped)
}

/// Checks the component's imports against its grants, then links it.
fn audit_and_link(engine: &Engine, component: &Component, spec: &PluginSpec) -> Result<LinkedComponent, LoadProblem> {
    let r#type = component.component_type();
    let imports: Vec<(&str, ComponentItem)> = r#type.imports(engine).map(|(name, item)| (name, item.ty)).collect();
    let names = imports.iter().map(|(name, _)| *name);
    let needs = grants::audit(&spec.name, names, &spec.asked, &spec.allowed)?;
    if let Some((name, _)) = imports.iter().find(|(_, item)| !matches!(item, ComponentItem::ComponentInstance(_))) {
        return Err(LoadProblem::Grant(GrantError::Unknown { import: (*name).to_owned() }));
    }
    link::link(engine, component, spec.kind, &needs)
        .map_err(|error| LoadProblem::World { world: spec.kind.as_str(), why: one_line(&error) })
}

/// Checks the component's declared memories and tables against its limits. The limiter would also
/// refuse them, but only at each call.
fn check_needs(component: &Component, limits: &CallLimits) -> Result<(), LoadProblem> {
    let Some(needs) = component.resources_required() else {
        return Err(LoadProblem::Needs("it imports core modules, so its needs cannot be determined".to_owned()));
    };
    let bytes = needs.max_initial_memory_size.unwrap_or(0).saturating_mul(64 << 10);
    let memory = u64::try_from(limits.memory_bytes).unwrap_or(u64::MAX);
    if bytes > memory {
        let text =
            format!("{bytes} bytes of memory to start; its limit is {memory} (`limits.memory_mib` in plugin.toml)");
        return Err(LoadProblem::Needs(text));
    }
    if needs.num_memories > GUEST_MEMORIES_MAX {
        return Err(LoadProblem::Needs(format!("{} memories; at most {GUEST_MEMORIES_MAX}", needs.num_memories)));
    }
    if needs.num_tables > GUEST_TABLES_MAX {
        return Err(LoadProblem::Needs(format!("{} tables; at most {GUEST_TABLES_MAX}", needs.num_tables)));
    }
    let elements = needs.max_initial_table_size.unwrap_or(0);
    if elements > u64::try_from(GUEST_TABLE_ELEMENTS_MAX).unwrap_or(u64::MAX) {
        return Err(LoadProblem::Needs(format!("a table of {elements} elements; at most {GUEST_TABLE_ELEMENTS_MAX}")));
    }
    Ok(())
}

fn loaded_plugin(shared: &Shared, facts: Arc<PluginFacts>, spec: &PluginSpec, limits: &CallLimits) -> LoadedPlugin {
    LoadedPlugin {
        facts,
        config: spec.config.clone(),
        secrets: spec.secrets.clone(),
        allow_hosts: spec.allow_hosts.clone(),
        limits: ReportedLimits::new(&spec.limits, &shared.limits),
        kv_bytes: limits.kv_bytes,
        egress: shared.egress.clone(),
        fairness: shared.fairness.clone(),
        counter_locks: shared.counter_locks.clone(),
        write_budget: shared.write_budget.clone(),
    }
}

/// Calls `describe` of a plugin, without a caller and without services.
async fn describe_plugin(
    shared: &Shared,
    component: &LinkedComponent,
    loaded: &Arc<LoadedPlugin>,
    limits: &CallLimits,
    spec: &PluginSpec,
) -> Result<DescriptionText, LoadProblem> {
    let time = Duration::from_millis(DESCRIBE_MS_MAX);
    let deadline = Instant::now().checked_add(time).unwrap_or_else(Instant::now);
    let state = State::new(loaded.clone(), "load".to_owned(), 0, Services::none(), limits.memory_bytes, deadline);
    let mut store = state.into_store(&shared.engine);
    let described = async {
        match component {
            LinkedComponent::Bridge(pre) => pre.instantiate_async(&mut store).await?.call_describe(&mut store).await,
            LinkedComponent::Agent(pre) => pre.instantiate_async(&mut store).await?.call_describe(&mut store).await,
        }
    };
    match tokio::time::timeout(time, described).await {
        Ok(Ok(description)) => Ok(description_text(description, spec.input_schema.clone())),
        Ok(Err(error)) => Err(LoadProblem::Describe(describe_failure(&failure::stopped(store.data(), true, &error)))),
        Err(_) => {
            Err(LoadProblem::Describe(format!("the time limit was reached: no answer within {DESCRIBE_MS_MAX} ms")))
        }
    }
}

/// Converts a component's description. For a declared agent, `input_schema` replaces the
/// component's schema, and the component's examples are dropped, because they belong to
/// another agent.
fn description_text(described: types::Description, input_schema: Option<String>) -> DescriptionText {
    let types::Description { input_schema: own_schema, output_schema, examples } = described;
    let examples = match input_schema {
        Some(_) => Vec::new(),
        None => examples.into_iter().map(|types::Example { input, output }| ExampleText { input, output }).collect(),
    };
    DescriptionText { input_schema: input_schema.unwrap_or(own_schema), output_schema, examples }
}

fn describe_failure(failure: &Failure) -> String {
    failure.report().map_or_else(
        || failure.to_string(),
        |report| {
            let panic = report.panic.iter().map(|panic| format!(", after the panic: {panic}"));
            let function = report.function.iter().map(|function| format!(", in {function}"));
            std::iter::once(report.reason.clone()).chain(function).chain(panic).collect()
        },
    )
}

/// Returns the engine's explanation as one line of bounded length.
fn one_line(error: &wasmtime::Error) -> String {
    text::clean(&format!("{error:#}"), PLUGIN_TEXT_BYTES_MAX)
}
