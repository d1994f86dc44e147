//! Spam, fraud, and mail that people want.

const SPAM: &[(f64, &str)] = &[
    (
        2.5,
        "viagra|cialis|casino|lottery|hot singles|you have won|you've won|you won|lucky winner|claim your prize|claim now|claim your|selected to receive|100% guaranteed|rank #1|get rich|double your|million dollars|millions of dollars|inheritance|nigerian|wire the money|cheap meds|cheap pills|no prescription|crypto giveaway|guaranteed returns|guaranteed profit|guaranteed income|work from home|make money fast|make $|earn $|earn up to|earn money|$$$|verify your password|verify your account|confirm your password|confirm your account|account has been suspended|account has been locked|account will be closed|account is suspended|account was suspended|lose access|suspended|no credit check|pre-approved|preapproved|weight loss|lose weight|miracle|free iphone|free gift|free vacation|free money|gift card|unclaimed|bitcoin|click here|click the link|click below|click this link|replica watches|enlarge|dear winner|dear beneficiary|risk-free|risk free|customs fee|unusual activity|your parcel is held|pay a small fee|tax refund|bank details|update your payment|update your billing|your card details",
    ),
    (
        2.0,
        "act now|limited time|limited offer|offer expires|expires in|exclusive deal|once in a lifetime|buy now|order now|100% free|congratulations|winner|special promotion|credit score|consolidate your debt|dear friend|dear customer|dear user|dear account holder|dear website owner|within 24 hours|last chance|instant approval|your new number|new number|pay a bill|hi mum|hi mom|hi dad|gift cards",
    ),
    (
        1.0,
        "http://|bit.ly|tinyurl|unsubscribe|% off|free|!!!|guaranteed|urgent|offer|cash|prize|promo|subscribe|discount|deal|shop now",
    ),
];
const WANTED: &[&str] = &[
    "meeting",
    "lunch",
    "dinner",
    "minutes",
    "attached",
    "see you",
    "tomorrow",
    "thanks for",
    "thank you for",
    "best,",
    "regards",
    "cheers",
    "agenda",
    "project",
    "call me",
    "how are you",
    "are we still",
    "can you send",
    "could you send",
    "the report",
    "on thursday",
    "on monday",
    "on tuesday",
    "on wednesday",
    "on friday",
    "your appointment",
    "your order has shipped",
    "your order",
    "invoice",
    "pick up",
    "kids",
    "birthday",
    "mum",
    "love,",
    "school",
    "notes",
    "team",
    "draft",
    "feedback",
    "review the",
    "let me know",
    "happy to",
    "weekend",
];
const SPAM_NAMES: &[&str] = &[
    "spam",
    "scam",
    "phishing",
    "junk",
    "fraud",
    "fraudulent",
    "suspicious",
    "phish",
    "malicious",
    "unwanted",
    "smishing",
];
const HAM_NAMES: &[&str] = &[
    "ham",
    "not spam",
    "no spam",
    "legit",
    "legitimate",
    "not scam",
    "ok",
    "genuine",
    "safe",
    "normal",
    "not phishing",
    "non-spam",
    "notspam",
    "not_spam",
    "real",
    "kein spam",
    "wanted",
    "not a scam",
    "clean",
    "fine",
    "not junk",
    "no scam",
    "non spam",
    "inbox",
    "not suspicious",
    "harmless",
    "personal",
];

/// Whether a name is that of unwanted mail.
#[must_use]
pub fn is_spam_name(name: &str) -> bool {
    SPAM_NAMES.contains(&name.to_lowercase().as_str())
}

/// Whether labels are spam against all other mail.
#[must_use]
pub fn is_choice(names: &[&str]) -> bool {
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    names.len() == 2
        && lower.iter().any(|name| SPAM_NAMES.contains(&name.as_str()))
        && lower.iter().any(|name| HAM_NAMES.contains(&name.as_str()))
}

/// How much of a text is that of spam, and what shows it.
#[must_use]
pub fn score(text: &str) -> (f64, Vec<String>) {
    let lower = text.to_lowercase().replace('’', "'");
    let mut sum = 0.0;
    let mut found = Vec::new();
    for (weight, list) in SPAM {
        for phrase in list.split('|') {
            let whole = lower.match_indices(phrase).any(|(at, _)| {
                let before = lower.get(..at).and_then(|text| text.chars().next_back());
                let after = lower.get(at + phrase.len()..).and_then(|text| text.chars().next());
                let word = char::is_alphanumeric;
                let joined = (phrase.starts_with(word) && before.is_some_and(word))
                    || (phrase.ends_with(word) && after.is_some_and(word));
                !joined
            });
            if whole && !found.iter().any(|known: &String| known.contains(phrase)) {
                sum += weight;
                found.push(phrase.to_owned());
            }
        }
    }
    let loud = text
        .split_whitespace()
        .filter(|word| {
            word.len() > 2
                && word.chars().all(|c| c.is_uppercase() || !c.is_alphabetic())
                && word.chars().any(char::is_alphabetic)
        })
        .count();
    if loud > 1 {
        sum += 1.0;
        found.push("words in capitals".into());
    }
    (sum, found)
}

/// How much a text is like mail among people who know each other.
#[must_use]
pub fn wanted(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    WANTED.iter().filter(|phrase| lower.contains(**phrase)).map(|phrase| (*phrase).to_owned()).collect()
}

/// Spam or not, how sure, and why; none where it is between.
#[must_use]
pub fn judge(text: &str) -> Option<(bool, f64, Vec<String>)> {
    let (score, found) = score(text);
    let wanted = wanted(text);
    match score {
        score if score >= 4.0 => Some((true, 0.93, found)),
        score if score >= 2.5 && wanted.len() < 2 => Some((true, 0.85, found)),
        score if score < 1.5 && !wanted.is_empty() => Some((false, 0.86, wanted)),
        score if score < 1.0 && text.split_whitespace().count() > 4 => {
            Some((false, 0.75, vec!["no word of spam".into()]))
        }
        _ => None,
    }
}
