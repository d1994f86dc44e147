//! Student's t distribution: the quantiles that intervals and tests need.
//!
//! The distribution function comes from the regularised incomplete beta function (continued fraction, Lentz), the
//! quantile from bisection on it: some 60 halvings, no starting guess to go wrong. Accurate to about 1e-10.

/// Lanczos coefficients for g = 7, n = 9.
const LANCZOS: [f64; 9] = [
    0.999_999_999_999_809_9,
    676.520_368_121_885_1,
    -1_259.139_216_722_402_8,
    771.323_428_777_653_1,
    -176.615_029_162_140_6,
    12.507_343_278_686_905,
    -0.138_571_095_265_720_12,
    9.984_369_578_019_572e-6,
    1.505_632_735_149_311_6e-7,
];

/// Natural logarithm of the gamma function, for x > 0.5.
fn ln_gamma(x: f64) -> f64 {
    let x = x - 1.0;
    let base = x + 7.5;
    let mut terms = LANCZOS.iter();
    let first = terms.next().copied().unwrap_or(1.0);
    let sum = terms.zip(1u32..).fold(first, |sum, (c, i)| sum + c / (x + f64::from(i)));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

/// Continued fraction of the incomplete beta function.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let keep = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / keep(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..300u32 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / keep(1.0 + even * d);
        c = keep(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / keep(1.0 + odd * d);
        c = keep(1.0 + odd / c);
        let factor = d * c;
        h *= factor;
        if (factor - 1.0).abs() < 1e-14 {
            break;
        }
    }
    h
}

/// Regularised incomplete beta function I_x(a, b).
fn beta_regularised(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(a, b, x) / a
    } else {
        1.0 - front * beta_fraction(b, a, 1.0 - x) / b
    }
}

/// P(T > t) for t ≥ 0 with `freedom` degrees of freedom (at least 1).
fn upper_tail(t: f64, freedom: f64) -> f64 {
    0.5 * beta_regularised(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The t ≥ 0 with P(T > t) = `tail`, for 0 < `tail` ≤ 0.5 and at least one degree of freedom.
///
/// Tails too small to tell from zero give the largest t that is tried, 1e8.
#[must_use]
pub fn upper_quantile(tail: f64, freedom: f64) -> f64 {
    let freedom = freedom.max(1.0);
    let mut high = 1.0;
    while upper_tail(high, freedom) > tail && high < 1e8 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..70 {
        let middle = low + (high - low) / 2.0;
        if upper_tail(middle, freedom) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}

/// The z ≥ 0 with P(Z > z) = `tail` for the standard normal distribution, as the limit of many degrees of freedom.
#[must_use]
pub fn normal_upper_quantile(tail: f64) -> f64 {
    upper_quantile(tail, 1e7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tail: f64, freedom: f64, expect: f64, within: f64) {
        let got = upper_quantile(tail, freedom);
        assert!((got - expect).abs() < within, "t({tail}, {freedom}) = {got}, tables say {expect}");
    }

    /// Values of the usual printed table of Student's t.
    #[test]
    fn agrees_with_the_printed_table() {
        check(0.05, 1.0, 6.314, 5e-4);
        check(0.025, 2.0, 4.303, 5e-4);
        check(0.025, 10.0, 2.228, 5e-4);
        check(0.005, 30.0, 2.750, 5e-4);
        check(0.05, 120.0, 1.658, 5e-4);
        check(0.5, 5.0, 0.0, 1e-9);
    }

    #[test]
    fn many_degrees_are_normal() {
        assert!((normal_upper_quantile(0.025) - 1.959_964).abs() < 1e-5);
        assert!((normal_upper_quantile(0.001) - 3.090_232).abs() < 1e-5);
    }

    #[test]
    fn extreme_tails_stay_finite() {
        assert!(upper_quantile(1e-300, 1.0).is_finite());
        assert!(upper_quantile(1e-12, 19_998.0) > 6.0);
    }
}
