//! The earning service.

use std::sync::Arc;

use tollbridge_core::config::{EarnConfig, MemoryConfig};
use tollbridge_ledger::Notary;
use tollbridge_payment::PaymentAuthorizer;
use tollbridge_store::Store;

use crate::catalog::PluginHost;

/// The dependencies of earning.
pub struct EarningService {
    /// Data folder, for reading.
    pub store: Arc<dyn Store>,
    /// Notary that seals records.
    pub notary: Arc<Notary>,
    /// Payment authorizer for quotes and holds.
    pub payments: Arc<PaymentAuthorizer>,
    /// Agents to pay and bridges that check results; `None` on a stopped server.
    pub plugins: Option<PluginHost>,
    /// Configuration of earn tasks.
    pub earn: EarnConfig,
    /// Configuration of memory.
    pub memory: MemoryConfig,
    /// Whether money is test money.
    pub sandbox: bool,
    /// Days for which earnings stay pending.
    pub hold_days: u32,
    /// Held while a task's completions are counted and increased.
    pub counting: tokio::sync::Mutex<()>,
}
