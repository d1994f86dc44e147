//! `OfferExtensions`: the signed offers and schemas in a 402 response. They are the same
//! for every caller, so they are cached.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tollbridge_core::time::now_ms;
use tollbridge_x402::{Bazaar, Offer, PaymentIdentifier, PaymentRequired, Signed, offers_extension};

use crate::wallet_claims::ClaimSigner;

/// Maximum length of the `PAYMENT-REQUIRED` header, because some proxies drop longer
/// ones.
const HEADER_BYTES_MAX: usize = 4_096;
/// Bytes of the header reserved for an error reason longer than the default one.
const REASON_BYTES: usize = 128;
/// Maximum number of resources whose extensions are cached.
const ADDRESSES_MAX: usize = 1_024;
/// Maximum time in seconds for which a signature is reused.
const STEP_S_MAX: u64 = 60;

/// A cache of the latest extensions of each resource, by URL.
#[derive(Default)]
pub struct OfferExtensions(Mutex<HashMap<String, Arc<Extensions>>>);

/// The x402 extensions of one resource's offers.
pub(crate) struct Extensions {
    made_for: ExtensionsKey,
    members: Map<String, Value>,
    text: Box<RawValue>,
}

/// The input from which extensions were built; a changed input requires new ones.
struct ExtensionsKey {
    offers: Vec<Offer>,
    kid: String,
    advert: Option<Arc<Bazaar>>,
}

impl PartialEq for ExtensionsKey {
    /// Compares adverts by pointer, because an advert is built once for each loaded
    /// version.
    fn eq(&self, other: &Self) -> bool {
        let same_advert = match (&self.advert, &other.advert) {
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        };
        same_advert && self.kid == other.kid && self.offers == other.offers
    }
}

impl Extensions {
    /// Returns all extensions except the description of the call, which may be too long
    /// for a header.
    pub(crate) const fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Returns the extensions as JSON, with the description of the call if the header
    /// has room for it.
    pub(crate) fn text(&self) -> &RawValue {
        &self.text
    }

    fn make(claims: &ClaimSigner, made_for: ExtensionsKey, asked: &PaymentRequired) -> Self {
        let mut members = Map::new();
        PaymentIdentifier::advertise(&mut members, false);
        let offers = (0..).zip(&made_for.offers);
        let signed: Vec<Signed> = offers.map(|(place, offer)| claims.sign_offer(place, offer)).collect();
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
    /// Returns the extensions for the payment requirements in `asked`, whose offers
    /// expire at `expires_s`.
    pub(crate) fn of(
        &self,
        claims: &ClaimSigner,
        asked: &PaymentRequired,
        expires_s: u64,
        advert: Option<&Arc<Bazaar>>,
    ) -> Arc<Extensions> {
        let url = &asked.resource.url;
        let until = Some(signed_until(expires_s));
        let offers = asked.accepts.iter().map(|requirements| Offer::of(url, requirements, until)).collect();
        let made_for = ExtensionsKey { offers, kid: claims.kid(), advert: advert.cloned() };
        if let Some(kept) = self.0.lock().get(url).filter(|kept| kept.made_for == made_for) {
            return kept.clone();
        }
        let made = Arc::new(Extensions::make(claims, made_for, asked));
        let mut all = self.0.lock();
        if all.len() >= ADDRESSES_MAX {
            all.clear();
        }
        all.insert(url.clone(), made.clone());
        made
    }
}

/// Returns the expiry to sign: at most the offer's own, rounded down so that offers made
/// within a short interval share one signature.
fn signed_until(expires_s: u64) -> u64 {
    // Rounding shortens the signed validity by at most a sixteenth.
    let step = expires_s.saturating_sub(now_ms() / 1000).div_euclid(16).clamp(1, STEP_S_MAX);
    expires_s.saturating_sub(expires_s.checked_rem(step).unwrap_or_default())
}

/// Serializes a JSON map, which cannot fail.
fn raw(members: &Map<String, Value>) -> Box<RawValue> {
    to_raw_value(members).unwrap_or_default()
}
