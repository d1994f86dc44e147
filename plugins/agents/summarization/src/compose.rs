//! Chosen statements in the form that is asked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::statements::{Material, Statement};
use crate::wants::{Scope, Wants};
use crate::weight;

/// All that is wanted stands in it.
pub const WHOLE: f64 = 0.92;
/// The statements have marks that say what they are, or the bullets are the items of the text.
pub const MARKED: f64 = 0.88;
/// Most of the figures and names are kept.
pub const MOST: f64 = 0.82;
/// A good part of them is kept.
pub const PART: f64 = 0.72;
/// Too much is left out.
pub const LITTLE: f64 = 0.4;

/// Words of one sentence at most; of the one sentence that is the whole summary.
const SENTENCE_WORDS: usize = 32;
const SINGLE_WORDS: usize = 48;
/// Statements of a long text.
const LONG: usize = 12;
/// Statements of the text that share a sentence of the summary.
const JOINED: usize = 2;
/// Words of a bullet at most where several statements share it.
const BULLET_WORDS: usize = 40;
/// Sentences and words where no form is asked for.
const DEFAULT_SENTENCES: usize = 3;
const PARAGRAPH_SENTENCES: usize = 5;

/// A summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// In the form asked for.
    pub text: String,
    /// The statements in it, by their place.
    pub chosen: Vec<usize>,
    /// How likely it is right.
    pub confidence: f64,
}

/// Makes the summary; the reason where the form cannot be kept.
pub fn compose(material: &Material, wants: &Wants) -> Result<Summary, String> {
    let all: Vec<usize> = (0..material.statements.len()).collect();
    let wanted: Vec<usize> = if wants.only {
        all.iter().copied().filter(|at| material.statements.get(*at).is_some_and(|one| fits(one, wants))).collect()
    } else {
        all.clone()
    };
    let wanted = if wanted.is_empty() && wants.scope == Scope::Outcome { all } else { wanted };
    if wanted.is_empty() {
        return Err(match wants.scope {
            Scope::Decisions => "no sentence of the text says that something was decided",
            Scope::Actions => "no sentence of the text names a task or who has to do it",
            Scope::Questions => "no sentence of the text is an open question",
            Scope::Figures => "no sentence of the text has a figure",
            Scope::Dates => "no sentence of the text has a date",
            _ => "the text says nothing to sum up",
        }
        .to_owned());
    }
    let marked = wants.only && wants.scope != Scope::Outcome;
    let mut summary = if wants.format.bullets || wants.each {
        bullets(material, wants, &wanted, marked)?
    } else {
        sentences(material, wants, &wanted)?
    };
    if marked && summary.chosen.len() == wanted.len() {
        summary.confidence = summary.confidence.max(MARKED);
    }
    if let Some(most) = wants.format.words_max.map(|most| most as usize)
        && summary.text.split_whitespace().count() > most
    {
        return Err(format!("its statements do not fit into {most} words without being rewritten; allow more words"));
    }
    Ok(summary)
}

/// Whether a statement is of a kind that is wanted.
fn fits(one: &Statement, wants: &Wants) -> bool {
    weight::fits(one, wants.scope) || wants.also.iter().any(|scope| weight::fits(one, *scope))
}

fn statement(material: &Material, at: usize) -> Option<&Statement> {
    material.statements.get(at)
}

fn length(material: &Material, at: usize) -> usize {
    statement(material, at)
        .map_or(0, |one| one.text.split_whitespace().count() + spoken(one).split_whitespace().count())
}

/// The label that a statement needs to be understood: a person, a product, not `Decision`.
fn spoken(one: &Statement) -> String {
    let lower = one.label.to_lowercase();
    let silent = [
        "decision",
        "action",
        "agreed",
        "open question",
        "question",
        "background",
        "methods",
        "results",
        "conclusion",
        "note",
        "summary",
        "todo",
        "to do",
        "result",
        "beschluss",
        "offene frage",
        "bericht",
    ];
    let plain = one.label.split('(').next().unwrap_or_default().trim();
    let numbered = plain.chars().any(|c| c.is_ascii_digit())
        || ["chapter", "item", "message", "review", "text"].iter().any(|word| lower.starts_with(word));
    if one.label.is_empty() || silent.iter().any(|word| lower.starts_with(word)) || numbered || plain.starts_with('[') {
        String::new()
    } else {
        format!("{plain}: ")
    }
}

