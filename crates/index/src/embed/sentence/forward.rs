//! BERT's forward pass for one text: plain loops over dot products, which are the fast part.

use super::config::{Config, Pooling};
use super::error::ModelError;
use super::weights::Weights;
use crate::vector::dot;

/// A linear layer: `out` rows of `in` numbers, and a bias.
#[derive(Debug)]
struct Linear {
    weight: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
}

/// Scale and shift after normalising.
#[derive(Debug)]
struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
    epsilon: f32,
}

#[derive(Debug)]
struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    after_attention: Norm,
    up: Linear,
    down: Linear,
    after_all: Norm,
}

/// The whole model.
#[derive(Debug)]
pub(super) struct Network {
    hidden: usize,
    heads: usize,
    words: Vec<f32>,
    positions: Vec<f32>,
    /// Of the first kind of sentence: texts are never pairs here.
    kind: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

impl Linear {
    fn read(
        weights: &Weights,
        name: &str,
        outputs: usize,
        inputs: usize,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            weight: weights.take(&format!("{name}.weight"), &[outputs, inputs])?,
            bias: weights.take(&format!("{name}.bias"), &[outputs])?,
            inputs,
        })
    }

    fn of(&self, rows: &[f32]) -> Vec<f32> {
        let mut out = Vec::with_capacity(rows.len() / self.inputs * self.bias.len());
        for row in rows.chunks_exact(self.inputs) {
            let outputs = self.weight.chunks_exact(self.inputs).zip(&self.bias);
            out.extend(outputs.map(|(weight, bias)| dot(row, weight) + bias));
        }
        out
    }
}

impl Norm {
    fn read(weights: &Weights, name: &str, config: &Config) -> Result<Self, ModelError> {
        Ok(Self {
            weight: weights.take(&format!("{name}.weight"), &[config.hidden_size])?,
            bias: weights.take(&format!("{name}.bias"), &[config.hidden_size])?,
            epsilon: config.layer_norm_eps,
        })
    }

    fn apply(&self, rows: &mut [f32]) {
        let size = self.weight.len();
        for row in rows.chunks_exact_mut(size) {
            let mean = row.iter().sum::<f32>() / size as f32;
            let spread = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / size as f32;
            let scale = 1.0 / (spread + self.epsilon).sqrt();
            for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *x = (*x - mean) * scale * weight + bias;
            }
        }
    }
}

impl Network {
    pub(super) fn read(config: &Config, bytes: &[u8]) -> Result<Self, ModelError> {
        let weights = Weights::read(bytes)?;
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        let layer = |at: usize| -> Result<Layer, ModelError> {
            let name = |part: &str| format!("encoder.layer.{at}.{part}");
            let linear = |part: &str, outputs: usize, inputs: usize| {
                Linear::read(&weights, &name(part), outputs, inputs)
            };
            Ok(Layer {
                query: linear("attention.self.query", hidden, hidden)?,
                key: linear("attention.self.key", hidden, hidden)?,
                value: linear("attention.self.value", hidden, hidden)?,
                output: linear("attention.output.dense", hidden, hidden)?,
                after_attention: Norm::read(&weights, &name("attention.output.LayerNorm"), config)?,
                up: linear("intermediate.dense", inner, hidden)?,
                down: linear("output.dense", hidden, inner)?,
                after_all: Norm::read(&weights, &name("output.LayerNorm"), config)?,
            })
        };
        let positions = config.max_position_embeddings;
        let mut kinds = weights.take("embeddings.token_type_embeddings.weight", &[2, hidden])?;
        kinds.truncate(hidden);
        Ok(Self {
            hidden,
            heads: config.num_attention_heads,
            words: weights.take(
                "embeddings.word_embeddings.weight",
                &[config.vocab_size, hidden],
            )?,
            positions: weights.take(
                "embeddings.position_embeddings.weight",
                &[positions, hidden],
            )?,
            kind: kinds,
            norm: Norm::read(&weights, "embeddings.LayerNorm", config)?,
            layers: (0..config.num_hidden_layers)
                .map(layer)
                .collect::<Result<_, _>>()?,
        })
    }

