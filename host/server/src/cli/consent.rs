//! Asking before something that cannot be taken back.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{Result, bail};
use clap::Args;

#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Consent {
    /// Do not ask whether to go on
    #[arg(long)]
    yes: bool,
}

impl Consent {
    /// Asks whoever sits at the terminal; programs are not asked.
    pub(super) fn ask(self, what: &str) -> Result<()> {
        if self.yes || !std::io::stdin().is_terminal() {
            return Ok(());
        }
        eprint!("This will {what}, and cannot be taken back. Go on? [y/N] ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer)?;
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => Ok(()),
            _ => bail!("nothing was done"),
        }
    }
}
