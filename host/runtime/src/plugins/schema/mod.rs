//! JSON schemas of plugins, which are untrusted: compiling them, an upper bound of their cost, and
//! explanations of violations.

mod alternatives;
pub(super) mod compiled;
mod cost;
#[cfg(test)]
mod fuzz_tests;
mod parts;
mod pattern_cost;
pub(super) mod rate;
pub(super) mod shape;
pub(super) mod words;
