//! Parts of the score that the lead itself decides: fit to the profile, e-mail address, completeness.
//!
//! Each gives a value from 0 to 1 with a reason, none where nothing is known.

use crate::domains::{DomainKind, look_up};
use crate::input::{Lead, Profile};

/// A value with its reason.
pub type PartScore = (Option<f64>, String);

/// Addresses of roles, not persons; all of them are in role-based-email-addresses 3.1.0 (npm, MIT).
const ROLES: [&str; 22] = [
    "info",
    "marketing",
    "sales",
    "support",
    "abuse",
    "noc",
    "security",
    "postmaster",
    "hostmaster",
    "usenet",
    "news",
    "webmaster",
    "www",
    "uucp",
    "ftp",
    "admin",
    "contact",
    "office",
    "hello",
    "noreply",
    "no-reply",
    "team",
];

/// A text that is there and not blank.
#[must_use]
pub fn known(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// How far the title has the words of the wanted title that fits best.
#[must_use]
pub fn title(lead: &Lead, profile: &Profile) -> PartScore {
    let Some(title) = known(&lead.title) else { return (None, "no title known".into()) };
    let have = words(title);
    let share = |wanted: &String| {
        let wanted = words(wanted);
        let met = wanted.iter().filter(|word| have.contains(word)).count();
        if wanted.is_empty() { 0.0 } else { met as f64 / wanted.len() as f64 }
    };
    let best = profile.titles.iter().map(|wanted| (share(wanted), wanted));
    match best.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((value, wanted)) if value > 0.0 => {
            (Some(value), format!("has {:.0} % of the words of \"{wanted}\"", value * 100.0))
        }
        _ => (Some(0.0), "has no word of a wanted title".into()),
    }
}

/// Whether a text is on a list, apart from case and marks.
#[must_use]
pub fn listed(what: &str, text: &Option<String>, list: &[String]) -> PartScore {
    let Some(text) = known(text) else { return (None, format!("no {what} known")) };
    let title_words = words(text);
    match list.iter().find(|entry| words(entry) == title_words && !title_words.is_empty()) {
        Some(entry) => (Some(1.0), format!("\"{entry}\" is wanted")),
        None => (Some(0.0), format!("this {what} is not among those wanted")),
    }
}

/// 1 inside the wanted range; outside half the value is lost for every doubling beyond it.
#[must_use]
pub fn size(lead: &Lead, profile: &Profile) -> PartScore {
    let Some(employees) = lead.employees else { return (None, "no number of employees known".into()) };
    let low = profile.employees_min.unwrap_or(0);
    let high = profile.employees_max.unwrap_or(u32::MAX);
    if (low..=high).contains(&employees) {
        return (Some(1.0), "inside the wanted range".into());
    }
    let bound = if employees < low { low } else { high };
    let doublings = (f64::from(employees.max(1)) / f64::from(bound.max(1))).log2().abs();
    (
        Some((1.0 - doublings / 2.0).max(0.0)),
        format!("{employees} lies {doublings:.1} doublings outside the wanted range"),
    )
}

/// How good the address is, and the flag that it raises.
#[must_use]
pub fn email(lead: &Lead) -> (PartScore, Option<&'static str>) {
    let Some(email) = known(&lead.email) else { return ((None, "no e-mail address known".into()), None) };
    let Some((local, domain)) = split(email) else {
        return ((Some(0.0), "not an e-mail address".into()), Some("invalid_email"));
    };
    let site = known(&lead.website).map(host);
    let role = ROLES.contains(&local.to_lowercase().as_str());
    match look_up(&domain) {
        DomainKind::Disposable => {
            ((Some(0.0), format!("{domain} gives disposable addresses")), Some("disposable_email"))
        }
        DomainKind::Free => ((Some(0.4), format!("{domain} gives free addresses")), None),
        DomainKind::Own if role => ((Some(0.5), "the address of a role, not of a person".into()), None),
        DomainKind::Own if site.as_deref().is_some_and(|site| same(site, &domain)) => {
            ((Some(1.0), "a person's address at the company's own domain".into()), None)
        }
        // A website at another domain proves no more than none, and no less.
        DomainKind::Own => {
            let reason = match site {
                Some(_) => "a business address, but not at the domain of the website",
                None => "a business address; `website` would show whether the domain is the company's",
            };
            ((Some(0.7), reason.into()), None)
        }
    }
}

/// Local part and domain (in lower case) of an address of the usual form.
#[must_use]
pub fn split(email: &str) -> Option<(&str, String)> {
    let (local, domain) = email.rsplit_once('@')?;
    let domain = domain.to_lowercase();
    let local_fits = (1..=64).contains(&local.len())
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && local.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte));
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let top = domain.rsplit('.').next().unwrap_or_default();
    let domain_fits = domain.len() <= 253 && domain.contains('.') && domain.split('.').all(label);
    (local_fits && domain_fits && !top.bytes().all(|byte| byte.is_ascii_digit())).then_some((local, domain))
}

/// Whether two hosts are the same, or one lies below the other.
fn same(site: &str, domain: &str) -> bool {
    let below = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|head| head.ends_with('.'));
    site == domain || (site.contains('.') && (below(site, domain) || below(domain, site)))
}

/// The host of a web address, without `www.`.
fn host(website: &str) -> String {
    let lower = website.to_lowercase();
    let rest = lower.split_once("://").map_or(lower.as_str(), |(_, rest)| rest);
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
    host.strip_prefix("www.").unwrap_or(host).to_owned()
}

/// Share of the members that are known.
#[must_use]
pub fn completeness(lead: &Lead) -> PartScore {
    let known =
        lead.texts().iter().filter(|text| known(text).is_some()).count() + usize::from(lead.employees.is_some());
    (Some(known as f64 / 9.0), format!("{known} of 9 members are known"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_email(email: &str, website: Option<&str>, expect: f64) {
        let lead = Lead { email: Some(email.into()), website: website.map(str::to_owned), ..Lead::default() };
        assert_eq!(super::email(&lead).0.0, Some(expect), "{email}");
    }

    #[test]
    fn addresses() {
        check_email("ann@example.org", None, 0.7);
        check_email("ann@example.org", Some("https://www.example.org/about"), 1.0);
        check_email("ann@example.org", Some("other.example"), 0.7);
        check_email("ann@mail.example.org", Some("example.org"), 1.0);
        check_email("ann@badexample.org", Some("example.org"), 0.7);
        check_email("ann@example.org", Some("org"), 0.7);
        check_email("info@example.org", None, 0.5);
        check_email("ann@gmail.com", None, 0.4);
        check_email("ann@mailinator.com", None, 0.0);
        for wrong in ["ann", "@x.org", "a@b", "a..b@x.org", "a@-x.org", "a b@x.org", "a@1.2.3.4"] {
            check_email(wrong, None, 0.0);
        }
    }

    #[test]
    fn sizes_lose_by_doublings() {
        let value = |employees| {
            let lead = Lead { employees: Some(employees), ..Lead::default() };
            size(&lead, &Profile { employees_min: Some(100), employees_max: Some(200), ..Profile::default() }).0
        };
        assert_eq!(
            (value(100), value(50), value(400), value(25), value(0)),
            (Some(1.0), Some(0.5), Some(0.5), Some(0.0), Some(0.0))
        );
    }
}
