//! Ends of a look ahead that are parts of years: `the first half of 2024`, `Q3`, `rest of the month`.

use agent_common::patterns;
use agent_common::periods::{self, Period, Step};
use agent_common::time_unit::Unit;

use crate::horizon::MOST;

/// Steps to the end of the half or quarter of a year that is named.
pub fn read(asked: &str, last: Option<Period>, unit: Option<Unit>) -> Option<u32> {
    let lower = asked.to_lowercase();
    let (last_year, last_month) = match last? {
        Period::Month(year, month) => (year, month),
        Period::Quarter(year, quarter) => (year, quarter * 3),
        _ => return None,
    };
    let (end, year) = half(&lower).or_else(|| quarter(&lower).filter(|_| unit == Some(Unit::Month)))?;
    let months = match (year, last_year) {
        (Some(year), Some(last_year)) => {
            (i64::from(year) - i64::from(last_year)) * 12 + i64::from(end) - i64::from(last_month)
        }
        _ => (i64::from(end) - i64::from(last_month) - 1).rem_euclid(12) + 1,
    };
    let months = u32::try_from(months).ok().filter(|months| *months > 0)?;
    match unit? {
        Unit::Month => Some(months),
        Unit::Quarter => (months % 3 == 0).then_some(months / 3),
        _ => None,
    }
}

fn year(groups: &[String], at: usize) -> Option<i32> {
    groups.get(at)?.parse().ok()
}

/// The last month of a half of a year.
fn half(lower: &str) -> Option<(u32, Option<i32>)> {
    let patterns = [
        r"\b(first|1st|second|2nd|latter) half(?: of)?(?: the)?(?: year)?(?: of)?(?: ((?:19|20)\d\d))?",
        r"\b(h1|h2)\b(?: of)?(?:[ -/]*((?:19|20)\d\d))?",
        r"\b(1\.|2\.|erste[sn]?|zweite[sn]?|ersten|premier|second|primer|segundo|primo|secondo) (?:halbjahr|semestre|semester)(?: (?:de |del )?((?:19|20)\d\d))?",
    ];
    patterns.iter().find_map(|pattern| {
        let groups = patterns::groups(pattern, lower);
        let which = groups.get(1)?.as_str();
        let first =
            ["first", "1st", "h1", "1.", "premier", "primer", "primo"].contains(&which) || which.starts_with("erste");
        Some((if first { 6 } else { 12 }, year(&groups, 2)))
    })
}

/// The last month of a quarter, for series of months.
fn quarter(lower: &str) -> Option<(u32, Option<i32>)> {
    let groups = patterns::groups(r"\bq([1-4])\b(?:[ /-]*((?:19|20)\d\d))?", lower);
    if let Some(number) = groups.get(1).and_then(|one| one.parse::<u32>().ok()) {
        return Some((number * 3, year(&groups, 2)));
    }
    let groups = patterns::groups(
        r"\b(first|second|third|fourth|last|1st|2nd|3rd|4th) quarter(?: of)?(?: ((?:19|20)\d\d))?",
        lower,
    );
    let number = match groups.get(1)?.as_str() {
        "first" | "1st" => 1,
        "second" | "2nd" => 2,
        "third" | "3rd" => 3,
        _ => 4,
    };
    Some((number * 3, year(&groups, 2)))
}

/// `Units 8 and 9?` of a list that is said to be `units 1 to 7`, or simply of seven values.
pub fn numbered(text: &str, count: usize) -> Option<u32> {
    let lower = text.to_lowercase();
    let said = patterns::groups(r"\b([a-z]{3,})s? (?:no\.? )?(?:1|one) (?:to|-|–|through|till) (\d{1,3})\b", &lower);
    let noun = said.get(1)?.trim_end_matches('s').to_owned();
    if said.get(2)?.parse::<usize>().ok()? != count {
        return None;
    }
    let asked =
        patterns::all(&format!(r"\b{noun}s? (?:no\.? )?(\d{{1,3}}(?:\s*(?:,|and|&|to|-|–|or)\s*\d{{1,3}})*)"), &lower);
    let last = asked
        .iter()
        .flat_map(|list| list.split(|c: char| !c.is_ascii_digit()))
        .filter_map(|n| n.parse::<usize>().ok())
        .max()?;
    u32::try_from(last.checked_sub(count)?).ok().filter(|steps| (1..=60).contains(steps))
}

/// Whether a year is asked for.
pub fn names_year(asked: &str) -> bool {
    patterns::is_match(r"\b(?:for|in|by|and|until|für|pour|en) (?:19|20)\d\d\b", &asked.to_lowercase())
}

