//! Texts that only tell a fact.

use agent_common::dates;

use crate::tokens::Token;

/// Words that a plain fact does not need.
const TOUCHY: &[&str] = &[
    "not", "no", "never", "only", "still", "again", "finally", "nothing", "nobody", "none", "without", "even", "yet",
    "twice", "third", "already", "until", "instead", "than", "too", "so", "wish", "wanted", "hoped", "back",
];

/// Words by which facts are told.
const PLAIN_VERBS: &[&str] = &[
    " to publish ",
    " will be ",
    " opens ",
    " open from ",
    " is open ",
    " are open ",
    " closes ",
    " starts ",
    " begins ",
    " ends ",
    " is located ",
    " contains ",
    " contain ",
    " consists ",
    " includes ",
    " has ",
    " have ",
    " measures ",
    " weighs ",
    " comes in ",
    " comes with ",
    " is available ",
    " are available ",
    " scheduled ",
    " takes place ",
    " announces ",
    " announced ",
    " is made of ",
    " made in ",
    " costs ",
    " ships ",
    " was delivered ",
    " were delivered ",
    " delivered on ",
    " ordered ",
    " bought ",
    " arrived on ",
    " arrived today",
    " arrived yesterday",
    " arrived at ",
    " came on ",
    " i use ",
    " appoints ",
    " names ",
    " to hold ",
    " holds ",
    " reports ",
    " to report ",
    " moves ",
    " moved to ",
    " to open ",
    " is in ",
    " is on ",
    " are in ",
    " uses ",
    " runs on ",
    " serves ",
    " sells ",
    " lies ",
    " was built ",
    " was founded ",
    " is called ",
    " received ",
    " picked up ",
    " there are ",
    " there is ",
    " comes on ",
    " is due ",
    " is scheduled",
    " meets ",
    " meet ",
    " leaves ",
    " lasts from ",
    " is a ",
    " is an ",
    " sent ",
    " need to ",
    " order number",
    " at the ",
    " publishes ",
    " publish ",
    " updated ",
    " changed ",
    " replaced ",
    " ist ",
    " hat ",
    " kostet ",
    " öffnet ",
    " est ",
    " sont ",
    " contient ",
    " ouvre ",
    " tiene ",
    " abre ",
    " es de ",
    " ha ",
    " apre ",
    " tem ",
    " heeft ",
    " gaat open ",
    " beginnt ",
    " findet ",
];

/// Whether a short text only tells when, where, how many or how much, or asks.
pub(crate) fn states_a_fact(text: &str, tokens: &[Token]) -> bool {
    let lower = format!(" {} ", text.to_lowercase().replace('’', "'"));
    let feels = tokens.iter().any(|token| TOUCHY.contains(&token.word.as_str()) || token.word.ends_with("n't"))
        || text.contains('!');
    let asks = text.trim_end().ends_with('?')
        && !["why", "how can", "seriously", "really"].iter().any(|word| lower.contains(word));
    // A day, a time or a number beside a verb of being tells when or how much.
    let dated = tokens.iter().any(|token| {
        dates::weekday(&token.word).is_some()
            || (token.word.len() > 3 && dates::month(&token.word).is_some())
            || token.word.starts_with(|c: char| c.is_ascii_digit())
    });
    let being = [
        " was ",
        " were ",
        " is ",
        " are ",
        " will ",
        " has been ",
        " have been ",
        " can be ",
        " may be ",
        " must be ",
    ];
    let told = lower.contains(" shall ") || (dated && being.iter().any(|verb| lower.contains(verb)));
    if !feels && told && (4..=30).contains(&tokens.len()) {
        return true;
    }
    !feels && tokens.len() <= 30 && tokens.len() >= 3 && (asks || PLAIN_VERBS.iter().any(|verb| lower.contains(verb)))
}
