//! A connection to the writable database.

use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls_platform_verifier::ConfigVerifierExt;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::PostgresError;
use crate::settings::PostgresSettings;

/// Time-out for connecting to one address.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum time that sent data may stay unacknowledged before the connection is closed.
const UNACKNOWLEDGED: Duration = Duration::from_secs(4);
/// Session settings. Time-outs in milliseconds limit statements, lock waits, and
/// transactions left idle by a host that has stopped. All tables are in the schema
/// `tollbridge`.
const SESSION: &str = "set statement_timeout = 10000; set idle_in_transaction_session_timeout = 2000; \
                       set lock_timeout = 10000; set application_name = 'tollbridge'; set client_min_messages = warning; \
                       set search_path = tollbridge";

/// A connection, with the log's prepared statements.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) append: Statement,
    pub(crate) owner: Statement,
    pub(crate) entries: Statement,
}

/// Connects to the database and checks that acknowledged commits are durable.
pub(crate) async fn connect(settings: &PostgresSettings) -> Result<Client, PostgresError> {
    let mut config: Config = settings.url.expose().parse().map_err(PostgresError::Url)?;
    config.target_session_attrs(TargetSessionAttrs::ReadWrite);
    config.connect_timeout(CONNECT_TIMEOUT);
    config.tcp_user_timeout(UNACKNOWLEDGED);
    config.keepalives_idle(UNACKNOWLEDGED);
    let client = match config.get_ssl_mode() {
        SslMode::Disable => {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            client
        }
        _ => {
            let (client, connection) = config.connect(MakeRustlsConnect::new(tls(settings)?)).await?;
            tokio::spawn(connection);
            client
        }
    };
    client.batch_execute(SESSION).await?;
    check_durable(&client).await?;
    Ok(client)
}

fn tls(settings: &PostgresSettings) -> Result<rustls::ClientConfig, PostgresError> {
    let certificate = |error: String| PostgresError::Certificate(error);
    let Some(path) = &settings.root_certificate else {
        return rustls::ClientConfig::with_platform_verifier().map_err(|error| certificate(error.to_string()));
    };
    let mut roots = rustls::RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(path).map_err(|error| certificate(format!("{error:?}")))? {
        let root = root.map_err(|error| certificate(format!("{error:?}")))?;
        roots.add(root).map_err(|error| certificate(error.to_string()))?;
    }
    Ok(rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth())
}

/// Rejects a database that may lose commits that it has acknowledged.
async fn check_durable(client: &Client) -> Result<(), PostgresError> {
    let row = client
        .query_one(
            "select current_setting('synchronous_commit'), current_setting('fsync'), \
             current_setting('synchronous_standby_names') <> '', pg_is_in_recovery()",
            &[],
        )
        .await?;
    let (commit, fsync): (String, String) = (row.try_get(0)?, row.try_get(1)?);
    let (has_standby, is_standby): (bool, bool) = (row.try_get(2)?, row.try_get(3)?);
    // With `local`, a commit is not replicated before it is acknowledged, so a failover
    // would lose it.
    let is_lossy = commit == "off" || (has_standby && commit == "local");
    match (is_standby, fsync == "off", is_lossy) {
        (true, ..) => Err(PostgresError::ReadOnly),
        (_, true, _) => Err(PostgresError::NoSync),
        (.., true) => Err(PostgresError::NotDurable(commit)),
        _ => Ok(()),
    }
}

impl Connection {
    pub(crate) async fn open(settings: &PostgresSettings) -> Result<Self, PostgresError> {
        let client = connect(settings).await?;
        // Inserts a commit only if the preceding commit exists, so that no commit follows
        // one that the database has lost.
        let append = client
            .prepare(
                "insert into commits (number, host, digest, notes) select $1::bigint, $2::bytea, $3::bytea, $4::bytea \
                 where $1 = 0 or exists (select from commits where number = $1 - 1 and digest = $5::bytea) \
                 on conflict (number) do nothing",
            )
            .await?;
        let owner = client.prepare("select host, digest from commits where number = $1").await?;
        // Also returns the preceding entry, so that the caller can check that it matches
        // this host's.
        let entries = client
            .prepare(
                "select number, digest, case when number >= $1 then notes end from commits \
                 where number >= $1 - 1 order by number limit $2",
            )
            .await?;
        Ok(Self { client, append, owner, entries })
    }
}
