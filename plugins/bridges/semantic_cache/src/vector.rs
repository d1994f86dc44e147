//! Vectors of a provider, compared; and digests that name what is kept.

/// Cosine of two vectors, -1 to 1; 0 when one is zero.
pub fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { (dot(a, b) / lengths).clamp(-1.0, 1.0) } else { 0.0 }
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
    use super::*;

    #[test]
    fn cosines() {
        for (a, b, expect) in [
            (vec![1.0, 0.0], vec![2.0, 0.0], 1.0),
            (vec![1.0, 0.0], vec![0.0, 3.0], 0.0),
            (vec![1.0, 0.0], vec![-1.0, 0.0], -1.0),
            (vec![0.0, 0.0], vec![1.0, 0.0], 0.0),
            (vec![3.0, 4.0], vec![4.0, 3.0], 0.96),
        ] {
            assert!((cosine(&a, &b) - expect).abs() < 1e-9, "{a:?} {b:?}");
        }
    }
}
