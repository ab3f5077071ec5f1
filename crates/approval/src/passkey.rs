//! A passkey's answer as an SSH signature, in the form that OpenSSH has for it, so that stock `ssh-keygen -Y
//! verify` checks it as well as we do. It refuses an answer that was given to another page, that nobody was
//! there for, or whose owner did not show who they are.

pub use super::enrolled::HOME;
use super::enrolled::{PAGE, is_one, page};
use super::{NAMESPACE, Words, message};
use base64ct::{Base64, Base64UrlUnpadded, Encoding};
use p256::ecdsa::signature::Verifier;
use p256::ecdsa::{Signature, VerifyingKey};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;
use sha2::{Digest, Sha256, Sha512};
use ssh_key::PublicKey;
use ssh_key::public::{KeyData, SkEcdsaSha2NistP256};
use std::collections::BTreeMap;

/// What OpenSSH calls the signature; the key itself is an ordinary `sk-ecdsa` one.
const ALGORITHM: &[u8] = b"webauthn-sk-ecdsa-sha2-nistp256@openssh.com";
const KEY: &str = "sk-ecdsa-sha2-nistp256@openssh.com";
pub(super) const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
pub(super) const END: &str = "-----END SSH SIGNATURE-----";
pub(super) const MAGIC: &[u8] = b"SSHSIG";
const HASH: &[u8] = b"sha512";
/// Longer than any that a browser makes.
const LONGEST: usize = 16 * 1024;

const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const ATTESTED: u8 = 0x40;
const EXTENDED: u8 = 0x80;

/// What an authenticator answered, as a browser hands it on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    pub authenticator_data: Vec<u8>,
    pub client_data: Vec<u8>,
    /// In DER, as WebAuthn has it.
    pub signature: Vec<u8>,
}

/// The bytes that an authenticator is asked to sign for these words.
pub fn challenge(words: &Words<'_>) -> Vec<u8> {
    to_sign(&message(words))
}

/// The same for words that a command printed.
pub fn to_sign(message: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    put(&mut bytes, NAMESPACE.as_bytes());
    put(&mut bytes, b"");
    put(&mut bytes, HASH);
    put(&mut bytes, &Sha512::digest(message));
    bytes
}

/// The line of the approvers file for a passkey with this point on the curve, enrolled at this page.
pub fn line(name: &str, point: &[u8], origin: &str) -> Result<String, String> {
    // It stands in a command that people paste, and in records for good: no patterns, no quotes, nothing unseen.
    let plain = |c: char| c.is_ascii_alphanumeric() || "@._+-".contains(c);
    if name.is_empty() || name.starts_with('-') || !name.chars().all(plain) {
        return Err("a name has letters, digits and @ . _ + - alone".to_owned());
    }
    VerifyingKey::from_sec1_bytes(point)
        .map_err(|_| "this is no key on the curve P-256".to_owned())?;
    let mut blob = Vec::new();
    for part in [KEY.as_bytes(), b"nistp256", point, HOME.as_bytes()] {
        put(&mut blob, part);
    }
    let line = format!("{name} {KEY} {} {origin}", Base64::encode_string(&blob));
    super::allowed::parse(&line).map_err(|error| error.what)?;
    Ok(line)
}

/// The pages at which the passkeys were enrolled that the approvers file lists.
pub fn enrolled_at(approvers: &str) -> Vec<String> {
    let Ok(allowed) = super::allowed::parse(approvers) else {
        return Vec::new();
    };
    let lines = allowed
        .lines
        .into_iter()
        .filter(|line| is_one(line.key.key_data()));
    lines
        .filter_map(|line| page(&line.comment).ok().map(str::to_owned))
        .collect()
}

/// The answer as a signature, by whichever of these keys made it.
pub fn armored(approvers: &str, assertion: &Assertion, origin: &str) -> Result<String, String> {
    let data = &assertion.authenticator_data;
    let (Some(flags), Some(counter)) = (data.get(32), data.get(33..37)) else {
        return Err("the authenticator's data is too short".to_owned());
    };
    let signature = Signature::from_der(&assertion.signature);
    let signature =
        signature.map_err(|_| "the authenticator's signature cannot be read".to_owned())?;
    let mut pair = Vec::new();
    let (r, s) = signature.split_bytes();
    for number in [&r[..], &s[..]] {
        put(&mut pair, &mpint(number));
    }
    let mut body = Vec::new();
    put(&mut body, ALGORITHM);
    put(&mut body, &pair);
    body.push(*flags);
    body.extend_from_slice(counter);
    put(&mut body, origin.as_bytes());
    put(&mut body, &assertion.client_data);
    put(&mut body, &data[37..]);
    let allowed = super::allowed::parse(approvers).map_err(|error| error.what)?;
    let keys = allowed
        .lines
        .iter()
        .filter_map(|line| match line.key.key_data() {
            KeyData::SkEcdsaSha2NistP256(key) => Some(key),
            _ => None,
        });
    for key in keys {
        let parts = read_body(&body)?;
        if parts.fits(key) {
            return Ok(armor(key, &body));
        }
    }
    Err("no passkey that .proofhouse/approvers lists has made this".to_owned())
}

