//! Ages that have to fit days of birth.

use agent_common::columns;
use agent_common::dates::Date;
use agent_common::sheet::{Kind, Sheet};
use agent_common::tokens::Sort;

use crate::rule::Rule;
use crate::sentence::Sentence;

const AGES: &[&str] = &["age", "ages", "alter", "age?"];
const BIRTHS: &[&str] =
    &["birth", "born", "birthdate", "dob", "birthday", "births", "geburtsdatum", "geboren", "birthdays"];
const FITS: &[&str] = &[
    "fit",
    "fits",
    "match",
    "matches",
    "agree",
    "agrees",
    "consistent",
    "correct",
    "right",
    "inconsistent",
    "contradict",
    "wrong",
    "passt",
    "passen",
    "stimmt",
    "stimmen",
    "check",
    "mismatch",
    "compatible",
];

fn of_concept(sheet: &Sheet, word: &str) -> Option<usize> {
    let concept = columns::concept(word)?;
    (0..sheet.table.columns.len())
        .find(|at| columns::name_words(sheet.name(*at)).iter().any(|own| columns::concept(own) == Some(concept)))
}

/// Ages against days of birth, on a day that is said or today.
pub(crate) fn age(sentence: &Sentence<'_>, today: Option<Date>) -> Option<Rule> {
    let (birth, age) = (of_concept(sentence.sheet, "birthdate")?, of_concept(sentence.sheet, "age")?);
    let both = sentence.says(AGES) && (sentence.says(BIRTHS) || sentence.columns().contains(&birth));
    let fits = sentence.says(FITS);
    let day =
        sentence.pieces.iter().find_map(|piece| if let Sort::Day(day) = piece.token.sort { Some(day) } else { None });
    (both && fits && sentence.sheet.kind(birth) == Kind::Day).then(|| Some(Rule::Age(birth, age, day.or(today)?)))?
}
