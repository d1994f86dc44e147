//! The sections about the process itself: `[server]`, `[data]`, `[registry]`, `[admin]`
//! and `[telemetry]`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::address::{BaseUrl, Network};
use super::artifacts::ArtifactsConfig;
use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::setting::{Setting, one_of};
use super::units::ByteSize;
use crate::limits::BODY_BYTES_MAX;

/// Maximum value of `server.connections`; that many connections use about ten gigabytes
/// of buffers.
const CONNECTIONS_MAX: u32 = 1_000_000;

/// The section `[server]`: the listener and public identity of the host.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The listening address; port 0 picks a free port.
    pub listen: SocketAddr,
    /// The public address as configured; read it through [`ServerConfig::public_url`],
    /// which fills in the default.
    pub base_url: Option<BaseUrl>,
    /// The name of this server that payers see.
    pub display_name: String,
    /// The operator's site as configured; read it through [`ServerConfig::provider_url`],
    /// which fills in the default.
    pub provider_url: Option<BaseUrl>,
    /// The maximum size of a request body.
    pub body_limit: ByteSize,
    /// Proxies whose `X-Forwarded-For` header is trusted.
    pub trusted_proxies: Vec<Network>,
    /// The maximum number of concurrent connections.
    pub connections: u32,
    /// The maximum number of concurrent connections per client address; trusted proxies
    /// are exempt.
    pub connections_per_client: u32,
    /// The time for which a connection may be idle between two requests.
    pub idle_timeout: Duration,
    /// The maximum time for which a client may stop reading a response.
    pub write_timeout: Duration,
    /// TLS certificate and key of the public listener; `None` serves plain HTTP.
    pub tls: Option<TlsFiles>,
}

/// A certificate and its key, as PEM files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by the intermediate certificates of its chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// The section `[data]`.
#[derive(Clone, Debug)]
pub struct DataConfig {
    /// The data folder.
    pub dir: PathBuf,
}

/// The section `[registry]`.
#[derive(Clone, Debug)]
pub struct RegistryConfig {
    /// The registry folder.
    pub dir: PathBuf,
    /// The file of trusted publishers.
    pub publishers: PathBuf,
    /// The artifacts in other registries that this host follows.
    pub artifacts: ArtifactsConfig,
}

/// The section `[admin]`: the operator's listener, which only this machine can reach.
#[derive(Clone, Debug)]
pub struct AdminConfig {
    /// The listening address.
    pub listen: SocketAddr,
}

/// The section `[telemetry]`: logs, traces and metrics of the host.
#[derive(Clone, Debug)]
pub struct TelemetryConfig {
    /// Selects the requests that are logged individually.
    pub requests: LoggedRequests,
    /// The address of an OpenTelemetry collector; `None` exports nothing.
    pub endpoint: Option<BaseUrl>,
    /// The maximum number of new traces per second.
    pub traces_per_second: u32,
    /// The interval between metric exports.
    pub metrics_every: Duration,
}

/// Selects the requests that are logged individually.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoggedRequests {
    /// No requests.
    None,
    /// Requests that are answered with 4xx or 5xx.
    Refused,
    /// All requests.
    All,
}

impl Setting for LoggedRequests {
    fn read(raw: &Raw) -> Result<Self, String> {
        one_of(raw, &[("none", Self::None), ("refused", Self::Refused), ("all", Self::All)])
    }
}

impl ServerConfig {
    /// The public address for links and agent cards, without a trailing slash: the
    /// configured one, or else the listener's own.
    pub fn public_url(&self, bound: SocketAddr) -> BaseUrl {
        self.base_url.clone().unwrap_or_else(|| BaseUrl::of_listener(bound, self.tls.is_some()))
    }

    /// The address of the listener itself, independent of `base_url`.
    pub fn listener_url(&self, bound: SocketAddr) -> String {
        format!("{}://{bound}", if self.tls.is_some() { "https" } else { "http" })
    }

    /// The operator's own site: the configured address, or else the public address of
    /// this server.
    pub fn provider_url(&self, bound: SocketAddr) -> BaseUrl {
        self.provider_url.clone().unwrap_or_else(|| self.public_url(bound))
    }

    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let listen: Option<SocketAddr> = r.required("server.listen");
        let base_url: Option<Option<BaseUrl>> = r.optional("server.base_url");
        let display_name = r.required::<String>("server.display_name");
        let provider_url = r.optional("server.provider_url");
        let body_limit = r.required::<ByteSize>("server.body_limit");
        let trusted_proxies: Option<Vec<Network>> = r.required("server.trusted_proxies");
        let connections = r.required::<u32>("server.connections");
        let connections_per_client = r.required::<u32>("server.connections_per_client");
        let longest = Duration::from_secs(15 * 60);
        // A connection counts as idle until the head of a request is complete, which may
        // take 15 seconds.
        let idle_timeout = r.within("server.idle_timeout", Duration::from_secs(15)..=longest, "from 15s to 15m");
        let write_timeout = r.within("server.write_timeout", Duration::from_secs(5)..=longest, "from 5s to 15m");
        let tls = TlsFiles::read(r);