fn armor(key: &SkEcdsaSha2NistP256, body: &[u8]) -> String {
    let mut blob = Vec::new();
    for part in [
        KEY.as_bytes(),
        b"nistp256",
        key.ec_point().as_bytes(),
        key.application().as_bytes(),
    ] {
        put(&mut blob, part);
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&1u32.to_be_bytes());
    for part in [&blob[..], NAMESPACE.as_bytes(), b"", HASH, body] {
        put(&mut bytes, part);
    }
    let text = Base64::encode_string(&bytes);
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(70)
        .map(|line| std::str::from_utf8(line).unwrap_or_default())
        .collect();
    format!("{BEGIN}\n{}\n{END}\n", lines.join("\n"))
}

/// A signature of a passkey, read.
pub(super) struct Passkey {
    pub(super) key: PublicKey,
    namespace: Vec<u8>,
    hash: Vec<u8>,
    body: Body,
}

struct Body {
    signature: Signature,
    flags: u8,
    counter: [u8; 4],
    origin: Vec<u8>,
    client_data: Vec<u8>,
    extensions: Vec<u8>,
}

/// Reads a signature; none: it is no passkey's, and somebody else's to read.
pub(super) fn read(pem: &str) -> Option<Result<Passkey, String>> {
    let inside = pem.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let letters: String = inside.split_ascii_whitespace().collect();
    let bytes = Base64::decode_vec(&letters).ok()?;
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let version = take(&mut rest, 4)?;
    let parts: Vec<&[u8]> = (0..5).map_while(|_| string(&mut rest)).collect();
    let [key, namespace, reserved, hash, body] = parts.as_slice() else {
        return None;
    };
    let mut first = *body;
    if string(&mut first)? != ALGORITHM {
        return None;
    }
    let whole =
        rest.is_empty() && bytes.len() <= LONGEST && reserved.is_empty() && version == [0, 0, 0, 1];
    if !whole {
        return Some(Err("there is more in it than a signature".to_owned()));
    }
    let key =
        PublicKey::from_bytes(key).map_err(|error| format!("its key cannot be read: {error}"));
    Some(key.and_then(|key| {
        Ok(Passkey {
            key,
            namespace: namespace.to_vec(),
            hash: hash.to_vec(),
            body: read_body(body)?,
        })
    }))
}

fn read_body(mut rest: &[u8]) -> Result<Body, String> {
    let parts = |rest: &mut &[u8]| {
        let _ = string(rest)?;
        let mut pair = string(rest)?;
        let (r, s) = (string(&mut pair)?, string(&mut pair)?);
        let signature = Signature::from_scalars(scalar(r)?, scalar(s)?).ok()?;
        let flags = take(rest, 1)?[0];
        let counter = take(rest, 4)?.try_into().ok()?;
        let (origin, client_data, extensions) = (string(rest)?, string(rest)?, string(rest)?);
        (rest.is_empty() && pair.is_empty()).then(|| Body {
            signature,
            flags,
            counter,
            origin: origin.to_vec(),
            client_data: client_data.to_vec(),
            extensions: extensions.to_vec(),
        })
    };
    parts(&mut rest).ok_or_else(|| "it is no signature of a passkey".to_owned())
}

impl Body {
    /// Did this key sign what the browser and the authenticator say?
    fn fits(&self, key: &SkEcdsaSha2NistP256) -> bool {
        let mut signed = Sha256::digest(key.application().as_bytes()).to_vec();
        signed.push(self.flags);
        signed.extend_from_slice(&self.counter);
        signed.extend_from_slice(&self.extensions);
        signed.extend_from_slice(&Sha256::digest(&self.client_data));
        let point = VerifyingKey::from_sec1_bytes(key.ec_point().as_bytes());
        point.is_ok_and(|point| point.verify(&signed, &self.signature).is_ok())
    }
}

impl Passkey {
    /// The page that it says to have been given to. Nobody vouches for that but the list of approvers.
    pub(super) fn said_page(&self) -> String {
        String::from_utf8_lossy(&self.body.origin).into_owned()
    }
}

