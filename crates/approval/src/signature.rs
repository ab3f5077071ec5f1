//! Signing a decision, and judging a signature. It refuses keys it cannot check, signatures made
//! for something else, and hardware signatures without a touch: there, nobody was present.

use super::allowed::{self, Line};
use super::passkey::{self, Passkey};
use super::{NAMESPACE, SIGNED, Words, message};
use kernel::Time;
use ssh_key::public::KeyData;
use ssh_key::{Algorithm, EcdsaCurve, HashAlg, LineEnding, PrivateKey, PublicKey, SshSig};
use std::path::Path;
use workspace::error::EngineError;

const CHECKED: &str = "ed25519 and ecdsa-p256 keys, in files or in hardware (sk)";

/// Whose signature it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    /// As the approvers file calls them.
    pub principal: String,
    /// `SHA256:...`, as `ssh-keygen -l` prints it.
    pub fingerprint: String,
    /// Did a passkey sign, in a browser?
    pub passkey: bool,
    /// Does the key want a touch: a passkey's, or one in hardware?
    pub touch: bool,
}

impl Signer {
    /// The channel of what they signed, for the record.
    pub fn channel(&self) -> String {
        let how = if self.passkey { " (passkey)" } else { "" };
        format!("{SIGNED} {}{how}", self.fingerprint)
    }
}

/// The way for keys that only ssh-keygen can use.
pub(super) fn sign_elsewhere(key: &str) -> String {
    format!(
        "write the words to a file with `--message > FILE`, sign them with \
         `ssh-keygen -Y sign -n {NAMESPACE} -f {key} FILE`, and give `--signature FILE.sig`"
    )
}

/// Signs with an unencrypted key file. Returns the armored signature.
///
/// Encrypted keys, keys in an agent and keys in hardware need their owner or their device: for
/// those the error names the way through `ssh-keygen`.
pub fn sign_with_key_file(path: &Path, words: &Words) -> Result<String, EngineError> {
    let key = open(path, &sign_elsewhere)?;
    key.sign(NAMESPACE, HashAlg::Sha512, &message(words))
        .and_then(|signature| signature.to_pem(LineEnding::LF))
        .map_err(|error| {
            let why = format!("{} keys do not work here ({error})", key.algorithm());
            unreadable(path, &why, &sign_elsewhere)
        })
}

/// Opens an unencrypted key file that is its owner's alone; `elsewhere` says what to do with another one.
pub(super) fn open(
    path: &Path,
    elsewhere: &dyn Fn(&str) -> String,
) -> Result<PrivateKey, EngineError> {
    let refuse = |why: &str| unreadable(path, why, elsewhere);
    let bytes = std::fs::read(path).map_err(|error| {
        EngineError::user(
            "key_unreadable",
            format!("could not read the key {}: {error}", path.display()),
            "give the path of your private key, for example --sign ~/.ssh/id_ed25519",
        )
    })?;
    if looks_public(&bytes) {
        return Err(refuse(
            "it is a public key, so the private one is elsewhere (an agent, a device, or the \
             same path without .pub)",
        ));
    }
    refuse_open_key(path)?;
    let key = PrivateKey::from_openssh(&bytes)
        .map_err(|error| refuse(&format!("it is not an OpenSSH private key ({error})")))?;
    match key.is_encrypted() {
        true => Err(refuse("it is encrypted with a passphrase")),
        false => Ok(key),
    }
}

pub(super) fn unreadable(
    path: &Path,
    why: &str,
    elsewhere: &dyn Fn(&str) -> String,
) -> EngineError {
    let shown = path.display().to_string();
    EngineError::user(
        "key_unreadable",
        format!("cannot sign with {shown}: {why}"),
        elsewhere(&shown),
    )
}

fn looks_public(bytes: &[u8]) -> bool {
    ["ssh-", "ecdsa-", "sk-"]
        .iter()
        .any(|start| bytes.starts_with(start.as_bytes()))
}

