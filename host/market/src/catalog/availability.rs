//! Availability: whether calls of an offer can be answered now.
//!
//! Invariants:
//! - an offer is listed as unavailable only if a need that every call has is unmet;
//! - a call is refused only if one of the needs of that call is unmet;
//! - when an outage may have ended, one call is let through as a probe, so that an offer
//!   does not stay unavailable for ever.

use serde_json::Value;
use tollbridge_core::plugin_kind::PluginKind;
use tollbridge_registry::NeededModels;

use super::needs::{Needed, UnmetNeed};
use super::offer::Offer;
use super::snapshot::{CatalogEntry, Snapshot};
use crate::limits::NESTED_DEPTH_MAX;

/// The purpose of an availability check.
#[derive(Clone, Copy)]
enum Asking<'i> {
    /// The offer is being listed.
    List,
    /// The offer is being called, with this input if there is one.
    Call(Option<&'i Value>),
}

impl Snapshot {
    /// Returns an unmet need that every call of the offer has. Lists show such an offer
    /// as unavailable.
    pub fn unmet_need(&self, offer: &Offer) -> Option<UnmetNeed> {
        self.unmet(offer, None, Asking::List, NESTED_DEPTH_MAX)
    }

    /// Returns an unmet need of a call with this input. Such a call is refused before it
    /// is quoted.
    pub fn unmet_need_of_call(&self, offer: &Offer, input: Option<&Value>) -> Option<UnmetNeed> {
        self.unmet(offer, None, Asking::Call(input), NESTED_DEPTH_MAX)
    }

    /// Returns an unmet need of an offer. `agent` calls it, if it is called by one.
    fn unmet(&self, offer: &Offer, agent: Option<&str>, asking: Asking<'_>, depth: u32) -> Option<UnmetNeed> {
        let agent = if offer.kind == PluginKind::Agent { Some(offer.name.as_str()) } else { agent };
        let input = match asking {
            Asking::List => None,
            Asking::Call(input) => input,
        };
        offer.needs.of_input(input).find_map(|need| {
            let unmet = match &need.what {
                Needed::Models(models) => no_models(offer, agent, *models, asking),
                Needed::Callee(kind, name) => self.no_callee((*kind, name), agent, asking, depth),
                Needed::Missing(text) => Some(UnmetNeed::of_data(text.clone())),
            };
            unmet.map(|unmet| need.unmet(unmet))
        })
    }

    /// Returns the reason another plugin cannot be called. Ignores needs that depend on
    /// that plugin's input, because the calling plugin chooses the input.
    fn no_callee(
        &self,
        (kind, name): (PluginKind, &str),
        agent: Option<&str>,
        asking: Asking<'_>,
        depth: u32,
    ) -> Option<UnmetNeed> {
        // Stop at the maximum depth: deeper calls are refused anyway, and plugins may
        // call each other in a cycle.
        let depth = depth.checked_sub(1)?;
        let asking = match asking {
            Asking::List => Asking::List,
            Asking::Call(_) => Asking::Call(None),
        };
        match self.entry(kind, name) {
            Some(CatalogEntry::Live(callee)) => self.unmet(callee, agent, asking, depth),
            _ => {
                Some(UnmetNeed::of_data(format!("the {kind} `{name}`, which it calls, is unavailable on this server")))
            }
        }
    }
}

fn no_models(offer: &Offer, agent: Option<&str>, models: NeededModels, asking: Asking<'_>) -> Option<UnmetNeed> {
    let outage = offer.models.outage(agent, models)?;
    // When a probe is due, let one call through to find out whether the outage is over.
    // Lists keep showing the offer as unavailable until then.
    if matches!(asking, Asking::Call(_)) && outage.is_probe_due {
        return None;
    }
    Some(UnmetNeed { reason: outage.reason, explanation: outage.explanation, is_inference: true })
}
