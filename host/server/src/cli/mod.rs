//! The commands, one file each. A command parses its arguments, calls one service and writes the
//! answer: data to standard output, everything else to standard error.
//!
//! `crate::exit` defines the exit codes.

mod account;
mod audit;
mod backup;
mod call;
mod certificate;
mod compile_component;
mod completions;
mod config;
mod consent;
mod console;
mod credit;
mod dev;
mod dev_registry;
mod dispute;
mod doctor;
mod earn;
mod failed_call;
mod found_engines;
mod help;
mod http_client;
mod inference;
mod init;
mod key;
mod ledger;
mod log;
mod man;
mod payment;
mod plugin;
mod plugin_acts;
mod plugin_deploy;
mod plugin_login;
mod plugin_logs;
mod plugin_publish;
mod plugin_push;
mod plugin_replay;
mod plugin_reproduce;
mod precompile;
mod profiles;
mod publisher;
mod qualify;
mod ready_plugin;
mod report;
mod request;
mod restore;
mod run_engine;
mod serve;
mod server_access;
mod shown;
mod signing;
mod status;
mod store;
mod target;
mod terminal;
mod top;
mod top_frame;
mod webhooks;
mod withdrawal;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tollbridge_tools::explained::ExplainedError;
use tollbridge_tools::hinted::Hinted;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;

use crate::exit::Exit;

/// Sell calls to sandboxed WebAssembly plugins
#[derive(Parser, Debug)]
#[command(name = "tollbridge", version, propagate_version = true, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Serve bridges and agents
    Serve(serve::ServeArgs),
    Init(init::InitArgs),
    /// Serve, and rebuild and swap plugins while you edit them
    Dev(dev::DevArgs),
    Call(call::CallArgs),
    /// Create, build, test, publish and manage plugins
    #[command(subcommand)]
    Plugin(plugin::PluginCommand),
    /// Manage trusted publishers
    #[command(subcommand)]
    Publisher(publisher::PublisherCommand),
    /// Manage API keys
    #[command(subcommand)]
    Key(key::KeyCommand),
    /// Manage accounts
    #[command(subcommand)]
    Account(account::AccountCommand),
    /// Give credit from the house's own money
    #[command(subcommand)]
    Credit(credit::CreditCommand),
    /// Show, reconcile and refund payments
    #[command(subcommand)]
    Payment(payment::PaymentCommand),
    /// Show disputes: the money they took, deadlines, next steps
    #[command(subcommand)]
    Dispute(dispute::DisputeCommand),
    /// Show model providers: availability, failures, costs
    #[command(subcommand)]
    Inference(inference::InferenceCommand),
    Status(status::StatusArgs),
    Console(console::ConsoleArgs),
    Top(top::TopArgs),
    Audit(audit::AuditArgs),
    /// Look up requests by id
    #[command(subcommand)]
    Request(request::RequestCommand),
    /// Report revenue
    #[command(subcommand)]
    Report(report::ReportCommand),
    /// Manage earn tasks and their budget
    #[command(subcommand)]
    Earn(earn::EarnCommand),
    /// Receive and send webhooks locally; show and replay deliveries
    #[command(subcommand)]
    Webhooks(webhooks::WebhooksCommand),
    Backup(backup::BackupArgs),
    Restore(restore::RestoreArgs),
    Precompile(precompile::PrecompileArgs),
    /// Review withdrawals
    #[command(subcommand)]
    Withdrawal(withdrawal::WithdrawalCommand),
    /// Verify, read and export the sealed ledger
    #[command(subcommand)]
    Ledger(ledger::LedgerCommand),
    /// Manage the server's signing keys
    #[command(subcommand)]
    Signing(signing::SigningCommand),
    /// Move the ledger into PostgreSQL, or back
    #[command(subcommand)]
    Store(store::StoreCommand),
    /// Show and check the configuration
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Check this machine for missing requirements
    Doctor(doctor::DoctorArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
    /// Write the man pages into a folder
    Man(man::ManArgs),
    /// Compile the component on standard input, for a server
    #[command(hide = true)]
    CompileComponent(compile_component::CompileComponentArgs),
    /// Run an engine of models, for a server
    #[command(hide = true)]
    RunEngine(run_engine::RunEngineArgs),
}

