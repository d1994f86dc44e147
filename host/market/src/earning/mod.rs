//! Accounts' earnings from sources other than calls of their plugins: tasks paid by the
//! operator, transfers between agents, and agents' memories.
//!
//! Invariants: an account is paid once per task; payments for tasks never exceed the
//! operator's budget; a transfer is split like the price of a call, and no account can
//! pay itself.

mod budget;
mod claim;
mod error;
mod memory;
mod replay;
mod service;
mod settle;
mod task;
mod transfer;

pub use budget::{BudgetSource, TaskBudget};
pub use claim::{EarnReceipt, TaskClaim, TaskClaims};
pub use error::EarningError;
pub use memory::{Memories, MemoryItem, MemoryReceipt, NewMemoryItem};
pub use replay::EarningReceipt;
pub use service::{EarningDeps, EarningService};
pub use settle::{Settlement, SettlementReceipt, Settlements};
pub use task::{EarnTask, EarnTasks, NewEarnTask, ResultCheck};
