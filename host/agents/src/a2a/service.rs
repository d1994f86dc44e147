//! The A2A service as the routes use it.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::card_cache::CardCache;
use super::error::HandlerError;
use super::handler::{A2aHandler, RequestContext};
use super::method::RpcMethod;
use super::version::ProtocolVersion;
use super::{v0_3, v1};

/// What this server is to agents of others.
pub struct A2aService {
    /// The agent cards.
    pub cards: CardCache,
    /// The operations of the protocol.
    pub handler: Arc<A2aHandler>,
}

impl A2aService {
    /// The result of a method, in the words of the version that the client
    /// speaks.
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
