//! State that survives a crash of the host: disk, network, other servers, and the seed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::book::Book;
use crate::chance::Chance;
use crate::disk::Disk;
use crate::event_log::EventLog;
use crate::plugins::{CalmFlag, NestedAnswers};
use crate::receivers::Receivers;
use crate::shared_log::Log;
use crate::stripe::Stripe;
use crate::wallets::Wallets;

/// Possible percentages of failed requests to Stripe and to webhook receivers; a seed
/// uses one of them.
const TROUBLES: [u64; 4] = [0, 8, 20, 40];

/// The place where the ledger is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    /// In files on the disk of a single host.
    Disk,
    /// In a log shared by several hosts.
    SharedLog,
}

pub(crate) struct World {
    pub(crate) chance: Arc<Chance>,
    pub(crate) log: Arc<EventLog>,
    pub(crate) disk: Disk,
    /// The shared log, if the ledger has several hosts.
    pub(crate) shared: Option<Log>,
    pub(crate) stripe: Arc<Stripe>,
    pub(crate) receivers: Arc<Receivers>,
    pub(crate) wallets: Arc<Wallets>,
    pub(crate) book: Mutex<Book>,
    /// Flag that is set while plugins must answer normally.
    pub(crate) calm: CalmFlag,
    /// Answered nested calls between plugins.
    pub(crate) below: NestedAnswers,
    troubles: u64,
    /// Whether calls can be paid with MPP credentials; true in every other seed.
    pub(crate) takes_credentials: bool,
    /// Real folder for keys and the checkpoint file, which are not simulated.
    pub(crate) folder: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(seed: u64, engine: Engine) -> Arc<Self> {
        let (chance, log) = (Arc::new(Chance::new(seed)), Arc::new(EventLog::new()));
        let troubles = TROUBLES[chance.index(TROUBLES.len())];
        Arc::new(Self {
            stripe: Stripe::new(chance.clone(), log.clone()),
            receivers: Receivers::new(chance.clone(), log.clone()),
            wallets: Wallets::new(chance.clone(), log.clone()),
            disk: Disk::new(),
            shared: (engine == Engine::SharedLog).then(Log::default),
            book: Mutex::default(),
            calm: Arc::new(AtomicBool::new(true)),
            below: NestedAnswers::default(),
            troubles,
            takes_credentials: seed % 2 == 1,
            folder: tempfile::tempdir().unwrap(),
            chance,
            log,
        })
    }

    /// Turns all faults off, or on again at the rate of this seed.
    pub(crate) fn set_calm(&self, calm: bool) {
        self.calm.store(calm, Ordering::Relaxed);
        let troubles = if calm { 0 } else { self.troubles };
        self.stripe.set_troubles(troubles);
        self.receivers.set_troubles(troubles);
        self.wallets.set_troubles(troubles);
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.calm.load(Ordering::Relaxed)
    }
}
