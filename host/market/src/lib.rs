//! What is for sale, and the path of a call through it.
//!
//! [`checkout`] is the story of a paid call; [`catalog`] what can be called, and
//! at what price; [`accounts`], [`earning`], [`risk`] and [`reputation`] what
//! accounts earn and how it leaves.
//!
//! Invariants:
//! - code and price never disagree: a call sees one snapshot of the catalog;
//! - no answer leaves before its record is durable, and a failed plugin costs
//!   its caller nothing;
//! - a withdrawal is reserved on disk before the processor is asked.
//!
//! Never imports HTTP routes, the model gateway or agents.

pub mod accounts;
pub mod catalog;
pub mod checkout;
pub mod earning;
pub mod reputation;
pub mod risk;
