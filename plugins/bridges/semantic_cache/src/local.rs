//! The local embedding: character n-grams, hashed into a vector of fixed length.
//!
//! Invariants: the same text gives the same vector on every machine (sums of whole numbers, one square root and one
//! division); a vector has length 1, or is zero for a text without letters.

/// The name by which answers call it; another way of computing gets another name.
pub const MODEL: &str = "local-ngram-256";
/// Length of a vector.
pub const DIMENSIONS: usize = 256;
/// Lengths of the n-grams that are counted.
const LENGTHS: [usize; 3] = [3, 4, 5];

/// The vector of a normalised text.
pub fn embed(normalised: &str) -> Vec<f32> {
    let mut sums = vec![0i64; DIMENSIONS];
    let signs: Vec<char> = std::iter::once(' ').chain(normalised.chars()).chain(std::iter::once(' ')).collect();
    if signs.len() > 2 {
        for gram in LENGTHS.iter().flat_map(|length| signs.windows(*length)) {
            let hash = digest(gram.iter().copied());
            let sign = if hash >> 63 == 0 { 1 } else { -1 };
            if let Some(sum) = sums.get_mut((hash % DIMENSIONS as u64) as usize) {
                *sum = sum.saturating_add(sign);
            }
        }
    }
    // The square root of a count damps what is repeated; it is exact arithmetic everywhere.
    let damped: Vec<f64> = sums.iter().map(|sum| (sum.unsigned_abs() as f64).sqrt() * sum.signum() as f64).collect();
    let length = damped.iter().map(|value| value * value).sum::<f64>().sqrt();
    damped.iter().map(|value| if length > 0.0 { round(value / length) } else { 0.0 }).collect()
}

/// Cosine of two vectors, -1 to 1; 0 when one is zero.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { (dot(a, b) / lengths).clamp(-1.0, 1.0) } else { 0.0 }
}

fn round(value: f64) -> f32 {
    ((value * 1e6).round() / 1e6) as f32
}

/// FNV-1a over characters, with a last mix so that all bits count.
pub fn digest(signs: impl Iterator<Item = char>) -> u64 {
    let hash = signs.fold(0xcbf2_9ce4_8422_2325u64, |hash, sign| {
        (hash ^ u64::from(u32::from(sign))).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let mixed = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ mixed >> 33
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn near_texts_have_near_vectors() {
        let near = |a: &str, b: &str| cosine(&embed(a), &embed(b));
        assert!(near("what is the capital of france", "what is the capital of france?") > 0.9);
        assert!(near("what is the capital of france", "how do magnets work") < 0.4);
        // Spelling, not meaning: opposites are near, which is why the gate exists.
        assert!(near("how do i enable logging", "how do i disable logging") > 0.6);
    }

    proptest! {
        #[test]
        fn vectors_have_length_one(text in "\\PC{0,80}") {
            let vector = embed(&text);
            let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
            prop_assert_eq!(vector.len(), DIMENSIONS);
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "{}", length);
            prop_assert!((cosine(&vector, &vector) - f64::from(u8::from(length > 0.0))).abs() < 1e-9);
        }
    }
}
