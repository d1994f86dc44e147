//! What a caller may ask.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Error, serde_json};

/// Tokens and calls are below this.
const COUNT_MAX: u64 = 1_000_000_000;
/// Texts to search for.
const TEXT_MAX: usize = 128;
/// Providers in a list.
const PROVIDERS_MAX: usize = 50;
/// Models in an answer, unless the caller says otherwise.
const LIMIT: u32 = 10;
/// Models in an answer at most.
const LIMIT_MAX: u32 = 50;

/// A job, what it needs, and who may do it. All members may be left out: then all chat models are ranked by the price
/// of one call with 1,000 tokens in and 500 out.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("| model | resource_id"))]
pub struct Input {
    /// Name of a model, as `model` takes it; alone it gives that model's prices at all its providers. Not the id of a
    /// stored resource.
    #[schemars(length(min = 1, max = 128))]
    pub resource_id: Option<String>,
    /// Only models of this name: the id (`gemini/gemini-2.5-pro`) or its last part (`gemini-2.5-pro`, at every provider
    /// that uses this name), in any case. Default: all.
    #[schemars(length(min = 1, max = 128))]
    pub model: Option<String>,
    /// Only models with this text in their id, in any case (`llama-3.3-70b`). Default: all.
    #[schemars(length(min = 1, max = 128))]
    pub contains: Option<String>,
    /// What the model is for; models for anything else are never listed. Default: chat; with `model` or `resource_id`,
    /// whatever the model of that name is for.
    pub kind: Option<Kind>,
    /// Tokens of one request, 0 to 1e9. Default: 1,000.
    #[schemars(range(max = 1_000_000_000))]
    pub input_tokens: Option<u64>,
    /// How many of `input_tokens` the provider reads from its prompt cache. Default: 0. Models without a price for
    /// cached input are charged in full.
    #[schemars(range(max = 1_000_000_000))]
    pub cached_input_tokens: Option<u64>,
    /// Tokens of one answer, thinking included. Default: 500; 0 for embedding.
    #[schemars(range(max = 1_000_000_000))]
    pub output_tokens: Option<u64>,
    /// Number of such calls, 1 to 1e9. Default: 1.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub calls: Option<u64>,
    /// The calls may wait for a batch: batch prices where the model has them. Default: false.
    #[serde(default)]
    pub batch: bool,
    /// Abilities that a model must be listed with. Default: none.
    #[schemars(length(max = 8))]
    #[serde(default)]
    pub needs: Vec<Ability>,
    /// Least size of the input window in tokens; models whose window is not known are left out. Default: no bound.
    #[schemars(range(max = 1_000_000_000))]
    pub min_context: Option<u64>,
    /// Only these providers, as the answers name them (`openai`, `groq`, `bedrock`), at most 50. Default: all.
    #[schemars(length(min = 1, max = 50))]
    pub providers: Option<Vec<String>>,
    /// Not these providers, at most 50. Default: none.
    #[schemars(length(max = 50))]
    #[serde(default)]
    pub without_providers: Vec<String>,
    /// Include models whose provider has announced an end that is reached on the day of the call. Default: false.
    #[serde(default)]
    pub include_ended: bool,
    /// Include models with price 0, which are mostly local or part of a subscription. Default: false.
    #[serde(default)]
    pub include_zero: bool,
    /// Pounds for one US dollar as decimal text (`0.7634`, at most six decimals): costs are then also given in GBP.
    /// Default: costs in US dollars only.
    #[schemars(length(min = 1, max = 16))]
    pub gbp_per_usd: Option<String>,
    /// The most that the job may cost in USD for all calls, as decimal text; dearer models are left out. Default: no
    /// bound.
    #[schemars(length(min = 1, max = 16))]
    pub max_cost_usd: Option<String>,
    /// Most models to list, 1 to 50. Default: 10.
    #[schemars(range(min = 1, max = 50))]
    pub limit: Option<u32>,
}