/// Words that say how far to look, in a text whose horizon could not be read.
pub fn hints(text: &str) -> bool {
    let hint = r"\b(rest of|remainder|remaining|until|till|through|horizon|end of|next (?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|few|couple)|(?:\d+|two|three|four|five|six) (?:more|ahead|further)|bis ende|jusqu|hasta|nächsten|prochains|próximos)\b";
    patterns::is_match(hint, &text.to_lowercase())
}

/// `all of 2024`, `for 2025`: the steps to the end of that year, where the series has months or quarters.
pub fn year_ahead(tokens: &[&str], at: usize, last: Period, step: Step) -> Option<u32> {
    let year: i32 = tokens.get(at).filter(|token| token.len() == 4)?.parse().ok()?;
    let before = |by: usize| {
        at.checked_sub(by).and_then(|at| tokens.get(at)).map(|word| word.to_lowercase()).unwrap_or_default()
    };
    let is_part = |word: &str| {
        periods::read(word, None).is_some_and(|period| !matches!(period, Period::Number(_) | Period::Year(_)))
    };
    let next = tokens.get(at + 1).map(|word| word.to_lowercase()).unwrap_or_default();
    // `Feb 2024` and `2024 Q1` name a part of the year.
    let leads = !is_part(&before(1))
        && !is_part(&next)
        && !["until", "till", "to", "by", "before", "since", "end"].contains(&before(1).as_str());
    let part = ["of", "in"].contains(&before(1).as_str()) && is_part(&before(2));
    let year_of = |period: Period| match period {
        Period::Month(Some(year), _) | Period::Quarter(Some(year), _) => Some(year),
        _ => None,
    };
    if !leads || part || year_of(last)? >= year {
        return None;
    }
    let mut period = last;
    let mut steps = 0;
    while steps < MOST {
        period = periods::following(period, step)?;
        if year_of(period)? > year {
            return Some(steps).filter(|steps| *steps > 0);
        }
        steps += 1;
    }
    None
}

/// The words of a look ahead in the form that is read: `rest of the year`, `2024`.
pub fn plain(asked: &str) -> String {
    let rest = r"(?i)\b(?:rest|remainder|balance|remaining months|remaining part|remaining quarters) of (?:the year|this year|the calendar year|(?:19|20)\d\d)\b|\brest des jahres\b|\bbis jahresende\b|\breste de l.année\b|\bresto del año\b|\bremaining (?:months|quarters)\b";
    let text = match patterns::compiled(rest) {
        Some(regex) => regex.replace_all(asked, "rest of the year").into_owned(),
        None => asked.to_owned(),
    };
    // `2024-2026`, `W16-W18`: the last of them is the end.
    let text = match patterns::compiled(
        r"\b((?:19|20)\d\d|[WwQq]\d{1,2}|KW ?\d{1,2})\s?[-–]\s?((?:19|20)\d\d|[WwQq]\d{1,2}|KW ?\d{1,2})\b",
    ) {
        Some(regex) => regex.replace_all(&text, "$1 and $2").into_owned(),
        None => text,
    };
    let text = match patterns::compiled(r"(?i)\b(?:next|coming|this) weekend\b") {
        Some(regex) => regex.replace_all(&text, "Saturday and Sunday").into_owned(),
        None => text,
    };
    match patterns::compiled(r"\b(?:FY|fy|CY|year )\s?((?:19|20)\d\d)\b") {
        Some(regex) => regex.replace_all(&text, "$1").into_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_years() {
        let december = Some(Period::Month(Some(2023), 12));
        let fourth = Some(Period::Quarter(Some(2023), 4));
        let cases = [
            ("in the first half of 2024 by quarter?", fourth, Unit::Quarter, Some(2)),
            ("H1 2024", december, Unit::Month, Some(6)),
            ("the second half of 2024", december, Unit::Month, Some(12)),
            ("Q1 2024 please, by month", december, Unit::Month, Some(3)),
            ("the second quarter of 2024", december, Unit::Month, Some(6)),
            ("im ersten Halbjahr 2024", december, Unit::Month, Some(6)),
            ("Q1 2024", fourth, Unit::Quarter, None),
            ("next month", december, Unit::Month, None),
        ];
        for (asked, last, unit, expect) in cases {
            assert_eq!(read(asked, last, Some(unit)), expect, "{asked}");
        }
        assert_eq!(numbered("participants in units 1 to 7: 1000, 900. Units 8 and 9?", 7), Some(2));
        assert_eq!(numbered("Units 8 and 9?", 7), None);
    }
}
