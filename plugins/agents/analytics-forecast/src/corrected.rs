//! Values that a task takes back: `May was 82, not 28`.

use agent_common::quantity;
use agent_common::series::Series;

/// Sets the values that the task corrects; returns what was done in words.
pub fn apply(series: &mut Series, task: &str) -> Vec<String> {
    let mut done = Vec::new();
    let lower = task.to_lowercase();
    let amounts = quantity::scan(task);
    for (new, old) in amounts.iter().zip(amounts.iter().skip(1)) {
        let between = lower.get(new.end..old.start).unwrap_or_default();
        if !between.contains("not") && !between.contains("instead of") || between.len() > 30 {
            continue;
        }
        let from = lower.get(..new.start).unwrap_or_default();
        let from = from.rsplit(['.', '\n', ';', ':', '?']).next().unwrap_or_default();
        let own = |at: usize| {
            series.label(at).is_some_and(|label| {
                crate::reading::contains_word(from, &label.to_lowercase()) && series.values.get(at) == Some(&old.value)
            })
        };
        let found: Vec<usize> = (0..series.values.len()).filter(|at| own(*at)).collect();
        if let [at] = found.as_slice()
            && let Some(value) = series.values.get_mut(*at)
        {
            *value = new.value;
            done.push(format!(
                "{} was taken as {} instead of {}",
                series.labels.get(*at).map_or("it", |l| l),
                new.value,
                old.value
            ));
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_common::request::Request;

    #[test]
    fn a_value_is_taken_back() {
        let task = "Correction: May was 82, not 28. Jan 78, Feb 80, Mar 79, Apr 81, May 28, Jun 80. July?";
        let mut all = agent_common::series::read(task, &Request::read(task));
        let series = all.first_mut().unwrap();
        assert_eq!(apply(series, task).len(), 1);
        assert_eq!(series.values, [78.0, 80.0, 79.0, 81.0, 82.0, 80.0]);
    }
}
