//! The command `tollbridge report`.

use anyhow::Result;
use clap::Subcommand;
use serde_json::Value;
use tollbridge_operator::command;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::publisher::text;
use super::target;

#[derive(Subcommand, Debug)]
pub(super) enum ReportCommand {
    /// Report the revenue from calls and models
    Revenue {
        /// Group rows by plugin, minute, day, account or owner; separate several with commas
        #[arg(long, value_delimiter = ',', default_value = "plugin")]
        by: Vec<String>,
        /// Not before this time: 2026-11-23, 2026-11-23T10:00:00Z, 7d, 24h
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        /// Before this time
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
        /// Print comma-separated values
        #[arg(long)]
        csv: bool,
        #[command(flatten)]
        data: DataArgs,
    },
}

const SUMS: [&str; 5] = ["sales", "gross_gbp", "developer_gbp", "platform_gbp", "treasury_gbp"];

pub(super) async fn run(command: ReportCommand, global: &Global, out: Output) -> Result<()> {
    let ReportCommand::Revenue { by, since, until, csv, data } = command;
    let columns: Vec<&str> = by.iter().map(String::as_str).chain(SUMS).collect();
    let answer = target::run(global, &data, command::ReportRevenue { by: by.clone(), since, until }).await?;
    let rows = answer.get("rows").and_then(Value::as_array).into_iter().flatten();
    let mut rows: Vec<Vec<String>> = rows.map(|row| columns.iter().map(|column| text(row, column)).collect()).collect();
    if csv {
        out.line(&columns.join(","));
        for row in rows {
            out.line(&row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
        }
        return Ok(());
    }
    let total = answer.get("total").unwrap_or(&Value::Null);
    rows.push(columns.iter().enumerate().map(|(place, column)| total_cell(total, place, column)).collect());
    let heads: Vec<String> = columns.iter().map(|column| column.trim_end_matches("_gbp").to_uppercase()).collect();
    out.result(&answer, || table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), &rows));
    Ok(())
}

fn total_cell(total: &Value, place: usize, column: &str) -> String {
    match SUMS.contains(&column) {
        true => text(total, column),
        false if place == 0 => "total".to_owned(),
        false => String::new(),
    }
}

/// Quotes a CSV cell (RFC 4180), and prefixes what a spreadsheet would treat as a formula.
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@']);
    match cell.contains(['"', ',', '\n', '\r']) || formula {
        true => format!("\"{}{}\"", if formula { "'" } else { "" }, cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
