//! Which of the hosts of a ledger leads: whoever holds a lock of a session of its
//! own.
//!
//! The lock ends with its session: at once when the host's process ends, and
//! after a time-out of the database when the host is cut off. A host that was cut
//! off and comes back can do no harm to the ledger, since it cannot append behind
//! commits that it does not know; it ends as soon as it notices.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::blocking::BlockingRuntime;
use crate::connection::connect;
use crate::error::PostgresError;
use crate::membership::SILENT_MAX;
use crate::settings::PostgresSettings;

/// The lock of who leads. Any number of our own.
pub(crate) const LEADER_LOCK: i64 = 0x746f_6c6c_6c65_6164;
/// Of `pg_locks`: the session that has the lock of `$1`.
pub(crate) const HOLDS_LOCK: &str =
    "locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = $1";
/// How often the session is asked whether it lives.
const ASK_EVERY: Duration = Duration::from_millis(500);
/// Longest that the answer may take.
const ANSWER_MAX: Duration = Duration::from_secs(4);

/// The lock, for as long as this lives.
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
    /// A candidate that has not asked yet.
    ///
    /// # Errors
    /// When the system gives no runtime.
    pub fn new(settings: PostgresSettings) -> Result<Self, PostgresError> {
        Ok(Self { settings, runtime: BlockingRuntime::new()?, client: None })
    }

    /// Asks for the lock; whether it is this host's now. Blocks for a moment.
    ///
    /// # Errors
    /// When the database is away.
    pub fn ask(&mut self) -> Result<bool, PostgresError> {
        self.with_session(ask)
    }

    /// Whether any host is alive, whoever leads. Blocks for a moment.
    ///
    /// # Errors
    /// When the database is away.
    pub fn sees_hosts(&mut self) -> Result<bool, PostgresError> {
        let alive = "select exists (select from hosts where seen_at > clock_timestamp() - make_interval(secs => $1))";
        self.with_session(async |session| {
            Ok(session.query_one(alive, &[&SILENT_MAX.as_secs_f64()]).await?.try_get(0)?)
        })
    }

    /// Asks something; after an error the next thing is asked in a new session.
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

    /// After `ask` said yes: keeps the lock, and calls `on_loss` once when another
    /// host has it, or when the database stays away.
    ///
    /// # Errors
    /// When the system gives no thread.
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

    /// Until it is stopped, or the lock is lost: then why.
    fn keep(mut self, stopped: &AtomicBool) -> Option<String> {
        let mut answered = Instant::now();
        while !stopped.load(Ordering::Relaxed) {
            std::thread::park_timeout(ASK_EVERY);
            if stopped.load(Ordering::Relaxed) {
                break;
            }
            match self.ask() {
                Ok(true) => answered = Instant::now(),
                Ok(false) => return Some("another host has taken over".to_owned()),
                Err(error) if answered.elapsed() >= self.settings.patience => {
                    return Some(format!("the database stayed away: {error}"));
                }
                Err(error) => tracing::warn!(%error, "the database does not say whether this host still leads"),
            }
        }
        None
    }
}

/// A session that has the lock already keeps it.
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
