//! Similarity of texts and words, 0 to 1. Costs are bounded by the length that values are cut to.

use crate::input::LONGEST_VALUE;

/// Most words that are aligned.
const MOST_WORDS: usize = 12;

/// Letters of a text that are taken: as many as a value has at most, and in no memory of its own, for this runs some
/// million times a call.
#[derive(Default, Clone, Copy)]
struct PlaceSet([u64; LONGEST_VALUE.div_ceil(64)]);

impl PlaceSet {
    fn has(self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }

    fn take(&mut self, place: usize) {
        if let Some(word) = self.0.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }
}

/// Jaro's similarity. Letters beyond the longest value agree with nothing.
#[must_use]
pub fn jaro(a: &[char], b: &[char]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return f64::from(u8::from(a.is_empty() && b.is_empty()));
    }
    let reach = (a.len().max(b.len()) / 2).saturating_sub(1);
    let (mut ours, mut theirs) = (PlaceSet::default(), PlaceSet::default());
    let mut common = 0u32;
    for (place, letter) in a.iter().enumerate().take(LONGEST_VALUE) {
        let from = place.saturating_sub(reach);
        let near = b.get(from..b.len().min(place + reach + 1).min(LONGEST_VALUE)).unwrap_or_default();
        let free = near.iter().zip(from..).find(|(other, at)| *other == letter && !theirs.has(*at));
        if let Some((_, at)) = free {
            theirs.take(at);
            ours.take(place);
            common += 1;
        }
    }
    if common == 0 {
        return 0.0;
    }
    let moved = taken_letters(a, ours).zip(taken_letters(b, theirs)).filter(|(x, y)| x != y).count() as f64 / 2.0;
    let count = f64::from(common);
    (count / a.len() as f64 + count / b.len() as f64 + (count - moved) / count) / 3.0
}

fn taken_letters(letters: &[char], taken: PlaceSet) -> impl Iterator<Item = char> {
    letters.iter().zip(0..).filter(move |(_, place)| taken.has(*place)).map(|(letter, _)| *letter)
}

/// Winkler's extension: a common beginning of up to four letters counts more.
#[must_use]
pub fn jaro_winkler(a: &[char], b: &[char]) -> f64 {
    let jaro = jaro(a, b);
    let start = a.iter().zip(b).take(4).take_while(|(x, y)| x == y).count() as f64;
    jaro + start * 0.1 * (1.0 - jaro)
}

/// Whether one text becomes the other by one letter added, dropped, replaced, or two neighbours swapped.
#[must_use]
pub fn one_error(a: &[char], b: &[char]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let start = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (left, right) = (short.get(start..).unwrap_or_default(), long.get(start..).unwrap_or_default());
    match right.len().saturating_sub(left.len()) {
        0 => {
            let swapped = matches!((left, right), ([x, y, p @ ..], [v, w, q @ ..]) if x == w && y == v && p == q);
            left.get(1..).unwrap_or_default() == right.get(1..).unwrap_or_default() || swapped
        }
        1 => right.get(1..).unwrap_or_default() == left,
        _ => false,
    }
}

/// Words of two texts aligned: each word of the shorter text with its best partner in the longer, weighted by length.
/// Initials fit words that begin with them; words with digits must be equal.
#[must_use]
pub fn words(a: &[Vec<char>], b: &[Vec<char>]) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if short.is_empty() {
        return 0.0;
    }
    let mut taken = PlaceSet::default();
    let (mut sum, mut weights) = (0.0, 0.0);
    for word in short.iter().take(MOST_WORDS) {
        let mut best: Option<(f64, usize)> = None;
        for (other, place) in long.iter().take(MOST_WORDS).zip(0..).filter(|(_, place)| !taken.has(*place)) {
            let similarity = word_pair(word, other);
            if best.is_none_or(|(most, _)| similarity > most) {
                best = Some((similarity, place));
            }
        }
        let weight = word.len().max(1) as f64;
        weights += weight;
        if let Some((similarity, place)) = best {
            sum += weight * similarity;
            taken.take(place);
        }
    }
    let unused = long.iter().take(MOST_WORDS).zip(0..).filter(|(_, place)| !taken.has(*place));
    let left: usize = unused.map(|(word, _)| word.len().max(1)).sum();
    // Words without partner count a little, so that a part is not the whole.
    sum / (weights + 0.3 * left as f64)
}

fn word_pair(a: &[char], b: &[char]) -> f64 {
    if a == b {
        return 1.0;
    }
    if a.iter().chain(b).any(char::is_ascii_digit) {
        return 0.0;
    }
    if a.len() == 1 || b.len() == 1 {
        return if a.first() == b.first() { 0.9 } else { 0.0 };
    }
    let similarity = jaro_winkler(a, b);
    if similarity < 0.7 { 0.0 } else { similarity }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// Values of Winkler's table (Overview of Record Linkage and Current Research Directions, US Bureau of the Census,
    /// rrs2006-02), three digits, compared with two public test suites that quote it.
    #[test]
    fn agrees_with_the_published_table() {
        for (a, b, jaro_is, winkler_is) in [
            ("SHACKLEFORD", "SHACKELFORD", 0.970, 0.982),
            ("DUNNINGHAM", "CUNNIGHAM", 0.896, 0.896),
            ("NICHLESON", "NICHULSON", 0.926, 0.956),
            ("JONES", "JOHNSON", 0.790, 0.832),
            ("MASSEY", "MASSIE", 0.889, 0.933),
            ("ABROMS", "ABRAMS", 0.889, 0.922),
            ("MARHTA", "MARTHA", 0.944, 0.961),
            ("MICHELLE", "MICHAEL", 0.869, 0.921),
            ("DWAYNE", "DUANE", 0.822, 0.840),
        ] {
            let (a, b) = (chars(a), chars(b));
            assert!((jaro(&a, &b) - jaro_is).abs() < 6e-4, "{a:?} {b:?} {}", jaro(&a, &b));
            assert!((jaro_winkler(&a, &b) - winkler_is).abs() < 6e-4, "{a:?} {b:?}");
        }
    }

    #[test]
    fn one_typing_error() {
        for (a, b, expect) in [
            ("abc", "abd", true),
            ("abc", "acb", true),
            ("abc", "abcd", true),
            ("abc", "bc", true),
            ("abc", "cba", false),
            ("abcd", "ab", false),
            ("", "a", true),
        ] {
            assert_eq!(one_error(&chars(a), &chars(b)), expect, "{a} {b}");
        }
    }

    proptest! {
        #[test]
        fn similarities_lie_between_0_and_1_and_have_no_order(a in "[a-e1]{0,9}( [a-e]{0,4}){0,3}", b in "[a-e1]{0,9}( [a-e]{0,4}){0,3}") {
            let (x, y) = (chars(&a), chars(&b));
            let split = |text: &str| text.split_whitespace().map(chars).collect::<Vec<_>>();
            for (one, other) in [(jaro(&x, &y), jaro(&y, &x)), (jaro_winkler(&x, &y), jaro_winkler(&y, &x))] {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&one));
                prop_assert!((one - other).abs() < 0.1);
            }
            prop_assert!((0.0..=1.0 + 1e-12).contains(&words(&split(&a), &split(&b))));
            prop_assert_eq!(one_error(&x, &y), one_error(&y, &x));
        }
    }
}
