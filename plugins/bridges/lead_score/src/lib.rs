//! Lead score: a scorecard in which every point can be told, so that the contributions add up to the score.
//!
//! Invariants: contributions add up to the score, which lies between 0 and 100; unknown parts add nothing and are shown;
//! the only clock is that of the call, and only where the input names no other; no input panics; what speaks for a lead, or
//! makes more of it known, never lowers the score.

mod domains;
mod engagement;
mod input;
mod output;
mod part;

use bridge_common::Report;
use tollbridge_sdk::{Call, Error, bridge, serde_json};

pub use input::Input;
pub use output::Output;

use crate::engagement::Engagement;
use crate::input::{LONGEST_TEXT, Lead, MOST_ENTRIES, MOST_EVENTS, Profile, Weights};
use crate::output::{Contribution, MethodUsed, Scored};
use crate::part::PartScore;

/// Scores the lead that the input names.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let input = resolve(call, input)?;
    check(&input)?;
    let lead = input.lead.clone().unwrap_or_default();
    let half_life = input.half_life_days.unwrap_or(14.0);
    let full = input.full_engagement.unwrap_or(20.0);
    let now = match &input.as_of {
        Some(moment) => moment.seconds().ok_or_else(|| Error::invalid("/as_of", "not an ISO 8601 time or a number"))?,
        None => call.now_ms as f64 / 1e3,
    };
    let engagement = match &input.events {
        Some(events) => Some(engagement::add_up(events, now, half_life)?),
        None => None,
    };
    let (email, flag) = part::email(&lead);
    let parts = parts(&input, &lead, email, engagement.as_ref(), full);
    let contributions = weigh(parts)?;
    let mut flags: Vec<&'static str> = flag.into_iter().collect();
    let strongest = engagement.map_or_else(Vec::new, |engagement| {
        flags.extend(engagement.flags);
        engagement.strongest
    });
    let result = sum_up(contributions, flags, strongest, &input)?;
    let limitations = limitations(&input, &result);
    let method = MethodUsed {
        name: "scorecard: every part has a value from 0 to 1, weights are scaled to 100, unknown parts add nothing",
        half_life_days: half_life,
        full_engagement: full,
        as_of_ms: input.events.as_ref().map(|_| (now * 1e3).round().clamp(-9e15, 9e15) as i64),
        as_of_from: if input.as_of.is_some() { "input" } else { "call" },
    };
    let data = if part::known(&lead.email).is_some() { domains::sources() } else { Vec::new() };
    Ok(Report::new(result, method, limitations).with_data(data))
}

/// Puts a stored lead, or a lead of which only the address is known, in the place of `resource_id`.
fn resolve(call: &Call, mut input: Input) -> Result<Input, Error> {
    let Some(id) = input.resource_id.take() else { return Ok(input) };
    if call.resource.is_none() && id.contains('@') {
        let lead = input.lead.get_or_insert_default();
        match &lead.email {
            Some(email) if *email != id => {
                return Err(Error::invalid("/resource_id", "another address than `lead` has; give one of them"));
            }
            _ => lead.email = Some(id),
        }
        return Ok(input);
    }
    if input.lead.is_some() {
        return Err(Error::invalid("/lead", "give `lead` or the id of a stored one, not both"));
    }
    let stored: Input = serde_json::from_str(call.stored()?.text()?).map_err(|error| {
        Error::invalid("/resource_id", format!("the stored JSON is not of the shape of the input: {error}"))
    })?;
    if stored.resource_id.is_some() {
        return Err(Error::invalid("/resource_id", "the stored JSON names a resource itself"));
    }
    Ok(Input {
        lead: stored.lead,
        profile: input.profile.or(stored.profile),
        events: input.events.or(stored.events),
        ..input
    })
}

fn check(input: &Input) -> Result<(), Error> {
    let Some(lead) = &input.lead else {
        return Err(Error::invalid("/lead", "give `lead`, an e-mail address as `resource_id`, or a stored lead"));
    };
    if lead.texts().iter().any(|text| text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_TEXT)) {
        return Err(Error::invalid("/lead", format!("a text is longer than {LONGEST_TEXT} characters")));
    }
    if input.events.as_ref().is_some_and(|events| events.len() > MOST_EVENTS) {
        return Err(Error::invalid("/events", format!("more than {MOST_EVENTS} events")));
    }
    for (field, value, low, high) in
        [("/half_life_days", input.half_life_days, 0.1, 3_650.0), ("/full_engagement", input.full_engagement, 0.1, 1e5)]
    {
        if value.is_some_and(|value| !(low..=high).contains(&value)) {
            return Err(Error::invalid(field, format!("must lie between {low} and {high}")));
        }
    }
    let profile = input.profile.clone().unwrap_or_default();
    for (name, list) in
        [("titles", &profile.titles), ("industries", &profile.industries), ("countries", &profile.countries)]
    {
        if list.len() > MOST_ENTRIES || list.iter().any(|entry| entry.chars().count() > LONGEST_TEXT) {
            let text = format!("more than {MOST_ENTRIES} entries, or one longer than {LONGEST_TEXT} characters");
            return Err(Error::invalid(format!("/profile/{name}"), text));
        }
    }
    if profile.employees_min.zip(profile.employees_max).is_some_and(|(low, high)| low > high) {
        return Err(Error::invalid("/profile/employees_max", "is below `employees_min`"));
    }
    if let Some(grades) = &input.grades
        && !(100.0 >= grades.a && grades.a > grades.b && grades.b > grades.c && grades.c >= 0.0)
    {
        return Err(Error::invalid("/grades", "must decrease from a to c, between 100 and 0"));
    }
    Ok(())
}

