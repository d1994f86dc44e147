//! A payment processor for tests of the host's crates.
//!
//! This crate depends on `tollbridge-payment`, so the unit tests of `tollbridge-payment`
//! cannot depend on it. Instead, they include its files as modules.

pub mod faulty_processor;
