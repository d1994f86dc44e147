//! `OfferExtensions`: what an answer 402 says beside its offer. It is signed, and
//! has schemas, and is the same for every caller; so it is made once in a while,
//! not for each.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tollbridge_core::time::now_ms;
use tollbridge_x402::{Bazaar, Offer, PaymentIdentifier, PaymentRequired, Signed, offers_extension};

use crate::Paywall;
use crate::wallet_claims::{kid_of, sign_offer};

/// Longest header that asks for payment: some proxies drop longer ones.
const HEADER_BYTES_MAX: usize = 4_096;
/// What is kept of that for a longer reason than the first one.
const REASON_BYTES: usize = 128;
/// Most addresses whose extensions are kept.
const ADDRESSES_MAX: usize = 1_024;
/// Most seconds for which one signature is used.
const STEP_S_MAX: u64 = 60;

/// The extensions that were made last, by the address of what is sold.
#[derive(Default)]
pub struct OfferExtensions(Mutex<HashMap<String, Arc<Extensions>>>);

/// The extensions of one offer.
pub(crate) struct Extensions {
    made_for: MadeFor,
    members: Map<String, Value>,
    text: Box<RawValue>,
}

/// What they say. Anything else has others.
struct MadeFor {
    offers: Vec<Offer>,
    kid: String,
    advert: Option<Arc<Bazaar>>,
}

impl PartialEq for MadeFor {
    /// An advert is made once for each version that loads, so it need not be read.
    fn eq(&self, other: &Self) -> bool {
        let same_advert = match (&self.advert, &other.advert) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        same_advert && self.kid == other.kid && self.offers == other.offers
    }
}

impl Extensions {
    /// All but how the call is made.
    pub(crate) const fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// As JSON, with how the call is made where a header has room for it.
    pub(crate) fn text(&self) -> &RawValue {
        &self.text
    }

    fn make(paywall: &Paywall, made_for: MadeFor, asked: &PaymentRequired) -> Self {
        let mut members = Map::new();
        PaymentIdentifier::advertise(&mut members, false);
        let offers = (0..).zip(&made_for.offers);
        let signed: Vec<Signed> = offers.map(|(place, offer)| sign_offer(paywall, place, offer)).collect();
        offers_extension(&mut members, &signed);
        let text = made_for.advert.as_ref().and_then(|advert| {
            let mut members = members.clone();
            advert.advertise(&mut members);
            let text = raw(&members);
            let bytes = asked.encode_with(&text).len().saturating_add(REASON_BYTES);
            (bytes <= HEADER_BYTES_MAX).then_some(text)
        });
        let text = text.unwrap_or_else(|| raw(&members));
        Self { made_for, members, text }
    }
}

impl OfferExtensions {
    /// Those of what is asked with offers that expire then.
    pub(crate) fn of(
        &self,
        paywall: &Paywall,
        asked: &PaymentRequired,
        expires_s: u64,
        advert: Option<&Arc<Bazaar>>,
    ) -> Arc<Extensions> {
        let url = &asked.resource.url;
        let until = Some(signed_until(expires_s));
        let offers = asked.accepts.iter().map(|requirements| Offer::of(url, requirements, until)).collect();
        let made_for = MadeFor { offers, kid: kid_of(paywall), advert: advert.cloned() };
        if let Some(kept) = self.0.lock().get(url).filter(|kept| kept.made_for == made_for) {
            return kept.clone();
        }
        let made = Arc::new(Extensions::make(paywall, made_for, asked));
        let mut all = self.0.lock();
        if all.len() >= ADDRESSES_MAX {
            all.clear();
        }
        all.insert(url.clone(), made.clone());
        made
    }
}

/// Until when an offer is signed: not longer than it holds, and for all offers of
/// some seconds the same.
fn signed_until(expires_s: u64) -> u64 {
    let step = expires_s.saturating_sub(now_ms() / 1000).div_euclid(16).clamp(1, STEP_S_MAX);
    expires_s.saturating_sub(expires_s.checked_rem(step).unwrap_or_default())
}

/// Maps of JSON always encode.
fn raw(members: &Map<String, Value>) -> Box<RawValue> {
    to_raw_value(members).unwrap_or_default()
}
