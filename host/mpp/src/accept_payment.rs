//! The `Accept-Payment` request header, which lists the payment methods that a client
//! supports.

use crate::name::{Intent, Method};

/// Name of the header.
pub const ACCEPT_PAYMENT: &str = "accept-payment";
/// Maximum number of entries read from the header; a client sends a handful.
const RANGES_MAX: usize = 64;

/// The payment methods that a client supports, with weights. The header is a hint: a
/// client that supports none of the offers receives all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptPayment(Vec<Range>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    /// Payment method; `None` matches any.
    method: Option<Method>,
    intent: Option<Intent>,
    /// Weight in thousandths; 0 means that the client never pays this way.
    weight: u16,
}

impl AcceptPayment {
    /// Parses the header. `None` means malformed, which is treated like an absent header.
    pub fn parse(header: &str) -> Option<Self> {
        let ranges: Option<Vec<Range>> =
            header.split(',').map(str::trim).filter(|range| !range.is_empty()).take(RANGES_MAX).map(range).collect();
        ranges.filter(|ranges| !ranges.is_empty()).map(Self)
    }

    /// Returns the weight of a payment method and intent in thousandths, from the most
    /// specific matching entry. 0 means not acceptable.
    pub fn weight(&self, method: &Method, intent: &Intent) -> u16 {
        let fits = |range: &&Range| {
            range.method.as_ref().is_none_or(|one| one == method)
                && range.intent.as_ref().is_none_or(|one| one == intent)
        };
        let specific = |range: &&Range| (range.method.is_some(), range.intent.is_some());
        self.0.iter().filter(fits).max_by_key(specific).map_or(0, |range| range.weight)
    }

    /// Removes the offers that the client cannot pay, and sorts the others by weight,
    /// highest first; the sort is stable. If no offer would remain, keeps all in their
    /// original order.
    pub fn order<T>(&self, offers: &mut Vec<T>, way: impl Fn(&T) -> (&Method, &Intent)) {
        let weight = |offer: &T| {
            let (method, intent) = way(offer);
            self.weight(method, intent)
        };
        if offers.iter().any(|offer| weight(offer) > 0) {
            offers.retain(|offer| weight(offer) > 0);
            offers.sort_by_key(|offer| std::cmp::Reverse(weight(offer)));
        }
    }
}

fn range(text: &str) -> Option<Range> {
    let mut parts = text.split(';').map(str::trim);
    let (method, intent) = parts.next()?.split_once('/')?;
    let weight = match parts.next() {
        Some(weight) => thousandths(weight.strip_prefix("q=").or_else(|| weight.strip_prefix("Q="))?)?,
        None => 1000,
    };
    let method = if method == "*" { None } else { Some(method.parse().ok()?) };
    let intent = if intent == "*" { None } else { Some(intent.parse().ok()?) };
    parts.next().is_none().then_some(Range { method, intent, weight })
}

/// Parses an RFC 9110 weight (0 to 1 with up to three decimals) into thousandths.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    if !matches!(whole, "0" | "1") || part.len() > 3 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{whole}{part:0<3}").parse().ok().filter(|weight| *weight <= 1000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ordered(header: &str, offers: &[&str]) -> Vec<String> {
        let read = |offer: &&str| {
            let (method, intent) = offer.split_once('/').unwrap();
            (method.parse::<Method>().unwrap(), intent.parse::<Intent>().unwrap())
        };
        let mut offers: Vec<(Method, Intent)> = offers.iter().map(read).collect();
        AcceptPayment::parse(header).unwrap().order(&mut offers, |(method, intent)| (method, intent));
        offers.iter().map(|(method, intent)| format!("{method}/{intent}")).collect()
    }

    #[test]
    fn the_examples_of_the_draft_are_ordered() {
        let offers = ["solana/charge", "stripe/charge", "tempo/charge", "tempo/session"];
        assert_eq!(
            ordered("tempo/charge, tempo/session, stripe/charge;q=0.5, solana/charge;q=0.3", &offers),
            ["tempo/charge", "tempo/session", "stripe/charge", "solana/charge"]
        );
        assert_eq!(
            ordered("tempo/charge, tempo/session;q=0, solana/charge;q=0.8, stripe/charge;q=0.4", &offers),
            ["tempo/charge", "solana/charge", "stripe/charge"]
        );
        assert_eq!(
            ordered("tempo/*, solana/*;q=0.6", &["solana/charge", "tempo/charge"]),
            ["tempo/charge", "solana/charge"]
        );
        assert_eq!(ordered("lightning/charge", &["stripe/charge"]), ["stripe/charge"]);
        assert_eq!(ordered("*/*, stripe/charge;q=0", &["stripe/charge", "evm/charge"]), ["evm/charge"]);
    }

    #[test]
    fn malformed_entries_are_ignored() {
        for header in ["", ",", "stripe", "stripe/charge;q=2", "stripe/charge;q=0.0001", "S/c", "a/b;q=1;x", "a/b;p=1"]
        {
            assert_eq!(AcceptPayment::parse(header), None, "{header}");
        }
        assert_eq!(thousandths("0.5"), Some(500));
        assert_eq!((thousandths("1.000"), thousandths("1.001"), thousandths("")), (Some(1000), None, None));
    }

    proptest! {
        #[test]
        fn no_text_panics(header in "[a-z/*;=q0-9., ]{0,60}") {
            let _ = AcceptPayment::parse(&header).map(|accept| accept.weight(&Method::STRIPE, &Intent::CHARGE));
        }
    }
}
