//! Measures the bridge on the sets that `make.py` and `make_secrets.py` make; they say where the labels are from and how
//! the sets are split.
//!
//! Usage: `cargo run --release --example measure_security -- FOLDER [tune|test] [show]`; sets that are not in the
//! folder are left out.
//!
//! Python: a label (a line, or the lines of a statement) is found when a finding lies in it; a finding in no label at
//! all is false, unless the line says `nosec`: there bandit keeps silent, however bad the line. Recall is given in three views: of all labels; of those of severity medium and high; and of these
//! without the ones that an import alone earns. JavaScript and Node: a snippet that is bad is found when it has a
//! finding; a finding in a good one is false. Secrets: a file with one is found when it has a finding of `secret.*`;
//! in a file without, each such finding is false.

use std::{collections::BTreeMap, env, error::Error, fs, ops::RangeInclusive, path::Path};

use security_scan::{Input, handle};
use tollbridge_sdk::{
    Call,
    serde_json::{self, Value, json},
};

#[derive(Default)]
struct Count {
    found: usize,
    missed: usize,
    wrong: usize,
}

type Counts = BTreeMap<String, Count>;
type Findings = Vec<(u64, String)>;
/// Which labels count.
type View<'a> = &'a dyn Fn(&Value) -> bool;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args().nth(1).ok_or("give the folder that make.py filled")?;
    let part = env::args().nth(2).unwrap_or_else(|| "test".into());
    let show = env::args().nth(3).is_some();
    for name in ["python", "javascript", "node", "secrets"] {
        let path = Path::new(&folder).join(format!("{name}.json"));
        if !path.exists() {
            continue;
        }
        let set: Vec<Value> = serde_json::from_str(&fs::read_to_string(path)?)?;
        let set: Vec<Value> = set.into_iter().filter(|item| item["split"] == part.as_str()).collect();
        match name {
            "python" => python(&set, &part, show)?,
            "secrets" => secrets(&set, &part, show)?,
            _ => {
                let mut counts = Counts::new();
                for item in &set {
                    snippet(item, &findings(item)?, &mut counts, show);
                }
                print(name, &part, &counts);
            }
        }
    }
    Ok(())
}

/// Line and rule of each finding.
fn findings(item: &Value) -> Result<Findings, Box<dyn Error>> {
    let place = if item["path"].is_null() { "language" } else { "path" };
    let input = json!({ "source": item["source"], "max_findings": 500, place: item[place] });
    let input: Input = serde_json::from_value(input)?;
    let output = serde_json::to_value(handle(&Call::default(), input).map_err(|error| error.to_string())?)?;
    let listed = output.pointer("/result/findings").and_then(Value::as_array).ok_or("no findings")?;
    let read = |finding: &Value| {
        (finding["line"].as_u64().unwrap_or(0), finding["rule"].as_str().unwrap_or_default().to_owned())
    };
    Ok(listed.iter().map(read).collect())
}

