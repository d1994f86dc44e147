//! What an account keeps: answers with an index, and embeddings, each in its own bucket of the host.
//!
//! Invariants: at most `SHARDS` × `PER_SHARD` answers and `VECTORS` embeddings; the oldest give way; what has expired is
//! never given. Questions of different namespaces never meet.

use serde::{Deserialize, Serialize};
use tollbridge_sdk::{Error, inference::Embeddings, kv::Bucket};

use crate::{
    text,
    vector::{cosine, digest},
};

/// Parts of the index …
const SHARDS: u64 = 8;
/// … and answers in each.
const PER_SHARD: usize = 48;
/// Embeddings; a new one takes the place of another with the same slot.
const VECTORS: u64 = 96;
/// Questions longer than this are found again exactly only.
const NEAR_MAX: usize = 2_000;
/// Kept questions that are compared with one, the newest first: those that pass the gate are few.
const NEAR_ROWS: usize = 8;

/// A question in the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    /// Namespace.
    n: String,
    /// Digest of namespace and normalised question; names the answer.
    k: String,
    /// Digest of the words that carry meaning.
    c: u64,
    /// The normalised question, unless it is long.
    p: Option<String>,
    /// Stored and expires, Unix milliseconds.
    t: u64,
    x: u64,
}

/// An embedding that a provider made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredVector {
    /// Digest of model asked for and text.
    k: String,
    pub model: String,
    pub provider: String,
    pub vector: Vec<f32>,
    x: u64,
}

/// An answer that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub answer: String,
    pub age_ms: u64,
    /// How near the questions are by which model's vectors; none for the same question.
    pub near: Option<Near>,
}

/// A comparison of meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    pub similarity: f64,
    pub model: String,
    pub provider: String,
}

/// A question, prepared.
#[derive(Debug)]
pub struct Question {
    namespace: String,
    normalised: String,
    key: String,
    content: u64,
}

impl Question {
    pub fn new(namespace: &str, question: &str) -> Self {
        let normalised = text::normalise(question);
        let words = text::content(&normalised);
        // Without any word of meaning there is nothing to compare but the text itself.
        let content = if words.is_empty() { normalised.clone() } else { words.join("\n") };
        Self {
            key: name(namespace, &normalised),
            content: digest(content.chars()),
            namespace: namespace.to_owned(),
            normalised,
        }
    }

    fn shard(&self) -> String {
        // By content, so that near questions share a shard.
        format!("index/{}", self.content % SHARDS)
    }
}

/// Two digests of different texts: 128 bits, so that keys do not meet by chance.
fn name(first: &str, second: &str) -> String {
    let joined = || first.chars().chain(['\u{1f}']).chain(second.chars());
    format!("{:016x}{:016x}", digest(joined()), digest(joined().chain(['\u{1e}', 'x'])))
}

/// The answer to a question: exact first, else the nearest that passes the gate and whose meaning, by the vectors of
/// `embed`, reaches the threshold. Without a threshold only the same question counts.
pub fn get(
    question: &Question,
    threshold: Option<f64>,
    now_ms: u64,
    embed: impl FnOnce(&[&str]) -> Result<Embeddings, Error>,
) -> Result<Option<Hit>, Error> {
    let bucket = Bucket::caller()?;
    let rows: Vec<Row> = bucket.get_json(&question.shard())?.unwrap_or_default();
    let live = |row: &&Row| row.n == question.namespace && row.c == question.content && row.x > now_ms;
    let found = |row: &Row, near: Option<Near>| -> Result<Option<Hit>, Error> {
        let Some(bytes) = bucket.get(&format!("answer/{}", row.k))? else { return Ok(None) };
        let answer = String::from_utf8(bytes).map_err(|_| Error::internal("a stored answer is not text"))?;
        Ok(Some(Hit { answer, age_ms: now_ms.saturating_sub(row.t), near }))
    };
    if let Some(row) = rows.iter().filter(live).find(|row| row.k == question.key) {
        return found(row, None);
    }
    let Some(threshold) = threshold else { return Ok(None) };
    let near: Vec<(&Row, &str)> =
        rows.iter().rev().filter(live).filter_map(|row| Some((row, row.p.as_deref()?))).take(NEAR_ROWS).collect();
    if near.is_empty() || question.normalised.len() > NEAR_MAX {
        return Ok(None);
    }
    let texts: Vec<&str> =
        std::iter::once(question.normalised.as_str()).chain(near.iter().map(|(_, text)| *text)).collect();
    let made = embed(&texts)?;
    let (mine, others) =
        made.vectors.split_first().filter(|(_, others)| others.len() == near.len()).ok_or_else(|| {
            Error::upstream(format!("{} gave {} vectors for {} texts", made.model, made.vectors.len(), texts.len()))
        })?;
    let best = near.iter().zip(others).map(|((row, _), other)| (cosine(mine, other), *row));
    let best = best.filter(|(similarity, _)| *similarity >= threshold).max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((similarity, row)) = best else { return Ok(None) };
    found(row, Some(Near { similarity, model: made.model.clone(), provider: made.provider.clone() }))
}

/// Keeps an answer; the oldest of a full shard give way.
pub fn put(question: &Question, answer: &str, now_ms: u64, ttl_ms: u64) -> Result<(), Error> {
    let bucket = Bucket::caller()?;
    let mut rows: Vec<Row> = bucket.get_json(&question.shard())?.unwrap_or_default();
    let (mut kept, mut gone): (Vec<Row>, Vec<Row>) =
        rows.drain(..).filter(|row| row.k != question.key).partition(|row| row.x > now_ms);
    let too_many = kept.len().saturating_add(1).saturating_sub(PER_SHARD);
    gone.extend(kept.drain(..too_many));
    for row in gone {
        bucket.delete(&format!("answer/{}", row.k))?;
    }
    kept.push(Row {
        n: question.namespace.clone(),
        k: question.key.clone(),
        c: question.content,
        p: (question.normalised.len() <= NEAR_MAX).then(|| question.normalised.clone()),
        t: now_ms,
        x: now_ms.saturating_add(ttl_ms),
    });
    bucket.set(&format!("answer/{}", question.key), answer.as_bytes())?;
    bucket.set_json(&question.shard(), &kept)
}

/// Forgets the answer to exactly this question; whether there was one.
pub fn forget(question: &Question) -> Result<bool, Error> {
    let bucket = Bucket::caller()?;
    let mut rows: Vec<Row> = bucket.get_json(&question.shard())?.unwrap_or_default();
    let before = rows.len();
    rows.retain(|row| row.k != question.key);
    if rows.len() == before {
        return Ok(false);
    }
    bucket.delete(&format!("answer/{}", question.key))?;
    bucket.set_json(&question.shard(), &rows)?;
    Ok(true)
}

fn slot(key: &str) -> String {
    format!("vector/{}", digest(key.chars()) % VECTORS)
}

/// The embedding that a provider made of this text before.
pub fn vector(model: &str, text: &str, now_ms: u64) -> Result<Option<StoredVector>, Error> {
    let key = name(model, text);
    let stored: Option<StoredVector> = Bucket::caller()?.get_json(&slot(&key))?;
    Ok(stored.filter(|stored| stored.k == key && stored.x > now_ms))
}

/// Keeps an embedding.
pub fn keep(model: &str, text: &str, made: (String, String, Vec<f32>), expires_ms: u64) -> Result<(), Error> {
    let key = name(model, text);
    let (made_by, provider, vector) = made;
    let entry = StoredVector { k: key.clone(), model: made_by, provider, vector, x: expires_ms };
    Bucket::caller()?.set_json(&slot(&key), &entry)
}
