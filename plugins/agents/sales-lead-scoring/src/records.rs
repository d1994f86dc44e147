//! Leads that stand in one line each as labels with values: `user=ann plan=trial`, `Firm: X. Person: owner.`

use agent_common::patterns;

use crate::person::Person;

/// The pairs of a line.
fn pairs(line: &str) -> Vec<(String, String)> {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    let keyed = both(r"([A-Za-z_]{2,24})=([^\s;,]+)", line);
    if keyed.len() > 2 && !line.contains(';') {
        return keyed;
    }
    let mut all = Vec::new();
    for part in split(line) {
        let Some((label, value)) = part.split_once([':', '=']) else { return Vec::new() };
        let (label, value) = (label.trim(), value.trim());
        if label.is_empty() || label.split_whitespace().count() > 3 || label.contains(['.', ',', '"', '(']) {
            return Vec::new();
        }
        all.push((label.to_owned(), value.trim_end_matches('.').to_owned()));
    }
    all
}

/// A line at `;`, `|`, or where a sentence ends before the next label.
fn split(line: &str) -> Vec<String> {
    if let Some(sign) = [';', '|'].into_iter().find(|sign| line.matches(*sign).count() > 1) {
        return line.split(sign).map(str::to_owned).filter(|part| !part.trim().is_empty()).collect();
    }
    let Some(regex) = patterns::compiled(r"[.,] ([A-Z][A-Za-z ]{1,20}: )") else { return Vec::new() };
    let parted = regex.replace_all(line, "\n$1").into_owned();
    parted.lines().map(str::to_owned).collect()
}

fn both(pattern: &str, line: &str) -> Vec<(String, String)> {
    let Some(regex) = patterns::compiled(pattern) else { return Vec::new() };
    regex
        .captures_iter(line)
        .filter_map(|one| Some((one.get(1)?.as_str().to_owned(), one.get(2)?.as_str().to_owned())))
        .collect()
}

/// The leads of a task whose lines all begin with the same label; empty where there are fewer than two.
pub fn read(task: &str) -> Vec<Person> {
    let all: Vec<Vec<(String, String)>> = task.lines().map(pairs).filter(|pairs| pairs.len() > 1).collect();
    let first = |pairs: &Vec<(String, String)>| pairs.first().map(|(label, _)| label.to_lowercase());
    let Some(label) = all.first().and_then(first) else { return Vec::new() };
    if all.len() < 2 || all.iter().any(|pairs| first(pairs).as_ref() != Some(&label)) {
        return Vec::new();
    }
    let people: Vec<Person> = all
        .into_iter()
        .filter_map(|fields| {
            // What the first label names is what the lead is called.
            let name = fields
                .first()
                .filter(|(label, _)| !label.to_lowercase().contains("mail"))
                .map(|(_, value)| value.clone());
            let person = Person::of_fields(fields)?;
            let name = name.unwrap_or_else(|| person.name.clone());
            Some(Person { name, ..person })
        })
        .collect();
    let mut names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
    names.dedup();
    if names.len() > 1 { people } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_labels() {
        let cases = [
            ("sort:\n\nuser=lor plan=trial days_active=12\nuser=mca plan=trial days_active=1", "lor|mca"),
            (
                "Firm: Elmore Vets. Person: owner. Wants: demo.\nFirm: Fen Pets. Person: clerk. Wants: nothing.",
                "Elmore Vets|Fen Pets",
            ),
            ("Name: May O; Role: CFO; Requested: call\nName: Nev S; Role: clerk; Requested: nothing", "May O|Nev S"),
            ("Ann: asked for a demo\nBob: unsubscribed", ""),
        ];
        for (task, expect) in cases {
            let names: Vec<String> = read(task).into_iter().map(|person| person.name).collect();
            assert_eq!(names.join("|"), expect, "{task}");
        }
    }
}
