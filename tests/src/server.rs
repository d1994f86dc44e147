//! A running server process.

use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::{Client, Folder, binary};

/// Maximum time until a server is ready. With a cold cache the server compiles every
/// plugin of this repository, which takes two seconds each while other tests run.
const READY_WAIT: Duration = Duration::from_secs(300);

/// A server process; killed when dropped.
pub struct Server {
    child: tokio::process::Child,
    pub url: String,
    log: std::path::PathBuf,
}

impl Server {
    /// Starts `tollbridge serve` and waits for its ready line.
    pub async fn start(folder: &Folder, args: &[&str]) -> Result<Self> {
        Self::start_command(folder, &[&["serve"], args].concat()).await
    }

    /// Starts a command that serves, and waits for its ready line.
    pub async fn start_command(folder: &Folder, args: &[&str]) -> Result<Self> {
        let log = folder.path().join("server.log");
        let errors = std::fs::File::options().create(true).append(true).open(&log)?;
        let mut child = tokio::process::Command::new(binary())
            .args(["--config".as_ref(), folder.config().as_os_str()])
            .args(args)
            .envs(folder.environment())
            .envs(folder.variables.iter().cloned())
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(errors)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("cannot run {}", binary().display()))?;
        let stdout = child.stdout.take().context("no standard output")?;
        let mut lines = BufReader::new(stdout).lines();
        let waiting = async {
            while let Some(line) = lines.next_line().await? {
                if let Some(url) = line.strip_prefix("ready ") {
                    return Ok(url.trim().to_owned());
                }
            }
            bail!("the server ended before it was ready")
        };
        let url = match tokio::time::timeout(READY_WAIT, waiting).await {
            Ok(Ok(url)) => url,
            // `{:#}` omits the backtrace, which would push the log out of the output that
            // CI keeps.
            Ok(Err(error)) => bail!("{error:#}; log:\n{}", std::fs::read_to_string(&log)?),
            Err(late) => bail!("not ready: {late}; log:\n{}", std::fs::read_to_string(&log)?),
        };
        // Keep reading, because the server blocks when the pipe is full.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Ok(Self { child, url, log })
    }

    pub fn client(&self) -> Client {
        Client::new(&self.url)
    }

    /// Returns the standard error output of the server so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub fn pid(&self) -> Result<u32> {
        self.child.id().context("the server has ended")
    }

    /// Returns the resident memory, in kilobytes.
    pub fn resident_kb(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()?))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        Ok(line.split_whitespace().nth(1).context("no number")?.parse()?)
    }

    /// Sends SIGKILL, which for a process is the same as a power cut.
    pub async fn kill(mut self) -> Result<()> {
        self.child.start_kill()?;
        self.child.wait().await?;
        Ok(())
    }

    /// Sends SIGTERM; the server must finish open requests and exit with 0.
    pub async fn stop(mut self) -> Result<()> {
        let pid = self.pid()?;
        let sent = Command::new("kill").args(["-TERM", &pid.to_string()]).status()?;
        ensure!(sent.success(), "cannot signal the server");
        let ended = tokio::time::timeout(Duration::from_secs(30), self.child.wait()).await;
        let status = ended.context("the server did not stop within 30 seconds")??;
        ensure!(status.success(), "the server ended with {status}:\n{}", self.log());
        Ok(())
    }
}
