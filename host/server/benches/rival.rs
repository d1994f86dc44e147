//! `wasmtime serve`: the same work behind the engine's own HTTP server, with default settings and
//! tuned like this server. It has no keys, limits, schema checks or money.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use wit_component::ComponentEncoder;

/// The path to `wasmtime` 48; if unset, there is no comparison.
const VARIABLE: &str = "WASMTIME";
const STACK_FLAG: &str = "-Clink-arg=-zstack-size=65536";

/// A running `wasmtime serve`; stopped when dropped.
pub(crate) struct Rival {
    process: Child,
    pub url: String,
}

impl Rival {
    /// Starts `wasmtime serve` with default and with tuned settings, if `wasmtime` is
    /// available.
    pub(crate) fn both(dir: &Path) -> Result<Option<[Self; 2]>> {
        let Some(wasmtime) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return Ok(None) };
        let plain = build(dir, "plain", "")?;
        let small_stack = build(dir, "tuned", STACK_FLAG)?;
        let tuned = ["-Wtimeout=1s", "-Opooling-allocator=y", "-Opooling-memory-keep-resident=131072"];
        Ok(Some([Self::start(&wasmtime, &[], &plain)?, Self::start(&wasmtime, &tuned, &small_stack)?]))
    }

    fn start(wasmtime: &Path, flags: &[&str], component: &Path) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let address = format!("127.0.0.1:{port}");
        let mut command = Command::new(wasmtime);
        command.arg("serve").args(flags).arg("--addr").arg(&address).arg(component);
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().context("cannot start wasmtime")?;
        let rival = Self { process, url: format!("http://{address}/") };
        let began = Instant::now();
        while std::net::TcpStream::connect(&address).is_err() {
            ensure!(began.elapsed() < Duration::from_secs(20), "wasmtime serve {flags:?} does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(rival)
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Builds the guest `tests/guests/serve` as a component.
fn build(dir: &Path, name: &str, rustflags: &str) -> Result<PathBuf> {
    let guests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/guests");
    let target = dir.join(name);
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--release", "--locked", "-p", "serve", "--target", "wasm32-unknown-unknown"])
        .current_dir(guests)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", rustflags)
        .status()?;
    ensure!(status.success(), "the guest for wasmtime serve cannot be built");
    let module = std::fs::read(target.join("wasm32-unknown-unknown/release/serve.wasm"))?;
    let path = dir.join(format!("{name}.wasm"));
    std::fs::write(&path, ComponentEncoder::default().module(&module)?.encode()?)?;
    Ok(path)
}
