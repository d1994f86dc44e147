//! Runs operator commands: in this process if the server is stopped, through the admin listener if
//! it is running. The effect is the same.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tollbridge_console::{ConsoleLink, Invitation, OPERATOR};
use tollbridge_core::config::Config;
use tollbridge_ledger::Notary;
use tollbridge_operator::{Actor, Command, OperatorService, Request};
use tollbridge_store::OpenError;
use tollbridge_tools::hinted::Hinted;
use tollbridge_tools::options::{DataArgs, Global};
use tollbridge_tools::output::Output;

use super::http_client::{ServerError, http_client};
use crate::app::{AdminFile, Base, LedgerLock, OpenPurpose, admin_file};

/// Time that a command waits for a server that is starting.
const STARTING: Duration = Duration::from_secs(5);

fn is_in_use(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| matches!(cause.downcast_ref(), Some(OpenError::InUse { .. })))
}

/// The place where commands run.
pub(super) enum Target {
    /// No server uses this data folder; the store is open in this process.
    Stopped {
        operator: Box<OperatorService>,
        notary: Arc<Notary>,
        /// Keeps other hosts from serving a ledger in PostgreSQL while this command runs.
        _tenure: Option<LedgerLock>,
    },
    Running(Remote),
}

/// The admin listener of a running server.
pub(super) struct Remote {
    http: reqwest::Client,
    base: String,
    token: String,
}

impl Target {
    pub(super) async fn open(global: &Global, data: &DataArgs) -> Result<Self> {
        Self::of(global.config(data)?).await
    }

    pub(super) async fn of(config: Config) -> Result<Self> {
        let dir = config.data.dir.clone();
        let patience = Instant::now();
        loop {
            if let Some(remote) = Remote::find(&dir).await? {
                return Ok(Self::Running(remote));
            }
            let config = config.clone();
            match tokio::task::spawn_blocking(move || Base::open(config, OpenPurpose::Command)).await? {
                Ok(mut base) => {
                    let tenure = base.tenure.take();
                    let (operator, notary) = (Box::new(base.operator()?), base.notary);
                    return Ok(Self::Stopped { operator, notary, _tenure: tenure });
                }
                // A starting server locks the folder before it accepts commands, so try
                // again for a while.
                Err(error) if is_in_use(&error) && patience.elapsed() < STARTING => {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
                Err(error) if is_in_use(&error) => {
                    let hint = "a server that is starting or stopping holds it briefly: try again, or check its log";
                    return Err(Hinted::error(format!("{error:#}"), hint));
                }
                Err(error) => return Err(error),
            }
        }
    }

    pub(super) async fn run(&self, command: Command) -> Result<Value> {
        match self {
            Self::Stopped { operator, .. } => Ok(operator.execute(&Actor::of_command_line(), command).await?),
            Self::Running(remote) => remote.run(&command).await,
        }
    }
}

/// Returns the server that runs on a data folder, for data that only a running server has.
pub(super) async fn running(global: &Global, data: &DataArgs) -> Result<Remote> {
    let dir = global.config(data)?.data.dir;
    let none =
        || Hinted::error(format!("no server is running on {}", dir.display()), "start it with `tollbridge serve`");
    Remote::find(&dir).await?.ok_or_else(none)
}

/// Opens the data folder, runs one command, and closes the folder.
pub(super) async fn run(global: &Global, data: &DataArgs, command: impl Into<Command>) -> Result<Value> {
    Target::open(global, data).await?.run(command.into()).await
}

/// Runs one command and returns its answer.
pub(super) async fn ask<R: Request>(global: &Global, data: &DataArgs, request: R) -> Result<R::Answer> {
    read(run(global, data, request).await?)
}

/// Runs one command and prints its answer: as JSON, or as the text that `text` returns.
pub(super) async fn show_answer<R: Request>(
    global: &Global,
    data: &DataArgs,
    out: Output,
    request: R,
    text: impl FnOnce(&R::Answer) -> String,
) -> Result<R::Answer> {
    let json = run(global, data, request).await?;
    let answer = read(json.clone())?;
    out.result(&json, || text(&answer));
    Ok(answer)
}

fn read<T: DeserializeOwned>(answer: Value) -> Result<T> {
    serde_json::from_value(answer).context("cannot parse the running server's answer; is it a different version?")
}

/// Sends a request to the admin listener and returns its answer.
async fn answer_of<T: DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T> {
    let response = request.send().await.context("the running server does not answer on its admin listener")?;
    let not_json = "the admin listener's answer is not JSON";
    if response.status().is_success() {
        return response.json().await.context(not_json);
    }
    let ServerError { error, hint, .. } = response.json().await.context(not_json)?;
    let message = error.unwrap_or_else(|| "refused".to_owned());
    match hint {
        Some(hint) => Err(Hinted::error(message, &hint)),
        None => bail!(message),
    }
}

impl Remote {
    /// Finds the server that runs on a data folder, if there is one. A request detects the stale
    /// file of a killed server.
    async fn find(data: &Path) -> Result<Option<Self>> {
        let path = admin_file(data);
        let Ok(bytes) = std::fs::read(&path) else { return Ok(None) };
        let file: AdminFile = serde_json::from_slice(&bytes)
            .with_context(|| format!("{} is damaged; remove it if no server is running", path.display()))?;
        let remote = Self { http: http_client()?, base: format!("http://{}", file.address), token: file.token };
        let alive = remote.http.get(format!("{}/metrics", remote.base)).send().await.is_ok();
        Ok(alive.then_some(remote))
    }

    /// Creates a single-use link to the console.
    pub(super) async fn console_link(&self, invitation: &Invitation) -> Result<String> {
        let request = self.http.post(format!("{}/console-link", self.base)).bearer_auth(&self.token).json(invitation);
        let ConsoleLink { link } = answer_of(request).await?;
        Ok(format!("{}/console/enter?link={link}", self.base))
    }

    /// Runs a command that only this server can carry out.
    pub(super) async fn ask<R: Request>(&self, request: R) -> Result<R::Answer> {
        read(self.run(&request.into()).await?)
    }

    async fn run(&self, command: &Command) -> Result<Value> {
        let request = self.http.post(format!("{}/command", self.base)).bearer_auth(&self.token);
        answer_of(request.header(OPERATOR, Actor::of_command_line().name()).json(command)).await
    }

    /// Writes the export of the running server's ledger to a file.
    pub(super) async fn export(&self, out: &mut (dyn std::io::Write + Send)) -> Result<()> {
        let request = self.http.get(format!("{}/ledger/export", self.base)).bearer_auth(&self.token);
        let mut response = request.send().await?.error_for_status()?;
        while let Some(chunk) = response.chunk().await? {
            out.write_all(&chunk)?;
        }
        Ok(())
    }
}
