//! The command `tollbridge console`.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tollbridge_console::Invitation;
use tollbridge_operator::{Actor, Role};
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::target::Target;

/// Print a single-use link that opens the console in a browser
#[derive(Args, Debug)]
pub(super) struct ConsoleArgs {
    /// Name of the operator, for the audit log
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
    /// Role of the operator
    #[arg(long, value_enum, default_value_t = RoleName::Admin)]
    role: RoleName,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RoleName {
    /// View only
    Read,
    /// Refunds, credit, suspending accounts, keys
    Support,
    /// Everything
    Admin,
}

pub(super) async fn run(args: ConsoleArgs, global: &Global, out: Output) -> Result<()> {
    let Target::Running(remote) = Target::open(global, &args.data).await? else {
        bail!("no server runs on this data folder; the console is a part of `tollbridge serve`");
    };
    let role = match args.role {
        RoleName::Read => Role::Read,
        RoleName::Support => Role::Support,
        RoleName::Admin => Role::Admin,
    };
    let name = args.name.unwrap_or_else(|| Actor::of_command_line().name().to_owned());
    let invitation = Invitation { name, role };
    let link = remote.console_link(&invitation).await?;
    out.result(&json!({ "url": link, "name": invitation.name, "role": role }), || link.clone());
    out.hint(
        "the link works once, within five minutes, and on this machine only; to use it elsewhere, forward the port \
        with ssh",
    );
    Ok(())
}
