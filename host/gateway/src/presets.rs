//! The built-in providers and their models.
//!
//! Addresses, headers, prices and capabilities come from a dated, licensed package
//! (`presets/NOTICE`, `presets/make.py`); none of them was tested against the live provider. A
//! provider is active when its key is in the environment.

use tollbridge_core::config::ProviderKind;

use super::pricing::{LongContextPrices, TokenPrices};
use super::provider::{ModelKind, OutputLimitParam, Quirks};

/// Models with their prices, one per line; see [`models_of`].
const MODELS: &str = include_str!("presets/models.tsv");

/// A built-in provider.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preset {
    pub name: &'static str,
    pub kind: ProviderKind,
    /// The base URL without a trailing slash; each call's path is appended.
    pub base_url: &'static str,
    /// The environment variable that contains the provider's key.
    pub api_key_env: &'static str,
    pub quirks: Quirks,
}

/// A model of a built-in provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PresetModel {
    /// The provider's name for the model.
    pub upstream: &'static str,
    /// The model's name, shared with the same model at other providers.
    pub name: &'static str,
    pub prices: TokenPrices,
    pub context: u64,
    pub max_output: Option<u64>,
    pub tools: bool,
    pub vision: bool,
    pub json: bool,
    pub kind: ModelKind,
}

/// A provider without differences from the standard format.
pub(crate) const PLAIN: Quirks =
    Quirks { limit: OutputLimitParam::AsSent, needs_usage_option: true, billed_seconds_min: 0, responses: None };
/// Members of the Responses API that Groq's documentation lists as not supported.
const GROQ_UNSUPPORTED: &[&str] =
    &["store", "truncation", "include", "safety_identifier", "prompt_cache_key", "prompt_cache_retention"];
/// Groq, whose price list bills at least ten seconds per recording.
const GROQ: Quirks = Quirks { responses: Some(GROQ_UNSUPPORTED), billed_seconds_min: 10, ..PLAIN };
/// A provider that rejects or ignores `max_completion_tokens`, the newer name of the
/// output limit.
const MAX_TOKENS_ONLY: Quirks = Quirks { limit: OutputLimitParam::MaxTokens, ..PLAIN };

const fn openai(name: &'static str, base_url: &'static str, api_key_env: &'static str, quirks: Quirks) -> Preset {
    Preset { name, kind: ProviderKind::OpenAi, base_url, api_key_env, quirks }
}

/// The built-in providers, in the order of the documentation.
pub(crate) const PRESETS: [Preset; 15] = [
    // OpenAI's newer models reject `max_tokens`; all models accept
    // `max_completion_tokens`.
    openai(
        "openai",
        "https://api.openai.com/v1",
        "OPENAI_API_KEY",
        Quirks { limit: OutputLimitParam::MaxCompletionTokens, responses: Some(&[]), ..PLAIN },
    ),
    Preset {
        name: "anthropic",
        kind: ProviderKind::Anthropic,
        base_url: "https://api.anthropic.com/v1",
        api_key_env: "ANTHROPIC_API_KEY",
        quirks: PLAIN,
    },
    openai("gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", PLAIN),
    openai("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", GROQ),
    openai("together", "https://api.together.ai/v1", "TOGETHER_API_KEY", MAX_TOKENS_ONLY),
    openai("fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", MAX_TOKENS_ONLY),
    openai("deepinfra", "https://api.deepinfra.com/v1/openai", "DEEPINFRA_API_KEY", MAX_TOKENS_ONLY),
    // This provider reports usage in the last event without being asked, and rejects
    // unknown members.
    openai(
        "mistral",
        "https://api.mistral.ai/v1",
        "MISTRAL_API_KEY",
        Quirks { limit: OutputLimitParam::MaxTokens, needs_usage_option: false, ..PLAIN },
    ),
    openai("deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", MAX_TOKENS_ONLY),
    openai("cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", PLAIN),
    openai("xai", "https://api.x.ai/v1", "XAI_API_KEY", Quirks { responses: Some(&[]), ..PLAIN }),
    openai("sambanova", "https://api.sambanova.ai/v1", "SAMBANOVA_API_KEY", MAX_TOKENS_ONLY),
    openai("nebius", "https://api.studio.nebius.ai/v1", "NEBIUS_API_KEY", MAX_TOKENS_ONLY),
    openai("novita", "https://api.novita.ai/v3/openai", "NOVITA_API_KEY", MAX_TOKENS_ONLY),
    openai("hyperbolic", "https://api.hyperbolic.xyz/v1", "HYPERBOLIC_API_KEY", MAX_TOKENS_ONLY),
];

