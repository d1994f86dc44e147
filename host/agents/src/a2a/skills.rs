//! The 17 skills of the cards, and the agents that serve them.

use std::collections::BTreeMap;

use tollbridge_core::money::Millipence;

/// A skill on the cards: its id is also its name and its only tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSkill {
    /// The id, for example `code:review`.
    pub id: &'static str,
    /// A description: one sentence, ASCII.
    pub description: &'static str,
    /// Whether the plain card includes the skill too.
    pub in_both: bool,
}

const fn skill(id: &'static str, description: &'static str) -> AgentSkill {
    AgentSkill { id, description, in_both: true }
}

/// All skills, in the order of the cards.
pub const SKILLS: [AgentSkill; 17] = [
    skill(
        "research:citation",
        "Checks the claims of a text against the sources given with it, quotes what supports or contradicts each, and \
         puts the references into one form.",
    ),
    skill(
        "classification",
        "Sorts texts into categories, the caller's own or built-in ones, with a confidence for each.",
    ),
    skill(
        "data:aggregation",
        "Merges tables or JSON records, groups and sums them, removes duplicates and reports where they disagree.",
    ),
    skill(
        "video:evaluation",
        "Rates a video by its technical data, captions and transcript; says nothing about pictures it was not given.",
    ),
    skill(
        "code:review",
        "Reviews source code or a diff: defects, risky constructs and complexity, each with its place.",
    ),
    skill(
        "sentiment",
        "Tells the sentiment of a text as a whole and of the things it speaks of, with the words that show it.",
    ),
    skill(
        "data:extraction",
        "Takes names, amounts, dates and other fields out of text or HTML, each with the place where it was found.",
    ),
    skill(
        "analytics:forecast",
        "Forecasts a series of numbers with intervals, tests the method on the past and explains the result in words.",
    ),
    skill("sales:lead-scoring", "Ranks sales leads by quality, merges duplicates and explains every score."),
    skill("summarization", "Summarises one document or several in the length that is asked for."),
    skill("translation", "Translates text between languages, keeps to a glossary and checks numbers and names."),
    skill(
        "analytics:anomaly-detection",
        "Finds outliers and changes of level in a series of numbers and says how unusual each is.",
    ),
    AgentSkill {
        id: "general",
        description: "Reads a task in plain words and hands it to the skill that fits it best.",
        in_both: false,
    },
    skill(
        "data:validation",
        "Checks records against a schema and rules of quality and says how to repair what is wrong.",
    ),
    skill("coding", "Writes a function to a description, parses it and checks it against the examples given."),
    skill(
        "compliance:audit",
        "Goes through documents by a checklist: personal data, sanctions, tax numbers, missing clauses; evidence for \
         each item, no legal advice.",
    ),
    skill("pricing:optimization", "Estimates how demand follows price and proposes prices within the caller's bounds."),
];

/// The agent of each skill.
#[derive(Clone, Debug)]
pub struct SkillBindings(BTreeMap<&'static str, String>);

/// An error: a binding for a skill that no card names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agents.skills: there is no skill \"{id}\"; the skills are {}", ids())]
pub struct UnknownSkill {
    /// The configured id.
    pub id: String,
}

impl SkillBindings {
    /// Binds each skill to the operator's own agent of the same name, with `-` for
    /// `:`, unless `configured` names another.
    pub fn bind(configured: &BTreeMap<String, String>) -> Result<Self, UnknownSkill> {
        let mut bound: BTreeMap<&str, String> =
            SKILLS.iter().map(|skill| (skill.id, skill.id.replace(':', "-"))).collect();
        for (id, agent) in configured {
            let slot = bound.get_mut(id.as_str()).ok_or_else(|| UnknownSkill { id: id.clone() })?;
            slot.clone_from(agent);
        }
        Ok(Self(bound))
    }

    /// Returns the agent of a skill; `None` if there is no such skill.
    pub fn agent(&self, skill: &str) -> Option<&str> {
        self.0.get(skill).map(String::as_str)
    }
}

/// A skill whose agent is available, and the price of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OpenSkill {
    pub(super) skill: AgentSkill,
    pub(super) price: Millipence,
}

/// Returns all skill ids, for error texts.
pub(crate) fn ids() -> String {
    SKILLS.map(|skill| skill.id).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skills_are_those_of_the_specification() {
        let specified = "research:citation, classification, data:aggregation, video:evaluation, code:review, \
                         sentiment, data:extraction, analytics:forecast, sales:lead-scoring, summarization, \
                         translation, analytics:anomaly-detection, general, data:validation, coding, \
                         compliance:audit, pricing:optimization";
        assert_eq!(ids(), specified);
        let only_first: Vec<&str> = SKILLS.iter().filter(|skill| !skill.in_both).map(|skill| skill.id).collect();
        assert_eq!(only_first, ["general"]);
        for skill in SKILLS {
            assert!(skill.description.is_ascii() && skill.description.ends_with('.'), "{}", skill.id);
        }
    }

    #[test]
    fn the_operator_binds_skills_and_nobody_adds_one() {
        let configured = BTreeMap::from([("code:review".to_owned(), "critic".to_owned())]);
        let skills = SkillBindings::bind(&configured).unwrap();
        assert_eq!(skills.agent("code:review"), Some("critic"));
        assert_eq!(skills.agent("sales:lead-scoring"), Some("sales-lead-scoring"));
        assert_eq!(skills.agent("code-review"), None);
        let wrong = BTreeMap::from([("code:rewiev".to_owned(), "critic".to_owned())]);
        assert!(SkillBindings::bind(&wrong).unwrap_err().to_string().contains("\"code:rewiev\""));
    }
}
