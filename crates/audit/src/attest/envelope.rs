//! A DSSE envelope, on one line. It refuses every text but the one that it would write itself, so that no
//! byte of a file is without a meaning.

use approval::{AttestKey, Attester};
use base64ct::{Base64, Encoding};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::error::EngineError;

/// The payload's type: what every in-toto tool looks for.
const IN_TOTO: &str = "application/vnd.in-toto+json";

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Signed>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed {
    keyid: String,
    sig: String,
}

impl Envelope {
    pub(super) fn seal(statement: &Value, key: &AttestKey) -> Result<Self, EngineError> {
        let payload = statement.to_string();
        let signature = key.sign(IN_TOTO, payload.as_bytes())?;
        Ok(Self {
            payload: Base64::encode_string(payload.as_bytes()),
            payload_type: IN_TOTO.to_owned(),
            signatures: vec![Signed {
                keyid: key.public().keyid.clone(),
                sig: Base64::encode_string(&signature),
            }],
        })
    }

    /// Without the line's end.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("it has nothing but strings")
    }

    /// What is in it and who signed that, or why nobody did: a sentence for people.
    pub(super) fn open<'a>(
        line: &str,
        trusted: &'a [Attester],
    ) -> Result<(Value, &'a Attester), String> {
        let envelope: Self = serde_json::from_str(line)
            .map_err(|error| format!("it is no envelope of an attestation ({error})"))?;
        if envelope.line() != line {
            return Err("there is more in it than an envelope".to_owned());
        }
        if envelope.payload_type != IN_TOTO {
            return Err(format!("it holds no `{IN_TOTO}`"));
        }
        let [signed] = envelope.signatures.as_slice() else {
            let many = envelope.signatures.len();
            return Err(format!("it has {many} signatures, and ours have one"));
        };
        let bytes = |text: &str| {
            Base64::decode_vec(text).map_err(|_| "a part of it is no base64".to_owned())
        };
        let (payload, signature) = (bytes(&envelope.payload)?, bytes(&signed.sig)?);
        let named = trusted.iter().find(|key| key.keyid == signed.keyid);
        let Some(key) = named else {
            return Err(format!(
                "the key {} signed it, and nobody here trusts that one",
                signed.keyid.escape_debug()
            ));
        };
        if !key.signed(&envelope.payload_type, &payload, &signature) {
            return Err("its signature is not over what it holds".to_owned());
        }
        let value = serde_json::from_slice(&payload);
        let value = value.map_err(|error| format!("it holds no JSON ({error})"))?;
        Ok((value, key))
    }
}
