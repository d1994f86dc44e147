//! Plugins that behave, against the real engine. Hostile ones: `hostile`.

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
