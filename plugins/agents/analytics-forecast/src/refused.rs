//! Tasks that no series can answer.

use agent_common::patterns;
use tollbridge_sdk::Error;

const CHANCE: [&str; 12] = [
    "lottery",
    "lotto",
    "roulette",
    "dice",
    "coin toss",
    "coin flip",
    "powerball",
    "euromillions",
    "jackpot",
    "random number",
    "winning numbers",
    "scratch card",
];
/// Words of things to come or to leave out, whose weight the values do not tell.
const EVENTS: [&str; 46] = [
    "one-off",
    "one off",
    "what if",
    "if we ",
    "suppose",
    "assuming",
    "assume ",
    "we open",
    "we will open",
    "will close",
    "we close",
    "we'll open",
    "new store",
    "new shop",
    "second shop",
    "price increase",
    "price rise",
    "raise the price",
    "raise prices",
    "campaign",
    "promotion",
    "launch of",
    "we launch",
    "marketing budget",
    "will double",
    "planned closure",
    "take over",
    "acquisition",
    "lose our biggest",
    "new customer",
    "new contract",
    "adjust for",
    "adjusted for",
    "correct for",
    "strike",
    "renovation",
    "as an ordinary",
    "as a normal",
    "once in a",
    "will be closed",
    "are closing",
    "competitor opens",
    "leave out the",
    "without counting",
    "exclude the",
    "seasonally adjusted",
];
/// Words of other work, where nothing is said of what comes.
const OTHER: [&str; 17] = [
    "outlier",
    "anomal",
    "unusual",
    "stand out",
    "stands out",
    "sum ",
    "sum up",
    "add up",
    "average",
    "median",
    "total of",
    "sort ",
    "translate",
    "duplicate",
    "correlat",
    "summarise",
    "summarize",
];
const AHEAD: [&str; 24] = [
    "forecast",
    "predict",
    "expect",
    "next",
    "project",
    "extrapol",
    "estimat",
    "will",
    "tomorrow",
    "continue",
    "outlook",
    "trend",
    "coming",
    "ahead",
    "future",
    "following",
    "should",
    "prognose",
    "prévi",
    "pronóst",
    "previs",
    "goes on",
    "go on",
    "carry on",
];

/// Whether a text has an event: `we open`, and not `we opened`.
fn says(text: &str, event: &str) -> bool {
    text.match_indices(event).any(|(at, _)| {
        let next = text.get(at + event.len()..).and_then(|rest| rest.chars().next());
        !event.starts_with("we ") || next.is_none_or(|c| !c.is_alphabetic())
    })
}

/// What somebody is going to do: `we double our ad spend`, `I'll hire two more`.
const PLANS: &str = r"\b(?:we|i)(?:'ll| will| plan to| want to| are going to| intend to)? (?:double|triple|halve|increase|raise|cut|hire|launch|open|close|expand|reduce|relocate|renovate)\b[^.?!]{0,60}";

/// An error where the values alone decide nothing.
pub fn check(task: &str) -> Result<(), Error> {
    let lower = task.to_lowercase().replace('’', "'");
    if CHANCE.iter().any(|word| lower.contains(word)) {
        let text = "what chance draws cannot be predicted from earlier draws; give a series that depends on its past";
        return Err(Error::invalid("/task", text));
    }
    let when = lower.split(['.', '?', '!', '\n', ':', ',']).any(|part| {
        let part = part.trim();
        [
            "when will",
            "when do",
            "when does",
            "when are",
            "when can",
            "when is",
            "by when",
            "how long until",
            "how long till",
            "how soon",
        ]
        .iter()
        .any(|start| part.starts_with(start))
    });
    if when {
        let text = "this agent says which values come, not when one is reached; ask for the values of the next periods";
        return Err(Error::invalid("/task", text));
    }
    if OTHER.iter().any(|word| lower.contains(word)) && !AHEAD.iter().any(|word| lower.contains(word)) {
        let text = "this agent forecasts a series; say how far to look ahead (`the next 3 months`), or ask the agent for the other work";
        return Err(Error::invalid("/task", text));
    }
    if let Some(plan) = patterns::groups(PLANS, &lower).first() {
        let text = format!(
            "what \"{}\" does to the figures cannot be told from the values alone; ask for the forecast without it",
            plan.trim()
        );
        return Err(Error::invalid("/task", text));
    }
    if let Some(word) = EVENTS.iter().find(|word| says(&lower, word)) {
        let text = format!(
            "what \"{}\" means for the figures cannot be told from the values alone; give the values as they shall count, without it",
            word.trim()
        );
        return Err(Error::invalid("/task", text));
    }
    Ok(())
}
