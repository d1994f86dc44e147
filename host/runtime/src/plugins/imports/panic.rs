//! Implements the import by which a plugin reports its panic message.

use wasmtime::Result;

use crate::limits::PLUGIN_TEXT_BYTES_MAX;
use crate::plugins::bindings::panic::Host;
use crate::plugins::calls::state::State;
use crate::plugins::text;

impl Host for State {
    fn report(&mut self, message: String) -> Result<()> {
        self.limiter.count_host_call()?;
        self.panic_text = Some(text::clean(&message, PLUGIN_TEXT_BYTES_MAX));
        Ok(())
    }
}