/// What OpenSSH refuses too: a key that others on the machine can read signs for nobody.
fn refuse_open_key(path: &Path) -> Result<(), EngineError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)
        .map_err(EngineError::io("look at the key", path))?
        .permissions()
        .mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(EngineError::user(
        "key_unreadable",
        format!(
            "the key {} is open to others (mode {:04o}), so its signature proves nobody",
            path.display(),
            mode & 0o7777
        ),
        format!("chmod 600 {}", path.display()),
    ))
}

/// Whose signature over these words this is, by the approvers file as it reads `now`.
pub fn verify(
    approvers_text: &str,
    pem: &str,
    words: &Words,
    now: Time,
) -> Result<Signer, EngineError> {
    let allowed = allowed::parse(approvers_text)?;
    let signature = Made::read(pem)?;
    let key = signature.key();
    let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
    let mut why_not = Vec::new();
    let mut holder = None;
    for line in &allowed.lines {
        if line.key.key_data() != key {
            continue;
        }
        match limited(line, NAMESPACE, now) {
            None => {
                holder = Some(line);
                break;
            }
            Some(why) => why_not.push(format!("line {}, {}: {why}", line.number, line.principal)),
        }
    }
    let Some(line) = holder else {
        why_not.extend(allowed.notes);
        let reasons = match why_not.as_slice() {
            [] => String::new(),
            reasons => format!(" ({})", reasons.join("; ")),
        };
        return Err(EngineError::user(
            "signer_unknown",
            format!(
                "the key {fingerprint} may not decide: the list of approvers does not have it{reasons}"
            ),
            "sign with a key that is listed and valid; or, if you may, list this one",
        ));
    };
    match &signature {
        Made::Plain(signature) => checks_out(line, signature, words)?,
        Made::Passkey(passkey) => {
            if let Some(why) = passkey::objection(passkey, &line.comment, words) {
                return Err(invalid(
                    format!("the passkey of {}: {why}", line.principal),
                    "answer again on the page that `proofhouse serve --decide` shows".to_owned(),
                ));
            }
        }
    }
    Ok(Signer {
        principal: line.principal.clone(),
        fingerprint,
        passkey: matches!(signature, Made::Passkey(_)),
        touch: wants_touch(signature.key()),
    })
}

/// Is anybody listed whose key wants a touch? What lies in a file, a program can use.
pub fn touched(approvers: &str) -> Result<bool, EngineError> {
    let lines = allowed::parse(approvers)?.lines;
    Ok(lines.iter().any(|line| wants_touch(line.key.key_data())))
}

fn wants_touch(key: &KeyData) -> bool {
    matches!(key, KeyData::SkEd25519(_) | KeyData::SkEcdsaSha2NistP256(_))
}

/// The fingerprint of the key that signed these words, where nobody says whose key it is.
pub fn signed_by(pem: &str, words: &Words) -> Result<String, EngineError> {
    let signature = read(pem)?;
    let key = PublicKey::from(signature.public_key().clone());
    let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
    judged(&fingerprint, &key, &signature, words)?;
    Ok(fingerprint)
}

/// A signature, of a key or of a passkey.
enum Made {
    Plain(Box<SshSig>),
    Passkey(Box<Passkey>),
}

impl Made {
    fn read(pem: &str) -> Result<Self, EngineError> {
        match passkey::read(pem) {
            None => Ok(Made::Plain(Box::new(read(pem)?))),
            Some(Ok(passkey)) => Ok(Made::Passkey(Box::new(passkey))),
            Some(Err(why)) => Err(invalid(
                format!("this is not an SSH signature: {why}"),
                "answer again on the page that `proofhouse serve --decide` shows".to_owned(),
            )),
        }
    }

    fn key(&self) -> &KeyData {
        match self {
            Made::Plain(signature) => signature.public_key(),
            Made::Passkey(passkey) => passkey.key.key_data(),
        }
    }
}