/// Runs the program.
pub fn main() -> ExitCode {
    // The allocator asks for huge pages, which a small server barely fills: they would cost 13 MB
    // for nothing. The call may fail on kernels that lack it.
    let _ = rustix::thread::disable_transparent_huge_pages(true);
    let cli = match Cli::from_arg_matches(&help::with_help(Cli::command()).get_matches()) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    if let Command::CompileComponent(args) = cli.command {
        return compile_component::run(args);
    }
    if let Command::RunEngine(args) = &cli.command {
        return run_engine::run(args);
    }
    let out = Output::new(cli.global.json, cli.global.quiet, cli.global.color);
    // `serve` starts its log later, once its settings are known.
    if !matches!(cli.command, Command::Serve(_)) {
        // Servers log plugin failures; other commands report them as errors.
        let failures = match cli.command {
            Command::Serve(_) | Command::Dev(_) => log::Failures::Logged,
            _ => log::Failures::ToldByCommand,
        };
        log::start(&cli.global, false, None, failures);
    }
    // Only a second installation is an error, which cannot happen here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            out.error(&anyhow::anyhow!(error).context("cannot start the async runtime"));
            return Exit::Failed.into();
        }
    };
    match runtime.block_on(run(cli, out)) {
        Ok(code) => code,
        Err(error) => {
            out.error(&error);
            let hinted = error.downcast_ref::<Hinted>().map(|hinted| hinted.hint.as_str());
            let explained = error.downcast_ref::<ExplainedError>().and_then(|explained| explained.hint.as_deref());
            if let (Some(hint), false) = (hinted.or(explained), explained.is_some() && out.is_json()) {
                out.hint(hint);
            }
            Exit::Failed.into()
        }
    }
}

async fn run(cli: Cli, out: Output) -> anyhow::Result<ExitCode> {
    let global = &cli.global;
    match cli.command {
        Command::Serve(args) => Box::pin(serve::run(args, global, out)).await?,
        Command::Init(args) => init::run(args, out).await?,
        Command::Dev(args) => Box::pin(dev::run(args, global, out)).await?,
        Command::Call(args) => call::run(args, global, out).await?,
        Command::Plugin(command) => plugin::run(command, global, out).await?,
        Command::Publisher(command) => publisher::run(command, global, out).await?,
        Command::Key(command) => key::run(command, global, out).await?,
        Command::Account(command) => account::run(command, global, out).await?,
        Command::Credit(command) => credit::run(command, global, out).await?,
        Command::Payment(command) => payment::run(command, global, out).await?,
        Command::Dispute(command) => dispute::run(command, global, out).await?,
        Command::Inference(command) => inference::run(command, global, out).await?,
        Command::Status(args) => status::run(args, global, out).await?,
        Command::Console(args) => console::run(args, global, out).await?,
        Command::Top(args) => top::run(args, global, out).await?,
        Command::Audit(args) => audit::run(args, global, out).await?,
        Command::Request(command) => request::run(command, global, out).await?,
        Command::Report(command) => report::run(command, global, out).await?,
        Command::Earn(command) => earn::run(command, global, out).await?,
        Command::Webhooks(command) => webhooks::run(command, global, out).await?,
        Command::Backup(args) => backup::run(args, global, out).await?,
        Command::Restore(args) => return restore::run(args, out).await,
        Command::Precompile(args) => precompile::run(args, global, out).await?,
        Command::Withdrawal(command) => withdrawal::run(command, global, out).await?,
        Command::Ledger(command) => return ledger::run(command, global, out).await,
        Command::Signing(command) => signing::run(command, global, out).await?,
        Command::Store(command) => store::run(command, global, out).await?,
        Command::Config(command) => config::run(&command, global, out).await?,
        Command::Doctor(args) => return doctor::run(&args, global, out).await,
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command())?,
        Command::CompileComponent(args) => return Ok(compile_component::run(args)),
        Command::RunEngine(args) => return Ok(run_engine::run(&args)),
    }
    Ok(ExitCode::SUCCESS)
}
