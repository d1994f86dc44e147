//! The items that a request names, and questions that an audit does not answer.

use agent_common::phrases;

/// Reads the items of a request as the person names them; empty where it names none.
pub fn items(request: &str) -> Vec<String> {
    let text = request.replace('’', "'");
    let lower = text.to_lowercase();
    let listed = enumerated(&text)
        .or_else(|| behind_name(&text, &lower))
        .or_else(|| bracketed(&text))
        .or_else(|| asked(&text))
        .or_else(|| colon(&text))
        .or_else(|| bare(&text));
    let mut items: Vec<String> = Vec::new();
    for item in listed.unwrap_or_default() {
        let clean = cleaned(&item);
        if !clean.is_empty() && clean.split_whitespace().count() <= 9 && !items.contains(&clean) {
            items.push(clean);
        }
    }
    items
}

/// Whether the items stand behind marks or a name that opens them, so that nothing else can be meant.
pub fn names_them(request: &str) -> bool {
    enumerated(request).or_else(|| behind_name(request, &request.to_lowercase())).is_some_and(|items| items.len() > 1)
}

/// Whether a line names items: `Checklist: a, b`.
pub fn names_items(line: &str) -> bool {
    let lower = line.to_lowercase();
    ["checklist:", "items:", "look for:", "check for:", "check:", "to check:", "required:", "points:"]
        .iter()
        .any(|name| lower.contains(name))
        && items(line).len() > 1
}

/// `(a) x, (b) y`, `1) x 2) y`, `(i) x (ii) y`.
fn enumerated(text: &str) -> Option<Vec<String>> {
    let marks = |marks: &[String]| -> Option<Vec<String>> {
        let mut places = Vec::new();
        let mut from = 0;
        for mark in marks {
            let Some(at) = text.get(from..)?.find(mark.as_str()) else { break };
            let before = text.get(..from + at)?.chars().next_back();
            if before.is_some_and(char::is_alphanumeric) {
                break;
            }
            places.push((from + at, from + at + mark.len()));
            from += at + mark.len();
        }
        if places.len() < 2 {
            return None;
        }
        let part = |index: usize| {
            let (_, start) = places.get(index)?;
            let end = places.get(index + 1).map_or(text.len(), |(next, _)| *next);
            let part = text.get(*start..end)?;
            Some(part.split(['?', '\n']).next()?.trim_end_matches([' ', ',', ';', '.']).to_owned())
        };
        (0..places.len()).map(part).collect()
    };
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let romans = ["i", "ii", "iii", "iv", "v", "vi"];
    let numbers: Vec<String> = (1..=12).map(|n| n.to_string()).collect();
    let with = |open: &str, names: Vec<String>, close: &str| {
        names.iter().map(|name| format!("{open}{name}{close}")).collect::<Vec<_>>()
    };
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    [
        with("(", own(&letters), ")"),
        with("(", own(&romans), ")"),
        with("(", numbers.clone(), ")"),
        with("", own(&letters), ") "),
        with("", numbers.clone(), ") "),
        with("", numbers, ". "),
    ]
    .iter()
    .find_map(|list| marks(list))
}

/// `Items: …`, `Checklist: …`, `Look for: …`.
fn behind_name(text: &str, lower: &str) -> Option<Vec<String>> {
    if lower.len() != text.len() {
        return None;
    }
    let names = [
        "items:",
        "item:",
        "checklist item:",
        "checklist:",
        "look for:",
        "look for ",
        "required:",
        "check for:",
        "check for ",
        "kinds:",
        "points:",
        "punkte:",
        "points à vérifier :",
        "points à vérifier:",
        "puntos:",
        "prüfpunkte:",
        "to check:",
        "against:",
        "needed:",
        "missing:",
        "must contain:",
        "should contain:",
    ];
    let (at, name) = names
        .iter()
        .filter_map(|name| lower.find(name).map(|at| (at, *name)))
        .max_by_key(|(at, name)| (name.ends_with(':'), *at))?;
    let rest = text.get(at + name.len()..)?;
    let quoted = agent_common::quotes::find(rest);
    if quoted.len() > 1 || quoted.first().is_some_and(|one| one.start < 3) {
        return Some(quoted.iter().map(|one| one.text.to_owned()).collect());
    }
    let rest = rest.split(['\n', '?']).find(|part| !part.trim().is_empty())?;
    let end = rest.find(". ").unwrap_or(rest.len());
    Some(parted(rest.get(..end)?))
}

/// `special data (religion, health, politics)`.
fn bracketed(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.split_once('(')?;
    let (inner, _) = rest.split_once(')')?;
    let parts = parted(inner);
    let fits = parts.len() > 1
        && parts.iter().all(|part| part.split_whitespace().count() <= 4)
        && !inner.contains('|')
        && !inner.to_lowercase().contains("yes");
    fits.then_some(parts)
}

