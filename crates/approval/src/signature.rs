//! Signing a decision, and judging a signature. It refuses keys it cannot check, signatures made
//! for something else, and hardware signatures without a touch: there, nobody was present.

use super::allowed::{self, Line};
use super::enrolled;
use super::passkey::{self, Passkey};
use super::{NAMESPACE, SIGNED, Words, message};
use base64ct::{Base64, Encoding};
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
        match undecided(line, now) {
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
    let page = enrolled::page(&line.comment).unwrap_or_default();
    signature.judged(&line.principal, page, words)?;
    Ok(Signer {
        principal: line.principal.clone(),
        fingerprint,
        passkey: matches!(signature, Made::Passkey(_)),
        touch: wants_touch(signature.key()),
    })
}

/// Why nobody who is listed could decide now with a key that wants a touch; none: somebody can. What lies in a
/// file, a program can use.
pub fn touch_missing(approvers: &str, now: Time) -> Result<Option<String>, EngineError> {
    let lines = allowed::parse(approvers)?.lines;
    let mut why_not = Vec::new();
    for line in lines.iter().filter(|line| wants_touch(line.key.key_data())) {
        match undecided(line, now) {
            None => return Ok(None),
            Some(why) => why_not.push(format!("line {}, {}: {why}", line.number, line.principal)),
        }
    }
    Ok(Some(match why_not.as_slice() {
        [] => "only key files are listed, which a guest may be able to read".to_owned(),
        reasons => format!(
            "nobody whose key wants a touch may decide now ({})",
            reasons.join("; ")
        ),
    }))
}

fn wants_touch(key: &KeyData) -> bool {
    matches!(key, KeyData::SkEd25519(_) | KeyData::SkEcdsaSha2NistP256(_))
}

/// The fingerprint of the key that signed these words, where nobody says whose key it is, nor which page it was
/// enrolled at if it is a passkey.
pub fn signed_by(pem: &str, words: &Words) -> Result<String, EngineError> {
    let signature = Made::read(pem)?;
    let fingerprint = signature.key().fingerprint(HashAlg::Sha256).to_string();
    let page = match &signature {
        Made::Plain(_) => String::new(),
        Made::Passkey(passkey) => passkey.said_page(),
    };
    signature.judged(&fingerprint, &page, words)?;
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

    /// Does it hold for these words? `page` is the one that a passkey must have been asked by.
    fn judged(&self, who: &str, page: &str, words: &Words) -> Result<(), EngineError> {
        match self {
            Made::Plain(signature) => judged(who, signature, words),
            Made::Passkey(passkey) => match passkey::objection(passkey, page, words) {
                None => Ok(()),
                Some(why) => Err(invalid(
                    format!("the passkey of {who}: {why}"),
                    "answer again on the page that `proofhouse serve --decide` shows".to_owned(),
                )),
            },
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
    let again = written(&signature).map_err(|error| refuse(error.to_string()))?;
    let inside = pem.trim().strip_prefix(passkey::BEGIN);
    let inside = inside.and_then(|text| text.strip_suffix(passkey::END));
    // Lines may be broken elsewhere, as mail programs do.
    let letters: Option<String> =
        inside.map(|text| text.split_ascii_whitespace().collect::<String>());
    if letters.as_deref() != Some(Base64::encode_string(&again).as_str()) {
        return Err(refuse("there is more in it than a signature".to_owned()));
    }
    match (signature.version(), signature.reserved()) {
        (SshSig::VERSION, []) => Ok(signature),
        _ => Err(refuse("its form is another than ours".to_owned())),
    }
}

/// The bytes in which OpenSSH writes it. Not left to `ssh_key`, which puts the flags and the counter of an
/// `sk-ecdsa` key inside of the signature, where nobody else has them.
fn written(signature: &SshSig) -> Result<Vec<u8>, ssh_key::Error> {
    let algorithm = signature.algorithm();
    let bytes = signature.signature_bytes();
    let trailer = match is_of_hardware(&algorithm) {
        true => TRAILER,
        false => 0,
    };
    let (scalars, trailer) = bytes.split_at(bytes.len().saturating_sub(trailer));
    let mut body = Vec::new();
    passkey::put(&mut body, algorithm.as_str().as_bytes());
    passkey::put(&mut body, scalars);
    body.extend_from_slice(trailer);
    let mut all = passkey::MAGIC.to_vec();
    all.extend_from_slice(&signature.version().to_be_bytes());
    let key = PublicKey::from(signature.public_key().clone()).to_bytes()?;
    for part in [
        &key[..],
        signature.namespace().as_bytes(),
        signature.reserved(),
        signature.hash_alg().as_str().as_bytes(),
        &body,
    ] {
        passkey::put(&mut all, part);
    }
    Ok(all)
}

fn is_of_hardware(algorithm: &Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256
    )
}

/// Why nothing that this line's key signs is a decision now, in words.
fn undecided(line: &Line, now: Time) -> Option<String> {
    limited(line, NAMESPACE, now).or_else(|| enrolled::pageless(line.key.key_data(), &line.comment))
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

fn judged(who: &str, signature: &SshSig, words: &Words) -> Result<(), EngineError> {
    let key = PublicKey::from(signature.public_key().clone());
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
    if signature.algorithm() != algorithm {
        // Under another name flags and counter would be no flags and counter, and a touch not asked for.
        let of = signature.algorithm();
        return Err(invalid(
            format!("the key of {who} is {algorithm}, and the signature says that it is of {of}"),
            again(),
        ));
    }
    if enrolled::is_one(key.key_data()) {
        // A program that asks the device itself needs no PIN and no page.
        return Err(invalid(
            format!("the key of {who} is a passkey, and this was not signed in a browser"),
            "answer on the page that `proofhouse serve --decide` shows".to_owned(),
        ));
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

/// Behind the signature of a security key: one byte of flags, four of counter.
const TRAILER: usize = 5;

/// A security key says in its signature's flags, which it signs too, whether somebody touched it.
fn untouched(signature: &SshSig) -> bool {
    const USER_PRESENT: u8 = 1;
    let bytes = signature.signature_bytes();
    let flags = bytes.len().checked_sub(TRAILER).map(|at| bytes[at]);
    is_of_hardware(&signature.algorithm()) && flags.is_none_or(|flags| flags & USER_PRESENT == 0)
}

fn invalid(what: String, mend: String) -> EngineError {
    EngineError::user("signature_invalid", what, mend)
}
