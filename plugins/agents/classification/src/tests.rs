use agent_common::testing;
use tollbridge_sdk::testing::Doubles;

use super::*;
use crate::commands::draft;

#[test]
fn published_examples_are_understood() {
    testing::examples_are_understood(include_str!("../commands.md"), |task| draft(task).question);
}

/// Returns the labels of an answer, `?` for none, or the error. A task in JSON is a typed input.
fn shown(task: &str) -> String {
    let input: Option<Input> = serde_json::from_str(task).ok();
    match Doubles::new().run(|| run(&Call::default(), task, input)).0 {
        Ok(output) => {
            let label = |text: &ClassifiedText| text.label.clone().unwrap_or_else(|| "?".into());
            output.texts.iter().map(label).collect::<Vec<_>>().join(" | ")
        }
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn tasks_have_the_expected_answers() {
    testing::outcomes_are_expected(include_str!("../tasks.json"), shown);
}

#[test]
fn no_text_makes_the_reader_fail() {
    let pieces: Vec<&str> = "classify;as;\";a;b1;,;or;/;:;\n;\n\n;- ;mention;is;5;words".split(';').collect();
    let mut seed = 11_u64;
    let mut next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        pieces[usize::try_from(seed >> 33).unwrap() % pieces.len()]
    };
    for _ in 0..200 {
        draft(&(0..18).map(|_| next()).collect::<Vec<_>>().join(" "));
    }
}