/// Why a passkey's signature over these words does not hold; `origin` is the page that it was enrolled at.
pub(super) fn objection(passkey: &Passkey, origin: &str, words: &Words<'_>) -> Option<String> {
    let body = &passkey.body;
    let KeyData::SkEcdsaSha2NistP256(key) = passkey.key.key_data() else {
        return Some("its key is no passkey".to_owned());
    };
    if passkey.namespace != NAMESPACE.as_bytes() || passkey.hash != HASH {
        return Some(format!("it was made for something else than `{NAMESPACE}`"));
    }
    if key.application() != HOME {
        return Some(format!(
            "its key belongs to `{}`",
            key.application().escape_debug()
        ));
    }
    if !origin.starts_with(PAGE) || body.origin != origin.as_bytes() {
        let at = String::from_utf8_lossy(&body.origin);
        return Some(format!(
            "it was given to the page {}, and the key was enrolled at {}",
            at.escape_debug(),
            origin.escape_debug()
        ));
    }
    // The browser's own words must begin so, to the letter: type, challenge, origin.
    let asked = Base64UrlUnpadded::encode_string(&challenge(words));
    let begins =
        format!("{{\"type\":\"webauthn.get\",\"challenge\":\"{asked}\",\"origin\":\"{origin}\"");
    let client = body.client_data.strip_prefix(begins.as_bytes());
    let Some(after) = client else {
        return Some("these words were not signed: another run, step, option or reason".to_owned());
    };
    if !after.starts_with(b",") && after != b"}" {
        return Some("what the browser says cannot be read".to_owned());
    }
    if let Some(why) = client_objection(&body.client_data) {
        return Some(why);
    }
    let flags = body.flags;
    if flags & ATTESTED != 0 || (flags & EXTENDED == 0) != body.extensions.is_empty() {
        return Some("the authenticator's data contradicts itself".to_owned());
    }
    if flags & PRESENT == 0 {
        return Some("the passkey signed without being touched".to_owned());
    }
    if flags & VERIFIED == 0 {
        return Some("its owner did not show who they are (PIN, finger or face)".to_owned());
    }
    (!body.fits(key)).then(|| "the signature is not of this key".to_owned())
}

/// What a browser says of the page that asked. Members that are not known may be there: browsers add some.
fn client_objection(client_data: &[u8]) -> Option<String> {
    let members = match serde_json::from_slice::<Members>(client_data) {
        Ok(Members(members)) => members,
        Err(error) => return Some(format!("what the browser says cannot be read: {error}")),
    };
    let alone = match members.get("crossOrigin") {
        None | Some(Value::Bool(false)) => !members.contains_key("topOrigin"),
        Some(_) => false,
    };
    (!alone).then(|| "it was given inside of another page".to_owned())
}

/// The members of an object, each of them once: of two, every reader could believe another one.
struct Members(BTreeMap<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Once)
    }
}

struct Once;

impl<'de> Visitor<'de> for Once {
    type Value = Members;

    fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is there twice"));
            }
        }
        Ok(Members(members))
    }
}

pub(super) fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(part);
}

fn take<'a>(rest: &mut &'a [u8], many: usize) -> Option<&'a [u8]> {
    let (part, after) = rest.split_at_checked(many)?;
    *rest = after;
    Some(part)
}

fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take(rest, 4)?;
    let length = u32::from_be_bytes(length.try_into().ok()?);
    take(rest, usize::try_from(length).ok()?)
}

/// A number as SSH has it: the shortest way, and never negative.
fn mpint(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let number = &number[zeros..];
    let sign = number.first().is_some_and(|first| first & 0x80 != 0);
    sign.then_some(0)
        .into_iter()
        .chain(number.iter().copied())
        .collect()
}

