//! Precompilation: starts the plugins of a registry without serving requests; the
//! compiled code can be shipped with the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tollbridge_core::config::Config;
use tollbridge_core::egress::Egress;
use tollbridge_runtime::{ChildCompiler, CodeFolders, CodeTarget, Compiler, INSTALLED_KEY, Runtime, RuntimeKeys};
use zeroize::Zeroizing;

use super::base::Base;
use super::engine::OpenPurpose;
use super::serve::{PROGRESS_INTERVAL, runtime_limits, start_gateway, start_plugins};
use super::services;

/// Counts of a precompilation.
pub struct Precompiled {
    /// Plugins that load.
    pub live: usize,
    /// Plugins that do not load, for whatever reason.
    pub unavailable: usize,
}

/// Compiles every plugin of a registry, for any processor of this architecture, into a
/// folder that is empty or does not exist. Reports progress through `progress`, which is
/// passed the numbers of serving and of loading plugins.
///
/// # Errors
///
/// The folder or the registry cannot be used.
pub async fn precompile(mut config: Config, to: &Path, progress: impl Fn(usize, usize)) -> Result<Precompiled> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    ensure!(fs::read_dir(to)?.next().is_none(), "{} is not empty; name an empty folder", to.display());
    let work = to.join(".work");
    config.data.dir.clone_from(&work);
    let target = to.to_owned();
    let base = tokio::task::spawn_blocking(move || Base::open(config, OpenPurpose::Command)).await??;
    let counts = compile(&base, &target, progress).await;
    drop(base);
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    let (live, unavailable) = counts?;
    publish(to)?;
    Ok(Precompiled { live, unavailable })
}

async fn compile(base: &Base, to: &Path, progress: impl Fn(usize, usize)) -> Result<(usize, usize)> {
    let keys = RuntimeKeys { code_cache: Zeroizing::new(INSTALLED_KEY), pseudonyms: base.vault.secret("pseudonyms")? };
    let compiler = ChildCompiler::of_this_program().context("cannot find this program's own file")?;
    let code = CodeFolders { cache: Some(to), installed: None, target: CodeTarget::AnyProcessor };
    let egress = Arc::new(Egress::new(Vec::new())?);
    let limits = runtime_limits(&base.config);
    let runtime = Runtime::start_with_compiler(Compiler::Child(compiler), limits, keys, code, egress)?;
    let gateway = Arc::new(start_gateway(base)?);
    let services = services::services(base, gateway);
    let plugins = start_plugins(base, services.models, runtime, None).await?;
    let counts = || plugins.catalog.snapshot().counts();
    let mut moments = tokio::time::interval(PROGRESS_INTERVAL);
    let loaded = plugins.reconciler.refresh();
    tokio::pin!(loaded);
    loop {
        tokio::select! {
            () = &mut loaded => return Ok(counts()),
            _ = moments.tick() => progress(counts().0, plugins.reconciler.loading()),
        }
    }
}

/// Makes the folder readable for all users.
fn publish(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::set_permissions(entry?.path(), fs::Permissions::from_mode(0o644))?;
    }
    Ok(fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?)
}
