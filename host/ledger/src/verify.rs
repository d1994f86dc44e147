//! The verifier: checks an export line by line, trusting nothing in it.
//!
//! Needs no store. Memory grows only with the number of transactions (32 bytes each, to
//! check that they are unique) and of accounts with a balance other than zero. The check
//! stops at the first failure and reports its line and record.

use std::io::{BufRead, Read};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tollbridge_store::Hash;

use super::books::{Books, BooksError};
use super::canonical_json;
use super::chain::Chain;
use super::checkpoint::Checkpoint;
use super::checkpoint::{CheckpointError, CheckpointKey, SignedCheckpoint};
use super::explanation::explanation;
use super::record::{Record, RecordError};
use crate::limits::{EXPORT_KEYS_MAX, EXPORT_LINE_BYTES_MAX};

/// Version of the export format.
pub(super) const EXPORT_VERSION: u64 = 1;
/// Value of the header's member `format`.
pub(super) const EXPORT_FORMAT: &str = "tollbridge-ledger";

/// Data that the reader trusts in addition to the file. Without a pinned key, the check shows
/// that the file is consistent, but not who made it.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    /// Pinned keys, one of which must have signed the newest checkpoint.
    pub keys: Vec<CheckpointKey>,
    /// An older checkpoint that the ledger must extend.
    pub since: Option<SignedCheckpoint>,
}

/// The results of a successful check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VerificationReport {
    /// Name of the ledger.
    pub origin: String,
    /// Number of records read.
    pub records: u64,
    /// Number of checkpoints read.
    pub checkpoints: u64,
    /// Number of records that the newest checkpoint covers.
    pub covered: u64,
    /// Number of records that no checkpoint covers yet.
    pub uncovered: u64,
    /// Seal of the newest record in hex.
    pub head_seal: String,
    /// Root of the tree over all records in hex.
    pub root: String,
    /// Number of accounts with a balance other than zero.
    pub accounts: u64,
    /// The key that signed the newest checkpoint, if there is one.
    pub key: Option<String>,
    /// Whether that key is one of the pinned keys.
    pub pinned: bool,
    /// Size of the older checkpoint that the ledger extends, if the reader passed one.
    pub since: Option<u64>,
    /// The mode of the ledger; `None` if it has no policy.
    pub mode: Option<super::bodies::Mode>,
}

/// Maximum length of a displayed problem in bytes.
const PROBLEM_BYTES_MAX: usize = 1_000;

/// The first problem of an export, and its position.
#[derive(Debug, thiserror::Error)]
#[error("line {line}{}: {}", record(.seq), shortened(.problem))]
pub struct VerificationFailure {
    /// Line of the export, counted from 1.
    pub line: u64,
    /// Number of the record that the line holds or should hold.
    pub seq: Option<u64>,
    /// The problem.
    #[source]
    pub problem: VerificationProblem,
}