/// The other way round; only what [`mpint`] would write.
fn scalar(text: &[u8]) -> Option<[u8; 32]> {
    let zeros = text.iter().take_while(|byte| **byte == 0).count();
    let bare = &text[zeros..];
    let mut number = [0; 32];
    number
        .get_mut(32usize.checked_sub(bare.len())?..)?
        .copy_from_slice(bare);
    (mpint(&number) == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::Time;
    use p256::ecdsa::SigningKey;
    use p256::ecdsa::signature::Signer;

    const ORIGIN: &str = "http://localhost:7766";

    fn words() -> Words<'static> {
        Words {
            run: "t",
            seq: 7,
            head: "abc",
            tree: "",
            option: "approve",
            because: "looked at it",
        }
    }

    fn key() -> SigningKey {
        SigningKey::from_slice(&[7; 32]).unwrap()
    }

    fn approvers() -> String {
        let point = key().verifying_key().to_encoded_point(false);
        line("ann@example.org", point.as_bytes(), ORIGIN).unwrap()
    }

    struct Said {
        words: Words<'static>,
        origin: &'static str,
        flags: u8,
        more: &'static str,
    }

    const HONEST: u8 = PRESENT | VERIFIED;

    fn said() -> Said {
        Said {
            words: words(),
            origin: ORIGIN,
            flags: HONEST,
            more: ",\"crossOrigin\":false",
        }
    }

    /// What a browser and an authenticator make of it.
    fn answered(said: &Said) -> Assertion {
        let asked = Base64UrlUnpadded::encode_string(&challenge(&said.words));
        let client_data = format!(
            "{{\"type\":\"webauthn.get\",\"challenge\":\"{asked}\",\"origin\":\"{}\"{}}}",
            said.origin, said.more
        );
        let mut data = Sha256::digest(HOME.as_bytes()).to_vec();
        data.push(said.flags);
        data.extend_from_slice(&9u32.to_be_bytes());
        let mut signed = data.clone();
        signed.extend_from_slice(&Sha256::digest(client_data.as_bytes()));
        let signature: Signature = key().sign(&signed);
        Assertion {
            authenticator_data: data,
            client_data: client_data.into_bytes(),
            signature: signature.to_der().as_bytes().to_vec(),
        }
    }

    fn judged(said: &Said) -> Result<String, String> {
        let pem = armored(&approvers(), &answered(said), said.origin)?;
        let signer = crate::verify(&approvers(), &pem, &words(), Time(0));
        signer.map(|one| one.principal).map_err(|error| error.what)
    }

    #[test]
    fn a_passkey_signs_these_words_and_no_others() {
        assert_eq!(judged(&said()).unwrap(), "ann@example.org");
        let other = |change: &dyn Fn(&mut Said)| {
            let mut one = said();
            change(&mut one);
            judged(&one).unwrap_err()
        };
        for (change, why) in [
            (
                &(|one: &mut Said| one.words.option = "stop") as &dyn Fn(&mut Said),
                "not signed",
            ),
            (&|one| one.words.seq = 8, "not signed"),
            (&|one| one.words.because = "looked", "not signed"),
            (
                &|one| one.origin = "http://localhost:9999",
                "was given to the page",
            ),
            (
                &|one| one.origin = "https://evil.example",
                "was given to the page",
            ),
            (&|one| one.flags = VERIFIED, "touched"),
            (&|one| one.flags = PRESENT, "who they are"),
            (&|one| one.flags = HONEST | ATTESTED, "contradicts"),
        ] {
            let said = other(change);
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn what_the_browser_says_is_said_once_and_of_a_page_that_stands_alone() {
        let with = |more: &'static str| {
            let mut one = said();
            one.more = more;
            judged(&one)
        };
        for honest in [
            "",
            ",\"crossOrigin\":false",
            ",\"crossOrigin\":false,\"other_keys_can_be_added_here\":\"see goo.gl\"",
        ] {
            assert_eq!(with(honest).unwrap(), "ann@example.org", "{honest}");
        }
        for framed in [
            ",\"crossOrigin\":true",
            ",\"crossOrigin\":\"true\"",
            ",\"crossOrigin\":\"false\"",
            ",\"crossOrigin\":0",
            ",\"crossOrigin\":null",
            ",\"crossOrigin\":false,\"topOrigin\":\"https://evil.example\"",
            ",\"topOrigin\":\"https://evil.example\"",
        ] {
            let why = with(framed).unwrap_err();
            assert!(why.contains("inside of another page"), "{framed}: {why}");
        }
        for twice in [
            ",\"crossOrigin\":true,\"crossOrigin\":false",
            ",\"crossOrigin\":true,\"cross\\u004frigin\":false",
            ",\"type\":\"webauthn.create\"",
            ",\"origin\":\"https://evil.example\"",
            ",\"x\":1,\"x\":1",
        ] {
            let why = with(twice).unwrap_err();
            assert!(why.contains("twice"), "{twice}: {why}");
        }
        assert!(with("} {").unwrap_err().contains("cannot be read"));
    }

    /// People write beside the address what they like, such as which device it is.
    #[test]
    fn the_page_is_one_of_the_words_behind_the_key() {
        let pem = armored(&approvers(), &answered(&said()), ORIGIN).unwrap();
        let bare = approvers().replace(ORIGIN, "");
        let judged = |comment: &str| {
            let line = format!("{}{comment}", bare);
            (
                crate::verify(&line, &pem, &words(), Time(0)),
                crate::listed_in_line(&line),
            )
        };
        for comment in [
            format!("laptop {ORIGIN}"),
            format!("{ORIGIN} my laptop"),
            format!("the \t{ORIGIN}  at home"),
        ] {
            let (signer, listed) = judged(&comment);
            assert_eq!(signer.unwrap().principal, "ann@example.org", "{comment}");
            assert_eq!(
                listed.unwrap().key,
                "passkey, enrolled at http://localhost:7766"
            );
            assert_eq!(enrolled_at(&format!("{bare}{comment}")), [ORIGIN]);
        }
        for (comment, why) in [
            (String::new(), "does not say which page"),
            ("laptop".to_owned(), "does not say which page"),
            (
                format!("{ORIGIN} http://localhost:7767"),
                "more than one page",
            ),
            (format!("{ORIGIN}/"), "more or less than its port"),
            ("http://localhost:".to_owned(), "more or less than its port"),
        ] {
            let (signer, listed) = judged(&comment);
            let error = signer.unwrap_err();
            assert_eq!(error.code, "signer_unknown");
            assert!(error.what.contains(why), "{}", error.what);
            assert!(error.what.contains("such as http://localhost:7766"));
            let error = listed.unwrap_err();
            assert_eq!(error.code, "approvers_malformed");
            assert!(error.what.contains(why), "{}", error.what);
        }
    }

    /// Where nobody's list is at hand, the signature itself says which key and which page.
    #[test]
    fn it_is_told_by_its_fingerprint_where_nobody_is_listed() {
        let sign = |said: &Said| armored(&approvers(), &answered(said), said.origin).unwrap();
        let listed = crate::listed_in(&approvers()).unwrap();
        let told = crate::signed_by(&sign(&said()), &words()).unwrap();
        assert_eq!(told, listed[0].fingerprint);
        for (change, why) in [
            (
                &(|one: &mut Said| one.words.option = "stop") as &dyn Fn(&mut Said),
                "not signed",
            ),
            (&|one| one.flags = VERIFIED, "touched"),
            (&|one| one.flags = PRESENT, "who they are"),
            (&|one| one.origin = "https://evil.example", "to the page"),
        ] {
            let mut one = said();
            change(&mut one);
            let error = crate::signed_by(&sign(&one), &words()).unwrap_err();
            assert!(error.what.contains(why), "{}", error.what);
        }
    }

    #[test]
    fn every_byte_counts() {
        let pem = armored(&approvers(), &answered(&said()), ORIGIN).unwrap();
        let inside: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let bytes = Base64::decode_vec(&inside).unwrap();
        for at in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[at] ^= 1;
            let text = format!("{BEGIN}\n{}\n{END}\n", Base64::encode_string(&bent));
            let signer = crate::verify(&approvers(), &text, &words(), Time(0));
            assert!(signer.is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_key_of_nobody_signs_nothing() {
        let stranger = SigningKey::from_slice(&[8; 32]).unwrap();
        let point = stranger.verifying_key().to_encoded_point(false);
        let others = line("bob", point.as_bytes(), ORIGIN).unwrap();
        assert!(armored(&others, &answered(&said()), ORIGIN).is_err());
        assert!(line("bob", &[4; 65], ORIGIN).is_err());
        assert!(line("", point.as_bytes(), ORIGIN).is_err());
        assert!(line("bob\nann", point.as_bytes(), ORIGIN).is_err());
    }

    /// The same signature is good for a program that is not ours.
    #[test]
    fn stock_ssh_keygen_agrees() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let pem = armored(&approvers(), &answered(&said()), ORIGIN).unwrap();
        std::fs::write(at("approvers"), approvers() + "\n").unwrap();
        std::fs::write(at("signature"), pem).unwrap();
        let verify = |option: &'static str| {
            let mut words = words();
            words.option = option;
            std::fs::write(at("words"), message(&words)).unwrap();
            let launch = [
                "-Y",
                "verify",
                "-n",
                NAMESPACE,
                "-I",
                "ann@example.org",
                "-f",
            ];
            std::process::Command::new("ssh-keygen")
                .args(launch)
                .arg(at("approvers"))
                .arg("-s")
                .arg(at("signature"))
                .stdin(std::fs::File::open(at("words")).unwrap())
                .output()
        };
        match verify("approve") {
            Err(error) => eprintln!(
                "skipped: there is no ssh-keygen here ({error}); our own reading is tested above"
            ),
            Ok(said) => {
                assert!(
                    said.status.success(),
                    "{}",
                    String::from_utf8_lossy(&said.stderr)
                );
                assert!(!verify("stop").unwrap().status.success());
            }
        }
    }
}
