//! What a model's folder says of itself, and the refusal of every kind that we would compute
//! wrongly.

use super::error::ModelError;
use serde::Deserialize;
use std::path::Path;

/// How the tokens' vectors become the text's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pooling {
    Mean,
    First,
}

/// `config.json`, as far as the forward pass needs it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Config {
    model_type: String,
    pub(super) hidden_size: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) num_attention_heads: usize,
    pub(super) intermediate_size: usize,
    pub(super) max_position_embeddings: usize,
    pub(super) vocab_size: usize,
    #[serde(default = "epsilon")]
    pub(super) layer_norm_eps: f32,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    #[serde(skip, default = "mean")]
    pub(super) pooling: Pooling,
}

fn epsilon() -> f32 {
    1e-12
}
fn gelu() -> String {
    "gelu".to_owned()
}
fn absolute() -> String {
    "absolute".to_owned()
}
fn mean() -> Pooling {
    Pooling::Mean
}

/// `1_Pooling/config.json`.
#[derive(Debug, Deserialize)]
#[serde(default)]
struct PoolingFile {
    pooling_mode_mean_tokens: bool,
    pooling_mode_cls_token: bool,
}

impl Default for PoolingFile {
    fn default() -> Self {
        Self {
            pooling_mode_mean_tokens: true,
            pooling_mode_cls_token: false,
        }
    }
}

impl Config {
    pub(super) fn parse(bytes: &[u8], folder: &Path) -> Result<Self, ModelError> {
        const FILE: &str = "config.json";
        const POOLING: &str = "1_Pooling/config.json";
        let mut config: Self = serde_json::from_slice(bytes).map_err(ModelError::json(FILE))?;
        for (what, found, known) in [
            ("model_type", &config.model_type, "bert"),
            ("hidden_act", &config.hidden_act, "gelu"),
            (
                "position_embedding_type",
                &config.position_embedding_type,
                "absolute",
            ),
        ] {
            if found != known {
                let why = format!("{what} is {found:?}; only {known:?} is known here");
                return Err(ModelError::unfit(FILE, why));
            }
        }
        let heads = config.num_attention_heads;
        let sizes = [
            config.hidden_size,
            config.intermediate_size,
            config.num_hidden_layers,
            config.vocab_size,
        ];
        if heads == 0
            || !config.hidden_size.is_multiple_of(heads)
            || config.max_position_embeddings < 3
            || sizes.iter().any(|size| *size == 0 || *size > 1 << 20)
        {
            return Err(ModelError::unfit(FILE, "sizes that no model can have"));
        }
        if folder.join("2_Dense").exists() {
            return Err(ModelError::MoreLayers);
        }
        let pooling = folder.join(POOLING);
        if pooling.exists() {
            let text = std::fs::read_to_string(&pooling).map_err(|source| {
                let file = POOLING.to_owned();
                ModelError::Unreadable { file, source }
            })?;
            let file: PoolingFile =
                serde_json::from_str(&text).map_err(ModelError::json(POOLING))?;
            config.pooling = match (file.pooling_mode_mean_tokens, file.pooling_mode_cls_token) {
                (true, false) => Pooling::Mean,
                (false, true) => Pooling::First,
                _ => {
                    let why = "only mean or first token is known";
                    return Err(ModelError::unfit(POOLING, why));
                }
            };
        }
        Ok(config)
    }
}
