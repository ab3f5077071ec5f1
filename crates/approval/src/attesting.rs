//! Keys that vouch for a run towards others: an envelope (DSSE) is signed over its bytes as they are, which
//! any tool with an ed25519 key can check. It refuses other kinds of keys, since such tools do not read
//! them, and keys that the approvers file keeps for something else.

use super::{allowed, signature};
use ::signature::{Signer, Verifier};
use kernel::Time;
use ssh_key::{Algorithm, HashAlg, PrivateKey, PublicKey, Signature};
use std::path::Path;
use workspace::error::EngineError;

/// What a key of the approvers file must be good for, where its line has `namespaces`.
pub const ATTESTING: &str = "proofhouse-attestation";

/// The private half of a key that vouches.
#[derive(Debug)]
pub struct AttestKey {
    key: PrivateKey,
    public: Attester,
}

/// The public half, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attester {
    /// As the approvers file calls them; empty where nobody says so.
    pub who: String,
    /// `SHA256:...`, as `ssh-keygen -l` prints it.
    pub fingerprint: String,
    /// The name that securesystemslib and in-toto give to the same key.
    pub keyid: String,
    key: PublicKey,
}

impl AttestKey {
    /// Reads an unencrypted OpenSSH key file.
    pub fn read(path: &Path) -> Result<Self, EngineError> {
        let elsewhere = |_: &str| {
            "make a key for this alone, which a build server can hold: `ssh-keygen -t ed25519 -N '' -f KEY`"
                .to_owned()
        };
        let key = signature::open(path, &elsewhere)?;
        match Attester::of(key.public_key().clone(), String::new()) {
            Some(public) => Ok(Self { key, public }),
            None => {
                let why = format!("it is an {} key, and not ed25519", key.algorithm());
                Err(signature::unreadable(path, &why, &elsewhere))
            }
        }
    }

    /// The half that others check with.
    pub fn public(&self) -> &Attester {
        &self.public
    }

    /// The signature over what an envelope of this type holds.
    pub fn sign(&self, kind: &str, payload: &[u8]) -> Result<Vec<u8>, EngineError> {
        let signed = self.key.try_sign(&encoded(kind, payload));
        let signed = signed.map_err(|error| {
            let what = format!("the key could not sign: {error}");
            EngineError::bug("key_unreadable", what, "please report it")
        })?;
        Ok(signed.as_bytes().to_vec())
    }
}

impl Attester {
    fn of(key: PublicKey, who: String) -> Option<Self> {
        let raw = key.key_data().ed25519()?.0;
        let hex: String = raw.iter().map(|byte| format!("{byte:02x}")).collect();
        // Canonical JSON of the key: members sorted, no blanks.
        let named =
            format!(r#"{{"keytype":"ed25519","keyval":{{"public":"{hex}"}},"scheme":"ed25519"}}"#);
        Some(Self {
            who,
            fingerprint: key.fingerprint(HashAlg::Sha256).to_string(),
            keyid: store::sha256_hex(named.as_bytes()),
            key,
        })
    }

    /// The key of a file such as `id_ed25519.pub`.
    pub fn read(path: &Path) -> Result<Self, EngineError> {
        let refuse = |why: String| {
            EngineError::user(
                "key_unreadable",
                format!("cannot check with {}: {why}", path.display()),
                "give the public half of an ed25519 key, as `ssh-keygen` writes it to KEY.pub",
            )
        };
        let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
        let key = PublicKey::from_openssh(text.trim());
        let key = key.map_err(|error| refuse(format!("it is no OpenSSH public key ({error})")))?;
        let kind = key.algorithm();
        Self::of(key, String::new())
            .ok_or_else(|| refuse(format!("it is an {kind} key, and not ed25519")))
    }

    /// Is this its signature over what an envelope of this type holds?
    pub fn signed(&self, kind: &str, payload: &[u8], signature: &[u8]) -> bool {
        let signature = Signature::new(Algorithm::Ed25519, signature);
        signature.is_ok_and(|signature| {
            let said = encoded(kind, payload);
            self.key.key_data().verify(&said, &signature).is_ok()
        })
    }
}

/// Everybody on the approvers file whose key could vouch at this time.
pub fn attesters(approvers: &str, at: Time) -> Result<Vec<Attester>, EngineError> {
    let allowed = allowed::parse(approvers)?;
    let may = allowed.lines.into_iter();
    let may = may.filter(|line| signature::limited(line, ATTESTING, at).is_none());
    Ok(may
        .filter_map(|line| Attester::of(line.key, line.principal))
        .collect())
}

/// The bytes that are signed: DSSE's encoding, in which no member can pose as another.
fn encoded(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_standard() {
        // The example of the DSSE protocol.
        let said = encoded("http://example.com/HelloWorld", b"hello world");
        assert_eq!(
            said,
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn a_key_has_the_name_that_securesystemslib_gives_it() {
        let line =
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f";
        let key = PublicKey::from_openssh(line).unwrap();
        let key = Attester::of(key, String::new()).unwrap();
        assert_eq!(
            key.keyid,
            "b5b3929e2eb1cd5fb401e8d8dd00a903bfac256d06eae9cc38a51d344e14583f"
        );
    }
}
