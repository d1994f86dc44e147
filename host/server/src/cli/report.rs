//! The command `tollbridge report`.

use anyhow::Result;
use clap::Subcommand;
use tollbridge_operator::{Revenue, RevenueRow, RevenueSums, command};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::{Output, table};

use super::shown::cells;
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

pub(super) async fn run(command: ReportCommand, global: &Global, out: Output) -> Result<()> {
    let ReportCommand::Revenue { by, since, until, csv, data } = command;
    let command = command::ReportRevenue { by: by.clone(), since, until };
    if !csv {
        return target::show_answer(global, &data, out, command, |report| described(&by, report)).await.map(drop);
    }
    let report = target::ask(global, &data, command).await?;
    out.line(&[by.clone(), SUMS.map(str::to_owned).to_vec()].concat().join(","));
    for row in rows(&by, &report) {
        out.line(&row.iter().map(|cell| quoted(cell)).collect::<Vec<_>>().join(","));
    }
    Ok(())
}

const SUMS: [&str; 5] = ["sales", "gross_gbp", "developer_gbp", "platform_gbp", "treasury_gbp"];

fn sums(RevenueSums { sales, gross_gbp, developer_gbp, platform_gbp, treasury_gbp, .. }: &RevenueSums) -> Vec<String> {
    cells((sales, gross_gbp, developer_gbp, platform_gbp, treasury_gbp))
}

fn rows(by: &[String], report: &Revenue) -> Vec<Vec<String>> {
    let keys =
        |row: &RevenueRow| by.iter().map(|name| row.by.get(name).cloned().unwrap_or_default()).collect::<Vec<_>>();
    report.rows.iter().map(|row| [keys(row), sums(&row.sums)].concat()).collect()
}

fn described(by: &[String], report: &Revenue) -> String {
    let mut rows = rows(by, report);
    let total = by.iter().enumerate().map(|(place, _)| if place == 0 { "total" } else { "" }.to_owned());
    rows.push([total.collect(), sums(&report.total)].concat());
    let heads = by.iter().map(String::as_str).chain(SUMS.map(|name| name.trim_end_matches("_gbp")));
    let heads: Vec<String> = heads.map(str::to_uppercase).collect();
    table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), &rows)
}

/// Quotes a CSV cell (RFC 4180), and prefixes what a spreadsheet would treat as a formula.
fn quoted(cell: &str) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@']);
    match cell.contains(['"', ',', '\n', '\r']) || formula {
        true => format!("\"{}{}\"", if formula { "'" } else { "" }, cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}
