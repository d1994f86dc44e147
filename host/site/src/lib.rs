//! The pages that anybody may read, and what all pages share: the frame, the
//! style, the security headers, errors in a browser, charts, times in words.
//!
//! Invariants: a page here needs no session and changes nothing; no page loads
//! anything from elsewhere; without scripts everything can be read and searched.
//!
//! Never imports the crate `http`, whose pages of an account stand on these.

mod assets;
mod catalogue;
pub mod chart;
mod compress;
mod documents;
pub mod errors;
mod first_call;
mod home;
mod markdown;
pub mod month;
mod page_headers;
mod plugin_page;
mod quality;
mod routes;
mod schema_view;
mod site;
mod snippets;
pub mod text;

pub use first_call::FirstCall;
pub use page_headers::{page_headers, secure_page};
pub use routes::{PATHS, routes};
pub use site::Site;
