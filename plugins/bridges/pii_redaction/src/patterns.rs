//! What this bridge looks for, compiled when it is built.

use regex_lite::Regex;
use tollbridge_sdk::{Error, Ready};

/// Where an IBAN may begin.
const IBAN: &str = "[A-Za-z]{2}[0-9]{2}[ -]?[A-Za-z0-9]";

/// What may be an IPv4 address.
const IP_V4: &str = r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}";
/// What may be an IPv6 address.
const IP_V6: &str = "[0-9A-Fa-f:.]{3,45}";

/// What may be a national insurance number.
const NATIONAL_INSURANCE: &str =
    r"(?i)\b(?:[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]|QQ) ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]\b";

/// The pattern of a date.
fn date() -> String {
    let month = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?";
    format!(
        r"(?i)\b(?:[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}}|[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-](?:[0-9]{{4}}|[0-9]{{2}})|[0-9]{{1,2}}(?:st|nd|rd|th)? (?:of )?{month},? [0-9]{{4}}|{month} [0-9]{{1,2}}(?:st|nd|rd|th)?,? [0-9]{{4}})\b"
    )
}

/// The pattern of a name: one to four capitalised words.
fn name() -> String {
    // An initial has its full stop, a longer word leaves it to the sentence.
    let word = r"(?:[A-ZÀ-ÖØ-Þ]\.|[A-ZÀ-ÖØ-Þ][0-9A-Za-zÀ-ÖØ-öø-ɏ'’-]*)";
    let particles = "(?:(?:van|von|de|der|den|la|le|bin|al|del|di|da) ){0,2}";
    format!("({particles}{word}(?:[ \u{a0}]{particles}{word}){{0,3}})")
}

/// Patterns of what stands before a name, and whether it belongs to it.
const NAME_CUES: [(&str, bool); 5] = [
    (
        r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Sir|Dame|Lord|Lady|Rev|Herr|Frau|Mme|Monsieur|Madame)\b\.?[ \u{a0}]",
        true,
    ),
    (
        r"\b(?:[Mm]y|[Hh]is|[Hh]er|[Tt]heir|[Ff]ull|[Ff]irst|[Ll]ast|[Pp]atient|[Cc]ustomer|[Cc]lient) [Nn]ame(?: is|:| ?=)[ \u{a0}]+",
        false,
    ),
    (r"(?:^|\n)[ \t]*(?:[Nn]ame|[Pp]atient|[Cc]ustomer|[Cc]lient|[Cc]ontact|[Aa]pplicant):[ \t]+", false),
    (r"(?:^|\n)[ \t]*(?:Dear|Hi|Hello)[ \u{a0}]", false),
    (
        r"\b(?:[Mm]e llamo|[Ii]ch heiße|[Jj]e m'appelle|[Ii]'m called|[Ii] am called|[Ss]igned,|[Ss]igned by|[Rr]egards,|[Ss]incerely,)\s+",
        false,
    ),
];

/// The patterns.
pub static PATTERNS: Ready<Result<Patterns, regex_lite::Error>> = Ready::new(Patterns::compile);

/// Each has its source where what it finds is judged.
#[derive(Debug)]
pub struct Patterns {
    pub iban: Regex,
    pub ip_v4: Regex,
    pub ip_v6: Regex,
    pub national_insurance: Regex,
    pub date: Regex,
    /// A cue and a name after it, and whether the cue belongs to the name.
    pub names: Vec<(Regex, bool)>,
}

impl Patterns {
    /// The patterns, unless one of them does not compile.
    pub fn all() -> Result<&'static Self, Error> {
        PATTERNS.as_ref().map_err(|error| Error::internal(format!("a pattern does not compile: {error}")))
    }

    fn compile() -> Result<Self, regex_lite::Error> {
        let names = NAME_CUES.iter().map(|(cue, titled)| {
            let pattern = format!("{cue}{}", name());
            Regex::new(&pattern).map(|pattern| (pattern, *titled))
        });
        Ok(Self {
            iban: Regex::new(IBAN)?,
            ip_v4: Regex::new(IP_V4)?,
            ip_v6: Regex::new(IP_V6)?,
            national_insurance: Regex::new(NATIONAL_INSURANCE)?,
            date: Regex::new(&date())?,
            names: names.collect::<Result<_, _>>()?,
        })
    }
}
