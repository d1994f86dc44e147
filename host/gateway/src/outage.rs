//! Outages: no model can be asked because no provider is configured, or because none has answered
//! for minutes.
//!
//! Invariants: failures for seconds are not an outage; an outage ends with the first answer, and
//! one request at a time may probe whether it is over.

use std::time::Instant;

use super::breaker::ProbeDue;
use super::gateway::Gateway;

/// No model can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    /// A short sentence.
    pub reason: String,
    /// The reason with the fix.
    pub explanation: String,
    /// Whether one request may probe whether the outage is over.
    pub is_probe_due: bool,
}

impl Gateway {
    /// Returns the reason why no model can be asked, if it is likely to last.
    pub fn outage(&self, now: Instant) -> Option<Outage> {
        let deployments = self.router.all();
        if deployments.is_empty() {
            let reason = "no inference provider can be used on this server".to_owned();
            return Some(Outage { reason, explanation: self.no_provider(), is_probe_due: false });
        }
        let mut is_probe_due = false;
        for deployment in deployments {
            let ProbeDue(due) = deployment.health.lasting_outage(now)?;
            is_probe_due |= due;
        }
        let reason = "no inference provider of this server has answered for minutes".to_owned();
        let explanation = format!("{reason}; try again later: it is retried automatically");
        Some(Outage { reason, explanation, is_probe_due })
    }
}
