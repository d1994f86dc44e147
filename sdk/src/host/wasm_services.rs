//! The host functions for tables, ledger, inference and other plugins in a component; the
//! component's imports implement them.

use crate::{
    bindings::{
        bridge::tollbridge::plugin::{
            bridges as wit_bridges, inference as wit_inference, ledger as wit_ledger, tables as wit_tables,
        },
        reading_pages::tollbridge::plugin::table_pages as wit_table_pages,
    },
    bridges::error::Error as BridgeError,
    error::Error,
    inference::{
        error::Error as InferenceError,
        request::{Request, Role},
        response::{Embeddings, Response},
    },
    ledger::record::{Entry as Record, Proven, Verdict},
    tables::entry::{Entry, Info},
};

/// A table that the host has opened.
#[derive(Debug)]
pub(crate) struct Table(wit_tables::Table);

impl Table {
    pub(crate) fn open(name: &str) -> Result<Self, Error> {
        wit_tables::open(name).map(Self).map_err(table_error)
    }

    pub(crate) fn info(&self) -> Info {
        let info = self.0.info();
        Info {
            name: info.name,
            version: info.version,
            as_of: info.as_of,
            licence: info.licence,
            source: info.source,
            rows: info.rows,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.0.get(key)
    }

    pub(crate) fn get_many(&self, keys: &[String]) -> Result<Vec<Option<String>>, Error> {
        self.0.get_many(keys).map_err(table_error)
    }

    pub(crate) fn at_or_before(&self, key: &str) -> Option<Entry> {
        self.0.at_or_before(key).map(entry)
    }

    pub(crate) fn scan(&self, start: &str, limit: u32) -> Vec<Entry> {
        self.0.scan(start, limit).into_iter().map(entry).collect()
    }

    pub(crate) fn page(&self, start: &str, end: Option<&str>) -> String {
        wit_table_pages::read(&self.0, start, end)
    }
}

fn entry(entry: wit_tables::Entry) -> Entry {
    Entry { key: entry.key, value: entry.value }
}

fn table_error(error: wit_tables::Error) -> Error {
    match error {
        wit_tables::Error::Missing(text) => Error::unavailable(text),
        wit_tables::Error::TooMuch(text) => Error::internal(text),
    }
}

pub(crate) fn ledger_record(id: &str) -> Result<Option<Record>, Error> {
    let record = |entry: wit_ledger::Entry| Record { seal: entry.seal, seq: entry.seq, body: entry.body };
    wit_ledger::record(id).map(|entry| entry.map(record)).map_err(ledger_error)
}

pub(crate) fn ledger_proof(seal: &str) -> Result<Option<String>, Error> {
    match wit_ledger::proof(seal) {
        Ok(document) => Ok(Some(document)),
        Err(wit_ledger::Error::Unknown(_)) => Ok(None),
        Err(error) => Err(ledger_error(error)),
    }
}

pub(crate) fn ledger_verify(document: &str, record: Option<&str>) -> Result<Verdict, Error> {
    Ok(match wit_ledger::verify(document, record).map_err(ledger_error)? {
        wit_ledger::Verdict::Proven(proven) => Verdict::Proven(Proven {
            seal: proven.seal,
            seq: proven.seq,
            tree_size: proven.tree_size,
            origin: proven.origin,
            key: proven.key,
            record_checked: proven.record_checked,
        }),
        wit_ledger::Verdict::NotProven(why) => Verdict::NotProven(why),
    })
}

fn ledger_error(error: wit_ledger::Error) -> Error {
    match error {
        wit_ledger::Error::Malformed(text) => Error::invalid("", text),
        wit_ledger::Error::Unknown(text) => Error::not_found(text),
        wit_ledger::Error::Failed(text) => Error::upstream(text),
    }
}

pub(crate) fn complete(request: &Request) -> Result<Response, InferenceError> {
    let role = |role| match role {
        Role::System => wit_inference::Role::System,
        Role::User => wit_inference::Role::User,
        Role::Assistant => wit_inference::Role::Assistant,
    };
    let messages = request.messages.iter();
    let asked = wit_inference::Request {
        model: request.model.clone(),
        messages: messages
            .map(|message| wit_inference::Message { role: role(message.role), content: message.content.clone() })
            .collect(),
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        response_schema: request.response_schema.clone(),
    };
    let answer = wit_inference::complete(&asked).map_err(inference_error)?;
    Ok(Response {
        text: answer.text,
        truncated: answer.truncated,
        model: answer.model,
        provider: answer.provider,
        input_tokens: answer.input_tokens,
        output_tokens: answer.output_tokens,
        cost_millipence: answer.cost_millipence,
    })
}

pub(crate) fn embed(model: &str, texts: &[String]) -> Result<Embeddings, InferenceError> {
    let made = wit_inference::embed(model, texts).map_err(inference_error)?;
    Ok(Embeddings {
        vectors: made.vectors,
        model: made.model,
        provider: made.provider,
        input_tokens: made.input_tokens,
        cost_millipence: made.cost_millipence,
    })
}

fn inference_error(error: wit_inference::Error) -> InferenceError {
    match error {
        wit_inference::Error::NoProvider(text) => InferenceError::NoProvider(text),
        wit_inference::Error::Refused(text) => InferenceError::Refused(text),
        wit_inference::Error::Failed(text) => InferenceError::Failed(text),
    }
}

pub(crate) fn call_bridge(name: &str, input: &str) -> Result<String, BridgeError> {
    wit_bridges::call(name, input).map_err(callee_error)
}

pub(crate) fn run_agent(name: &str, task: &str, input: Option<&str>) -> Result<String, BridgeError> {
    wit_bridges::run(name, task, input).map_err(callee_error)
}

fn callee_error(error: wit_bridges::Error) -> BridgeError {
    match error {
        wit_bridges::Error::InvalidInput(invalid) => {
            BridgeError::InvalidInput { field: invalid.field, message: invalid.message }
        }
        wit_bridges::Error::NotFound(text) => BridgeError::NotFound(text),
        wit_bridges::Error::Unavailable(text) => BridgeError::Unavailable(text),
        wit_bridges::Error::Refused(text) => BridgeError::Refused(text),
        wit_bridges::Error::Failed(text) => BridgeError::Failed(text),
        wit_bridges::Error::NoProvider(text) => BridgeError::NoProvider(text),
    }
}