/// What a model is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Conversations: text out of text, pictures or sound.
    #[default]
    Chat,
    /// Language models for the Responses API only.
    Responses,
    /// Plain text that is carried on.
    Completion,
    /// Vectors of texts.
    Embedding,
    /// Judges whether a text or picture is harmful.
    Moderation,
    /// Text out of pictures of pages.
    Ocr,
    /// Makes pictures. Refused: not priced per token of text.
    Image,
    /// Makes, or writes down, speech and music. Refused: not priced per token of text.
    Audio,
    /// Makes films. Refused: not priced per token of text.
    Video,
    /// Orders texts by a question. Refused: not priced per token of text.
    Rerank,
}

/// What a model can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Calls functions.
    Tools,
    /// Reads images.
    Vision,
    /// Answers by a JSON Schema.
    JsonSchema,
    /// Thinks before it answers.
    Reasoning,
    /// Has a prompt cache.
    PromptCaching,
    /// Hears audio.
    AudioInput,
    /// Reads PDF.
    PdfInput,
    /// Searches the web.
    WebSearch,
}

impl Ability {
    pub const ALL: [Self; 8] = [
        Self::Tools,
        Self::Vision,
        Self::JsonSchema,
        Self::Reasoning,
        Self::PromptCaching,
        Self::AudioInput,
        Self::PdfInput,
        Self::WebSearch,
    ];

    /// Its letter in the table.
    pub fn letter(self) -> char {
        match self {
            Self::Tools => 't',
            Self::Vision => 'v',
            Self::JsonSchema => 'j',
            Self::Reasoning => 'r',
            Self::PromptCaching => 'c',
            Self::AudioInput => 'a',
            Self::PdfInput => 'p',
            Self::WebSearch => 'w',
        }
    }
}

impl Kind {
    /// The kinds that the table has prices for.
    pub const PRICED: [Self; 6] =
        [Self::Chat, Self::Responses, Self::Completion, Self::Embedding, Self::Moderation, Self::Ocr];

    /// Where the keys of such models begin (`kind:`), and where they end: at the byte after the colon. Or by what such
    /// models are paid, where that is not the token of text.
    pub fn keys(self) -> Result<(&'static str, &'static str), &'static str> {
        match self {
            Self::Chat => Ok(("chat:", "chat;")),
            Self::Responses => Ok(("responses:", "responses;")),
            Self::Completion => Ok(("completion:", "completion;")),
            Self::Embedding => Ok(("embedding:", "embedding;")),
            Self::Moderation => Ok(("moderation:", "moderation;")),
            Self::Ocr => Ok(("ocr:", "ocr;")),
            Self::Image => Err("image models are paid by the picture, its size or tokens of pictures"),
            Self::Audio => Err("audio models are paid by the second, the character or tokens of sound"),
            Self::Video => Err("video models are paid by the second"),
            Self::Rerank => Err("rerank models are paid by the query"),
        }
    }

    /// Its name in inputs and answers.
    pub fn text(self) -> String {
        serde_json::to_value(self).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// The work that is to be paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Job {
    /// What the model is for.
    pub kind: Kind,
    /// Tokens of one request.
    pub input_tokens: u64,
    /// How many of them come from the provider's prompt cache.
    pub cached_input_tokens: u64,
    /// Tokens of one answer.
    pub output_tokens: u64,
    /// Number of calls.
    pub calls: u64,
    /// Whether batch prices were used where there are some.
    pub batch: bool,
}

impl Input {
    /// The kinds of model that are asked for: one, or all for a name alone.
    pub fn kinds(&self) -> Result<Vec<Kind>, Error> {
        let is_named = self.model.is_some() || self.resource_id.is_some();
        match self.kind {
            Some(kind) => match kind.keys() {
                Ok(_) => Ok(vec![kind]),
                Err(why) => {
                    let message = format!("{why}, and the table has prices per token of text only; ask the providers");
                    Err(Error::invalid("/kind", message))
                }
            },
            None if is_named => Ok(Kind::PRICED.to_vec()),
            None => Ok(vec![Kind::Chat]),
        }
    }