    /// The text's vector, from its framed tokens. Unknown numbers count as the first of the
    /// vocabulary, which is padding.
    pub(super) fn pooled(&self, ids: &[u32], pooling: Pooling) -> Vec<f32> {
        let size = self.hidden;
        let row = |table: &[f32], at: usize| -> Vec<f32> {
            let found = table.get(at * size..(at + 1) * size);
            found.unwrap_or(&table[..size]).to_vec()
        };
        let mut rows = Vec::with_capacity(ids.len() * size);
        for (position, id) in ids.iter().enumerate() {
            let word = row(&self.words, *id as usize);
            let place = row(&self.positions, position);
            rows.extend(
                word.iter()
                    .zip(&place)
                    .zip(&self.kind)
                    .map(|((w, p), k)| w + p + k),
            );
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            let attended = layer.output.of(&self.attention(layer, &rows));
            add(&mut rows, &attended);
            layer.after_attention.apply(&mut rows);
            let mut inner = layer.up.of(&rows);
            for x in &mut inner {
                *x = gelu(*x);
            }
            add(&mut rows, &layer.down.of(&inner));
            layer.after_all.apply(&mut rows);
        }
        match pooling {
            Pooling::First => rows[..size].to_vec(),
            Pooling::Mean => {
                let mut mean = vec![0.0; size];
                for row in rows.chunks_exact(size) {
                    add(&mut mean, row);
                }
                mean.iter().map(|x| x / ids.len() as f32).collect()
            }
        }
    }

    fn attention(&self, layer: &Layer, rows: &[f32]) -> Vec<f32> {
        let (size, count) = (self.hidden, rows.len() / self.hidden);
        let width = size / self.heads;
        let (query, key, value) = (
            layer.query.of(rows),
            layer.key.of(rows),
            layer.value.of(rows),
        );
        let scale = 1.0 / (width as f32).sqrt();
        let mut out = vec![0.0; rows.len()];
        let mut shares = vec![0.0f32; count];
        for head in 0..self.heads {
            let part = |at: usize| at * size + head * width..at * size + (head + 1) * width;
            for at in 0..count {
                for (to, share) in shares.iter_mut().enumerate() {
                    *share = dot(&query[part(at)], &key[part(to)]) * scale;
                }
                softmax(&mut shares);
                let sum = &mut out[part(at)];
                for (to, share) in shares.iter().enumerate() {
                    for (sum, x) in sum.iter_mut().zip(&value[part(to)]) {
                        *sum += share * x;
                    }
                }
            }
        }
        out
    }
}

fn add(to: &mut [f32], other: &[f32]) {
    for (x, y) in to.iter_mut().zip(other) {
        *x += y;
    }
}

fn softmax(scores: &mut [f32]) {
    let most = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for x in scores.iter_mut() {
        *x = (*x - most).exp();
    }
    let sum: f32 = scores.iter().sum();
    for x in scores {
        *x /= sum;
    }
}

/// The exact one, by the error function.
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2))
}

/// Abramowitz and Stegun 7.1.26: off by less than 2e-7.
fn erf(x: f32) -> f32 {
    let z = f64::from(x).abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let series = [
        1.061_405_429,
        -1.453_152_027,
        1.421_413_741,
        -0.284_496_736,
        0.254_829_592,
    ];
    let sum = series.iter().fold(0.0, |sum, term| (sum + term) * t);
    ((1.0 - sum * (-z * z).exp()) as f32).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_function_is_near_its_table() {
        for (x, y) in [
            (0.0, 0.0),
            (0.5, 0.520_499_9),
            (-1.0, -0.842_700_8),
            (3.0, 0.999_977_9),
        ] {
            assert!((erf(x) - y).abs() < 1e-6, "{x}");
        }
        assert!((gelu(1.0) - 0.841_344_7).abs() < 1e-6);
    }
}
