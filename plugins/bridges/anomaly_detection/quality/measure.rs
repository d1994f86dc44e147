//! Measures the bridge on the Numenta Anomaly Benchmark (MIT licence), which is not part of this repository.
//!
//! Usage: `cargo run --release --example measure_anomaly -- PATH_TO_NAB [tune|test|all] [nab|injected]`
//!
//! The split was fixed before anything was tuned: series in the order of their names, every second one (from the
//! first) is for tuning, the others are for testing.
//!
//! `nab`: real series with labelled windows. Flagged points that lie closer than 2% of the series are one alarm. A
//! window with at least one flagged point is found; an alarm without any point in a window is false.
//! F1 = 2 TP / (2 TP + FP + FN), over all series together.
//!
//! `injected`: the same real series, parts inside labelled windows cut out, with 10 points each moved by 4 to 12
//! times the robust deviation of first differences (places and sizes from a fixed generator). Point by point; what
//! is flagged elsewhere counts as false although it may be unusual. As yardsticks: three standard deviations, and
//! `mad` on the values as they are.

use std::{collections::BTreeMap, env, error::Error, fs, path::Path};

use anomaly_detection::{Input, handle};
use tollbridge_sdk::{Call, serde_json};

const MOST: usize = 20_000;

struct Case {
    times: Vec<String>,
    values: Vec<f64>,
    windows: Vec<(usize, usize)>,
}

#[derive(Default, Clone, Copy)]
struct Count {
    found: usize,
    missed: usize,
    wrong: usize,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.found += other.found;
        self.missed += other.missed;
        self.wrong += other.wrong;
    }

    fn show(&self) -> String {
        let share = |a: usize, b: usize| if a + b == 0 { 0.0 } else { a as f64 / (a + b) as f64 };
        let f1 = share(2 * self.found, self.wrong + self.missed);
        let (precision, recall) = (share(self.found, self.wrong), share(self.found, self.missed));
        format!(
            "tp {:4} fp {:5} fn {:4}  precision {precision:.3} recall {recall:.3} F1 {f1:.3}",
            self.found, self.wrong, self.missed
        )
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let folder = args.next().ok_or("give the path of NAB")?;
    let split = args.next().unwrap_or_else(|| "test".into());
    let task = args.next().unwrap_or_else(|| "nab".into());
    let labels = fs::read_to_string(Path::new(&folder).join("labels/combined_windows.json"))?;
    let labels: BTreeMap<String, Vec<(String, String)>> = serde_json::from_str(&labels)?;
    let mut totals: BTreeMap<&str, Count> = BTreeMap::new();
    for (place, (name, windows)) in labels.iter().enumerate() {
        let wanted = match split.as_str() {
            "tune" => place % 2 == 0,
            "test" => place % 2 == 1,
            _ => true,
        };
        if !wanted || (task == "injected" && !name.starts_with("real")) {
            continue;
        }
        let case = read(&Path::new(&folder).join("data").join(name), windows)?;
        let case = if task == "injected" { inject(&case) } else { case };
        for method in ["auto", "mad", "3sd"] {
            let marks = if method == "3sd" { three_deviations(&case.values) } else { by_bridge(&case, method)? };
            let count = if task == "injected" { by_point(&case, &marks) } else { by_window(&case, &marks) };
            if method == "auto" {
                println!("{name:60} {}", count.show());
            }
            totals.entry(method).or_default().add(count);
        }
    }
    for (method, count) in totals {
        println!("TOTAL {split} {task} {method:5} {}", count.show());
    }
    Ok(())
}

fn read(path: &Path, windows: &[(String, String)]) -> Result<Case, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let mut case = Case { times: Vec::new(), values: Vec::new(), windows: Vec::new() };
    for line in text.lines().skip(1).take(MOST) {
        let (time, value) = line.split_once(',').ok_or("no comma")?;
        case.times.push(time.to_owned());
        case.values.push(value.trim().parse()?);
    }
    for (from, to) in windows {
        let cut = |text: &str| text.get(..19).unwrap_or(text).to_owned();
        let first = case.times.partition_point(|time| *time < cut(from));
        let end = case.times.partition_point(|time| *time <= cut(to));
        if first < end {
            case.windows.push((first, end));
        }
    }
    Ok(case)
}

fn by_bridge(case: &Case, method: &str) -> Result<Vec<usize>, Box<dyn Error>> {
    let points: Vec<_> =
        case.times.iter().zip(&case.values).map(|(t, v)| serde_json::json!({"t": t, "value": v})).collect();
    let ordered = case.times.is_sorted();
    let values = if ordered { serde_json::json!(points) } else { serde_json::json!(case.values) };
    let input: Input =
        serde_json::from_value(serde_json::json!({"values": values, "method": method, "max_anomalies": 2000}))?;
    let output = handle(&Call::default(), input)?;
    if env::var_os("SHOW").is_some() && method == "auto" {
        eprintln!("{:?} {:?}", output.method, output.bounds);
    }
    Ok(output.result.anomalies.iter().map(|anomaly| anomaly.index).collect())
}

fn three_deviations(values: &[f64]) -> Vec<usize> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt();
    (0..values.len()).zip(values).filter(|(_, v)| (*v - mean).abs() > 3.0 * deviation).map(|(i, _)| i).collect()
}

fn by_window(case: &Case, marks: &[usize]) -> Count {
    let inside = |mark: usize| case.windows.iter().any(|(from, to)| (*from..*to).contains(&mark));
    let found = case.windows.iter().filter(|(from, to)| marks.iter().any(|mark| (*from..*to).contains(mark))).count();
    let near = case.values.len() / 50;
    let mut wrong = 0;
    let mut last: Option<usize> = None;
    let mut hit = false;
    for mark in marks.iter().copied() {
        if last.is_none_or(|last| mark - last > near) {
            wrong += usize::from(last.is_some() && !hit);
            hit = false;
        }
        hit |= inside(mark);
        last = Some(mark);
    }
    wrong += usize::from(last.is_some() && !hit);
    Count { found, missed: case.windows.len() - found, wrong }
}

fn by_point(case: &Case, marks: &[usize]) -> Count {
    let found = case.windows.iter().filter(|(from, _)| marks.contains(from)).count();
    Count { found, missed: case.windows.len() - found, wrong: marks.len() - found }
}

/// The series without its labelled windows, with ten moved points; these become its windows of one point.
fn inject(case: &Case) -> Case {
    let keep = |index: &usize| !case.windows.iter().any(|(from, to)| (*from..*to).contains(index));
    let kept: Vec<usize> = (0..case.values.len()).filter(keep).collect();
    let times = kept.iter().filter_map(|i| case.times.get(*i).cloned()).collect();
    let mut values: Vec<f64> = kept.iter().filter_map(|i| case.values.get(*i).copied()).collect();
    let mut steps: Vec<f64> =
        values.windows(2).map(|pair| pair.iter().rev().copied().reduce(|b, a| b - a).unwrap_or(0.0).abs()).collect();
    steps.sort_by(f64::total_cmp);
    let unit = steps.get(steps.len() * 3 / 4).copied().unwrap_or(1.0).max(1e-6) * 1.4826;
    let mut state = values.len() as u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut places: Vec<usize> = (0..10).map(|_| (random() * values.len() as f64) as usize).collect();
    places.sort_unstable();
    places.dedup();
    for place in &places {
        let by = unit * (4.0 + 8.0 * random()) * if random() < 0.5 { -1.0 } else { 1.0 };
        if let Some(value) = values.get_mut(*place) {
            *value += by;
        }
    }
    Case { times, values, windows: places.into_iter().map(|place| (place, place + 1)).collect() }
}
