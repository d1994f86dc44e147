//! The 17 skills on the agent cards, and the agents that serve them.

use std::collections::BTreeMap;
use std::sync::Arc;

use tollbridge_core::money::Millipence;

/// Maximum number of example tasks of a skill on the card.
const CARD_EXAMPLES_MAX: usize = 8;

/// A skill on the cards; its id is also its name and its only tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentSkill {
    /// The id, for example `code:review`.
    pub id: &'static str,
    /// A description in ASCII characters, one sentence long.
    pub description: &'static str,
    /// Whether the skill is also on the unsigned card.
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
         formats the references consistently.",
    ),
    skill("classification", "Classifies texts by the caller's labels or rules, with a confidence for each."),
    skill(
        "data:aggregation",
        "Merges tables or JSON records, groups and sums them, removes duplicates and reports contradictions.",
    ),
    skill(
        "video:evaluation",
        "Rates a video by its technical data, captions and transcript; does not judge images that were not sent.",
    ),
    skill(
        "code:review",
        "Reviews source code or a diff: defects, risky constructs and complexity, each with its location.",
    ),
    skill(
        "sentiment",
        "Returns the sentiment of a text and of the subjects it mentions, with the words that indicate it.",
    ),
    skill(
        "data:extraction",
        "Extracts names, amounts, dates and other fields from text or HTML, each with its location in the source.",
    ),
    skill(
        "analytics:forecast",
        "Forecasts a series of numbers with intervals, tests the method on the past and explains the result in words.",
    ),
    skill("sales:lead-scoring", "Ranks sales leads by quality, merges duplicates and explains every score."),
    skill("summarization", "Summarises one document or several in the requested length."),
    skill("translation", "Translates text between languages, follows a glossary and checks numbers and names."),
    skill(
        "analytics:anomaly-detection",
        "Finds outliers and level shifts in a series of numbers and rates how unusual each is.",
    ),
    AgentSkill {
        id: "general",
        description: "Reads a task in plain words and passes it to the skill that fits best.",
        in_both: false,
    },
    skill("data:validation", "Checks records against a schema and quality rules and says how to repair each problem."),
    skill("coding", "Writes a function from a description, parses it and checks it against the given examples."),
    skill(
        "compliance:audit",
        "Checks documents for personal data, sanctions, tax numbers and missing clauses, with evidence for each \
         item; no legal advice.",
    ),
    skill(
        "pricing:optimization",
        "Estimates how demand depends on price and proposes prices within the caller's bounds.",
    ),
];

/// The agent that serves each skill.
#[derive(Clone, Debug)]
pub struct SkillBindings(BTreeMap<&'static str, String>);

/// The error for a configured skill that is not on the cards.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("agents.skills: there is no skill \"{id}\"; the skills are {}", ids())]
pub struct UnknownSkill {
    /// The unknown skill id in the configuration.
    pub id: String,
}

impl SkillBindings {
    /// Binds each skill to an agent: the one that `configured` names, or else the
    /// operator's agent of the same name, with `-` for `:`.
    pub fn bind(configured: &BTreeMap<String, String>) -> Result<Self, UnknownSkill> {
        let mut bound: BTreeMap<&str, String> =
            SKILLS.iter().map(|skill| (skill.id, skill.id.replace(':', "-"))).collect();
        for (id, agent) in configured {
            let slot = bound.get_mut(id.as_str()).ok_or_else(|| UnknownSkill { id: id.clone() })?;
            slot.clone_from(agent);
        }
        Ok(Self(bound))
    }

    /// Returns the agent of a skill, or `None` if there is no such skill.
    pub fn agent(&self, skill: &str) -> Option<&str> {
        self.0.get(skill).map(String::as_str)
    }
}

/// A skill whose agent can be called now.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OpenSkill {
    pub(super) skill: AgentSkill,
    /// The price of a call.
    pub(super) price: Millipence,
    /// The commands in words that the agent accepts, as Markdown.
    pub(super) commands: Option<Arc<str>>,
}

impl OpenSkill {
    /// Returns the tasks that the list of commands gives as examples: its fenced blocks.
    pub(super) fn examples(&self) -> Vec<String> {
        let blocks = self.commands.as_deref().unwrap_or_default().split("```\n").skip(1).step_by(2);
        blocks.take(CARD_EXAMPLES_MAX).map(|block| block.trim_end().to_owned()).collect()
    }
}

/// Returns the ids of all skills, separated by commas, for error messages.
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
    fn only_the_operator_binds_skills() {
        let configured = BTreeMap::from([("code:review".to_owned(), "critic".to_owned())]);
        let skills = SkillBindings::bind(&configured).unwrap();
        assert_eq!(skills.agent("code:review"), Some("critic"));
        assert_eq!(skills.agent("sales:lead-scoring"), Some("sales-lead-scoring"));
        assert_eq!(skills.agent("code-review"), None);
        let wrong = BTreeMap::from([("code:rewiev".to_owned(), "critic".to_owned())]);
        assert!(SkillBindings::bind(&wrong).unwrap_err().to_string().contains("\"code:rewiev\""));
    }
}
