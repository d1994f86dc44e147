//! Measures the bridge on the series of `series.json` (made by `make.py`; packages and licences stand in it).
//!
//! Usage: `cargo run --release --example measure_forecast -- [tune|test] [FOLDER]`
//!
//! Each series is cut at three places near its end; what follows (one and a half cycles of months, two of quarters,
//! one of half-hours, 6 years) is forecast from what comes before. MASE: mean absolute error divided by the one-step
//! error of seasonal naive in the part that was given. A series counts by the mean of its cuts.

use std::{collections::BTreeMap, env, error::Error, fs};

use forecast::{Input, handle};
use tollbridge_sdk::{Call, serde_json};

#[derive(serde::Deserialize)]
struct Series {
    name: String,
    split: String,
    period: usize,
    values: Vec<f64>,
}

#[derive(Default, Clone)]
struct Tally {
    mase: Vec<f64>,
    error: f64,
    relative: Vec<f64>,
    inside: [f64; 2],
    points: f64,
}

const RUNS: [(&str, &str); 9] = [
    ("auto", "given"),
    ("auto", "auto"),
    ("seasonal_naive", "given"),
    ("drift", "given"),
    ("ets", "given"),
    ("theta", "given"),
    ("decomposition", "given"),
    ("autoregression", "given"),
    ("combination", "given"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let split = env::args().nth(1).unwrap_or_else(|| "test".into());
    let folder = env::args().nth(2).unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/quality").into());
    let all: Vec<Series> = serde_json::from_str(&fs::read_to_string(format!("{folder}/series.json"))?)?;
    let mut totals: BTreeMap<(&str, &str), Tally> = BTreeMap::new();
    for series in all.iter().filter(|series| series.split == split) {
        let mut line = format!("{:24}", series.name);
        let naive = one(series, ("seasonal_naive", "given"))?;
        for run in RUNS {
            let tally = one(series, run)?;
            let total = totals.entry(run).or_default();
            line += &format!(" {:6.3}", tally.error);
            total.mase.push(tally.error);
            total.relative.push(tally.error / naive.error);
            total.points += 1.0;
            for (sum, inside) in total.inside.iter_mut().zip(tally.inside) {
                *sum += inside / tally.points;
            }
        }
        println!("{line}");
    }
    for (run, mut tally) in totals {
        let count = tally.mase.len() as f64;
        let mean = tally.mase.iter().sum::<f64>() / count;
        let relative = (tally.relative.iter().map(|r| r.ln()).sum::<f64>() / count).exp();
        tally.mase.sort_by(f64::total_cmp);
        let [inside_80, inside_95] = tally.inside;
        println!(
            "{split} {:15} {:5} series {count} MASE mean {mean:.3} median {:.3} relative to seasonal naive {relative:.3} covered 80% {:.3} 95% {:.3}",
            run.0,
            run.1,
            tally.mase.get(tally.mase.len() / 2).copied().unwrap_or(0.0),
            inside_80 / tally.points,
            inside_95 / tally.points
        );
    }
    Ok(())
}

fn one(series: &Series, (method, period): (&str, &str)) -> Result<Tally, Box<dyn Error>> {
    let horizon = match series.period {
        12 => 18,
        4 => 8,
        1 => 6,
        period => period,
    };
    let horizon = horizon.min(series.values.len() / 8);
    let mut tally = Tally::default();
    let mut sum = 0.0;
    for cut in 0..3usize {
        let end = series.values.len() - horizon - cut * horizon / 2;
        let (past, rest) = series.values.split_at(end);
        let scale: f64 = past.iter().zip(past.iter().skip(series.period)).map(|(a, b)| (b - a).abs()).sum::<f64>()
            / (past.len() - series.period) as f64;
        let ask = |method: &str| {
            let period = if period == "given" { serde_json::json!(series.period) } else { serde_json::json!("auto") };
            let input = serde_json::json!({"values": past, "method": method, "horizon": horizon, "period": period});
            let input: Input = serde_json::from_value(input)?;
            Ok::<_, Box<dyn Error>>(handle(&Call::default(), input))
        };
        // A method that cannot be used (a decomposition without season) is replaced by exponential smoothing.
        let mut output = ask(method)?;
        for other in ["ets", "auto"] {
            if output.is_err() {
                output = ask(other)?;
            }
        }
        let output = output?;
        if env::var_os("SHOW").is_some() && method == "auto" && period == "given" {
            eprintln!("{} {:?} {:?}", series.name, output.method, output.backtest.mase);
        }
        for (point, value) in output.result.points.iter().zip(rest) {
            sum += (point.value - value).abs() / scale / horizon as f64 / 3.0;
            tally.points += 1.0;
            for (inside, interval) in tally.inside.iter_mut().zip(&point.intervals) {
                *inside += f64::from(u8::from(interval.lower <= *value && *value <= interval.upper));
            }
        }
    }
    tally.error = sum;
    Ok(tally)
}
