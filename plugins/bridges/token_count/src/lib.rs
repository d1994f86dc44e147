//! A bridge that counts tokens.
//!
//! Invariant: a count in o200k_base or cl100k_base is what tiktoken's `encode_ordinary` gives.

mod input;
mod merge;
mod model;
mod ranks;
mod split;

use bridge_common::{Report, Source};
use schemars::JsonSchema;
use serde::Serialize;
use tollbridge_sdk::{Call, Error, bridge, tables};

pub use crate::input::Input;
use crate::{
    input::{Encoding, Subject},
    model::Cost,
    ranks::Ranks,
    split::Pattern,
};

/// Token ids in an answer.
const IDS_MAX: usize = 10_000;

/// The answer of this bridge.
pub type Output = Report<Counts>;

/// The tokens, and what they cost.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Counts {
    /// The encoding that `tokens` and `texts` are counted in.
    pub encoding: Encoding,
    /// Tokens of all texts, with what a chat adds.
    pub tokens: u64,
    /// Of which the chat format adds.
    pub overhead: u64,
    /// Each text in the order given; of a chat, each role, content and name.
    pub texts: Vec<Text>,
    /// Each of `models`.
    pub models: Vec<Cost>,
}

/// One text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    /// Tokens in `encoding`.
    pub tokens: u64,
    /// Unicode characters (code points).
    pub characters: usize,
    /// Bytes in UTF-8.
    pub bytes: usize,
    /// Ids of the tokens, if asked for; null if not, or beyond the 10,000 of a call.
    pub ids: Option<Vec<u32>>,
}

const METHOD: &str = "byte-pair encoding: text cut by the pattern of the encoding (Unicode 16), then adjacent parts joined \
     by lowest rank, as tiktoken's encode_ordinary does; prices per token × tokens in whole numbers of 1e-12 USD";

/// Answers one call.
pub fn handle(call: &Call, mut input: Input) -> Result<Output, Error> {
    input::check_models(&input.models)?;
    let subject = Subject::read(call, &mut input)?;
    let encoding = input.encoding.unwrap_or_default();
    let mut data = Vec::new();
    let texts = Counter::new(encoding, &mut data)?.texts(&subject, input.with_ids)?;
    let tokens = total(&texts, subject.overhead);
    let wanted: Vec<Encoding> = input.models.iter().map(|name| model::encoding(name).unwrap_or_default()).collect();
    let mut other = tokens;
    if let Some(differs) = wanted.iter().find(|wanted| **wanted != encoding) {
        other = total(&Counter::new(*differs, &mut data)?.texts(&subject, false)?, subject.overhead);
    }
    let prices = if input.models.is_empty() { None } else { Some(tables::Table::open("prices")?) };
    let models = input.models.iter().zip(wanted).map(|(name, wanted)| {
        let tokens = if wanted == encoding { tokens } else { other };
        model::cost(name, wanted, tokens, input.output_tokens, prices.as_ref())
    });
    let models: Vec<Cost> = models.collect();
    if let Some(table) = &prices {
        let (version, as_of) = model::list_version();
        data.push(Source {
            name: "models and their encodings".into(),
            version: version.into(),
            as_of: as_of.into(),
            licence: "MIT".into(),
            source: "tiktoken on PyPI, tiktoken/model.py (OpenAI)".into(),
        });
        data.push(table.info().into());
    }
    let limitations = limitations(&subject, &models);
    let counts = Counts { encoding, tokens, overhead: subject.overhead, texts, models };
    Ok(Report::new(counts, METHOD, limitations).with_data(data))
}

/// Counts in one encoding.
struct Counter {
    pattern: Pattern,
    ranks: Ranks,
}

impl Counter {
    fn new(encoding: Encoding, data: &mut Vec<Source>) -> Result<Self, Error> {
        let pattern = match encoding {
            Encoding::O200kBase => Pattern::O200k,
            Encoding::Cl100kBase => Pattern::Cl100k,
        };
        data.push(ranks::source(encoding)?);
        Ok(Self { pattern, ranks: Ranks::of(encoding)? })
    }

    fn texts(&self, subject: &Subject, with_ids: bool) -> Result<Vec<Text>, Error> {
        let mut left = if with_ids { IDS_MAX } else { 0 };
        let mut texts = Vec::with_capacity(subject.texts.len());
        for text in &subject.texts {
            let ids = self.ids(text)?;
            let listed = with_ids && ids.len() <= left;
            left = if listed { left.saturating_sub(ids.len()) } else { left };
            texts.push(Text {
                tokens: ids.len() as u64,
                characters: text.chars().count(),
                bytes: text.len(),
                ids: listed.then_some(ids),
            });
        }
        Ok(texts)
    }

    fn ids(&self, text: &str) -> Result<Vec<u32>, Error> {
        let missing = || Error::internal("the token ranks lack single bytes");
        let mut ids = Vec::new();
        for piece in split::split(self.pattern, text) {
            let piece = piece.as_bytes();
            if let Some(id) = self.ranks.get(piece) {
                ids.push(id);
                continue;
            }
            for range in merge::tokens(piece, |token| self.ranks.get(token)) {
                ids.push(piece.get(range).and_then(|token| self.ranks.get(token)).ok_or_else(missing)?);
            }
        }
        Ok(ids)
    }
}

fn total(texts: &[Text], overhead: u64) -> u64 {
    texts.iter().map(|text| text.tokens).fold(overhead, u64::saturating_add)
}

fn limitations(subject: &Subject, models: &[Cost]) -> Vec<&'static str> {
    let mut notes = vec!["text such as <|endoftext|> is counted as text, not as one special token"];
    let mut note = |applies: bool, text| {
        if applies {
            notes.push(text);
        }
    };
    note(
        subject.chat,
        "what the chat format adds is OpenAI's rule for GPT-3.5 to GPT-4o; tools and images are not counted",
    );
    note(
        models.iter().any(|model| !model.exact),
        "for models that are not `exact` the tokenizer is not public or not here: the o200k_base count stands in for it; the \
         true count is often higher, most of all outside English prose",
    );
    note(models.iter().any(|model| model.input_usd.is_none()), "null costs: the model is not in the table of prices");
    note(
        models.iter().any(|model| model.input_usd.is_some()),
        "list prices for short calls; dearer long calls, caches, batches and taxes are not counted",
    );
    notes
}

bridge! { handle: handle, examples: ["../cases/hello_world.json", "../cases/cookbook_chat.json"] }

tollbridge_sdk::test_cases!(handle);

#[cfg(test)]
mod tests;
