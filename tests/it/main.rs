//! The end-to-end suite: the real binary, real sockets, real folders.

mod a2a;
mod a2a_calls;
mod access;
mod agents;
mod authoring;
mod bridges;
mod earning;
mod fuzz;
mod hostile;
mod house;
mod inference;
mod inference_bridges;
mod inference_clients;
mod inference_money;
mod kill;
mod languages;
mod ledger;
mod mcp;
mod newcomer;
mod pages;
mod pay;
mod registry;
mod resources;
mod services;
mod swap;
mod webhooks;
