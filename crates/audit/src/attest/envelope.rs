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
                "the key {} signed it, and nobody here trusts that one: give its public key (`--key KEY.pub`), or list it in .proofhouse/approvers with `namespaces=\"proofhouse-attestation\"`, for a time that has not passed",
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attest::{Trust, verify};
    use testkit::fuzz::Fuzz;

    const DECISIONS: &str = r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"decisions":[{"at":"2026-11-01T10:00:00.000Z","decision":{"because":"read it","channel":"ssh-signature","option":"approve","seen_seq":3,"signature":"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n","who":"ada"},"head":"ab","run":"t","seq":4}]},"predicateType":"proofhouse:decisions/v1","subject":[{"annotations":{"run":"t","seq":9},"digest":{"sha256":"cd"},"name":"proofhouse:run/t@9"}]}"#;
    const SUMMARY: &str = r#"{"_type":"https://in-toto.io/Statement/v1","predicate":{"inputAttestations":[{"digest":{"sha256":"INPUT"},"uri":"line:1"}],"policy":{"digest":{"sha256":"ef"},"uri":"proofhouse:workflow/phase"},"timeVerified":"2026-11-01T10:00:00.000Z","verificationResult":"PASSED","verifiedLevels":["PROOFHOUSE_WEAK"]},"predicateType":"https://slsa.dev/verification_summary/v1","subject":[{"annotations":{"run":"t","seq":9},"digest":{"sha256":"cd"},"name":"proofhouse:run/t@9"}]}"#;

    fn sealed(payload: &[u8], key: &AttestKey) -> String {
        let signature = key.sign(IN_TOTO, payload).unwrap();
        let envelope = Envelope {
            payload: Base64::encode_string(payload),
            payload_type: IN_TOTO.to_owned(),
            signatures: vec![Signed {
                keyid: key.public().keyid.clone(),
                sig: Base64::encode_string(&signature),
            }],
        };
        envelope.line()
    }

    /// Whatever a trusted key has signed, and whatever it has not.
    #[test]
    fn fuzz_attestations_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        approval::key_for_the_occasion(&path, "ada").unwrap();
        let key = AttestKey::read(&path).unwrap();
        let trust = Trust {
            key: Some(key.public()),
            approvers: None,
        };
        Fuzz {
            name: "statements",
            samples: &[DECISIONS.as_bytes(), SUMMARY.as_bytes()],
            usual: 200,
        }
        .run(&|input| {
            let first = sealed(input, &key);
            let named = SUMMARY.replace("INPUT", &store::sha256_hex(first.as_bytes()));
            let bundle = format!("{first}\n{}\n", sealed(named.as_bytes(), &key));
            let _ = verify(&bundle, trust, None);
            let alone = format!("{first}\n");
            let _ = verify(&alone, trust, None);
        });
        let line = sealed(DECISIONS.as_bytes(), &key);
        let trusted = [key.public().clone()];
        assert!(Envelope::open(&line, &trusted).is_ok());
        Fuzz {
            name: "envelopes",
            samples: &[line.as_bytes()],
            usual: 300,
        }
        .run(&|input| {
            let other = String::from_utf8_lossy(input);
            let opened = Envelope::open(&other, &trusted);
            assert!(other == line || opened.is_err(), "{other}");
        });
    }
}
