//! Inputs of answered calls, stored so that they can be replayed with another version of
//! the plugin.
//!
//! Invariants:
//! 1. Inputs are stored only for plugins that the operator configured for this, never for
//!    plugins deployed by an account, and never with the account, the address or the
//!    request id.
//! 2. No call waits for the disk: an input is copied into memory once its answer is
//!    durable, and written later in batches.
//! 3. Stored inputs are bounded in number, bytes and time, in memory and on disk.
//! 4. Inputs of failed calls are stored in memory only, with their request id, by which
//!    they are found when debugging.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tollbridge_core::blocking::blocking;
use tollbridge_core::config::PluginsConfig;
use tollbridge_core::encryption::EncryptionError;
use tollbridge_core::vault::SecretBytes;
use tollbridge_store::Db;

use super::failed::{FailedInput, FailedInputs};
use super::rows::{KeptInputsError, KeptRows, LoadedInputs, RetentionRule};
use crate::catalog::Offer;
use crate::limits::KEPT_INPUTS_BYTES_MAX;

/// Maximum size of one kept input; a longer input is not kept. Most have a few hundred
/// bytes.
const KEPT_INPUT_BYTES_MAX: usize = 64 << 10;
/// Minimum time between two writes for a plugin whose ring of kept inputs is full.
/// Without it, a busy plugin would write and delete rows at the rate of its calls.
const KEPT_INPUTS_FULL_PAUSE_MS: u64 = 60_000;

/// The service that stores inputs for replays.
pub struct KeptInputs {
    /// Rules by plugin name; contains only plugins whose inputs are stored.
    rules: BTreeMap<String, RetentionRule>,
    rows: Arc<KeptRows>,
    rings: Mutex<HashMap<String, Ring>>,
    /// Inputs of failed calls.
    failed: FailedInputs,
    /// Locked while rows are written or deleted, so that deleted inputs are not written
    /// again.
    writing: tokio::sync::Mutex<()>,
}

/// The newest inputs of a plugin, waiting in memory to be written.
struct Ring {
    rule: RetentionRule,
    inputs: VecDeque<String>,
    bytes: usize,
    /// Time of the last write, if the ring was full at that time.
    full_ms: Option<u64>,
}

/// An input that will be stored if its call is answered.
pub(crate) struct PendingInput {
    plugin: String,
    rule: RetentionRule,
    body: Bytes,
}

/// Inputs of one plugin that are about to be written.
struct Batch {
    plugin: String,
    rule: RetentionRule,
    inputs: Vec<String>,
}

impl KeptInputs {
    /// Creates the service; `key` must be a vault key that is used for nothing else.
    ///
    /// # Errors
    /// The key is invalid.
    pub fn new(key: &SecretBytes, db: Db, plugins: &PluginsConfig) -> Result<Self, EncryptionError> {
        let rule = |number: u32, kept: std::time::Duration| RetentionRule {
            number: usize::try_from(number).unwrap_or(usize::MAX),
            kept_ms: u64::try_from(kept.as_millis()).unwrap_or(u64::MAX),
        };
        let rules = plugins.named.iter().map(|(name, one)| (name.clone(), rule(one.keep_inputs, one.keep_inputs_for)));
        Ok(Self {
            rules: rules.filter(|(_, rule)| rule.number > 0).collect(),
            rows: Arc::new(KeptRows::new(key, db)?),
            rings: Mutex::default(),
            failed: FailedInputs::default(),
            writing: tokio::sync::Mutex::default(),
        })
    }

    /// Returns whether inputs of the plugin with this name are stored.
    pub fn keeps(&self, name: &str) -> bool {
        self.rules.contains_key(name)
    }

    /// Returns the input to store if the call is answered; `None` if inputs of this
    /// plugin are not stored. `body` returns the input unless it must not be stored.
    pub(crate) fn choose(&self, offer: &Offer, body: impl FnOnce() -> Option<Bytes>) -> Option<PendingInput> {
        let rule = *self.rules.get(&offer.name)?;
        if offer.plugin.is_deployed() {
            return None;
        }
        let body = body().filter(|body| body.len() <= KEPT_INPUT_BYTES_MAX)?;
        Some(PendingInput { plugin: offer.row_key(), rule, body })
    }

    /// Stores an input in memory until the next batch is written.
    pub(crate) fn keep(&self, input: PendingInput) {
        let PendingInput { plugin, rule, body } = input;
        // Copy the body: it may be a slice of its connection's read buffer, which would
        // stay allocated.
        let Ok(body) = std::str::from_utf8(&body).map(str::to_owned) else { return };
        let mut rings = self.rings.lock();
        let ring = rings.entry(plugin).or_insert_with(|| Ring::new(rule));
        ring.push(body);
    }

    /// Stores the input of a failed call in memory. `failed` describes the call; its
    /// `body` is filled in from `input`.
    pub(crate) fn keep_failed(&self, input: PendingInput, failed: FailedInput) {
        let Ok(body) = std::str::from_utf8(&input.body).map(str::to_owned) else { return };
        self.failed.keep(input.plugin, FailedInput { body, ..failed });
    }

