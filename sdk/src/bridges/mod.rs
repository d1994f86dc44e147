//! Other plugins of the host: the grant `bridges`.
//!
//! The manifest names the plugins that a plugin calls, `bridges = ["validation"]` and `agents =
//! ["summarizer"]`. The price of the current call pays for the calls that it makes; if the
//! current call fails, the plugin's owner pays for them.
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
