//! The account pages, where a person manages an account in a browser.
//!
//! Server-rendered, without scripts. Invariants: a page shows only what its session's account may
//! see; a GET changes nothing; every change is a form that carries its session's token and comes
//! from a page of this server; errors are pages too.

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
