//! Each way of looking, on data whose answer is plain.

use super::*;

fn found(values: &[f64], input: &Input) -> (&'static str, Vec<usize>) {
    let series = Series { values: values.to_vec(), ..Series::default() };
    let detection = detect(&series, input).expect("an answer");
    (detection.name, detection.marks.iter().map(|mark| mark.index).collect())
}

fn check(values: &[f64], expect: (&'static str, &[usize])) {
    assert_eq!(found(values, &Input::default()), (expect.0, expect.1.to_vec()));
}

/// Fixed jitter in 0..1 without a period.
fn jitter(index: usize) -> f64 {
    let mixed = (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40) as f64 / f64::from(1 << 24)
}

#[test]
fn auto_on_plain_samples() {
    check(&[5.0; 40], ("mad", &[]));
    check(&[1.0, 2.0], ("mad", &[]));
    check(&[5.0], ("mad", &[]));
    let mut values = vec![3.0; 30];
    values[11] = 4.0;
    check(&values, ("mad", &[11]));
    let mut noise: Vec<f64> = (0..200).map(jitter).collect();
    check(&noise, ("mad", &[]));
    noise[77] = 9.0;
    check(&noise, ("mad", &[77]));
}

#[test]
fn auto_on_a_moving_level() {
    let mut values: Vec<f64> = (0..200).map(|i| i as f64 + 3.0 * jitter(i)).collect();
    values[120] += 25.0;
    check(&values, ("level", &[120]));
    let step: Vec<f64> = (0..200).map(|i| if i < 100 { 10.0 } else { 20.0 } + jitter(i)).collect();
    check(&step, ("level", &[]));
}

#[test]
fn auto_on_a_season() {
    let mut values: Vec<f64> =
        (0..240).map(|i| 10.0 * (i as f64 / 24.0 * std::f64::consts::TAU).sin() + jitter(i)).collect();
    values[100] += 8.0;
    values[180] -= 8.0;
    check(&values, ("seasonal", &[100, 180]));
    let high = Input { direction: Direction::High, ..Input::default() };
    assert_eq!(found(&values, &high), ("seasonal", vec![100]));
}

#[test]
fn options_that_do_not_fit_are_named() {
    let series = Series { values: vec![1.0; 30], ..Series::default() };
    let field = |input: Input| detect(&series, &input).map(|_| ()).map_err(|error| error.field().map(str::to_owned));
    let expect = |name: &str| Err(Some(name.to_owned()));
    assert_eq!(field(Input { alpha: Some(0.1), ..Input::default() }), expect("/alpha"));
    assert_eq!(
        field(Input { method: Method::GeneralizedEsd, threshold: Some(3.0), ..Input::default() }),
        expect("/threshold")
    );
    assert_eq!(
        field(Input { method: Method::Mad, period: Some(Period::Points(7)), ..Input::default() }),
        expect("/period")
    );
    assert_eq!(field(Input { period: Some(Period::Points(11)), ..Input::default() }), expect("/period"));
    assert_eq!(field(Input { threshold: Some(0.0), ..Input::default() }), expect("/threshold"));
    assert_eq!(field(Input { method: Method::Seasonal, ..Input::default() }), expect("/method"));
}
