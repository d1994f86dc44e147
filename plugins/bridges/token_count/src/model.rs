//! Models: which encoding they use, and what their tokens cost.
//!
//! Invariant: a count is called exact only if tiktoken itself names one of the two encodings for the model.

use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::tables::Table;

use crate::input::Encoding;

/// Made by data/make.py: version and day, then name (or beginning of a name, with *) and encoding.
const MODELS: &str = include_str!("../data/models.tsv");

/// What a model needs for the texts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Cost {
    /// As asked for.
    pub model: String,
    /// Tokens of the texts (of a chat, with what the format adds).
    pub tokens: u64,
    /// True: counted with the model's own encoding. False: an estimate, the count in o200k_base.
    pub exact: bool,
    /// The encoding counted in.
    pub encoding: Encoding,
    /// Who sells it, where a price is known.
    pub provider: Option<String>,
    /// US dollars for the texts, decimal text; null when no price is known.
    pub input_usd: Option<String>,
    /// US dollars for `output_tokens`.
    pub output_usd: Option<String>,
    /// Both.
    pub total_usd: Option<String>,
}

/// Version and day of the list of models.
pub fn list_version() -> (&'static str, &'static str) {
    let head = MODELS.lines().next().and_then(|line| line.strip_prefix('#'));
    head.and_then(|line| line.split_once('\t')).unwrap_or_default()
}

/// The encoding of a model: an exact name, else the longest beginning that is listed.
pub fn encoding(name: &str) -> Option<Encoding> {
    let name = plain(name);
    let rows = || MODELS.lines().skip(1).filter_map(|line| line.split_once('\t'));
    let exact = rows().find(|(key, _)| *key == name);
    let begins = |key: &str| key.strip_suffix('*').is_some_and(|start| name.starts_with(start));
    let row = exact.or_else(|| rows().filter(|(key, _)| begins(key)).max_by_key(|(key, _)| key.len()));
    match row?.1 {
        "o200k_base" => Some(Encoding::O200kBase),
        "cl100k_base" => Some(Encoding::Cl100kBase),
        _ => None,
    }
}

/// The name without the providers that resell OpenAI's models.
fn plain(name: &str) -> &str {
    let name = name.trim();
    ["openai/", "azure/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Counts and prices of a model.
pub fn cost(name: &str, encoding: Encoding, tokens: u64, output_tokens: u64, prices: Option<&Table>) -> Cost {
    let row = prices.and_then(|table| table.get(name.trim()).or_else(|| table.get(plain(name))));
    let mut columns = row.as_deref().unwrap_or_default().split('\t');
    let provider = columns.next().filter(|name| !name.is_empty()).map(str::to_owned);
    let input = columns.next().and_then(micro).and_then(|price| price.checked_mul(tokens.into()));
    let output = columns.next().and_then(micro).and_then(|price| price.checked_mul(output_tokens.into()));
    let total = input.zip(output).and_then(|(input, output)| input.checked_add(output));
    Cost {
        model: name.to_owned(),
        tokens,
        exact: self::encoding(name) == Some(encoding),
        encoding,
        provider,
        input_usd: input.map(dollars),
        output_usd: output.map(dollars),
        total_usd: total.map(dollars),
    }
}

/// Dollars for a million tokens, as millionths of dollars: for one token 1e-12 dollars.
fn micro(text: &str) -> Option<u128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    if fraction.len() > 6 {
        return None;
    }
    let fraction: u128 = format!("{fraction:0<6}").parse().ok()?;
    whole.parse::<u128>().ok()?.checked_mul(1_000_000)?.checked_add(fraction)
}

/// 1e-12 dollars as decimal text.
fn dollars(amount: u128) -> String {
    let unit = 1_000_000_000_000;
    let text = format!("{}.{:012}", amount / unit, amount % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_as_tiktoken_has_them() {
        for (name, expect) in [
            ("gpt-4o", Some(Encoding::O200kBase)),
            ("gpt-4o-mini-2024-07-18", Some(Encoding::O200kBase)),
            ("gpt-4", Some(Encoding::Cl100kBase)),
            ("gpt-4-0613", Some(Encoding::Cl100kBase)),
            ("gpt-4.1-mini", Some(Encoding::O200kBase)),
            ("openai/gpt-3.5-turbo", Some(Encoding::Cl100kBase)),
            ("text-embedding-3-small", Some(Encoding::Cl100kBase)),
            ("claude-sonnet-4-5", None),
            ("davinci", None),
        ] {
            assert_eq!(encoding(name), expect, "{name}");
        }
        assert!(!list_version().0.is_empty());
    }

    #[test]
    fn money() {
        assert_eq!(micro("2.5"), Some(2_500_000));
        assert_eq!(micro("0.0000001"), None);
        assert_eq!([dollars(0), dollars(2_500_000_000_000), dollars(1)], ["0", "2.5", "0.000000000001"]);
    }
}
