//! Values that are computed when a plugin is built.

use std::{ops::Deref, sync::LazyLock};

/// A value that is the same in each call and is computed only once: a table, a pattern, a schema.
///
/// Call [`Ready::prepare`] in the function that you pass to the macro as `init`: the value is then
/// computed when the plugin is built. Otherwise each call that uses the value computes it again.
///
/// The function that computes the value has access only to the plugin's own data: no call, no clock,
/// no randomness and no host functions. If it uses any of them, `tollbridge plugin build` fails and
/// names what was used.
///
/// ```
/// use tollbridge_sdk::Ready;
///
/// static SQUARES: Ready<Vec<u64>> = Ready::new(|| (0..1_000).map(|number| number * number).collect());
///
/// fn prepare() {
///     SQUARES.prepare();
/// }
///
/// # prepare();
/// assert_eq!(SQUARES.get(12), Some(&144));
/// ```
///
/// Pass the `prepare` function to the macro:
///
/// ```text
/// tollbridge_sdk::bridge! { handle: handle, init: prepare }
/// ```
#[derive(Debug)]
pub struct Ready<T>(LazyLock<T>);

impl<T> Ready<T> {
    /// Creates a value that will be computed by calling `make`.
    pub const fn new(make: fn() -> T) -> Self {
        Self(LazyLock::new(make))
    }

    /// Computes the value now, unless it already exists.
    pub fn prepare(&self) {
        LazyLock::force(&self.0);
    }
}

impl<T> Deref for Ready<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_value_is_made_once() {
        static MADE: AtomicU32 = AtomicU32::new(0);
        static VALUE: Ready<u32> = Ready::new(|| MADE.fetch_add(1, Ordering::SeqCst));
        assert_eq!(MADE.load(Ordering::SeqCst), 0);
        VALUE.prepare();
        VALUE.prepare();
        assert_eq!((*VALUE, MADE.load(Ordering::SeqCst)), (0, 1));
    }
}
