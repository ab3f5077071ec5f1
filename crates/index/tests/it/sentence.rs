//! A sentence model from a folder. The tests make a tiny one of random numbers, and compute what it
//! should say in another way: slowly, in double precision, straight from the definition.

use crate::support::{Folder, NOW, entry};
use index::embed::{self, Embedder, SentenceModel, Settings, criteria};
use index::{Ranking, SearchRequest};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::Path;

const HIDDEN: usize = 256;
const INNER: usize = 48;
const LAYERS: usize = 2;
const HEADS: usize = 4;
const POSITIONS: usize = 512;
const PIECES: [&str; 14] = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "cat", "dog", "##s", "parse", "date", "the", ",",
    "run", "##ning",
];

type Arrays = BTreeMap<String, (Vec<usize>, Vec<f32>)>;

fn arrays() -> Arrays {
    let mut state = 42u64;
    let mut number = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 0.4
    };
    let mut arrays = Arrays::new();
    let mut put = |name: String, shape: &[usize]| {
        let count = shape.iter().product();
        let numbers = (0..count).map(|_| number()).collect();
        arrays.insert(name, (shape.to_vec(), numbers));
    };
    put(
        "embeddings.word_embeddings.weight".into(),
        &[PIECES.len(), HIDDEN],
    );
    put(
        "embeddings.position_embeddings.weight".into(),
        &[POSITIONS, HIDDEN],
    );
    put(
        "embeddings.token_type_embeddings.weight".into(),
        &[2, HIDDEN],
    );
    let mut pair = |name: String, shape: &[usize]| {
        put(format!("{name}.weight"), shape);
        put(format!("{name}.bias"), &shape[..1]);
    };
    pair("embeddings.LayerNorm".into(), &[HIDDEN]);
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            pair(name(&format!("attention.{part}")), &[HIDDEN, HIDDEN]);
        }
        pair(name("attention.output.LayerNorm"), &[HIDDEN]);
        pair(name("intermediate.dense"), &[INNER, HIDDEN]);
        pair(name("output.dense"), &[HIDDEN, INNER]);
        pair(name("output.LayerNorm"), &[HIDDEN]);
    }
    arrays
}

fn safetensors(arrays: &Arrays, prefix: &str) -> Vec<u8> {
    let mut header = serde_json::Map::new();
    header.insert("__metadata__".into(), json!({"format": "pt"}));
    let mut data: Vec<u8> = Vec::new();
    for (name, (shape, numbers)) in arrays {
        let start = data.len();
        data.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
        let head = json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]});
        header.insert(format!("{prefix}{name}"), head);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes.extend(data);
    bytes
}

fn config() -> serde_json::Value {
    json!({
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": HIDDEN,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": INNER,
        "max_position_embeddings": POSITIONS, "vocab_size": PIECES.len(),
        "layer_norm_eps": 1e-12, "type_vocab_size": 2
    })
}

fn write(folder: &Path) -> Arrays {
    let arrays = arrays();
    std::fs::write(folder.join("config.json"), config().to_string()).unwrap();
    std::fs::write(folder.join("vocab.txt"), PIECES.join("\n")).unwrap();
    std::fs::write(folder.join("model.safetensors"), safetensors(&arrays, "")).unwrap();
    arrays
}

/// The definition, in double precision and without any haste.
struct Slow<'a>(&'a Arrays);

