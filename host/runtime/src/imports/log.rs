//! Implements `wasi:logging`: log lines for the operator and the plugin's owner.

use wasmtime::Result;

use crate::bindings::logging::{Host, Level};
use crate::calls::state::State;

impl Host for State {
    fn log(&mut self, level: Level, context: String, message: String) -> Result<()> {
        self.limiter.count_host_call()?;
        let level = match level {
            Level::Trace => tracing::Level::TRACE,
            Level::Debug => tracing::Level::DEBUG,
            Level::Info => tracing::Level::INFO,
            Level::Warn => tracing::Level::WARN,
            Level::Error | Level::Critical => tracing::Level::ERROR,
        };
        if context.is_empty() {
            self.log().write(level, &message);
        } else {
            self.log().write(level, &format!("{context}: {message}"));
        }
        Ok(())
    }
}
