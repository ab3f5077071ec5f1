//! A passkey in software, for tests that need a person with one.

use approval::passkey::{self, Assertion};
use base64ct::{Base64UrlUnpadded, Encoding};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The page that it was enrolled at.
pub(crate) const ORIGIN: &str = "http://localhost:7766";

/// A passkey as an authenticator keeps it, and what a browser makes of its answers.
pub(crate) struct Authenticator(p256::ecdsa::SigningKey);

impl Authenticator {
    pub(crate) fn new() -> Self {
        Self::of(9)
    }

    /// Somebody's own.
    pub(crate) fn of(whose: u8) -> Self {
        Self(p256::ecdsa::SigningKey::from_slice(&[whose; 32]).unwrap())
    }

    /// The key as browsers hand it on.
    pub(crate) fn key(&self) -> String {
        const CURVE: [u8; 26] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
            0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ];
        let point = self.0.verifying_key().to_encoded_point(false);
        Base64UrlUnpadded::encode_string(&[&CURVE[..], point.as_bytes()].concat())
    }

    /// The line of the approvers file for whoever enrolled it at the page.
    pub(crate) fn line(&self, name: &str) -> String {
        let point = self.0.verifying_key().to_encoded_point(false);
        passkey::line(name, point.as_bytes(), ORIGIN).unwrap()
    }

    /// What a browser and an authenticator make of a challenge.
    fn answers(&self, challenge: &str, origin: &str) -> Assertion {
        use p256::ecdsa::signature::Signer;
        let client_data = format!(
            "{{\"type\":\"webauthn.get\",\"challenge\":\"{challenge}\",\"origin\":\"{origin}\",\"crossOrigin\":false}}"
        )
        .into_bytes();
        let mut authenticator_data = Sha256::digest(b"localhost").to_vec();
        authenticator_data.extend_from_slice(&[5, 0, 0, 0, 1]);
        let signed = [&authenticator_data[..], &Sha256::digest(&client_data)].concat();
        let signature: p256::ecdsa::Signature = self.0.sign(&signed);
        Assertion {
            authenticator_data,
            client_data,
            signature: signature.to_der().as_bytes().to_vec(),
        }
    }

    /// The words that a command printed, signed on the page.
    pub(crate) fn signs(&self, message: &[u8]) -> String {
        let challenge = Base64UrlUnpadded::encode_string(&passkey::to_sign(message));
        let answer = self.answers(&challenge, ORIGIN);
        passkey::armored(&self.line("ann@example.org"), &answer, ORIGIN).unwrap()
    }

    pub(crate) fn decides(&self, words: &Value, origin: &str, run: &str, option: &str) -> String {
        let answer = self.answers(words["challenge"].as_str().unwrap(), origin);
        let text = |bytes: &[u8]| Base64UrlUnpadded::encode_string(bytes);
        serde_json::json!({
            "repo": "", "run": run, "option": option, "because": "looked at it", "go_on": false, "head": "",
            "authenticator_data": text(&answer.authenticator_data), "client_data": text(&answer.client_data),
            "signature": text(&answer.signature),
        })
        .to_string()
    }
}