    /// Returns the input of a call that failed in a plugin on this host, by its request
    /// id. The plugin is given as `bridge/NAME` and `NAME`.
    pub fn failed(&self, (plugin, name): (&str, &str), request_id: &str, now_ms: u64) -> Option<FailedInput> {
        let kept_ms = self.rules.get(name)?.kept_ms;
        self.failed.find(plugin, request_id, now_ms.saturating_sub(kept_ms))
    }

    /// Writes the inputs waiting in memory. A plugin whose ring was full at the last
    /// write is written again only after `KEPT_INPUTS_FULL_PAUSE_MS`, unless `all` is
    /// set. Inputs that cannot be written are lost.
    pub async fn write(&self, now_ms: u64, all: bool) -> Result<(), KeptInputsError> {
        let _writing = self.writing.lock().await;
        for batch in self.take_batches(now_ms, all) {
            let rows = self.rows.clone();
            let Batch { plugin, rule, inputs } = batch;
            let changes = blocking(move || rows.batch(&plugin, rule, inputs, now_ms));
            for change in changes.await.map_err(|_| KeptInputsError::Stopping)?? {
                self.rows.db.submit(change).await?;
            }
        }
        Ok(())
    }

    /// Deletes inputs that are too old, that exceed the number in their rule, or that no
    /// rule covers.
    pub async fn clean_up(&self, now_ms: u64) -> Result<(), KeptInputsError> {
        let _writing = self.writing.lock().await;
        let kept_ms =
            |plugin: &str| plugin.split_once('/').and_then(|(_, name)| self.rules.get(name)).map(|rule| rule.kept_ms);
        self.failed.clean_up(|plugin| now_ms.saturating_sub(kept_ms(plugin).unwrap_or_default()));
        let (rows, rules) = (self.rows.clone(), self.rules.clone());
        let surplus = blocking(move || rows.surplus(&rules, now_ms));
        for change in surplus.await.map_err(|_| KeptInputsError::Stopping)?? {
            self.rows.db.submit(change).await?;
        }
        Ok(())
    }

    /// Deletes all stored inputs of a plugin (`bridge/NAME`) immediately; returns the
    /// number that were on disk.
    pub async fn forget(&self, plugin: &str) -> Result<usize, KeptInputsError> {
        let _writing = self.writing.lock().await;
        self.rings.lock().remove(plugin);
        self.failed.forget(plugin);
        let (rows, of) = (self.rows.clone(), plugin.to_owned());
        let (number, changes) = blocking(move || rows.all_of(&of)).await.map_err(|_| KeptInputsError::Stopping)??;
        for change in changes {
            self.rows.db.submit(change).await?;
        }
        Ok(number)
    }

    /// Returns the newest inputs of a plugin (`bridge/NAME`), newest first.
    pub(crate) async fn load(
        &self,
        (plugin, name): (&str, &str),
        last: usize,
        now_ms: u64,
    ) -> Result<LoadedInputs, KeptInputsError> {
        let Some(rule) = self.rules.get(name).copied() else { return Ok(LoadedInputs::default()) };
        // Include the inputs that are still in memory.
        self.write(now_ms, true).await?;
        let (rows, of) = (self.rows.clone(), plugin.to_owned());
        blocking(move || rows.load(&of, rule, last, now_ms)).await.map_err(|_| KeptInputsError::Stopping)?
    }

    fn take_batches(&self, now_ms: u64, all: bool) -> Vec<Batch> {
        let mut rings = self.rings.lock();
        let due = rings.iter_mut().filter(|(_, ring)| ring.is_due(now_ms, all));
        due.map(|(plugin, ring)| Batch { plugin: plugin.clone(), rule: ring.rule, inputs: ring.take(now_ms) }).collect()
    }
}

impl Ring {
    const fn new(rule: RetentionRule) -> Self {
        Self { rule, inputs: VecDeque::new(), bytes: 0, full_ms: None }
    }

    fn push(&mut self, input: String) {
        while self.is_full_with(input.len())
            && let Some(oldest) = self.inputs.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.len());
        }
        self.bytes = self.bytes.saturating_add(input.len());
        self.inputs.push_back(input);
    }

    fn is_full_with(&self, bytes: usize) -> bool {
        self.inputs.len() >= self.rule.number || self.bytes.saturating_add(bytes) > KEPT_INPUTS_BYTES_MAX
    }

    fn is_due(&self, now_ms: u64, all: bool) -> bool {
        let waits = self.full_ms.is_some_and(|full_ms| now_ms < full_ms.saturating_add(KEPT_INPUTS_FULL_PAUSE_MS));
        !self.inputs.is_empty() && (all || !waits)
    }

    fn take(&mut self, now_ms: u64) -> Vec<String> {
        self.full_ms = self.is_full_with(1).then_some(now_ms);
        self.bytes = 0;
        std::mem::take(&mut self.inputs).into()
    }
}

#[cfg(test)]
#[path = "service_tests.rs"]
mod tests;
