//! The account pages: what a person does with an account, in a browser.
//!
//! Server-rendered, without scripts. Invariants: a page shows only what its
//! session's account may see; looking changes nothing; whatever changes
//! something is a form that carries its session's token and comes from a page
//! of this server; an error is a page too.

pub(crate) mod apps;
pub(crate) mod earnings;
pub(crate) mod email;
pub(crate) mod form;
pub(crate) mod frame;
pub(crate) mod home;
pub(crate) mod keys;
pub(crate) mod money;
pub(crate) mod receipt;
pub(crate) mod routes;
pub(crate) mod session;
pub(crate) mod sign_in;
pub(crate) mod spending;
pub(crate) mod webhooks;
