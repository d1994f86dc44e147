//! What the bridge `security_scan` finds.

use agent_common::Answer;
use serde::Deserialize;
use serde_json::json;
use tollbridge_sdk::{Error, bridges};

use crate::file::File;
use crate::remark::{Kind, Remark};
use crate::source::Source;

#[derive(Deserialize)]
struct Scan {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
struct Finding {
    rule: String,
    severity: String,
    path: String,
    line: usize,
    message: String,
    remedy: String,
    cwe: String,
}

/// Remarks on what is not safe.
pub fn ask(files: &[File], sources: &[Source]) -> Result<Answer<Vec<Remark>>, Error> {
    let scan: Answer<Scan> = bridges::call("security_scan", &json!({ "files": files }))?;
    let remarks = scan.result.findings.into_iter().map(|finding| remark(finding, sources)).collect();
    Ok(Answer { result: remarks, limitations: scan.limitations })
}

/// The remark of a finding.
fn remark(finding: Finding, sources: &[Source]) -> Remark {
    let source = sources.iter().find(|source| source.path == finding.path);
    let line = source.and_then(|source| source.lines.get(finding.line.saturating_sub(1)));
    let secret = finding.rule.starts_with("secret");
    Remark {
        severity: finding.severity,
        kind: Kind::Security,
        path: finding.path,
        line: finding.line,
        message: finding.message,
        remedy: finding.remedy,
        rule: format!("{} ({})", finding.rule, finding.cwe),
        // A secret is shown nowhere.
        quote: line.filter(|_| !secret).map(|line| line.raw.trim().chars().take(160).collect()).unwrap_or_default(),
    }
}
