//! The recorder behind the crate `metrics`: for `/metrics`, and for a telemetry collector if
//! configured.

use anyhow::{Context, Result};
use metrics_exporter_prometheus::PrometheusHandle;
use metrics_util::layers::FanoutBuilder;
use tollbridge_http::{REQUEST_SECONDS, REQUEST_SECONDS_BUCKETS};
use tollbridge_telemetry::Telemetry;

use super::metric_descriptions::{builder, describe_metrics};

/// Installs the recorder for the whole process.
pub(super) fn install_recorder(telemetry: Option<&Telemetry>) -> Result<PrometheusHandle> {
    let pages = builder()?.build_recorder();
    let handle = pages.handle();
    let installed = match telemetry {
        None => metrics::set_global_recorder(pages).map_err(drop),
        Some(telemetry) => {
            let both = FanoutBuilder::default()
                .add_recorder(pages)
                .add_recorder(telemetry.recorder(REQUEST_SECONDS, &REQUEST_SECONDS_BUCKETS))
                .build();
            metrics::set_global_recorder(both).map_err(drop)
        }
    };
    installed.ok().context("cannot record metrics: another recorder is already installed in this process")?;
    describe_metrics();
    Ok(handle)
}
