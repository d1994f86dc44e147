//! The end-to-end suite: real sockets, the real binary.

mod house;
mod registry;
mod swap;
