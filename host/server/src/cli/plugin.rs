//! The command `tollbridge plugin`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;
use tollbridge_tools::{plugin_bench, plugin_build, plugin_call, plugin_new, plugin_test};

use super::{plugin_acts, plugin_login, plugin_publish, plugin_push, plugin_reproduce};

#[derive(Subcommand, Debug)]
pub(super) enum PluginCommand {
    /// Start a new plugin in its own folder
    New(plugin_new::NewArgs),
    /// Build plugins into components
    Build(plugin_build::BuildArgs),
    /// Check a plugin as the host would: manifest, world, imports, schemas
    Check(plugin_test::CheckArgs),
    /// Run a plugin's cases, natively and inside its component
    Test(plugin_test::TestArgs),
    /// Measure how long a plugin's cases take in its component, and natively for
    /// comparison
    Bench(plugin_bench::BenchArgs),
    /// Call a plugin on this machine, without a server and without paying
    Call(plugin_call::LocalCallArgs),
    /// Repeat a call that failed on a server, with the plugin that this folder builds
    Reproduce(plugin_reproduce::ReproduceArgs),
    /// Sign a plugin and publish it to the registry
    Publish(plugin_publish::PublishArgs),
    /// Push a published version to an OCI registry
    Push(plugin_push::PushArgs),
    /// Pull a version from an OCI registry into the registry folder
    Pull(plugin_push::PullArgs),
    /// Store an API key for a server, so that commands need not repeat it
    Login(plugin_login::LoginCommandArgs),
    /// Delete the stored key of a log-in
    Logout(plugin_login::ProfileArgs),
    /// Show the account and scopes of a log-in's key
    Whoami(plugin_login::ProfileArgs),
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
        PluginCommand::Call(args) => plugin_call::run(args, global, out).await,
        PluginCommand::Reproduce(args) => plugin_reproduce::run(args, global, out).await,
        PluginCommand::Publish(args) => plugin_publish::run(args, global, out).await,
        PluginCommand::Push(args) => plugin_push::push(args, global, out).await,
        PluginCommand::Pull(args) => plugin_push::pull(args, global, out).await,
        PluginCommand::Login(args) => plugin_login::login(args, out).await,
        PluginCommand::Logout(args) => plugin_login::logout(&args, out),
        PluginCommand::Whoami(args) => plugin_login::whoami(&args, out).await,
        PluginCommand::Act(command) => plugin_acts::run(command, global, out).await,
    }
}
