//! The threads on which webhooks are delivered: two that take turns at one
//! runtime.
//!
//! While calls are being sealed, the thread of the lowest priority delivers, so
//! that webhooks take from calls no more than the processor has to spare. Else
//! the thread of ordinary priority does: on a machine that other programs fill,
//! the lowest priority would get next to nothing, and events would wait for as
//! long as these run. A thread can only ever lower its own priority, hence two.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::runtime::Runtime;

use super::{Base, now_ms};
use crate::store::Store;
use crate::webhooks::Webhooks;

/// As low as it goes; on an idle machine it makes no difference.
const NICE: i32 = 19;

/// How often the thread looks whether it is still its turn.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Records between two looks from which on calls come first: 100 a second.
const BUSY_RECORDS: u64 = 10;

/// Looks without so many in a row until the server counts as calm again.
const CALM_LOOKS: u32 = 10;

/// Starts deliveries; they end when the last one who holds them lets go.
pub(super) fn start(base: &Base) -> Result<Arc<Webhooks>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime for webhooks does not start")?;
    let handle = runtime.handle().clone();
    let webhooks = Arc::new(Webhooks::start(
        base.store.clone(),
        base.writer.clone(),
        base.listeners.clone(),
        &base.config.webhooks,
        now_ms,
        handle,
    )?);
    let runtime = Arc::new(runtime);
    let (to_ordinary, ordinary) = channel();
    let (to_low, low) = channel();
    // The first turn.
    to_ordinary.send(()).context("the thread for webhooks does not start")?;
    let turns = [(Mood::Calm, ordinary, to_low), (Mood::Busy, low, to_ordinary)];
    for (mood, turn, other) in turns {
        let look = Look { served: Arc::downgrade(&webhooks), store: base.store.clone(), mood };
        let driver = Driver { runtime: runtime.clone(), look, turn, other };
        std::thread::Builder::new()
            .name("webhooks".to_owned())
            .spawn(move || driver.run())
            .context("a thread for webhooks does not start")?;
    }
    Ok(webhooks)
}

/// Whether calls are being sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Calm,
    Busy,
}

/// One of the two threads.
struct Driver {
    runtime: Arc<Runtime>,
    look: Look,
    turn: Receiver<()>,
    /// Whose turn it is next; when this ends, so does the other.
    other: Sender<()>,
}

impl Driver {
    fn run(self) {
        if self.look.mood == Mood::Busy {
            // On Linux this concerns the thread that asks, no other.
            if let Err(error) = rustix::process::nice(NICE) {
                tracing::debug!(%error, "webhooks are always delivered at ordinary priority");
            }
        }
        // Dropping the runtime lets go of the store, which then closes cleanly.
        while self.turn.recv().is_ok() {
            if !self.runtime.block_on(self.look.turn()) || self.other.send(()).is_err() {
                return;
            }
        }
    }
}

/// Sees how long a turn lasts.
struct Look {
    served: Weak<Webhooks>,
    store: Arc<dyn Store>,
    /// In which mood it is this thread's turn.
    mood: Mood,
}

impl Look {
    /// Waits for the end of this thread's turn; false at the end of all.
    async fn turn(&self) -> bool {
        let (mut size, mut calm) = (self.size(0), 0);
        while self.served.strong_count() > 0 {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = self.size(size);
            calm = if now.saturating_sub(size) >= BUSY_RECORDS { 0 } else { calm + 1 };
            size = now;
            if self.mood.is_over(calm) {
                return true;
            }
        }
        false
    }

    /// How many records there are, as far as that is known.
    fn size(&self, before: u64) -> u64 {
        self.store.head().map_or(before, |head| head.size)
    }
}

impl Mood {
    /// Whether it has ended after so many calm looks in a row.
    const fn is_over(self, calm: u32) -> bool {
        match self {
            Self::Calm => calm == 0,
            Self::Busy => calm >= CALM_LOOKS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_busy_look_ends_the_calm_and_only_a_calm_second_brings_it_back() {
        assert!(Mood::Calm.is_over(0) && !Mood::Calm.is_over(1));
        assert!(!Mood::Busy.is_over(0) && !Mood::Busy.is_over(CALM_LOOKS - 1) && Mood::Busy.is_over(CALM_LOOKS));
    }
}
