//! The command `tollbridge ledger`: verifies, reads and exports the sealed ledger.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::json;
use tollbridge_ledger::{CheckpointKey, SignedCheckpoint, Trust, VerificationReport, verify};
use tollbridge_operator::{Statement, StatementRow, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;
use tollbridge_tools::working::ProgressIndicator;

use super::shown::lines;
use super::target::{self, Target};
use crate::app;
use crate::exit::Exit;

#[derive(Subcommand, Debug)]
pub(super) enum LedgerCommand {
    /// Verify every record, balance, split, proof and signature
    Verify(VerifyArgs),
    /// Export the whole ledger as JSON lines
    Export {
        /// File to write [default: standard output]
        #[arg(long, short)]
        output: Option<PathBuf>,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show a record by number, seal or transaction id
    Show {
        record: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Print the proof of a record or of an agent's task, as JSON
    Proof {
        /// The seal, as in X-Worm-Seal, or a task's id
        seal: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Print a statement of a ledger account such as `platform` or `treasury`, by day and kind, as CSV
    Statement {
        /// Account name as in docs/ledger-format.md
        account: String,
        #[command(flatten)]
        data: DataArgs,
    },
    /// Continue without a lost or damaged tollbridge.journal; commits that were only in
    /// the journal are lost
    GiveUpJournal {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Show the size, newest seal and signed checkpoint
    Head {
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Args, Debug)]
pub(super) struct VerifyArgs {
    /// An export to check instead of the data folder; `-` is standard input
    #[arg(long, value_name = "FILE")]
    export: Option<PathBuf>,
    #[command(flatten)]
    trust: TrustArgs,
    #[command(flatten)]
    data: DataArgs,
}

/// Keys and checkpoints against which to verify a ledger.
#[derive(Args, Debug)]
pub(super) struct TrustArgs {
    /// Public key that checkpoints must be signed with (`ledger head` shows it)
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,
    /// File with an older checkpoint that must still be valid
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,
}

/// Formats a statement as CSV; no field contains a comma or a quote.
fn csv(statement: &Statement) -> String {
    let row =
        |StatementRow { day, kind, records, millipence, gbp }: &_| format!("{day},{kind},{records},{millipence},{gbp}");
    std::iter::once("day,kind,records,millipence,gbp".to_owned())
        .chain(statement.rows.iter().map(row))
        .collect::<Vec<_>>()
        .join("\n")
}

pub(super) async fn run(command: LedgerCommand, global: &Global, out: Output) -> Result<ExitCode> {
    match command {
        LedgerCommand::Verify(args) => return check(args, global, out).await,
        LedgerCommand::Export { output, data } => {
            let mut file: Box<dyn Write + Send> = match &output {
                Some(path) => Box::new(BufWriter::new(File::create(path).with_context(|| path.display().to_string())?)),
                None => Box::new(std::io::stdout()),
            };
            export(&Target::open(global, &data).await?, file.as_mut()).await?;
            file.flush()?;
        }
        LedgerCommand::Show { record, data } => {
            let answer = target::run(global, &data, command::LedgerShow { record }).await?;
            out.result(&answer, || serde_json::to_string_pretty(&answer).unwrap_or_default());
        }
        LedgerCommand::Proof { seal, data } => {
            let answer = target::run(global, &data, command::LedgerProof { seal }).await?;
            out.result(&answer, || serde_json::to_string_pretty(&answer).unwrap_or_default());
        }
        LedgerCommand::Statement { account, data } => {
            target::show_answer(global, &data, out, command::LedgerStatement { account }, csv).await?;
        }
        LedgerCommand::GiveUpJournal { data } => {
            let dir = global.config(&data)?.data.dir;
            let left = tokio::task::spawn_blocking(move || app::discard_journal(&dir)).await??;
            let saved_path = left.kept.map(|path| path.display().to_string());
            out.result(&json!({ "records": left.records, "kept": saved_path }), || {
                let saved_path = saved_path
                    .as_deref()
                    .map(|saved_path| format!("; the file was kept as {saved_path}"))
                    .unwrap_or_default();
                format!("Journal discarded; records left: {}{saved_path}", left.records)
            });
        }
        LedgerCommand::Head { data } => {
            target::show_answer(global, &data, out, command::LedgerHead {}, lines).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn export(target: &Target, out: &mut (dyn Write + Send)) -> Result<()> {
    match target {
        Target::Stopped { notary, .. } => notary.ledger().export(out).map(drop).map_err(Into::into),
        Target::Running(remote) => remote.export(out).await,
    }
}

/// Verifies the given export, or a new one of the data folder.
async fn check(args: VerifyArgs, global: &Global, out: Output) -> Result<ExitCode> {
    let working = ProgressIndicator::begin(out, "checking the ledger");
    let outcome = checked(args, global).await;
    drop(working);
    Ok(match outcome? {
        Ok(report) => holds(&report, out),
        Err(why) => broken(&why, out),
    })
}

/// Returns the report, or the reason why the ledger is invalid.
async fn checked(args: VerifyArgs, global: &Global) -> Result<Result<VerificationReport, String>> {
    let trust = args.trust.read()?;
    let report = match &args.export {
        Some(path) if path == Path::new("-") => verify(&mut BufReader::new(std::io::stdin()), trust),
        Some(path) => {
            let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
            verify(&mut BufReader::new(file), trust)
        }
        None => {
            let mut file = tempfile::tempfile().context("no room for a temporary export")?;
            match Target::open(global, &args.data).await? {
                // On a stopped server, verify the indexes and the stored tree too.
                Target::Stopped { notary, .. } => {
                    return Ok(notary.ledger().verify(&trust).map_err(|error| error.to_string()));
                }
                Target::Running(remote) => remote.export(&mut file).await?,
            }
            std::io::Seek::rewind(&mut file)?;
            verify(&mut BufReader::new(file), trust)
        }
    };
    Ok(report.map_err(|failure| failure.to_string()))
}

impl TrustArgs {
    pub(super) fn read(&self) -> Result<Trust> {
        let keys = self.key.iter();
        let keys = keys.map(|key| key.parse::<CheckpointKey>().with_context(|| format!("`{key}` is not a key")));
        let since = match &self.since {
            Some(path) => {
                let mut note = String::new();
                let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
                file.take(64 << 10).read_to_string(&mut note)?;
                Some(
                    SignedCheckpoint::parse(&note)
                        .with_context(|| format!("{} is not a checkpoint", path.display()))?,
                )
            }
            None => None,
        };
        Ok(Trust { keys: keys.collect::<Result<_>>()?, since })
    }
}

fn holds(report: &VerificationReport, out: Output) -> ExitCode {
    let value = json!({ "ok": true, "report": report });
    out.result(&value, || {
        format!(
            "the ledger is valid: {} records, {} checkpoints, {} accounts; signed up to record {}",
            report.records, report.checkpoints, report.accounts, report.covered
        )
    });
    if report.uncovered > 0 {
        out.note(&format!("{} newer records are not covered by a checkpoint yet", report.uncovered));
    }
    ExitCode::SUCCESS
}

fn broken(reason: &str, out: Output) -> ExitCode {
    out.result(&json!({ "ok": false, "error": reason }), || format!("the ledger is invalid: {reason}"));
    Exit::Broken.into()
}
