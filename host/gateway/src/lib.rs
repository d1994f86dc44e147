//! The inference gateway: OpenAI's API in front of many providers, the cheapest
//! healthy one first, metered and paid from credit.
//!
//! The path of a request is `Gateway::ask`. Its invariants:
//! 1. Every provider that may answer is asked only while nothing was given to
//!    the client; after the first content there is no other provider.
//! 2. The worst case is held before anything is sent; what it really cost is
//!    sealed before the answer, or the end of a stream, leaves.
//! 3. A provider's trouble with its operator never becomes the client's.
//! 4. Keys of providers are in one header of one request and nowhere else.
//!
//! `docs/inference.md` says what a client and an operator see of it.

mod attempts;
mod breaker;
mod count;
mod counters;
mod error;
mod gateway;
mod meter;
mod plan;
mod plugin;
mod presets;
mod price;
mod provider;
mod request;
mod serving;
mod sse;
mod tab;
#[cfg(test)]
mod testing;
mod trouble;
mod upstream;
mod wire;

pub use breaker::Standing;
pub use error::{Attempt, Error};
pub use gateway::{Answer, Ask, Gateway, Rooms, Served};
pub use meter::{Counts, Line, Meter, Subject, day_of};
pub use plan::{Candidate, Models, Priority};
pub use plugin::{Prompt, Question, Vectors, Written};
pub use presets::source;
pub use price::{Prices, Usage};
pub use provider::{Deployment, Surveyed, deployments};
pub use request::{Kind, Request};
pub use serving::EVENT_STREAM;
pub use tab::{Replay, Settled, Who};
