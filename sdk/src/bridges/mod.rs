//! Other plugins of the host: the grant `bridges`.
//!
//! The manifest names those that a plugin calls, `bridges = ["validation"]` and
//! `agents = ["summarizer"]`. What an answer costs is paid out of the price of
//! the call at hand, or by the plugin's owner if that fails after all.
//!
//! ```
//! use serde_json::{Value, json};
//! use tollbridge_sdk::{bridges, testing::Doubles};
//!
//! let doubles = Doubles::new().bridge("validation", |_input| Ok(json!({"valid": true})));
//! let (answer, _) = doubles.run(|| bridges::call::<Value>("validation", &json!({"output": "x"})));
//! assert_eq!(answer.map(|answer| answer["valid"].clone()), Ok(json!(true)));
//! ```

mod call;
pub(crate) mod error;

pub use call::{call, run, run_with};
pub use error::Error;
