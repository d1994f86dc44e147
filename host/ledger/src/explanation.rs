//! Why something of a stranger's cannot be read, as a person may see it.

/// Characters of an explanation that are shown.
const EXPLANATION_CHARS_MAX: usize = 300;

/// What a parser says, in one line that ends: it quotes what it read, which may be
/// long, and may move the cursor of a terminal.
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
        let told = explanation(&error);
        assert!(told.starts_with("unknown field `") && !told.contains(char::is_control), "{told}");
        assert_eq!(told.chars().count(), EXPLANATION_CHARS_MAX);
    }
}
