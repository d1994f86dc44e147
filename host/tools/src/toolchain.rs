//! Finds or installs the Rust toolchain that builds plugins.
//!
//! Plugins are built for `wasm32-unknown-unknown`. Three methods are tried in order: the target's
//! standard library is already installed; rustup installs it; the distribution's Rust (on Debian,
//! as root) builds the standard library from source.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::Context;

use super::{hinted::Hinted, output::Output, project};

/// The target that plugins are built for.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// Environment variable that forces one method: `rustup` or `distro`.
pub const VARIABLE: &str = "TOLLBRIDGE_TOOLCHAIN";

/// Debian packages for the third method. Debian 12's default `lld` is too old for the flags below.
const DISTRO_PACKAGES: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "lld-19"];
const DISTRO_LINKER: &str = "wasm-ld-19";
const DISTRO_CARGO: &str = "/usr/bin/cargo";
const DISTRO_RUSTC: &str = "/usr/bin/rustc";
/// The first flag sets 64 KiB of shadow stack instead of 1 MiB: every call touches the
/// stack's pages, and with fewer pages a fresh instance is about three times as fast. The
/// second sets an initial heap, which the SDK's allocator uses first: without it, growing
/// the memory took half the time of every call.
const LINK_FLAGS: [&str; 2] = ["-Clink-arg=-zstack-size=65536", "-Clink-arg=--initial-heap=65536"];

/// A toolchain that can build plugins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Toolchain {
    /// The user's `cargo`, with the target's standard library installed.
    Installed,
    /// The distribution's Rust packages. They lack the target's standard library, so
    /// every build compiles it from source.
    Distro {
        /// Path of the distribution's `cargo`.
        cargo: PathBuf,
        /// Path of the distribution's `rustc`.
        rustc: PathBuf,
    },
}

/// The method that the environment variable requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestedMethod {
    Any,
    Rustup,
    Distro,
}

/// Finds a toolchain; announces and installs missing parts. `folder` is the folder to build in,
/// whose `rust-toolchain.toml` applies.
pub fn find(folder: &Path, out: &Output) -> anyhow::Result<Toolchain> {
    let requested = requested(env::var(VARIABLE).ok().as_deref())?;
    if requested != RequestedMethod::Distro {
        if target_installed(folder) {
            return Ok(Toolchain::Installed);
        }
        if in_path("rustup") {
            match add_target(folder, out) {
                Ok(()) => return Ok(Toolchain::Installed),
                Err(error) if requested == RequestedMethod::Rustup => return Err(error),
                Err(error) => out.warning(&format!("{error:#}")),
            }
        } else if requested == RequestedMethod::Rustup {
            return Err(Hinted::error("rustup is not installed", "install it from https://rustup.rs"));
        }
    }
    distro(out)
}

impl Toolchain {
    /// Returns a `cargo` command with these arguments for this toolchain. Removes flags that the
    /// environment sets for other builds.
    pub fn cargo(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = match self {
            Self::Installed => Command::new("cargo"),
            Self::Distro { cargo, rustc } => {
                let mut command = Command::new(cargo);
                command.env("RUSTC", rustc);
                command
            }
        };
        command.args(arguments).current_dir(folder);
        for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTC_WRAPPER"] {
            command.env_remove(variable);
        }
        command
    }

    /// Returns the `cargo build` command for the plugins of a workspace: release profile, plugin
    /// target, linker settings, and no paths of this machine in panic messages. The result includes
    /// source lines, which are removed before publishing.
    pub fn build(&self, workspace: &Path) -> Command {
        let flags = rustflags(workspace, cargo_home().as_deref());
        let mut command = self.cargo(workspace, &["build", "--release", "--target", TARGET, "--config", &flags]);
        command.env("CARGO_PROFILE_RELEASE_DEBUG", "line-tables-only").env("CARGO_PROFILE_RELEASE_STRIP", "none");
        if matches!(self, Self::Distro { .. }) {
            command.arg("-Zbuild-std=std,panic_abort");
            // `-Zbuild-std` is unstable; this permits it on the distribution's stable compiler.
            command.env("RUSTC_BOOTSTRAP", "1");
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", DISTRO_LINKER);
        }
        command
    }
}

/// Returns the compiler flags as a line of cargo's configuration.
fn rustflags(workspace: &Path, cargo_home: Option<&Path>) -> String {
    let repository = workspace.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(workspace);
    let mut flags: Vec<toml::Value> = LINK_FLAGS.map(toml::Value::from).to_vec();
    let mut remap = |from: &Path, to: &str| {
        flags.push(toml::Value::from(format!("--remap-path-prefix={}={to}", from.display())));
    };
    // A flag that differs between projects would prevent them from sharing compiled dependencies.
    if !project::is_self_contained(workspace) {
        remap(repository, ".");
    }
    if let Some(home) = cargo_home {
        remap(&home.join("registry").join("src"), "crates");
        remap(&home.join("git").join("checkouts"), "crates");
    }
    format!("target.{TARGET}.rustflags={}", toml::Value::Array(flags))
}

fn cargo_home() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home)
}

fn requested(value: Option<&str>) -> anyhow::Result<RequestedMethod> {
    match value {
        None | Some("") => Ok(RequestedMethod::Any),
        Some("rustup") => Ok(RequestedMethod::Rustup),
        Some("distro") => Ok(RequestedMethod::Distro),
        Some(other) => Err(Hinted::error(
            format!("{VARIABLE}={other} is not a known toolchain"),
            "use `rustup` or `distro`, or leave it unset",
        )),
    }
}

