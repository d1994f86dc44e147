//! The code around the author's function in each exported function: reads the input,
//! calls the function, writes the output; and describes the plugin.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use serde_path_to_error::Segment;

use crate::{call::Call, error::Error, schema};
#[cfg(target_family = "wasm")]
use crate::{host, proposal};

/// The result of `describe`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// JSON Schema of the input.
    pub input_schema: String,
    /// JSON Schema of the output.
    pub output_schema: String,
    /// Input and output of each example, as JSON texts.
    pub examples: Vec<(String, String)>,
}

/// The members of a case file that an example consists of.
#[derive(Deserialize)]
struct Example {
    input: Box<RawValue>,
    output: Box<RawValue>,
}

/// Runs a plugin's `init` at build time.
pub fn init(init: impl FnOnce()) {
    report_panics();
    init();
}

/// Calls a bridge's function with the bytes of its input.
pub fn handle<I, O>(
    function: impl FnOnce(&Call, I) -> Result<O, Error>,
    call: &Call,
    input: &[u8],
) -> Result<Vec<u8>, Error>
where
    I: DeserializeOwned,
    O: Serialize,
{
    report_panics();
    write(&function(call, read(input)?)?)
}

/// Calls an agent's function with its task and, if there is one, the bytes of
/// its input.
pub fn run<I, O>(
    function: impl FnOnce(&Call, &str, Option<I>) -> Result<O, Error>,
    call: &Call,
    task: &str,
    input: Option<&[u8]>,
) -> Result<Vec<u8>, Error>
where
    I: DeserializeOwned,
    O: Serialize,
{
    report_panics();
    let answer = function(call, task, input.map(read).transpose()?);
    #[cfg(target_family = "wasm")]
    let answer = answer.inspect_err(|error| proposal::send(error.input()));
    write(&answer?)
}

/// Describes a bridge by its schemas and examples. `examples` are texts of case files.
pub fn describe_bridge<I, O, F>(_function: F, examples: &[&str]) -> Description
where
    F: FnOnce(&Call, I) -> Result<O, Error>,
    I: JsonSchema,
    O: JsonSchema,
{
    describe::<I, O>(examples)
}

/// Describes an agent by its schemas and examples. `examples` are texts of case files.
pub fn describe_agent<I, O, F>(_function: F, examples: &[&str]) -> Description
where
    F: FnOnce(&Call, &str, Option<I>) -> Result<O, Error>,
    I: JsonSchema,
    O: JsonSchema,
{
    describe::<I, O>(examples)
}

fn describe<I: JsonSchema, O: JsonSchema>(examples: &[&str]) -> Description {
    report_panics();
    Description {
        input_schema: schema::text(&schema::of_input::<I>()),
        output_schema: schema::text(&schema::of_output::<O>()),
        examples: examples.iter().map(|text| example(text)).collect(),
    }
}

/// Returns the input and output of an example as JSON texts. An invalid example is
/// returned unchanged, because building and testing report it and the host rejects it.
fn example(text: &str) -> (String, String) {
    match serde_json::from_str::<Example>(text) {
        Ok(Example { input, output }) => (input.get().to_owned(), output.get().to_owned()),
        Err(error) => (text.to_owned(), format!("an example must be a case with `input` and `output`: {error}")),
    }
}

/// Parses an input. If it is invalid, the error has the JSON pointer of the invalid
/// member.
pub fn read<I: DeserializeOwned>(input: &[u8]) -> Result<I, Error> {
    let mut json = serde_json::Deserializer::from_slice(input);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let field = pointer(error.path());
        invalid_field(field, &error.into_inner())
    })?;
    json.end().map_err(|error| Error::invalid("", error.to_string()))?;
    Ok(value)
}

