use agent_common::command;
use tollbridge_sdk::testing::Doubles;

use super::*;
use crate::commands::draft;

#[test]
fn published_examples_are_understood() {
    for example in command::examples(include_str!("../commands.md")) {
        assert_eq!(draft(example).question, None, "{example}");
    }
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
    let rows: Vec<[String; 2]> = serde_json::from_str(include_str!("../tasks.json")).unwrap();
    let wrong = |[task, expect]: &[String; 2]| {
        let shown = shown(task);
        (!shown.contains(expect)).then(|| format!("{task}\n=> {shown}\n"))
    };
    let wrong: Vec<String> = rows.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
