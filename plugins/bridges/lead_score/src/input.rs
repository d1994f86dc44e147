//! What a caller may send.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::time::Moment;

/// Most events in one call.
pub const MOST_EVENTS: usize = 1_000;
/// Most entries of a list of the profile.
pub const MOST_ENTRIES: usize = 200;
/// Longest text, in bytes.
pub const LONGEST_TEXT: usize = 300;

/// A lead, whom one is looking for, and what the lead did.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// An e-mail address: alone it means a lead of which nothing else is known, so only the contact is scored. Or the id
    /// of a stored resource (`res_…`): a JSON object with `lead`, and `profile` and `events` if wanted.
    pub resource_id: Option<String>,
    /// Who it is.
    pub lead: Option<Lead>,
    /// The ideal customer. What it does not name is not scored.
    pub profile: Option<Profile>,
    /// What the lead did, in any order; at most 1,000. Left out, engagement is not scored; empty, it scores 0.
    #[schemars(length(max = 1_000))]
    pub events: Option<Vec<Event>>,
    /// How much each part counts. Default: title 20, industry 15, country 10, size 15, email 15, completeness 5,
    /// engagement 20. Weights of what is scored are scaled to 100.
    pub weights: Option<Weights>,
    /// Days after which an event counts half, 0.1 to 3,650. Default: 14.
    #[schemars(range(min = 0.1, max = 3650.0))]
    pub half_life_days: Option<f64>,
    /// Decayed points of events at which engagement is full, 0.1 to 100,000. Default: 20.
    #[schemars(range(min = 0.1, max = 100_000.0))]
    pub full_engagement: Option<f64>,
    /// When events are counted from: ISO 8601, or Unix seconds or milliseconds. Default: the time of the call.
    pub as_of: Option<Moment>,
    /// Scores from which a lead is A, B or C. Default: 75, 55, 35.
    pub grades: Option<Grades>,
}

/// Who it is. Empty texts count as unknown.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    /// Job title.
    pub title: Option<String>,
    pub company: Option<String>,
    /// Web address or domain of the company; compared with the domain of the e-mail address.
    pub website: Option<String>,
    pub industry: Option<String>,
    /// Country, written as in the profile.
    pub country: Option<String>,
    /// Employees.
    pub employees: Option<u32>,
}

/// The ideal customer.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Job titles; a title fits as far as it has the words of one of them.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub titles: Vec<String>,
    /// Industries, as leads name them; case does not matter.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub industries: Vec<String>,
    /// Countries, as leads name them; case does not matter.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub countries: Vec<String>,
    /// Least employees.
    pub employees_min: Option<u32>,
    /// Most employees.
    pub employees_max: Option<u32>,
}

/// Something that the lead did.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// demo_request, trial_start (10), meeting (8), reply (6), form_submit, pricing_page (5), webinar (4), download (3),
    /// email_click (2), page_view, email_open (0.5), email_bounce, unsubscribe (-10); in brackets the points. Any other
    /// name needs `points`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When: ISO 8601, or Unix seconds or milliseconds. At most a day after `as_of`.
    pub at: Moment,
    /// Points when fresh, -100 to 100. Default: by type.
    #[schemars(range(min = -100.0, max = 100.0))]
    pub points: Option<f64>,
}

/// Weights, each 0 to 1,000.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub title: Option<f64>,
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub industry: Option<f64>,
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub country: Option<f64>,
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub size: Option<f64>,
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub email: Option<f64>,
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub completeness: Option<f64>,
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub engagement: Option<f64>,
}

/// Scores from which a lead has a grade, falling.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grades {
    #[schemars(range(min = 0.0, max = 100.0))]
    pub a: f64,
    #[schemars(range(min = 0.0, max = 100.0))]
    pub b: f64,
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c: f64,
}
