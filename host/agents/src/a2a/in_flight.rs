//! The tasks and messages that are being handled, each by one request.
//!
//! In memory only: after a restart nothing is in flight.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

/// Keys of tasks and messages that are being handled.
#[derive(Clone, Default)]
pub(super) struct InFlightSet(Arc<Mutex<HashSet<String>>>);

/// Releases the keys when dropped.
#[must_use]
pub(super) struct InFlightGuard {
    set: InFlightSet,
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
        Some(InFlightGuard { set: self.clone(), names: names.into() })
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut busy = self.set.0.lock();
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
