//! Mail domains: whose are disposable, whose are free for all. The lists are made by `data/make.py`.

use bridge_common::Source;

const DOMAINS: &str = include_str!("../data/domains.txt");
const PACKAGES: &str = include_str!("../data/packages.txt");

/// What a mail domain is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainKind {
    Disposable,
    Free,
    /// On neither list.
    Own,
}

/// Looks a domain (in lower case) up. What lies below a disposable domain is disposable too; below a free one may be
/// anybody's.
#[must_use]
pub fn look_up(domain: &str) -> DomainKind {
    if let Some(found) = listed(domain) {
        return found;
    }
    let mut rest = domain;
    while rest.contains('.') {
        if listed(rest) == Some(DomainKind::Disposable) {
            return DomainKind::Disposable;
        }
        rest = rest.split_once('.').map_or("", |(_, above)| above);
    }
    DomainKind::Own
}

/// Binary search by bytes: a place in the text is moved back to the start of its line.
fn listed(domain: &str) -> Option<DomainKind> {
    let bytes = DOMAINS.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = bytes.get(..middle)?.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
        let line = DOMAINS.get(start..)?.lines().next()?;
        let name = line.strip_prefix('+').unwrap_or(line);
        match name.cmp(domain) {
            std::cmp::Ordering::Equal => {
                return Some(if line.starts_with('+') { DomainKind::Disposable } else { DomainKind::Free });
            }
            std::cmp::Ordering::Less => low = start + line.len() + 1,
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

/// The packages behind the lists.
#[must_use]
pub fn sources() -> Vec<Source<&'static str>> {
    let one = |line: &'static str| {
        let mut cells = line.split('\t');
        let mut next = || cells.next().unwrap_or_default();
        Source { name: next(), version: next(), as_of: next(), licence: next(), source: next() }
    };
    PACKAGES.lines().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_found() {
        for line in DOMAINS.lines() {
            let expect = if line.starts_with('+') { DomainKind::Disposable } else { DomainKind::Free };
            assert_eq!(listed(line.trim_start_matches('+')), Some(expect), "{line}");
        }
        assert_eq!(look_up("gmail.com"), DomainKind::Free);
        assert_eq!(look_up("x.mailinator.com"), DomainKind::Disposable);
        for own in ["example.org", "", "com", "zzzz.zz", "0"] {
            assert_eq!(look_up(own), DomainKind::Own, "{own}");
        }
        assert_eq!(sources().len(), 2);
    }
}
