//! The WASI 0.2 basics, linked for every plugin but empty: no files, no environment, no sockets,
//! empty standard input. Lines that a plugin prints are written to its log.
//!
//! Toolchains import these interfaces whether the author uses them or not; they cost nothing in a
//! call that uses none of them.

use std::sync::Arc;

use bytes::Bytes;
use tokio::io::AsyncWrite;
use tollbridge_plugin::CallLog;
use tollbridge_plugin::limits::{LOG_BYTES_PER_CALL_MAX, LOG_LINE_BYTES_MAX};
use tracing::Level;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};
use wasmtime_wasi::{WasiCtx, async_trait};
use wasmtime_wasi_http::WasiHttpCtx;

use crate::limits::GUEST_HANDLES_MAX;

/// Maximum number of random bytes that one host call may request.
const RANDOM_BYTES_MAX: u64 = 64 << 10;

/// The WASI state of one call, created when the call first uses an interface of WASI.
pub(crate) struct WasiBasics {
    pub(super) ctx: WasiCtx,
    pub(crate) table: ResourceTable,
    pub(crate) http: WasiHttpCtx,
}

impl WasiBasics {
    pub(crate) fn new(log: &Arc<CallLog>) -> Self {
        let print = |level| Print { log: log.clone(), level };
        let ctx = WasiCtx::builder()
            .stdout(print(Level::INFO))
            .stderr(print(Level::WARN))
            .max_random_size(RANDOM_BYTES_MAX)
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .build();
        let mut table = ResourceTable::new();
        table.set_max_capacity(GUEST_HANDLES_MAX);
        Self { ctx, table, http: WasiHttpCtx::new() }
    }
}

/// The standard output or standard error of one call.
struct Print {
    log: Arc<CallLog>,
    level: Level,
}

impl IsTerminal for Print {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Print {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(Lines { log: self.log.clone(), level: self.level, line: Vec::new() })
    }
}

/// Collects printed bytes into log lines.
struct Lines {
    log: Arc<CallLog>,
    level: Level,
    line: Vec<u8>,
}

impl Lines {
    fn end_line(&mut self) {
        if !self.line.is_empty() {
            self.log.write(self.level, &String::from_utf8_lossy(&self.line));
            self.line.clear();
        }
    }
}

#[async_trait]
impl Pollable for Lines {
    async fn ready(&mut self) {}
}

impl OutputStream for Lines {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        for byte in bytes {
            if byte == b'\n' {
                self.end_line();
            } else if self.line.len() < LOG_LINE_BYTES_MAX {
                self.line.push(byte);
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(LOG_BYTES_PER_CALL_MAX)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        self.end_line();
    }
}
