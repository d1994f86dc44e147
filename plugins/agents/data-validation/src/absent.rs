//! Columns that are asked for but not there.

use agent_common::sheet::Sheet;
use tollbridge_sdk::Error;

use crate::form::Form;
use crate::refusal::missing;
use crate::rule::Rule;
use crate::sentence::Sentence;
use crate::{column_names, reading};

/// Forms that are asked for of columns that are not there.
pub(crate) fn absent(sentence: &Sentence<'_>, own: &[Rule], sheet: &Sheet) -> Result<(), Error> {
    for (name, form) in reading::form_words(sentence) {
        let checked = own.iter().any(|rule| matches!(rule, Rule::Form(_, found) if std::mem::discriminant(found) == std::mem::discriminant(&form)));
        let strict =
            matches!(form, Form::Email | Form::Phone | Form::Postcode(_) | Form::Iban | Form::Isbn | Form::Url);
        if strict && !checked && own.is_empty() && column_names::columns_of(sheet, name).is_empty() {
            return Err(missing(&format!(
                "there is no column of {name} in the table; it has {}",
                sheet.table.columns.join(", ")
            )));
        }
    }
    let named = sentence.columns();
    let column_word = (0..sentence.pieces.len()).find(|at| sentence.is(*at, &["column", "spalte", "colonne", "field"]));
    if let Some(at) = column_word.filter(|_| named.is_empty() && own.is_empty()) {
        let word = sentence.pieces.get(at.wrapping_sub(1)).map_or("", |piece| piece.text.as_str());
        if ["every", "each", "all", "any", "same", "which", "a", "one", "per", "the", "this", "that", "no"]
            .contains(&word)
        {
            return Ok(());
        }
        return Err(missing(&format!(
            "there is no column \"{word}\" in the table; it has {}",
            sheet.table.columns.join(", ")
        )));
    }
    Ok(())
}
