//! The events of a run, in order: a digest of all of them, which must be equal in two
//! runs of the same seed, and the last lines for debugging.

use std::collections::VecDeque;
use std::sync::Mutex;

use sha2::{Digest, Sha256};

use crate::clock::now_ms;

/// Number of lines that are kept to be shown when a run fails.
const LINES_KEPT: usize = 4_000;

/// The log of one simulation.
pub(crate) struct EventLog(Mutex<(Sha256, VecDeque<String>)>);

impl EventLog {
    pub(crate) fn new() -> Self {
        Self(Mutex::new((Sha256::new(), VecDeque::new())))
    }

    pub(crate) fn note(&self, what: impl AsRef<str>) {
        let line = format!("{} {}", now_ms(), what.as_ref());
        let (digest, lines) = &mut *self.0.lock().unwrap();
        digest.update(line.as_bytes());
        digest.update(b"\n");
        lines.push_back(line);
        if lines.len() > LINES_KEPT {
            lines.pop_front();
        }
    }

    pub(crate) fn digest(&self) -> String {
        hex::encode(self.0.lock().unwrap().0.clone().finalize())
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().1.iter().cloned().collect()
    }
}