fn python(set: &[Value], part: &str, show: bool) -> Result<(), Box<dyn Error>> {
    let all = |_: &Value| true;
    let grave = |label: &Value| label["severity"] != "low";
    let no_import = |label: &Value| grave(label) && !label["rule"].as_str().unwrap_or_default().starts_with("B4");
    let views: [(&str, View<'_>); 3] = [
        ("python, all labels", &all),
        ("python, medium and high", &grave),
        ("python, medium and high, imports left out", &no_import),
    ];
    for (place, (name, counted)) in views.into_iter().enumerate() {
        let mut counts = Counts::new();
        for item in set {
            lines(item, &findings(item)?, counted, &mut counts, show && place == 1);
        }
        print(name, part, &counts);
    }
    Ok(())
}

fn lines(item: &Value, found: &Findings, counted: View<'_>, counts: &mut Counts, show: bool) {
    let labels = item["labels"].as_array().map(Vec::as_slice).unwrap_or_default();
    let span = |label: &Value| -> RangeInclusive<u64> {
        label["from"].as_u64().unwrap_or(0)..=label["to"].as_u64().unwrap_or(0)
    };
    let source: Vec<&str> = item["source"].as_str().unwrap_or_default().lines().collect();
    let line = |number: u64| source.get(number.saturating_sub(1) as usize).copied().unwrap_or_default().trim();
    for label in labels.iter().filter(|label| counted(label)) {
        let count = counts.entry(label["rule"].as_str().unwrap_or_default().to_owned()).or_default();
        if found.iter().any(|(at, _)| span(label).contains(at)) {
            count.found += 1;
        } else {
            count.missed += 1;
            if show {
                println!("missed {} in {}: {}", label["rule"], item["name"], line(*span(label).start()));
            }
        }
    }
    let is_free = |at: &u64| !labels.iter().any(|label| span(label).contains(at)) && !line(*at).contains("nosec");
    for (at, rule) in found.iter().filter(|(at, _)| is_free(at)) {
        counts.entry(rule.clone()).or_default().wrong += 1;
        if show {
            println!("wrong {rule} in {}: {}", item["name"], line(*at));
        }
    }
}

fn snippet(item: &Value, found: &Findings, counts: &mut Counts, show: bool) {
    let rule = item["rule"].as_str().unwrap_or_default().split(' ').next().unwrap_or_default();
    let count = counts.entry(rule.to_owned()).or_default();
    let what = match (item["bad"] == true, found.is_empty()) {
        (true, false) => {
            count.found += 1;
            return;
        }
        (true, true) => {
            count.missed += 1;
            "missed"
        }
        (false, false) => {
            count.wrong += 1;
            "wrong"
        }
        (false, true) => return,
    };
    if show {
        println!("{what} {} {found:?}: {}", item["name"], item["source"]);
    }
}

fn secrets(set: &[Value], part: &str, show: bool) -> Result<(), Box<dyn Error>> {
    let (mut counts, mut harmless) = (Counts::new(), 0);
    for item in set {
        let mut found = findings(item)?;
        found.retain(|(_, rule)| rule.starts_with("secret."));
        let count = counts.entry(item["kind"].as_str().unwrap_or_default().to_owned()).or_default();
        let source = item["source"].as_str().unwrap_or_default();
        if item["secret"] == true {
            count.found += usize::from(!found.is_empty());
            count.missed += usize::from(found.is_empty());
        } else {
            count.wrong += found.len();
            harmless += source.len();
        }
        if show && (item["secret"] == true) == found.is_empty() {
            let at = found.first().map_or(0, |(line, _)| line.saturating_sub(1));
            let line = source.lines().nth(at as usize).unwrap_or_default();
            let text: String = if found.is_empty() { source.replace('\n', "⏎") } else { line.to_owned() };
            println!("{} {found:?} {}: {}", item["name"], item["path"], text.chars().take(160).collect::<String>());
        }
    }
    counts.retain(|_, count| count.missed + count.wrong > 0 || count.found > 20);
    print_rows("secrets", part, &counts);
    let total = |of: fn(&Count) -> usize| counts.values().map(of).sum::<usize>();
    let labelled = set.iter().filter(|item| item["secret"] == true).count();
    let (missed, wrong) = (total(|count| count.missed), total(|count| count.wrong));
    let found = labelled - missed;
    println!("found {found} of {labelled}, {wrong} false in {:.1} MB without", harmless as f64 / 1e6);
    println!("recall {:.3}, precision {:.3}\n", share(found, missed), share(found, wrong));
    Ok(())
}

fn share(part: usize, rest: usize) -> f64 {
    part as f64 / (part + rest).max(1) as f64
}

fn print_rows(name: &str, part: &str, counts: &Counts) -> Count {
    println!("{name}, {part}\n{:36} {:>6} {:>6} {:>6}", "", "found", "missed", "wrong");
    let row = |name: &str, count: &Count| println!("{name:36} {:6} {:6} {:6}", count.found, count.missed, count.wrong);
    let mut all = Count::default();
    for (name, count) in counts {
        row(name, count);
        all.found += count.found;
        all.missed += count.missed;
        all.wrong += count.wrong;
    }
    row("all", &all);
    all
}

fn print(name: &str, part: &str, counts: &Counts) {
    let all = print_rows(name, part, counts);
    println!("recall {:.3}, precision {:.3}\n", share(all.found, all.missed), share(all.found, all.wrong));
}
