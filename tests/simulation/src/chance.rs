//! Random decisions, which are repeatable because they depend only on the seed.

use std::sync::Mutex;
use std::time::Duration;

use crate::entropy::step;

/// The random number generator for all decisions of a simulation.
pub(crate) struct Chance(Mutex<u64>);

impl Chance {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    fn next(&self) -> u64 {
        let mut state = self.0.lock().unwrap();
        let (next, word) = step(*state);
        *state = next;
        word
    }

    /// Returns a random number from 0 to `bound` − 1.
    pub(crate) fn below(&self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    pub(crate) fn index(&self, bound: usize) -> usize {
        usize::try_from(self.below(bound as u64)).unwrap()
    }

    pub(crate) fn percent(&self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&self, all: &'a [T]) -> Option<&'a T> {
        if all.is_empty() { None } else { all.get(self.index(all.len())) }
    }

    pub(crate) fn millis(&self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.below(to.saturating_sub(from) + 1))
    }

    /// Returns an index with a probability proportional to its weight.
    pub(crate) fn weighted(&self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if left < *weight {
                return index;
            }
            left -= weight;
        }
        0
    }
}
