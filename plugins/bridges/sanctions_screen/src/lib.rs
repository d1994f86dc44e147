//! A bridge that screens names against a sanctions list.
//!
//! The list comes from the input, from a stored file or from the operator; without one nothing is screened. A match of
//! names is a lead for a person to look at, never a finding.

mod arabic;
mod distance;
mod evidence;
mod fold;
mod han;
mod lexicon;
mod list;
mod score;
mod table;
mod word;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Call, Error, bridge};

use crate::{
    evidence::Evidence,
    lexicon::Lexicon,
    list::{Entry, NAMES_MAX},
};

/// Most subjects in one call.
const SUBJECTS_MAX: usize = 20;
/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 300;
/// Most matches of one subject that are listed.
const LISTED_MAX: usize = 20;
/// Most work of one call: size of all subjects times size of all names on the list. What a comparison costs grows
/// with the product of the sizes of the two names.
const WORK_MAX: usize = 250_000_000;

/// Who to screen, and against what.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A name to screen, as the only subject; alone it is screened against the operator's list. Or the id of a stored
    /// list (`res_…`), at most 50,000 names, which goes with `subjects`: JSON of the shape of `list`, or CSV. Columns:
    /// id, name, aliases, births, countries, programme (several values apart by `;`); or those of the UK Sanctions List
    /// (Unique ID, Name 1 to Name 6, D.O.B, Nationality(/ies), Regime Name) or of OFAC's SDN.CSV.
    pub resource_id: Option<String>,
    /// The list itself, at most 50,000 names. Default: the stored one that `resource_id` names, else the operator's.
    pub list: Option<Vec<Entry>>,
    /// Who to screen: 1 to 20. Default: the name that `resource_id` gives.
    #[serde(default)]
    #[schemars(length(min = 1, max = 20))]
    pub subjects: Vec<Subject>,
    /// Least score of names to report, 0.7 to 1. Default: 0.85.
    #[schemars(range(min = 0.7, max = 1.0))]
    pub threshold: Option<f64>,
}

/// Someone to screen.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The name, in any order, in Latin, Cyrillic, Greek or Arabic letters, or a Chinese one of two to four characters; at
    /// most 300 characters.
    #[schemars(length(min = 1, max = 300))]
    pub name: String,
    /// Day or year of birth: `YYYY-MM-DD` or `YYYY`. Default: not known, so it speaks neither for nor against a match.
    pub birth: Option<String>,
    /// Countries, written as the list writes them, at most 20. Default: not known.
    #[serde(default)]
    #[schemars(length(max = 20))]
    pub countries: Vec<String>,
}

/// The answer of this bridge.
pub type Output = Report<Answer>;

/// How near each subject is to the names of the list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// Each subject, in order.
    pub subjects: Vec<Screened>,
    /// Entries of the list.
    pub entries: usize,
    /// Names of the list, aliases included.
    pub names: usize,
    /// The threshold used.
    pub threshold: f64,
}

/// One subject.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Screened {
    /// The name as given.
    pub name: String,
    /// `clear` (no name at the threshold), `review` (names match) or `strong` (names match at 0.95 and birth or country agrees, neither differs).
    pub outcome: &'static str,
    /// Entries whose names match, best first, at most 20.
    pub matches: Vec<Match>,
    /// All of them, listed or not.
    pub matches_count: usize,
}

/// An entry whose name matches.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Match {
    /// The list's id.
    pub id: Option<String>,
    /// The entry's main name.
    pub name: String,
    /// The name of it that matched best.
    pub matched: String,
    /// How alike the names are, 0 to 1.
    pub name_score: f64,
    /// What the date of birth says.
    pub birth: Evidence,
    /// What the countries say.
    pub country: Evidence,
    /// The entry's programme or regime.
    pub programme: Option<String>,
}

