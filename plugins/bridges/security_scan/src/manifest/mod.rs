//! Package manifests: what is fetched and run when somebody installs the project.

mod cargo_toml;
mod names;
mod package_json;
mod requirements;
mod rules;
mod scan;

pub use rules::IDS;
pub use scan::find;
