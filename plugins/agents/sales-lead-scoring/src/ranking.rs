//! Leads in order, and the order in words.

use agent_common::{figures, limits};

use crate::output::{Output, Ranked};

/// Confidence where neighbouring scores lie close.
const CLOSE: f64 = 0.6;
/// Scores this near are close.
const APART: f64 = 5.0;

/// The answer: leads in order, and how sure that is.
pub fn output(
    mut ranking: Vec<Ranked>,
    names: &[String],
    doubles: Vec<Vec<usize>>,
    more: Vec<String>,
    based_on: &'static str,
    sure: f64,
) -> Output {
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
    for (ranked, rank) in ranking.iter_mut().zip(1..) {
        ranked.rank = rank;
        let group = doubles.iter().find(|group| group.first() == Some(&ranked.index));
        ranked.merged = group.into_iter().flatten().filter_map(|at| names.get(*at).cloned()).collect();
    }
    let close = based_on == "signs in words"
        && ranking.iter().zip(ranking.iter().skip(1)).any(|(a, b)| a.score - b.score < APART);
    Output {
        summary: summary(&ranking, names.len()),
        confidence: if close { CLOSE } else { sure },
        based_on,
        ranking,
        doubles,
        limitations: limits(&[], &[&more]),
    }
}

fn summary(ranking: &[Ranked], given: usize) -> String {
    let mut text = format!("{} given, {} different", figures::count(given, "lead", "leads"), ranking.len());
    for ranked in ranking {
        let best = ranked.contributions.iter().max_by(|a, b| a.points.total_cmp(&b.points));
        let why = best.map_or_else(String::new, |best| format!(", most from {}: {}", best.part, best.reason));
        text.push_str(&format!(
            "; {}. {} {} ({}{why})",
            ranked.rank,
            ranked.lead,
            figures::figure(ranked.score),
            ranked.grade
        ));
    }
    text.push('.');
    text
}
