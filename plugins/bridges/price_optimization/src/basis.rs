//! Least squares by parts (Frisch and Waugh): what columns explain is taken out of others.
//!
//! Invariant: directions are of length 1 and at right angles to each other, so that taking them out one after the other
//! takes out all that the columns explain.

/// Part of a column's length below which what is left of it is taken for rounding.
const NOTHING: f64 = 1e-9;

/// Directions that span some columns; columns that add nothing to those before them have none.
#[derive(Debug, Clone, Default)]
pub struct Basis {
    directions: Vec<Vec<f64>>,
}

impl Basis {
    /// The basis with more columns.
    #[must_use]
    pub fn with(mut self, columns: impl IntoIterator<Item = Vec<f64>>) -> Self {
        for column in columns {
            let length = square(&column).sqrt();
            let rest = self.rest(&column);
            let left = square(&rest).sqrt();
            if left > NOTHING * length {
                self.directions.push(rest.into_iter().map(|value| value / left).collect());
            }
        }
        self
    }

    /// How many directions there are.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.directions.len()
    }

    /// What the columns do not explain of these values.
    #[must_use]
    pub fn rest(&self, values: &[f64]) -> Vec<f64> {
        let mut rest = values.to_vec();
        // Twice, because the first time leaves what rounding put in.
        for direction in self.directions.iter().chain(&self.directions) {
            let share = product(&rest, direction);
            rest.iter_mut().zip(direction).for_each(|(value, part)| *value -= share * part);
        }
        rest
    }
}

/// Sum of the products.
#[must_use]
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Sum of the squares.
#[must_use]
pub fn square(values: &[f64]) -> f64 {
    product(values, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_columns_explain_is_taken_out() {
        let constant = vec![1.0; 4];
        let line = vec![0.0, 1.0, 2.0, 3.0];
        let same = vec![5.0, 7.0, 9.0, 11.0];
        let basis = Basis::default().with([constant, line, same]);
        assert_eq!(basis.rank(), 2);
        let rest = basis.rest(&[1.0, -1.0, -1.0, 1.0]);
        assert!(rest.iter().zip([1.0, -1.0, -1.0, 1.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{rest:?}");
        assert!(square(&basis.rest(&[3.0, 5.0, 7.0, 9.0])) < 1e-20);
    }
}
