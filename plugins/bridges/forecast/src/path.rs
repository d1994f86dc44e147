//! A forecast: points and the deviation of each.

/// Points to come, each with the standard deviation of its error as the method itself sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Path {
    pub points: Vec<f64>,
    pub deviations: Vec<f64>,
}

impl Path {
    /// Adds a point.
    pub fn push(&mut self, point: f64, deviation: f64) {
        self.points.push(point);
        self.deviations.push(deviation);
    }

    /// Whether all numbers are finite and the points lie within `reach` of zero: a method that ran away is not used.
    #[must_use]
    pub fn is_sound(&self, reach: f64) -> bool {
        let sound = |point: &f64| point.is_finite() && point.abs() <= reach;
        self.points.iter().all(sound) && self.deviations.iter().all(|deviation| deviation.is_finite())
    }

    /// The mean of several paths. Their errors go together, so deviations are averaged too.
    #[must_use]
    pub fn mean(paths: &[Self]) -> Self {
        let steps = paths.iter().map(|path| path.points.len()).min().unwrap_or(0);
        let count = paths.len().max(1) as f64;
        let average = |pick: fn(&Self) -> &Vec<f64>, step: usize| {
            paths.iter().filter_map(|path| pick(path).get(step)).sum::<f64>() / count
        };
        let mut mean = Self::default();
        for step in 0..steps {
            mean.push(average(|path| &path.points, step), average(|path| &path.deviations, step));
        }
        mean
    }
}
