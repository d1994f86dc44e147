//! The A2A service as the routes use it.

use std::sync::Arc;

use super::card_cache::CardCache;
use super::handler::A2aHandler;

/// What this server is to agents of others.
pub struct A2aService {
    /// The agent cards.
    pub cards: CardCache,
    /// The methods of the protocol.
    pub handler: Arc<A2aHandler>,
}
