//! The span around a request, and the propagation of its trace context.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use http::{HeaderMap, Method};
use opentelemetry::Context;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, TraceContextExt, TraceState};
use opentelemetry_http::{HeaderExtractor, HeaderInjector};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tollbridge_core::time::now_ms;
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::sampling::TraceLimit;

/// The `tracing` target of exported spans; logs do not show this target.
pub const TARGET: &str = "tollbridge::trace";

/// Whether tracing is on in this process.
static ON: AtomicBool = AtomicBool::new(false);
static LIMIT: OnceLock<TraceLimit> = OnceLock::new();

/// Turns tracing of requests on.
pub(crate) fn turn_on(per_second: u32) {
    LIMIT.get_or_init(|| TraceLimit::new(per_second));
    ON.store(per_second > 0, Ordering::Relaxed);
}

/// Returns whether tracing is on.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Returns the current span, or an empty one if tracing is off.
#[inline]
pub fn current() -> Span {
    if is_on() { Span::current() } else { Span::none() }
}

/// Creates the span of an incoming request, below the caller's span if `traceparent`
/// names one. Returns an empty span if the request is not traced, for example because its
/// caller decided against tracing. `route` is the server's pattern, not the path that the
/// caller sent.
pub fn request_span(method: &Method, route: &str, headers: &HeaderMap) -> Span {
    if !is_on() {
        return Span::none();
    }
    let caller = caller(headers);
    if (caller.is_valid() && !caller.is_sampled()) || !LIMIT.get().is_some_and(|limit| limit.take(now_ms())) {
        return Span::none();
    }
    let span = tracing::info_span!(
        target: TARGET, "request", otel.kind = "server", otel.name = format!("{method} {route}"),
        otel.status_code = Empty, http.request.method = method.as_str(), http.route = route, url.path = Empty,
        http.response.status_code = Empty, error.type = Empty,
        tollbridge.request.id = Empty, tollbridge.account = Empty,
    );
    if caller.is_valid() {
        // Fails only without a layer, and then no span is exported anyway.
        let _ = span.set_parent(Context::new().with_remote_span_context(caller));
    }
    span
}

/// Returns the caller's span from the headers. Its `tracestate` is dropped: an untrusted
/// value would otherwise be passed on to other services.
fn caller(headers: &HeaderMap) -> SpanContext {
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers));
    let span = context.span();
    let said = span.span_context();
    SpanContext::new(said.trace_id(), said.span_id(), said.trace_flags(), true, TraceState::default())
}

/// Adds `traceparent` to the headers of an outgoing request, if the current span is traced.
pub fn inject(headers: &mut HeaderMap) {
    let current = current();
    if !current.is_none() {
        TraceContextPropagator::new().inject_context(&current.context(), &mut HeaderInjector(headers));
    }
}
