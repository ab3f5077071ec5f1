//! A sentence model from a folder, as the sentence-transformers project lays one out: `config.json`,
//! `model.safetensors`, and `vocab.txt` or `tokenizer.json`. BERT models (all-MiniLM-L6-v2 and its
//! kin) with pooling by mean or by first token. Everything else is refused by name: a model that is
//! read wrongly gives vectors that look right.

mod config;
mod error;
mod forward;
mod tokens;
mod weights;

use super::Embedder;
use crate::error::IndexError;
use config::Config;
use error::ModelError;
use forward::Network;
use sha2::{Digest, Sha256};
use std::path::Path;
use tokens::Tokens;

/// A local model.
#[derive(Debug)]
pub struct SentenceModel {
    folder: String,
    identity: String,
    config: Config,
    tokens: Tokens,
    network: Network,
}

impl SentenceModel {
    /// Reads the model into memory.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        Self::read(folder).map_err(|why| IndexError::EmbedderFailed {
            embedder: format!("folder:{}", folder.display()),
            why: why.into(),
        })
    }

    fn read(folder: &Path) -> Result<Self, ModelError> {
        let folder_name = folder.canonicalize().map_err(ModelError::Folder)?;
        let folder_name = folder_name.display().to_string();
        let mut hash = Sha256::new();
        let mut read = |name: &str| -> Result<Vec<u8>, ModelError> {
            let bytes = std::fs::read(folder.join(name)).map_err(|source| {
                let file = name.to_owned();
                ModelError::Unreadable { file, source }
            })?;
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(&bytes);
            Ok(bytes)
        };
        let config = Config::parse(&read("config.json")?, folder)?;
        let tokens = if folder.join("vocab.txt").exists() {
            Tokens::from_list(&read("vocab.txt")?)?
        } else {
            Tokens::from_json(&read("tokenizer.json")?)?
        };
        let network = Network::read(&config, &read("model.safetensors")?)?;
        let digest = hash.finalize();
        let short: String = digest
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Ok(Self {
            folder: folder_name,
            identity: format!("bert/{}/{short}", config.hidden_size),
            config,
            tokens,
            network,
        })
    }

    /// Longer texts are read in windows, each weighing what it holds.
    fn vector(&self, text: &str) -> Vec<f32> {
        let pieces = self.tokens.pieces(text);
        let window = self.config.max_position_embeddings - 2;
        let mut sum = vec![0.0; self.config.hidden_size];
        let windows: Vec<&[u32]> = match pieces.is_empty() {
            true => vec![&[]],
            false => pieces.chunks(window).collect(),
        };
        for window in windows {
            let mut ids = vec![self.tokens.first];
            ids.extend_from_slice(window);
            ids.push(self.tokens.last);
            let pooled = self.network.pooled(&ids, self.config.pooling);
            for (sum, x) in sum.iter_mut().zip(pooled) {
                *sum += x * ids.len() as f32;
            }
        }
        crate::vector::unit(sum)
    }
}

impl Embedder for SentenceModel {
    fn spec(&self) -> String {
        format!("folder:{}", self.folder)
    }

    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn dimensions(&self) -> usize {
        self.config.hidden_size
    }

    fn tokens(&self) -> Option<usize> {
        Some(self.config.max_position_embeddings)
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, IndexError> {
        Ok(texts.iter().map(|text| self.vector(text)).collect())
    }
}
