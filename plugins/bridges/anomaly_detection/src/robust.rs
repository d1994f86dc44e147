//! Order statistics that a few wild values cannot move: medians, Tukey's hinges, robust scales, a moving median.
//!
//! Every value handed in is finite, and so is every result. An empty slice has median 0.

use bridge_common::median::median_sorted;

/// Median absolute deviation times this estimates the standard deviation of normal data. Iglewicz and Hoaglin
/// publish the factor 0.6745 for its inverse, and their printed scores are reproduced with it.
const MAD_TO_SIGMA: f64 = 1.0 / 0.6745;
/// The same for the mean absolute deviation (√(π/2)), the published fall-back when the median one is zero.
const MEAN_AD_TO_SIGMA: f64 = 1.253_314;

/// How a scale was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Median absolute deviation.
    Median,
    /// Mean absolute deviation: more than half of the values are equal, so the median one is zero.
    Mean,
    /// All values are equal: nothing varies.
    None,
}

/// Centre and scale of a sample; `scale` estimates one standard deviation and is zero only for `Basis::None`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub center: f64,
    pub scale: f64,
    pub basis: Basis,
}

/// A sorted copy.
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut copy = values.to_vec();
    copy.sort_by(f64::total_cmp);
    copy
}

/// Median of values in any order; `values` is scratch and comes back reordered.
#[must_use]
pub fn median_in_place(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    if values.is_empty() {
        return 0.0;
    }
    let odd = values.len() % 2 == 1;
    let (below, middle, _) = values.select_nth_unstable_by(half, f64::total_cmp);
    if odd {
        return *middle;
    }
    let low = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    low + (*middle - low) / 2.0
}

/// Median of values in any order.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    median_in_place(&mut values.to_vec())
}

/// Quantile `p` in 0..=1 of sorted values, linear between neighbours.
#[must_use]
pub fn quantile_sorted(sorted: &[f64], p: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = p.clamp(0.0, 1.0) * last as f64;
    let low = place.floor() as usize;
    let at = |index: usize| sorted.get(index.min(last)).copied().unwrap_or(0.0);
    let (a, b) = (at(low), at(low + 1));
    a + (b - a) * (place - low as f64)
}

/// Tukey's hinges: the medians of the lower and the upper half; with an odd count the median is in both halves.
#[must_use]
pub fn hinges_sorted(sorted: &[f64]) -> (f64, f64) {
    let half = sorted.len().div_ceil(2);
    let lower = sorted.get(..half).unwrap_or(sorted);
    let upper = sorted.get(sorted.len() - half..).unwrap_or(sorted);
    (median_sorted(lower), median_sorted(upper))
}

/// Centre and scale by median and median absolute deviation, with the stated fall-backs.
#[must_use]
pub fn spread(values: &[f64]) -> Spread {
    let center = median(values);
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - center).abs()).collect();
    let mean = deviations.iter().sum::<f64>() / (deviations.len().max(1) as f64);
    let mad = median_in_place(&mut deviations);
    if mad > 0.0 {
        return Spread { center, scale: mad * MAD_TO_SIGMA, basis: Basis::Median };
    }
    if mean > 0.0 {
        return Spread { center, scale: mean * MEAN_AD_TO_SIGMA, basis: Basis::Mean };
    }
    Spread { center, scale: 0.0, basis: Basis::None }
}

/// Moving median over `window` points (made odd), centred. Where the window would stick out at an end, the line
/// through the last full windows is drawn on, so that a trend or half a cycle does not bend it.
///
/// Wide windows are evaluated on a grid of 32 points per window and joined by straight lines, so the cost is
/// some 32 comparisons a point whatever the window.
#[must_use]
pub fn moving_median(values: &[f64], window: usize) -> Vec<f64> {
    let half = (window / 2).max(1);
    let Some(last_full) = values.len().checked_sub(half + 1).filter(|last| *last >= half) else {
        return vec![median(values); values.len()];
    };
    let step = ((2 * half + 1) / 32).max(1);
    let mut scratch = Vec::with_capacity(2 * half + 1);
    let mut at = |center: usize| {
        scratch.clear();
        scratch.extend_from_slice(values.get(center - half..=center + half).unwrap_or_default());
        median_in_place(&mut scratch)
    };
    let mut inner = vec![at(half)];
    let mut from = half;
    while from < last_full {
        let to = (from + step).min(last_full);
        let (left, right) = (inner.last().copied().unwrap_or(0.0), at(to));
        let span = (to - from) as f64;
        inner.extend((1..=to - from).map(|offset| left + (right - left) * (offset as f64 / span)));
        from = to;
    }
    drawn_on(&inner, half)
}

