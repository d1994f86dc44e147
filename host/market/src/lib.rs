//! The market: offers of plugins, and the path of a call from payment to answer.
//!
//! [`checkout`] runs paid calls; [`catalog`] holds the callable plugins and their prices;
//! [`resources`] stores bytes that calls refer to; [`kept_inputs`] stores inputs of calls,
//! which [`replay`] runs again with another version of the plugin; [`dry_run`] runs plugins
//! for the operator without a sale;
//! [`accounts`], [`earning`], [`risk`] and [`reputation`] cover what accounts earn and
//! how it is paid out.
//!
//! Invariants:
//! - code and price always belong together: a call uses one snapshot of the catalog;
//! - no answer is sent before its record is durable, and a failed plugin costs its caller
//!   nothing, except for nested calls that had answered;
//! - a withdrawal is reserved on disk before the processor is asked.
//!
//! Never imports HTTP routes, the model gateway or agents.

pub mod accounts;
pub mod catalog;
pub mod checkout;
pub mod dry_run;
pub mod earning;
pub mod kept_inputs;
pub mod limits;
pub mod replay;
pub mod reputation;
pub mod resources;
pub mod risk;
