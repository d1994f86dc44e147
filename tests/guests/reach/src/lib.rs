//! A plugin for tests of the host: the input selects one of the host's grants, and the
//! plugin uses it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, config, http, kv::Bucket, log};

/// The grant to use.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "reach", rename_all = "snake_case", deny_unknown_fields)]
pub enum Input {
    /// Writes a line to the log.
    Log {
        /// The line.
        text: String,
    },
    /// Reads a value that the operator set.
    Config {
        /// Its key.
        key: String,
    },
    /// Adds to a number in a bucket, and reads it back.
    Count {
        /// `shared` or `caller`.
        bucket: String,
        /// Its key.
        key: String,
        /// The amount to add.
        delta: u64,
    },
    /// Writes a text into a bucket, lists the keys and removes it.
    Keep {
        /// `shared` or `caller`.
        bucket: String,
        /// Its key.
        key: String,
        /// The text.
        text: String,
    },
    /// Requests a URL.
    Http {
        /// The address.
        url: String,
        /// Posted as the body, if given.
        body: Option<String>,
    },
    /// Panics with a message.
    Panic {
        /// The message.
        message: String,
    },
}

/// The result of using the grant.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// The text that was read.
    text: String,
    /// The number that was read.
    number: u64,
}

/// Uses the selected grant.
pub fn handle(_call: &Call, input: Input) -> Result<Output, Error> {
    match input {
        Input::Log { text } => {
            log::info!("{text}");
            Ok(Output { text, number: 0 })
        }
        Input::Config { key } => Ok(Output { text: config::require(&key)?, number: config::all()?.len() as u64 }),
        Input::Count { bucket, key, delta } => {
            let bucket = Bucket::open(&bucket)?;
            let number = bucket.increment(&key, delta)?;
            let text = bucket.get(&key)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            Ok(Output { text: text.unwrap_or_default(), number })
        }
        Input::Keep { bucket, key, text } => {
            let bucket = Bucket::open(&bucket)?;
            bucket.set_json(&key, &text)?;
            let number = bucket.keys()?.len() as u64;
            let text = bucket.get_json(&key)?.unwrap_or_default();
            bucket.delete(&key)?;
            if bucket.exists(&key)? {
                return Err(Error::internal("a removed key is still present"));
            }
            Ok(Output { text, number })
        }
        Input::Http { url, body } => {
            let answer = match body {
                Some(body) => {
                    http::Request::new("POST", &url).header("content-type", "text/plain").body(body).send()?
                }
                None => http::get(&url)?,
            };
            Ok(Output { text: String::from_utf8_lossy(&answer.body).into_owned(), number: u64::from(answer.status) })
        }
        Input::Panic { message } => panic!("{message}"),
    }
}

tollbridge_sdk::bridge! { handle: handle, examples: ["../cases/keep.json"] }
tollbridge_sdk::test_cases!(handle);
