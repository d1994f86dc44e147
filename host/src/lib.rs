
pub mod egress;
pub mod limits;
pub mod plugins;
