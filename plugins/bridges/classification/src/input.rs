//! What a caller may send, and what a stored file may add to it.

use schemars::JsonSchema;
use serde::Deserialize;
use tollbridge_sdk::{Call, Error};

/// Most texts in one call.
pub const MOST_TEXTS: usize = 200;
/// Most bytes of texts to classify, and as many again of texts to learn from.
pub const MOST_BYTES: usize = 200_000;
pub const MOST_LEARNT: usize = 100_000;
const MOST_LABELS: usize = 50;
const MOST_EXAMPLES: usize = 200;
const LONGEST_NAME: usize = 100;

/// Texts to sort under labels, and what is known of the labels. Nothing is known beforehand: all is learnt from the
/// examples or descriptions in this call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = tollbridge_sdk::OneOf("text + labels | texts + labels | resource_id | resource_id + text | resource_id + texts | resource_id + labels | resource_id + text + labels | resource_id + texts + labels"))]
pub struct Input {
    /// A text to classify. Give this or `texts`, here or in the stored file.
    #[schemars(length(min = 1, max = 200_000))]
    pub text: Option<String>,
    /// Up to 200 texts, 200,000 bytes in all. Give this or `text`, here or in the stored file.
    #[schemars(length(min = 1, max = 200))]
    pub texts: Option<Vec<String>>,
    /// Two to 50 labels; 100,000 bytes of examples and descriptions in all. Give them here or in the stored file.
    #[schemars(length(min = 2, max = 50))]
    pub labels: Option<Vec<Label>>,
    /// Id of a stored resource (`res_…`): a JSON object with any of `text`, `texts`, `labels` (what the input gives too
    /// counts instead), or plain text to classify. Alone it means: a JSON object with labels and texts, method auto.
    pub resource_id: Option<String>,
    /// How to learn. Default: auto.
    #[serde(default)]
    pub method: Method,
    /// What to learn from. Default: auto (words for naive_bayes and centroid, unless `method` is auto too).
    #[serde(default)]
    pub features: Features,
    /// A best score below this gives no label (0 to 1; default 0). naive_bayes: a probability; centroid: a cosine.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_score: Option<f64>,
}

/// A label, and texts that show what is meant by it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// 1 to 100 characters; no two alike. It is learnt from only where there are no examples.
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What belongs here, in words that such texts use. Default: none.
    pub description: Option<String>,
    /// Texts that belong here, at most 200. Default: none.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub examples: Vec<String>,
}

/// How to learn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The way that does best on the examples in cross-validation; without at least two for each label: centroid.
    #[default]
    Auto,
    /// Multinomial naive Bayes with add-one smoothing; frequent labels are likelier.
    NaiveBayes,
    /// Nearest centroid (Rocchio) of length-normalised TF-IDF vectors; how many examples a label has does not matter.
    Centroid,
}

/// What to learn from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Features {
    /// As the method needs.
    #[default]
    Auto,
    /// Words, in small letters.
    Words,
    /// Words, and pieces of three to five characters: "paying" and "payment" have something in common.
    Subwords,
}

/// A checked call.
#[derive(Debug)]
pub struct Task {
    pub texts: Vec<String>,
    pub labels: Vec<Label>,
}

/// What a stored JSON object may hold.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTask {
    text: Option<String>,
    texts: Option<Vec<String>>,
    labels: Option<Vec<Label>>,
}

impl Task {
    /// Reads and checks texts and labels, from the input and the stored file.
    pub fn read(call: &Call, input: Input) -> Result<Self, Error> {
        let stored = if input.resource_id.is_some() { stored_task(call)? } else { StoredTask::default() };
        let (given, kept) = (both(input.text, input.texts, "/text")?, both(stored.text, stored.texts, "/resource_id")?);
        let field = if given.is_some() { "/texts" } else { "/resource_id" };
        let texts = given.or(kept).ok_or_else(|| Error::invalid("/text", "give `text` or `texts` to classify"))?;
        let labels = input.labels.or(stored.labels);
        let labels = labels
            .ok_or_else(|| Error::invalid("/labels", "give at least two labels with examples or descriptions"))?;
        if texts.is_empty() || texts.len() > MOST_TEXTS {
            return Err(Error::invalid(field, format!("give 1 to {MOST_TEXTS} texts")));
        }
        if let Some(place) = texts.iter().position(|text| text.trim().is_empty()) {
            return Err(Error::invalid(field, format!("text {} is blank", place + 1)));
        }
        let bytes: usize = texts.iter().map(String::len).sum();
        if bytes > MOST_BYTES {
            return Err(Error::invalid(field, format!("{bytes} bytes of text are more than {MOST_BYTES}")));
        }
        check_labels(&labels)?;
        Ok(Self { texts, labels })
    }
}

fn both(text: Option<String>, texts: Option<Vec<String>>, field: &str) -> Result<Option<Vec<String>>, Error> {
    match (text, texts) {
        (Some(_), Some(_)) => Err(Error::invalid(field, "give `text` or `texts`, not both")),
        (Some(text), None) => Ok(Some(vec![text])),
        (None, texts) => Ok(texts),
    }
}

fn stored_task(call: &Call) -> Result<StoredTask, Error> {
    let stored = call.stored()?;
    let text = stored.text()?;
    let json = stored.content_type.split(';').next().unwrap_or_default().trim().ends_with("json");
    if json || text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| {
            let message = format!("the stored JSON is not an object of `text`, `texts` and `labels`: {error}");
            Error::invalid("/resource_id", message)
        });
    }
    Ok(StoredTask { text: Some(text.to_owned()), ..StoredTask::default() })
}

fn check_labels(labels: &[Label]) -> Result<(), Error> {
    if !(2..=MOST_LABELS).contains(&labels.len()) {
        return Err(Error::invalid("/labels", format!("give 2 to {MOST_LABELS} labels")));
    }
    let mut bytes = 0usize;
    for (place, label) in labels.iter().enumerate() {
        if label.name.trim().is_empty() || label.name.chars().count() > LONGEST_NAME {
            return Err(Error::invalid(
                format!("/labels/{place}/name"),
                format!("give a name of 1 to {LONGEST_NAME} characters"),
            ));
        }
        if labels.iter().take(place).any(|other| other.name == label.name) {
            return Err(Error::invalid(format!("/labels/{place}/name"), "another label has this name"));
        }
        if label.examples.len() > MOST_EXAMPLES {
            return Err(Error::invalid(format!("/labels/{place}/examples"), format!("at most {MOST_EXAMPLES}")));
        }
        let description = label.description.as_ref().map_or(0, String::len);
        bytes =
            label.examples.iter().fold(bytes.saturating_add(description), |sum, text| sum.saturating_add(text.len()));
    }
    if bytes > MOST_LEARNT {
        return Err(Error::invalid("/labels", format!("{bytes} bytes to learn from are more than {MOST_LEARNT}")));
    }
    Ok(())
}
