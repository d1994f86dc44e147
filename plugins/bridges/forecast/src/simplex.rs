//! Least value of a function of a few variables: the simplex of Nelder and Mead, with a fixed start and a fixed
//! number of trials, so that the same function gives the same answer.

/// A corner and the function's value there.
type Corner = (Vec<f64>, f64);

/// The place with the least value found, and that value. `most` bounds the trials. Values that are not numbers count
/// as infinite.
pub fn minimum(start: &[f64], most: usize, function: impl Fn(&[f64]) -> f64) -> (Vec<f64>, f64) {
    let value = |place: &[f64]| Some(function(place)).filter(|value| !value.is_nan()).unwrap_or(f64::INFINITY);
    let mut corners: Vec<Corner> = vec![(start.to_vec(), value(start))];
    for axis in 0..start.len() {
        let moved: Vec<f64> =
            start.iter().enumerate().map(|(i, x)| if i == axis { x * 1.5 + 0.05 } else { *x }).collect();
        let inside: Vec<f64> = start.iter().enumerate().map(|(i, x)| if i == axis { x * 0.6 } else { *x }).collect();
        let (a, b) = (value(&moved), value(&inside));
        corners.push(if a <= b { (moved, a) } else { (inside, b) });
    }
    let mut trials = 2 * start.len() + 1;
    while trials < most {
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (Some(best), Some(worst)) = (corners.first().cloned(), corners.pop()) else { break };
        if (worst.1 - best.1).abs() <= 1e-9 * (1.0 + best.1.abs()) && trials > 30 {
            corners.push(worst);
            break;
        }
        let center = center(&corners, start.len());
        let second = corners.last().map_or(best.1, |corner| corner.1);
        let along = |by: f64| -> Corner {
            let place: Vec<f64> = center.iter().zip(&worst.0).map(|(c, w)| c + by * (c - w)).collect();
            let here = value(&place);
            (place, here)
        };
        let mirrored = along(1.0);
        trials += 2;
        if mirrored.1 < best.1 {
            let farther = along(2.0);
            corners.push(if farther.1 < mirrored.1 { farther } else { mirrored });
        } else if mirrored.1 < second {
            corners.push(mirrored);
        } else {
            let nearer = along(if mirrored.1 < worst.1 { 0.5 } else { -0.5 });
            if nearer.1 < worst.1.min(mirrored.1) {
                corners.push(nearer);
            } else {
                corners.push(worst);
                trials += corners.len();
                shrink(&mut corners, &best.0, value);
            }
        }
    }
    corners.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((start.to_vec(), f64::INFINITY))
}

fn center(corners: &[Corner], axes: usize) -> Vec<f64> {
    let sum = |axis: usize| corners.iter().filter_map(|(place, _)| place.get(axis)).sum::<f64>();
    (0..axes).map(|axis| sum(axis) / corners.len().max(1) as f64).collect()
}

fn shrink(corners: &mut [Corner], best: &[f64], value: impl Fn(&[f64]) -> f64) {
    for (place, here) in corners.iter_mut().skip(1) {
        place.iter_mut().zip(best).for_each(|(x, b)| *x = b + 0.5 * (*x - b));
        *here = value(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_bottom_of_a_bowl() {
        let (place, value) = minimum(&[0.3, 0.1], 400, |p| (p[0] - 0.7).powi(2) + 3.0 * (p[1] - 0.4).powi(2) + 1.0);
        assert!((place[0] - 0.7).abs() < 1e-3 && (place[1] - 0.4).abs() < 1e-3 && value < 1.0001, "{place:?}");
    }

    #[test]
    fn functions_without_values_end() {
        assert_eq!(minimum(&[0.5], 100, |_| f64::NAN).1, f64::INFINITY);
    }
}
