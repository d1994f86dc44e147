//! Export to an operator's collector by OTLP: traces of requests and calls, and the metrics of
//! `/metrics`.
//!
//! Spans are those of the crate `tracing` with the target [`TARGET`]. [`request_span`] makes the
//! span of a request and also decides whether the request is traced; [`child_span!`] makes those
//! below it, and none if nothing is traced. So without a collector, or for an untraced request,
//! each span costs one load of a flag.
//!
//! Invariants:
//! 1. Spans hold names, counts, times and amounts: no bodies, keys or e-mail addresses.
//! 2. A slow or missing collector loses its data and costs nothing else.
//! 3. The number of traces started per second is bounded, even if callers request more.

mod collector;
mod sampling;
mod span;

pub use collector::{Telemetry, TelemetryError};
pub use span::{current, inject, is_on, request_span};

/// Re-exported for [`child_span!`].
#[doc(hidden)]
pub use tracing;

/// The target of exported spans; logs do not show it.
pub const TARGET: &str = "tollbridge::trace";

/// Makes a span below the current one; none if nothing is traced. Takes a name and fields like
/// `tracing::info_span!`.
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