/// `Is there a …`, `does it contain …`, `enthält der Text …`, `mention …`.
fn asked(text: &str) -> Option<Vec<String>> {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return None;
    }
    let cues = [
        "is there already ",
        "is there ",
        "are there ",
        "contain any ",
        "contains any ",
        "contains ",
        "contain ",
        "mentions ",
        "mention ",
        "include ",
        "includes ",
        "has it ",
        "has the document ",
        "does it have ",
        "enthält der vertrag ",
        "enthält die rechnung ",
        "enthält die ",
        "do we have ",
        "forbid ",
        "forbids ",
        "offer ",
        "cover ",
        "covers ",
        "name a ",
        "names a ",
        "ask for ",
        "asks for ",
        "enthält der text ",
        "enthält das dokument ",
        "enthält ",
        "gibt es ",
        "steht da ",
        "figuran ",
        "contiene ",
        "incluye ",
        "y a-t-il ",
        "contient ",
        "see if ",
        "any ",
        "is the ",
        "are the ",
        "says something about ",
        "say something about ",
        "do we store ",
        "is ",
    ];
    let (at, cue) = cues.iter().find_map(|cue| {
        lower
            .match_indices(cue)
            .find(|(at, _)| {
                lower.get(..*at).is_none_or(|before| before.is_empty() || before.ends_with([' ', ':', ',', '¿', '\n']))
            })
            .map(|(at, _)| (at, *cue))
    })?;
    let rest = text.get(at + cue.len()..)?.split(['?', '\n']).next()?;
    let end = rest.find(". ").unwrap_or(rest.len());
    Some(parted(rest.get(..end)?))
}

/// `Rental agreement: deposit, pets, heating`.
fn colon(text: &str) -> Option<Vec<String>> {
    let line = text.lines().rev().find(|line| line.contains(": "))?;
    let (_, rest) = line.rsplit_once(": ")?;
    let parts = parted(rest.split('?').next()?);
    (parts.len() > 1 || parts.first().is_some_and(|part| part.split_whitespace().count() <= 3)).then_some(parts)
}

/// `liability, insurance, proof?`
fn bare(text: &str) -> Option<Vec<String>> {
    let first = text.lines().next()?.split(['?', '–', '.']).next()?;
    let parts = parted(first);
    (parts.len() > 1 && parts.iter().all(|part| part.split_whitespace().count() <= 4)).then_some(parts)
}

fn parted(text: &str) -> Vec<String> {
    let mut text = format!(" {} ", text.trim().trim_end_matches(['.', '!', ':', ';']));
    for join in [" and ", " or ", " und ", " oder ", " et ", " ou ", " y ", " o ", " sowie ", " e ", "; "] {
        text = text.replace(join, ", ");
    }
    text.split(", ")
        .map(|part| part.trim().trim_matches(['"', '“', '”', ',', ' ']).to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// Without articles before and what tells where it is looked for behind.
pub fn cleaned(item: &str) -> String {
    let mut text = item.trim().trim_matches(['"', '“', '”', '(', ')', '.', '?', ' ']).to_owned();
    for start in [
        "a ", "an ", "the ", "any ", "also ", "our ", "real ", "ein ", "eine ", "einen ", "der ", "die ", "das ",
        "el ", "la ", "los ", "un ", "une ", "una ", "le ", "les ", "l'", "about ", "for ", "how to ", "how ",
    ] {
        if text.to_lowercase().starts_with(start) {
            text = text.get(start.len()..).unwrap_or_default().to_owned();
        }
    }
    let lower = text.to_lowercase();
    let stops = [
        " in this",
        " in those",
        " in these",
        " in that",
        " in my",
        " in your",
        " on it",
        " in the text",
        " in the ",
        " in our",
        " in it",
        " in here",
        " here",
        " below",
        " please",
        " pls",
        " bitte",
        " asked for",
        " about a person",
        " about any",
        " there or not",
        " missing",
        " present",
        " given",
        " included",
        " as well",
        " clause",
        " - ",
        " – ",
        " yes/no",
        " are given",
        " is given",
        " in dem",
        " im text",
    ];
    let keep = stops.iter().filter_map(|stop| lower.find(stop)).filter(|at| *at > 1).min().unwrap_or(text.len());
    // `passwords in e-mails` says what, not where.
    let text = text.get(..keep).unwrap_or(&text).trim().to_owned();
    phrases::list(&text).first().filter(|_| text.is_empty()).cloned().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::out_of_reach;

    #[test]
    fn items_as_people_name_them() {
        let cases = [
            (
                "Checklist: governing law, termination, confidentiality. Tick what's there.",
                "governing law|termination|confidentiality",
            ),
            ("Look for: (a) duration, (b) return of papers, (c) penalty.", "duration|return of papers|penalty"),
            ("Is there a deposit, a pet rule and a notice period?", "deposit|pet rule|notice period"),
            ("Gibt es eine IBAN, eine Steuer-ID, eine Adresse?", "IBAN|Steuer-ID|Adresse"),
            ("Contract check. Items: \"fixed term\", \"renewal option\".", "fixed term|renewal option"),
            ("Any special data (religion, health, politics) in this letter?", "religion|health|politics"),
            ("Employment contract, items: start date, salary.", "start date|salary"),
            ("Impressum-Check bitte: Name, Anschrift, E-Mail.", "Name|Anschrift|E-Mail"),
            ("Does the lease mention subletting?", "subletting"),
            ("¿figuran el responsable, la finalidad y el plazo?", "responsable|finalidad|plazo"),
            ("Please audit this policy.", ""),
        ];
        for (request, expect) in cases {
            assert_eq!(items(request).join("|"), expect, "{request}");
        }
        for request in ["Should I sign this?", "How big will the fine be?", "Is it legal?", "Is she on the OFAC list?"]
        {
            assert!(out_of_reach(request, true).is_some(), "{request}");
        }
        assert!(
            out_of_reach("Check for a sanctions clause", true).is_none() && out_of_reach("Check it", false).is_some()
        );
    }
}
