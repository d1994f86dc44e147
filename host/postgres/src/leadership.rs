//! Leadership among the hosts of a ledger: the leader holds an advisory lock in a
//! separate session.
//!
//! The lock ends with its session: immediately when the leader's process ends, or after a
//! database time-out when the leader is cut off. A former leader that reconnects cannot
//! harm the ledger, because the log rejects its append if it has not read all earlier
//! commits; the host exits as soon as it notices the loss.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::blocking::BlockingRuntime;
use crate::connection::connect;
use crate::error::PostgresError;
use crate::leader_lock::{HOLDS_LOCK, LEADER_LOCK};
use crate::membership::SILENT_MAX;
use crate::settings::PostgresSettings;

/// Interval at which the leader checks that its session still holds the lock.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// Time-out of the database's answer.
const ANSWER_MAX: Duration = Duration::from_secs(4);

/// A held leader lock; released on drop.
pub struct Leadership {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A host that does not lead yet.
pub struct Candidate {
    settings: PostgresSettings,
    runtime: BlockingRuntime,
    client: Option<Client>,
}

impl Candidate {
    /// Creates a candidate that has not tried to lead yet.
    ///
    /// # Errors
    /// The system cannot create a runtime.
    pub fn new(settings: PostgresSettings) -> Result<Self, PostgresError> {
        Ok(Self { settings, runtime: BlockingRuntime::new()?, client: None })
    }

    /// Tries to acquire the leader lock; returns whether this host holds it. Blocks
    /// briefly.
    ///
    /// # Errors
    /// The database is unavailable.
    pub fn ask(&mut self) -> Result<bool, PostgresError> {
        self.with_session(ask)
    }

    /// Returns whether any host is alive, leader or not. Blocks briefly.
    ///
    /// # Errors
    /// The database is unavailable.
    pub fn any_host_alive(&mut self) -> Result<bool, PostgresError> {
        let alive = "select exists (select from hosts where seen_at > clock_timestamp() - make_interval(secs => $1))";
        self.with_session(async |session| {
            Ok(session.query_one(alive, &[&SILENT_MAX.as_secs_f64()]).await?.try_get(0)?)
        })
    }

    /// Runs a query on the session; after an error, the next query opens a new session.
    fn with_session(
        &mut self,
        question: impl AsyncFnOnce(&Client) -> Result<bool, PostgresError>,
    ) -> Result<bool, PostgresError> {
        let Self { settings, runtime, client } = self;
        runtime.wait(ANSWER_MAX, async {
            let session = match client.take() {
                Some(session) => session,
                None => connect(settings).await?,
            };
            let answer = question(&session).await?;
            *client = Some(session);
            Ok(answer)
        })
    }

    /// Keeps the lock after [`Self::ask`] has returned true. Calls `on_loss` once if
    /// another host acquires the lock or the database stays unavailable.
    ///
    /// # Errors
    /// The system cannot create a thread.
    pub fn lead(self, on_loss: impl FnOnce(String) + Send + 'static) -> Result<Leadership, PostgresError> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = std::thread::Builder::new().name("leadership".to_owned()).spawn(move || {
            if let Some(why) = self.keep(&stopped) {
                on_loss(why);
            }
        })?;
        Ok(Leadership { stop, thread: Some(thread) })
    }

    /// Keeps the lock until stopped or until it is lost; returns the reason for a loss.
    fn keep(mut self, stopped: &AtomicBool) -> Option<String> {
        let mut answered = Instant::now();
        while !stopped.load(Ordering::Relaxed) {
            std::thread::park_timeout(CHECK_INTERVAL);
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            match self.ask() {
                Ok(true) => answered = Instant::now(),
                Ok(false) => return Some("another host has taken over".to_owned()),
                Err(error) if answered.elapsed() >= self.settings.patience => {
                    return Some(format!("the database stayed unavailable: {error}"));
                }
                Err(error) => tracing::warn!(%error, "cannot check whether this host still leads"),
            }
        }
        None
    }
}

/// Tries to acquire the leader lock; returns true as well if this session already holds
/// it.
async fn ask(session: &Client) -> Result<bool, PostgresError> {
    let asked = format!(
        "select exists (select from pg_locks where pid = pg_backend_pid() and {HOLDS_LOCK}) or pg_try_advisory_lock($1)"
    );
    Ok(session.query_one(&asked, &[&LEADER_LOCK]).await?.try_get(0)?)
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