impl Slow<'_> {
    fn get(&self, name: &str) -> &[f32] {
        &self.0[name].1
    }

    fn linear(&self, name: &str, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (weight, bias) = (
            self.get(&format!("{name}.weight")),
            self.get(&format!("{name}.bias")),
        );
        let out = |row: &Vec<f64>| {
            let output = |at: usize| {
                let of = &weight[at * row.len()..(at + 1) * row.len()];
                let sum: f64 = of.iter().zip(row).map(|(w, x)| f64::from(*w) * x).sum();
                sum + f64::from(bias[at])
            };
            (0..bias.len()).map(output).collect()
        };
        rows.iter().map(out).collect()
    }

    fn norm(&self, name: &str, rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let (weight, bias) = (
            self.get(&format!("{name}.weight")),
            self.get(&format!("{name}.bias")),
        );
        let one = |row: &Vec<f64>| {
            let count = row.len() as f64;
            let mean = row.iter().sum::<f64>() / count;
            let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
            let of = |at: usize| {
                (row[at] - mean) / (spread + 1e-12).sqrt() * f64::from(weight[at])
                    + f64::from(bias[at])
            };
            (0..row.len()).map(of).collect()
        };
        rows.iter().map(one).collect()
    }

    /// The normal distribution by Simpson's rule.
    fn gelu(x: f64) -> f64 {
        let steps = 2_000;
        let width = x / f64::from(steps);
        let density = |z: f64| (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let weight = |at: i32| match at {
            0 => 1.0,
            at if at == steps => 1.0,
            at if at % 2 == 1 => 4.0,
            _ => 2.0,
        };
        let sum: f64 = (0..=steps)
            .map(|at| weight(at) * density(f64::from(at) * width))
            .sum();
        x * (0.5 + sum * width / 3.0)
    }

    fn vector(&self, ids: &[usize]) -> Vec<f64> {
        let table =
            |name: &str, row: usize, at: usize| f64::from(self.get(name)[row * HIDDEN + at]);
        let rows: Vec<Vec<f64>> = ids
            .iter()
            .enumerate()
            .map(|(position, id)| {
                let sum = |at: usize| {
                    table("embeddings.word_embeddings.weight", *id, at)
                        + table("embeddings.position_embeddings.weight", position, at)
                        + table("embeddings.token_type_embeddings.weight", 0, at)
                };
                (0..HIDDEN).map(sum).collect()
            })
            .collect();
        let mut rows = self.norm("embeddings.LayerNorm", &rows);
        let plus = |a: &[Vec<f64>], b: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let add =
                |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(x, y)| x + y).collect();
            a.iter().zip(b).map(add).collect()
        };
        for layer in 0..LAYERS {
            let name = |part: &str| format!("encoder.layer.{layer}.{part}");
            let query = self.linear(&name("attention.self.query"), &rows);
            let key = self.linear(&name("attention.self.key"), &rows);
            let value = self.linear(&name("attention.self.value"), &rows);
            let width = HIDDEN / HEADS;
            let mut mixed = vec![vec![0.0; HIDDEN]; rows.len()];
            for (at, mixed) in mixed.iter_mut().enumerate() {
                for head in 0..HEADS {
                    let range = head * width..(head + 1) * width;
                    let score = |to: usize| {
                        let sum: f64 = range.clone().map(|i| query[at][i] * key[to][i]).sum();
                        (sum / (width as f64).sqrt()).exp()
                    };
                    let scores: Vec<f64> = (0..rows.len()).map(score).collect();
                    let total: f64 = scores.iter().sum();
                    for i in range.clone() {
                        mixed[i] = (0..rows.len())
                            .map(|to| scores[to] / total * value[to][i])
                            .sum();
                    }
                }
            }
            let attended = self.linear(&name("attention.output.dense"), &mixed);
            rows = self.norm(&name("attention.output.LayerNorm"), &plus(&rows, &attended));
            let inner: Vec<Vec<f64>> = self
                .linear(&name("intermediate.dense"), &rows)
                .iter()
                .map(|row| row.iter().map(|x| Self::gelu(*x)).collect())
                .collect();
            let down = self.linear(&name("output.dense"), &inner);
            rows = self.norm(&name("output.LayerNorm"), &plus(&rows, &down));
        }
        let mean = |at: usize| rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64;
        let mean: Vec<f64> = (0..HIDDEN).map(mean).collect();
        let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
        mean.iter().map(|x| x / length).collect()
    }
}

#[test]
fn the_forward_pass_is_that_of_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    let arrays = write(folder.path());
    let model = SentenceModel::open(folder.path()).unwrap();
    for (text, ids) in [
        ("The cats, running", vec![2, 10, 5, 7, 11, 12, 13, 3]),
        ("parse a date", vec![2, 8, 4, 9, 3]),
        ("", vec![2, 3]),
        ("zebra", vec![2, 1, 3]),
    ] {
        let found = model.embed(&[text.to_owned()]).unwrap().remove(0);
        let expected = Slow(&arrays).vector(&ids);
        for (x, y) in found.iter().zip(&expected) {
            assert!((f64::from(*x) - y).abs() < 2e-5, "{text}: {x} {y}");
        }
    }
}