/// The statements worth most that fit into a number of words, in the order of the text.
fn pick(material: &Material, wanted: &[usize], words: usize, most: usize) -> Vec<usize> {
    let worth = weight::all(&material.statements);
    let value = |at: usize| worth.get(at).copied().unwrap_or(0.0);
    let mut order: Vec<usize> = wanted.to_vec();
    order.sort_by(|a, b| value(*b).total_cmp(&value(*a)));
    let (mut chosen, mut used): (Vec<usize>, usize) = (Vec::new(), 0);
    // A statement that is too long by itself is taken only where none fits.
    let none = order.iter().all(|at| length(material, *at) > words);
    for at in order {
        let size = length(material, at);
        let repeated = chosen.iter().any(|other| repeats(material, at, *other));
        if chosen.len() < most && (used + size <= words || none && chosen.is_empty()) && !repeated {
            chosen.push(at);
            used += size;
        }
    }
    chosen.sort_unstable();
    chosen
}

fn repeats(material: &Material, a: usize, b: usize) -> bool {
    let read = |at: usize| statement(material, at).map(|one| weight::words(&one.text)).unwrap_or_default();
    let (a, b) = (read(a), read(b));
    let small = a.len().min(b.len());
    small > 3 && a.intersection(&b).count() * 5 >= small * 4
}

/// How much of the figures and names, and of the statements, is kept.
fn kept(material: &Material, wanted: &[usize], chosen: &[usize]) -> f64 {
    let facts = |places: &[usize]| -> BTreeSet<String> {
        places.iter().filter_map(|at| statement(material, *at)).flat_map(|one| weight::facts(&one.text)).collect()
    };
    let (all, have) = (facts(wanted), facts(chosen));
    #[allow(clippy::cast_precision_loss, reason = "facts of a text")]
    let share = if all.is_empty() {
        chosen.len() as f64 / wanted.len().max(1) as f64
    } else {
        have.len() as f64 / all.len() as f64
    };
    // Of a long text that is cut to less than half, what matters to the reader may be elsewhere.
    if wanted.len() > LONG && chosen.len() * 2 < wanted.len() {
        return LITTLE;
    }
    match share {
        share if chosen.len() == wanted.len() || share > 0.95 => WHOLE,
        // Of a long text the part that is left out may be the one that matters.
        share if share >= if wanted.len() > LONG { 0.8 } else { 0.6 } => MOST,
        share if share >= 0.45 => PART,
        _ => LITTLE,
    }
}

fn sentences(material: &Material, wants: &Wants, wanted: &[usize]) -> Result<Summary, String> {
    let format = &wants.format;
    let free = if format.paragraph { PARAGRAPH_SENTENCES } else { DEFAULT_SENTENCES };
    let count = format.sentences_max.map_or(free, |count| count as usize).max(1);
    let asked = format.sentences_max.is_some();
    let room = if count == 1 { SINGLE_WORDS } else { count * SENTENCE_WORDS };
    let words = format.words_max.map_or(room, |most| if asked { room.min(most as usize) } else { most as usize });
    let most = match (asked, count) {
        (true, 1) => JOINED + 1,
        (true, count) => count * JOINED,
        _ if format.words_max.is_some() => usize::MAX,
        _ => count,
    };
    let chosen = pick(material, wanted, words, most);
    if wants.exact && chosen.len() < count {
        return Err(format!(
            "the text has only {} statements, fewer than the {count} sentences asked for",
            chosen.len()
        ));
    }
    let confidence = kept(material, wanted, &chosen);
    // Documents that are all spoken of are all in it.
    let documents: BTreeSet<usize> =
        wanted.iter().filter_map(|at| statement(material, *at)).map(|one| one.document).collect();
    let covered: BTreeSet<usize> =
        chosen.iter().filter_map(|at| statement(material, *at)).map(|one| one.document).collect();
    let confidence = if covered.len() < documents.len() { LITTLE } else { confidence };
    let limit = if asked { count } else { chosen.len().max(1) };
    let groups = grouped(material, &chosen, limit);
    let text = groups.iter().map(|group| joined(material, group)).collect::<Vec<_>>().join(" ");
    Ok(Summary { text, chosen, confidence })
}

