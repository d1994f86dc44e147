//! Outages: no model of a kind can be used, because no provider of one is configured or
//! because none has answered for minutes.
//!
//! Invariants: failures that last only seconds are not an outage; an outage ends with the
//! first answer, and one request at a time may probe whether it has ended.

use tokio::time::Instant;

use super::breaker::ProbeDue;
use super::gateway::Gateway;
use super::provider::ModelKind;

/// An outage: no model of a kind can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The reason of the outage, as a short sentence.
    pub reason: String,
    /// The reason of the outage, and the remedy.
    pub explanation: String,
    /// Whether a request may now probe whether the outage has ended.
    pub is_probe_due: bool,
}

impl Gateway {
    /// Returns the reason why no model of a kind can be used; `None` if a model can, or is
    /// likely to recover soon.
    pub fn outage(&self, kind: ModelKind, now: Instant) -> Option<Outage> {
        if let Some(explanation) = self.missing_kind(kind) {
            let reason = self.builtin_problem(kind).unwrap_or_else(|| match self.router.all().is_empty() {
                true => "no inference provider can be used on this server".to_owned(),
                false => format!("no inference provider of this server offers {} models", kind.as_str()),
            });
            return Some(Outage { reason, explanation, is_probe_due: false });
        }
        let mut is_probe_due = false;
        for deployment in self.router.all().iter().filter(|one| one.kind == kind) {
            let ProbeDue(due) = deployment.health.lasting_outage(now)?;
            is_probe_due |= due;
        }
        let reason = "no inference provider of this server has answered for minutes".to_owned();
        let explanation = format!("{reason}; try again later: this server retries automatically");
        Some(Outage { reason, explanation, is_probe_due })
    }
}
