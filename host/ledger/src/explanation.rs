//! Makes the error messages of parsers of untrusted input safe to display.

/// Maximum length of a displayed explanation, in characters.
const EXPLANATION_CHARS_MAX: usize = 300;

/// Returns a parser's message as one line of limited length. The message quotes the
/// input, which may be long and may contain terminal control characters.
pub(super) fn explanation(error: &serde_json::Error) -> String {
    let shown = |character: char| if character.is_control() { ' ' } else { character };
    error.to_string().chars().map(shown).take(EXPLANATION_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_is_one_line_that_ends() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        let name = "\\u001b[2J\\n".to_owned() + &"x".repeat(5_000);
        let error = serde_json::from_str::<Nothing>(&format!("{{\"{name}\": 1}}")).unwrap_err();
        let text = explanation(&error);
        assert!(text.starts_with("unknown field `") && !text.contains(char::is_control), "{text}");
        assert_eq!(text.chars().count(), EXPLANATION_CHARS_MAX);
    }
}
