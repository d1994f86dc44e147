//! The admin listener: commands, metrics and the console, the operator's interface in a browser.
//!
//! The console is server-rendered, without scripts. Invariants: everything that a page shows or
//! does is a command, so the command line can do it too; a visitor without a session sees nothing;
//! every change is a form of a console page, requires the sender's role to permit it, and is
//! recorded in the ledger with the sender's name.
//!
//! Never imports routes of the public listener.

mod actions;
mod admin;
mod page;
mod page_context;
mod pages;
mod routes;
mod sessions;

pub use admin::{AdminState, ConsoleLink, Invitation, OPERATOR, admin_router};
pub use routes::{Console, routes};
pub use sessions::Sessions;