/// Statements in order as so many groups, none much longer than the others.
fn grouped(material: &Material, chosen: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = chosen.iter().map(|at| vec![*at]).collect();
    let size = |group: &[usize]| group.iter().map(|at| length(material, *at)).sum::<usize>();
    while groups.len() > most.max(1) {
        // The two neighbours that are shortest together.
        let pair = (0..groups.len().saturating_sub(1))
            .min_by_key(|at| groups.get(*at).map_or(0, |a| size(a)) + groups.get(at + 1).map_or(0, |b| size(b)));
        let Some(at) = pair else { break };
        let next = groups.remove(at + 1);
        if let Some(group) = groups.get_mut(at) {
            group.extend(next);
        }
    }
    groups
}

/// Statements as one sentence, parted by semicolons.
fn joined(material: &Material, group: &[usize]) -> String {
    let mut text = String::new();
    let mut label = String::new();
    for (place, at) in group.iter().enumerate() {
        let Some(one) = statement(material, *at) else { continue };
        let last = place + 1 == group.len();
        let body = if last { one.text.as_str() } else { one.text.trim_end_matches(['.', '!', ' ']) };
        let inner = if last { unstopped(body) } else { unstopped(body).trim_end_matches('.').to_owned() };
        let named = spoken(one);
        let body = if place == 0 { capital(&inner) } else { small(&inner) };
        let lead = if named != label { named.clone() } else { String::new() };
        let body = if lead.is_empty() { body } else { capital(&inner) };
        label = named;
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(&lead);
        text.push_str(&body);
    }
    if text.ends_with(['.', '!', '?', '。', '"', '”']) { text } else { format!("{text}.") }
}

/// A stop within a sentence would part it: `9 Sept 2024`, `Mr Falk` read on without theirs.
fn unstopped(text: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let inner = matches!(c, '.' | '!' | '?')
            && chars.get(at + 1).is_some_and(|next| next.is_whitespace())
            && at + 1 < chars.len();
        if !inner {
            out.push(*c);
        }
    }
    out
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// A common word goes on in small letters behind a semicolon.
fn small(text: &str) -> String {
    const WORDS: &[&str] = &[
        "The", "A", "An", "It", "In", "This", "They", "We", "He", "She", "On", "At", "All", "Our", "There", "If", "As",
        "Its", "Their", "No", "Most", "Some", "From", "After", "Before", "For", "Your", "You", "Of", "And", "But",
        "Each", "Every", "These", "Since", "When", "While", "People", "Nobody", "Everyone",
    ];
    match text.split_once(' ') {
        Some((first, rest)) if WORDS.contains(&first) => format!("{} {rest}", first.to_lowercase()),
        _ => text.to_owned(),
    }
}