/// Returns whether the `rustc` that applies in this folder has the target's standard library.
fn target_installed(folder: &Path) -> bool {
    let output = Command::new("rustc").args(["--print", "sysroot"]).current_dir(folder).output();
    let Ok(output) = output else { return false };
    let sysroot = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success() && has_std(Path::new(&sysroot))
}

fn has_std(sysroot: &Path) -> bool {
    let Ok(files) = sysroot.join("lib/rustlib").join(TARGET).join("lib").read_dir() else { return false };
    files.flatten().any(|file| {
        let name = file.file_name();
        name.to_string_lossy().starts_with("libstd-")
    })
}

fn add_target(folder: &Path, out: &Output) -> anyhow::Result<()> {
    out.note(&format!("Installing Rust's {TARGET} target with rustup"));
    run(Command::new("rustup").args(["target", "add", TARGET]).current_dir(folder))?;
    if target_installed(folder) {
        return Ok(());
    }
    let hint = "put rustup's `rustc` first in PATH, or set TOLLBRIDGE_TOOLCHAIN=distro";
    Err(Hinted::error("rustup installed the target, but the `rustc` in PATH is not rustup's", hint))
}

/// Returns the distribution's toolchain, and installs it if needed.
fn distro(out: &Output) -> anyhow::Result<Toolchain> {
    let hint = format!(
        "install Rust from https://rustup.rs, or, on Debian as root, run `apt-get install {}`",
        DISTRO_PACKAGES.join(" ")
    );
    if !distro_complete() {
        if !in_path("apt-get") || !is_root() {
            return Err(Hinted::error(format!("no Rust toolchain here can build for {TARGET}"), hint));
        }
        out.note(&format!("Installing Debian packages {} to build for {TARGET}", DISTRO_PACKAGES.join(", ")));
        apt(&["update"])?;
        let arguments = [["install", "-y", "--no-install-recommends"].as_slice(), &DISTRO_PACKAGES].concat();
        apt(&arguments)?;
    }
    if !distro_complete() {
        return Err(Hinted::error("the distribution's Rust cannot build the standard library", hint));
    }
    Ok(Toolchain::Distro { cargo: DISTRO_CARGO.into(), rustc: DISTRO_RUSTC.into() })
}

/// Returns whether cargo, rustc, the source of the standard library and the linker are installed.
fn distro_complete() -> bool {
    let output = Command::new(DISTRO_RUSTC).args(["--print", "sysroot"]).output();
    let Ok(output) = output else { return false };
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let source = sysroot.join("lib/rustlib/src/rust/library/std/src/lib.rs");
    output.status.success() && Path::new(DISTRO_CARGO).exists() && source.exists() && in_path(DISTRO_LINKER)
}

fn apt(arguments: &[&str]) -> anyhow::Result<()> {
    run(Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// Runs a command to its end; its output goes to standard error.
pub(super) fn run(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    let status = command.stdin(Stdio::null()).stdout(std::io::stderr()).status();
    let status = status.with_context(|| format!("cannot start `{shown}`"))?;
    anyhow::ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(())
}

fn in_path(program: &str) -> bool {
    let Some(path) = env::var_os("PATH") else { return false };
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.starts_with(b"0"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_variable_forces_one_way_or_is_refused() {
        for (value, expect) in [
            (None, Some(RequestedMethod::Any)),
            (Some(""), Some(RequestedMethod::Any)),
            (Some("rustup"), Some(RequestedMethod::Rustup)),
            (Some("distro"), Some(RequestedMethod::Distro)),
            (Some("nix"), None),
        ] {
            assert_eq!(requested(value).ok(), expect, "{value:?}");
        }
    }

    #[test]
    fn a_sysroot_has_the_target_only_with_its_library() {
        let sysroot = tempfile::tempdir().expect("a folder");
        assert!(!has_std(sysroot.path()));
        let lib = sysroot.path().join("lib/rustlib").join(TARGET).join("lib");
        fs::create_dir_all(&lib).expect("folders");
        assert!(!has_std(sysroot.path()));
        fs::write(lib.join("libstd-0123.rlib"), "").expect("a file");
        assert!(has_std(sysroot.path()));
    }

    #[test]
    fn flags_are_one_line_of_toml_whatever_the_paths() {
        let line = rustflags(Path::new("/a \"b\"/c"), Some(Path::new("/home/x/.cargo")));
        let table: toml::Table = line.parse().expect(&line);
        let flags = table["target"][TARGET]["rustflags"].as_array().expect("an array").clone();
        let flags: Vec<&str> = flags.iter().filter_map(toml::Value::as_str).collect();
        assert_eq!(flags[..2], LINK_FLAGS);
        assert_eq!(flags[2], "--remap-path-prefix=/a \"b\"/c=.");
        assert_eq!(flags[3], "--remap-path-prefix=/home/x/.cargo/registry/src=crates");
        assert!(!line.contains('\n'));
    }

    #[test]
    fn the_distribution_builds_the_standard_library_with_its_own_rustc() {
        let distro = Toolchain::Distro { cargo: "/d/cargo".into(), rustc: "/d/rustc".into() };
        let command = format!("{:?}", distro.build(Path::new("/")));
        assert!(command.contains("/d/cargo") && command.contains("-Zbuild-std=std,panic_abort"), "{command}");
        assert!(command.contains("RUSTC=\"/d/rustc\"") && command.contains("RUSTC_BOOTSTRAP"), "{command}");
        let installed = format!("{:?}", Toolchain::Installed.build(Path::new("/")));
        assert!(!installed.contains("build-std") && !installed.contains("BOOTSTRAP=\"1\""), "{installed}");
    }
}
