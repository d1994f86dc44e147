//! Units of time that people count in.

use crate::periods::Step;

/// A unit of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A minute.
    Minute,
    /// An hour.
    Hour,
    /// A day.
    Day,
    /// A day from Monday to Friday.
    WorkingDay,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A quarter.
    Quarter,
    /// A year.
    Year,
}

const WORDS: &[(Unit, &[&str])] = &[
    (Unit::Minute, &["minute", "minutes", "min", "mins", "minuten"]),
    (
        Unit::Hour,
        &[
            "hour",
            "hours",
            "hourly",
            "hr",
            "hrs",
            "stunde",
            "stunden",
            "stündlich",
            "heure",
            "heures",
            "hora",
            "horas",
            "uur",
            "ore",
            "ora",
        ],
    ),
    (
        Unit::Day,
        &[
            "day", "days", "daily", "night", "nights", "tag", "tage", "tagen", "täglich", "jour", "jours", "día",
            "días", "dias", "dia", "dag", "dagen", "giorno", "giorni",
        ],
    ),
    (
        Unit::Week,
        &[
            "week",
            "weeks",
            "weekly",
            "wk",
            "wks",
            "woche",
            "wochen",
            "wöchentlich",
            "semaine",
            "semaines",
            "semana",
            "semanas",
            "weken",
            "settimana",
            "settimane",
        ],
    ),
    (
        Unit::Month,
        &[
            "month",
            "months",
            "monthly",
            "mth",
            "mths",
            "monat",
            "monate",
            "monaten",
            "monatlich",
            "mois",
            "mes",
            "meses",
            "mês",
            "maand",
            "maanden",
            "mese",
            "mesi",
        ],
    ),
    (
        Unit::Quarter,
        &[
            "quarter",
            "quarters",
            "quarterly",
            "quartal",
            "quartale",
            "quartalen",
            "trimestre",
            "trimestres",
            "kwartaal",
            "kwartalen",
            "trimestri",
        ],
    ),
    (
        Unit::Year,
        &[
            "year",
            "years",
            "yearly",
            "annual",
            "annually",
            "jahr",
            "jahre",
            "jahren",
            "jährlich",
            "année",
            "années",
            "ans",
            "an",
            "año",
            "años",
            "ano",
            "anos",
            "jaar",
            "jaren",
            "anno",
            "anni",
        ],
    ),
];

impl Unit {
    /// The unit that a word names.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        let lower = word.to_lowercase();
        WORDS.iter().find(|(_, words)| words.contains(&lower.as_str())).map(|(unit, _)| *unit)
    }

    /// The unit of a step.
    #[must_use]
    pub fn of_step(step: Step) -> Option<Self> {
        Some(match step {
            Step::Minutes(60) => Self::Hour,
            Step::Minutes(1) => Self::Minute,
            Step::Days(1) => Self::Day,
            Step::WorkingDays => Self::WorkingDay,
            Step::Days(7) => Self::Week,
            Step::Months(1) => Self::Month,
            Step::Months(3) | Step::Quarters(1) => Self::Quarter,
            Step::Months(12) | Step::Years(1) => Self::Year,
            _ => return None,
        })
    }

    /// The usual word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::Day | Self::WorkingDay => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
        }
    }

    /// The usual word for several.
    #[must_use]
    pub fn plural(self) -> &'static str {
        match self {
            Self::Minute => "minutes",
            Self::Hour => "hours",
            Self::Day | Self::WorkingDay => "days",
            Self::Week => "weeks",
            Self::Month => "months",
            Self::Quarter => "quarters",
            Self::Year => "years",
        }
    }

    /// How many of `self` make one of `whole`; none where that is not whole or not known.
    #[must_use]
    pub fn steps_in(self, whole: Self) -> Option<u32> {
        if self == whole || (self == Self::WorkingDay && whole == Self::Day) {
            return Some(1);
        }
        Some(match (self, whole) {
            (Self::Minute, Self::Hour) => 60,
            (Self::Hour, Self::Day) => 24,
            (Self::Hour, Self::Week) => 168,
            (Self::Day, Self::Week) => 7,
            (Self::WorkingDay, Self::Week) => 5,
            (Self::Day, Self::Month) => 30,
            (Self::Week, Self::Month) => 4,
            (Self::Week, Self::Quarter) => 13,
            (Self::Week, Self::Year) => 52,
            (Self::Month, Self::Quarter) => 3,
            (Self::Month, Self::Year) => 12,
            (Self::Quarter, Self::Year) => 4,
            _ => return None,
        })
    }
}

/// Words of a text in small letters, hyphens part them.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || c == '-' || c == '–' || c == '/')
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The unit that a text says its numbers are counted by: `per month`, `weekly`; none where it names several.
#[must_use]
pub fn told(text: &str) -> Option<Unit> {
    let words = words(text);
    let adverbs = [
        "hourly",
        "daily",
        "weekly",
        "monthly",
        "quarterly",
        "yearly",
        "annual",
        "annually",
        "täglich",
        "wöchentlich",
        "monatlich",
        "jährlich",
        "stündlich",
    ];
    let before = ["per", "each", "every", "by", "a", "pro", "je", "par", "por", "al", "op"];
    let mut sure = Vec::new();
    let mut named = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(unit) = Unit::of(word) else { continue };
        let previous = at.checked_sub(1).and_then(|at| words.get(at)).map(String::as_str).unwrap_or_default();
        if adverbs.contains(&word.as_str()) || before.contains(&previous) {
            sure.push(unit);
        } else {
            named.push(unit);
        }
    }
    let same = |units: &[Unit]| units.first().copied().filter(|first| units.iter().all(|unit| unit == first));
    if sure.is_empty() { same(&named) } else { same(&sure) }
}
