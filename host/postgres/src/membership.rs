//! Membership: the live hosts, their addresses, and the leader.
//!
//! Each host reports twice a second that it is alive; the database's clock dates the
//! reports. A missing report alone does not end membership: a host belongs to the ledger
//! as long as it has a row in the ledger, and the leader removes the rows of silent
//! hosts.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::error::PostgresError;
use crate::leader_lock::{HOLDS_LOCK, LEADER_LOCK};
use crate::session::Session;
use crate::settings::PostgresSettings;

/// Time without a report after which a host counts as dead.
pub const SILENT_MAX: Duration = Duration::from_millis(1_500);

/// Registers this host and reports to the other hosts that it is alive.
pub struct Membership {
    session: Session,
    host: String,
}

/// The database's answer to a report that a host is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// Whether this host is still registered.
    pub is_known: bool,
    /// Address of the leader, if another host leads.
    pub leader: Option<String>,
    /// Ids of all live hosts, this one included.
    pub alive: Vec<String>,
    /// The database's clock when it answered, Unix time in milliseconds.
    pub database_ms: u64,
    /// Round-trip time of the report.
    pub round_trip: Duration,
    /// Number of the newest version in the shared registry.
    pub registry: i64,
}

impl Membership {
    /// Creates the membership of a host; `host` is the id of its row in the ledger.
    pub fn new(settings: PostgresSettings, host: String) -> Self {
        Self { session: Session::new(settings), host }
    }

    /// Registers this host and returns its address: `address` if given, otherwise
    /// `listen`. If the IP address of `listen` is unspecified, the IP address that the
    /// database sees replaces it.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn join(&self, address: Option<String>, listen: SocketAddr) -> Result<String, PostgresError> {
        self.session
            .ask(async |client| {
                let address = match (&address, listen.ip().is_unspecified()) {
                    (Some(address), _) => address.clone(),
                    (None, false) => listen.to_string(),
                    (None, true) => {
                        let row = client.query_one("select host(inet_client_addr())", &[]).await?;
                        let seen: Option<String> = row.try_get(0)?;
                        let ip = seen.and_then(|ip| ip.parse().ok()).unwrap_or(std::net::Ipv4Addr::LOCALHOST.into());
                        SocketAddr::new(ip, listen.port()).to_string()
                    }
                };
                client
                    .execute(
                        "insert into hosts (id, address) values ($1, $2) \
                         on conflict (id) do update set address = $2, seen_at = clock_timestamp()",
                        &[&self.host, &address],
                    )
                    .await?;
                Ok(address)
            })
            .await
    }

    /// Reports that this host is alive, and whether it leads.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn heartbeat(&self, leads: bool) -> Result<Heartbeat, PostgresError> {
        self.session
            .ask(async |client| {
                let silent_max = SILENT_MAX.as_secs_f64();
                let began = Instant::now();
                let row = client
                    .query_one(
                        "with beat as (update hosts set seen_at = clock_timestamp(), leads = $2 where id = $1 \
                         returning id) \
                         select exists (select from beat), \
                         (select address from hosts where leads and id <> $1 \
                          and seen_at > clock_timestamp() - make_interval(secs => $3) order by seen_at desc limit 1), \
                         array(select id from hosts where id = $1 \
                          or seen_at > clock_timestamp() - make_interval(secs => $3)), \
                         floor(extract(epoch from clock_timestamp()) * 1000)::bigint, \
                         coalesce((select max(number) from registry_versions), 0)",
                        &[&self.host, &leads, &silent_max],
                    )
                    .await?;
                let database_ms: i64 = row.try_get(3)?;
                Ok(Heartbeat {
                    is_known: row.try_get(0)?,
                    leader: row.try_get(1)?,
                    alive: row.try_get(2)?,
                    database_ms: u64::try_from(database_ms).unwrap_or(0),
                    round_trip: began.elapsed(),
                    registry: row.try_get(4)?,
                })
            })
            .await
    }

    /// Ends the session of a silent leader, whose process is frozen or cut off without
    /// the database having noticed, so that this host can lead.
    ///
    /// # Errors
    /// The database is unavailable, or this role lacks the permission.
    pub async fn remove_silent_leader(&self) -> Result<(), PostgresError> {
        self.session
            .ask(async |client| {
                let holders = format!("select pg_terminate_backend(pid) from pg_locks where {HOLDS_LOCK}");
                Ok(client.execute(&holders, &[&LEADER_LOCK]).await.map(drop)?)
            })
            .await
    }

    /// Removes a host that is dead, or this host when it shuts down.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn remove(&self, host: &str) -> Result<(), PostgresError> {
        self.session
            .ask(async |client| Ok(client.execute("delete from hosts where id = $1", &[&host]).await.map(drop)?))
            .await
    }
}