/// Creates an error for an invalid value at `field`. For a missing member, the pointer is
/// extended to that member. Line and column are removed from the text, because the caller
/// gets the pointer.
fn invalid_field(mut field: String, error: &serde_json::Error) -> Error {
    let mut message = error.to_string();
    if error.is_data() {
        if let Some((text, _)) = message.rsplit_once(" at line ") {
            message = text.to_owned();
        }
        let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        if let Some(name) = missing {
            push_key(&mut field, name);
        }
    }
    Error::InvalidInput { field, message, input: None }
}

fn write<O: Serialize>(output: &O) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(output).map_err(|error| Error::internal(format!("cannot serialize the output as JSON: {error}")))
}

/// Converts a path to a JSON pointer (RFC 6901); stops at the first element of unknown
/// position.
fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => {
                text.push('/');
                text.push_str(&index.to_string());
            }
            Segment::Map { key } => push_key(&mut text, key),
            Segment::Enum { .. } => {}
            Segment::Unknown => break,
        }
    }
    text
}

fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

/// Installs a panic hook that reports the panic's message to the host, which otherwise
/// sees only the trap "unreachable". Runs in each call, because each call has a fresh
/// instance.
fn report_panics() {
    #[cfg(target_family = "wasm")]
    std::panic::set_hook(Box::new(|info| host::report_panic(&info.to_string())));
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, Serialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields)]
    struct Input {
        /// Numbers.
        values: Vec<f64>,
        #[serde(rename = "a/b")]
        slash: Option<Inner>,
    }

    #[derive(Debug, Deserialize, Serialize, JsonSchema, PartialEq)]
    struct Inner {
        count: u32,
    }

    fn check_pointer(input: &str, expect: &str) {
        let error = read::<Input>(input.as_bytes()).expect_err(input);
        assert_eq!(error.field(), Some(expect), "{error}");
    }

    #[test]
    fn reading_names_the_member() {
        check_pointer(r#"{"values": [1, "x"]}"#, "/values/1");
        check_pointer(r#"{"values": [], "a/b": {"count": -1}}"#, "/a~1b/count");
        check_pointer(r#"{"values": [], "extra": 1}"#, "/extra");
        check_pointer("{}", "/values");
        check_pointer(r#"{"values": [], "a/b": {}}"#, "/a~1b/count");
        check_pointer("[]", "");
        check_pointer(r#"{"values": []} x"#, "");
        check_pointer("[", "");
    }

    #[test]
    fn handle_reads_calls_and_writes() {
        let sum = |_: &Call, input: Input| Ok::<_, Error>(serde_json::json!({"sum": input.values.iter().sum::<f64>()}));
        assert_eq!(handle(sum, &Call::default(), br#"{"values": [1, 2]}"#), Ok(br#"{"sum":3.0}"#.to_vec()));
    }

    #[test]
    fn run_passes_task_and_optional_input() {
        let echo = |_: &Call, task: &str, input: Option<Input>| Ok::<_, Error>((task.to_owned(), input.is_some()));
        assert_eq!(run(echo, &Call::default(), "do", None), Ok(br#"["do",false]"#.to_vec()));
        assert_eq!(run(echo, &Call::default(), "do", Some(br#"{"values":[]}"#)), Ok(br#"["do",true]"#.to_vec()));
        assert!(run(echo, &Call::default(), "do", Some(b"{}")).is_err());
    }

    #[test]
    fn describe_derives_inlined_schemas_and_keeps_example_text() {
        let function = |_: &Call, input: Input| Ok::<_, Error>(input);
        let described = describe_bridge(function, &[r#"{"about": "x", "input": {"values":[1.50]}, "output": {}}"#]);
        let input: serde_json::Value = serde_json::from_str(&described.input_schema).expect("schema is JSON");
        assert_eq!(input["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert_eq!(input["properties"]["values"]["description"], "Numbers.");
        assert_eq!(input["additionalProperties"], false);
        assert!(input.get("$defs").is_none(), "{input}");
        assert_eq!(described.examples, [(r#"{"values":[1.50]}"#.to_owned(), "{}".to_owned())]);
    }
}
