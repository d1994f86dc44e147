//! Tools for authors of plugins: the commands that start, build, check and test a plugin on their
//! own machine, and the options and output shared by all commands of `tollbridge`.
//!
//! Invariants:
//! - data goes to standard output, everything else to standard error;
//! - an error about a missing tool names the command that installs it.
//!
//! This crate never imports the server, and no crate of the server imports this one: toolchains do
//! not belong in the process that handles money.

mod accepted;
pub mod agent_facts;
mod build_rust;
mod build_script;
pub mod built;
mod compiled_code;
mod component;
mod debug_info;
pub mod explained;
mod failed_call;
pub mod hinted;
pub mod input;
mod language;
mod local;
mod local_plugins;
mod local_services;
mod lock;
pub mod options;
pub mod output;
pub mod plugin_bench;
pub mod plugin_build;
pub mod plugin_call;
pub mod plugin_new;
pub mod plugin_test;
mod prepare;
mod project;
mod sdk_files;
mod template;
mod templates;
pub mod toolchain;
mod tools;
pub mod working;
mod world;