    /// The job for models of a kind, if its numbers are possible.
    pub fn job(&self, kind: Kind) -> Result<Job, Error> {
        let output = if kind == Kind::Embedding { 0 } else { 500 };
        let job = Job {
            kind,
            input_tokens: bounded("input_tokens", self.input_tokens.unwrap_or(1_000))?,
            cached_input_tokens: bounded("cached_input_tokens", self.cached_input_tokens.unwrap_or(0))?,
            output_tokens: bounded("output_tokens", self.output_tokens.unwrap_or(output))?,
            calls: bounded("calls", self.calls.unwrap_or(1))?,
            batch: self.batch,
        };
        if job.calls == 0 {
            return Err(Error::invalid("/calls", "give at least 1"));
        }
        if job.cached_input_tokens > job.input_tokens {
            let message = format!("these are a part of `input_tokens`, so at most {}", job.input_tokens);
            return Err(Error::invalid("/cached_input_tokens", message));
        }
        Ok(job)
    }

    /// The name asked for, in lower case.
    pub fn name(&self) -> Result<Option<String>, Error> {
        match (&self.model, &self.resource_id) {
            (Some(_), Some(_)) => Err(Error::invalid("/resource_id", "give `model` or `resource_id`, not both")),
            (Some(name), None) => text("/model", name).map(Some),
            (None, Some(name)) => text("/resource_id", name).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// The text that ids must contain, in lower case.
    pub fn part(&self) -> Result<Option<String>, Error> {
        self.contains.as_deref().map(|part| text("/contains", part)).transpose()
    }

    /// Refuses lists of providers that are too long or name nobody; `known` says whom the table knows.
    pub fn check_providers<'t>(&self, known: impl FnOnce() -> BTreeSet<&'t str>) -> Result<(), Error> {
        let lists = [("providers", self.providers.as_deref()), ("without_providers", Some(&*self.without_providers))];
        let is_given = lists.iter().any(|(_, list)| list.is_some_and(|list| !list.is_empty()));
        let known = if is_given { known() } else { BTreeSet::new() };
        for (field, list) in lists {
            let list = list.unwrap_or_default();
            if list.len() > PROVIDERS_MAX {
                return Err(Error::invalid(field, format!("at most {PROVIDERS_MAX} providers")));
            }
            for (place, name) in list.iter().enumerate() {
                if !known.contains(name.as_str()) {
                    let shown: String = name.chars().take(40).collect();
                    let message =
                        format!("no provider `{shown}` of such models in the table; near: {}", near(&known, name));
                    return Err(Error::invalid(format!("/{field}/{place}"), message));
                }
            }
        }
        if self.providers.as_ref().is_some_and(Vec::is_empty) {
            return Err(Error::invalid("/providers", "name at least one, or leave the member out"));
        }
        Ok(())
    }

    /// How many models to list.
    pub fn limit(&self) -> Result<usize, Error> {
        let limit = self.limit.unwrap_or(LIMIT);
        if !(1..=LIMIT_MAX).contains(&limit) {
            return Err(Error::invalid("/limit", format!("give 1 to {LIMIT_MAX}")));
        }
        Ok(limit as usize)
    }
}

fn bounded(field: &str, count: u64) -> Result<u64, Error> {
    if count > COUNT_MAX {
        return Err(Error::invalid(field, format!("at most {COUNT_MAX}")));
    }
    Ok(count)
}

fn text(field: &str, text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > TEXT_MAX {
        return Err(Error::invalid(field, format!("give 1 to {TEXT_MAX} characters, for example gpt-4o")));
    }
    Ok(text.to_lowercase())
}

/// Up to five known names that begin as this one does.
fn near(known: &BTreeSet<&str>, name: &str) -> String {
    let first = name.chars().next().map(|sign| sign.to_ascii_lowercase());
    let alike = known.iter().filter(|known| known.chars().next() == first);
    let mut listed: Vec<&str> = alike.take(5).copied().collect();
    if listed.is_empty() {
        listed = known.iter().take(5).copied().collect();
    }
    listed.join(", ")
}