/// Local servers that speak OpenAI's format without a key; the operator configures their address
/// and models.
pub(crate) const LOCAL: [&str; 3] = ["ollama", "llamacpp", "vllm"];

/// Returns the built-in provider with a name.
pub(crate) fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// Returns the date of the price table, `YYYY-MM-DD`, and its source.
pub fn price_table_source() -> (&'static str, &'static str) {
    let head = MODELS.lines().next().unwrap_or_default();
    head.trim_start_matches('#').split_once('\t').unwrap_or_default()
}

/// Returns the models of a built-in provider. Unreadable lines of the table are skipped;
/// a test checks that there are none.
pub(crate) fn models_of(provider: &str) -> impl Iterator<Item = PresetModel> {
    MODELS.lines().filter_map(move |line| {
        let (name, rest) = line.split_once('\t')?;
        if name == provider { read(rest) } else { None }
    })
}

fn read(line: &'static str) -> Option<PresetModel> {
    let mut columns = line.split('\t');
    let mut next = || columns.next();
    let number = |text: &str| if text.is_empty() { Some(None) } else { text.parse::<u64>().ok().map(Some) };
    let (upstream, name) = (next()?, next()?);
    let (input, output) = (number(next()?)??, number(next()?)??);
    let (cached, cache_write) = (number(next()?)?, number(next()?)?);
    let (above, long_input, long_output) = (number(next()?)?, number(next()?)?, number(next()?)?);
    let (context, max_output, flags) = (number(next()?)??, number(next()?)?, next()?);
    let long = match (above, long_input, long_output) {
        (Some(above), Some(input), Some(output)) => Some(LongContextPrices { above, input, output }),
        _ => None,
    };
    let has = |flag| flags.contains(flag);
    Some(PresetModel {
        upstream,
        name,
        prices: TokenPrices { input, output, cached, cache_write, long },
        context,
        max_output,
        tools: has('t'),
        vision: has('v'),
        json: has('j'),
        kind: match flags {
            "e" => ModelKind::Embedding,
            "s" => ModelKind::Speech,
            "r" => ModelKind::Transcription,
            "i" => ModelKind::Image,
            _ => ModelKind::Chat,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_every_provider_has_models() {
        let lines = MODELS.lines().skip(1);
        for line in lines.clone() {
            let (provider, rest) = line.split_once('\t').unwrap();
            assert!(preset(provider).is_some(), "{provider}");
            let model = read(rest).unwrap_or_else(|| panic!("{line}"));
            assert!(model.prices.input > 0 || model.kind == ModelKind::Image, "{line}");
            assert!(model.context > 0, "{line}");
            let answers = [ModelKind::Chat, ModelKind::Image].contains(&model.kind);
            assert!(!answers || model.prices.output > 0, "{line}");
        }
        let read: usize = PRESETS.iter().map(|preset| models_of(preset.name).count()).sum();
        assert_eq!(read, lines.count());
        for preset in PRESETS {
            assert!(models_of(preset.name).next().is_some(), "{} has no models", preset.name);
            assert!(preset.base_url.starts_with("https://") && !preset.base_url.ends_with('/'));
        }
        assert_eq!(price_table_source().0.len(), "2026-11-12".len());
    }

    #[test]
    fn the_same_weights_have_one_name() {
        let with = |name: &str| PRESETS.iter().filter(|p| models_of(p.name).any(|m| m.name == name)).count();
        assert!(with("llama-3.3-70b-instruct") >= 4);
        let mini = models_of("openai").find(|model| model.upstream == "gpt-4o-mini").unwrap();
        assert_eq!((mini.prices.input, mini.prices.output, mini.context), (150_000, 600_000, 128_000));
        assert!(mini.tools && mini.vision && mini.json && mini.kind == ModelKind::Chat);
        let speech = models_of("openai").find(|model| model.upstream == "tts-1").unwrap();
        assert_eq!((speech.kind, speech.prices.input, speech.prices.output), (ModelKind::Speech, 15_000_000, 0));
        let whisper = models_of("groq").find(|model| model.upstream == "whisper-large-v3").unwrap();
        assert_eq!((whisper.kind, whisper.prices.input), (ModelKind::Transcription, 30_830_000));
        for (provider, name, price, longest) in
            [("xai", "grok-imagine-image", 20_000_000_000, None), ("openai", "gpt-image-1.5", 32_000_000, Some(6_250))]
        {
            let image = models_of(provider).find(|model| model.upstream == name).unwrap();
            assert_eq!((image.kind, image.prices.output, image.max_output), (ModelKind::Image, price, longest));
        }
    }
}
