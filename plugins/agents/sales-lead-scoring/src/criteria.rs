//! Rules of the person's own: points for what a lead has, or an order of kinds.

use agent_common::quantity;
use agent_common::sentences::stems;

use crate::person::Person;
use crate::signals;

/// One thing that counts, and what it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    pub text: String,
    pub points: f64,
}

/// Criteria of which at most one applies.
pub type Group = Vec<Criterion>;

/// The rules of a task; empty where it has none.
pub fn read(task: &str, people: &[Person]) -> Vec<Group> {
    let said: Vec<&str> =
        task.lines().filter(|line| !people.iter().any(|person| line.contains(&person.name))).collect();
    let tiers = said.iter().find_map(|line| tiers(line));
    if let Some(tiers) = tiers {
        return vec![tiers];
    }
    let groups: Vec<Group> = said.iter().map(|line| points(line)).filter(|group| !group.is_empty()).collect();
    let count: usize = groups.iter().map(Vec::len).sum();
    if count < 2 {
        return Vec::new();
    }
    // `+30, +25` add up; `decision maker = 10, influencer = 5` shut each other out.
    let adds = |line: &&str| line.contains(" +") || line.contains("points for") || line.contains(" -");
    if said.iter().any(|line| adds(line) && points(line).len() > 1) || groups.iter().all(|group| group.len() == 1) {
        return groups.into_iter().flatten().map(|one| vec![one]).collect();
    }
    groups
}

/// `demo request +30`, `other = 0`, `20 points for a budget`.
fn points(line: &str) -> Group {
    let body = line.split_once(": ").filter(|(head, _)| !head.contains(['+', '='])).map_or(line, |(_, rest)| rest);
    let part = |part: &str| {
        let part = part.trim().trim_end_matches(['.', ';']).trim_start_matches(['-', '*', '•', ' ']);
        let at = part.rfind(['+', '=', '-', '−', ':', '→']).filter(|at| *at > 0)?;
        let (name, value) = part.split_at_checked(at)?;
        let value: String = value.chars().filter(|c| c.is_ascii_digit() || matches!(c, '-' | '−' | '.')).collect();
        let points: f64 = value.replace('−', "-").parse().ok()?;
        let name = name.trim().trim_end_matches(['=', ':', '-', ' ', '>']);
        (name.chars().any(char::is_alphabetic) && !name.contains('@'))
            .then(|| Criterion { text: name.to_lowercase(), points })
    };
    let spoken = |part: &str| {
        let lower = part.trim().to_lowercase();
        let (value, name) = lower.split_once(" points for ").or_else(|| lower.split_once(" for "))?;
        let points = quantity::scan(value).into_iter().next_back()?.value;
        Some(Criterion { text: name.trim_end_matches('.').to_owned(), points })
    };
    body.split([',', ';']).filter_map(|one| part(one).or_else(|| spoken(one))).collect()
}

/// `A leads asked for a quote, B leads asked for a demo`
fn tiers(line: &str) -> Option<Group> {
    let body = line.split_once(": ").map_or(line, |(_, rest)| rest);
    let mut group = Group::new();
    for part in body.split([',', ';']) {
        let part = part.trim().trim_end_matches('.');
        let mut words = part.split_whitespace();
        let letter = words.next()?.trim_end_matches([':', '=']);
        let own = group.len();
        if letter.len() != 1 || letter.bytes().next()? != b'A' + u8::try_from(own).ok()? {
            return None;
        }
        let rest: Vec<&str> = words
            .skip_while(|word| ["lead", "leads", "=", ":", "-", "is", "are", "means", "have", "has"].contains(word))
            .collect();
        let points = 100.0 - 25.0 * f64::from(u32::try_from(own).ok()?);
        group.push(Criterion { text: rest.join(" ").to_lowercase(), points });
    }
    (group.len() > 1).then_some(group)
}

/// The points of a lead by rules, with what counted.
pub fn score(person: &Person, groups: &[Group]) -> Vec<(String, f64)> {
    let mut counted = Vec::new();
    for group in groups {
        let rest = |one: &&Criterion| REST.contains(&one.text.split_whitespace().next_back().unwrap_or_default());
        let found = group.iter().filter(|one| !rest(one)).find(|one| meets(person, &one.text));
        if let Some(one) = found.or_else(|| group.iter().find(rest)) {
            counted.push((one.text.clone(), one.points));
        }
    }
    counted
}

const REST: [&str; 7] = ["other", "others", "later", "else", "otherwise", "rest", "none"];

/// Criteria that no lead meets and that are none of the known kinds cannot be judged.
pub fn unknown(people: &[Person], groups: &[Group]) -> Option<String> {
    let all = groups
        .iter()
        .flatten()
        .filter(|one| !REST.contains(&one.text.split_whitespace().next_back().unwrap_or_default()));
    let known = |text: &str| {
        [
            "demo",
            "budget",
            "employee",
            "mail",
            "director",
            "level",
            "quote",
            "trial",
            "month",
            "address",
            "nothing",
            "decision",
            "user",
            "influencer",
        ]
        .iter()
        .any(|word| text.contains(word))
    };
    all.filter(|one| !known(&one.text))
        .find(|one| !people.iter().any(|person| meets(person, &one.text)))
        .map(|one| one.text.clone())
}

