//! Which hosts are alive, where they are, and which of them leads.
//!
//! A host says twice a second that it is alive, by the database's clock. That
//! decides nothing by itself: what belongs to the ledger is a row of the ledger,
//! and the host that leads removes the rows of hosts that have fallen silent.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::error::PostgresError;
use crate::leadership::{HOLDS_LOCK, LEADER_LOCK};
use crate::session::Session;
use crate::settings::PostgresSettings;

/// A host that says nothing for so long is taken for dead.
pub const SILENT_MAX: Duration = Duration::from_millis(1_500);

/// How one host tells the others that it is alive.
pub struct Membership {
    session: Session,
    host: String,
}

/// What a host hears when it says that it is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    /// Whether it is still known.
    pub is_known: bool,
    /// Where the other host is that leads, if one does.
    pub leader: Option<String>,
    /// Ids of all that are alive, this one included.
    pub alive: Vec<String>,
    /// The database's clock when it answered, Unix time in milliseconds.
    pub database_ms: u64,
    /// How long the answer took.
    pub round_trip: Duration,
    /// The newest version in the registry that hosts share.
    pub registry: i64,
}

impl Membership {
    /// The membership of a host, under the id that its row of the ledger has.
    pub fn new(settings: PostgresSettings, host: String) -> Self {
        Self { session: Session::new(settings), host }
    }

    /// Says where this host is. Without an address, it is the one from which the
    /// database sees this host. Returns the address.
    ///
    /// # Errors
    /// When the database is away.
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

    /// Says that this host is alive, and whether it leads.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn beat(&self, leads: bool) -> Result<Beat, PostgresError> {
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
                Ok(Beat {
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

    /// Takes the lead from a host that has it and says nothing: its process is
    /// frozen, or cut off while the database has not noticed.
    ///
    /// # Errors
    /// When the database is away, or does not let this role do so.
    pub async fn depose(&self) -> Result<(), PostgresError> {
        self.session
            .ask(async |client| {
                let holders = format!("select pg_terminate_backend(pid) from pg_locks where {HOLDS_LOCK}");
                Ok(client.execute(&holders, &[&LEADER_LOCK]).await.map(drop)?)
            })
            .await
    }

    /// Removes a host that is dead, or this one when it ends.
    ///
    /// # Errors
    /// When the database is away.
    pub async fn remove(&self, host: &str) -> Result<(), PostgresError> {
        self.session
            .ask(async |client| Ok(client.execute("delete from hosts where id = $1", &[&host]).await.map(drop)?))
            .await
    }
}
