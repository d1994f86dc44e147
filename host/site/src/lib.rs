//! The public pages, and the parts that all pages share: the layout, the style sheet, the
//! security headers, error pages, charts, date formats.
//!
//! Invariants: a page of this crate needs no session and changes nothing; no page loads
//! anything from another site; reading and searching work without scripts.
//!
//! Never imports `routes-accounts`, whose account pages build on this crate.

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
