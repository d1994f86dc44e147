//! The pages that anybody may read, and what all pages share: the frame, the
//! style, the security headers, errors in a browser, charts.
//!
//! Invariants: a page here needs no session and changes nothing; no page loads
//! anything from elsewhere.
//!
//! Never imports the crate `http`, whose pages of an account stand on these.

pub mod chart;
mod docs;
pub mod errors;
mod page_headers;
mod routes;
mod site;

pub use page_headers::{page_headers, secure_page};
pub use routes::{PATHS, routes};
pub use site::Site;
