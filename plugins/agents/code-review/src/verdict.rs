//! Whether remarks answer the request, how likely they are right, and the answer in words.

use agent_common::figures;
use tollbridge_sdk::Error;

use crate::asked::Asked;
use crate::diff::Changed;
use crate::language::Language;
use crate::measured::Measures;
use crate::remark::{Kind, Remark};
use crate::source::Source;
use agent_common::patterns::is_match;

/// A grave remark of a rule that is seldom wrong.
const SURE: f64 = 0.9;
/// A remark of medium weight.
const LIKELY: f64 = 0.8;
/// Only small remarks.
const SMALL: f64 = 0.6;
/// Nothing found where little can be missed.
const CLEAN: f64 = 0.6;
/// Below this it is refused.
const FLOOR: f64 = 0.5;
/// Nothing found, and anything may be missed.
const BLIND: f64 = 0.2;
/// Lines of code in which little can be missed.
const FEW_LINES: usize = 5;

/// Ways of writing that avoid what is looked for.
const SAFE: &str = r"execute\([^)]*[,]\s*[\[(]|\?\x22?\s*,|%s\x22?\s*,|\bwith open|===|secrets\.|shlex\.|safe_load|bcrypt|argon2|scrypt|password_hash|textContent|compare_digest|subprocess\.run\(\s*\[|PreparedStatement|prepare\(|\bdefer\b|err != nil|(?i:is not null|is null)|\btry \(|\busing \(|os\.environ|getenv|process\.env|htmlspecialchars|snprintf|unwrap_or|\.get\(|literal_eval|SecureRandom|randomBytes|isclose|Decimal|\.entries\(|is None|is not None|\.saturating_sub|checked_";

/// How likely the remarks are a right answer; a refusal where they are none.
pub fn confidence(remarks: &[Remark], asked: Option<&Asked>, sources: &[Source]) -> Result<f64, Error> {
    let grave = |most: usize| remarks.iter().any(|remark| remark.rank() <= most);
    let Some(asked) = asked else {
        // Files and diffs by themselves ask for whatever is found.
        return Ok(if grave(1) {
            SURE
        } else if grave(2) {
            LIKELY
        } else {
            SMALL
        });
    };
    let explains = |remark: &&Remark| {
        let named = asked.kinds.contains(&remark.kind) && remark.kind != Kind::Style;
        remark.rank() <= 2 && matches!(remark.kind, Kind::Defect | Kind::Security | Kind::Unused) || named
    };
    let level = if remarks.is_empty() {
        clean(asked, sources)
    } else if asked.complains && !asked.style && !remarks.iter().any(|remark| explains(&remark)) {
        BLIND
    } else if grave(1) {
        SURE
    } else if grave(2) || remarks.iter().any(|remark| asked.kinds.contains(&remark.kind)) {
        LIKELY
    } else {
        SMALL
    };
    if level < FLOOR {
        let fix = "the rules of this agent find nothing in this code that explains it; name the line and the error message, or ask for something narrower, such as security or unused code";
        return Err(Error::invalid("/task", fix));
    }
    Ok(level)
}

fn clean(asked: &Asked, sources: &[Source]) -> f64 {
    let known = sources.iter().all(|source| source.language != Language::Unknown);
    let lines: usize = sources.iter().map(|source| source.lines.iter().filter(|line| !line.is_empty()).count()).sum();
    let safe = sources.iter().any(|source| is_match(SAFE, &source.joined_text(0, source.lines.len())));
    if known && asked.general && !asked.complains && (safe || lines <= FEW_LINES) { CLEAN } else { BLIND }
}

/// The review in one word, by the gravest remark, which comes first.
pub fn of(remarks: &[Remark]) -> &'static str {
    match remarks.first() {
        None => "clean",
        Some(worst) if worst.rank() <= 1 => "blocked",
        Some(_) => "remarks",
    }
}

/// What was looked for in these languages.
pub fn looked_for(sources: &[Source]) -> Vec<&'static str> {
    let has = |languages: &[Language]| sources.iter().any(|source| languages.contains(&source.language));
    let mut list = vec!["secrets and dangerous calls", "injection by queries and commands built from text"];
    if sources.iter().any(|source| source.language.is_measured()) {
        list.extend([
            "complexity, nesting, parameters, duplicates",
            "conditions that are always true or false, branches that do the same, unreachable code",
            "endless loops, indexes off by one, collections changed while iterating, division by an empty size",
            "swallowed errors",
        ]);
    }
    if has(&[Language::Python, Language::Javascript, Language::Typescript, Language::Go, Language::Java]) {
        list.push("unused imports and variables");
    }
    if has(&[Language::Python, Language::Javascript, Language::Typescript, Language::Csharp]) {
        list.push("calls that are not awaited");
    }
    if has(&[Language::Python]) {
        list.push("mutable defaults, == and is, results that are not used, files that are not closed");
    }
    if has(&[Language::C, Language::Cpp]) {
        list.push("buffers, memory used after free or never freed, uninitialized variables");
    }
    if has(&[Language::Go, Language::Rust]) {
        list.push("errors that are ignored or end the program");
    }
    if has(&[Language::Sql]) {
        list.push("NULL compared with =, changes without WHERE, joins that multiply or drop rows");
    }
    if has(&[Language::Shell]) {
        list.push("unquoted variables, unchecked cd, rm with variables");
    }
    list
}

/// The answer in words.
pub fn summary(
    verdict: &str,
    remarks: &[Remark],
    measures: &Measures,
    changed: Option<&Changed>,
    asked: Option<&Asked>,
) -> String {
    let what = match changed {
        Some(changed) => figures::count(changed.lines(), "added line", "added lines"),
        None => figures::count(measures.code_lines, "line of code", "lines of code"),
    };
    let files = figures::count(measures.files, "file", "files");
    let count = figures::count(remarks.len(), "remark", "remarks");
    if remarks.is_empty() {
        return format!("{verdict}: {what} in {files}, {count}; nothing of what was looked for was found.");
    }
    let several = measures.files > 1;
    let place = |remark: &Remark| {
        if several { format!("{} line {}", remark.path, remark.line) } else { format!("line {}", remark.line) }
    };
    if let Some(most) = asked.and_then(|asked| asked.sentences_max) {
        let most = usize::try_from(most).unwrap_or(1).max(1);
        let told = remarks
            .iter()
            .take(most)
            .map(|remark| format!("In {}: {}.", place(remark), remark.message.trim_end_matches('.')));
        return told.collect::<Vec<_>>().join(" ");
    }
    let mut text = format!("{verdict}: {what} in {files}, {count}, the gravest first.");
    for remark in remarks.iter().take(20) {
        text.push_str(&format!(
            "\n- {} ({}): {}. {}",
            place(remark),
            remark.severity,
            remark.message.trim_end_matches('.'),
            remark.remedy
        ));
    }
    if remarks.len() > 20 {
        text.push_str(&format!("\n- and {} more", remarks.len() - 20));
    }
    text
}
