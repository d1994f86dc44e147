//! One person who is named twice.

use crate::person::Person;

/// Name and company: what a lead is called in a list of doubles.
pub fn shown(person: &Person) -> String {
    match &person.lead.company {
        Some(company) if *company != person.name => format!("{}, {company}", person.name),
        _ => person.name.clone(),
    }
}

/// A name without order, case and marks: `Krüger, Sabine` is `Sabine Krüger`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = name
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty() && !["dr", "mr", "mrs", "ms", "prof", "herr", "frau"].contains(part))
        .map(str::to_owned)
        .collect();
    parts.sort();
    parts
}

/// A company without its legal form.
fn company(name: &str) -> String {
    const FORMS: [&str; 16] = [
        "ltd", "limited", "gmbh", "ag", "inc", "llc", "plc", "bv", "oü", "sa", "srl", "sarl", "co", "corp", "kg", "ab",
    ];
    let lower = name.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty() && !FORMS.contains(word));
    words.collect::<Vec<_>>().join(" ")
}

fn same(a: &Person, b: &Person) -> bool {
    let email = |person: &Person| person.lead.email.as_ref().map(|email| email.trim().to_lowercase());
    let named = a.lead.name.is_some() && b.lead.name.is_some() && parts(&a.name) == parts(&b.name);
    let address = email(a).is_some() && email(a) == email(b);
    let firm = match (&a.lead.company, &b.lead.company) {
        (Some(a), Some(b)) => company(a) == company(b),
        _ => true,
    };
    let unlike = email(a).zip(email(b)).is_some_and(|(a, b)| a != b);
    // One number for two names that share a part of them.
    let digits = |person: &Person| -> Option<String> {
        let digits: String = person.lead.phone.as_ref()?.chars().filter(char::is_ascii_digit).collect();
        (digits.len() > 6).then_some(digits)
    };
    let last = parts(&a.name).iter().any(|part| part.len() > 2 && parts(&b.name).contains(part));
    let phone = digits(a).is_some() && digits(a) == digits(b) && last;
    address || phone || (named && firm && !(unlike && a.lead.company.is_none()))
}

/// The doubles that the bridge found and those that the words tell.
pub fn joined(people: &[Person], found: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = found.into_iter().filter(|group| group.len() > 1).collect();
    for (at, person) in people.iter().enumerate() {
        for (other, _) in people.iter().enumerate().skip(at + 1).filter(|(_, other)| same(person, other)) {
            let own = groups.iter().position(|group| group.contains(&at) || group.contains(&other));
            match own.and_then(|own| groups.get_mut(own)) {
                Some(group) => [at, other].into_iter().for_each(|one| {
                    if !group.contains(&one) {
                        group.push(one);
                    }
                }),
                None => groups.push(vec![at, other]),
            }
        }
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups
}

/// A lead with all that its doubles say.
pub fn merged(at: usize, person: &Person, people: &[Person], doubles: &[Vec<usize>]) -> Person {
    let mut person = person.clone();
    let group = doubles.iter().find(|group| group.first() == Some(&at));
    for other in group.into_iter().flatten().filter(|other| **other != at).filter_map(|other| people.get(*other)) {
        person.text = format!("{}; {}", person.text, other.text);
        let (own, new) = (&mut person.lead, other.lead.clone());
        own.email = own.email.take().or(new.email);
        own.title = own.title.take().or(new.title);
        own.company = own.company.take().or(new.company);
        own.phone = own.phone.take().or(new.phone);
        own.employees = own.employees.or(new.employees);
    }
    person
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leads::Lead;

    fn person(name: &str, email: Option<&str>, company: Option<&str>) -> Person {
        let text = |text: &str| text.to_owned();
        let lead =
            Lead { name: Some(text(name)), email: email.map(text), company: company.map(text), ..Lead::default() };
        Person { name: text(name), lead, ..Person::default() }
    }

    #[test]
    fn one_person_twice() {
        let people = [
            person("Sabine Krüger", Some("s@h.de"), Some("Hafenwerk GmbH")),
            person("Krüger, Sabine", Some("s@h.de"), Some("Hafenwerk")),
            person("Uwe Tamm", None, None),
        ];
        assert_eq!(joined(&people, Vec::new()), [vec![0, 1]]);
        let strangers = [person("Ann Lee", Some("a@x.de"), Some("X")), person("Ann Lee", Some("a@y.de"), Some("Y"))];
        assert!(joined(&strangers, Vec::new()).is_empty());
    }
}
