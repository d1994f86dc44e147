//! What authors of plugins work with: the commands that start, build, check and
//! test a plugin on their own machine, and how every command of `tollbridge`
//! takes options and speaks.
//!
//! Invariants:
//! - data goes to standard output, everything else to standard error;
//! - a tool that is missing is named together with the command that installs
//!   it.
//!
//! Never imports the server, and nothing that the server is made of imports
//! this crate: toolchains are not part of what handles money.

mod build_rust;
mod build_script;
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
