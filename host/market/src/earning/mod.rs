//! What accounts earn beside the calls of their plugins: tasks that the operator
//! pays for, transfers between agents, and agents' memories.
//!
//! Invariants: a task pays an account once; what tasks pay never exceeds what
//! the operator put aside; a transfer is split like the price of a call, and
//! nobody pays themselves.

mod budget;
mod claim;
mod error;
mod memory;
mod replay;
mod service;
mod settle;
mod task;
mod transfer;

pub use budget::BudgetSource;
pub use claim::TaskClaim;
pub use error::EarningError;
pub use memory::{MemoryItem, NewMemoryItem};
pub use replay::EarningReceipt;
pub use service::EarningService;
pub use settle::Settlement;
pub use task::{EarnTask, NewEarnTask, ResultCheck};
