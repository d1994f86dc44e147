//! The market: offers, and the path of a call through them.
//!
//! [`checkout`] runs paid calls; [`catalog`] holds the callable plugins and their prices;
//! [`accounts`], [`earning`], [`risk`] and [`reputation`] cover what accounts earn and how it
//! is paid out.
//!
//! Invariants:
//! - code and price never disagree: a call sees one snapshot of the catalog;
//! - no answer is sent before its record is durable, and a failed plugin costs its caller
//!   nothing;
//! - a withdrawal is reserved on disk before the processor is asked.
//!
//! Never imports HTTP routes, the model gateway or agents.

pub mod accounts;
pub mod catalog;
pub mod checkout;
pub mod earning;
pub mod reputation;
pub mod risk;
