//! Loading a component to see whether it could serve, without a trace.

use tollbridge_runtime::plugins::{LoadError, Runtime};

/// Why a component could not be tried, or what came of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrialError {
    /// It cannot serve; names what and the fix.
    #[error("{0}")]
    Refused(String),
    /// This machine has no time for it now.
    #[error("{0}")]
    Busy(String),
}

impl From<LoadError> for TrialError {
    fn from(error: LoadError) -> Self {
        let text = error.to_string();
        if error.is_busy() { Self::Busy(text) } else { Self::Refused(text) }
    }
}

/// A component that was loaded to see whether it could serve. Unless it is let
/// pass, dropping this removes what loading it left on disk.
#[must_use]
pub struct TrialLoad {
    runtime: Runtime,
    sha256: [u8; 32],
    /// Its compiled code was there before.
    known: bool,
    passed: bool,
}

impl TrialLoad {
    /// Begins before the component is loaded.
    pub(super) fn begin(runtime: &Runtime, sha256: [u8; 32]) -> Self {
        Self { known: runtime.has_compiled_code(&sha256), passed: false, sha256, runtime: runtime.clone() }
    }

    /// It serves, or will: what was compiled is kept.
    pub fn pass(mut self) {
        self.passed = true;
    }
}

impl Drop for TrialLoad {
    fn drop(&mut self) {
        if !self.known && !self.passed {
            self.runtime.remove_compiled_code(&self.sha256);
        }
    }
}
