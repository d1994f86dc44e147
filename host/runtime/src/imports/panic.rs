//! Implements the import by which a plugin reports its panic message.

use tollbridge_plugin::limits::PLUGIN_TEXT_BYTES_MAX;
use tollbridge_plugin::text;
use wasmtime::Result;

use crate::bindings::panic::Host;
use crate::calls::state::State;

impl Host for State {
    fn report(&mut self, message: String) -> Result<()> {
        self.limiter.count_host_call()?;
        self.panic_text = Some(text::clean(&message, PLUGIN_TEXT_BYTES_MAX));
        Ok(())
    }
}
