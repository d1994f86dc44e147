//! Decides the log message and the next check time for a followed artifact from the last
//! result. Sends no requests and writes no files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use semver::Version;
use tollbridge_registry::{Candidate, RegistryError, parse_version};

use crate::error::OciError;

/// Delay before the first retry of an unreachable registry; it doubles up to the usual
/// interval. A registry that restarts is reached again within seconds, and one that is
/// down is not flooded.
const ARTIFACT_RETRY: Duration = Duration::from_secs(10);
/// Maximum number of versions fetched from a repository, starting with the newest. New
/// callers never need older ones.
const ARTIFACT_VERSIONS_MAX: usize = 5;

/// The result of checking an artifact at its registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A version was put into the registry folder.
    Taken,
    /// The folder already has the version that the registry offers.
    Unchanged,
    /// The version at the registry was refused: it is invalid, has no trusted signature,
    /// or differs from an existing version with the same number.
    Refused,
    /// The registry did not answer, or the folder could not be written.
    Failed,
}

impl Outcome {
    /// Classifies the error of a failed check.
    pub(crate) fn of(error: &OciError) -> Self {
        match error {
            OciError::Registry(RegistryError::Published { .. }) => Self::Refused,
            OciError::Remote { .. } | OciError::Credentials(_) | OciError::Registry(_) | OciError::Unfinished(_) => {
                Self::Failed
            }
            _ => Self::Refused,
        }
    }

    /// Returns the value of the metric label `outcome`.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Unchanged => "unchanged",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// The log message about a check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// No message: the state of the artifact is unchanged.
    Nothing,
    /// A problem that has not been logged yet.
    Problem(String),
    /// The previous problem is resolved.
    Well,
}

/// The recent checks of one artifact.
#[derive(Debug, Default)]
pub(crate) struct Course {
    /// Number of consecutive failed checks.
    failures: u32,
    problem: Option<String>,
}

impl Course {
    /// Records the result of a check; returns the log message and the pause until the
    /// next check.
    pub(crate) fn note(&mut self, result: &Result<Outcome, OciError>, every: Duration) -> (Told, Duration) {
        self.failures = match result.as_ref().map_err(Outcome::of) {
            Err(Outcome::Failed) => self.failures.saturating_add(1),
            _ => 0,
        };
        let problem = result.as_ref().err().map(ToString::to_string);
        let report = match &problem {
            Some(problem) if self.problem.as_ref() != Some(problem) => Told::Problem(problem.clone()),
            None if self.problem.is_some() => Told::Well,
            _ => Told::Nothing,
        };
        self.problem = problem;
        (report, pause(self.failures, every))
    }

    /// Returns the problem that the last check found, if any.
    pub(crate) fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }
}

/// Returns the time until the next check: the configured interval, or a shorter backoff
/// after failed checks that doubles with each failure.
fn pause(failures: u32, every: Duration) -> Duration {
    match failures.checked_sub(1) {
        None => every,
        Some(before) => ARTIFACT_RETRY.saturating_mul(1_u32.checked_shl(before).unwrap_or(u32::MAX)).min(every),
    }
}

/// Returns the tags of the newest versions, newest first. Ignores tags that are not
/// version numbers, and pre-releases, which are installed only if the configuration names
/// their tag.
pub(crate) fn newest(tags: Vec<String>) -> Vec<(String, Version)> {
    let version = |tag: String| parse_version(&tag).ok().map(|version| (tag, version));
    let mut versions: Vec<_> = tags.into_iter().filter_map(version).filter(|(_, one)| one.pre.is_empty()).collect();
    versions.sort_by(|(_, one), (_, other)| other.cmp(one));
    versions.truncate(ARTIFACT_VERSIONS_MAX);
    versions
}

/// Checks whether this host accepts an offered version, before any of its files is
/// downloaded.
///
/// # Errors
/// The tag names another version, or the component is too large for the host.
pub(crate) fn check(offered: &Candidate, wanted: Option<&Version>, max_component: u64) -> Result<(), OciError> {
    let version = offered.version();
    if let Some(wanted) = wanted.filter(|wanted| *wanted != version) {
        return Err(OciError::OtherVersion { tag: wanted.clone(), version: version.clone() });
    }
    let bytes = offered.component.size;
    if bytes > max_component {
        return Err(OciError::Component(format!("{bytes} bytes are more than plugins.max_component, {max_component}")));
    }
    Ok(())
}

