//! Applies all rules to all files and puts the findings in order.

use tollbridge_sdk::Ready;

use crate::hidden;
use crate::hit::Hit;
use crate::input::{Input, Rules};
use crate::lexer::Kind;
use crate::literals::Places;
use crate::manifest;
use crate::output::{Finding, Findings, Summary};
use crate::rule::Rule;
use crate::rules;
use crate::secret;
use crate::source::Source;
use crate::suppress::Suppressions;
use crate::window::{Budget, windows};

/// Findings of one rule in one file; more of the same say nothing new.
const MOST_OF_A_RULE: usize = 50;
/// Bytes apart that two rules' findings on one line may be to be one.
const NEAR: usize = 120;
/// Findings that are listed unless the caller says otherwise.
const LISTED: usize = 200;

/// Ids of all rules, in order.
pub static IDS: Ready<Vec<&'static str>> = Ready::new(ids);

fn ids() -> Vec<&'static str> {
    let mut ids: Vec<&str> =
        rules::all().map(|rule| rule.weakness.id).chain(rules::all_calls().map(|rule| rule.weakness.id)).collect();
    ids.extend(secret::ids());
    ids.extend(manifest::IDS.iter().chain(hidden::IDS).copied());
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Scans the files.
#[must_use]
pub fn scan(sources: &[Source], input: &Input) -> Findings {
    let mut budget = Budget::default();
    let mut findings = Vec::new();
    let mut summary = Summary::default();
    let mut suppressed = 0;
    for source in sources {
        let secrets = secret::find(source, &mut budget);
        let marks = Suppressions::read(source);
        let mut hits = dangers(source, &input.rules, &mut budget);
        hits.extend(secrets.iter().map(Hit::of_secret));
        hits.extend(manifest::find(source).into_iter().chain(hidden::find(source)));
        for hit in few_of_each(hits, &input.rules) {
            if input.severity_min.is_some_and(|least| hit.severity < least) {
                continue;
            }
            let line = source.line_of(hit.at);
            if marks.cover(hit.rule, line) {
                suppressed += 1;
                continue;
            }
            summary.add(hit.severity);
            findings.push(hit.finding(source, &secrets, line));
        }
    }
    findings.sort_by(|a, b| {
        let place = |f: &Finding| (f.line, f.column);
        b.severity.cmp(&a.severity).then(a.path.cmp(&b.path)).then(place(a).cmp(&place(b))).then(a.rule.cmp(b.rule))
    });
    findings.truncate(input.max_findings.map_or(LISTED, |most| most as usize));
    Findings { findings, summary, files_scanned: sources.len(), suppressed, complete: !budget.is_used_up() }
}

/// What patterns and rules on calls find.
fn dangers(source: &Source, wanted: &Rules, budget: &mut Budget) -> Vec<Hit> {
    let mut hits = Vec::new();
    let places = rules::LITERALS.find(&source.code);
    for rule in rules::tables(source.language).iter().copied().flatten() {
        if wanted.want(rule.weakness.id) {
            apply(rule, source, &places, budget, &mut hits);
        }
    }
    let calls = rules::calls(source.language).map(|calls| calls.find(source, |id| wanted.want(id)));
    hits.extend(calls.into_iter().flatten().map(|(at, rule)| Hit::of(&rule.weakness, at)));
    gravest(hits, source)
}

/// Where several rules see one weakness in one place, the gravest and surest of them stays.
fn gravest(mut hits: Vec<Hit>, source: &Source) -> Vec<Hit> {
    hits.sort_by(|a, b| a.cwe.cmp(b.cwe).then(a.at.cmp(&b.at)).then(a.rule.cmp(b.rule)));
    let mut hits_kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let same = hits_kept.last_mut().filter(|last| {
            let near = hit.at.abs_diff(last.at) <= NEAR && source.line_of(hit.at) == source.line_of(last.at);
            last.cwe == hit.cwe && last.rule != hit.rule && near
        });
        match same {
            Some(last) if (hit.severity, hit.confidence) > (last.severity, last.confidence) => *last = hit,
            Some(_) => {}
            None => hits_kept.push(hit),
        }
    }
    hits_kept
}

/// The wanted hits, at most a number of each rule.
fn few_of_each(mut hits: Vec<Hit>, wanted: &Rules) -> Vec<Hit> {
    hits.retain(|hit| wanted.want(hit.rule));
    hits.sort_by(|a, b| a.rule.cmp(b.rule).then(a.at.cmp(&b.at)));
    hits.dedup_by(|a, b| a.rule == b.rule && a.at == b.at);
    let mut last = ("", 0usize);
    hits.retain(|hit| {
        last = if hit.rule == last.0 { (hit.rule, last.1 + 1) } else { (hit.rule, 1) };
        last.1 <= MOST_OF_A_RULE
    });
    hits
}

fn apply(rule: &'static Rule, source: &Source, places: &Places, budget: &mut Budget, hits: &mut Vec<Hit>) {
    let places = windows(source, places.of_any(rule.near), rule.above, rule.lines);
    let stands = |text: &&str| source.text.contains(*text);
    if places.is_empty() || rule.file_unless.iter().any(stands) {
        return;
    }
    let Some((pattern, unless)) = rule.compiled() else { return };
    let mut count = 0;
    for window in places {
        if count >= MOST_OF_A_RULE || !budget.take(window.len()) {
            return;
        }
        let text = source.code.get(window.clone()).unwrap_or_default();
        for captures in pattern.captures_iter(text) {
            let (Some(whole), Some(hit)) = (captures.get(0), captures.get(1).or_else(|| captures.get(0))) else {
                continue;
            };
            let at = window.start + hit.start();
            let begins_in_code = source.kinds.get(at) == Some(&Kind::Code);
            if !begins_in_code && !rule.in_strings {
                continue;
            }
            let (from, to) = (window.start + hit.start(), window.start + whole.end());
            if unless.is_some_and(|unless| unless.is_match(lines_of(source, from, to))) {
                continue;
            }
            hits.push(Hit::of(&rule.weakness, at));
            count += 1;
        }
    }
}

/// The whole lines that a match covers, cut when they are very long.
fn lines_of(source: &Source, from: usize, to: usize) -> &str {
    const LONGEST: usize = 2_000;
    let start = source.line_start(source.line_of(from));
    let end = source.line_range(source.line_of(to.saturating_sub(1).max(from))).end;
    let near = source.code.get(start..end).filter(|lines| lines.len() <= LONGEST);
    near.or_else(|| source.code.get(from..to)).unwrap_or_default()
}
