//! What a caller may send.

use schemars::JsonSchema;
use serde::Deserialize;

use bridge_common::time::Timestamp;

/// Most events in one call.
pub const MOST_EVENTS: usize = 1_000;
/// Most entries of a list of the profile.
pub const MOST_ENTRIES: usize = 200;
/// Longest text, in bytes.
pub const LONGEST_TEXT: usize = 300;

/// A lead, whom one is looking for, and what the lead did.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::AnyOf("lead | resource_id"))]
pub struct Input {
    /// An e-mail address: alone it means a lead of which nothing else is known, so only the contact is scored. Or the id
    /// of a stored resource (`res_…`): a JSON object with `lead`, and `profile` and `events` if wanted.
    pub resource_id: Option<String>,
    /// Who it is. Give this, or `resource_id`.
    pub lead: Option<Lead>,
    /// The ideal customer. What it does not name is not scored. Default: none.
    pub profile: Option<Profile>,
    /// What the lead did, in any order; at most 1,000. Left out, engagement is unknown and adds nothing, as if
    /// empty; weight 0 leaves it out of the scale.
    #[schemars(length(max = 1_000))]
    pub events: Option<Vec<Event>>,
    /// How much each part counts. Default: title 20, industry 15, country 10, size 15, email 15, completeness 5,
    /// engagement 20. Weights of what is scored are scaled to 100; contact and engagement are always scored.
    pub weights: Option<Weights>,
    /// Days after which an event counts half, 0.1 to 3,650. Default: 14.
    #[schemars(range(min = 0.1, max = 3650.0))]
    pub half_life_days: Option<f64>,
    /// Decayed points of events at which engagement is full, 0.1 to 100,000. Default: 20.
    #[schemars(range(min = 0.1, max = 100_000.0))]
    pub full_engagement: Option<f64>,
    /// When events are counted from: ISO 8601, or Unix seconds or milliseconds. Default: the time of the call.
    pub as_of: Option<Timestamp>,
    /// Scores from which a lead is A, B or C. Default: 75, 55, 35.
    pub grades: Option<Grades>,
}

/// Who it is. What is left out, or is an empty text, counts as unknown; texts have at most 300 bytes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// Name of the person; counts for completeness only.
    pub name: Option<String>,
    /// E-mail address.
    pub email: Option<String>,
    /// Phone number; counts for completeness only.
    pub phone: Option<String>,
    /// Job title, compared with those of the profile.
    pub title: Option<String>,
    /// Name of the company; counts for completeness only.
    pub company: Option<String>,
    /// Web address or domain of the company; compared with the domain of the e-mail address.
    pub website: Option<String>,
    /// Industry, written as in the profile.
    pub industry: Option<String>,
    /// Country, written as in the profile.
    pub country: Option<String>,
    /// Employees of the company, from 0.
    pub employees: Option<u32>,
}

impl Lead {
    /// The members that are texts.
    #[must_use]
    pub fn texts(&self) -> [&Option<String>; 8] {
        let Self { name, email, phone, title, company, website, industry, country, employees: _ } = self;
        [name, email, phone, title, company, website, industry, country]
    }
}

/// The ideal customer.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Job titles; a title fits as far as it has the words of one of them. Default: none, so titles are not scored.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub titles: Vec<String>,
    /// Industries, as leads name them; case does not matter. Default: none, so industries are not scored.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub industries: Vec<String>,
    /// Countries, as leads name them; case does not matter. Default: none, so countries are not scored.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub countries: Vec<String>,
    /// Least employees. Default: 0; without either bound the size is not scored.
    pub employees_min: Option<u32>,
    /// Most employees. Default: no bound.
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
    pub at: Timestamp,
    /// Points when fresh, -100 to 100. Default: by type.
    #[schemars(range(min = -100.0, max = 100.0))]
    pub points: Option<f64>,
}

/// Weights, each 0 to 1,000.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Of the job title, 0 to 1,000. Default: 20.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub title: Option<f64>,
    /// Of the industry, 0 to 1,000. Default: 15.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub industry: Option<f64>,
    /// Of the country, 0 to 1,000. Default: 10.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub country: Option<f64>,
    /// Of the number of employees, 0 to 1,000. Default: 15.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub size: Option<f64>,
    /// Of the e-mail address, 0 to 1,000. Default: 15.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub email: Option<f64>,
    /// Of how much of the contact is there, 0 to 1,000. Default: 5.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub completeness: Option<f64>,
    /// Of the events, 0 to 1,000. Default: 20.
    #[schemars(range(min = 0.0, max = 1000.0))]
    pub engagement: Option<f64>,
}

/// Scores from which a lead has a grade, falling.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grades {
    /// Least score of an A, 0 to 100, above `b`.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub a: f64,
    /// Least score of a B, above `c`.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub b: f64,
    /// Least score of a C, from 0; below it is D.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub c: f64,
}
