//! Which skill a task is for: words of its first lines and forms of its material.
//!
//! Every rule that fits gives its skill points; the most points win, of equal
//! ones the earlier in the list. No state, no chance.

/// A skill and what points to it.
struct Rule {
    skill: &'static str,
    /// Beginnings of words that speak for it, in the request.
    words: &'static [&'static str],
    /// Whether this agent may spend its price.
    affordable: bool,
}

const fn rule(skill: &'static str, words: &'static [&'static str]) -> Rule {
    Rule { skill, words, affordable: true }
}

const fn dear(skill: &'static str, words: &'static [&'static str]) -> Rule {
    Rule { skill, words, affordable: false }
}

const RULES: [Rule; 16] = [
    rule(
        "code:review",
        &[
            "code review",
            "review this code",
            "review the code",
            "vulnerab",
            "security of this code",
            "diff",
            "pull request",
            "bugs in",
        ],
    ),
    rule(
        "coding",
        &[
            "write a function",
            "write code",
            "write a program",
            "write a script",
            "implement",
            "function that",
            "code that",
        ],
    ),
    rule(
        "translation",
        &[
            "translat",
            "into german",
            "into french",
            "into english",
            "into spanish",
            "to german",
            "to french",
            "to english",
        ],
    ),
    rule("summarization", &["summar", "tl;dr", "tldr", "shorten", "condense", "key points", "in one sentence"]),
    rule("sentiment", &["sentiment", "mood", "positive or negative", "tone of", "how do they feel", "opinion of"]),
    rule(
        "analytics:forecast",
        &[
            "forecast",
            "predict",
            "project the",
            "next month",
            "next week",
            "next quarter",
            "next year",
            "expected next",
        ],
    ),
    rule(
        "analytics:anomaly-detection",
        &["anomal", "outlier", "unusual", "spike", "stands out", "stand out", "odd values", "level change"],
    ),
    dear(
        "pricing:optimization",
        &["optimal price", "best price", "price elasticity", "elasticity", "what price", "pricing", "raise the price"],
    ),
    dear("sales:lead-scoring", &["lead", "prospect", "score these contacts"]),
    rule(
        "research:citation",
        &["citation", "cite", "references", "bibliograph", "claims", "sources", "doi", "fact check", "fact-check"],
    ),
    dear("compliance:audit", &["complian", "audit", "gdpr", "sanction", "privacy policy", "retention"]),
    rule("video:evaluation", &["video", "captions", "subtitle", "mp4"]),
    rule(
        "data:validation",
        &["validat", "schema", "data quality", "check this data", "check this csv", "missing values", "clean this"],
    ),
    rule(
        "data:aggregation",
        &[
            "aggregat",
            "merge",
            "group by",
            "sum by",
            "total per",
            "totals per",
            "deduplicate",
            "combine these",
            "join these",
        ],
    ),
    rule(
        "data:extraction",
        &["extract", "pull out", "find all", "get the invoice", "fields from", "e-mail addresses in", "dates in"],
    ),
    rule("classification", &["classif", "categor", "sort these", "label these", "which category", "tag these"]),
];

/// A skill, and why.
#[derive(Debug, PartialEq, Eq)]
pub struct Choice {
    pub skill: &'static str,
    pub why: String,
    pub alternatives: Vec<&'static str>,
    pub affordable: bool,
}

impl Choice {
    /// The agent of this repository that has the skill.
    pub fn agent(&self) -> String {
        self.skill.replace(':', "-")
    }
}

/// All skill ids, for texts.
pub fn ids() -> String {
    RULES.iter().map(|rule| rule.skill).collect::<Vec<_>>().join(", ")
}

/// The skill that the caller names.
pub fn named(skill: &str) -> Option<Choice> {
    let rule = RULES.iter().find(|rule| rule.skill == skill || rule.skill.replace(':', "-") == skill)?;
    Some(Choice {
        skill: rule.skill,
        why: "the caller named it".into(),
        alternatives: Vec::new(),
        affordable: rule.affordable,
    })
}

/// The skill that fits best; none where no rule does.
pub fn choose(text: &str) -> Option<Choice> {
    // The request stands at the beginning; the material may speak of anything.
    let request: String = text.chars().take(200).collect::<String>().to_lowercase();
    let request = request.split("\n\n").next().unwrap_or_default();
    let form = form(text);
    let mut matches: Vec<(usize, &Rule, String)> = Vec::new();
    for rule in &RULES {
        let words: Vec<&str> = rule.words.iter().copied().filter(|word| begins(request, word)).collect();
        let formed = form.filter(|(skill, _)| *skill == rule.skill).map(|(_, why)| why);
        let points = words.len() * 2 + usize::from(formed.is_some());
        let mut why: Vec<String> = words.iter().map(|word| format!("the task says \"{word}\"")).collect();
        why.extend(formed.map(str::to_owned));
        if points > 0 {
            matches.push((points, rule, why.join(" and ")));
        }
    }
    matches.sort_by_key(|rule| std::cmp::Reverse(rule.0));
    let mut matches = matches.into_iter();
    let (_, rule, why) = matches.next()?;
    Some(Choice {
        skill: rule.skill,
        why,
        alternatives: matches.map(|(_, rule, _)| rule.skill).collect(),
        affordable: rule.affordable,
    })
}

/// Whether a word of the text begins so.
fn begins(text: &str, word: &str) -> bool {
    text.match_indices(word)
        .any(|(at, _)| text.get(..at).and_then(|before| before.chars().last()).is_none_or(|c| !c.is_alphanumeric()))
}

/// A skill that the form of the material points to.
fn form(text: &str) -> Option<(&'static str, &'static str)> {
    let line = |test: &dyn Fn(&str) -> bool| text.lines().any(test);
    if line(&|line| line.starts_with("@@ ")) || text.contains("```") {
        return Some(("code:review", "it holds code or a diff"));
    }
    if text.contains("-->") && line(&|line| line.contains(" --> ")) {
        return Some(("video:evaluation", "it holds captions"));
    }
    if text.contains("https://doi.org/") || text.contains("@article{") {
        return Some(("research:citation", "it holds references"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_goes_to_its_skill() {
        for (task, expect) in [
            ("Summarise this: the forecast was wrong.", Some("summarization")),
            ("Translate to German: good morning", Some("translation")),
            ("Forecast the next 3 months: 1 2 3 4 5 6", Some("analytics:forecast")),
            ("Find outliers in 1, 2, 99", Some("analytics:anomaly-detection")),
            ("```python\neval(x)\n```", Some("code:review")),
            ("Write a function that adds two numbers", Some("coding")),
            ("Merge these tables and group by region", Some("data:aggregation")),
            ("Score these leads", Some("sales:lead-scoring")),
            ("What is the capital of France?", None),
            ("misleading", None),
        ] {
            assert_eq!(choose(task).map(|choice| choice.skill), expect, "{task}");
        }
        assert_eq!(named("data-validation").unwrap().agent(), "data-validation");
        assert_eq!(named("nothing"), None);
        assert_eq!(RULES.len(), 16);
    }
}
