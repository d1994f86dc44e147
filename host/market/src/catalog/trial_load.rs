//! Trial loads: check whether a component could serve, then remove everything that
//! loading created.

use std::sync::Arc;

use tollbridge_plugin::{LoadFailure, PluginLoader};

/// The reason a trial load failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrialError {
    /// The component cannot serve; the text names the problem and the remedy.
    #[error("{0}")]
    Refused(String),
    /// This machine is too busy for a trial load.
    #[error("{0}")]
    Busy(String),
}

impl From<LoadFailure> for TrialError {
    fn from(error: LoadFailure) -> Self {
        let text = error.to_string();
        if error.is_busy { Self::Busy(text) } else { Self::Refused(text) }
    }
}

/// A component loaded to check whether it could serve. Unless `pass` is called, dropping
/// this value removes the compiled code that loading left on disk.
#[must_use]
pub struct TrialLoad {
    loader: Arc<dyn PluginLoader>,
    sha256: [u8; 32],
    /// Whether the component's compiled code existed before the trial.
    known: bool,
    passed: bool,
}

impl TrialLoad {
    /// Starts a trial before the component is loaded.
    pub(super) fn begin(loader: &Arc<dyn PluginLoader>, sha256: [u8; 32]) -> Self {
        Self { known: loader.has_compiled_code(&sha256), passed: false, sha256, loader: loader.clone() }
    }

    /// Keeps the compiled code on disk, because the component will serve.
    pub fn pass(mut self) {
        self.passed = true;
    }
}

impl Drop for TrialLoad {
    fn drop(&mut self) {
        if !self.known && !self.passed {
            self.loader.remove_compiled_code(&self.sha256);
        }
    }
}
