//! A payment processor for tests of the host's crates.
//!
//! This crate depends on `tollbridge-payment`, whose unit tests therefore include its
//! files as modules.

pub mod faulty_processor;
