//! The answer that most bridges give.

use schemars::JsonSchema;
use serde::Serialize;

use crate::Source;

/// A result, how it was reached and what it rests on.
// `M` is text, or a struct where a bridge describes its method by members. No doc: callers would read it in the schema.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Output")]
pub struct Report<T, M = &'static str> {
    #[expect(missing_docs, reason = "a doc here would replace that of `T` in the schema")]
    pub result: T,
    /// How the result was reached.
    pub method: M,
    /// The data sets behind the result; empty when there are none.
    pub data: Vec<Source>,
    /// What the result does not say, and what to bear in mind when using it.
    pub limitations: Vec<String>,
}

impl<T, M> Report<T, M> {
    /// A report without a data set behind it.
    pub fn new(result: T, method: M, limitations: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let limitations = limitations.into_iter().map(Into::into).collect();
        Self { result, method, data: Vec::new(), limitations }
    }

    /// Names the data sets behind the result.
    #[must_use]
    pub fn with_data(mut self, data: impl IntoIterator<Item = impl Into<Source>>) -> Self {
        self.data = data.into_iter().map(Into::into).collect();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tollbridge_sdk::serde_json;

    /// Found.
    #[derive(Serialize, JsonSchema)]
    struct Found {
        /// How many.
        count: u32,
    }

    const LIST: Source<&str> =
        Source { name: "list", version: "1", as_of: "2026-01-01", licence: "MIT", source: "by hand" };

    #[test]
    fn members_are_written_in_order() {
        let report = Report::new(Found { count: 2 }, "by hand", ["not much"]).with_data([LIST]);
        let expect = concat!(
            r#"{"result":{"count":2},"method":"by hand","#,
            r#""data":[{"name":"list","version":"1","as_of":"2026-01-01","licence":"MIT","source":"by hand"}],"#,
            r#""limitations":["not much"]}"#
        );
        assert_eq!(serde_json::to_string(&report).unwrap(), expect);
    }

    #[test]
    fn the_schema_describes_the_result_by_its_type() {
        let generator = schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
        let schema = generator.into_generator().into_root_schema_for::<Report<Found>>();
        let schema = schema.as_value();
        assert_eq!(schema["title"], "Output");
        assert_eq!(schema["properties"]["result"]["description"], "Found.");
        assert_eq!(schema["required"], serde_json::json!(["result", "method", "data", "limitations"]));
    }
}
