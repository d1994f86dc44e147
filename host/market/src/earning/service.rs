//! The earning service.

use std::sync::Arc;

use tollbridge_core::config::{EarnConfig, MemoryConfig};
use tollbridge_ledger::Notary;
use tollbridge_payment::CallPayments;
use tollbridge_store::Store;

use crate::catalog::PluginHost;

/// The earning service, with everything it depends on.
pub struct EarningService {
    /// Store, for reading.
    pub store: Arc<dyn Store>,
    /// Notary that seals records.
    pub notary: Arc<Notary>,
    /// Reserves the paying account's credit.
    pub payments: Arc<CallPayments>,
    /// Access to the agents to pay and the bridges that check results; `None` in commands
    /// that run while the server is stopped.
    pub plugins: Option<PluginHost>,
    /// Configuration of earn tasks.
    pub earn: EarnConfig,
    /// Configuration of agents' memories.
    pub memory: MemoryConfig,
    /// Whether all money is test money.
    pub sandbox: bool,
    /// Number of days for which earnings are on hold.
    pub hold_days: u32,
    /// Locked while a task is changed, and while an item is added to an agent's memory.
    pub count_lock: tokio::sync::Mutex<()>,
}
