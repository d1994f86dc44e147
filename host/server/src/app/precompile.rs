//! Compiling ahead: a start that serves nobody, and whose compiled code goes along
//! with the program.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use tollbridge_core::config::Config;
use tollbridge_core::egress::Egress;
use tollbridge_runtime::plugins::{
    ChildCompiler, CodeFolders, CodeTarget, Compiler, INSTALLED_KEY, Runtime, RuntimeKeys,
};
use zeroize::Zeroizing;

use super::base::Base;
use super::engine::OpenedFor;
use super::serve::{LOADING_TOLD_EVERY, runtime_limits, start_gateway, start_plugins};
use super::services;

/// What was compiled.
pub struct Precompiled {
    /// Plugins that load.
    pub live: usize,
    /// Those that do not, whatever keeps them.
    pub unavailable: usize,
}

/// Compiles every plugin of a registry for any processor of this kind into a folder
/// that is not there yet, or is empty. `told` hears how many serve and how many are
/// to come.
///
/// # Errors
/// The folder or the registry cannot be used.
pub async fn precompile(mut config: Config, to: &Path, told: impl Fn(usize, usize)) -> Result<Precompiled> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    ensure!(fs::read_dir(to)?.next().is_none(), "{} is not empty; name a folder that is", to.display());
    let work = to.join(".work");
    config.data.dir.clone_from(&work);
    let target = to.to_owned();
    let base = tokio::task::spawn_blocking(move || Base::open(config, OpenedFor::Command)).await??;
    let counts = compile(&base, &target, told).await;
    drop(base);
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    let (live, unavailable) = counts?;
    publish(to)?;
    Ok(Precompiled { live, unavailable })
}

async fn compile(base: &Base, to: &Path, told: impl Fn(usize, usize)) -> Result<(usize, usize)> {
    let keys = RuntimeKeys { code_cache: Zeroizing::new(INSTALLED_KEY), pseudonyms: base.vault.secret("pseudonyms")? };
    let compiler = ChildCompiler::of_this_program().context("this program's own file cannot be found")?;
    let code = CodeFolders { cache: Some(to), installed: None, target: CodeTarget::AnyProcessor };
    let egress = Arc::new(Egress::new(Vec::new())?);
    let limits = runtime_limits(&base.config);
    let runtime = Runtime::start_with_compiler(Compiler::Child(compiler), limits, keys, code, egress)?;
    let gateway = Arc::new(start_gateway(base)?);
    let services = services::services(base.db.shared_store(), base.notary.clone(), gateway);
    let plugins = start_plugins(base, services.models, runtime, None).await?;
    let counts = || plugins.catalog.snapshot().counts();
    let mut moments = tokio::time::interval(LOADING_TOLD_EVERY);
    let loaded = plugins.reconciler.refresh();
    tokio::pin!(loaded);
    loop {
        tokio::select! {
            () = &mut loaded => return Ok(counts()),
            _ = moments.tick() => told(counts().0, plugins.reconciler.loading()),
        }
    }
}

/// Everybody may read it.
fn publish(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        fs::set_permissions(entry?.path(), fs::Permissions::from_mode(0o644))?;
    }
    Ok(fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?)
}
