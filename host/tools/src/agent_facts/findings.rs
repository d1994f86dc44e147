//! Checks of answers that are lists of findings: about data, documents, references, code and videos.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::compare::{contains, has, near, numbers_in, same, texts_in};
use super::value::{
    any, equal, fact, facts, get, is_truthy, list, member, named_facts, non_empty, number, object, one_or_many, select,
    text_in, text_of,
};

/// Checks that the problems of a table are named, and that rows in order are not.
pub(super) fn validation(answer: &Value, expect: &Value) -> Result<()> {
    let problems = list(answer, "problems")?;
    let is_clean = answer.get("valid").map_or(problems.is_empty(), is_truthy);
    ensure!(is_clean || non_empty(expect, "clean")?.is_none(), "not clean: {problems:?}");
    facts(expect, "problems", |expected| any(&problems, |problem| is_problem(problem, expected)))?;
    let rows = problems.iter().map(|problem| list(problem, "rows")).collect::<Result<Vec<_>>>()?.concat();
    ensure!(!rows.iter().any(|row| row.is_array() || row.is_object()), "{rows:?} are not rows");
    facts(expect, "clean_rows", |clean| Ok(!rows.iter().any(|row| equal(clean, row))))
}

/// Returns whether a problem has the expected row, field and kind.
fn is_problem(problem: &Value, expected: &Value) -> Result<bool> {
    let row = get(expected, "row")?;
    let has_row = match get(problem, "rows")? {
        _ if row.is_null() => true,
        Value::String(rows) => rows.contains(row.as_str().context("the rows are a text")?),
        _ => list(problem, "rows")?.iter().any(|own| equal(own, row)),
    };
    let fields = [non_empty(problem, "field")?.map(text_of).unwrap_or_default(), text_in(problem, "place")?];
    let is_field = |field| fields.iter().any(|own| has(own, &text_of(field).into()));
    let kind = text_in(problem, "kind")?.into();
    Ok(has_row
        && non_empty(expected, "field")?.is_none_or(is_field)
        && non_empty(expected, "kind")?.is_none_or(|expected| same(expected, &kind)))
}

/// Checks which items a document has, with quotes that prove it.
pub(super) fn compliance(answer: &Value, expect: &Value) -> Result<()> {
    member(expect, "findings")?;
    facts(expect, "findings", |expected| {
        let item = member(expected, "item")?;
        let own = select(&list(answer, "items")?, |own| {
            let name = text_of(member(own, "name")?);
            Ok(has(&name, item) || contains(&text_of(item), &name))
        })?;
        let is_right = |present| any(&own, |own| Ok(equal(&is_present(own)?, present)));
        let quoted = texts_in(&own.iter().map(|own| json!([own.get("evidence"), own.get("message")])).collect());
        let mut evidence = expected.get("evidence").map(one_or_many).unwrap_or_default().iter();
        Ok(!own.is_empty()
            && expected.get("present").map_or(Ok(true), is_right)?
            && evidence.all(|words| has(&quoted, words)))
    })
}

fn is_present(item: &Value) -> Result<Value> {
    let present = get(item, "present")?;
    Ok(if present.is_null() { non_empty(item, "evidence")?.is_some().into() } else { present.clone() })
}

/// Checks the findings about claims, and which references are valid and how they are formatted.
pub(super) fn citation(answer: &Value, expect: &Value) -> Result<()> {
    facts(expect, "claims", |expected| {
        let (claim, finding) = (text_of(member(expected, "claim")?), member(expected, "finding")?);
        let own = select(&list(answer, "claims")?, |own| Ok(contains(&text_of(member(own, "claim")?), &claim)))?;
        Ok(!own.is_empty() && !any(&own, |own| Ok(!same(finding, member(own, "finding")?)))?)
    })?;
    let references = list(answer, "references")?;
    facts(expect, "references", |expected| {
        let part = text_of(member(expected, "contains")?);
        let own = select(&references, |reference| Ok(contains(&texts_in(reference), &part)))?;
        let is_right = |valid| any(&own, |own| Ok(equal(member(own, "ok")?, valid)));
        Ok(!own.is_empty() && expected.get("valid").map_or(Ok(true), is_right)?)
    })?;
    let formatted = references.iter().map(|reference| get(reference, "formatted").map(text_of));
    let formatted = formatted.collect::<Result<Vec<_>>>()?.join("\n");
    facts(expect, "formatted", |part| Ok(has(&formatted, part)))
}

/// Checks that the defects of code are remarked, at most one line away.
pub(super) fn review(answer: &Value, expect: &Value) -> Result<()> {
    let is_clean = non_empty(answer, "remarks")?.is_none();
    ensure!(is_clean || non_empty(expect, "clean")?.is_none(), "not clean");
    facts(expect, "defects", |expected| {
        let line = get(expected, "line")?;
        let own = select(&list(answer, "remarks")?, |remark| Ok(line.is_null() || is_close(remark, line)?))?;
        any(&own, |remark| Ok(has(&texts_in(remark), member(expected, "contains")?)))
    })?;
    facts(expect, "not", |words| {
        let remarks = list(answer, "remarks")?;
        let messages = remarks.iter().map(|remark| get(remark, "message").cloned()).collect::<Result<_>>()?;
        Ok(!contains(&texts_in(&messages), &text_of(words)))
    })
}

#[expect(clippy::float_arithmetic, reason = "lines of a file")]
fn is_close(remark: &Value, line: &Value) -> Result<bool> {
    Ok((non_empty(remark, "line")?.map_or(Ok(0.0), number)? - number(line)?).abs() <= 1.0)
}

/// Checks the findings, measures and verdict about a video.
pub(super) fn video(answer: &Value, expect: &Value) -> Result<()> {
    let words_of = |finding: &Value| texts_in(finding).replace('_', " ");
    facts(expect, "findings", |expected| {
        let words = if expected.is_object() { member(expected, "contains")?.clone() } else { json!([expected]) };
        let own = select(&list(answer, "findings")?, |finding| Ok(has(&words_of(finding), &words)))?;
        let cue = expected.get("cue").filter(|cue| !cue.is_null());
        cue.map_or(Ok(!own.is_empty()), |cue| any(&own, |finding| is_at_cue(finding, &text_of(cue))))
    })?;
    let findings = words_of(get(answer, "findings")?);
    facts(expect, "not", |words| Ok(!has(&findings, words)))?;
    let measures = ["captions", "media", "summary", "transcript"].map(|name| answer.get(name));
    let numbers = numbers_in(&json!(measures));
    named_facts(expect, "facts", |_, expected| match expected {
        Value::Number(_) | Value::Bool(_) => Ok(numbers.iter().any(|number| near(expected, *number))),
        _ => Ok(contains(&texts_in(answer), &text_of(expected))),
    })?;
    fact(expect, "verdict", |expected| {
        let score = object(answer)?.get("score").map_or(Ok(0.0), number)?;
        Ok(same(expected, &if score >= 70.0 { "good" } else { "poor" }.into()))
    })
}

fn is_at_cue(finding: &Value, cue: &str) -> Result<bool> {
    let (one, many) = (get(finding, "cue")?, list(finding, "cues")?);
    Ok(many.iter().chain([one]).any(|own| cue.split('|').any(|cue| cue == text_of(own))))
}
