//! Which keywords a meta-schema gives a meaning.
//!
//! A schema may name a meta-schema of its own with `$schema`, and that says with
//! `$vocabulary` what its keywords mean. Of vocabularies only the draft's are known.

use serde_json::Value;

/// What the URIs of the draft's vocabularies begin with.
const OF_DRAFT: &str = "https://json-schema.org/draft/2020-12/vocab/";

/// The draft's vocabularies that say something about a value, and whether they are in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a set")]
pub struct Vocabularies {
    applicator: bool,
    unevaluated: bool,
    pub validation: bool,
    format: bool,
    /// Does `format` assert, whether or not the caller asks for it?
    pub asserts: bool,
}

impl Vocabularies {
    /// Those of the draft's own meta-schema.
    pub const DRAFT: Self =
        Self { applicator: true, unevaluated: true, validation: true, format: true, asserts: false };

    /// Those of a meta-schema, or the name of one that must be known and is not.
    pub fn of(meta: &Value) -> Result<Self, &str> {
        let Some(named) = meta.get("$vocabulary").and_then(Value::as_object) else { return Ok(Self::DRAFT) };
        let mut used = Self { applicator: false, unevaluated: false, validation: false, format: false, asserts: false };
        for (uri, needed) in named {
            match uri.strip_prefix(OF_DRAFT) {
                Some("applicator") => used.applicator = true,
                Some("unevaluated") => used.unevaluated = true,
                Some("validation") => used.validation = true,
                Some("format-annotation") => used.format = true,
                Some("format-assertion") => (used.format, used.asserts) = (true, true),
                Some("core" | "meta-data" | "content") => {}
                _ if *needed == Value::Bool(true) => return Err(uri),
                _ => {}
            }
        }
        Ok(used)
    }

    /// Does this keyword have a meaning by them?
    pub fn know(self, keyword: &str) -> bool {
        match keyword {
            "format" => self.format,
            "unevaluatedItems" | "unevaluatedProperties" => self.unevaluated,
            "additionalProperties"
            | "allOf"
            | "anyOf"
            | "contains"
            | "dependencies"
            | "dependentSchemas"
            | "else"
            | "if"
            | "items"
            | "not"
            | "oneOf"
            | "patternProperties"
            | "prefixItems"
            | "properties"
            | "propertyNames"
            | "then" => self.applicator,
            "const" | "dependentRequired" | "enum" | "exclusiveMaximum" | "exclusiveMinimum" | "maxContains"
            | "maximum" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minimum" | "minItems"
            | "minLength" | "minProperties" | "multipleOf" | "pattern" | "required" | "type" | "uniqueItems" => {
                self.validation
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_meta_schema_says_what_keywords_mean() {
        assert_eq!(Vocabularies::of(&json!(true)), Ok(Vocabularies::DRAFT));
        assert_eq!(Vocabularies::of(&json!({"$vocabulary": {"urn:x": true}})), Err("urn:x"));
        let used =
            |name: &str| Vocabularies::of(&json!({"$vocabulary": {format!("{OF_DRAFT}{name}"): false}})).unwrap();
        assert!(used("applicator").know("properties") && !used("applicator").know("type"));
        assert!(used("validation").know("type") && !used("validation").know("properties"));
        assert!(used("unevaluated").know("unevaluatedItems") && !used("core").know("unevaluatedItems"));
        assert!(used("format-assertion").asserts && !used("format-annotation").asserts);
        assert!(!used("core").know("format") && used("core").know("$ref"));
        for keyword in ["properties", "type", "unevaluatedItems", "format", "$ref", "title"] {
            assert!(Vocabularies::DRAFT.know(keyword), "{keyword}");
        }
    }
}
