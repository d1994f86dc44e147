//! The command `tollbridge earn task|budget`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde_json::Value;
use tollbridge_operator::{Command, EarnTaskSpec, EarnTaskView, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::{cells, lines};
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum EarnCommand {
    /// Manage the tasks that pay 78 p each
    #[command(subcommand)]
    Task(TaskCommand),
    /// Manage the budget that pays for the tasks
    #[command(subcommand)]
    Budget(BudgetCommand),
}

#[derive(Subcommand, Debug)]
pub(super) enum TaskCommand {
    /// Create a task
    Add(AddArgs),
    /// List tasks and how often each was completed
    List {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Close a task
    Close {
        id: String,
        /// Reopen it
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

#[derive(Args, Debug)]
pub(super) struct AddArgs {
    id: String,
    /// What to do
    #[arg(long)]
    description: String,
    /// File with the JSON Schema that a result must match
    #[arg(long, required_unless_present = "bridge", conflicts_with = "bridge")]
    schema: Option<PathBuf>,
    /// Bridge that checks results, for example validation
    #[arg(long)]
    bridge: Option<String>,
    /// JSON object passed to the bridge together with the result
    #[arg(long, requires = "bridge", default_value = "{}")]
    with: String,
    /// Maximum number of accounts that the task pays
    #[arg(long, default_value_t = 100)]
    max_completions: u64,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Subcommand, Debug)]
pub(super) enum BudgetCommand {
    /// Show the remaining budget
    Show {
        #[command(flatten)]
        data: DataArgs,
    },
    /// Add to the budget
    Add {
        /// Pounds, for example 50.00
        amount: String,
        /// Take the amount from the operator's share of the revenue from calls
        #[arg(long)]
        from_platform: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

pub(super) async fn run(command: EarnCommand, global: &Global, out: Output) -> Result<()> {
    let (data, command) = match command {
        EarnCommand::Task(TaskCommand::List { data }) => return list(global, &data, out).await,
        EarnCommand::Task(TaskCommand::Add(args)) => {
            let data = args.data.clone();
            (data, add(args)?)
        }
        EarnCommand::Task(TaskCommand::Close { id, undo, data }) => {
            (data, command::EarnTaskOpen { id, open: undo }.into())
        }
        EarnCommand::Budget(BudgetCommand::Show { data }) => (data, command::EarnBudgetShow {}.into()),
        EarnCommand::Budget(BudgetCommand::Add { amount, from_platform, data }) => {
            (data, command::EarnBudgetAdd { amount_gbp: amount, from_platform }.into())
        }
    };
    let answer = target::run(global, &data, command).await?;
    out.result(&answer, || lines(&answer));
    Ok(())
}

fn add(args: AddArgs) -> Result<Command> {
    let schema = args.schema.map(|path| -> Result<Value> {
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is not JSON", path.display()))
    });
    let with = serde_json::from_str(&args.with).context("--with is not JSON")?;
    let task = EarnTaskSpec {
        id: args.id,
        description: args.description,
        schema: schema.transpose()?,
        bridge: args.bridge,
        with,
        max_completions: args.max_completions,
    };
    Ok(command::EarnTaskAdd { task: Box::new(task) }.into())
}

async fn list(global: &Global, data: &DataArgs, out: Output) -> Result<()> {
    target::show_answer(global, data, out, command::EarnTaskList {}, |answer| {
        let row = |EarnTaskView { id, description, open, completions, max_completions, .. }: &_| {
            cells((id, open, completions, max_completions, description))
        };
        let rows: Vec<_> = answer.tasks.iter().map(row).collect();
        table(&["TASK", "OPEN", "DONE", "OF", "DESCRIPTION"], &rows)
    })
    .await
    .map(drop)
}