#[test]
fn s14_1_a_sentence_model_is_checked_and_used_by_the_index() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let spec = format!("folder:{}", folder.path().display());
    let model = embed::open(&spec, &Settings::default()).unwrap();
    assert!(criteria::check(&*model).is_ok());
    assert_eq!((model.dimensions(), model.tokens()), (256, Some(512)));
    let place = Folder::new();
    let mut index = place.with(&[entry("MM-1", "parse a date"), entry("MM-2", "the dogs")]);
    assert_eq!(index.reindex(&*model, NOW).unwrap(), 2);
    let hits = index.search(
        &SearchRequest::new("parse a date"),
        Ranking::Semantic,
        &*model,
    );
    assert_eq!(hits.unwrap().len(), 2);
    // The same files elsewhere are the same model; other weights are another.
    let other = tempfile::tempdir().unwrap();
    write(other.path());
    let same = SentenceModel::open(other.path()).unwrap();
    assert_eq!(same.identity(), model.identity());
    let mut bytes = std::fs::read(other.path().join("model.safetensors")).unwrap();
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    std::fs::write(other.path().join("model.safetensors"), bytes).unwrap();
    let changed = SentenceModel::open(other.path()).unwrap();
    assert_ne!(changed.identity(), model.identity());
}

/// Longer than the model's positions: read in windows, to the end.
#[test]
fn long_texts_are_read_to_their_end() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let model = SentenceModel::open(folder.path()).unwrap();
    let long = |last: &str| format!("{}{last}", "a ".repeat(600));
    let vectors = model.embed(&[long("cat"), long("dog")]).unwrap();
    assert_ne!(vectors[0], vectors[1]);
}

#[test]
fn other_forms_of_the_same_model_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let arrays = write(folder.path());
    let text = ["parse the date".to_owned()];
    let plain = SentenceModel::open(folder.path())
        .unwrap()
        .embed(&text)
        .unwrap();
    // Names below `bert.`, and a tokenizer.json in place of a list.
    std::fs::write(
        folder.path().join("model.safetensors"),
        safetensors(&arrays, "bert."),
    )
    .unwrap();
    std::fs::remove_file(folder.path().join("vocab.txt")).unwrap();
    let vocabulary: BTreeMap<&str, usize> = PIECES.iter().copied().zip(0..).collect();
    let tokenizer = json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "truncation": {"max_length": 128},
        "model": {"type": "WordPiece", "vocab": vocabulary}
    });
    std::fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let other = SentenceModel::open(folder.path())
        .unwrap()
        .embed(&text)
        .unwrap();
    assert_eq!(plain, other);
    // Pooling by the first token is another vector.
    std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    let pooling = json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false});
    std::fs::write(
        folder.path().join("1_Pooling/config.json"),
        pooling.to_string(),
    )
    .unwrap();
    let first = SentenceModel::open(folder.path())
        .unwrap()
        .embed(&text)
        .unwrap();
    assert_ne!(plain, first);
}

#[test]
fn what_is_not_such_a_model_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let refused = |what: &str| {
        let error = SentenceModel::open(folder.path()).expect_err(what);
        assert_eq!(error.code(), "embedder_failed");
        assert!(error.to_string().contains(what), "{what}: {error}");
    };
    for (member, value) in [
        ("model_type", json!("mpnet")),
        ("hidden_act", json!("relu")),
        ("position_embedding_type", json!("relative_key")),
        ("hidden_size", json!(300)),
        ("num_attention_heads", json!(0)),
        ("vocab_size", json!(99)),
    ] {
        let mut other = config();
        other[member] = value;
        std::fs::write(folder.path().join("config.json"), other.to_string()).unwrap();
        let error = SentenceModel::open(folder.path()).expect_err(member);
        assert_eq!(error.code(), "embedder_failed", "{member}");
    }
    std::fs::write(folder.path().join("config.json"), config().to_string()).unwrap();
    let whole = std::fs::read(folder.path().join("model.safetensors")).unwrap();
    for cut in [0, 4, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path().join("model.safetensors"), &whole[..cut]).unwrap();
        refused("model.safetensors");
    }
    std::fs::write(folder.path().join("model.safetensors"), &whole).unwrap();
    std::fs::create_dir(folder.path().join("2_Dense")).unwrap();
    refused("2_Dense");
    std::fs::remove_dir(folder.path().join("2_Dense")).unwrap();
    std::fs::remove_file(folder.path().join("vocab.txt")).unwrap();
    refused("tokenizer.json");
}
