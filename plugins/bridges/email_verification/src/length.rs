//! How long an address is when SMTP sends it: RFC 5321, section 4.5.3.1, and RFC 6531, section 3.3, in octets.
//!
//! Invariant: what is measured is the local part in NFC and the domain after UTS 46, never the text as written.

use icu_normalizer::ComposingNormalizerBorrowed;

const LOCAL_MAX: usize = 64;
const LABEL_MAX: usize = 63;
const DOMAIN_MAX: usize = 255;
const ADDRESS_MAX: usize = 254;

/// The composed normal form (NFC), in which mail systems compare names.
pub fn composed(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// What is too long for SMTP of an address with this local part and this domain in A-labels (or as written, where it has
/// none).
///
/// DNS takes no name but in A-labels, so labels are measured in these. A local part beyond ASCII goes with SMTPUTF8, which
/// takes the domain in A-labels or U-labels: there the shorter of both counts for the whole.
pub fn faults(local: &str, domain: &str, literal: bool) -> Vec<&'static str> {
    let labels_fit = literal || domain.split('.').all(|label| label.len() <= LABEL_MAX);
    let sent = if local.is_ascii() || literal {
        domain.len()
    } else {
        domain.len().min(idna::domain_to_unicode(domain).0.len())
    };
    let rules = [
        (local.len() <= LOCAL_MAX, "the local part is longer than 64 octets"),
        (labels_fit, "a label of the domain is longer than 63 octets in the form that DNS takes"),
        (domain.len() <= DOMAIN_MAX, "the domain is longer than 255 octets in the form that DNS takes"),
        (local.len() + 1 + sent <= ADDRESS_MAX, "the address is longer than 254 octets in the form that SMTP sends"),
    ];
    rules.iter().filter(|(holds, _)| !holds).map(|(_, why)| *why).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_at_its_limit() {
        let label = "a".repeat(63);
        let domain = |last: usize| format!("{label}.{label}.{}", "a".repeat(last));
        assert_eq!(faults(&"a".repeat(64), &domain(61), false), [""; 0]);
        assert_eq!(faults(&"a".repeat(64), &domain(62), false).len(), 1);
        assert_eq!(faults(&"a".repeat(65), "example.org", false).len(), 1);
        assert_eq!(faults("a", &format!("{label}a.org"), false).len(), 1);
        assert_eq!(faults("a", &format!("[IPv6:{label}]"), true), [""; 0]);
    }

    #[test]
    fn smtputf8_takes_the_shorter_domain() {
        // 63 octets with the @, then 20 labels with their full stops: 219 octets in A-labels, 139 in U-labels.
        let domain = idna::domain_to_ascii(&vec!["äöü"; 20].join(".")).unwrap();
        assert!(faults(&"ä".repeat(31), &domain, false).is_empty());
        assert_eq!(faults(&"a".repeat(62), &domain, false).len(), 1);
    }

    #[test]
    fn composes() {
        assert_eq!(composed("a\u{308}"), "ä");
        assert_eq!(composed("plain"), "plain");
    }
}
