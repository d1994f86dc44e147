//! What a domain name is: its two written forms, its public suffix, and whether a list knows it.
//!
//! Invariant: a [`Name`] is in lower case, in A-label form, with labels of 1 to 63 octets.

use crate::table::{self, DISPOSABLE, ICANN, PRIVATE, PROVIDERS};

/// A domain name.
#[derive(Debug)]
pub struct Name {
    /// A-label form, for DNS.
    pub ascii: String,
    /// U-label form, for people.
    pub unicode: String,
}

impl Name {
    /// Maps and checks a written domain by UTS 46.
    pub fn read(written: &str) -> Option<Self> {
        let ascii = a_labels(written)?;
        let label = |label: &str| {
            let plain = label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            plain && (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
        };
        if ascii.len() > 255 || !ascii.split('.').all(label) {
            return None;
        }
        let (unicode, checked) = idna::domain_to_unicode(&ascii);
        checked.ok()?;
        Some(Self { ascii, unicode })
    }

    /// The name and its parents, longest first.
    fn parents(&self) -> impl Iterator<Item = &str> {
        let cuts = self.ascii.match_indices('.').filter_map(|(at, _)| self.ascii.get(at + 1..));
        std::iter::once(self.ascii.as_str()).chain(cuts)
    }

    /// The top-level domain.
    pub fn top(&self) -> &str {
        self.ascii.rsplit('.').next().unwrap_or_default()
    }

    /// Is the top-level domain in the ICANN section of the Public Suffix List?
    pub fn top_known(&self) -> bool {
        self.parents().any(|name| rule_for(ICANN, name))
    }

    /// The public suffix by the rules of one or both sections; `*` where no rule applies.
    pub fn suffix(&self, private: bool) -> &str {
        for name in self.parents() {
            if table::holds(ICANN, &format!("!{name}")) || (private && table::holds(PRIVATE, &format!("!{name}"))) {
                return name.split_once('.').map_or(name, |(_, parent)| parent);
            }
            if rule_for(ICANN, name) || (private && rule_for(PRIVATE, name)) {
                return name;
            }
        }
        self.top()
    }

    /// Public suffix and one label more; none if the name is a public suffix itself.
    pub fn registrable(&self) -> Option<&str> {
        let labels = self.suffix(true).matches('.').count() + 1;
        self.parents().find(|name| name.matches('.').count() == labels)
    }

    /// The list entry that says that mailboxes here are thrown away: the name or a parent.
    pub fn disposable(&self) -> Option<&str> {
        self.parents().find(|name| name.contains('.') && table::holds(DISPOSABLE, name))
    }

    /// A common mailbox provider.
    pub fn provider(&self) -> bool {
        table::holds(PROVIDERS, &self.ascii)
    }

    /// Reserved names, which never have mail on the internet: RFC 6761, 6762, 7686, 2606, 8375 and ICANN's `internal`.
    pub fn reserved(&self) -> bool {
        let tops = ["test", "invalid", "localhost", "local", "onion", "internal", "example"];
        let names = ["example.com", "example.net", "example.org", "home.arpa"];
        tops.contains(&self.top()) || self.parents().any(|name| names.contains(&name))
    }
}

/// A written domain in A-labels of any length, by UTS 46.
pub fn a_labels(written: &str) -> Option<String> {
    idna::domain_to_ascii(written).ok()
}

/// A rule for exactly this name: by its own entry, or by a wildcard of its parent.
fn rule_for(list: &str, name: &str) -> bool {
    table::holds(list, name)
        || name.split_once('.').is_some_and(|(_, parent)| table::holds(list, &format!("*.{parent}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of the list's own tests, tests/test_psl.txt of the Public Suffix List.
    #[test]
    fn registrable_domains() {
        for (name, expect) in [
            ("com", None),
            ("example.com", Some("example.com")),
            ("a.b.example.com", Some("example.com")),
            ("uk.com", None),
            ("b.example.uk.com", Some("example.uk.com")),
            ("c.mm", None),
            ("a.b.c.mm", Some("b.c.mm")),
            ("ide.kyoto.jp", None),
            ("a.b.ide.kyoto.jp", Some("b.ide.kyoto.jp")),
            ("c.kobe.jp", None),
            ("a.b.c.kobe.jp", Some("b.c.kobe.jp")),
            ("www.city.kobe.jp", Some("city.kobe.jp")),
            ("www.www.ck", Some("www.ck")),
            ("example.example", Some("example.example")),
            ("食狮.公司.cn", Some("xn--85x722f.xn--55qx5d.cn")),
            ("www.食狮.中国", Some("xn--85x722f.xn--fiqs8s")),
        ] {
            assert_eq!(Name::read(name).unwrap().registrable(), expect, "{name}");
        }
    }

    #[test]
    fn names_are_mapped_or_refused() {
        for (written, expect) in [
            ("EXAMPLE.Com", Some("example.com")),
            ("Bücher.example", Some("xn--bcher-kva.example")),
            ("εεττ.gr", Some("xn--qxaa9ba.gr")),
            ("xn--0.tld", None),
            ("a b.com", None),
            ("a..com", None),
            ("", None),
        ] {
            assert_eq!(Name::read(written).map(|name| name.ascii).as_deref(), expect, "{written}");
        }
    }
}
