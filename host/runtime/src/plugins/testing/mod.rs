//! Plugins that are scripts of a test.

pub(super) mod script;
mod scripted;