/// A problem in an export.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each variant is documented by its error message")]
pub enum VerificationProblem {
    #[error("the line cannot be read: {0}")]
    Read(#[from] std::io::Error),
    #[error("the line is longer than {EXPORT_LINE_BYTES_MAX} bytes")]
    LineTooLong,
    #[error("the line is not UTF-8 text that ends with a newline")]
    NotText,
    #[error("the line is not canonical JSON")]
    NotCanonical,
    #[error("the line is not allowed here: {0}")]
    Unexpected(String),
    #[error(
        "the file is of format `{format}`, version {v}; this program reads {EXPORT_FORMAT}, version {EXPORT_VERSION}"
    )]
    Format { format: String, v: u64 },
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("key {0} is listed but signed no checkpoint of the file")]
    IdleKey(String),
    #[error("the record is damaged: {0}")]
    Record(#[from] RecordError),
    #[error("found record {found} in place of record {expected}")]
    Sequence { expected: u64, found: u64 },
    #[error("the record does not follow the previous one: its `prev` is not the previous seal")]
    Chain,
    #[error("the record is older than the previous one")]
    Time,
    #[error(transparent)]
    Books(#[from] BooksError),
    #[error("the checkpoint belongs to {origin}, not to this ledger")]
    OtherLedger { origin: String },
    #[error("the checkpoint has size {size}, but {records} records precede it")]
    CheckpointPlace { size: u64, records: u64 },
    #[error("the root of the {size} records does not match the signed root: a record was changed after it was signed")]
    Root { size: u64 },
    #[error("the newest checkpoint is not signed by a pinned key")]
    NotPinned,
    #[error("the file has no checkpoint, so no signature covers anything")]
    NoCheckpoint,
    #[error("the older checkpoint covers {since} records, but the file has {records}: it was truncated or rolled back")]
    Cut { since: u64, records: u64 },
    #[error("the first {size} records do not match the older checkpoint: the ledger was rewritten")]
    Rewritten { size: u64 },
    #[error("the file claims {claimed} {what} but has {found}")]
    Count { what: &'static str, claimed: u64, found: u64 },
    #[error("the file ends before its last line")]
    Truncated,
    #[error("there is data after the last line")]
    Trailing,
}

/// Checks an export from its first to its last line.
pub fn verify(input: &mut dyn BufRead, trust: Trust) -> Result<VerificationReport, VerificationFailure> {
    let mut verifier = Verifier::new(trust);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let limit = u64::try_from(EXPORT_LINE_BYTES_MAX + 2).unwrap_or(u64::MAX);
        let read = Read::take(&mut *input, limit).read_until(b'\n', &mut bytes);
        if read.map_err(|error| verifier.failure(error.into()))? == 0 {
            return verifier.finish();
        }
        if bytes.len() > EXPORT_LINE_BYTES_MAX + 1 {
            return Err(verifier.failure(VerificationProblem::LineTooLong));
        }
        let line = bytes.strip_suffix(b"\n").and_then(|line| std::str::from_utf8(line).ok());
        match line {
            Some(line) => verifier.line(line)?,
            None => return Err(verifier.failure(VerificationProblem::NotText)),
        }
    }
}

/// The state of a verification. Pass every line to `line`, then call `finish`.
pub(super) struct Verifier {
    trust: Trust,
    line: u64,
    header: Option<Header>,
    /// Whether each key in the header has signed a checkpoint.
    used: Vec<bool>,
    chain: Chain,
    time_ms: u64,
    books: Books,
    checkpoints: u64,
    newest: Option<(Checkpoint, CheckpointKey)>,
    since_seen: bool,
    ended: bool,
}

struct Header {
    origin: String,
    keys: Vec<CheckpointKey>,
    size: u64,
}

/// A line after the header.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Record(RecordLine),
    Checkpoint(CheckpointLine),
    Balance(BalanceLine),
    End(EndLine),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    record: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckpointLine {
    checkpoint: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BalanceLine {
    account: String,
    millipence: i64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndLine {
    end: Counts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counts {
    accounts: u64,
    checkpoints: u64,
    records: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    format: String,
    keys: Vec<String>,
    origin: String,
    size: u64,
    v: u64,
}

impl Verifier {
    pub(super) fn new(trust: Trust) -> Self {
        Self {
            trust,
            line: 0,
            header: None,
            used: Vec::new(),
            chain: Chain::new(),
            time_ms: 0,
            books: Books::default(),
            checkpoints: 0,
            newest: None,
            since_seen: false,
            ended: false,
        }
    }

    /// Checks the next line, passed without its newline.
    pub(super) fn line(&mut self, line: &str) -> Result<(), VerificationFailure> {
        self.line += 1;
        let (number, seq) = (self.line, line.starts_with("{\"record\"").then(|| self.chain.size()));
        self.check_line(line).map_err(|problem| VerificationFailure { line: number, seq, problem })
    }

    /// Ends the check after the last line.
    pub(super) fn finish(self) -> Result<VerificationReport, VerificationFailure> {
        let Some(header) = self.header.as_ref().filter(|_| self.ended) else {
            return Err(self.failure(VerificationProblem::Truncated));
        };
        let newest = self.newest.as_ref();
        let covered = newest.map_or(0, |(checkpoint, _)| checkpoint.size);
        Ok(VerificationReport {
            origin: header.origin.clone(),
            records: self.chain.size(),
            checkpoints: self.checkpoints,
            covered,
            uncovered: self.chain.size() - covered,
            head_seal: hex::encode(self.chain.newest_seal()),
            root: hex::encode(self.chain.root()),
            accounts: self.books.accounts(),
            key: newest.map(|(_, key)| key.to_string()),
            pinned: !self.trust.keys.is_empty(),
            since: self.trust.since.as_ref().map(|since| since.checkpoint.size),
            mode: self.books.mode(),
        })
    }

    /// Returns a failure for the line that could not be read.
    fn failure(&self, problem: VerificationProblem) -> VerificationFailure {
        VerificationFailure { line: self.line + 1, seq: None, problem }
    }

    fn check_line(&mut self, line: &str) -> Result<(), VerificationProblem> {
        if self.ended {
            return Err(VerificationProblem::Trailing);
        }
        if line.len() > EXPORT_LINE_BYTES_MAX {
            return Err(VerificationProblem::LineTooLong);
        }
        let members: Map<String, Value> = serde_json::from_str(line).map_err(|_| VerificationProblem::NotCanonical)?;
        let mut canonical = Vec::with_capacity(line.len());
        canonical_json::object(&mut canonical, &members);
        if canonical != line.as_bytes() {
            return Err(VerificationProblem::NotCanonical);
        }
        let value = Value::Object(members);
        let unexpected = |error: serde_json::Error| VerificationProblem::Unexpected(explanation(&error));
        let Some(size) = self.header.as_ref().map(|header| header.size) else {
            return self.read_header(serde_json::from_value(value).map_err(unexpected)?);
        };
        let missing = self.chain.size() < size;
        match serde_json::from_value(value).map_err(unexpected)? {
            Line::Record(line) if missing => self.read_record(&line.record),
            Line::Checkpoint(line) if !self.books.closing() => self.read_checkpoint(&line.checkpoint),
            Line::Balance(line) if !missing => Ok(self.books.check_balance(line.account, line.millipence)?),
            Line::End(line) if !missing => self.read_end(&line.end),
            _ => Err(VerificationProblem::Unexpected(format!("{} of {size} records precede it", self.chain.size()))),
        }
    }

    fn read_header(&mut self, line: HeaderLine) -> Result<(), VerificationProblem> {
        if line.format != EXPORT_FORMAT || line.v != EXPORT_VERSION {
            return Err(VerificationProblem::Format { format: line.format, v: line.v });
        }
        if line.keys.len() > EXPORT_KEYS_MAX {
            return Err(VerificationProblem::Unexpected(format!("more than {EXPORT_KEYS_MAX} keys are listed")));
        }
        let keys = line.keys.iter().map(|key| key.parse()).collect::<Result<Vec<CheckpointKey>, _>>()?;
        if let Some(key) = keys.iter().find(|key| key.name() != line.origin) {
            return Err(VerificationProblem::OtherLedger { origin: key.name().to_owned() });
        }
        if let Some(since) = &self.trust.since {
            let known = [self.trust.keys.as_slice(), keys.as_slice()].concat();
            since.verify(&known)?;
            if since.checkpoint.origin != line.origin {
                return Err(VerificationProblem::OtherLedger { origin: since.checkpoint.origin.clone() });
            }
            if since.checkpoint.size > line.size {
                return Err(VerificationProblem::Cut { since: since.checkpoint.size, records: line.size });
            }
        }
        self.used = vec![false; keys.len()];
        self.header = Some(Header { origin: line.origin, keys, size: line.size });
        self.check_since()
    }

    fn read_record(&mut self, text: &str) -> Result<(), VerificationProblem> {
        let record = Record::parse(text.as_bytes())?;
        if record.seq != self.chain.size() {
            return Err(VerificationProblem::Sequence { expected: self.chain.size(), found: record.seq });
        }
        if record.prev != self.chain.newest_seal() {
            return Err(VerificationProblem::Chain);
        }
        if record.time_ms < self.time_ms {
            return Err(VerificationProblem::Time);
        }
        self.time_ms = record.time_ms;
        let seal: Hash = super::record::seal_of(text.as_bytes());
        self.books.enter(&record, seal)?;
        self.chain.append(text.as_bytes(), record.time_ms);
        self.check_since()
    }

    fn read_checkpoint(&mut self, note: &str) -> Result<(), VerificationProblem> {
        let Some(header) = &self.header else { return Err(VerificationProblem::Truncated) };
        let signed = SignedCheckpoint::parse(note)?;
        let key = signed.verify(&header.keys)?;
        let (checkpoint, records) = (&signed.checkpoint, self.chain.size());
        if checkpoint.origin != header.origin {
            return Err(VerificationProblem::OtherLedger { origin: checkpoint.origin.clone() });
        }
        let repeated = self.newest.as_ref().is_some_and(|(before, _)| before.size >= checkpoint.size);
        if checkpoint.size != records || repeated {
            return Err(VerificationProblem::CheckpointPlace { size: checkpoint.size, records });
        }
        if checkpoint.root != self.chain.root() {
            return Err(VerificationProblem::Root { size: records });
        }
        let position = header.keys.iter().position(|known| known == key);
        if let Some(used) = position.and_then(|position| self.used.get_mut(position)) {
            *used = true;
        }
        self.checkpoints += 1;
        self.newest = Some((signed.checkpoint.clone(), key.clone()));
        Ok(())
    }

    fn read_end(&mut self, counts: &Counts) -> Result<(), VerificationProblem> {
        self.books.close()?;
        let accounts = self.books.accounts();
        for (what, claimed, found) in [
            ("records", counts.records, self.chain.size()),
            ("checkpoints", counts.checkpoints, self.checkpoints),
            ("accounts", counts.accounts, accounts),
        ] {
            if claimed != found {
                return Err(VerificationProblem::Count { what, claimed, found });
            }
        }
        let keys = self.header.as_ref().map(|header| header.keys.as_slice()).unwrap_or_default();
        if let Some((key, _)) = keys.iter().zip(&self.used).find(|(_, used)| !**used) {
            return Err(VerificationProblem::IdleKey(key.to_string()));
        }
        if !self.trust.keys.is_empty() {
            let (_, key) = self.newest.as_ref().ok_or(VerificationProblem::NoCheckpoint)?;
            if !self.trust.keys.contains(key) {
                return Err(VerificationProblem::NotPinned);
            }
        }
        self.ended = true;
        Ok(())
    }

    /// Compares the tree with the older checkpoint when its size is reached.
    fn check_since(&mut self) -> Result<(), VerificationProblem> {
        let Some(since) = self.trust.since.as_ref().filter(|_| !self.since_seen) else { return Ok(()) };
        let Checkpoint { size, root, .. } = since.checkpoint;
        if size == self.chain.size() {
            self.since_seen = true;
            if root != self.chain.root() {
                return Err(VerificationProblem::Rewritten { size });
            }
        }
        Ok(())
    }
}

/// Returns the problem's text, truncated if it quotes too much of the file.
fn shortened(problem: &VerificationProblem) -> String {
    let text = problem.to_string();
    if text.len() <= PROBLEM_BYTES_MAX {
        return text;
    }
    format!("{}…", text.get(..text.floor_char_boundary(PROBLEM_BYTES_MAX)).unwrap_or_default())
}

fn record(seq: &Option<u64>) -> String {
    seq.map(|seq| format!(" (record {seq})")).unwrap_or_default()
}
