//! Problems with artifacts from other registries, shown in the operator's status.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// The artifacts that could not be fetched or installed, each with the reason.
#[derive(Debug, Default)]
pub struct ArtifactProblems(Mutex<BTreeMap<String, String>>);

impl ArtifactProblems {
    /// Records the current problem of an artifact, or clears it if `problem` is `None`.
    pub fn note(&self, artifact: &str, problem: Option<&str>) {
        let mut problems = self.0.lock();
        match problem {
            Some(problem) => drop(problems.insert(artifact.to_owned(), problem.to_owned())),
            None => drop(problems.remove(artifact)),
        }
    }

    /// The number of artifacts with a problem.
    pub fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Each artifact with its problem, sorted by name.
    pub fn all(&self) -> Vec<(String, String)> {
        self.0.lock().iter().map(|(artifact, problem)| (artifact.clone(), problem.clone())).collect()
    }
}
