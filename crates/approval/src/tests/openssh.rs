//! Against the real `ssh-keygen`: what it signs verifies here, and the other way round.

use super::*;
use std::path::Path;
use std::process::{Command, Stdio};

/// A folder and ssh-keygen, or a loud skip.
fn lab() -> Option<tempfile::TempDir> {
    let there = Command::new("ssh-keygen").arg("-?").output().is_ok();
    if !there {
        eprintln!("SKIPPED: ssh-keygen is not installed, interoperation was NOT tested");
    }
    there.then(|| tempfile::tempdir().unwrap())
}

fn generate(dir: &Path, kind: &[&str], passphrase: &str) -> PathBuf {
    let path = dir.join("id");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-N", passphrase, "-f"])
        .arg(&path)
        .arg("-t")
        .args(kind)
        .status();
    assert!(made.unwrap().success());
    path
}

fn approvers(key: &Path) -> String {
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    format!("ada@example.com namespaces=\"proofhouse-decision\" {public}")
}

fn keygen_sign(dir: &Path, key: &Path) -> String {
    let file = dir.join("words");
    std::fs::write(&file, message(&words())).unwrap();
    let signed = Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", NAMESPACE, "-f"])
        .args([key, &file])
        .stderr(Stdio::null())
        .status();
    assert!(signed.unwrap().success());
    std::fs::read_to_string(dir.join("words.sig")).unwrap()
}

#[test]
fn verifies_what_ssh_keygen_signs() {
    for kind in [&["ed25519"][..], &["ecdsa", "-b", "256"]] {
        let Some(dir) = lab() else { return };
        let key = generate(dir.path(), kind, "");
        let pem = keygen_sign(dir.path(), &key);
        let signer = verify(&approvers(&key), &pem, &words(), NOW).unwrap();
        assert_eq!(signer.principal, "ada@example.com", "{kind:?}");
        let other = Words { seq: 1, ..words() };
        assert_eq!(
            code(verify(&approvers(&key), &pem, &other, NOW)),
            "signature_invalid"
        );
    }
}

#[test]
fn names_the_kinds_that_it_cannot_check() {
    for kind in [&["rsa", "-b", "2048"][..], &["ecdsa", "-b", "384"]] {
        let Some(dir) = lab() else { return };
        let key = generate(dir.path(), kind, "");
        let pem = keygen_sign(dir.path(), &key);
        let error = verify(&approvers(&key), &pem, &words(), NOW).unwrap_err();
        assert_eq!(error.code, "signature_invalid");
        assert!(error.what.contains("cannot check"), "{}", error.what);
        assert!(error.mend.contains("ed25519"), "{}", error.mend);
        assert_eq!(code(sign_with_key_file(&key, &words())), "key_unreadable");
    }
}

#[test]
fn ssh_keygen_verifies_what_we_sign() {
    for kind in [&["ed25519"][..], &["ecdsa", "-b", "256"]] {
        let Some(dir) = lab() else { return };
        let key = generate(dir.path(), kind, "");
        let file = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let pem = sign_with_key_file(&key, &words()).unwrap();
        let mut ask = Command::new("ssh-keygen");
        ask.args([
            "-Y",
            "verify",
            "-n",
            NAMESPACE,
            "-I",
            "ada@example.com",
            "-f",
        ])
        .arg(file("approvers", approvers(&key).as_bytes()))
        .arg("-s")
        .arg(file("sig", pem.as_bytes()))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
        let text = file("words", &message(&words()));
        ask.stdin(std::fs::File::open(text).unwrap());
        assert!(ask.status().unwrap().success(), "{kind:?}");
        let other = file("other", &message(&Words { seq: 1, ..words() }));
        ask.stdin(std::fs::File::open(other).unwrap());
        assert!(!ask.status().unwrap().success(), "{kind:?}");
    }
}

#[test]
fn an_encrypted_key_names_the_other_way() {
    let Some(dir) = lab() else { return };
    let key = generate(dir.path(), &["ed25519"], "a passphrase");
    let error = sign_with_key_file(&key, &words()).unwrap_err();
    assert_eq!(error.code, "key_unreadable");
    assert!(error.what.contains("passphrase"), "{}", error.what);
    assert!(error.mend.contains("--signature"), "{}", error.mend);
}
