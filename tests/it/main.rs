//! The end-to-end suite: real sockets, the real binary.

mod authoring;
mod fuzz;
mod hostile;
mod house;
mod registry;
mod swap;
