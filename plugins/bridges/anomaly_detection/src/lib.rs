//! Anomaly detection: outliers in a sample or a series of numbers, by robust statistics.
//!
//! Invariants: the same points give the same answer; every number in the answer is finite; no input panics.

mod decompose;
mod detect;
mod esd;
mod input;
mod model;
mod output;
mod robust;
mod season;

use bridge_common::series::Series;
use tollbridge_sdk::{Call, Error, bridge};

pub use input::Input;
use input::RULES;
pub use output::Output;

/// Values larger than this are worked on in smaller units, so that no sum of squares overflows …
const LARGE: f64 = 1e120;
/// … and smaller ones in larger units.
const SMALL: f64 = 1e-120;

/// Finds the outliers that the input asks for.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let mut series = Series::read(call, input.given(), &RULES)?;
    let factor = unit(&series.values);
    if factor != 1.0 {
        series.values.iter_mut().for_each(|value| *value /= factor);
    }
    let detection = detect::detect(&series, &input)?;
    Ok(output::answer(&series, &detection, &input, factor))
}

/// A power of two in which extreme values are near 1; 1 for ordinary values.
fn unit(values: &[f64]) -> f64 {
    let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    if largest > LARGE || (largest > 0.0 && largest < SMALL) {
        largest.log2().floor().clamp(-1_000.0, 1_000.0).exp2()
    } else {
        1.0
    }
}

bridge! { handle: handle, examples: ["../cases/spike.json", "../cases/weekly.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
