//! Implements the import by which an agent proposes an input when it refuses a task.

use tollbridge_plugin::ProposedInput;
use tollbridge_plugin::limits::PROPOSED_INPUT_BYTES_MAX;
use wasmtime::Result;

use crate::bindings::proposal::Host;
use crate::calls::state::State;

impl Host for State {
    fn propose_input(&mut self, input: String) -> Result<()> {
        self.limiter.count_host_call()?;
        let bytes = input.len();
        self.proposed_input = Some(input).filter(|_| bytes <= PROPOSED_INPUT_BYTES_MAX);
        if self.proposed_input.is_none() {
            let reason = format!("it has {bytes} bytes; its limit is {PROPOSED_INPUT_BYTES_MAX}");
            ProposedInput::log_dropped(self.log(), &reason);
        }
        Ok(())
    }
}
