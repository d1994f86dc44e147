//! The earning service.

use std::sync::Arc;

use tollbridge_core::money::Millipence;
use tollbridge_ledger::Notary;
use tollbridge_payment::CallPayments;
use tollbridge_store::Store;

use super::budget::TaskBudget;
use super::claim::TaskClaims;
use super::memory::Memories;
use super::settle::Settlements;
use super::task::EarnTasks;
use super::transfer::Transfers;
use crate::catalog::PluginHost;

/// The dependencies of the earning service.
pub struct EarningDeps {
    /// Store, for reading.
    pub store: Arc<dyn Store>,
    /// Notary that seals records.
    pub notary: Arc<Notary>,
    /// Reserves the paying account's credit.
    pub payments: Arc<CallPayments>,
    /// Access to the agents to pay and the bridges that check results; `None` in commands
    /// that run while the server is stopped.
    pub plugins: Option<PluginHost>,
    /// Configured budget for earn tasks.
    pub budget: Millipence,
    /// Price of storing an item in an agent's memory.
    pub memory_price: Millipence,
    /// Whether all money is test money.
    pub sandbox: bool,
    /// Number of days for which earnings are on hold.
    pub hold_days: u32,
}

/// The services through which accounts earn other than by calls of their plugins.
pub struct EarningService {
    /// The tasks that the operator offers.
    pub tasks: Arc<EarnTasks>,
    /// The budget that pays for tasks.
    pub budget: TaskBudget,
    /// The service that pays accounts for the results of tasks.
    pub claims: TaskClaims,
    /// Payments between agents.
    pub settlements: Settlements,
    /// The memories of agents.
    pub memories: Memories,
}

impl EarningService {
    /// Creates the services. Create them only once per process, because their locks guard
    /// the number of completions of each task, and of items in each memory.
    pub fn new(deps: EarningDeps) -> Self {
        let EarningDeps { store, notary, payments, plugins, budget, memory_price, sandbox, hold_days } = deps;
        let tasks = Arc::new(EarnTasks { store: store.clone(), turn: tokio::sync::Mutex::default() });
        let transfers = Arc::new(Transfers { notary: notary.clone(), payments, plugins: plugins.clone(), hold_days });
        Self {
            budget: TaskBudget { store: store.clone(), notary: notary.clone(), configured: budget, sandbox },
            claims: TaskClaims { tasks: tasks.clone(), store: store.clone(), notary: notary.clone(), plugins },
            tasks,
            settlements: Settlements { store: store.clone(), notary: notary.clone(), transfers: transfers.clone() },
            memories: Memories { store, notary, transfers, price: memory_price, turn: tokio::sync::Mutex::default() },
        }
    }
}
