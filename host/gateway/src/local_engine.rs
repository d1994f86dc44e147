//! The engine of a provider on this machine: its command and its state. The server starts
//! and supervises it.
//!
//! Invariant: the last error line is for the operator only.

use std::borrow::Cow;

use http::Uri;
use parking_lot::Mutex;
use tollbridge_core::config::EngineCommand;

/// An engine of models on this machine.
#[derive(Debug)]
pub struct LocalEngine {
    /// The name of the provider in the configuration.
    pub provider: String,
    /// The command that starts the engine.
    pub command: EngineCommand,
    /// The provider's name for its first model.
    model: String,
    /// The address of the models; its port is 0 if a port is chosen at each start.
    models: Uri,
    state: Mutex<EngineState>,
}

/// The state of an engine.
#[derive(Clone, Debug)]
pub struct EngineState {
    /// The phase of the engine's life.
    pub phase: EnginePhase,
    /// The last line that the engine wrote to its standard error; may be empty.
    pub last_error_line: String,
    /// The port that was chosen at the last start.
    port: u16,
}

/// The phase of an engine's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnginePhase {
    /// The engine runs but does not answer yet.
    Starting,
    /// The engine answers.
    Ready,
    /// The engine has ended, and is started again after a pause.
    Failed,
}

impl LocalEngine {
    pub(crate) fn new(provider: &str, command: &EngineCommand, model: &str, models: Uri) -> Self {
        let state = EngineState { phase: EnginePhase::Starting, last_error_line: String::new(), port: 0 };
        Self {
            provider: provider.to_owned(),
            command: command.clone(),
            model: model.to_owned(),
            models,
            state: Mutex::new(state),
        }
    }

    /// Records a start on `port`, and returns the program and its arguments.
    pub fn start(&self, port: u16) -> Vec<String> {
        let mut state = self.state.lock();
        (state.phase, state.port) = (EnginePhase::Starting, port);
        self.command.words(port, &self.model)
    }

    /// Returns the addresses that answer once the engine is ready: its health, and for
    /// engines without one, the list of its models.
    pub fn health_addresses(&self) -> [String; 2] {
        let models = self.at_port(&self.models).into_owned();
        let mut health = models.clone().into_parts();
        health.path_and_query = Some(http::uri::PathAndQuery::from_static("/health"));
        [Uri::from_parts(health).unwrap_or_default(), models].map(|address| address.to_string())
    }

    /// Returns the current state.
    pub fn state(&self) -> EngineState {
        self.state.lock().clone()
    }

    /// Records a line of the engine's standard error.
    pub fn note_error_line(&self, line: &str) {
        line.clone_into(&mut self.state.lock().last_error_line);
    }

    pub(crate) fn set_phase(&self, phase: EnginePhase) {
        self.state.lock().phase = phase;
    }

    /// Returns an address of the engine with the port of its last start.
    pub(crate) fn at_port<'a>(&self, address: &'a Uri) -> Cow<'a, Uri> {
        if !self.command.has_port() {
            return Cow::Borrowed(address);
        }
        let mut parts = address.clone().into_parts();
        parts.authority = format!("127.0.0.1:{}", self.state.lock().port).parse().ok();
        Cow::Owned(Uri::from_parts(parts).unwrap_or_default())
    }
}

impl EngineState {
    /// Describes an engine that is not ready; `None` if it is.
    pub fn trouble(&self) -> Option<String> {
        let what = match self.phase {
            EnginePhase::Ready => return None,
            EnginePhase::Starting => "its engine is starting",
            EnginePhase::Failed => "its engine has ended and is started again",
        };
        Some(match self.last_error_line.as_str() {
            "" => what.to_owned(),
            line => format!("{what}; its last line is: {line}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use tollbridge_core::config::Sources;

    use super::super::deployment_loader::load_deployments;

    #[test]
    fn a_chosen_port_is_in_the_command_and_in_every_address() {
        let file = "[inference.providers.local]\ncommand = ['e', '-m', '{model}', '--port={port}']\nmodels = [\
                    { id = 'small', upstream = '/m/s.gguf', input_usd_per_mtok = 0, output_usd_per_mtok = 0 }]\n";
        let sources = Sources { file: Some(("t.toml".to_owned(), file.to_owned())), ..Sources::default() };
        let (deployments, statuses) = load_deployments(&sources.load().unwrap().config.inference, &|_| None);
        assert!(statuses.iter().any(|one| one.base_url == "http://127.0.0.1:{port}/v1"), "{statuses:?}");
        let provider = &deployments[0].provider;
        let engine = provider.engine.as_ref().unwrap();
        assert_eq!(engine.start(4321), ["e", "-m", "/m/s.gguf", "--port=4321"]);
        assert_eq!(engine.at_port(&provider.chat).to_string(), "http://127.0.0.1:4321/v1/chat/completions");
        let [health, models] = engine.health_addresses();
        assert_eq!([health, models], ["http://127.0.0.1:4321/health", "http://127.0.0.1:4321/v1/models"]);
        assert_eq!(engine.state().trouble().as_deref(), Some("its engine is starting"));
        engine.note_error_line("no such file");
        assert!(engine.state().trouble().unwrap().ends_with("no such file"));
    }
}
