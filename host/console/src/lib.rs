//! The admin listener: commands, metrics and the console, which is what an operator
//! sees and does in a browser.
//!
//! The console is server-rendered, without scripts. Invariants: whatever a page shows or does is a
//! command, so the command line can do it too; who is not signed in sees nothing;
//! whatever changes something is a form of a page of this console, is allowed to the
//! role of whoever sends it, and is in the ledger with their name.
//!
//! Never imports routes of the public listener.

mod actions;
mod admin;
mod making;
mod page;
mod pages;
mod routes;
mod sessions;

pub use admin::{AdminState, OPERATOR, admin_router};
pub use routes::{Console, routes};
pub use sessions::Sessions;
