//! The inference gateway: OpenAI's API in front of many providers. The gateway tries the
//! cheapest healthy provider first, meters requests, and charges them to credit. Clients
//! use several formats (`client_format`); internally, every request is a chat.
//!
//! `Gateway::handle` is the entry point of a request. `answer` is its whole path, in one
//! function: 1. identify, 2. replay, 3. read, 4. admit, 5. route, 6. reserve, 7. send,
//! 8. answer. Each step is one call into a module that does not call back.
//!
//! Invariants:
//! 1. Another provider is tried only while nothing has been sent to the client; after the
//!    first content there is no failover.
//! 2. The worst-case cost is reserved before anything is sent to a provider; the actual
//!    cost is sealed before the answer, or the end of a stream, is sent to the client. If
//!    the client disconnects, the cost that the provider bills is still charged.
//! 3. A problem between a provider and the operator (such as a rejected key) is never
//!    reported as the client's error.
//! 4. Provider keys appear in one header of each request and nowhere else.
//!
//! `docs/inference.md` describes the gateway for clients and operators. It never imports
//! plugins, the catalog or HTTP routes.

mod answer;
mod billing;
mod breaker;
mod builtin;
mod charge;
mod chat_facts;
mod chat_text;
#[cfg(test)]
mod chat_text_tests;
mod client_format;
mod client_request;
mod counters;
mod deployment_loader;
mod engine_handle;
mod error;
mod failover;
#[cfg(test)]
mod fuzz_tests;
mod gateway;
mod gateway_response;
mod invalid;
mod json_body;
mod json_scanner;
mod json_text;
pub mod limits;
mod local_engine;
mod media_request;
mod message_request;
mod model_view;
mod ordered_id;
mod outage;
mod plugin_requests;
mod presets;
mod pricing;
mod provider;
mod provider_client;
mod provider_error;
mod provider_stream;
mod recent;
mod recording;
mod request;
mod request_members;
mod request_slots;
mod response_request;
mod response_stream;
mod router;
mod sound_duration;
mod sse;
mod stored_response;
mod stored_response_context;
#[cfg(test)]
mod stored_response_tests;
mod stored_response_writer;
#[cfg(test)]
mod testing;
mod token_count;
mod tokens;
mod trace;
mod upstream;
mod usage_meter;
mod wire;

pub use breaker::BreakerState;
pub use charge::SettledCharge;
pub use client_format::ClientFormat;
pub use client_request::{BilledCaller, ClientRequest};
pub use deployment_loader::load_deployments;
pub use engine_handle::EngineHandle;
pub use error::{FailedAttempt, GatewayError};
pub use gateway::{Gateway, GatewayDeps};
pub use gateway_response::{GatewayResponse, RoutingReport};
pub use local_engine::{EnginePhase, EngineState, LocalEngine};
pub use model_view::{Model, ProviderHealth};
pub use ordered_id::ordered_id;
pub use outage::Outage;
pub use plugin_requests::{CompletionParams, EmbeddingVectors, PluginRequest, TextCompletion, UsageReport};
pub use presets::price_table_source;
pub use pricing::{TokenPrices, TokenUsage};
pub use provider::{ModelDeployment, ModelKind, ProviderStatus};
pub use recording::{Recording, RecordingMeter};
pub use request::{AUTO, InferenceEndpoint, ModelRequest};
pub use response_stream::EVENT_STREAM_TYPE;
pub use router::{ModelRouter, RouteCandidate, RoutingPriority};
pub use stored_response::{StoredResponse, StoredResponseError, StoredResponses};
pub use token_count::TokenCount;
pub use usage_meter::{UsageKey, UsageMeter, UsageSubject, UsageTotals, day_of};
