//! The limit on open files of this process, which bounds its connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tollbridge_connections::ConnectionLimits;
use tollbridge_core::config::ServerConfig;

/// File descriptors reserved for uses other than client connections: database, plugins'
/// requests, providers of models, webhooks.
const FILES_RESERVED: u64 = 512;

/// Returns the configured connection limits, reduced if the system allows too few open
/// files: each connection is an open file, and other parts of the server need files too.
pub(super) fn connection_limits(server: &ServerConfig) -> ConnectionLimits {
    let count = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
    let configured = count(server.connections);
    let total = configured.min(connections_of(raise()));
    if total < configured {
        tracing::warn!(
            configured,
            possible = total,
            "the system allows too few open files for server.connections; raise its limit (ulimit -Hn, LimitNOFILE=)"
        );
    }
    ConnectionLimits {
        total,
        per_client: count(server.connections_per_client),
        trusted_proxies: server.trusted_proxies.clone(),
        idle: server.idle_timeout,
        unread: server.write_timeout,
    }
}

/// Raises the limit on open files to the maximum allowed for this process, and returns
/// it; `None` means unlimited.
fn raise() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::debug!(%error, "cannot raise the limit on open files");
            current
        }
    }
}

/// Returns the number of connections that a limit on open files leaves room for.
fn connections_of(files: Option<u64>) -> usize {
    let Some(files) = files else { return usize::MAX };
    // If the limit is low, connections get half of it.
    let connections = files.saturating_sub(FILES_RESERVED).max(files / 2).max(1);
    usize::try_from(connections).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_left_for_the_rest() {
        for (files, connections) in [(1_048_576, 1_048_064), (1_024, 512), (256, 128), (0, 1)] {
            assert_eq!(connections_of(Some(files)), connections, "{files}");
        }
        assert_eq!(connections_of(None), usize::MAX);
        assert!(raise().is_none_or(|files| files > 0));
    }
}