/// Returns the folder of a version in the registry at `root`.
pub(crate) fn folder_of(root: &Path, candidate: &Candidate) -> PathBuf {
    let id = candidate.id();
    root.join(id.kind.folder()).join(id.name.as_str()).join(candidate.version().to_string())
}

#[cfg(test)]
mod tests {
    use tollbridge_registry::verify_version;

    use super::*;
    use crate::testing::{published, trusted};

    fn away() -> Result<Outcome, OciError> {
        Err(OciError::Remote { registry: "a.example".to_owned(), message: "no route".to_owned() })
    }

    #[test]
    fn a_registry_that_is_away_is_asked_soon_and_then_less_and_less() {
        let every = Duration::from_secs(60);
        let mut course = Course::default();
        let pauses: Vec<u64> = (0..5).map(|_| course.note(&away(), every).1.as_secs()).collect();
        assert_eq!(pauses, [10, 20, 40, 60, 60]);
        assert_eq!(course.note(&Ok(Outcome::Unchanged), every).1, every);
        assert_eq!(course.note(&away(), every).1, ARTIFACT_RETRY);
        assert_eq!(pause(u32::MAX, every), every);
    }

    #[test]
    fn what_is_refused_is_looked_at_at_the_usual_time() {
        let every = Duration::from_secs(60);
        let mut course = Course::default();
        let refused = || Err::<Outcome, _>(OciError::NoAnnotation("tollbridge.plugin.sig"));
        assert!(matches!(course.note(&refused(), every), (Told::Problem(_), pause) if pause == every));
        let ends = [refused(), away()].map(|result| Outcome::of(&result.unwrap_err()));
        assert_eq!(ends, [Outcome::Refused, Outcome::Failed]);
    }

    #[test]
    fn a_problem_is_told_once_and_its_end_too() {
        let every = Duration::from_secs(60);
        let mut course = Course::default();
        assert_eq!(course.note(&Ok(Outcome::Taken), every).0, Told::Nothing);
        assert_eq!(course.note(&away(), every).0, Told::Problem("a.example: no route".to_owned()));
        assert_eq!((course.note(&away(), every).0, course.problem().is_some()), (Told::Nothing, true));
        let other = Err(OciError::Manifest("x".to_owned()));
        assert!(matches!(course.note(&other, every).0, Told::Problem(_)));
        assert_eq!((course.note(&Ok(Outcome::Unchanged), every).0, course.problem().is_some()), (Told::Well, false));
        assert_eq!(course.note(&Ok(Outcome::Unchanged), every).0, Told::Nothing);
    }

    #[test]
    fn the_newest_releases_of_a_repository_are_taken() {
        let tags = ["latest", "1.0.0", "10.0.0", "2.0.0", "9.0.0", "3.0.0-rc.1", "v4.0.0", "1.2.3", "1.10.0", "0.1.0"];
        let newest: Vec<String> = newest(tags.map(str::to_owned).to_vec()).into_iter().map(|(tag, _)| tag).collect();
        assert_eq!(newest, ["10.0.0", "9.0.0", "2.0.0", "1.10.0", "1.2.3"]);
    }

    #[test]
    fn a_tag_that_names_another_version_and_what_is_too_large_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let offered = verify_version(&published(folder.path(), "1.0.0", false), &trusted()).unwrap();
        let size = offered.component.size;
        assert!(check(&offered, None, size).is_ok());
        assert!(check(&offered, Some(&Version::new(1, 0, 0)), size).is_ok());
        let other = check(&offered, Some(&Version::new(1, 0, 1)), size).unwrap_err().to_string();
        assert!(other.contains("1.0.1") && other.contains("1.0.0"), "{other}");
        let large = check(&offered, None, size - 1).unwrap_err().to_string();
        assert!(large.contains("plugins.max_component"), "{large}");
        assert!(folder_of(folder.path(), &offered).join("plugin.sig").is_file());
    }
}
