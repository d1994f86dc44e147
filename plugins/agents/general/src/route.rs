//! The choice of a skill: logistic regression on the tokens of a task and their vectors,
//! trained by `scripts/train_router.py`.

/// Rows of one number for each class: the bias, the dimensions of the vector, the tokens.
const TABLE: &[u8] = include_bytes!("routes.bin");
/// The tokens that have a row, sorted.
const TOKENS: &[u8] = include_bytes!("routes.ids");
/// Tokens of a task that are read.
const TOKENS_MAX: usize = 256;
/// Least difference of the two best probabilities. Of the development tasks of `general`,
/// 69 % have it, and the choice is right for 98 % of these.
const MARGIN: f64 = 0.3;
/// Least probability of a skill that a refusal names.
const POSSIBLE: f64 = 0.25;

/// A skill, and whether this agent may spend its price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skill {
    pub id: &'static str,
    pub affordable: bool,
}

const fn skill(id: &'static str) -> Skill {
    Skill { id, affordable: true }
}

/// The class of open questions, and its position in the table.
const OPEN: Skill = Skill { id: "open", affordable: false };
const OPEN_AT: usize = 9;
/// All skills but this one's own, in the order of the table, which has also `OPEN`.
pub const SKILLS: [Skill; 16] = [
    skill("analytics:anomaly-detection"),
    skill("analytics:forecast"),
    skill("classification"),
    skill("code:review"),
    skill("coding"),
    skill("compliance:audit"),
    skill("data:aggregation"),
    skill("data:extraction"),
    skill("data:validation"),
    Skill { id: "pricing:optimization", affordable: false },
    skill("research:citation"),
    Skill { id: "sales:lead-scoring", affordable: false },
    skill("sentiment"),
    skill("summarization"),
    skill("translation"),
    skill("video:evaluation"),
];

impl Skill {
    /// Returns the name of its agent.
    pub fn agent(self) -> String {
        self.id.replace(':', "-")
    }
}

/// Returns the skill with this id or name of its agent.
pub fn named(id: &str) -> Option<Skill> {
    SKILLS.into_iter().find(|skill| skill.id == id || skill.agent() == id)
}

/// Which skill fits a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Route {
    /// One, with those that come next.
    One(Skill, Vec<Skill>),
    /// Several are possible.
    Several(Vec<Skill>),
    /// None stands out.
    None,
}

/// Chooses the skill for a task.
pub fn choose(task: &str) -> Route {
    let (before, after) = SKILLS.split_at(OPEN_AT.min(SKILLS.len()));
    let classes = before.iter().chain([&OPEN]).chain(after).copied();
    let mut all: Vec<(Skill, f64)> = classes.zip(probabilities(task)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(best, first), (_, second), ..] = all.as_slice() else { return Route::None };
    let skills = || all.iter().filter(|(skill, _)| *skill != OPEN);
    if *best == OPEN || *first < POSSIBLE {
        return Route::None;
    }
    if first - second >= MARGIN {
        return Route::One(*best, skills().skip(1).take(2).map(|(skill, _)| *skill).collect());
    }
    Route::Several(skills().filter(|(_, share)| *share >= POSSIBLE).map(|(skill, _)| *skill).collect())
}

fn probabilities(task: &str) -> Vec<f64> {
    let mut tokens = vectors::tokens(task);
    tokens.truncate(TOKENS_MAX);
    let mut scores = row(0);
    for (at, value) in vectors::vector_of(&tokens).iter().enumerate() {
        add(&mut scores, 1 + at, f64::from(*value));
    }
    tokens.sort_unstable();
    tokens.dedup();
    let length = u32::try_from(tokens.len()).map_or(1.0, f64::from).sqrt();
    let known: Vec<u16> =
        TOKENS.chunks_exact(2).filter_map(|bytes| bytes.try_into().ok()).map(u16::from_le_bytes).collect();
    for token in tokens {
        if let Ok(at) = known.binary_search(&token) {
            add(&mut scores, 1 + vectors::DIMENSIONS + at, 1.0 / length);
        }
    }
    let shares: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
    let total: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / total).collect()
}

fn row(at: usize) -> Vec<f64> {
    let width = (SKILLS.len() + 1) * 4;
    let bytes = TABLE.get(at * width..(at + 1) * width).unwrap_or_default();
    bytes.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok()).map(f32::from_le_bytes).map(f64::from).collect()
}

fn add(scores: &mut [f64], at: usize, factor: f64) {
    scores.iter_mut().zip(row(at)).for_each(|(score, weight)| *score += factor * weight);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_go_to_their_skill() {
        assert_eq!(TABLE.len(), (1 + vectors::DIMENSIONS + TOKENS.len() / 2) * 17 * 4);
        assert!(
            SKILLS.is_sorted_by_key(|skill| skill.id)
                && SKILLS[OPEN_AT - 1].id < OPEN.id
                && OPEN.id < SKILLS[OPEN_AT].id
        );
        // Phrased otherwise than the texts of the training.
        for (task, expect) in [
            ("Forecast the next 4 quarters: 12, 14, 15, 18, 21, 25, 28, 30", "analytics:forecast"),
            ("Please find the outliers in these readings: 4, 5, 4, 40, 5", "analytics:anomaly-detection"),
            (
                "Summarise in one sentence: The lift will be out of service on Thursday because the cable is replaced.",
                "summarization",
            ),
            ("Translate into Italian: The meeting starts at noon.", "translation"),
            ("Sentiment of these reviews:\nLovely place\nAwful food", "sentiment"),
            ("Sort these mails into complaint, praise or question:\nWhen do you open?", "classification"),
            ("Sum of price by colour, top 2\ncolour,price\nred,1\nblue,2\nred,3", "data:aggregation"),
            ("Extract the invoice number and the due date: Invoice 12, due 1 May 2024", "data:extraction"),
        ] {
            assert!(matches!(choose(task), Route::One(skill, _) if skill.id == expect), "{task}: {:?}", choose(task));
        }
        for open in ["misleading", "", "What is the capital of Spain?"] {
            assert!(!matches!(choose(open), Route::One(..)), "{open}: {:?}", choose(open));
        }
        assert_eq!(named("data-validation").map(|skill| skill.id), Some("data:validation"));
        assert_eq!(named("nothing"), None);
    }
}
