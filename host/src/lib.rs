
pub mod registry;
