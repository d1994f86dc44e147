//! The locks of `parking_lot`, as far as the host's files use them, over those
//! of Shuttle, which decides who gets them.

use std::sync::PoisonError;

pub use shuttle::sync::MutexGuard;

/// Mutual exclusion that Shuttle sees.
#[derive(Debug, Default)]
pub struct Mutex<T>(shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// Guards a value.
    pub fn new(value: T) -> Self {
        Self(shuttle::sync::Mutex::new(value))
    }

    /// Waits for the value.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
