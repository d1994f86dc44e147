//! Series of numbers with their labels, out of tables, lists, pairs and sentences.

use serde_json::Value;

pub use crate::labelled_values::{Series, Source};
use crate::request::{PieceKind, Request};
use crate::{series_lines, series_prose, series_table};

/// The series of a task, in order; several where it has several columns, groups or lists. Empty without one of two
/// numbers at least.
#[must_use]
pub fn read(task: &str, request: &Request) -> Vec<Series> {
    let mut found = as_written(task, request);
    found.iter_mut().for_each(clean_labels);
    if in_millions(task) {
        for series in &mut found {
            series.values.iter_mut().for_each(|value| *value = exactly(*value, 6));
        }
    }
    found
}

/// `Temps today 08:00 11.5, 09:00 12.1`, `2 June I had 900`: words around a time are no part of the label.
fn clean_labels(series: &mut Series) {
    let reads = |label: &str| crate::periods::read(label, None).is_some() || day_and_month(label);
    let read = series.labels.iter().filter(|label| reads(label)).count();
    if read == series.labels.len() || read * 2 < series.labels.len() {
        return;
    }
    for label in series.labels.iter_mut().filter(|label| !reads(label)) {
        let words: Vec<&str> = label.split_whitespace().collect();
        let parts = (0..words.len()).flat_map(|from| (from + 1..=words.len()).rev().map(move |to| (from, to)));
        let found = parts.filter_map(|(from, to)| words.get(from..to)).map(|part| part.join(" "));
        if let Some(text) = found.filter(|text| reads(text)).max_by_key(String::len) {
            *label = text;
        }
    }
}

/// `5 May`, `May 5`.
fn day_and_month(label: &str) -> bool {
    crate::dates::read(&format!("{label} 2023"), None).is_some()
}

/// `1.2m` is a length only where the task speaks of lengths.
fn in_millions(task: &str) -> bool {
    const LENGTHS: [&str; 14] = [
        "height", "length", "depth", "distance", "metre", "meter", "level", "tall", "jump", "width", "long", "tide",
        "rain", "snow",
    ];
    let lower = task.to_lowercase();
    let amounts = crate::quantity::scan(task);
    let small = amounts.iter().filter(|q| q.unit.as_deref() == Some("m") && q.value < 1e4).count();
    let plain = amounts.iter().filter(|q| q.unit.as_deref() != Some("m") && q.value >= 1e4).count();
    let metric = amounts.iter().any(|q| matches!(q.unit.as_deref(), Some("cm" | "mm" | "km")));
    small > 2 && plain == 0 && !metric && !LENGTHS.iter().any(|word| lower.contains(word))
}

/// A value times a power of ten, by its digits, so that 1.1 makes no 1100000.0000000002.
fn exactly(value: f64, power: u32) -> f64 {
    format!("{value}e{power}").parse().unwrap_or(value)
}

fn as_written(task: &str, request: &Request) -> Vec<Series> {
    let text = if request.material.is_empty() { task.to_owned() } else { labelled_text(request) };
    let json = json(request);
    if !json.is_empty() {
        return json;
    }
    let lines = series_lines::read(&text);
    if !lines.is_empty() {
        return lines;
    }
    let mut found: Vec<Series> = Vec::new();
    let tables = request.tables();
    found.extend(tables.iter().flat_map(series_table::read));
    let whole = found.is_empty().then(|| series_prose::read(task));
    let list = series_lines::longest(&text).or_else(|| series_lines::longest(task));
    let prose = series_prose::read(&text).or(whole.flatten());
    let most: usize = found.iter().map(|series| series.values.len()).sum();
    if found.iter().all(|one| one.source == Source::Pairs) && prose.as_ref().is_some_and(|one| one.values.len() > most)
    {
        found.clear();
    }
    found.extend(prose);
    let most = found.iter().map(|series| series.values.len()).max().unwrap_or(0);
    if let Some(pairs) = in_sentence(&text).filter(|pairs| pairs.values.len() > most) {
        found = vec![pairs];
    }
    let most = found.iter().map(|series| series.values.len()).max().unwrap_or(0);
    let tabled = found.iter().any(|series| series.source == Source::Table);
    match list.filter(|_| !tabled) {
        // Numbers alone are the series only where nothing with labels is about as long.
        Some(list) if list.values.len() > 2 && longer(list.values.len(), most, &found) => vec![list],
        list => {
            let table: Vec<Series> = found.iter().filter(|one| one.source < Source::Prose).cloned().collect();
            let prose = found.into_iter().filter(|one| one.source == Source::Prose);
            let found = if table.is_empty() { prose.collect() } else { table };
            if found.is_empty() { list.into_iter().collect() } else { found }
        }
    }
}

