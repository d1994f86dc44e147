//! Calls to other plugins through the host.

use serde::{Serialize, de::DeserializeOwned};

use super::error::Error;
use crate::host;

/// Calls a bridge and deserializes its answer as `O`; with `serde_json::Value`, any answer is
/// accepted.
pub fn call<O: DeserializeOwned>(bridge: &str, input: &impl Serialize) -> Result<O, Error> {
    let text = host::call_bridge(bridge, &write(input)?)?;
    read(bridge, &text)
}

/// Gives an agent a task, described in words.
pub fn run<O: DeserializeOwned>(agent: &str, task: &str) -> Result<O, Error> {
    let text = host::run_agent(agent, task, None)?;
    read(agent, &text)
}

/// Gives an agent a task, described in words, and an input.
pub fn run_with<O: DeserializeOwned>(agent: &str, task: &str, input: &impl Serialize) -> Result<O, Error> {
    let text = host::run_agent(agent, task, Some(&write(input)?))?;
    read(agent, &text)
}

fn write(input: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(input).map_err(|error| Error::Failed(format!("cannot serialize the input as JSON: {error}")))
}

fn read<O: DeserializeOwned>(name: &str, text: &str) -> Result<O, Error> {
    serde_json::from_str(text)
        .map_err(|error| Error::Failed(format!("`{name}` returned an unexpected answer: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::{Bridges, Doubles};

    #[test]
    fn answers_come_as_a_test_states_them() {
        let stated = json!({
            "tax": [{"input": {"country": "GB"}, "output": {"rate": 20}}, {"error": {"kind": "not-found", "message": "XX"}}],
            "agents/writer": [{"task": "write", "output": {"text": "done"}}],
        });
        let stated: Bridges = serde_json::from_value(stated).expect("bridges");
        let (answers, recorded) = Doubles::new().bridges(stated).run(|| {
            let tax = || call::<Value>("tax", &json!({"country": "GB"}));
            let first = tax();
            let written = run::<Value>("writer", "write");
            (first, tax(), tax(), written, run::<Value>("nobody", "x"))
        });
        assert_eq!(answers.0, Ok(json!({"rate": 20})));
        assert_eq!(answers.1, Err(Error::NotFound("XX".into())));
        assert!(matches!(answers.2, Err(Error::Failed(_))), "{:?}", answers.2);
        assert_eq!(answers.3, Ok(json!({"text": "done"})));
        assert!(matches!(answers.4, Err(Error::Unavailable(_))), "{:?}", answers.4);
        let asked: Vec<&str> = recorded.calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(asked, ["tax", "agents/writer", "tax", "tax", "agents/nobody"]);
    }

    #[test]
    fn another_input_than_the_stated_one_fails() {
        let stated = json!({"tax": [{"input": {"country": "GB"}, "output": {}}]});
        let stated: Bridges = serde_json::from_value(stated).expect("bridges");
        let (answer, _) = Doubles::new().bridges(stated).run(|| call::<Value>("tax", &json!({"country": "DE"})));
        assert!(matches!(&answer, Err(Error::Failed(text)) if text.contains("DE")), "{answer:?}");
    }

    #[test]
    fn errors_become_the_plugins_own() {
        let doubles = Doubles::new()
            .bridge("strict", |_| Err(Error::InvalidInput { field: "/a".into(), message: "must be 1".into() }));
        let ask = || -> Result<Value, crate::Error> { Ok(call("strict", &json!({"a": 2}))?) };
        let error = doubles.run(ask).0.expect_err("an error");
        assert_eq!((error.kind(), error.field()), ("invalid-input", Some("")));
        assert!(error.message().contains("/a: must be 1"), "{error}");
        let refused: crate::Error = Error::Refused("no money".into()).into();
        assert_eq!(refused.kind(), "unavailable");
    }
}
