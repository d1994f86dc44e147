//! All secrets of a file, without overlaps.

use tollbridge_sdk::Ready;

use super::{assignment, cloud, code, format::Format, general, services, span::Secret};
use crate::literals::Literals;
use crate::patterns::compiled;
use crate::source::Source;
use crate::window::{Budget, windows};

/// Ids of all rules here.
#[must_use]
pub fn ids() -> Vec<&'static str> {
    all().map(|format| format.id).chain([assignment::PASSWORD, assignment::KEY]).collect()
}

/// The patterns of all rules here.
pub fn patterns() -> impl Iterator<Item = &'static str> {
    all().map(|format| format.pattern).chain([assignment::QUOTED, assignment::BARE])
}

/// The literals of all rules here, in small letters.
pub static LITERALS: Ready<Literals> =
    Ready::new(|| Literals::new(all().flat_map(|format| format.near).chain(assignment::NEAR)));

fn all() -> impl Iterator<Item = &'static Format> {
    [general::GENERAL, code::CODE, cloud::CLOUD, services::SERVICES].into_iter().flatten()
}

/// The secrets of a file in order of place; of two that overlap the surer stays.
#[must_use]
pub fn find(source: &Source, budget: &mut Budget) -> Vec<Secret> {
    let literals = LITERALS.find(&source.text.to_ascii_lowercase());
    let mut secrets: Vec<Secret> = Vec::new();
    for format in all() {
        let places = windows(source, literals.of_any(format.near), 0, format.lines);
        if places.is_empty() {
            continue;
        }
        let Some(pattern) = compiled(format.pattern) else { continue };
        for window in places {
            if !budget.take(window.len()) {
                return secrets;
            }
            let text = source.text.get(window.clone()).unwrap_or_default();
            let matches =
                pattern.captures_iter(text).filter_map(|captures| captures.get(1).or_else(|| captures.get(0)));
            secrets
                .extend(matches.filter_map(|hit| {
                    format.judge(&source.text, window.start + hit.start(), window.start + hit.end())
                }));
        }
    }
    secrets.extend(assignment::find(source, &literals, budget));
    without_overlaps(secrets)
}

fn without_overlaps(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets
        .sort_by(|a, b| b.severity.cmp(&a.severity).then(b.confidence.cmp(&a.confidence)).then(a.start.cmp(&b.start)));
    // In order of weight, so the first to cover a byte stays; kept sorted by start for the search.
    let mut distinct: Vec<Secret> = Vec::new();
    for secret in secrets {
        let place = distinct.partition_point(|other| other.start < secret.start);
        let before =
            place.checked_sub(1).and_then(|place| distinct.get(place)).is_some_and(|other| other.end > secret.start);
        let after = distinct.get(place).is_some_and(|other| other.start < secret.end);
        if !before && !after {
            distinct.insert(place, secret);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use crate::patterns::compiled;

    #[test]
    fn every_pattern_compiles_and_has_a_literal() {
        for format in super::all() {
            assert!(compiled(format.pattern).is_some(), "{}", format.id);
            assert!(!format.near.is_empty(), "{}", format.id);
            assert!(format.near.iter().all(|near| *near == near.to_ascii_lowercase()), "{}", format.id);
        }
    }
}
