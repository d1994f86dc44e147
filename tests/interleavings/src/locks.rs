//! Replacements for the `parking_lot` locks that the host's files use, built on Shuttle's
//! locks, so that Shuttle decides which thread gets a lock.

use std::sync::PoisonError;

pub use shuttle::sync::MutexGuard;

/// A mutex that Shuttle schedules.
#[derive(Debug, Default)]
pub struct Mutex<T>(shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Guards a value.
    pub fn new(value: T) -> Self {
        Self(shuttle::sync::Mutex::new(value))
    }

    /// Locks and returns the guard.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
