//! Language models, through the host's router: the grant `inference`.
//!
//! Requests to models are paid from the price of the call. Without a provider, the host returns an
//! error that explains how to configure one; `?` passes it on to the caller: 503 E005, not charged.
//!
//! ```
//! use tollbridge_sdk::{Error, inference::Request, testing::Doubles};
//!
//! let ask = || Ok::<_, Error>(Request::new(100).user("What is 6 times 7?").complete()?.text);
//! assert_eq!(Doubles::new().completion("42").run(ask).0, Ok("42".into()));
//! assert_eq!(Doubles::new().run(ask).0.map_err(|error| error.kind()), Err("no-provider"));
//! ```

mod ask;
pub(crate) mod error;
pub(crate) mod request;
pub(crate) mod response;

pub use ask::{embed, embed_with};
pub use error::Error;
pub use request::{AUTO, Message, Request, Role};
pub use response::{Embeddings, Response};
