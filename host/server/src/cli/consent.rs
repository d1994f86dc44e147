//! Confirmation before an irreversible action.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{Result, bail};
use clap::Args;

#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Consent {
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

impl Consent {
    /// Asks for confirmation if standard input is a terminal; otherwise continues without
    /// asking.
    pub(super) fn ask(self, what: &str) -> Result<()> {
        if self.yes || !std::io::stdin().is_terminal() {
            return Ok(());
        }
        eprint!("This will {what}, and cannot be undone. Continue? [y/N] ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => bail!("nothing was done"),
        }
    }
}
