//! Commands, one file each. A command parses its arguments, asks a room and
//! writes the answer: data to standard output, everything else to standard
//! error.

pub mod component;
pub mod hinted;
pub mod output;
pub mod plugin_build;
pub mod plugin_new;
pub mod toolchain;
