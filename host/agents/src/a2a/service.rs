//! The A2A service as used by the HTTP routes.

use serde_json::{Map, Value};

use super::card_cache::CardCache;
use super::error::HandlerError;
use super::handler::A2aHandler;
use super::method::RpcMethod;
use super::request_context::RequestContext;
use super::version::ProtocolVersion;
use super::{v0_3, v1};

/// This server's A2A interface.
pub struct A2aService {
    /// The agent cards.
    pub cards: CardCache,
    /// The operations of the protocol.
    pub handler: A2aHandler,
}

impl A2aService {
    /// Executes a method and formats its result for the client's protocol version.
    pub async fn answer(
        &self,
        context: RequestContext,
        method: RpcMethod,
        params: Map<String, Value>,
    ) -> Result<Value, HandlerError> {
        match context.version {
            ProtocolVersion::V0_3 => v0_3::answer(&self.handler, context, method, params).await,
            ProtocolVersion::V1 => v1::answer(&self.handler, &self.cards, context, method, params).await,
        }
    }
}
