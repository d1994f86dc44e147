//! `registry.artifacts`: artifacts in other registries from which this host fetches
//! plugin versions.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::key::Key;
use super::raw::Raw;
use super::reader::Reader;
use super::setting::{Setting, unexpected_value};
use crate::artifact_reference::ArtifactReference;

/// Maximum number of artifacts in the configuration: a repository without a tag covers
/// all its versions, so more are never needed.
const ARTIFACTS_MAX: usize = 256;
/// Minimum interval between checks of an artifact. So short an interval suits only a
/// private registry, because public registries limit the rate of requests.
const ARTIFACTS_EVERY_MIN: Duration = Duration::from_secs(1);
/// Maximum interval between checks of an artifact, so that a new version is fetched
/// within a day.
const ARTIFACTS_EVERY_MAX: Duration = Duration::from_secs(24 * 3_600);

/// The artifacts to follow in other registries, and the interval between
/// checks.
#[derive(Clone, Debug)]
pub struct ArtifactsConfig {
    /// The artifacts to follow; an empty list follows none.
    pub followed: Vec<FollowedArtifact>,
    /// The interval between checks of each artifact.
    pub every: Duration,
    /// A credentials file in the format of Docker's `config.json`. If set, it replaces
    /// the Docker configuration of the user who runs the host.
    pub credentials: Option<PathBuf>,
}

/// An artifact that this host follows: it is fetched again when its tag points to another
/// version. Without a tag, every tagged version of its repository is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedArtifact {
    /// The reference of the artifact.
    pub reference: ArtifactReference,
    /// Whether to use plain HTTP for a registry on another machine.
    pub plain_http: bool,
}

impl ArtifactsConfig {
    pub(super) fn read(r: &mut Reader) -> Option<Self> {
        let followed = r.required::<Vec<FollowedArtifact>>("registry.artifacts");
        let range = ARTIFACTS_EVERY_MIN..=ARTIFACTS_EVERY_MAX;
        let every = r.within("registry.artifacts_every", range, "from 1s to 24h");
        let credentials = r.optional("registry.artifacts_credentials");
        let key = Key::from("registry.artifacts");
        if followed.as_ref().is_some_and(|followed| followed.len() > ARTIFACTS_MAX) {
            r.error(&key, format!("has more than {ARTIFACTS_MAX} artifacts; name repositories without a tag"));
        }
        let mut seen = BTreeSet::new();
        let texts = followed.iter().flatten().map(|one| one.reference.to_string());
        if let Some(twice) = texts.into_iter().find(|text| !seen.insert(text.clone())) {
            r.error(&key, format!("{twice} is listed twice; remove one"));
        }
        Some(Self { followed: followed?, every: every?, credentials: credentials? })
    }
}

impl Setting for FollowedArtifact {
    fn read(raw: &Raw) -> Result<Self, String> {
        let Raw::Table(members) = raw else {
            let expected = "an artifact; write \"registry.example.com/bridges/tax:1.0.0\", or { reference = \"…\", plain_http = true }";
            let text = raw.text().ok_or_else(|| unexpected_value(raw, expected))?;
            return Ok(Self { reference: reference(text)?, plain_http: false });
        };
        if let Some(unknown) = members.keys().find(|name| !["reference", "plain_http"].contains(&name.as_str())) {
            return Err(format!("an artifact has no member `{unknown}`; its members are reference and plain_http"));
        }
        let text = members.get("reference").and_then(Raw::text).ok_or("an artifact lacks `reference`, a text")?;
        let plain_http = members.get("plain_http").map(bool::read).transpose();
        let plain_http = plain_http.map_err(|message| format!("of an artifact, plain_http: {message}"))?;
        Ok(Self { reference: reference(text)?, plain_http: plain_http.unwrap_or(false) })
    }
}

/// Parses a reference. It must not contain a name or password, because references are
/// shown to operators.
fn reference(text: &str) -> Result<ArtifactReference, String> {
    if text.contains("://") && !text.starts_with("oci://") {
        return Err("a reference begins with the registry's host; leave out http:// or https://".to_owned());
    }
    text.parse().map_err(|error: crate::artifact_reference::ReferenceError| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{file, loaded, refused};
    use super::*;

    #[test]
    fn artifacts_are_read_as_texts_and_as_tables() {
        let artifacts = |text: &str| loaded(&file(text)).config.registry.artifacts;
        let none = artifacts("");
        assert_eq!((none.followed.len(), none.every, none.credentials), (0, Duration::from_secs(900), None));
        let some = artifacts(
            "[registry]\nartifacts_every = '10s'\nartifacts_credentials = 'docker.json'\n\
             artifacts = ['a.example/bridges/tax:1.0.0', { reference = 'oci://b.example:5000/vat', plain_http = true }]",
        );
        let shown: Vec<_> = some.followed.iter().map(|one| (one.reference.to_string(), one.plain_http)).collect();
        let expected = [("a.example/bridges/tax:1.0.0", false), ("b.example:5000/vat", true)];
        assert_eq!(shown, expected.map(|(text, plain)| (text.to_owned(), plain)));
        assert_eq!((some.every, some.credentials), (Duration::from_secs(10), Some(PathBuf::from("docker.json"))));
        let tables = artifacts("[[registry.artifacts]]\nreference = 'a.example/tax'\n");
        assert_eq!(tables.followed.first().map(|one| one.reference.tag()), Some(None));
    }

    #[test]
    fn invalid_artifacts_are_refused() {
        let many: Vec<String> = (0..=ARTIFACTS_MAX).map(|n| format!("'a.example/x{n}'")).collect();
        for (text, expect) in [
            ("artifacts = ['bridges/tax:1']", "\"bridges/tax:1\" is not a reference; write REGISTRY/REPOSITORY:TAG"),
            ("artifacts = ['https://a.example/tax:1']", "leave out http:// or https://"),
            ("artifacts = [7]", "7 is not an artifact; write"),
            ("artifacts = [{ tag = '1' }]", "an artifact has no member `tag`; its members are reference"),
            ("artifacts = [{ plain_http = true }]", "an artifact lacks `reference`"),
            ("artifacts = [{ reference = 'a.example/t', plain_http = 1 }]", "plain_http: 1 is not true or false"),
            ("artifacts = ['a.example/t:1', 'oci://a.example/t:1']", "a.example/t:1 is listed twice"),
            ("artifacts_every = '900ms'", "registry.artifacts_every: must be from 1s to 24h"),
            ("artifacts_every = '25h'", "registry.artifacts_every: must be from 1s to 24h"),
            (&format!("artifacts = [{}]", many.join(", ")), "has more than 256 artifacts"),
        ] {
            let problems = refused(&file(&format!("[registry]\n{text}")));
            assert!(problems.contains(expect), "{text}\ngives\n{problems}");
        }
    }
}
