//! `tollbridge plugin …`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;
use tollbridge_tools::{plugin_bench, plugin_build, plugin_new, plugin_test};

use super::{plugin_acts, plugin_publish, plugin_push};

#[derive(Subcommand, Debug)]
pub(super) enum PluginCommand {
    /// Start a new plugin in a folder of its own
    New(plugin_new::NewArgs),
    /// Build plugins into components
    Build(plugin_build::BuildArgs),
    /// Look at a plugin as the host would: manifest, world, imports, schemas
    Check(plugin_test::CheckArgs),
    /// Run a plugin's cases, natively and inside its component
    Test(plugin_test::TestArgs),
    /// Time a plugin's cases inside its component, and beside that natively
    Bench(plugin_bench::BenchArgs),
    /// Call a plugin on this machine, without a server and without paying
    Call(plugin_test::LocalCallArgs),
    /// Sign a plugin and put it into the registry
    Publish(plugin_publish::PublishArgs),
    /// Push a published version to a registry of OCI artifacts
    Push(plugin_push::PushArgs),
    /// Pull a version from a registry of OCI artifacts into the registry folder
    Pull(plugin_push::PullArgs),
    #[command(flatten)]
    Act(plugin_acts::ActCommand),
}

pub(super) async fn run(command: PluginCommand, global: &Global, out: Output) -> Result<()> {
    match command {
        PluginCommand::New(args) => plugin_new::run(args, &out),
        PluginCommand::Build(args) => plugin_build::run(args, &out),
        PluginCommand::Check(args) => plugin_test::check(args, global, out).await,
        PluginCommand::Test(args) => plugin_test::test(args, global, out).await,
        PluginCommand::Bench(args) => plugin_bench::run(args, global, out).await,
        PluginCommand::Call(args) => plugin_test::call(args, global, out).await,
        PluginCommand::Publish(args) => plugin_publish::run(args, global, out).await,
        PluginCommand::Push(args) => plugin_push::push(args, global, out).await,
        PluginCommand::Pull(args) => plugin_push::pull(args, global, out).await,
        PluginCommand::Act(command) => plugin_acts::run(command, global, out).await,
    }
}
