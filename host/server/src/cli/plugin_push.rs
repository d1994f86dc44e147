//! The commands `tollbridge plugin push` and `pull`: signed versions as OCI artifacts.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde_json::json;
use tollbridge_core::artifact_reference::ArtifactReference;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_oci::{Artifact, Credentials, OciClient};
use tollbridge_registry::{Manifest, Publishers, Rejection, VersionParts, parse_version, read_version_folder};
use tollbridge_tools::hinted::Hinted;
use tollbridge_tools::options::Global;
use tollbridge_tools::output::Output;

use super::profiles::{Profile, Profiles};

/// Maximum length of a password.
const PASSWORD_BYTES_MAX: u64 = 64 << 10;

#[derive(Args, Debug)]
pub(super) struct PushArgs {
    /// Folder of a published version, or NAME@VERSION in the registry folder
    #[arg(value_name = "PATH_OR_NAME@VERSION")]
    version: String,
    /// Target: REGISTRY/REPOSITORY:TAG [default tag: the version]
    #[arg(value_name = "REGISTRY/REPOSITORY:TAG")]
    reference: ArtifactReference,
    /// Registry folder
    #[arg(long, value_name = "DIR")]
    registry: Option<PathBuf>,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(Args, Debug)]
pub(super) struct PullArgs {
    /// Source: REGISTRY/REPOSITORY:TAG or REGISTRY/REPOSITORY@DIGEST
    #[arg(value_name = "REGISTRY/REPOSITORY:TAG")]
    reference: ArtifactReference,
    /// Target registry folder
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    access: AccessArgs,
}

/// Access to an OCI registry.
#[derive(Args, Debug)]
struct AccessArgs {
    /// Log-in whose key is the password, if the registry is a Tollbridge server
    #[arg(long, value_name = "NAME", conflicts_with = "username")]
    profile: Option<String>,
    /// User name at the registry [default: from docker's `config.json`]
    #[arg(long, requires = "password_stdin")]
    username: Option<String>,
    /// Read the password from standard input; for Tollbridge, an API key
    #[arg(long, requires = "username")]
    password_stdin: bool,
    /// Connect to a remote registry without encryption
    #[arg(long)]
    plain_http: bool,
}

impl AccessArgs {
    fn client(&self, reference: &ArtifactReference) -> Result<OciClient> {
        let credentials = match (&self.username, &self.profile) {
            (Some(username), _) => Some(Credentials::new(username.clone(), password()?)),
            (None, Some(profile)) => Some(Credentials::new("key".to_owned(), key_of(profile, reference.registry())?)),
            (None, None) => Credentials::of_docker(reference.registry(), &|name| std::env::var(name).ok())?,
        };
        Ok(OciClient::new(reference, credentials, self.plain_http))
    }
}

/// Returns the key of a log-in, if the registry is its server.
fn key_of(profile: &str, registry: &str) -> Result<String> {
    let profiles = Profiles::of_user()?;
    let Profile { server, key, .. } = profiles.get(profile)?;
    let host = server.host_str().unwrap_or_default();
    let is_it = match server.port() {
        Some(port) => registry == format!("{host}:{port}"),
        None => registry == host,
    };
    ensure!(is_it, "the key of profile `{profile}` is for {server} and is not sent to {registry}");
    Ok(key.to_string())
}

fn password() -> Result<String> {
    let mut password = String::new();
    std::io::stdin().take(PASSWORD_BYTES_MAX).read_to_string(&mut password).context("cannot read the password")?;
    let password = password.trim_end_matches(['\r', '\n']);
    ensure!(!password.is_empty(), "standard input is empty; expected a password");
    Ok(password.to_owned())
}

pub(super) async fn push(args: PushArgs, global: &Global, out: Output) -> Result<()> {
    let registry = args.registry.as_ref().map(|path| path.display().to_string());
    let config = global.load(&[("--registry", "registry.dir", registry)])?.config;
    let (named, root) = (args.version.clone(), config.registry.dir);
    let (manifest, parts) = tokio::task::spawn_blocking(move || read(&named, &root)).await??;
    let reference = args.reference.clone().or_tag(&manifest.version.to_string());
    let artifact = Artifact::of(parts)?;
    let digest = args.access.client(&reference)?.push(&reference, artifact).await?;
    let (plugin, version) = (manifest.id.to_string(), manifest.version.to_string());
    let pushed = json!({
        "plugin": plugin, "version": version, "reference": reference.to_string(), "digest": digest,
    });
    out.result(&pushed, || format!("pushed {plugin} {version} to {reference}\n{digest}"));
    Ok(())
}

/// Reads the files of a version, given its folder or name.
fn read(named: &str, registry: &Path) -> Result<(Manifest, VersionParts)> {
    let path = Path::new(named);
    if path.join("plugin.sig").is_file() {
        return Ok(read_version_folder(path)?);
    }
    let Some((name, version)) = named.rsplit_once('@') else {
        bail!("{named} is neither the folder of a published version nor NAME@VERSION");
    };
    let version = parse_version(version)?.to_string();
    let (kinds, name): (Vec<PluginKind>, &str) = match name.split_once('/') {
        None => (PluginKind::ALL.to_vec(), name),
        Some((kind, name)) => {
            let is_it = |one: &PluginKind| one.folder() == kind || one.as_str() == kind;
            (PluginKind::ALL.into_iter().filter(is_it).collect(), name)
        }
    };
    let name: tollbridge_registry::Name = name.parse()?;
    let folders = kinds.iter().map(|kind| registry.join(kind.folder()).join(name.as_str()).join(&version));
    let found: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
    match found.as_slice() {
        [folder] => Ok(read_version_folder(folder)?),
        [] => bail!("{} has no {name} {version}; publish it with `tollbridge plugin publish`", registry.display()),
        _ => bail!("{name} {version} is both a bridge and an agent; write bridges/{name}@{version} or agents/…"),
    }
}

pub(super) async fn pull(args: PullArgs, global: &Global, out: Output) -> Result<()> {
    let into = args.into.as_ref().map(|path| path.display().to_string());
    let config = global.load(&[("--into", "registry.dir", into)])?.config;
    let publishers = Publishers::load(&config.registry.publishers)?;
    let pulled = args.access.client(&args.reference)?.pull(&args.reference, &publishers).await;
    let pulled = pulled.map_err(|error| match error {
        tollbridge_oci::OciError::Rejected(rejection @ Rejection::UnknownPublisher { .. }) => Hinted::error(
            format!("{}: {rejection}", args.reference),
            format!("trusted publishers are listed in {}", config.registry.publishers.display()),
        ),
        error => anyhow::Error::new(error).context(args.reference.to_string()),
    })?;
    let (id, version) = (pulled.candidate.id().clone(), pulled.candidate.version().clone());
    let (root, publisher, digest) =
        (config.registry.dir.clone(), pulled.candidate.manifest.publisher.to_string(), pulled.digest.clone());
    let new = tokio::task::spawn_blocking(move || pulled.put_into(&root, &publishers)).await??;
    let (plugin, version) = (id.to_string(), version.to_string());
    let shown = json!({
        "plugin": plugin, "version": version, "publisher": publisher,
        "digest": digest, "path": config.registry.dir, "new": new,
    });
    let state = if new { "pulled" } else { "unchanged" };
    out.result(&shown, || format!("{state:<10} {plugin} {version}"));
    Ok(())
}