fn meets(person: &Person, criterion: &str) -> bool {
    let text = signals::lower(person);
    if let Some((first, second)) = criterion.split_once(" or ") {
        return meets(person, first) || meets(person, second);
    }
    let numbers = quantity::scan(criterion);
    if criterion.contains("employee")
        || criterion.contains("people")
        || criterion.contains("staff")
        || criterion.contains("mitarbeiter")
    {
        return compare(criterion, &numbers, signals::employees(person));
    }
    if criterion.contains("month") && !numbers.is_empty() {
        let months = quantity::scan(&text)
            .into_iter()
            .find(|q| q.unit.as_deref().is_some_and(|unit| unit.starts_with("month")))
            .map(|q| q.value);
        return compare(criterion, &numbers, months);
    }
    if criterion.contains("budget") {
        let budget = signals::budget(person).filter(|budget| *budget > 0.0);
        return if numbers.is_empty() {
            budget.is_some() || signals::says(&text, "budget")
        } else {
            compare(criterion, &numbers, budget)
        };
    }
    const FREE: [&str; 9] =
        ["gmail.", "hotmail.", "yahoo.", "outlook.com", "gmx.", "web.de", "icloud.", "aol.", "proton"];
    if criterion.contains("free") && criterion.contains("mail") {
        return FREE.iter().any(|domain| text.contains(domain));
    }
    if criterion.contains("mail") || criterion.contains("address") {
        let business = text.contains('@') && !FREE.iter().any(|domain| text.contains(domain));
        return if criterion.contains("business")
            || criterion.contains("company")
            || criterion.contains("work")
            || criterion.contains("corporate")
        {
            business
        } else {
            text.contains('@')
        };
    }
    if criterion.contains("c-level") || criterion.contains("c level") {
        return ["ceo", "coo", "cfo", "cto", "cio", "cmo", "cro", "chief"]
            .iter()
            .any(|title| signals::says(&text, title));
    }
    if criterion.contains("demo") {
        return signals::says(&text, "demo");
    }
    by_words(criterion, &text)
}

/// Whether a text has all words of a criterion that say something.
fn by_words(criterion: &str, text: &str) -> bool {
    let plain: Vec<&str> = criterion
        .split_whitespace()
        .filter(|word| {
            ![
                "asked",
                "for",
                "a",
                "an",
                "the",
                "something",
                "leads",
                "is",
                "has",
                "role",
                "industry",
                "timeline",
                "title",
                "sector",
                "country",
                "company",
                "size",
            ]
            .contains(word)
        })
        .collect();
    let have = stems(text);
    let wanted = stems(&plain.join(" "));
    !wanted.is_empty()
        && wanted.iter().all(|stem| have.contains(stem))
        && plain
            .iter()
            .all(|word| word.len() < 4 || signals::says(text, word) || have.iter().any(|one| wanted.contains(one)))
}

/// `more than 100 employees`, `under 3 months`, `3-6 months`
fn compare(criterion: &str, numbers: &[quantity::Quantity], value: Option<f64>) -> bool {
    let Some(value) = value else { return false };
    let amounts: Vec<f64> = numbers.iter().map(|q| q.value.abs()).collect();
    let has = |words: &[&str]| words.iter().any(|word| criterion.contains(word));
    match amounts.as_slice() {
        [low, high, ..] => (*low..=*high).contains(&value),
        [bound] if has(&["under", "less", "below", "within", "up to", "fewer", "<", "at most", "max"]) => {
            if has(&["within", "up to", "at most", "max"]) { value <= *bound } else { value < *bound }
        }
        [bound] if has(&["at least", "from", "minimum", "+"]) => value >= *bound,
        [bound] => value > *bound,
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str, text: &str) -> Person {
        Person { name: name.to_owned(), text: text.to_owned(), ..Person::default() }
    }

    fn totals(task: &str, people: &[Person]) -> Vec<f64> {
        let groups = read(task, people);
        people.iter().map(|one| score(one, &groups).iter().map(|(_, points)| points).sum()).collect()
    }

    #[test]
    fn rules_are_kept() {
        let people = [
            person("Nadia", "Nadia, COO, 240 employees, nadia@dunesoft.ae, asked for a demo, budget 50k"),
            person("Felix", "Felix, developer, 500 employees, felix@wendtwerke.de"),
            person("Carol", "Carol, office assistant, 4 employees, carol88@gmail.com, asked for a demo"),
        ];
        let task = "Use MY points: demo request +30, director or C-level +25, more than 100 employees +20, budget named +15, free e-mail address -20.";
        assert_eq!(totals(task, &people), [90.0, 20.0, 10.0]);
        let people = [
            person("A", "A (manufacturing, influencer, 2 months)"),
            person("B", "B (retail, decision maker, 5 months)"),
            person("C", "C (manufacturing, user, next year)"),
        ];
        let task = "Industry manufacturing = 10, other = 0\nRole decision maker = 10, influencer = 5, user = 1\nTimeline under 3 months = 10, 3-6 months = 5, later = 0";
        assert_eq!(totals(task, &people), [25.0, 15.0, 11.0]);
        let people = [
            person("Y", "Y downloaded the whitepaper"),
            person("K", "K asked for a quote"),
            person("S", "S did nothing so far"),
        ];
        let task = "Our rule: A leads asked for a quote, B leads asked for a demo, C leads downloaded something, D leads did nothing.";
        assert_eq!(totals(task, &people), [50.0, 100.0, 25.0]);
    }
}
