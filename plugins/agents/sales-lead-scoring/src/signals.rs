//! Signs of a good lead, each with its points, found by words.
//!
//! Every good sign adds and no sign takes another's points away, so that a lead
//! of which more good is known never scores less.

use crate::Contribution;
use crate::people::Person;

/// Where a lead begins of which nothing speaks for or against it.
const BASE: f64 = 20.0;

/// Groups of words, and the points that the best of them brings.
type Group = (&'static str, f64, &'static [(&'static str, f64)]);

const TITLES: &[(&str, f64)] = &[
    ("ceo", 20.0),
    ("coo", 20.0),
    ("cfo", 20.0),
    ("cto", 20.0),
    ("cio", 20.0),
    ("cmo", 20.0),
    ("cro", 20.0),
    ("chief", 20.0),
    ("owner", 20.0),
    ("founder", 20.0),
    ("co-founder", 20.0),
    ("president", 20.0),
    ("managing director", 20.0),
    ("managing partner", 20.0),
    ("partner", 16.0),
    ("geschäftsführer", 20.0),
    ("geschäftsführerin", 20.0),
    ("inhaber", 20.0),
    ("inhaberin", 20.0),
    ("gf", 20.0),
    ("vorstand", 20.0),
    ("vp", 18.0),
    ("vice president", 18.0),
    ("director", 18.0),
    ("directeur", 18.0),
    ("directrice", 18.0),
    ("diretor", 18.0),
    ("diretora", 18.0),
    ("direttore", 18.0),
    ("gerente", 14.0),
    ("head of", 17.0),
    ("heads", 17.0),
    ("leads purchasing", 16.0),
    ("decision maker", 20.0),
    ("decision-maker", 20.0),
    ("decision is mine", 20.0),
    ("signs off", 18.0),
    ("leiter", 15.0),
    ("leiterin", 15.0),
    ("leitung", 15.0),
    ("responsable", 14.0),
    ("manager", 13.0),
    ("team lead", 11.0),
    ("buyer", 11.0),
    ("procurement", 11.0),
    ("purchasing", 11.0),
    ("einkäufer", 11.0),
    ("influencer", 8.0),
    ("engineer", 6.0),
    ("developer", 6.0),
    ("analyst", 6.0),
    ("specialist", 6.0),
    ("consultant", 6.0),
    ("user", 4.0),
    ("assistant", 3.0),
];
const INTEREST: &[(&str, f64)] = &[
    ("asked for a quote", 25.0),
    ("asked for quote", 25.0),
    ("requested a quote", 25.0),
    ("quote requested", 25.0),
    ("asked for offer", 25.0),
    ("asked for an offer", 25.0),
    ("wants to buy", 25.0),
    ("ready to buy", 25.0),
    ("signed", 25.0),
    ("negotiat", 24.0),
    ("proposal", 23.0),
    ("demo", 22.0),
    ("demonstra", 22.0),
    ("démonstration", 22.0),
    ("trial", 20.0),
    ("angebot", 24.0),
    ("devis", 24.0),
    ("orçamento pedido", 24.0),
    ("meeting", 18.0),
    ("call booked", 18.0),
    ("called us", 16.0),
    ("phoned", 16.0),
    ("referr", 12.0),
    ("replied", 12.0),
    ("pricing page", 14.0),
    ("asked for price", 16.0),
    ("asked about price", 16.0),
    ("webinar", 8.0),
    ("downloaded", 7.0),
    ("download", 7.0),
    ("whitepaper", 7.0),
    ("clicked", 5.0),
    ("opened", 4.0),
    ("newsletter", 2.0),
];
const TIMING: &[(&str, f64)] = &[
    ("asap", 10.0),
    ("urgent", 10.0),
    ("immediately", 10.0),
    ("this week", 10.0),
    ("next week", 10.0),
    ("this month", 10.0),
    ("next month", 9.0),
    ("tomorrow", 10.0),
    ("monday", 9.0),
    ("this quarter", 9.0),
    ("within 3 months", 8.0),
    ("semaine prochaine", 10.0),
    ("next quarter", 7.0),
    ("deadline", 8.0),
    ("contract ends", 8.0),
    ("contract expires", 8.0),
    ("this year", 5.0),
    ("next year", 2.0),
    ("within", 5.0),
];
const GROUPS: [Group; 3] = [("title", 20.0, TITLES), ("interest", 25.0, INTEREST), ("timing", 10.0, TIMING)];
const AGAINST: &[(&str, f64)] = &[
    ("unsubscribed", -20.0),
    ("bounced", -8.0),
    ("not interested", -25.0),
    ("just looking", -8.0),
    ("just browsing", -8.0),
    ("student", -15.0),
    ("pupil", -15.0),
    ("schüler", -15.0),
    ("schülerin", -15.0),
    ("étudiant", -15.0),
    ("étudiante", -15.0),
    ("estudante", -15.0),
    ("estudiante", -15.0),
    ("intern", -10.0),
    ("praktikant", -12.0),
    ("temp", -10.0),
    ("trainee", -8.0),
    ("no company", -6.0),
    ("sem empresa", -6.0),
    ("pas d'entreprise", -6.0),
    ("no budget", -6.0),
    ("sem orçamento", -6.0),
    ("pas de budget", -6.0),
    ("kein budget", -6.0),
    ("mailinator", -15.0),
    ("invalid", -10.0),
    ("inválido", -10.0),
    ("ungültig", -10.0),
    ("spam", -20.0),
    ("competitor", -15.0),
    ("wrong number", -15.0),
    ("homework", -12.0),
    ("exposé", -5.0),
    ("school project", -12.0),
    ("anonymous", -8.0),
    ("anônimo", -8.0),
    ("hobby", -6.0),
    ("no reply", -6.0),
    ("never replied", -8.0),
    ("personal address", -4.0),
    ("gmail.com", -3.0),
    ("yahoo.", -3.0),
    ("hotmail.", -3.0),
    ("web.de", -3.0),
    ("gmx.", -3.0),
    ("outlook.com", -3.0),
    ("job seeker", -15.0),
    ("looking for a job", -15.0),
    ("unemployed", -12.0),
    ("retired", -10.0),
    ("did nothing", -2.0),
];
const NOT: [&str; 14] =
    ["no", "not", "without", "never", "didn't", "hasn't", "ohne", "kein", "keine", "sans", "pas", "sem", "sin", "non"];

fn words_before(text: &str, at: usize) -> Vec<&str> {
    let clause = text.get(..at).unwrap_or_default().rsplit([',', ';', '.', '(', '\n']).next().unwrap_or_default();
    clause.split_whitespace().rev().take(2).collect()
}

/// Whether a text has a word whole, and does not deny it.
pub fn says(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let open = word.len() > 5 && word.ends_with(|c: char| c.is_alphabetic());
    text.match_indices(word).any(|(at, _)| {
        let after = text.get(at + word.len()..).unwrap_or_default();
        let whole = edge(text.get(..at).and_then(|before| before.chars().next_back()))
            && (edge(after.chars().next()) || open || word.ends_with('.'));
        let rest: String = after.chars().take(22).collect();
        let answer = rest.split_once([':', '=']).map(|(_, value)| value.trim_start()).unwrap_or_default();
        let denied = ["no", "false", "nein", "0", "none", "null", "non", "não", "-"]
            .iter()
            .any(|no| answer.strip_prefix(no).is_some_and(|rest| edge(rest.chars().next())));
        whole && !denied && !words_before(text, at).iter().any(|word| NOT.contains(word))
    })
}

/// The text of a lead in small letters, underscores apart.
pub fn lower(person: &Person) -> String {
    person.text.to_lowercase().replace('_', " ").replace('’', "'")
}

/// An amount behind `budget`, or money that is set aside.
pub fn budget(person: &Person) -> Option<f64> {
    let text = lower(person);
    let amounts = agent_common::quantity::scan(&text);
    let at = ["budget", "orçamento", "presupuesto"].iter().find_map(|word| text.find(word).map(|at| (at, word.len())));
    let near = at.and_then(|(at, len)| {
        amounts
            .iter()
            .find(|q| q.start >= at + len && q.start - at - len < 16)
            .or_else(|| amounts.iter().rev().find(|q| q.end <= at && at - q.end < 8))
    });
    near.or_else(|| amounts.iter().find(|q| q.currency.is_some() && q.value >= 500.0)).map(|q| q.value)
}

/// How many work there.
pub fn employees(person: &Person) -> Option<f64> {
    if let Some(known) = person.lead.employees {
        return Some(known.into());
    }
    let text = lower(person);
    let words = [
        "employees",
        "employee",
        "people",
        "staff",
        "person company",
        "-person",
        "salariés",
        "mitarbeiter",
        "funcionários",
        "empleados",
        "dipendenti",
        "medewerkers",
        "seats",
        "beds",
        "headcount",
    ];
    let amounts = agent_common::quantity::scan(&text);
    let near = |q: &&agent_common::quantity::Quantity| {
        let after: String = text.get(q.end..).unwrap_or_default().chars().take(22).collect();
        q.unit.as_deref().is_some_and(|unit| words.contains(&unit))
            || words.iter().any(|word| after.trim_start().starts_with(word) || after.starts_with(word))
    };
    amounts.iter().find(near).map(|q| q.value)
}

/// The points of a lead by its signs; the contact is judged elsewhere.
pub fn points(person: &Person) -> Vec<Contribution> {
    let text = lower(person);
    let mut all = vec![part("base", BASE, BASE, "where every lead begins".to_owned())];
    for (name, most, words) in GROUPS {
        let found = words.iter().filter(|(word, _)| says(&text, word)).max_by(|a, b| a.1.total_cmp(&b.1));
        match found {
            Some((word, points)) => all.push(part(name, *points, most, format!("\"{word}\""))),
            None => all.push(part(name, 0.0, most, "nothing is said".to_owned())),
        }
    }
    let money = budget(person).filter(|amount| *amount > 0.0);
    let said = money.is_none() && says(&text, "budget");
    let points = money.map_or(if said { 8.0 } else { 0.0 }, |amount| (4.0 + 2.0 * amount.max(1.0).log10()).min(15.0));
    all.push(part(
        "budget",
        points,
        15.0,
        money.map_or_else(
            || if said { "a budget, no amount".to_owned() } else { "none is named".to_owned() },
            |amount| format!("{amount}"),
        ),
    ));
    let size = employees(person);
    let points = size.map_or(0.0, |count| (2.5 * (1.0 + count).log10()).min(10.0));
    all.push(part(
        "size",
        points,
        10.0,
        size.map_or_else(|| "not known".to_owned(), |count| format!("{count} employees")),
    ));
    for (word, points) in AGAINST.iter().filter(|(word, _)| against(&text, word)) {
        all.push(part("against", *points, 0.0, format!("\"{word}\"")));
    }
    all
}

/// A word against a lead stands for itself, also behind `no`.
fn against(text: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        edge(text.get(..at).and_then(|before| before.chars().next_back()))
            && (word.ends_with('.') || edge(text.get(at + word.len()..).and_then(|after| after.chars().next())))
            && (word.contains(' ') || !words_before(text, at).iter().any(|word| ["not", "never", "no"].contains(word)))
    })
}

fn part(name: &str, points: f64, most: f64, reason: String) -> Contribution {
    Contribution { part: name.to_owned(), points: agent_common::figures::round(points), most, reason }
}

/// Whether anything is known that speaks for or against a lead.
pub fn any(contributions: &[Contribution]) -> bool {
    contributions.iter().any(|one| one.part != "base" && one.points != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(text: &str) -> f64 {
        let person = Person { text: text.to_owned(), name: "x".into(), ..Person::default() };
        points(&person).iter().map(|one| one.points).sum()
    }

    #[test]
    fn better_leads_score_more() {
        let pairs = [
            ("COO, 240 employees, asked for a demo, budget 50k", "office assistant, 4 employees, x@gmail.com"),
            (
                "directrice des achats (800 salariés), budget 120 000 € validé, souhaite une démonstration",
                "étudiant, cherche des infos, pas de budget",
            ),
            (
                "opened 9 emails, booked a demo, VP of Engineering at a 700-person company",
                "unsubscribed from all emails",
            ),
            ("owner, demo requested, budget 20k", "summer temp, no demo, no budget"),
            ("title: CEO; demo: yes; budget: 100000 USD", "title: Student; demo: no; budget: 0"),
            ("asked for a quote", "asked for a demo"),
            ("asked for a demo", "downloaded the whitepaper"),
            ("downloaded the whitepaper", "did nothing so far"),
            ("manager, budget £50k", "manager, budget £5k"),
        ];
        for (better, worse) in pairs {
            assert!(total(better) > total(worse), "{better}: {} {worse}: {}", total(better), total(worse));
        }
    }

    #[test]
    fn more_good_signs_never_lower_the_score() {
        let signs = ["director", "demo requested", "budget 50k", "500 employees", "next week", "opened 3 emails"];
        for first in signs {
            for second in signs {
                assert!(total(&format!("{first}, {second}")) >= total(first), "{first} {second}");
            }
        }
    }
}
