//! What an operator's collector is told: traces of requests and calls, and what
//! `/metrics` counts, both by OTLP.
//!
//! Spans are those of the crate `tracing` with the target [`TARGET`]. The one around a
//! request is made by [`request_span`], which also decides whether the request is
//! traced; those below it by [`child_span!`], which makes none where nothing is
//! traced. So a server without a collector, and a request that is not traced, pay a
//! load of one flag for each.
//!
//! Invariants:
//! 1. Spans hold names, counts, times and amounts: no bodies, keys or e-mail addresses.
//! 2. A collector that is slow or away costs nothing but what it was to be told.
//! 3. Traces that are begun in a second are bounded, whoever asks for them.

mod collector;
mod sampling;
mod span;

pub use collector::{Telemetry, TelemetryError};
pub use span::{current, inject, is_on, request_span};

/// Re-exported for [`child_span!`].
#[doc(hidden)]
pub use tracing;

/// The target of the spans that are sent, which no log shows.
pub const TARGET: &str = "tollbridge::trace";

/// A span below the one that is entered; none where nothing is traced. Takes a name
/// and fields as `tracing::info_span!` does.
#[macro_export]
macro_rules! child_span {
    ($($span:tt)*) => {
        if !$crate::current().is_none() {
            $crate::tracing::info_span!(target: $crate::TARGET, $($span)*)
        } else {
            $crate::tracing::Span::none()
        }
    };
}
