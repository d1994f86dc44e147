//! Columns whose cells must have a form.

use agent_common::columns;
use agent_common::sheet::{Kind, Sheet};

use super::form_words::form_words;
use super::like::like;
use crate::form::Form;
use crate::rule::Rule;
use crate::sentence::Sentence;
use crate::{clock, column_names, country};

pub(crate) fn forms(sentence: &Sentence<'_>, topic: Option<usize>) -> Vec<Rule> {
    let named = sentence.columns();
    let country = sentence.pieces.iter().find_map(|piece| {
        if piece.is_word() {
            country::code(&piece.text).filter(|_| piece.text.len() > 2 || piece.text == "uk" || piece.text == "us")
        } else {
            None
        }
    });
    let place = |_: usize| named.first().copied().or(topic);
    if let Some(rule) = like(sentence)
        .and_then(|form| Some(Rule::Form(place(0).or_else(|| shape_column(sentence.sheet, &form))?, form)))
    {
        return vec![rule];
    }
    let mut found = Vec::new();
    for (name, form) in form_words(sentence) {
        let form = if let Form::Postcode(_) = form { Form::Postcode(country) } else { form };
        let columns = columns_of_form(sentence, &named, name, &form);
        for column in columns {
            let rule = Rule::Form(column, form.clone());
            if !found.contains(&rule) {
                found.push(rule);
            }
        }
    }
    found
}

fn shape_column(sheet: &Sheet, form: &Form) -> Option<usize> {
    let count = |column: usize| sheet.table.cells(column).iter().filter(|cell| form.fits(cell)).count();
    (0..sheet.table.columns.len()).filter(|column| count(*column) > 0).max_by_key(|column| count(*column))
}

/// The columns that a form is about; `named` are those that the sentence names.
fn columns_of_form(sentence: &Sentence<'_>, named: &[usize], name: &str, form: &Form) -> Vec<usize> {
    let sheet = sentence.sheet;
    let all = 0..sheet.table.columns.len();
    let any = |at: usize, fits: &dyn Fn(&str) -> bool| sheet.table.cells(at).iter().any(|cell| fits(cell));
    let is_day_name = |at: &usize| column_names::is_day_name(sheet.name(*at));
    match form {
        Form::Time => all.filter(|at| any(*at, &|cell| cell.contains(':') && clock::minutes(cell).is_some())).collect(),
        Form::Day => {
            let is_day = |at: &usize| sheet.kind(*at) == Kind::Day || is_day_name(at);
            let own: Vec<usize> = named.iter().copied().filter(is_day).collect();
            if own.is_empty() {
                sheet.of_kind(Kind::Day).into_iter().chain(all.filter(is_day_name)).collect()
            } else {
                own
            }
        }
        Form::Hex => {
            let coloured = all.filter(|at| any(*at, &|cell| cell.starts_with('#')));
            named.iter().copied().take(1).chain(coloured).take(1).collect()
        }
        _ => {
            let is_named = |at: &usize| {
                sheet.table.columns.len() == 1 || columns::name_words(sheet.name(*at)).iter().any(|word| word == name)
            };
            column_names::columns_of(sheet, name).into_iter().chain(named.iter().copied().filter(is_named)).collect()
        }
    }
}
