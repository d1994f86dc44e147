//! Passes the proposed input of a refusal to the host.
//!
//! Only code that attaches an input refers to the host's function, so the component of an agent
//! that never does so does not import it.

use std::sync::OnceLock;

use serde_json::Value;

use crate::bindings::proposing_inputs::tollbridge::plugin::proposal;

/// The host's function, once an input was attached.
static PROPOSE: OnceLock<fn(&str)> = OnceLock::new();

/// Makes the host's function available to [`send`].
pub(crate) fn enable() {
    PROPOSE.get_or_init(|| proposal::propose_input);
}

/// Passes the proposed input of a call's error, if there is one, to the host.
pub(crate) fn send(input: Option<&Value>) {
    if let (Some(propose), Some(input)) = (PROPOSE.get(), input) {
        propose(&input.to_string());
    }
}
