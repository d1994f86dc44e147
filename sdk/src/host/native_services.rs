//! The host functions for tables, ledger, inference and other plugins in a native build;
//! `testing::Doubles` and the tables that the plugin ships supply the answers.

use std::sync::Arc;

use crate::{
    bridges::error::Error as BridgeError,
    error::Error,
    inference::{
        error::Error as InferenceError,
        request::Request,
        response::{Embeddings, Response},
    },
    ledger::record::{Entry as Record, Verdict},
    tables::entry::{Entry, Info},
    testing::{
        doubles::{self, Called},
        table::Rows,
    },
};

/// Maximum number of entries of one scan, the same as on the host.
const SCAN_ROWS: usize = 1_000;

/// Maximum size of a page in bytes, the same as on the host.
const PAGE_BYTES: usize = 1 << 20;

/// A table of the test doubles, or a table that the plugin ships.
#[derive(Debug)]
pub(crate) struct Table(Arc<Rows>);

impl Table {
    pub(crate) fn open(name: &str) -> Result<Self, Error> {
        let stated = doubles::with(|doubles| doubles.tables.get(name).cloned());
        let rows = match stated {
            Some(rows) => rows,
            None => Rows::shipped(name).map_err(Error::internal)?,
        };
        rows.map(Self).ok_or_else(|| {
            Error::unavailable(format!("there is no table `{name}`; a plugin ships it as tables/{name}.tsv"))
        })
    }

    pub(crate) fn info(&self) -> Info {
        self.0.info.clone()
    }

    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.0.entries.get(self.at(key).ok()?).map(|entry| entry.value.clone())
    }

    pub(crate) fn get_many(&self, keys: &[String]) -> Result<Vec<Option<String>>, Error> {
        Ok(keys.iter().map(|key| self.get(key)).collect())
    }

    pub(crate) fn at_or_before(&self, key: &str) -> Option<Entry> {
        let place = self.at(key).or_else(|next| next.checked_sub(1).ok_or(())).ok()?;
        self.0.entries.get(place).cloned()
    }

    pub(crate) fn scan(&self, start: &str, limit: u32) -> Vec<Entry> {
        let limit = usize::try_from(limit).unwrap_or(SCAN_ROWS).min(SCAN_ROWS);
        let first = self.at(start).unwrap_or_else(|next| next);
        self.0.entries.iter().skip(first).take(limit).cloned().collect()
    }

    pub(crate) fn page(&self, start: &str, end: Option<&str>) -> String {
        let place = |key| self.at(key).unwrap_or_else(|next| next);
        let (first, last) = (place(start), end.map_or(self.0.entries.len(), place));
        let mut page = String::new();
        for entry in self.0.entries.get(first..last).unwrap_or_default() {
            if page.len() + entry.key.len() + entry.value.len() + 2 > PAGE_BYTES {
                break;
            }
            page.extend([&entry.key, "\t", &entry.value, "\n"]);
        }
        page
    }

    /// Returns the index of a key (`Ok`), or of the first key after it (`Err`).
    fn at(&self, key: &str) -> Result<usize, usize> {
        self.0.entries.binary_search_by(|entry| entry.key.as_str().cmp(key))
    }
}

pub(crate) fn ledger_record(id: &str) -> Result<Option<Record>, Error> {
    doubles::with(|doubles| doubles.ledger.record(id))
}

pub(crate) fn ledger_proof(seal: &str) -> Result<Option<String>, Error> {
    doubles::with(|doubles| doubles.ledger.proof(seal))
}

pub(crate) fn ledger_verify(document: &str, record: Option<&str>) -> Result<Verdict, Error> {
    Ok(doubles::with(|doubles| doubles.ledger.verify(document, record)))
}

pub(crate) fn complete(request: &Request) -> Result<Response, InferenceError> {
    doubles::with(|doubles| {
        doubles.prompts.push(request.clone());
        doubles.inference.complete()
    })
}

pub(crate) fn embed(_model: &str, texts: &[String]) -> Result<Embeddings, InferenceError> {
    doubles::with(|doubles| doubles.inference.embed(texts.len()))
}

pub(crate) fn call_bridge(name: &str, input: &str) -> Result<String, BridgeError> {
    doubles::answer_call(Called { name: name.to_owned(), task: None, input: Some(input.to_owned()) })
}

pub(crate) fn run_agent(name: &str, task: &str, input: Option<&str>) -> Result<String, BridgeError> {
    let (task, input) = (Some(task.to_owned()), input.map(str::to_owned));
    doubles::answer_call(Called { name: format!("agents/{name}"), task, input })
}
