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
/// The class of open questions.
const OPEN: &str = "open";
/// All skills but this one's own, and `OPEN`, in the order of the table.
const CLASSES: [&str; 17] = [
    "analytics:anomaly-detection",
    "analytics:forecast",
    "classification",
    "code:review",
    "coding",
    "compliance:audit",
    "data:aggregation",
    "data:extraction",
    "data:validation",
    OPEN,
    "pricing:optimization",
    "research:citation",
    "sales:lead-scoring",
    "sentiment",
    "summarization",
    "translation",
    "video:evaluation",
];
/// Skills whose price exceeds that of this agent.
const DEAR: [&str; 2] = ["pricing:optimization", "sales:lead-scoring"];

/// Returns the ids of all skills.
pub fn skills() -> impl Iterator<Item = &'static str> {
    CLASSES.into_iter().filter(|class| *class != OPEN)
}

/// Returns the name of the agent of a skill.
pub fn agent(skill: &str) -> String {
    skill.replace(':', "-")
}

/// Returns whether this agent may spend the price of a skill.
pub fn is_affordable(skill: &str) -> bool {
    !DEAR.contains(&skill)
}

/// Returns the skill with this id or name of its agent.
pub fn named(id: &str) -> Option<&'static str> {
    skills().find(|skill| *skill == id || agent(skill) == id)
}

/// Which skill fits a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Route {
    /// One, with those that come next.
    One(&'static str, Vec<&'static str>),
    /// Several are possible.
    Several(Vec<&'static str>),
    /// None stands out.
    None,
}

/// Chooses the skill for a task.
pub fn choose(task: &str) -> Route {
    let mut all: Vec<(&str, f64)> = CLASSES.into_iter().zip(probabilities(task)).collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    let [(best, first), (_, second), ..] = all.as_slice() else { return Route::None };
    if *best == OPEN || *first < POSSIBLE {
        return Route::None;
    }
    let skills = all.iter().filter(|(skill, _)| *skill != OPEN);
    if first - second >= MARGIN {
        return Route::One(best, skills.skip(1).take(2).map(|(skill, _)| *skill).collect());
    }
    Route::Several(skills.filter(|(_, share)| *share >= POSSIBLE).map(|(skill, _)| *skill).collect())
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
    for at in tokens.iter().filter_map(|token| known.binary_search(token).ok()) {
        add(&mut scores, 1 + vectors::DIMENSIONS + at, 1.0 / length);
    }
    let shares: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
    let total: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / total).collect()
}

fn row(at: usize) -> Vec<f64> {
    let width = CLASSES.len() * 4;
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
    fn the_table_has_a_column_for_each_class() {
        assert_eq!(TABLE.len(), (1 + vectors::DIMENSIONS + TOKENS.len() / 2) * CLASSES.len() * 4);
        assert!(CLASSES.is_sorted());
        assert_eq!((named("data-validation"), named("nothing")), (Some("data:validation"), None));
    }
}
