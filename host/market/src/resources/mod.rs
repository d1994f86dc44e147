//! Stored resources, to which calls refer by `resource_id`.

mod service;
mod view;

pub(crate) use service::is_id;
pub use service::{ResourceError, Resources, StoredResource};
pub use view::ResourceView;