/// The parts to score: name, weight, value.
type Part = (&'static str, f64, PartScore);

fn parts(input: &Input, lead: &Lead, email: PartScore, engagement: Option<&Engagement>, full: f64) -> Vec<Part> {
    let none = (Profile::default(), Weights::default());
    let profile = input.profile.as_ref().unwrap_or(&none.0);
    let weights = input.weights.as_ref().unwrap_or(&none.1);
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |wanted: bool, name, weight: Option<f64>, usual, judged: &dyn Fn() -> PartScore| {
        if wanted {
            parts.push((name, weight.unwrap_or(usual), judged()));
        }
    };
    add(!profile.titles.is_empty(), "title", weights.title, 20.0, &|| part::title(lead, profile));
    let industry = || part::listed("industry", &lead.industry, &profile.industries);
    add(!profile.industries.is_empty(), "industry", weights.industry, 15.0, &industry);
    let country = || part::listed("country", &lead.country, &profile.countries);
    add(!profile.countries.is_empty(), "country", weights.country, 10.0, &country);
    let sized = profile.employees_min.is_some() || profile.employees_max.is_some();
    add(sized, "size", weights.size, 15.0, &|| part::size(lead, profile));
    add(true, "email", weights.email, 15.0, &|| email.clone());
    add(true, "completeness", weights.completeness, 5.0, &|| part::completeness(lead));
    // Scored without events too: else the first one would make room for itself and could lower the score.
    let engaged = || match engagement {
        Some(engagement) => {
            let value = (engagement.points / full).clamp(0.0, 1.0);
            (Some(value), format!("{:.2} decayed points of the {full} that are full", engagement.points))
        }
        None => (None, "no events known".into()),
    };
    add(true, "engagement", weights.engagement, 20.0, &engaged);
    parts
}

/// Points of each part, in whole hundredths, so that they add up exactly as shown: what all parts can have at most adds
/// up to 100.00, with the hundredths that rounding down leaves over given to the largest rests.
fn weigh(parts: Vec<Part>) -> Result<Vec<Contribution>, Error> {
    if let Some((name, _, _)) = parts.iter().find(|(_, weight, _)| !(0.0..=1_000.0).contains(weight)) {
        return Err(Error::invalid(format!("/weights/{name}"), "must lie between 0 and 1,000"));
    }
    let all: f64 = parts.iter().map(|(_, weight, _)| weight).sum();
    if all <= 0.0 {
        return Err(Error::invalid("/weights", "all parts that are scored have weight 0"));
    }
    let exact: Vec<f64> = parts.iter().map(|(_, weight, _)| 1e4 * weight / all).collect();
    let mut points: Vec<f64> = exact.iter().map(|points| points.floor()).collect();
    let left = (1e4 - points.iter().sum::<f64>()).max(0.0) as usize;
    let mut order: Vec<(usize, f64)> = exact.iter().map(|points| points.fract()).enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (place, _) in order.into_iter().take(left) {
        points.get_mut(place).into_iter().for_each(|share| *share += 1.0);
    }
    let one = |((part, _, (value, reason)), points): (Part, f64)| Contribution {
        part,
        points: (points * value.unwrap_or(0.0)).round() / 100.0,
        most: points / 100.0,
        value: value.map(tidy),
        reason,
    };
    Ok(parts.into_iter().zip(points).map(one).collect())
}

fn sum_up(
    contributions: Vec<Contribution>,
    flags: Vec<&'static str>,
    strongest_events: Vec<output::Counted>,
    input: &Input,
) -> Result<Scored, Error> {
    let score = hundredths(contributions.iter().map(|part| part.points).sum::<f64>()).clamp(0.0, 100.0);
    let known: f64 = contributions.iter().filter(|part| part.value.is_some()).map(|part| part.most).sum();
    let bounds = input.grades.as_ref().map_or((75.0, 55.0, 35.0), |grades| (grades.a, grades.b, grades.c));
    let grade = match score {
        score if score >= bounds.0 => "A",
        score if score >= bounds.1 => "B",
        score if score >= bounds.2 => "C",
        _ => "D",
    };
    Ok(Scored {
        score,
        grade,
        contributions,
        known: tidy((known / 100.0).min(1.0)),
        score_of_known: (known > 0.0).then(|| hundredths((100.0 * score / known).min(100.0))),
        flags,
        strongest_events,
    })
}

fn limitations(input: &Input, result: &Scored) -> Vec<String> {
    let mut notes = vec![
        "a scorecard: weights, values of parts and grades are the caller's or else this bridge's rules of thumb, neither fitted to deals won or lost nor tested on any; the score is no probability, and whether it orders your leads well is for you to check"
            .to_owned(),
        "an address is judged by its form and domain; whether it takes mail was not tried".to_owned(),
    ];
    let mut note = |applies: bool, text: &str| {
        if applies {
            notes.push(text.to_owned());
        }
    };
    note(input.profile.is_none(), "no profile was given: fit is not scored");
    note(
        input.events.is_none(),
        "no events were given: engagement is unknown and adds nothing; weight 0 leaves it out",
    );
    note(result.known < 0.6, "much of the lead is unknown, and unknown parts add nothing; see `score_of_known`");
    note(
        input.events.is_some() && input.as_of.is_none(),
        "ages of events are counted from the time of the call; `as_of` makes the answer repeatable",
    );
    note(!result.flags.is_empty(), "flags do not change the score: they speak against contact whatever it is");
    notes
}

fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn tidy(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

bridge! { handle: handle, examples: ["../cases/full_lead.json", "../cases/email_alone.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