/// Answers one call.
pub fn handle(call: &Call, input: Input) -> Result<Output, Error> {
    let threshold = input.threshold.unwrap_or(0.85);
    if !(0.7..=1.0).contains(&threshold) {
        return Err(Error::invalid("/threshold", "from 0.7 to 1"));
    }
    let input = with_name(call, input)?;
    if input.subjects.is_empty() || input.subjects.len() > SUBJECTS_MAX {
        return Err(Error::invalid(
            "/subjects",
            format!("give 1 to {SUBJECTS_MAX} subjects, or a name as `resource_id`"),
        ));
    }
    let (list, field, data) = match (input.list, &input.resource_id) {
        (Some(_), Some(_)) => return Err(Error::invalid("/list", "give `list` or the id of a stored one, not both")),
        (Some(list), None) => (list, "/list", None),
        (None, Some(_)) => (list::stored(call.stored()?)?, "/resource_id", None),
        (None, None) => table::read().map(|(list, info)| (list, "/subjects", Some(Source::from(info))))?,
    };
    if let Some(place) = input.subjects.iter().position(|subject| subject.name.chars().count() > NAME_CHARS_MAX) {
        return Err(Error::invalid(format!("/subjects/{place}/name"), format!("at most {NAME_CHARS_MAX} characters")));
    }
    let names = names(&list, &input.subjects, data.is_some(), field)?;
    let mut subjects = Vec::new();
    for (place, subject) in input.subjects.iter().enumerate() {
        subjects.push(screen(place, subject, &list, &names, threshold)?);
    }
    let names_count = names.names.len();
    let scope = match data {
        None => {
            "The list is the caller's: whether it is complete and of today is not known here, and `clear` says only that no name of it is near."
        }
        Some(_) => {
            "The list is the one that the operator loaded, as old as `data` says: whether it is complete is not known here, and `clear` says only that no name of it is near."
        }
    };
    let limitations = [
        scope,
        "Chinese characters are read as Mandarin, so that Japanese names in them are missed; an entry with only a name in Korean, Thai or another such script never matches.",
        "Countries agree only if written alike; ownership, ships and addresses are not looked at. A match is a lead for a person to check.",
    ];
    let read = input.subjects.iter().any(|subject| subject.name.chars().any(han::is_han))
        || list.iter().any(|entry| {
            entry.name.chars().any(han::is_han) || entry.aliases.iter().any(|name| name.chars().any(han::is_han))
        });
    let data: Vec<Source> = data.into_iter().chain(read.then(han::source)).collect();
    let answer = Answer { subjects, entries: list.len(), names: names_count, threshold };
    Ok(Report::new(answer, METHOD, limitations).with_data(data))
}

const METHOD: &str = "names to Latin letters without accents, titles, particles and legal forms; words paired in any order by how alike they sound, forms of one given name, initials and Wade-Giles for pinyin included; births and countries as evidence beside the score";

/// Puts the name that `resource_id` gives, if it names no stored list, among the subjects.
fn with_name(call: &Call, mut input: Input) -> Result<Input, Error> {
    let is_name = |id: &String| call.resource.is_none() && !id.starts_with("res_");
    if let Some(name) = input.resource_id.take_if(|id| is_name(id)) {
        if !input.subjects.is_empty() {
            return Err(Error::invalid("/resource_id", "give a name here or `subjects`, not both"));
        }
        input.subjects.push(Subject { name, ..Subject::default() });
    }
    Ok(input)
}

/// A name of an entry, by the entry's place, and the places of its words in the lexicon.
struct Name<'l> {
    entry: usize,
    text: &'l str,
    words: Vec<u32>,
}

/// All names of a list, and their words.
struct Names<'l> {
    names: Vec<Name<'l>>,
    lexicon: Lexicon,
}

