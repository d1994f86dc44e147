//! Every clause that is known, found by the names that people give it.

use crate::clause::Clause;
use crate::contract_clauses::CONTRACT;
use crate::employment_clauses::EMPLOYMENT;
use crate::notice_clauses::NOTICE;
use crate::plain_text::plain;
use crate::sensitive_data::SENSITIVE;
use crate::tenancy_clauses::TENANCY;
use crate::trade_clauses::TRADE;

/// Of two names of one length the clause that comes first is meant.
const KNOWN: [&[Clause]; 6] = [CONTRACT, TRADE, TENANCY, EMPLOYMENT, NOTICE, SENSITIVE];

/// The clause of a name; the longest of its names that stands in it.
pub fn named(name: &str) -> Option<&'static Clause> {
    let lower = format!(" {} ", plain(name));
    let mut best: Option<(&'static Clause, usize)> = None;
    for clause in KNOWN.iter().copied().flatten() {
        for known in clause.names {
            let known = plain(known);
            let fits = lower.contains(&format!(" {known} ")) || lower.contains(&format!(" {known}s "));
            if fits && best.is_none_or(|(_, most)| known.len() > most) {
                best = Some((clause, known.len()));
            }
        }
    }
    best.map(|(clause, _)| clause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clause::shows;

    #[test]
    fn clauses_in_other_words() {
        let cases = [
            ("governing law", "Swedish law shall apply to this contract.", true),
            ("limitation of liability", "The total liability of either side is capped at the yearly fee.", true),
            ("force majeure", "Neither side is liable for delays that are beyond its control.", true),
            ("confidentiality", "The consultant shall not disclose what she learns.", true),
            ("termination", "Each side may cancel the agreement with six weeks' notice.", true),
            ("retention period", "Your orders are stored for ten years.", true),
            ("severability", "If one clause is void, the others remain in force.", true),
            ("arbitration", "The price is 90 euros.", false),
            ("non-compete", "He shall not work for a competing firm for a year.", true),
            ("breach notification", "A leak is reported to us within 24 hours.", true),
        ];
        for (name, sentence, expect) in cases {
            let clause = named(name).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!(shows(clause, sentence), expect, "{name}: {sentence}");
        }
        assert!(named("colour of the roof").is_none());
    }
}
