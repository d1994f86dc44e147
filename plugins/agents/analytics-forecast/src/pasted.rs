//! A task without the marks of the place it was copied from, and with whole numbers written plainly.

use agent_common::{function_words, patterns};

/// Languages that part thousands with a point.
const POINTED: [&str; 8] = ["de", "es", "it", "pt", "nl", "da", "tr", "id"];

/// The same words without times and names of a chat, comment signs, points in thousands, and hours glued to numbers.
pub fn of(task: &str) -> String {
    let lines: Vec<String> = task.lines().map(unmarked).collect();
    let text = hours(&lines.join("\n"));
    years(&spaced(&whole(&parted(&text))))
}

/// `Jun 52 - forecast Q3`: the dash parts the values from what is asked.
fn parted(text: &str) -> String {
    let pattern =
        r"(\d) [-–—]+>? ((?i:forecast|predict|what|next|give|please|pls|estimate|project|how|extrapolate|continue)\b)";
    match patterns::compiled(pattern) {
        Some(regex) => regex.replace_all(text, "$1. $2").into_owned(),
        None => text.to_owned(),
    }
}

/// `2018 – 4 810 kWh` is 4810, where several values are written so.
fn spaced(text: &str) -> String {
    let Some(regex) = patterns::compiled(r"([–—:=]\s*)(\d{1,3})[ \u{a0}\u{202f}](\d{3})\b") else {
        return text.to_owned();
    };
    if regex.find_iter(text).count() < 3 {
        return text.to_owned();
    }
    regex.replace_all(text, "$1$2$3").into_owned()
}

/// `EUR 18,240 in 2019, EUR 18,905 in 2020` is `2019: 18,240, 2020: 18,905`.
fn years(text: &str) -> String {
    let pattern = r"(?:EUR|USD|GBP|[€$£])?\s?(\d[\d.,]*\d|\d)(?:\s?(?:EUR|euros?|[€$£]|kWh|units|pieces|people|members|tonnes|kg))?\s+(?:in|en|im Jahr)\s+((?:19|20)\d\d)\b";
    let Some(regex) = patterns::compiled(pattern) else { return text.to_owned() };
    let found: Vec<i32> = regex.captures_iter(text).filter_map(|one| one.get(2)?.as_str().parse().ok()).collect();
    let in_turn = found.windows(2).all(|pair| matches!(pair, [a, b] if *b == a + 1));
    if found.len() < 4 || !in_turn {
        return text.to_owned();
    }
    let named: Vec<String> = regex
        .captures_iter(text)
        .filter_map(|one| Some(format!("{}: {}", one.get(2)?.as_str(), one.get(1)?.as_str())))
        .collect();
    let end = regex.find_iter(text).last().map_or(text.len(), |last| last.end());
    let start = regex.find(text).map_or(0, |first| first.start());
    let head = text.get(..start).unwrap_or_default().trim_end();
    let head = head.rfind(['.', '\n', ':', ',']).and_then(|at| head.get(..=at)).unwrap_or_default();
    let head = head.trim_end();
    format!("{head}\n{}\n{}", named.join("\n"), text.get(end..).unwrap_or_default().trim_start_matches([',', '.', ' ']))
}

fn unmarked(line: &str) -> String {
    // `values = [1, 2]; // one per release`
    let line = line
        .find("; //")
        .or_else(|| line.find("] //"))
        .or_else(|| line.find("]  #"))
        .and_then(|at| line.get(..=at))
        .unwrap_or(line);
    let line = line.strip_prefix("//").or_else(|| line.strip_prefix("# ")).map_or(line, str::trim_start);
    // `[09:12] Vik: …`, `09:12 <Vik> …`
    let chat = r"^\s*(?:\[\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?\]\s*(?:<?[A-Za-z][A-Za-z .]{0,20}>?:?\s)?|\d{1,2}:\d{2}\s+<[A-Za-z .]{1,20}>\s*)";
    match patterns::compiled(chat).and_then(|chat| chat.find(line).map(|found| found.end())) {
        Some(end) => line.get(end..).unwrap_or_default().to_owned(),
        None => line.to_owned(),
    }
}

/// `0h 100, 1h 205` is `hour 0: 100, hour 1: 205`.
fn hours(text: &str) -> String {
    let pairs = r"\b(\d{1,3})\s?(?:h|hrs?)\b[:=]?\s+(\d)";
    let Some(regex) = patterns::compiled(pairs) else { return text.to_owned() };
    if regex.find_iter(text).count() < 4 {
        return text.to_owned();
    }
    let text = regex.replace_all(text, "hour $1: $2").into_owned();
    match patterns::compiled(r"\b(\d{1,3})\s?(?:h|hrs?)\b") {
        Some(alone) => alone.replace_all(&text, "hour $1").into_owned(),
        None => text,
    }
}

/// `1.180` in a German text is 1180, where nothing else with a point is read.
fn whole(text: &str) -> String {
    let numbers = patterns::all(r"\b\d+(?:[.,:/-]\d+)+\b", text);
    let pointed = |number: &String| patterns::is_match(r"^[1-9]\d{0,2}(\.\d{3})+$", number);
    let decimal = |number: &String| patterns::is_match(r"^\d+\.\d+$", number) && !pointed(number);
    let language = function_words::detect(text).is_some_and(|code| POINTED.contains(&code)) || months(text);
    if !language || numbers.iter().any(decimal) || numbers.iter().filter(|n| pointed(n)).count() < 2 {
        return text.to_owned();
    }
    match patterns::compiled(r"\b([1-9]\d{0,2})\.(\d{3})\b") {
        Some(regex) => regex.replace_all(text, "$1$2").into_owned(),
        None => text.to_owned(),
    }
}

/// Names of months of those languages.
fn months(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["januar", "märz", "juni ", "juli ", "dezember", "enero", "febrero", "gennaio", "janeiro", "januari"]
        .iter()
        .filter(|month| lower.contains(**month) && !lower.contains("january"))
        .count()
        >= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_points() {
        let cases = [
            ("[09:12] Vik: last sprints: 34 36 33", "last sprints: 34 36 33"),
            ("# horizon=4", "horizon=4"),
            (
                "2018 – 4 810 kWh, 2019 – 4 650 kWh, 2020 – 4 505 kWh",
                "2018 – 4810 kWh, 2019 – 4650 kWh, 2020 – 4505 kWh",
            ),
            (
                "Hi,\nwe paid EUR 18,240 in 2019, EUR 18,905 in 2020, EUR 19,610 in 2021 and 20,280 in 2022 for water. 2023?",
                "Hi,\n2019: 18,240\n2020: 18,905\n2021: 19,610\n2022: 20,280\nfor water. 2023?",
            ),
            ("Januar: 1.180\nFebruar: 1.225\nMärz: 1.262", "Januar: 1180\nFebruar: 1225\nMärz: 1262"),
            ("January: 1.180, February: 1.225, March 1.262", "January: 1.180, February: 1.225, March 1.262"),
            (
                "0h 100, 1h 205, 2h 398, 3h 810; at 4h?",
                "hour 0: 100, hour 1: 205, hour 2: 398, hour 3: 810; at hour 4?",
            ),
        ];
        for (task, expect) in cases {
            assert_eq!(of(task), expect);
        }
    }
}
