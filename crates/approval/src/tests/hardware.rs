//! Signatures of `ecdsa-sk` keys, as stock `ssh-keygen -Y sign` wrote them with a security key in software
//! (`SSH_SK_PROVIDER`). They are over the words of these tests; their device counted to five.

use super::*;
use base64ct::{Base64, Encoding};
use ssh_key::public::KeyData;

const TOUCHED: (&str, &str) = (
    include_str!("sk_ecdsa/touched.pub"),
    include_str!("sk_ecdsa/touched.sig"),
);
/// Of a key that was made with `-O no-touch-required`.
const UNTOUCHED: (&str, &str) = (
    include_str!("sk_ecdsa/untouched.pub"),
    include_str!("sk_ecdsa/untouched.sig"),
);
/// Of the same key as the first, made with `-n file`.
const FOR_FILES: &str = include_str!("sk_ecdsa/for_files.sig");

fn refused(public: &str, pem: &str, words: &Words<'_>) -> String {
    let error = verify(&format!("ada {public}"), pem, words, NOW).unwrap_err();
    assert_eq!(error.code, "signature_invalid", "{}", error.what);
    error.what
}

fn bytes(pem: &str) -> Vec<u8> {
    let inside: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    Base64::decode_vec(&inside).unwrap()
}

fn armored(bytes: &[u8]) -> String {
    let text = Base64::encode_string(bytes);
    let lines = text.as_bytes().chunks(70);
    let lines: Vec<&str> = lines
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    let text = lines.join("\n");
    format!("-----BEGIN SSH SIGNATURE-----\n{text}\n-----END SSH SIGNATURE-----\n")
}

#[test]
fn what_ssh_keygen_signs_with_it_is_a_decision() {
    let (public, pem) = TOUCHED;
    let signer = verify(&format!("ada {public}"), pem, &words(), NOW).unwrap();
    assert_eq!(signer.principal, "ada");
    assert!(signer.touch && !signer.passkey);
    let fingerprint = "SHA256:rjQuXBeP5C2vU7rjPGoOssmT4gr5DhtS4qoA8P1Yq1k";
    assert_eq!(signer.fingerprint, fingerprint);
    assert_eq!(signed_by(pem, &words()).unwrap(), fingerprint);
}

#[test]
fn it_holds_for_its_words_its_purpose_and_a_touch_alone() {
    let (public, pem) = TOUCHED;
    let other = Words { seq: 42, ..words() };
    assert!(refused(public, pem, &other).contains("did not sign these words"));
    assert!(refused(public, FOR_FILES, &words()).contains("signed this for `file`"));
    let (public, pem) = UNTOUCHED;
    assert!(refused(public, pem, &words()).contains("without being touched"));
    assert!(signed_by(pem, &words()).is_err());
}

/// Under the name of another kind, its flags would be a part of a signature that nobody asks for a touch.
#[test]
fn a_signature_of_another_kind_than_its_key_is_none() {
    for (public, pem) in [UNTOUCHED, TOUCHED] {
        let made = ssh_key::SshSig::from_pem(pem).unwrap();
        let renamed = |name: &str| {
            let algorithm = ssh_key::Algorithm::new(name).unwrap();
            let bytes = made.signature_bytes().to_vec();
            let signature = ssh_key::Signature::new(algorithm, bytes).unwrap();
            let key = made.public_key().clone();
            let whole = ssh_key::SshSig::new(key, NAMESPACE, HashAlg::Sha512, signature);
            whole.unwrap().to_pem(LineEnding::LF).unwrap()
        };
        for name in ["rsa-sha2-512", "anything@example.org"] {
            let said = refused(public, &renamed(name), &words());
            assert!(said.contains("the signature says that it is of"), "{said}");
            assert!(signed_by(&renamed(name), &words()).is_err());
        }
    }
}

#[test]
fn every_byte_of_it_counts() {
    let (public, pem) = TOUCHED;
    let whole = bytes(pem);
    let approvers = format!("ada {public}");
    verify(&approvers, &armored(&whole), &words(), NOW).unwrap();
    for at in 0..whole.len() {
        let mut bent = whole.clone();
        bent[at] ^= 1;
        let signer = verify(&approvers, &armored(&bent), &words(), NOW);
        assert!(signer.is_err(), "byte {at}");
    }
    let longer = [&whole[..], &[0]].concat();
    for other in [&longer[..], &whole[..whole.len() - 1]] {
        refused(public, &armored(other), &words());
    }
}

/// As `ssh_key` would write it: flags and counter inside of the signature.
#[test]
fn another_way_to_write_it_is_none() {
    let (public, pem) = TOUCHED;
    let other = ssh_key::SshSig::from_pem(pem).unwrap();
    refused(public, &other.to_pem(LineEnding::LF).unwrap(), &words());
}

/// A program that asks the device itself needs neither PIN nor page, and the line of a passkey promises both.
#[test]
fn a_passkey_signs_in_a_browser_alone() {
    let point = match ssh_key::PublicKey::from_openssh(TOUCHED.0)
        .unwrap()
        .key_data()
    {
        KeyData::SkEcdsaSha2NistP256(key) => key.ec_point().as_bytes().to_vec(),
        _ => Vec::new(),
    };
    let line = passkey::line("ada", &point, "http://localhost:7766").unwrap();
    let key = ssh_key::PublicKey::from_openssh(line.strip_prefix("ada ").unwrap()).unwrap();
    let plain = ssh_key::SshSig::from_pem(TOUCHED.1).unwrap();
    let (old, new) = (plain.public_key().clone(), key.key_data().clone());
    let blob = |key: KeyData| {
        let bytes = ssh_key::PublicKey::from(key).to_bytes().unwrap();
        [&(bytes.len() as u32).to_be_bytes()[..], &bytes].concat()
    };
    let whole = bytes(TOUCHED.1);
    let (head, tail) = whole.split_at(10);
    let tail = tail.strip_prefix(&blob(old)[..]).unwrap();
    let bent = [head, &blob(new), tail].concat();
    let error = verify(&line, &armored(&bent), &words(), NOW).unwrap_err();
    assert!(
        error.what.contains("not signed in a browser"),
        "{}",
        error.what
    );
}

/// Who counts when a guest's run starts is who could decide at that time.
#[test]
fn a_line_that_cannot_decide_now_is_nobody_at_a_start() {
    let public = TOUCHED.0.trim();
    let passkey = public.replace("AAAAEc3NoOg==", "AAAAJbG9jYWxob3N0");
    let missing = |line: &str| touch_missing(line, NOW).unwrap();
    for able in [
        format!("ada {public}"),
        format!("ada namespaces=\"proofhouse-*\",valid-before=20270101 {public}"),
        format!("ada namespaces=\"file\" {public}\nada {public}"),
    ] {
        assert_eq!(missing(&able), None, "{able}");
    }
    for (unable, why) in [
        (line("ada", &key(1)), "only key files"),
        (format!("ada namespaces=\"file\" {public}"), "do not hold"),
        (
            format!("ada valid-before=20200101 {public}"),
            "valid only until",
        ),
        (
            format!("ada valid-after=20990101 {public}"),
            "valid only after",
        ),
        (format!("ada {passkey}"), "which page it signs on"),
    ] {
        let said = missing(&unable).unwrap();
        assert!(said.contains(why), "{unable}: {said}");
    }
}