fn bullets(material: &Material, wants: &Wants, wanted: &[usize], marked: bool) -> Result<Summary, String> {
    let asked = wants.format.bullets_count.map(|count| count as usize);
    let mut by_unit: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let documents = material.documents.len() > 1;
    for at in wanted {
        if let Some(one) = statement(material, *at) {
            by_unit.entry(if documents && wants.each { one.document } else { one.unit }).or_default().push(*at);
        }
    }
    let units: Vec<Vec<usize>> = by_unit.into_values().collect();
    let structured = (material.listed || documents || marked)
        && asked.is_none_or(|count| count == units.len())
        && (wants.each || asked.is_some() || marked || units.len() <= 8);
    let groups: Vec<Vec<usize>> = if structured {
        units.iter().map(|unit| shortened(material, unit, wants)).collect()
    } else if wants.each {
        return Err(
            "the text has no separate items, so there is no bullet for each; mark each with a number or a dash".into(),
        );
    } else {
        by_count(material, wanted, asked)?
    };
    if let Some(count) = asked.filter(|count| *count != groups.len()) {
        return Err(format!("the text has only {} statements, fewer than the {count} bullets asked for", groups.len()));
    }
    let chosen: Vec<usize> = groups.iter().flatten().copied().collect();
    let kept = kept(material, wanted, &chosen);
    let confidence =
        if structured { kept.max(if chosen.len() * 3 >= wanted.len() * 2 { MARKED } else { MOST }) } else { kept };
    let text = groups.iter().map(|group| format!("- {}", joined(material, group))).collect::<Vec<_>>().join("\n");
    Ok(Summary { text, chosen, confidence })
}

/// As much of a unit as a bullet holds.
fn shortened(material: &Material, unit: &[usize], wants: &Wants) -> Vec<usize> {
    let words = wants.format.words_max.map_or(BULLET_WORDS, |most| most as usize);
    pick(material, unit, words.min(BULLET_WORDS), usize::MAX)
}

/// The statements worth most as so many bullets.
fn by_count(material: &Material, wanted: &[usize], asked: Option<usize>) -> Result<Vec<Vec<usize>>, String> {
    let count = asked.unwrap_or_else(|| wanted.len().min(5)).max(1);
    if asked.is_some() && wanted.len() < count {
        return Err(format!("the text has only {} statements, fewer than the {count} bullets asked for", wanted.len()));
    }
    let chosen = pick(material, wanted, count * SENTENCE_WORDS, usize::MAX);
    let chosen = if chosen.len() < count { pick(material, wanted, usize::MAX, count) } else { chosen };
    Ok(grouped(material, &chosen, count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{statements, wants};
    use agent_common::request::Request;

    fn summary(task: &str) -> Result<Summary, String> {
        let request = Request::read(task);
        compose(&statements::read(&request), &wants::read(&request.instruction))
    }

    #[test]
    fn the_form_is_kept() {
        // Task, bullets, sentences at most, words that are in it.
        let cases = [
            (
                "Three bullets please:\n\nThe pool closes on 3 May. It opens again on 9 June. Tickets stay valid. Showers work.",
                3,
                3,
                "3 May",
            ),
            (
                "In one sentence:\n\nThe shop in Leeds shuts on 4 June. All 12 people lose their jobs.",
                0,
                1,
                "Leeds|4 June|12",
            ),
            (
                "Decisions only, as bullets.\n\n- Decision: we buy the red van.\n- Tom was late.\n- Decision: the fee rises to £9.",
                2,
                2,
                "red van|£9",
            ),
            (
                "One sentence per person, as bullets.\n\nAda (sales): We won two deals. More soon.\nBen (legal): The lease is signed.",
                2,
                4,
                "Ada|deals|Ben|lease",
            ),
            (
                "max 12 words\n\nThe gym opens at 7 on Monday. It has been painted in three colours by local students.",
                0,
                1,
                "Monday",
            ),
        ];
        for (task, bullets, sentences, words) in cases {
            let found = summary(task).unwrap_or_else(|reason| panic!("{task}: {reason}"));
            let lines = found.text.lines().filter(|line| line.starts_with("- ")).count();
            assert_eq!(lines, bullets, "{task}: {}", found.text);
            let stops = found
                .text
                .split(['\n'])
                .map(|line| statements::sentences(line.trim_start_matches("- ")).len())
                .sum::<usize>();
            assert!(stops <= sentences, "{task}: {}", found.text);
            for word in words.split('|') {
                assert!(found.text.contains(word), "{task}: {}", found.text);
            }
        }
        assert!(summary("Five bullets:\n\nThe pool is closed.").is_err());
        assert!(summary("List the decisions only\n\nTom was late. Ann sang.").is_err());
    }
}
