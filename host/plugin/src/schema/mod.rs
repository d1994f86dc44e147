//! JSON schemas of plugins, which are untrusted: compiling them, an upper bound of their cost, and
//! explanations of violations.

mod alternatives;
pub(crate) mod compiled;
mod cost;
#[cfg(test)]
mod fuzz_tests;
mod parts;
mod pattern_cost;
pub(crate) mod rate;
pub(crate) mod shape;
pub(crate) mod words;
