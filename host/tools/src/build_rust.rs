//! Builds plugins in Rust: all plugins of one cargo workspace in one run of cargo.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::Context;
use serde::Deserialize;

use super::{
    built::{Built, Fresh, finish},
    component,
    debug_info::without_debug_info,
    hinted::Hinted,
    output::Output,
    project::Project,
    toolchain::{self, Toolchain},
};

/// Builds the plugins in `folders`, in any order.
pub(crate) fn build(folders: &[&PathBuf], out: &Output) -> anyhow::Result<Vec<Built>> {
    let mut built = Vec::new();
    let mut rest = folders.to_vec();
    while let Some(first) = rest.first() {
        let toolchain = toolchain::find(first, out)?;
        let workspace = Workspace::of(&toolchain, first)?;
        let (members, others): (Vec<_>, Vec<_>) = rest.iter().partition(|folder| workspace.package(folder).is_some());
        anyhow::ensure!(!members.is_empty(), "{}: cargo does not recognise this as a package", first.display());
        built.extend(workspace.build(&toolchain, &members)?);
        rest = others;
    }
    Ok(built)
}

/// Sets up `cargo` to run the native tests of the plugin in `folder`, in the shared target folder
/// if the plugin is compiled there.
pub(crate) fn set_up_tests(cargo: &mut Command, folder: &Path) -> anyhow::Result<()> {
    let workspace = Workspace::of(&Toolchain::Installed, folder)?;
    let project = Project::of(&workspace.workspace_root, &workspace.target_directory)?;
    if let Some(project) = project.filter(Project::is_shared) {
        project.set_up(cargo);
    }
    Ok(())
}

/// The output of `cargo metadata` for a workspace.
#[derive(Debug, Deserialize)]
struct Workspace {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    id: String,
    name: String,
    manifest_path: PathBuf,
}

/// A message of `cargo build --message-format=json`; members that are not listed are ignored.
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    package_id: Option<String>,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

impl Workspace {
    fn of(toolchain: &Toolchain, folder: &Path) -> anyhow::Result<Self> {
        let arguments = ["metadata", "--no-deps", "--format-version", "1"];
        let output = toolchain.cargo(folder, &arguments).stderr(Stdio::inherit()).output();
        let output = output.context("cannot start `cargo`")?;
        anyhow::ensure!(output.status.success(), "{}: cargo cannot read this package", folder.display());
        serde_json::from_slice(&output.stdout).context("unexpected output of `cargo metadata`")
    }

    fn package(&self, folder: &Path) -> Option<&Package> {
        let manifest = folder.join("Cargo.toml");
        self.packages.iter().find(|package| package.manifest_path == manifest)
    }

    /// Builds the plugins in `folders`, which all belong to this workspace.
    fn build(&self, toolchain: &Toolchain, folders: &[&PathBuf]) -> anyhow::Result<Vec<Built>> {
        let plugins: Vec<(&Package, &Path)> =
            folders.iter().filter_map(|folder| Some((self.package(folder)?, folder.as_path()))).collect();
        let project = Project::of(&self.workspace_root, &self.target_directory)?;
        let _held = project.as_ref().map(Project::hold).transpose()?;
        let modules = self.compile(toolchain, &plugins, project.as_ref())?;
        let into = self.target_directory.join("components");
        fs::create_dir_all(&into).with_context(|| format!("{}", into.display()))?;
        let component = |(package, folder): &(&Package, &Path)| {
            let module = modules.get(&package.id).ok_or_else(|| no_module(folder))?;
            componentise(folder, &package.name, module, &into)
        };
        plugins.iter().map(component).collect()
    }

    /// Runs cargo once and returns the core module of each package.
    fn compile(
        &self,
        toolchain: &Toolchain,
        plugins: &[(&Package, &Path)],
        project: Option<&Project>,
    ) -> anyhow::Result<BTreeMap<String, PathBuf>> {
        let mut command = toolchain.build(&self.workspace_root);
        if let Some(project) = project {
            project.set_up(&mut command);
        }
        command.args(["--lib", "--message-format=json-render-diagnostics"]);
        for (package, _) in plugins {
            command.args(["--package", package.id.as_str()]);
        }
        let mut cargo = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start `cargo`")?;
        let stdout = cargo.stdout.take().context("`cargo` has no output")?;
        let mut modules = BTreeMap::new();
        for line in BufReader::new(stdout).lines() {
            let Ok(Message { reason, package_id: Some(id), filenames }) = serde_json::from_str(&line?) else {
                continue;
            };
            let module = filenames.into_iter().find(|path| path.extension().is_some_and(|end| end == "wasm"));
            if let (Some(module), "compiler-artifact") = (module, reason.as_str()) {
                modules.insert(id, module);
            }
        }
        anyhow::ensure!(cargo.wait()?.success(), "the build failed; see cargo's messages above");
        Ok(modules)
    }
}

fn componentise(folder: &Path, package: &str, module: &Path, into: &Path) -> anyhow::Result<Built> {
    let culprit = || package.to_owned();
    let module = fs::read(module).with_context(culprit)?;
    let (published, with_lines) = match without_debug_info(&module) {
        Some(published) => (published, component::encode(&module).ok()),
        None => (module, None),
    };
    let bytes = component::encode(&published).with_context(culprit)?;
    finish(folder, package, &Fresh { bytes: &bytes, with_lines, is_prepared: false }, into)
}

fn no_module(folder: &Path) -> anyhow::Error {
    let hint = "add to its Cargo.toml: [lib] crate-type = [\"cdylib\"]";
    Hinted::error(format!("{}: the crate builds no WebAssembly module", folder.display()), hint)
}