        if display_name.as_ref().is_some_and(|name| name.chars().count() > 100) {
            r.error(&Key::from("server.display_name"), "is longer than 100 characters".to_owned());
        }
        if body_limit.is_some_and(|limit| !(1..=BODY_BYTES_MAX).contains(&limit.as_usize())) {
            r.error(&Key::from("server.body_limit"), "must be from 1 byte to 1MiB".to_owned());
        }
        if connections.is_some_and(|count| !(1..=CONNECTIONS_MAX).contains(&count)) {
            r.error(&Key::from("server.connections"), format!("must be from 1 to {CONNECTIONS_MAX}"));
        }
        if connections_per_client == Some(0) {
            r.error(&Key::from("server.connections_per_client"), "must be at least 1".to_owned());
        }
        if trusted_proxies.iter().flatten().any(Network::is_everything) {
            let message = "trusts the X-Forwarded-For of every client, so any client can forge its address";
            r.warn("server.trusted_proxies", message);
        }
        if let (Some(listen), Some(None)) = (listen, &base_url) {
            let url = BaseUrl::of_listener(listen, matches!(tls, Some(Some(_)))).to_string();
            if !listen.ip().is_loopback() {
                let message =
                    "is not set, so payment links point to the listening address; set it to the address callers use";
                r.warn("server.base_url", message);
            }
            r.derived("server.base_url", Raw::Text(url.clone()), "from server.listen");
            r.derived("server.provider_url", Raw::Text(url), "from server.base_url");
        }
        if let Some(Some(url)) = &base_url {
            if !url.is_https() && matches!(tls, Some(Some(_))) {
                let message = "says http, but the listener speaks TLS (server.tls_certificate); set it to https://…";
                r.warn("server.base_url", message);
            }
            r.derived("server.provider_url", Raw::Text(url.to_string()), "from server.base_url");
        }
        Some(Self {
            listen: listen?,
            base_url: base_url?,
            display_name: display_name?,
            provider_url: provider_url?,
            body_limit: body_limit?,
            trusted_proxies: trusted_proxies?,
            connections: connections?,
            connections_per_client: connections_per_client?,
            idle_timeout: idle_timeout?,
            write_timeout: write_timeout?,
            tls: tls?,
        })
    }
}

impl TlsFiles {
    /// Reads the paths of the certificate and its key; either both must be set or
    /// neither.
    fn read(r: &mut Reader) -> Option<Option<Self>> {
        let certificate = r.optional::<PathBuf>("server.tls_certificate");
        let key = r.optional::<PathBuf>("server.tls_key");
        let (missing, has) = match (certificate?, key?) {
            (Some(certificate), Some(key)) => return Some(Some(Self { certificate, key })),
            (None, None) => return Some(None),
            (Some(_), None) => ("server.tls_key", "server.tls_certificate"),
            (None, Some(_)) => ("server.tls_certificate", "server.tls_key"),
        };
        r.error(&Key::from(missing), format!("must be set, because {has} has no effect without it"));
        None
    }
}

impl DataConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        Some(Self { dir: r.required("data.dir")? })
    }
}

impl RegistryConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let dir = r.required::<PathBuf>("registry.dir");
        let publishers = r.optional::<PathBuf>("registry.publishers");
        let beside = dir.as_ref().map(|dir| dir.join("publishers.toml"));
        if let Some(beside) = &beside {
            r.derived("registry.publishers", Raw::Text(beside.display().to_string()), "from registry.dir");
        }
        let artifacts = ArtifactsConfig::read(r);
        let publishers = publishers?.or(beside)?;
        Some(Self { dir: dir?, publishers, artifacts: artifacts? })
    }
}

impl AdminConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let listen: SocketAddr = r.required("admin.listen")?;
        if !listen.ip().is_loopback() {
            let message = "must be an address of this machine only, like \"127.0.0.1:0\"; use a tunnel to reach it from elsewhere";
            r.error(&Key::from("admin.listen"), message.to_owned());
        }
        Some(Self { listen })
    }
}

impl TelemetryConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let requests = r.required("telemetry.requests");
        let endpoint = r.optional("telemetry.endpoint");
        let traces_per_second = r.required("telemetry.traces_per_second");
        let (shortest, longest) = (Duration::from_secs(1), Duration::from_secs(3_600));
        let metrics_every = r.within("telemetry.metrics_every", shortest..=longest, "from 1s to 1h");
        Some(Self {
            requests: requests?,
            endpoint: endpoint?,
            traces_per_second: traces_per_second?,
            metrics_every: metrics_every?,
        })
    }
}
