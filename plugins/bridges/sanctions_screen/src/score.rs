//! How alike two names are: tokens are paired best first by Jaro-Winkler similarity, whatever their order.
//!
//! Invariant: a score is from 0 to 1, the same both ways within rounding, and 1 for equal tokens in any order.

use strsim::jaro_winkler;

/// Pairs below this are no pair.
const PAIR_MIN: f64 = 0.75;
/// Names without spaces that are less alike than this are not reported by any threshold.
const JOINED_MIN: f64 = 0.7;

/// What a name counts for when work is measured: its letters, and what each token costs however short it is.
pub fn size(tokens: &[String]) -> usize {
    tokens.iter().map(|token| token.len() + 4).sum()
}

/// The score of two lists of tokens.
pub fn names(a: &[String], b: &[String]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let score = token(x, y);
            if score >= PAIR_MIN {
                pairs.push((score, i, j));
            }
        }
    }
    pairs.sort_by(|p, q| q.0.total_cmp(&p.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    let (mut used_a, mut used_b) = (vec![false; a.len()], vec![false; b.len()]);
    let mut weight = 0.0;
    for (score, i, j) in pairs {
        if let (Some(x @ false), Some(y @ false)) = (used_a.get_mut(i), used_b.get_mut(j)) {
            (*x, *y) = (true, true);
            let length = |list: &[String], at: usize| list.get(at).map_or(0, String::len) as f64;
            weight += score * (length(a, i) + length(b, j));
        }
    }
    let total: usize = a.iter().chain(b).map(String::len).sum();
    let both = weight / total as f64;
    // All of the shorter name is in the longer one: a middle name left out costs little.
    let short = if used_a.len() <= used_b.len() { &used_a } else { &used_b };
    let whole = short.len() > 1 && short.iter().all(|used| *used);
    let score = if whole { both.max(0.3 * both + 0.7 * mean(a, b)) } else { both };
    // Written together or apart.
    score.max(0.98 * joined(a, b, score / 0.98)).clamp(0.0, 1.0)
}

/// The mean of the best similarities of the shorter name's tokens.
fn mean(a: &[String], b: &[String]) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let best = |x: &String| long.iter().map(|y| token(x, y)).fold(0.0, f64::max);
    short.iter().map(best).sum::<f64>() / short.len() as f64
}

/// The similarity of names without the spaces, if it is more than `least` and they are nearly equal: a long common
/// beginning alone must not count. Else 0. What is cheap to tell is asked first.
fn joined(a: &[String], b: &[String], least: f64) -> f64 {
    let length = |tokens: &[String]| tokens.iter().map(String::len).sum::<usize>();
    let longest = length(a).max(length(b)) as f64;
    let max_distance = longest * 0.15;
    if length(a).abs_diff(length(b)) as f64 > max_distance {
        return 0.0;
    }
    let (a, b) = (a.concat(), b.concat());
    let score = jaro_winkler(&a, &b);
    if score > least.max(JOINED_MIN) && strsim::osa_distance(&a, &b) as f64 <= max_distance { score } else { 0.0 }
}

/// One token against another; an initial stands for a name that begins with it.
fn token(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    if a.len() == 1 || b.len() == 1 {
        return if a.chars().next() == b.chars().next() { 0.8 } else { 0.0 };
    }
    // Numbers are equal or different.
    if a.bytes().any(|c| c.is_ascii_digit()) || b.bytes().any(|c| c.is_ascii_digit()) {
        return 0.0;
    }
    jaro_winkler(a, b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fold::tokens;

    fn score(a: &str, b: &str) -> f64 {
        names(&tokens(a), &tokens(b))
    }

    #[test]
    fn like_and_unlike() {
        // Jaro-Winkler of MARTHA and MARHTA is 0.9611 (Winkler 1990).
        assert!((token("martha", "marhta") - 0.9611).abs() < 1e-4);
        for (a, b) in [
            ("Saddam Hussein", "HUSSEIN, Saddam"),
            ("Muammar Qaddafi", "Muammar Qadhafi"),
            ("Vladimir Zhirinovsky", "Владимир Жириновский"),
            ("Juergen Smith", "Jurgen Smith"),
            ("John A Smith", "John Smith"),
            ("Abdulrahman Saleh", "Abdul Rahman Saleh"),
        ] {
            assert!(score(a, b) >= 0.85, "{a} {b} {}", score(a, b));
        }
        for (a, b) in [
            ("John Smith", "Mary Jones"),
            ("Ivan Petrov", "Ivan Sidorov"),
            ("Acme 1", "Acme 2 Trading"),
            ("Li Wei", "Anna"),
        ] {
            assert!(score(a, b) < 0.85, "{a} {b} {}", score(a, b));
        }
    }

    proptest! {
        #[test]
        fn laws(a in "[a-z]{1,8}( [a-z]{1,8}){0,3}", b in "[a-z]{1,8}( [a-z]{1,8}){0,3}") {
            let there = score(&a, &b);
            prop_assert!((0.0..=1.0).contains(&there));
            prop_assert!((there - score(&b, &a)).abs() < 1e-9);
            let reversed: Vec<&str> = a.rsplit(' ').collect();
            prop_assert!(score(&a, &reversed.join(" ")) > 0.999999);
        }
    }
}
