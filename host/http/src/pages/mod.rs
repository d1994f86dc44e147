//! The account pages: what a person does with an account, in a browser.
//!
//! Server-rendered, without scripts. Invariants: a page shows only what its
//! session's account may see; looking changes nothing; whatever changes
//! something is a form that carries its session's token and comes from a page
//! of this server; an error is a page too.

pub mod apps;
pub mod chart;
pub mod earnings;
pub mod errors;
pub mod form;
pub mod frame;
pub mod home;
pub mod keys;
pub mod money;
pub mod routes;
pub mod session;
pub mod sign_in;
pub mod webhooks;