/// `inner` with `half` points added at either end, on the line through its own last points.
fn drawn_on(inner: &[f64], half: usize) -> Vec<f64> {
    let reach = (2 * half).min(inner.len().saturating_sub(1));
    let slope = |a: Option<&f64>, b: Option<&f64>| match (a, b) {
        (Some(a), Some(b)) if reach > half => (b - a) / reach as f64,
        _ => 0.0,
    };
    let (first, last) = (inner.first().copied().unwrap_or(0.0), inner.last().copied().unwrap_or(0.0));
    let rising_in = slope(inner.first(), inner.get(reach));
    let rising_out = slope(inner.get(inner.len().saturating_sub(1 + reach)), inner.last());
    let before = (1..=half).rev().map(|back| first - rising_in * back as f64);
    let after = (1..=half).map(|on| last + rising_out * on as f64);
    before.chain(inner.iter().copied()).chain(after).collect()
}

/// `values` with those that lie more than three robust deviations from what is expected replaced by it, so that they
/// do not shift a level that is computed next.
#[must_use]
pub fn cleaned(values: &[f64], expected: &[f64]) -> Vec<f64> {
    let rest: Vec<f64> = values.iter().zip(expected).map(|(value, expected)| value - expected).collect();
    let spread = spread(&rest);
    let cut = 3.0 * spread.scale;
    let pairs = values.iter().zip(expected).zip(rest);
    pairs.map(|((value, expected), rest)| if (rest - spread.center).abs() > cut { *expected } else { *value }).collect()
}

/// Moving median in two passes: the second without the points that stood out in the first.
#[must_use]
pub fn moving_level(values: &[f64], window: usize) -> Vec<f64> {
    let first = moving_median(values, window);
    moving_median(&cleaned(values, &first), window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn medians_and_hinges() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(hinges_sorted(&[1.0, 2.0, 3.0, 4.0, 5.0]), (2.0, 4.0));
        assert_eq!(hinges_sorted(&[1.0, 2.0, 3.0, 4.0]), (1.5, 3.5));
        assert_eq!(quantile_sorted(&[0.0, 10.0], 0.25), 2.5);
    }

    #[test]
    fn scale_falls_back_in_steps() {
        assert_eq!(spread(&[1.0, 2.0, 3.0]).basis, Basis::Median);
        assert_eq!(spread(&[1.0, 1.0, 1.0, 9.0]).basis, Basis::Mean);
        assert_eq!(spread(&[4.0; 9]).basis, Basis::None);
    }

    #[test]
    fn moving_median_keeps_a_step_and_drops_a_spike() {
        let mut values = vec![1.0; 20];
        values.extend([5.0; 20]);
        assert_eq!(moving_median(&values, 7), values);
        values[8] = 99.0;
        assert_eq!(moving_median(&values, 7)[8], 1.0);
    }

    proptest! {
        #[test]
        fn median_is_the_same_both_ways(values in prop::collection::vec(-1e9..1e9f64, 0..60)) {
            prop_assert_eq!(median(&values), median_sorted(&sorted(&values)));
        }

        #[test]
        fn moving_median_stays_near_the_data(values in prop::collection::vec(-1e9..1e9f64, 1..200), window in 0usize..300) {
            let level = moving_median(&values, window);
            prop_assert_eq!(level.len(), values.len());
            let ordered = sorted(&values);
            let range = ordered[ordered.len() - 1] - ordered[0];
            prop_assert!(level.iter().all(|v| (*v - ordered[0]).abs() <= 2.0 * range + 1e-3), "{level:?}");
        }
    }
}
