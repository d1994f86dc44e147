//! Tests of well-behaved plugins, against the real engine. For hostile ones see `hostile`.

mod bridges;
mod compile;
mod fixture;
mod good;
mod hostile;
mod http;
mod kv;
mod schemas;
mod services;
mod smith;
mod tables;
