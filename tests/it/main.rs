//! The end-to-end suite: the real binary, real sockets, real folders.

mod access;
mod house;
mod kill;
mod ledger;
mod newcomer;
mod pay;
