//! What is wrong with artifacts of other registries, for whoever looks.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// The artifacts that are not taken now, and why not.
#[derive(Debug, Default)]
pub struct ArtifactProblems(Mutex<BTreeMap<String, String>>);

impl ArtifactProblems {
    /// Notes how it goes with an artifact now: what is wrong, or nothing.
    pub fn note(&self, artifact: &str, problem: Option<&str>) {
        let mut problems = self.0.lock();
        match problem {
            Some(problem) => drop(problems.insert(artifact.to_owned(), problem.to_owned())),
            None => drop(problems.remove(artifact)),
        }
    }

    /// How many are not taken.
    pub fn count(&self) -> usize {
        self.0.lock().len()
    }

    /// Each artifact and what is wrong with it, by name.
    pub fn all(&self) -> Vec<(String, String)> {
        self.0.lock().iter().map(|(artifact, problem)| (artifact.clone(), problem.clone())).collect()
    }
}
