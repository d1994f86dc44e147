//! Engagement: points of events, each halved for every half-life that has passed since.

use tollbridge_sdk::Error;

use crate::input::Event;
use crate::output::Counted;

/// Points of a fresh event by type.
const POINTS: [(&str, f64); 13] = [
    ("demo_request", 10.0),
    ("trial_start", 10.0),
    ("meeting", 8.0),
    ("reply", 6.0),
    ("form_submit", 5.0),
    ("pricing_page", 5.0),
    ("webinar", 4.0),
    ("download", 3.0),
    ("email_click", 2.0),
    ("page_view", 0.5),
    ("email_open", 0.5),
    ("email_bounce", -10.0),
    ("unsubscribe", -10.0),
];
/// Clocks may differ by so much: an event may lie that far after the time it is counted from.
const AHEAD_DAYS: f64 = 1.0;
const DAY: f64 = 86_400.0;
/// Events that are shown.
const SHOWN: usize = 10;

/// What the events come to.
#[derive(Debug, Default)]
pub struct Engagement {
    pub points: f64,
    pub strongest: Vec<Counted>,
    pub flags: Vec<&'static str>,
}

/// Adds the events up. `now` is in seconds since 1970.
pub fn add_up(events: &[Event], now: f64, half_life_days: f64) -> Result<Engagement, Error> {
    let mut engagement = Engagement::default();
    for (index, event) in events.iter().enumerate() {
        let wrong = |member: &str, text: &str| Error::invalid(format!("/events/{index}/{member}"), text);
        let points = match event.points {
            Some(points) if (-100.0..=100.0).contains(&points) => points,
            Some(_) => return Err(wrong("points", "must lie between -100 and 100")),
            None => {
                let known = POINTS.iter().find(|(kind, _)| *kind == event.kind).map(|(_, points)| *points);
                known.ok_or_else(|| wrong("type", "not a known type; give `points` for a type of your own"))?
            }
        };
        let at = event.at.seconds().ok_or_else(|| wrong("at", "not an ISO 8601 time or a number"))?;
        let age = (now - at) / DAY;
        if age < -AHEAD_DAYS || !age.is_finite() {
            return Err(wrong("at", "lies after the time that events are counted from (`as_of`)"));
        }
        let age = age.max(0.0);
        let decayed = points * (-age / half_life_days).exp2();
        engagement.points += decayed;
        for (kind, flag) in [("unsubscribe", "unsubscribed"), ("email_bounce", "bounced")] {
            if event.kind == kind && !engagement.flags.contains(&flag) {
                engagement.flags.push(flag);
            }
        }
        let kind = event.kind.chars().take(60).collect();
        engagement.strongest.push(Counted { index, kind, age_days: round(age), points, decayed: round(decayed) });
    }
    engagement.strongest.sort_by(|a, b| b.decayed.abs().total_cmp(&a.decayed.abs()).then(a.index.cmp(&b.index)));
    engagement.strongest.truncate(SHOWN);
    Ok(engagement)
}

fn round(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
