//! The answer in words.

use crate::output::{Aspect, JudgedText};

/// The label with what shows it, the things asked about, or a line for each text.
pub(crate) fn summary(items: &[JudgedText], aspects: &[Aspect], asked: &[String]) -> String {
    if !asked.is_empty() && !aspects.is_empty() {
        let parts: Vec<String> = aspects.iter().map(|aspect| format!("{}: {}", aspect.name, aspect.label)).collect();
        return format!("{}.", parts.join(", "));
    }
    let because = |item: &JudgedText| {
        let words: Vec<String> = item.based_on.iter().take(4).map(|word| format!("\"{}\"", word.word)).collect();
        if words.is_empty() { "no word judges anything".to_owned() } else { words.join(", ") }
    };
    if let [only] = items {
        let mut text = format!("{}: {}", capital(only.label), because(only));
        if !aspects.is_empty() && aspects.len() > 1 {
            let parts: Vec<String> = aspects.iter().map(|aspect| format!("{} {}", aspect.name, aspect.label)).collect();
            text.push_str(&format!("; {}", parts.join(", ")));
        }
        text.push('.');
        return text;
    }
    let count = |label: &str| items.iter().filter(|item| item.label == label).count();
    let counts: Vec<String> = ["positive", "negative", "neutral", "mixed"]
        .iter()
        .filter(|label| count(label) > 0)
        .map(|label| format!("{} {label}", count(label)))
        .collect();
    let line = |(at, item): (usize, &JudgedText)| {
        format!("{}: {}", item.name.clone().unwrap_or_else(|| (at + 1).to_string()), item.label)
    };
    let lines: Vec<String> = items.iter().enumerate().map(line).collect();
    format!("{} texts, {}.\n{}", items.len(), counts.join(", "), lines.join("\n"))
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}