/// All names of a list, if their number and length allow screening these subjects.
fn names<'l>(list: &'l [Entry], subjects: &[Subject], operators: bool, field: &str) -> Result<Names<'l>, Error> {
    // What is wrong with the operator's list is not the caller's mistake.
    let wrong = |text: String| match operators {
        true => Error::unavailable(format!("the operator's list: {text}")),
        false => Error::invalid(field, text),
    };
    let all = || {
        let of = |(at, entry): (usize, &'l Entry)| {
            std::iter::once(&entry.name).chain(&entry.aliases).map(move |name| (at, name.as_str()))
        };
        list.iter().enumerate().flat_map(of)
    };
    let count = all().take(NAMES_MAX + 1).count();
    if count == 0 || count > NAMES_MAX {
        return Err(wrong(format!("a list has 1 to {NAMES_MAX} names, aliases included")));
    }
    if let Some((at, _)) = all().find(|(_, name)| name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX) {
        return Err(wrong(format!("entry {at}: a name has 1 to {NAME_CHARS_MAX} characters")));
    }
    let (mut lexicon, mut listed) = (Lexicon::default(), 0usize);
    let mut names: Vec<Name<'l>> = Vec::with_capacity(count);
    for (entry, text) in all() {
        let words = fold::words(text);
        listed = listed.saturating_add(score::size(&words));
        names.push(Name { entry, text, words: lexicon.add(words) });
    }
    let asked: usize = subjects.iter().map(|subject| score::size(&fold::words(&subject.name))).sum();
    if asked.saturating_mul(listed) > WORK_MAX {
        let text = format!("too much for one call: {} subjects with {count} names; send fewer", subjects.len());
        return Err(Error::invalid("/subjects", text));
    }
    Ok(Names { names, lexicon })
}

fn screen(
    place: usize,
    subject: &Subject,
    list: &[Entry],
    names: &Names<'_>,
    threshold: f64,
) -> Result<Screened, Error> {
    let field = |name: &str| format!("/subjects/{place}/{name}");
    let words = fold::words(&subject.name);
    if words.is_empty() {
        let text =
            "give a name in Latin, Cyrillic, Greek or Arabic letters, or a Chinese one of two to four characters";
        return Err(Error::invalid(field("name"), text));
    }
    let asked = score::Asked::new(words, &names.lexicon);
    let birth = match subject.birth.as_deref() {
        None => None,
        Some(text) => {
            let day = evidence::day(text);
            Some(day.ok_or_else(|| Error::invalid(field("birth"), "give YYYY-MM-DD or YYYY"))?)
        }
    };
    let mut matches: Vec<(usize, Match)> = Vec::new();
    for name in &names.names {
        let score = (asked.score(&name.words, &names.lexicon) * 10_000.0).round() / 10_000.0;
        let Some(entry) = list.get(name.entry).filter(|_| score >= threshold) else { continue };
        match matches.last_mut().filter(|(last, _)| *last == name.entry) {
            Some((_, known)) if known.name_score >= score => {}
            Some((_, known)) => (known.name_score, known.matched) = (score, name.text.to_owned()),
            None => matches.push((
                name.entry,
                Match {
                    id: entry.id.clone(),
                    name: entry.name.clone(),
                    matched: name.text.to_owned(),
                    name_score: score,
                    birth: evidence::births(birth, &entry.births),
                    country: evidence::countries(&subject.countries, &entry.countries),
                    programme: entry.programme.clone(),
                },
            )),
        }
    }
    let weight = |found: &Match| match found.birth {
        Evidence::Agrees => 0,
        Evidence::Near => 1,
        Evidence::Unknown => 2,
        Evidence::Differs => 3,
    };
    matches.sort_by(|(i, a), (j, b)| b.name_score.total_cmp(&a.name_score).then((weight(a), i).cmp(&(weight(b), j))));
    let strong = |found: &Match| {
        let facts = [found.birth, found.country];
        found.name_score >= 0.95 && facts.contains(&Evidence::Agrees) && !facts.contains(&Evidence::Differs)
    };
    let matches_count = matches.len();
    let matches: Vec<Match> = matches.into_iter().map(|(_, found)| found).collect();
    let outcome = match () {
        () if matches.iter().any(strong) => "strong",
        () if matches_count > 0 => "review",
        () => "clear",
    };
    Ok(Screened {
        name: subject.name.clone(),
        outcome,
        matches: matches.into_iter().take(LISTED_MAX).collect(),
        matches_count,
    })
}

fn prepare() {
    word::prepare();
    han::prepare();
}

bridge! { handle: handle, init: prepare, examples: ["../cases/order_and_accents.json"] }

#[cfg(test)]
mod tests;
