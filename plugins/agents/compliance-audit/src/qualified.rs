//! Items with a measure: `withdrawal period of at least 14 days`.

use agent_common::patterns::{all, groups};

/// What a measure asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The item without it.
    pub core: String,
    amount: f64,
    unit: String,
    side: Side,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Least,
    Most,
    Same,
}

/// The measure of an item; none if it has none.
pub fn read(name: &str) -> Option<Measure> {
    let behind = groups(
        r"(?i)^(.+?)\s+(?:of|is|from|for|von|de)\s+(at least|minimum(?: of)?|not less than|no less than|mindestens|at most|max(?:imum)?(?: of)?|no more than|not more than|up to|höchstens)?\s*(\d+(?:[.,]\d+)?)\s*([^\s\d.,;()]+)?",
        name,
    );
    let [_, core, side, amount, unit] = behind.as_slice() else { return None };
    let lower = side.to_lowercase();
    let side = match lower.as_str() {
        "" => Side::Same,
        most if ["most", "max", "more", "up to", "höchst"].iter().any(|word| most.contains(word)) => Side::Most,
        _ => Side::Least,
    };
    Some(Measure {
        core: core.trim().to_owned(),
        amount: amount.replace(',', ".").parse().ok()?,
        unit: unit.to_lowercase().trim_end_matches('s').to_owned(),
        side,
    })
}

impl Measure {
    /// Whether words hold to it; none where they have no number of its unit.
    pub fn holds(&self, evidence: &[String]) -> Option<bool> {
        let text = evidence.join("\n").to_lowercase();
        let unit = if self.unit.is_empty() { String::new() } else { format!(r"[\s-]*{}", self.unit) };
        let numbers: Vec<f64> = all(&format!(r"(\d+(?:[.,]\d+)?){unit}"), &text)
            .iter()
            .filter_map(|n| n.replace(',', ".").parse().ok())
            .collect();
        let [only] = numbers.as_slice() else { return None };
        Some(match self.side {
            Side::Least => *only >= self.amount,
            Side::Most => *only <= self.amount,
            Side::Same => (*only - self.amount).abs() < 1e-9,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_hold_or_not() {
        let holds = |name: &str, text: &str| read(name).unwrap().holds(&[text.to_owned()]);
        assert_eq!(holds("withdrawal period of at least 14 days", "cancel within 14 days"), Some(true));
        assert_eq!(holds("notice period of at most 30 days", "a notice of 60 days"), Some(false));
        assert_eq!(holds("warranty of 24 months", "a warranty is given"), None);
        assert_eq!(read("withdrawal period").map(|one| one.core), None);
        assert_eq!(read("retention of at least 10 years").unwrap().core, "retention");
    }
}
