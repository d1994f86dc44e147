//! Tasks that no series can answer.

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
const OTHER: [(&str, &str); 6] = [
    ("when will it reach", "a date at which a value is reached"),
    ("when will we reach", "a date at which a value is reached"),
    ("when do we reach", "a date at which a value is reached"),
    ("when do we hit", "a date at which a value is reached"),
    ("when will it hit", "a date at which a value is reached"),
    ("when will we hit", "a date at which a value is reached"),
];

/// An error where the values alone decide nothing.
pub fn check(task: &str) -> Result<(), Error> {
    let lower = task.to_lowercase().replace('’', "'");
    if CHANCE.iter().any(|word| lower.contains(word)) {
        let text = "what chance draws cannot be predicted from earlier draws; give a series that depends on its past";
        return Err(Error::invalid("/task", text));
    }
    if let Some((_, what)) = OTHER.iter().find(|(phrase, _)| lower.contains(phrase)) {
        let text = format!("this agent does not forecast {what}; ask for values of the next periods of a series");
        return Err(Error::invalid("/task", text));
    }
    if let Some(word) = EVENTS.iter().find(|word| lower.contains(**word)) {
        let text = format!(
            "what \"{}\" means for the figures cannot be told from the values alone; give the values as they shall count, without it",
            word.trim()
        );
        return Err(Error::invalid("/task", text));
    }
    Ok(())
}
