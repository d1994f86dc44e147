//! Runs a plugin's function on the developer's machine: golden cases and test doubles of the host.
//! For native builds only.

mod bridges;
mod case;
mod compare;
pub(crate) mod doubles;
mod fit;
mod inference;
mod ledger;
mod run;
mod stopwatch;
pub(crate) mod table;

pub use bridges::Bridges;
pub use doubles::{Called, Doubles, Recorded};
pub use inference::Inference;
pub use ledger::Ledger;
#[doc(hidden)]
pub use run::{ChangedCase, assert_examples, changed_elsewhere};
pub use run::{Trial, check_agent_cases, check_cases, check_elsewhere, run_agent_cases, run_cases};
#[doc(hidden)]
pub use stopwatch::{BENCH_LINE, BENCH_VARIABLE, time};
pub use table::StatedTable;
