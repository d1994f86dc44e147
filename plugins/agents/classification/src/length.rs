//! Rules for how long a text is: `more than ten words is long`.

use agent_common::dates;
use agent_common::patterns::is_match;

/// What of a text is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Words.
    Words,
    /// Letters and signs, spaces too.
    Characters,
    /// Letters alone.
    Letters,
}

/// What the rules of a request in small letters count; none if they count nothing.
#[must_use]
pub fn measure(lower: &str) -> Option<Measure> {
    let number =
        r"(?:\d+|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|fifty|hundred)";
    let counts = |unit: &str| is_match(&format!(r"\b{number}(?: or (?:more|fewer|less))? (?:{unit})\b"), lower);
    if counts("words?|wörter|mots|palabras") {
        Some(Measure::Words)
    } else if counts("characters?|chars?|signs|zeichen") {
        Some(Measure::Characters)
    } else if counts("letters?|buchstaben") {
        Some(Measure::Letters)
    } else {
        None
    }
}

/// Days between the day that a request calls today and the day of a text; none without either.
#[must_use]
pub fn days_from_today(head: &str, text: &str) -> Option<f64> {
    let lower = head.to_lowercase();
    let cue = ["today is", "today:", "today =", "as of", "heute ist", "stand:", "aujourd'hui", "hoy es", "date is"]
        .iter()
        .filter_map(|cue| lower.find(cue).map(|at| at + cue.len()))
        .min()?;
    if !is_match(r"\bdays?\b|\btagen?\b|\bjours\b|\bdías\b|\bweeks?\b", &lower) {
        return None;
    }
    let rest: String = head.get(cue..)?.chars().take(30).collect();
    let today = dates::scan(&rest, None).first()?.date;
    let found = dates::scan(text, None);
    let [only] = found.as_slice() else { return None };
    let ahead = is_match(r"\bdue\b|expir|deadline|until|\bin (?:less|more)|\bleft\b|upcoming|fällig|ablauf", &lower);
    let days = only.date.days() - today.days();
    let days = if ahead { days } else { -days };
    let weeks = is_match(r"\bweeks?\b", &lower);
    Some(f64::from(i32::try_from(days).ok()?) / if weeks { 7.0 } else { 1.0 })
}

impl Measure {
    /// The count of a text.
    #[must_use]
    pub fn of(self, text: &str) -> f64 {
        let count = match self {
            Self::Words => text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count(),
            Self::Characters => text.chars().count(),
            Self::Letters => text.chars().filter(|c| c.is_alphabetic()).count(),
        };
        f64::from(u32::try_from(count).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths() {
        assert_eq!(measure("a sentence of more than ten words is long"), Some(Measure::Words));
        assert_eq!(measure("over 160 characters is too long").map(|one| one.of("abc d")), Some(5.0));
        assert_eq!(measure("words like refund go to billing"), None);
        assert_eq!(Measure::Words.of("Birds sing – early."), 3.0);
    }
}
