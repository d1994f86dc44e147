//! Rules of codes: how a code begins or ends decides its label.

use agent_common::patterns::{compiled, is_match};

use crate::rule_words::{Decided, OTHERWISE, word_at};

/// `EL- is electronics, GA- is garden, any other prefix is unknown`.
#[derive(Debug, Default, PartialEq)]
pub struct PrefixRules {
    rules: Vec<(String, String)>,
    rest: Option<String>,
    at_end: bool,
}

impl PrefixRules {
    /// The rules of a request, two at least.
    #[must_use]
    pub fn read(request: &str) -> Option<Self> {
        let at_end =
            is_match(r"(?i)\b(?:suffix|ending|ends? (?:in|with)|last (?:letters?|digits?|characters?))\b", request);
        let at_start = is_match(
            r"(?i)\b(?:prefix|prefixes|start(?:s|ing)?(?: with)?|begin(?:s|ning)?(?: with)?|first (?:letters?|digits?|characters?|two|three)|codes?|skus?|area code|lead(?:s|ing))\b",
            request,
        );
        if at_end == at_start {
            return None;
        }
        let mut found = Self { at_end, ..Self::default() };
        let rule = compiled(
            r"(?i:starting with|starts with|start with|beginning with|begins? with|ending (?:in|with)|ends? (?:in|with)|prefix|suffix|codes?)?\s*[\x22'“]?([-_.][A-Za-z0-9]{1,5}|[A-Z0-9][A-Z0-9]{0,5}[-_/.]?)[\x22'”]?(?:\s+(?:or|and|,)\s+[\x22'“]?([-_.][A-Za-z0-9]{1,5}|[A-Z0-9]{1,6}[-_/.]?)[\x22'”]?)?\s*(?:=>|->|→|=|:|\b(?:is|are|means?|for|stands for|goes? to|belongs? to)\b)\s*(?:the |an? )?[\x22'“]?([^\s,;.\x22'”()\d][^,;.\n\x22'”()]{0,28})",
        )?;
        for clause in request.split([',', ';', '\n']).flat_map(|part| part.split(". ")) {
            let lower = clause.to_lowercase();
            let other =
                OTHERWISE.iter().chain(["any other", "other prefix", "other", "none of these", "the remaining"].iter());
            if let Some(word) = other.copied().find(|word| word_at(&lower, word).is_some()) {
                let behind = clause.get(word_at(&lower, word).unwrap_or(0) + word.len()..).unwrap_or_default();
                let label = behind.rsplit([':', '=', '→', '>']).next().unwrap_or(behind);
                let label = [" is ", " are ", " to ", " as "]
                    .iter()
                    .filter_map(|cut| label.rsplit_once(cut))
                    .map(|(_, label)| label)
                    .min_by_key(|label| label.len())
                    .unwrap_or(label);
                found.rest = Some(label.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
                    .filter(|label| !label.is_empty());
                continue;
            }
            let Some(hit) = rule.captures(clause) else { continue };
            let Some(label) = hit.get(3).map(|label| label.as_str().trim().trim_end_matches(" and").to_owned()) else {
                continue;
            };
            for at in [1, 2] {
                if let Some(code) = hit.get(at) {
                    found.rules.push((code.as_str().to_lowercase(), label.clone()));
                }
            }
        }
        let short = |(_, label): &(String, String)| label.split_whitespace().count() < 4;
        (found.rules.len() > 1 && found.rules.iter().all(short)).then_some(found)
    }

    /// The label of a text that is a code, or begins with one.
    pub fn decide(&self, text: &str) -> Decided {
        let code = if self.at_end { text.split_whitespace().next_back() } else { text.split_whitespace().next() };
        let code = code.unwrap_or_default().trim_matches([',', ';', ':', '"', '[', ']', '(', ')', '#']).to_lowercase();
        let hits =
            self.rules.iter().filter(|(own, _)| if self.at_end { code.ends_with(own) } else { code.starts_with(own) });
        // `EL` and `ELX`: the longer one is meant.
        match (hits.max_by_key(|(own, _)| own.len()), &self.rest) {
            (Some((own, label)), _) => Ok((label.clone(), 0.95, vec![own.clone()])),
            (None, Some(rest)) => Ok((rest.clone(), 0.92, vec!["no other rule".into()])),
            (None, None) => Err("no rule says where it goes: add a rule for all the rest".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_decide() {
        let label = |rules: &str, code: &str| {
            PrefixRules::read(rules).unwrap().decide(code).map(|found| found.0).unwrap_or_default()
        };
        let rules = "sku prefix → dept: EL- is electronics, GA- is garden, any other prefix is unknown";
        assert_eq!(
            [label(rules, "EL-3"), label(rules, "ZX-1"), label(rules, "GA-7 hose")],
            ["electronics", "unknown", "garden"]
        );
        let rules = "Codes starting with 4 are north; codes starting with 7 are south; everything else is abroad";
        assert_eq!([label(rules, "4711"), label(rules, "7001"), label(rules, "12")], ["north", "south", "abroad"]);
        assert_eq!(label("Files ending in .jpg or .png are images, .mp3 are audio", "b.png"), "images");
        assert_eq!(label("files ending in .pdf = document, .jpg = image", "a.jpg"), "image");
        assert!(PrefixRules::read("under 16 is junior, 16 to 59 is adult").is_none());
    }
}