/// The material with the labels of its items before them.
fn labelled_text(request: &Request) -> String {
    if request.material.iter().all(|piece| piece.label.is_none() || piece.kind != PieceKind::ListItem) {
        return request.text();
    }
    let line = |piece: &crate::request::Piece| match &piece.label {
        Some(label) if piece.kind == PieceKind::ListItem && label.chars().any(char::is_alphabetic) => {
            format!("{label}: {}", piece.text)
        }
        _ => piece.text.clone(),
    };
    request.material.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a list of numbers alone is the series rather than what was found with labels; `2019 5000, 2020 5150` is a
/// list of twice as many.
fn longer(list: usize, most: usize, found: &[Series]) -> bool {
    let timed = |series: &Series| series.labels.iter().all(|label| crate::periods::read(label, None).is_some());
    if found.iter().any(timed) { list > 2 * most + 1 } else { list > most + most / 4 }
}

/// The longest list of pairs in one sentence: `Not 28. Jan 78, Feb 80, Mar 79.`
fn in_sentence(text: &str) -> Option<Series> {
    let sentences = text.lines().flat_map(crate::sentences::split).map(|sentence| sentence.text);
    let tables = sentences.filter_map(crate::pairs::read);
    let found = tables.flat_map(|table| series_table::read(&table));
    found.reduce(|best, next| if next.values.len() > best.values.len() { next } else { best })
}

/// Arrays of numbers in JSON.
fn json(request: &Request) -> Vec<Series> {
    let numbers = |value: &Value| -> Option<Vec<f64>> {
        value.as_array().filter(|list| list.len() > 1)?.iter().map(Value::as_f64).collect()
    };
    let mut found = Vec::new();
    for piece in &request.material {
        let PieceKind::Json(value) = &piece.kind else { continue };
        if let Some(values) = numbers(value) {
            found.push(Series { name: piece.label.clone(), ..Series::of(Source::Table, Vec::new(), values) });
        }
        let Some(object) = value.as_object() else { continue };
        let labels: Option<Vec<String>> = object.values().find_map(|value| {
            value.as_array().filter(|list| list.len() > 1)?.iter().map(|v| v.as_str().map(str::to_owned)).collect()
        });
        for (name, value) in object {
            if let Some(values) = numbers(value) {
                let labels = labels.clone().filter(|labels| labels.len() == values.len()).unwrap_or_default();
                found.push(Series { name: Some(name.clone()), ..Series::of(Source::Table, labels, values) });
            }
        }
        // `{"2024-01": 5, "2024-02": 6}`
        let flat: Option<Vec<(String, f64)>> =
            object.iter().map(|(name, value)| Some((name.clone(), value.as_f64()?))).collect();
        if let Some(flat) = flat.filter(|flat| flat.len() > 2) {
            let (labels, values) = flat.into_iter().unzip();
            found.push(Series::of(Source::Table, labels, values));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(series: &Series) -> String {
        let cell = |at: usize, value: &f64| series.label(at).map_or(format!("{value}"), |l| format!("{l}={value}"));
        let cells: Vec<String> = series.values.iter().enumerate().map(|(at, value)| cell(at, value)).collect();
        let name = series.name.as_ref().map_or(String::new(), |name| format!("{name}> "));
        let ahead = if series.ahead.is_empty() { String::new() } else { format!(" ahead {}", series.ahead.join(",")) };
        let gaps = if series.gaps.is_empty() { String::new() } else { format!(" gaps {}", series.gaps.join(",")) };
        format!("{name}{}{ahead}{gaps}", cells.join(" "))
    }

    #[test]
    fn series_of_all_kinds() {
        let cases: &[(&str, &[&str])] = &[
            ("Predict the next value: 88 91 87 90 92 89", &["88 91 87 90 92 89"]),
            ("forecast 3 more\n12\n14\n15\n17\n", &["12 14 15 17"]),
            ("stats = [100, 98, 102, 23]\none is special, find it", &["100 98 102 23"]),
            ("Values in degrees: 18,9; 17,3; 17,0; 29,4. Which is odd?", &["18.9 17.3 17 29.4"]),
            (
                "month,sold,returns\n2024-01,5,1\n2024-02,6,0\n2024-03,8,1\n",
                &["sold> 2024-01=5 2024-02=6 2024-03=8", "returns> 2024-01=1 2024-02=0 2024-03=1"],
            ),
            (
                "date,shop,sales\n2024-01,A,5\n2024-01,B,50\n2024-02,A,6\n2024-02,B,60\n2024-03,A,7\n2024-03,B,70\n",
                &["A> 2024-01=5 2024-02=6 2024-03=7", "B> 2024-01=50 2024-02=60 2024-03=70"],
            ),
            (
                "shop,Jan,Feb,Mar,Apr\nNorth,1,2,3,4\nSouth,5,6,7,8\nTotal,6,8,10,12",
                &["North> Jan=1 Feb=2 Mar=3 Apr=4", "South> Jan=5 Feb=6 Mar=7 Apr=8"],
            ),
            (
                "Year | Q | Sales\n--- | --- | ---\n2023 | Q3 | 5\n2023 | Q4 | 6\n2024 | Q1 | 7\n",
                &["Sales> Q3 2023=5 Q4 2023=6 Q1 2024=7"],
            ),
            ("Sales: Jan 210, Feb 214, Mar 219. And April?", &["Jan=210 Feb=214 Mar=219"]),
            (
                "Head count.\n2022: Q1 140, Q2 146, Q3 151, Q4 158\n2023: Q1 163, Q2 170, Q3 175, Q4 181\nQ1 2024?",
                &["Q1 2022=140 Q2 2022=146 Q3 2022=151 Q4 2022=158 Q1 2023=163 Q2 2023=170 Q3 2023=175 Q4 2023=181"],
            ),
            (
                "Find the odd day.\nLine A: 1 May 30, 2 May 31, 3 May 29\nLine B: 1 May 80, 2 May 82, 3 May 20",
                &["Line A> 1 May=30 2 May=31 3 May=29", "Line B> 1 May=80 2 May=82 3 May=20"],
            ),
            ("Two sensors.\nS1: 5 6 5 7\nS2: 50 51 12 50\nOutliers?", &["S1> 5 6 5 7", "S2> 50 51 12 50"]),
            (
                "When I opened in 2018 I had 210 regulars. A year later it was 228, then 240, 261, 275 and 290, and at \
                 the end of 2024 I counted 312. How many will there be at the end of next year?",
                &["2018=210 2019=228 2020=240 2021=261 2022=275 2023=290 2024=312"],
            ),
            (
                "We filled forty boxes in the first week, forty-four in the second, forty-seven in the third and \
                 fifty-two in the fourth. How many for week five?",
                &["week 1=40 week 2=44 week 3=47 week 4=52"],
            ),
            (
                "In January we sold 120 pots, in February 135, and March brought 150. April was 161. What about May?",
                &["January=120 February=135 March=150 April=161"],
            ),
            ("month,kg\nJan,5\nFeb,6\nMar,\nApr,8\nMay,?\nJun,?\n", &["kg> Jan=5 Feb=6 Apr=8 ahead May,Jun gaps Mar"]),
            ("Forecast: Jan ?, Feb ?, Mar ?", &[]),
            ("Find the anomalies in our data.", &[]),
            ("Temps today 08:00 11.5, 09:00 12.1, 10:00 12.9. Next?", &["08:00=11.5 09:00=12.1 10:00=12.9"]),
            (
                "Monday I sold 31 papers, Tuesday 29, Wednesday 33 and Thursday 30. How many on Friday?",
                &["Monday=31 Tuesday=29 Wednesday=33 Thursday=30"],
            ),
            ("Week 31: 220 kg, week 32: 225 kg, week 33: 223 kg.", &["week 31=220 week 32=225 week 33=223"]),
            ("Lea 1.72 m, Noor 168 cm, Piet 17.5 m. Whose entry?", &["Lea=1.72 Noor=1.68 Piet=17.5"]),
            ("Oops: not 28. Visitors in Jan 78, Feb 80, Mar 79.", &["Jan=78 Feb=80 Mar=79"]),
            ("Q1 2024 1.2m, Q2 2024 1.3m, Q3 2024 1.35m", &["Q1 2024=1200000 Q2 2024=1300000 Q3 2024=1350000"]),
            ("Temps: {\"values\":[1,2,3,9],\"t\":[\"a\",\"b\",\"c\",\"d\"]}", &["values> a=1 b=2 c=3 d=9"]),
        ];
        let mut wrong = Vec::new();
        for (task, expect) in cases {
            let request = Request::read(task);
            let all: Vec<String> = read(task, &request).iter().map(shown).collect();
            if all != *expect {
                wrong.push(format!("{task}\n  got  {all:?}\n  want {expect:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
