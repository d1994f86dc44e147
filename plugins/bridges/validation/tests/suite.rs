//! The public test suite of JSON Schema, draft 2020-12, through the plugin's own function.
//!
//! Left out is the group whose schemas are of another draft, which is refused.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tollbridge_sdk::Call;
use validation::{Input, handle};

#[derive(Deserialize)]
struct Suite {
    remotes: BTreeMap<String, Value>,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    file: String,
    about: String,
    schema: Value,
    /// What it is about, the output, and whether that is valid.
    tests: Vec<(String, Value, bool)>,
    /// Does it refer to other schemas?
    #[serde(default)]
    remote: bool,
}

#[test]
fn every_verdict_is_that_of_the_suite() {
    let suite: Suite = serde_json::from_str(include_str!("suite.json")).unwrap();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for group in &suite.groups {
        for (about, output, valid) in &group.tests {
            let input = Input {
                output: Some(output.clone()),
                schema: Some(group.schema.clone()),
                schemas: if group.remote { suite.remotes.clone() } else { BTreeMap::new() },
                assert_formats: group.file.starts_with("optional/format/"),
                ..Input::default()
            };
            let got = handle(&Call::default(), input).map(|output| output.result.valid);
            if got != Ok(*valid) {
                wrong.push(format!("{}: {}: {about}: {got:?}", group.file, group.about));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 1_900, "only {count} tests");
}
