//! The A2A service, as the routes call it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::card_cache::CardCache;
use super::error::HandlerError;
use super::handler::{A2aHandler, RequestContext};
use super::method::RpcMethod;
use super::version::ProtocolVersion;
use super::{v0_3, v1};

/// The A2A interface of this server to other agents.
pub struct A2aService {
    /// The agent cards.
    pub cards: CardCache,
    /// The operations of the protocol.
    pub handler: Arc<A2aHandler>,
}

impl A2aService {
    /// Answers a method in the format of the client's protocol version.
    pub async fn answer(
        &self,
        context: RequestContext,
        method: RpcMethod,
        params: Map<String, Value>,
    ) -> Result<Value, HandlerError> {
        match context.version {
            ProtocolVersion::V0_3 => v0_3::answer(&self.handler, context, method, params).await,
            ProtocolVersion::V1 => v1::answer(self, context, method, params).await,
        }
    }
}
