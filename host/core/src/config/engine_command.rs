//! The command that starts an engine of models on this machine.

use super::raw::Raw;
use super::setting::Setting;

/// Placeholder for a port that is chosen at each start.
const PORT: &str = "{port}";
/// Placeholder for the provider's own name of its first model.
const MODEL: &str = "{model}";

/// The command that starts an engine of models on this machine: a program and its
/// arguments, with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand(Vec<String>);

impl EngineCommand {
    /// Whether the port is chosen at each start.
    pub fn has_port(&self) -> bool {
        self.has(PORT)
    }

    /// Whether the command names the model.
    pub fn has_model(&self) -> bool {
        self.has(MODEL)
    }

    /// Returns the program and its arguments, with values in place of the placeholders.
    pub fn words(&self, port: u16, model: &str) -> Vec<String> {
        let port = port.to_string();
        self.0.iter().map(|word| word.replace(PORT, &port).replace(MODEL, model)).collect()
    }

    fn has(&self, placeholder: &str) -> bool {
        self.0.iter().any(|word| word.contains(placeholder))
    }
}

impl Setting for EngineCommand {
    fn read(raw: &Raw) -> Result<Self, String> {
        let words = Vec::<String>::read(raw)?;
        match words.is_empty() {
            true => Err("names no program; write [\"llama-server\", \"-m\", \"/models/small.gguf\", \"--port\", \
                         \"{port}\"]"
                .to_owned()),
            false => Ok(Self(words)),
        }
    }
}
