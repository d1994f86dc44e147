//! Other plugins of the host: the grant `bridges`.
//!
//! The manifest names the plugins that a plugin calls, `bridges = ["validation"]` and `agents =
//! ["summarizer"]`. Answered calls are paid from the price of the current call, even if the current
//! call fails afterwards. If they cost more than that price, the plugin's owner pays the difference.
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