/// Reads a signature, and nothing that only resembles one: what it says must be written in the one way
/// in which `ssh-keygen` writes it, with nothing before, behind or between.
fn read(pem: &str) -> Result<SshSig, EngineError> {
    let refuse = |why: String| {
        invalid(
            format!("this is not an SSH signature: {why}"),
            "give the file that ssh-keygen wrote, from BEGIN SSH SIGNATURE to END".to_owned(),
        )
    };
    let signature = SshSig::from_pem(pem.trim()).map_err(|error| refuse(error.to_string()))?;
    let again = signature.to_pem(LineEnding::LF);
    let again = again.map_err(|error| refuse(error.to_string()))?;
    // Lines may be broken elsewhere, as mail programs do.
    let letters = |text: &str| -> Vec<u8> {
        let all = text.bytes();
        all.filter(|byte| !byte.is_ascii_whitespace()).collect()
    };
    if letters(pem) != letters(&again) {
        return Err(refuse("there is more in it than a signature".to_owned()));
    }
    match (signature.version(), signature.reserved()) {
        (SshSig::VERSION, []) => Ok(signature),
        _ => Err(refuse("its form is another than ours".to_owned())),
    }
}

/// Why a key may not sign now, in words.
pub(super) fn limited(line: &Line, namespace: &str, now: Time) -> Option<String> {
    let seconds = now.0 / 1_000;
    let when = |seconds: u64| Time(seconds.saturating_mul(1_000));
    let options = &line.options;
    match &options.namespaces {
        Some(list) if !allowed::in_pattern_list(list, namespace) => {
            return Some(format!("its namespaces=\"{list}\" do not hold {namespace}"));
        }
        _ => {}
    }
    match (options.valid_after, options.valid_before) {
        (Some(after), _) if seconds < after => Some(format!("valid only after {}", when(after))),
        (_, Some(before)) if seconds > before => Some(format!("valid only until {}", when(before))),
        _ => None,
    }
}

fn checks_out(line: &Line, signature: &SshSig, words: &Words) -> Result<(), EngineError> {
    judged(&line.principal, &line.key, signature, words)
}

fn judged(
    who: &str,
    key: &PublicKey,
    signature: &SshSig,
    words: &Words,
) -> Result<(), EngineError> {
    let again = || {
        format!(
            "sign again what is decided now: the journal's last record is {}, and option and \
             reason must be the same to the letter",
            words.seq
        )
    };
    let algorithm = key.algorithm();
    match algorithm {
        Algorithm::Ed25519
        | Algorithm::SkEd25519
        | Algorithm::SkEcdsaSha2NistP256
        | Algorithm::Ecdsa {
            curve: EcdsaCurve::NistP256,
        } => {}
        _ => {
            return Err(invalid(
                format!("the key of {who} is {algorithm}, which this program cannot check"),
                format!("use another key; checked are {CHECKED}"),
            ));
        }
    }
    if signature.namespace() != NAMESPACE {
        return Err(invalid(
            format!(
                "{who} signed this for `{}`, not for `{NAMESPACE}`",
                signature.namespace().escape_debug()
            ),
            format!("sign with `ssh-keygen -Y sign -n {NAMESPACE}`, or with `--sign KEY`"),
        ));
    }
    key.verify(NAMESPACE, &message(words), signature)
        .map_err(|_| {
            invalid(
                format!("{who} did not sign these words: another run, step, option or reason"),
                again(),
            )
        })?;
    if untouched(signature) {
        return Err(invalid(
            format!("the security key of {who} signed without being touched"),
            "make a key that wants a touch (without -O no-touch-required)".to_owned(),
        ));
    }
    Ok(())
}

/// A security key says in its signature's flags, which it signs too, whether somebody touched it.
fn untouched(signature: &SshSig) -> bool {
    const TRAILER: usize = 5; // one byte of flags, four of counter
    const USER_PRESENT: u8 = 1;
    match signature.algorithm() {
        Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256 => {
            let bytes = signature.signature_bytes();
            let flags = bytes.len().checked_sub(TRAILER).map(|at| bytes[at]);
            flags.is_none_or(|flags| flags & USER_PRESENT == 0)
        }
        _ => false,
    }
}

fn invalid(what: String, mend: String) -> EngineError {
    EngineError::user("signature_invalid", what, mend)
}
