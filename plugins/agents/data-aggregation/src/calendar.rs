//! Spans of the calendar by their names.

use agent_common::{dates, periods};

use crate::query::Unit;

const UNITS: &[(&[&str], Unit)] = &[
    (
        &["year", "years", "yearly", "annual", "annually", "jahr", "jahrlich", "annee", "ano", "anno", "calendar"],
        Unit::Year,
    ),
    (&["quarter", "quarters", "quarterly", "quartal", "trimestre"], Unit::Quarter),
    (&["month", "months", "monthly", "monat", "monate", "monatlich", "mois", "mes", "mese", "maand"], Unit::Month),
    (&["week", "weeks", "weekly", "woche", "wochentlich", "semaine", "semana"], Unit::Week),
    (&["weekday", "weekdays", "wochentag", "wochentage"], Unit::Weekday),
];

/// Whether a word names a span of the calendar.
pub fn is_unit(word: &str) -> bool {
    unit_of(word).is_some()
}

/// The span that a word names.
pub fn unit_of(word: &str) -> Option<Unit> {
    UNITS.iter().find(|(words, _)| words.contains(&word)).map(|(_, unit)| *unit)
}

/// Whether a name is a month, a quarter, a year or a weekday.
pub fn is_period(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    dates::month(&lower).is_some() || dates::weekday(&lower).is_some() || periods::read(name, None).is_some()
}
