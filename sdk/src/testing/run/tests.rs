use std::fs;

use serde::Deserialize;

use super::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    values: Vec<f64>,
}

#[derive(Serialize, JsonSchema)]
struct Output {
    mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
}

#[allow(clippy::float_arithmetic, reason = "a mean; no money here")]
fn mean(_: &Call, input: Input) -> Result<Output, Error> {
    if input.values.is_empty() {
        return Err(Error::invalid("values", "give at least one number"));
    }
    let count = u32::try_from(input.values.len()).expect("few");
    Ok(Output { mean: input.values.iter().sum::<f64>() / f64::from(count), unit: crate::config::get("unit")? })
}

fn agent(_: &Call, task: &str, input: Option<Input>) -> Result<Output, Error> {
    match input {
        Some(input) => mean(&Call::default(), input),
        None if task.is_empty() => Err(Error::invalid("", "say what to do")),
        None if task == "mean of 1" => {
            Err(Error::invalid("", "only one?").with_input(&serde_json::json!({"values": [1.0], "unit": "m"})))
        }
        None => Ok(Output { mean: 0.0, unit: Some(task.into()) }),
    }
}

/// Runs a folder that contains only this case; returns the report of failures, empty if
/// the case passes.
fn report(case: &str, run: impl Fn(&str) -> Result<usize, String>) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("one.json"), case).expect("a case");
    run(folder.path().to_str().expect("a path")).err().unwrap_or_default()
}

fn check(case: &str, expect: &str) {
    let report = report(case, |folder| check_cases(folder, mean));
    assert!(if expect.is_empty() { report.is_empty() } else { report.contains(expect) }, "{case}\n{report}");
}

#[test]
fn bridge_cases_pass_or_say_why() {
    check(r#"{"about": "by hand", "input": {"values": [1, 2]}, "output": {"mean": 1.5}}"#, "");
    check(r#"{"about": "by hand", "input": {"values": [1, 2]}, "output": {"mean": 2}}"#, "/mean: expected 2, got 1.5");
    check(
        r#"{"about": "by hand", "input": {"values": [1]}, "output": {"mean": 1, "unit": "m"}, "config": {"unit": "m"}}"#,
        "",
    );
    check(
        r#"{"about": "by hand", "input": {"values": []}, "error": {"kind": "invalid-input", "field": "/values"}}"#,
        "",
    );
    check(
        r#"{"about": "by hand", "input": {"values": []}, "error": {"kind": "not-found"}}"#,
        "expected the error not-found",
    );
    check(
        r#"{"about": "by hand", "input": {"values": []}, "error": {"kind": "invalid-input", "field": "/x"}}"#,
        "at \"/x\"",
    );
    check(r#"{"about": "by hand", "input": {"values": [1]}, "error": {"kind": "internal"}}"#, "expected an error, got");
    check(
        r#"{"about": "by hand", "input": {"values": "x"}, "output": {"mean": 1}}"#,
        "got the error invalid-input at /values",
    );
}

#[test]
fn agent_cases_may_have_no_input() {
    let run = |folder: &str| check_agent_cases(folder, agent);
    let plain = r#"{"about": "by hand", "task": "m", "output": {"mean": 0, "unit": "m"}}"#;
    assert_eq!(report(plain, run), "");
    let with_input = r#"{"about": "by hand", "task": "", "input": {"values": [4]}, "output": {"mean": 4}}"#;
    assert_eq!(report(with_input, run), "");
    let empty = r#"{"about": "by hand", "task": "", "error": {"kind": "invalid-input", "message": "what to do"}}"#;
    assert_eq!(report(empty, run), "");
}

#[test]
fn a_case_may_name_the_proposed_input() {
    let check = |task: &str, more: &str, expect: &str| {
        let case = format!(r#"{{"about": "by hand", "task": "{task}", "error": {{"kind": "invalid-input"{more}}}"#);
        let report = report(&case, |folder| check_agent_cases(folder, agent));
        assert!(if expect.is_empty() { report.is_empty() } else { report.contains(expect) }, "{case}\n{report}");
    };
    let values = |value: &str| format!(r#", "input": {{"values": [{value}]}}}}, "partial": true"#);
    check("mean of 1", "}", "");
    check("mean of 1", &values("1"), "");
    check("mean of 1", &values("2"), "the proposed input: /values/0: expected 2, got 1");
    check("mean of 1", r#", "input": {"values": [1]}}"#, "the proposed input: /unit");
    check("", &values("1"), "expected a proposed input");
}

#[test]
fn a_folder_without_cases_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    assert!(check_cases(path, mean).is_err_and(|report| report.contains("no case files")));
}

#[test]
fn an_output_that_breaks_its_own_schema_fails() {
    #[derive(JsonSchema)]
    #[allow(dead_code, reason = "only the schema of the type is used")]
    struct Claimed {
        mean: String,
    }
    struct Lies;
    impl Serialize for Lies {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([("mean", 1)])
        }
    }
    impl JsonSchema for Lies {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Lies".into()
        }
        fn json_schema(generator: &mut schemars::SchemaGenerator) -> Schema {
            Claimed::json_schema(generator)
        }
    }
    let run = |folder: &str| check_cases(folder, |_: &Call, _: Input| Ok(Lies));
    let report = report(r#"{"about": "by hand", "input": {"values": []}, "output": {"mean": 1}}"#, run);
    assert!(report.contains("the output does not fit its schema at \"/mean\""), "{report}");
}

#[test]
fn cases_state_tables_ledger_and_completions() {
    #[derive(Deserialize, JsonSchema)]
    struct Question {
        key: String,
        seal: Option<String>,
    }
    #[derive(Serialize, JsonSchema)]
    struct Answer {
        value: Option<String>,
        licence: String,
        sealed: bool,
        text: String,
    }
    let function = |_: &Call, question: Question| {
        let table = crate::tables::Table::open("t")?;
        let sealed = match &question.seal {
            Some(seal) => crate::ledger::record(seal).map_err(|error| error.at("seal"))?.is_some(),
            None => false,
        };
        let text = crate::inference::Request::new(10).user("?").complete()?.text;
        Ok(Answer { value: table.get(&question.key), licence: table.info().licence, sealed, text })
    };
    let check = |extra: &str, expect: &str| {
        let case = format!(r#"{{"about": "by hand", "input": {{"key": "a", "seal": "{}"}}, {extra}}}"#, "0".repeat(64));
        let report = report(&case, |folder| check_cases(folder, function));
        assert!(if expect.is_empty() { report.is_empty() } else { report.contains(expect) }, "{case}\n{report}");
    };
    let stated = format!(
        r#""tables": {{"t": {{"licence": "CC0", "rows": {{"a": "1"}}}}}},
           "ledger": {{"records": [{{"seal": "{}", "seq": 0}}]}}, "inference": {{"completions": [{{"text": "yes"}}]}}"#,
        "0".repeat(64)
    );
    check(&format!(r#"{stated}, "output": {{"value": "1", "licence": "CC0", "sealed": true, "text": "yes"}}"#), "");
    check(r#""tables": {"t": null}, "error": {"kind": "unavailable", "message": "`t`"}"#, "");
    check(r#""tables": {"t": {"rows": {}}}, "error": {"kind": "no-provider"}"#, "");
    check(r#""tables": {"t": {"rows": {}, "as-of": "x"}}, "error": {"kind": "no-provider"}"#, "as-of");
    check(r#""inference": {"completion": []}, "error": {"kind": "no-provider"}"#, "completion");
}
