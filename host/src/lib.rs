pub mod config;
pub mod access;
