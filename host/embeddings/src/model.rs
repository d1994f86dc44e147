//! The model: runs the network for a text, and reduces its output to one vector.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, ValueOrView, op_registry};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use crate::model_file::{self, LoadModelError};
use crate::word_piece::WordPiece;

/// The name of the model.
pub const MODEL_NAME: &str = "all-minilm-l6-v2";
/// The number of components of a vector.
pub const DIMENSIONS: usize = 384;

/// The loaded model.
pub struct EmbeddingModel {
    network: Model,
    inputs: [NodeId; 3],
    output: NodeId,
    tokenizer: WordPiece,
    threads: Arc<ThreadPool>,
}

/// The vector of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// The components of the vector, whose length is 1.
    pub vector: Vec<f32>,
    /// The number of tokens that were read, without those at the begin and end.
    pub tokens: usize,
}

/// The engine failed to run the model.
#[derive(Debug, thiserror::Error)]
#[error("the built-in model cannot be run: {0}")]
pub struct RunModelError(String);

impl EmbeddingModel {
    /// Loads the model from its file; `threads` is the number of threads that all texts
    /// share.
    ///
    /// # Errors
    /// The file cannot be read, is another one, or cannot be used.
    pub fn load(path: &Path, threads: usize) -> Result<Self, LoadModelError> {
        let bytes = model_file::read(path)?;
        let operators = op_registry!(
            Add,
            And,
            Cast,
            Concat,
            Div,
            Erf,
            Expand,
            Gather,
            GatherND,
            GreaterOrEqual,
            IsNaN,
            LayerNormalization,
            MatMul,
            Max,
            Mul,
            Range,
            Reshape,
            Shape,
            Slice,
            Softmax,
            Squeeze,
            Transpose,
            Unsqueeze,
            Where
        );
        let unusable = |error: &dyn fmt::Display| LoadModelError::Engine(error.to_string());
        let network = ModelOptions::with_ops(operators).load(bytes).map_err(|error| unusable(&error))?;
        let node = |name| network.node_id(name).map_err(|error| unusable(&error));
        let inputs = [node("input_ids")?, node("attention_mask")?, node("token_type_ids")?];
        let output = node("last_hidden_state")?;
        let threads = Arc::new(ThreadPool::with_num_threads(threads));
        Ok(Self { network, inputs, output, tokenizer: WordPiece::new(), threads })
    }

    /// Returns the vector of a text, of which at most [`crate::TOKENS_MAX`] tokens are
    /// read.
    ///
    /// # Errors
    /// The engine fails, which no text causes.
    pub fn embed(&self, text: &str) -> Result<Embedding, RunModelError> {
        let ids = self.tokenizer.ids(text);
        let length = ids.len();
        let row = |values: Vec<i32>| ValueOrView::from(NdTensor::from_data([1, length], values));
        let [id_input, mask_input, type_input] = self.inputs;
        let inputs = vec![(id_input, row(ids)), (mask_input, row(vec![1; length])), (type_input, row(vec![0; length]))];
        let mut options = RunOptions::default();
        options.thread_pool = Some(self.threads.clone());
        let [output] = self
            .network
            .run_n(inputs, [self.output], Some(options))
            .map_err(|error| RunModelError(error.to_string()))?;
        let states = output.into_tensor::<f32>().filter(|states| states.shape() == [1, length, DIMENSIONS]);
        let states = states.ok_or_else(|| RunModelError("an output of another shape".to_owned()))?;
        Ok(Embedding { vector: unit_mean(&states.to_vec()), tokens: length.saturating_sub(2) })
    }
}

impl fmt::Debug for EmbeddingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddingModel").finish_non_exhaustive()
    }
}

/// Returns the mean of the tokens' vectors, scaled to length 1.
#[expect(clippy::float_arithmetic, reason = "vectors, not money")]
fn unit_mean(states: &[f32]) -> Vec<f32> {
    let mut sums = vec![0.0_f32; DIMENSIONS];
    for state in states.chunks_exact(DIMENSIONS) {
        for (sum, component) in sums.iter_mut().zip(state) {
            *sum += component;
        }
    }
    // The sum has the direction of the mean, so only its length is adjusted.
    let length = sums.iter().map(|sum| sum * sum).sum::<f32>().sqrt();
    if length > 0.0 {
        sums.iter_mut().for_each(|sum| *sum /= length);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The leading components of vectors that onnxruntime 1.32 computes in Python.
    const EXPECTED: [(&str, usize, [f32; 8]); 3] = [
        (
            "How do I reset my password?",
            7,
            [0.005_373, -0.061_111, -0.071_281, -0.034_230, -0.042_787, 0.068_429, 0.008_457, 0.016_022],
        ),
        (
            "The quarterly report shows a loss of 3.2 million.",
            12,
            [0.070_995, 0.026_806, -0.013_787, 0.076_005, -0.033_139, -0.022_584, -0.075_864, 0.069_928],
        ),
        (
            "Wie hoch ist die Umsatzsteuer in Österreich?",
            17,
            [0.008_788, 0.044_686, -0.030_155, -0.041_647, -0.019_946, 0.039_401, 0.029_217, 0.102_660],
        ),
    ];
    /// The leading components for a text that is longer than the model reads.
    const LONG: [f32; 8] =
        [-0.004_822, -0.098_322, -0.038_990, 0.051_114, -0.042_675, 0.021_928, -0.017_121, -0.021_084];

    /// Checks vectors against the reference. `make` passes the path of the file; without
    /// one, the test fails instead of being skipped.
    #[test]
    fn vectors_equal_those_of_another_engine() {
        let path = std::env::var("EMBEDDING_MODEL").expect("EMBEDDING_MODEL is the model's file; `make unit` sets it");
        let model = EmbeddingModel::load(Path::new(&path), 1).unwrap();
        let long = "word ".repeat(400);
        for (text, tokens, expected) in EXPECTED.into_iter().chain([(long.as_str(), 254, LONG)]) {
            let found = model.embed(text).unwrap();
            assert_eq!((found.vector.len(), found.tokens), (DIMENSIONS, tokens), "{text}");
            for (found, expected) in found.vector.iter().zip(expected) {
                assert!((found - expected).abs() < 2e-6, "{found} instead of {expected}: {text}");
            }
            let length: f32 = found.vector.iter().map(|component| component * component).sum();
            assert!((length - 1.0).abs() < 1e-5, "{length}");
        }
    }
}
