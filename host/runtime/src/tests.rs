//! Tests of plugins with the real engine. Well-behaved plugins are tested here, hostile ones in
//! `hostile`.

mod bridges;
mod compile;
mod fixture;
mod good;
mod hostile;
mod http;
mod kv;
mod proposals;
mod schemas;
mod services;
mod smith;
mod tables;
