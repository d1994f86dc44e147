//! One at a time: which tasks and messages are being worked on.
//!
//! In memory only: a stopped host works on nothing.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

/// Tasks and messages that are being worked on.
#[derive(Clone, Default)]
pub(super) struct InFlightSet(Arc<Mutex<HashSet<String>>>);

/// Ends the turn when dropped.
#[must_use]
pub(super) struct InFlightGuard {
    all: InFlightSet,
    names: Vec<String>,
}

impl InFlightSet {
    /// All of the names, or none.
    pub(super) fn enter<const N: usize>(&self, names: [String; N]) -> Option<InFlightGuard> {
        let mut busy = self.0.lock();
        if names.iter().any(|name| busy.contains(name)) {
            return None;
        }
        busy.extend(names.clone());
        Some(InFlightGuard { all: self.clone(), names: names.into() })
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut busy = self.all.0.lock();
        for name in &self.names {
            busy.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_had_whole_or_not_at_all() {
        let busy = InFlightSet::default();
        let name = |text: &str| text.to_owned();
        let turn = busy.enter([name("a"), name("b")]).unwrap();
        assert!(busy.enter([name("c"), name("b")]).is_none());
        let other = busy.enter([name("c")]).unwrap();
        drop(turn);
        assert!(busy.enter([name("b"), name("a")]).is_some());
        drop(other);
    }
}
