//! Checks of answers that are tables or are computed from them: sums, extracted fields and ranked leads.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::compare::{amounts, contains, has, near, numbers_in, plain, related, same, texts_in};
use super::value::{
    compare, equal, fact, facts, get, list, member, named_facts, non_empty, object, one_or_many, parts, select,
    text_in, text_of,
};

/// Checks the numbers, groups, rows and columns of a result, and their order.
pub(super) fn aggregation(answer: &Value, expect: &Value) -> Result<()> {
    let groups = non_empty(answer, "groups")?.map(parts).transpose()?.unwrap_or_default();
    let mut numbers = numbers_in(&json!([get(answer, "answers")?, get(answer, "summary")?]));
    if let [group] = groups.as_slice() {
        let sums = object(group)?.get("sums").or_else(|| group.get("values"));
        numbers.extend(sums.map(numbers_in).unwrap_or_default());
    }
    named_facts(expect, "numbers", |_, expected| Ok(numbers.iter().any(|number| near(expected, *number))))?;
    named_facts(expect, "groups", |name, expected| has_group(&groups, name, expected))?;
    fact(expect, "rows", |expected| {
        let group_count = if groups.is_empty() { Value::Null } else { groups.len().into() };
        let counts = [get(answer, "rows_total")?.clone(), group_count, list(answer, "rows")?.len().into()];
        Ok(counts.iter().any(|count| equal(expected, count)))
    })?;
    fact(expect, "removed", |expected| Ok(equal(expected, get(answer, "duplicates_removed")?)))?;
    check_rows(answer, expect, &groups)
}

/// Returns whether a group has the expected numbers; its name is one or all of its values, in any order.
fn has_group(groups: &[Value], name: &str, expected: &Value) -> Result<bool> {
    let sorted = |text: &str| {
        let mut words: Vec<_> = plain(text).split(' ').map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    let is_named = |value: &Value| same(&name.into(), value);
    let own = select(groups, |group| {
        let (of, joined) = (object(member(group, "of")?)?, joined(group)?);
        let has_words = of.len() > 1 && sorted(name) == sorted(&joined);
        Ok(has_words || of.values().any(is_named) || is_named(&joined.into()))
    })?;
    let members = own.iter().filter_map(Value::as_object).flatten().filter(|(part, _)| *part != "of");
    let numbers: Vec<_> = members.flat_map(|(_, value)| numbers_in(value)).collect();
    let is_stated = |expected: &Value| numbers.iter().any(|number| near(expected, *number));
    Ok(match expected {
        Value::Object(members) => members.values().all(is_stated),
        expected => one_or_many(expected).iter().all(is_stated),
    })
}

/// Joins the values that name a group.
fn joined(group: &Value) -> Result<String> {
    Ok(object(member(group, "of")?)?.values().map(text_of).collect::<Vec<_>>().join(" "))
}

/// Checks the columns, and the order of the groups, or of the rows if there are no groups.
fn check_rows(answer: &Value, expect: &Value, groups: &[Value]) -> Result<()> {
    let rows = non_empty(answer, "rows")?;
    ensure!(!rows.is_some_and(Value::is_object), "the rows are an object");
    let rows = rows.map_or_else(|| Ok(vec![json!({})]), parts)?;
    let mut columns: Vec<_> = parts(rows.first().context("no rows")?)?.iter().map(text_of).collect();
    for column in list(answer, "columns")? {
        columns.push(text_in(&column, "name")?);
    }
    facts(expect, "columns", |name| Ok(columns.iter().any(|column| plain(column) == plain(&text_of(name)))))?;
    fact(expect, "top", |top| {
        let names = groups.iter().map(joined).collect::<Result<Vec<_>>>()?;
        let names = if names.is_empty() { rows.iter().map(texts_in).collect() } else { names };
        let top = parts(top)?;
        Ok(names.len() >= top.len() && names.iter().zip(&top).all(|(name, top)| contains(name, &text_of(top))))
    })
}

/// Checks the values of fields; a field may have a longer or shorter name.
pub(super) fn extraction(answer: &Value, expect: &Value) -> Result<()> {
    let values = non_empty(answer, "values")?.map(object).transpose()?.into_iter().flatten();
    let values: Vec<_> = values.map(|(name, value)| (plain(name), value)).collect();
    member(expect, "fields")?;
    named_facts(expect, "fields", |name, expected| {
        let name = plain(name);
        let alike = || values.iter().find(|(own, _)| own.contains(&name) || name.contains(own));
        let own_name = values.iter().find(|(own, _)| *own == name).or_else(alike).map(|(own, _)| own);
        // Of fields whose names differ only in case or punctuation, the last counts.
        let value = values.iter().rfind(|(own, _)| Some(own) == own_name).map_or(&Value::Null, |(_, value)| *value);
        let has = |one| one_or_many(value).iter().any(|part| is_value(one, part));
        Ok(match expected {
            Value::Null => [Value::Null, "".into(), json!([])].contains(value),
            expected => one_or_many(expected).iter().all(has),
        })
    })
}

/// Returns whether a value is the expected one: spaces do not count, and an amount may be formatted.
#[expect(clippy::float_arithmetic, reason = "a tolerance is about floats; no money here")]
fn is_value(expected: &Value, value: &Value) -> bool {
    let without_spaces = |value| plain(&text_of(value)).replace(' ', "");
    match expected {
        _ if value.is_null() => false,
        Value::Number(number) => number.as_f64().is_some_and(|expected| {
            amounts(value).iter().any(|amount| (expected - amount).abs() <= expected.abs() * 1e-9 + 1e-9)
        }),
        _ => same(expected, value) || (!expected.is_boolean() && without_spaces(expected) == without_spaces(value)),
    }
}

/// Checks the count, the order and the duplicates of leads.
pub(super) fn leads(answer: &Value, expect: &Value) -> Result<()> {
    let ranking = list(answer, "ranking")?;
    let names = ranking.iter().map(|lead| member(lead, "lead").map(text_of)).collect::<Result<Vec<_>>>()?;
    fact(expect, "count", |count| Ok(equal(count, &ranking.len().into())))?;
    let score = |name: &Value| {
        let lead = ranking.iter().zip(&names).find(|(_, own)| related(own, &text_of(name)));
        let score = lead.map(|(lead, _)| member(lead, "score")).transpose()?;
        score.filter(|score| !score.is_null()).with_context(|| format!("{name} has no score"))
    };
    let order = list(expect, "order")?;
    let scores = order.iter().map(score).collect::<Result<Vec<_>>>()?;
    for (higher, lower) in scores.iter().zip(scores.iter().skip(1)) {
        ensure!(compare(higher, lower)?.is_ge(), "not in this order: {order:?}, but {scores:?}");
    }
    facts(expect, "higher", |pair| {
        let pair = parts(pair)?;
        let [high, low, at_least @ ..] = pair.as_slice() else { bail!("{pair:?} is not a pair") };
        let order = compare(score(high)?, score(low)?)?;
        let may_equal = non_empty(expect, "at_least")?.is_some() || !at_least.is_empty();
        Ok(order.is_gt() || (may_equal && order.is_eq()))
    })?;
    let merged = ranking.iter().map(|lead| get(lead, "merged")).collect::<Result<Vec<_>>>()?;
    let doubles = texts_in(&json!([get(answer, "doubles")?, merged]));
    let has_doubles = non_empty(answer, "doubles")?.is_some();
    facts(expect, "merged", |group| {
        let group = parts(group)?;
        let same_names = matches!(group.as_slice(), [one, other] if same(one, other));
        Ok(group.iter().all(|name| has(&doubles, name)) || (has_doubles && same_names))
    })
}
