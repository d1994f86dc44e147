//! The connection to an OpenTelemetry collector.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use metrics_opentelemetry::{OpenTelemetryMetrics, OpenTelemetryRecorder};
use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{
    ExporterBuildError, MetricExporter, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tokio::runtime::Handle;
use tollbridge_core::config::{BaseUrl, TelemetryConfig};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;

use crate::span::turn_on;

/// Time-out of one export.
const EXPORT_TIME: Duration = Duration::from_secs(10);
/// Instrumentation scope of spans and metrics, and the default service name.
const SCOPE: &str = "tollbridge";

/// An error from starting the export.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The HTTP client cannot be created.
    #[error("cannot create an HTTP client for telemetry.endpoint: {0}")]
    Client(#[from] reqwest::Error),
    /// The exporter rejects its settings.
    #[error("cannot send to telemetry.endpoint: {0}")]
    Exporter(#[from] ExporterBuildError),
}

/// The export of traces and metrics to a collector.
#[derive(Clone, Debug)]
pub struct Telemetry {
    traces: SdkTracerProvider,
    metrics: SdkMeterProvider,
    traces_per_second: u32,
}

impl Telemetry {
    /// Starts exporting to the configured collector; returns `None` if none is
    /// configured. Must be called within a runtime that lives until [`Telemetry::end`].
    ///
    /// # Errors
    /// The exporter cannot be created.
    pub fn start(config: &TelemetryConfig, version: &str) -> Result<Option<Self>, TelemetryError> {
        let Some(endpoint) = &config.endpoint else { return Ok(None) };
        let resource = Resource::builder()
            .with_attribute(opentelemetry::KeyValue::new("service.version", version.to_owned()))
            .with_attribute(opentelemetry::KeyValue::new("service.name", service_name()))
            .build();
        let client = CollectorClient::new()?;
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_endpoint(signal(endpoint, "traces"))
            .with_timeout(EXPORT_TIME)
            .build()?;
        let measured = MetricExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(signal(endpoint, "metrics"))
            .with_timeout(EXPORT_TIME)
            .build()?;
        let reader = PeriodicReader::builder(measured).with_interval(config.metrics_every).build();
        Ok(Some(Self {
            // `request_span` decides whether to trace a request, so every span that
            // exists is exported.
            traces: SdkTracerProvider::builder()
                .with_sampler(Sampler::AlwaysOn)
                .with_batch_exporter(spans)
                .with_resource(resource.clone())
                .build(),
            metrics: SdkMeterProvider::builder().with_reader(reader).with_resource(resource).build(),
            traces_per_second: config.traces_per_second,
        }))
    }

    /// Enables tracing of requests, and returns a layer that exports the spans it
    /// receives.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        turn_on(self.traces_per_second);
        tracing_opentelemetry::layer()
            .with_tracer(self.traces.tracer(SCOPE))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_level(false)
            .with_target(false)
    }

    /// Returns a recorder for the `metrics` crate; `bounds` are the bucket bounds of
    /// `histogram`.
    pub fn recorder(&self, histogram: &'static str, bounds: &[f64]) -> OpenTelemetryRecorder {
        let recorder = OpenTelemetryRecorder::new(OpenTelemetryMetrics::new(self.metrics.meter(SCOPE)));
        recorder.set_histogram_bounds([histogram].into_iter(), bounds);
        recorder
    }

    /// Exports the remaining data. Blocks for as long as an export may take.
    ///
    /// # Errors
    /// The collector did not accept the data.
    pub fn end(&self) -> Result<(), OTelSdkError> {
        let traces = self.traces.shutdown();
        self.metrics.shutdown().and(traces)
    }
}

/// Returns the service name, which operators set for all their services through the
/// environment.
fn service_name() -> String {
    std::env::var("OTEL_SERVICE_NAME").unwrap_or_else(|_| SCOPE.to_owned())
}

fn signal(endpoint: &BaseUrl, signal: &str) -> String {
    format!("{endpoint}/v1/{signal}")
}

/// An HTTP client that sends on the server's runtime, whichever thread starts an export.
#[derive(Clone, Debug)]
struct CollectorClient {
    client: reqwest::Client,
    runtime: Handle,
}

impl CollectorClient {
    fn new() -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder().timeout(EXPORT_TIME).build()?;
        Ok(Self { client, runtime: Handle::current() })
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move {
            let response = client.execute(request.try_into()?).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let mut answer = Response::new(response.bytes().await?);
            *answer.status_mut() = status;
            *answer.headers_mut() = headers;
            Ok::<_, reqwest::Error>(answer)
        });
        Ok(sent.await??)
    }
}
