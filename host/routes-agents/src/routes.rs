//! All routes of bridges and agents.

use tollbridge_web::Routes;

use crate::{a2a, agents, bridges, mcp, oracle, resources, tasks};

/// Returns the routes of bridges, agents and their tasks, over REST, A2A and MCP.
pub fn routes() -> Routes {
    oracle::routes()
        .merge(bridges::routes())
        .merge(agents::routes())
        .merge(tasks::routes())
        .merge(resources::routes())
        .merge(a2a::cards::routes())
        .merge(a2a::execute::routes())
        .merge(a2a::rest::routes())
        .merge(mcp::endpoint::routes())
}
