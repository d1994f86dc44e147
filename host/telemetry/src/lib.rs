//! Exports telemetry to an operator's collector by OTLP: traces of requests and calls,
//! and the metrics of `/metrics`.
//!
//! Spans are `tracing` spans with the target [`TARGET`]. [`request_span`] decides whether
//! a request is traced and creates its span; [`child_span!`] creates a span below the
//! current one, or none if nothing is traced. Without a collector, or for an untraced
//! request, each span therefore costs one load of a flag.
//!
//! Invariants:
//! 1. Spans contain names, counts, times and amounts: no bodies, keys or e-mail
//!    addresses.
//! 2. A slow or unreachable collector loses its data and has no other effect.
//! 3. The number of traces started per second is bounded, even if callers request more.

mod collector;
mod sampling;
mod span;

pub use collector::{Telemetry, TelemetryError};
pub use span::{TARGET, current, inject, is_on, request_span};

/// Re-exported for [`child_span!`].
#[doc(hidden)]
pub use tracing;

/// Creates a span below the current one, or none if nothing is traced. Takes a name and
/// fields, like `tracing::info_span!`.
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
