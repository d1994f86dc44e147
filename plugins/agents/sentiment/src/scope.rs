//! Questions about a text that its words of praise and blame do not answer.

use agent_common::patterns::is_match;

/// Words of what is to come.
const FUTURE: &[&str] = &[
    "next quarter",
    "next month",
    "next year",
    "next week",
    "in the future",
    "going forward",
    "predict",
    "forecast",
    "will be in",
    "tomorrow",
    "will they buy",
    "will he buy",
    "will she buy",
    "will churn",
    "likely to churn",
    "will come back",
    "will return",
];

/// People and times that are not in the task.
const OTHERS: &[&str] = &[
    "other guests",
    "other customers",
    "our other",
    "all our",
    "of our",
    "last year",
    "last month",
    "last quarter",
    "last week's",
    "most customers",
    "other users",
    "other people",
    "everyone",
    "everybody",
    "the public",
    "compared with last",
    "compared to last",
    "previous",
];

/// What words of praise and blame do not show.
const DEEPER: &[&str] = &[
    "sarcastic",
    "sarcasm",
    "ironic",
    "irony",
    "is he lying",
    "is she lying",
    "lying",
    "sincere",
    "fake review",
    "is it fake",
    "genuine",
    "written by",
    "who wrote",
    "how old",
    "male or female",
    "gender",
    "personality",
    "depressed",
    "does he love me",
    "does she love me",
    "does he like me",
    "does she like me",
    "mentally",
    "diagnos",
];

/// Verbs of other tasks.
const OTHER_TASKS: &[&str] = &[
    "translate",
    "summarise",
    "summarize",
    "write a reply",
    "draft a reply",
    "write an answer",
    "reply to",
    "rewrite",
    "rephrase",
    "correct the",
];

/// Words of questions about the mood.
const MOOD: &[&str] =
    &["sentiment", "positive", "negative", "mood", "tone", "feel", "happy", "good or bad", "stimmung", "opinion"];

/// What is missing or asked too much, in one sentence; nothing if the question is about the mood of the texts.
#[must_use]
pub fn refusal(instruction: &str, items: usize) -> Option<String> {
    let lower = format!(" {} ", instruction.to_lowercase().replace('’', "'"));
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if items == 0 {
        let away = ["voice", "audio", "recording", "call", "video", "screenshot", "photo", "image", "picture"];
        return Some(match away.iter().find(|word| lower.contains(**word)) {
            Some(what) => format!(
                "only written text can be judged: paste the words of the {what} (a transcript or the message as text) below the question"
            ),
            None => "the text to judge is missing: paste the review, message or comment below the question".into(),
        });
    }
    if has(FUTURE) {
        return Some("the future cannot be told from these texts: nobody can predict a mood from them, ask for the sentiment of the texts themselves".into());
    }
    let counted = has(&["how many", "what share", "what percentage", "what proportion", "how often", "average"]);
    let beside = has(&["felt the same", "feel the same", "think the same"])
        || (counted && has(OTHERS))
        || has(&["than last month", "than last year", "than last quarter", "compared to last", "compared with last"]);
    if beside {
        return Some("only the texts given can be judged: there is no data on other people or times, so paste all the reviews that you want counted".into());
    }
    if has(DEEPER) {
        return Some("words of praise and blame do not show that: this agent tells whether a text is positive, negative, neutral or mixed, and cannot see irony, honesty or who wrote it".into());
    }
    let compares = is_match(
        r"\b(?:than|as)\b[^?.]{0,50}\b(?:yesterday|last (?:week|month|year|time|visit)|before|earlier|previous\w*|the other|the one (?:from|of)|what (?:the same|he|she|they))\b",
        &lower,
    );
    let lost = is_match(
        r"(?:don't|do not|haven't|no longer) (?:have|got)\b.{0,40}(?:any ?more|yet|here)|lost (?:it|the)",
        &lower,
    );
    if items < 2 && (compares || lost) {
        return Some("the other text is missing: paste both texts to compare them".into());
    }
    if is_match(
        r"\bwill (?:the|they|it|he|she|our|my|people|customers|comments|reviews)\b[^?]*\b(?:be|become|like|love|buy|say)\b|\bin (?:the year )?20[3-9]\d\b",
        &lower,
    ) {
        return Some("the future cannot be told from these texts: nobody can predict a mood from them, ask for the sentiment of the texts themselves".into());
    }
    let asks_mood = has(MOOD);
    if has(OTHER_TASKS) && !asks_mood {
        return Some("that is another kind of task: this agent only tells the sentiment of texts".into());
    }
    let emotions = ["which emotion", "what emotion", "joy, ", "anger, ", "fear, ", "sadness"];
    if has(&emotions) {
        return Some("emotions such as joy, anger or fear are not told apart: ask whether the text is positive, negative, neutral or mixed".into());
    }
    None
}

/// A text that stands behind the question in the same paragraph: `is this good? I have no complaints.`
#[must_use]
pub fn behind_question(instruction: &str) -> Option<&str> {
    let at = instruction.find(['?', ':', '\n'])?;
    let rest = instruction.get(at + 1..)?.trim();
    let lower = rest.to_lowercase();
    let away = [
        "attach",
        "inbox",
        "yesterday",
        "voice",
        "file",
        "http",
        "link",
        "below",
        "sentiment",
        "positive",
        "answer",
        "reply with",
        "please",
        "screenshot",
    ];
    (rest.split_whitespace().count() > 3 && !rest.ends_with('?') && !away.iter().any(|word| lower.contains(word)))
        .then_some(rest)
}

/// Whether the texts are news for those who hold shares.
#[must_use]
pub fn is_market(instruction: &str, text: &str) -> bool {
    let (asked, text) = (instruction.to_lowercase(), text.to_lowercase());
    let cues = [
        "market news",
        "for the stock",
        "for the share",
        "shareholder",
        "investor",
        "financial news",
        "stock",
        "headline",
        "for the company",
        "trading",
    ];
    let told = ["shares", "profit warning", "dividend", "quarterly", "earnings", "revenue", "guidance"];
    cues.iter().any(|cue| asked.contains(cue))
        || told.iter().any(|cue| {
            text.split(|c: char| !c.is_alphabetic()).any(|word| word == *cue)
                || (cue.contains(' ') && text.contains(cue))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_questions_are_refused() {
        let refused = [
            ("What will the mood be next quarter?", 2),
            ("How many of our other guests felt the same?", 1),
            ("Is he being sarcastic?", 1),
            ("Translate this review", 1),
            ("Sentiment of the attached recording", 0),
            ("Are people happier than last year?", 3),
            ("Is this review fake or genuine?", 1),
            ("Which emotion is it: joy, anger, fear?", 1),
        ];
        for (asked, items) in refused {
            assert!(refusal(asked, items).is_some(), "{asked}");
        }
        for asked in ["How many of these are positive?", "Sentiment?", "Is the customer happy?", "good or bad", ""] {
            assert_eq!(refusal(asked, 2), None, "{asked}");
        }
    }
}
