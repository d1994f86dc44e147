//! The command `tollbridge precompile`.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use serde_json::json;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;

use crate::app;

/// Compile a registry's plugins ahead of time, for packages
///
/// The result runs on any processor of this architecture. A server finds it through
/// `plugins.precompiled`, and its first start then compiles nothing. The folder must belong to root
/// or to the program's owner, and be writable by no one else.
#[derive(Args, Debug)]
pub(super) struct PrecompileArgs {
    /// Folder to create
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// Registry folder
    #[arg(long, value_name = "DIR")]
    registry: Option<PathBuf>,
}

pub(super) async fn run(args: PrecompileArgs, global: &Global, out: Output) -> Result<()> {
    let registry = args.registry.map(|path| path.display().to_string());
    let config = global.load(&[("--registry", "registry.dir", registry)])?.config;
    let progress = |live, loading| out.progress(&format!("compiling: {live} done, {loading} to go"));
    let done = app::precompile(config, &args.to, progress).await?;
    out.progress("");
    out.result(&json!({ "folder": args.to, "live": done.live, "unavailable": done.unavailable }), || {
        format!("{} plugins are compiled in {}", done.live, args.to.display())
    });
    ensure!(done.unavailable == 0, "{} plugins do not load; `tollbridge serve` says why", done.unavailable);
    Ok(())
}
