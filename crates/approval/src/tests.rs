//! Every way in, and every way that must stay shut. Keys come from fixed seeds; what only OpenSSH
//! can show (interoperation, encrypted keys) is skipped loudly where it is missing.

mod hardware;
mod openssh;

use super::*;
use ssh_key::private::Ed25519Keypair;
use ssh_key::{HashAlg, LineEnding, PrivateKey};
use std::path::PathBuf;
use workspace::error::EngineError;

const NOW: Time = Time(1_780_000_000_000); // 2026-05-28

fn words() -> Words<'static> {
    Words {
        run: "fix-login",
        seq: 41,
        head: "9f2c",
        tree: "",
        option: "accept",
        because: "the numbers are right\nand I looked",
    }
}

fn key(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

fn line(before: &str, key: &PrivateKey) -> String {
    format!("{before} {}\n", key.public_key().to_openssh().unwrap())
}

fn sign(key: &PrivateKey, namespace: &str, words: &Words) -> String {
    let signature = key.sign(namespace, HashAlg::Sha512, &message(words));
    signature.unwrap().to_pem(LineEnding::LF).unwrap()
}

fn key_file(key: &PrivateKey) -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("key");
    std::fs::write(&path, key.to_openssh(LineEnding::LF).unwrap().as_bytes()).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    (dir, path)
}

fn code<T: std::fmt::Debug>(result: Result<T, EngineError>) -> String {
    let error = result.unwrap_err();
    assert!(
        !error.what.is_empty() && !error.mend.is_empty(),
        "{error:?}"
    );
    error.code
}

/// Answers like a person, or is not there at all.
struct Desk(Option<String>);

impl Terminal for Desk {
    fn is_terminal(&self) -> bool {
        self.0.is_some()
    }
    fn ask(&mut self, prompt: &str) -> std::io::Result<String> {
        assert!(prompt.contains("accept") && !prompt.contains('\u{1b}'));
        assert!(!prompt.contains(&run_code("fix-login", "9f2c")), "{prompt}");
        Ok(self.0.clone().unwrap_or_default())
    }
    fn user(&self) -> String {
        "ada".to_owned()
    }
}

#[test]
fn the_message_is_unambiguous() {
    let text = String::from_utf8(message(&words())).unwrap();
    assert_eq!(
        text,
        "proofhouse decision v1\nrun 9: fix-login\nseq 2: 41\nhead 4: 9f2c\noption 6: accept\n\
         because 34: the numbers are right\nand I looked\n"
    );
    let sly = Words {
        option: "accept\nbecause 0: ",
        because: "",
        ..words()
    };
    let honest = Words {
        because: "",
        ..words()
    };
    assert_ne!(message(&sly), message(&honest));
}

#[test]
fn a_listed_signature_is_a_decision() {
    let (_dir, path) = key_file(&key(1));
    let pem = sign_with_key_file(&path, &words()).unwrap();
    let approvers = format!(
        "# us\n\n{}{}",
        line("bob", &key(2)),
        line("ada@x,ada@y", &key(1))
    );
    let approved = approve(Some(&approvers), Some(&pem), &mut Desk(None), &words(), NOW).unwrap();
    assert_eq!(approved.who, "ada@x");
    let fingerprint = key(1).fingerprint(HashAlg::Sha256).to_string();
    assert_eq!(approved.channel, format!("ssh-signature {fingerprint}"));
    assert!(fingerprint.starts_with("SHA256:"));
    let crlf = pem.replace('\n', "\r\n");
    verify(
        &approvers.replace('\n', "\r\n"),
        &format!("\n{crlf}\n"),
        &words(),
        NOW,
    )
    .unwrap();
}

/// What else may lie around a signature, and `ssh-keygen` takes for none.
#[test]
fn what_only_resembles_a_signature_is_none() {
    let approvers = line("ada", &key(1));
    let pem = sign(&key(1), NAMESPACE, &words());
    let (head, tail) = pem.trim().split_once('\n').unwrap();
    let (body, end) = tail.rsplit_once('\n').unwrap();
    let bare = body.replace('\n', "");
    let wrapped = |body: &str| format!("{head}\n{body}\n{end}\n");
    // One byte more behind the signature, and another version of the form.
    let longer = match bare.strip_suffix('=') {
        Some(rest) => format!("{rest}A"),
        None => format!("{bare}AAAA"),
    };
    let older = bare.replacen("U1NIU0lHAAAAAQ", "U1NIU0lHAAAAAA", 1);
    assert_ne!(older, bare);
    for other in [
        format!("see below\n{pem}"),
        format!("{pem}\nand more\n"),
        format!("{pem}{pem}"),
        format!("{head}\nComment: mine\n{body}\n{end}\n"),
        format!("{head}\n{body}AAAA\n{end}\n"),
        wrapped(&longer),
        wrapped(&older),
    ] {
        let said = code(verify(&approvers, &other, &words(), NOW));
        assert_eq!(said, "signature_invalid", "{other}");
    }
    // As it was written, it is one.
    verify(&approvers, &pem, &words(), NOW).unwrap();
}

/// A line of its own; words without one are to the byte what older versions signed.
#[test]
fn the_tree_is_named_where_there_is_one() {
    let text = |words: &Words| String::from_utf8(message(words)).unwrap();
    let old = text(&words());
    assert!(!old.contains("tree"), "{old}");
    let tree = "3f2a";
    let new = text(&Words { tree, ..words() });
    assert_eq!(
        new,
        old.replace("head 4: 9f2c\n", "head 4: 9f2c\ntree 4: 3f2a\n")
    );
    assert_ne!(new, old);
}

#[test]
fn a_signature_holds_for_its_words_only() {
    let approvers = line("ada", &key(1));
    let pem = sign(&key(1), NAMESPACE, &words());
    let say = |words: Words| code(verify(&approvers, &pem, &words, NOW));
    for other in [
        Words {
            run: "fix-logout",
            ..words()
        },
        Words { seq: 42, ..words() },
        Words {
            head: "9f2d",
            ..words()
        },
        Words {
            tree: "3f2a",
            ..words()
        },
        Words {
            option: "stop",
            ..words()
        },
        Words {
            because: "because",
            ..words()
        },
    ] {
        assert_eq!(say(other), "signature_invalid", "{other:?}");
    }
    let for_git = sign(&key(1), "git", &words());
    assert_eq!(
        code(verify(&approvers, &for_git, &words(), NOW)),
        "signature_invalid"
    );
    for garbage in ["", "yes", &pem[..90], &pem.replace("SIGNATURE", "MESSAGE")] {
        assert_eq!(
            code(verify(&approvers, garbage, &words(), NOW)),
            "signature_invalid"
        );
    }
}

#[test]
fn only_listed_and_valid_keys_decide() {
    let pem = sign(&key(1), NAMESPACE, &words());
    let say = |before: &str| verify(&line(before, &key(1)), &pem, &words(), NOW);
    for fine in [
        "ada",
        "\"ada\"",
        "ada namespaces=\"git,proofhouse-*\"",
        "ada namespaces=proofhouse-decision,valid-before=20270101",
        "ada Valid-After=\"20260101Z\",valid-before=\"202612312359Z\"",
        "ada valid-before=20260528202640Z",
    ] {
        assert_eq!(say(fine).unwrap().principal, "ada", "{fine}");
    }
    for shut in [
        "ada namespaces=\"git\"",
        "ada namespaces=\"*,!proofhouse-decision\"",
        "ada valid-before=20260528202639Z",
        "ada valid-before=\"20260101\"",
        "ada valid-after=\"20270101Z\"",
    ] {
        assert_eq!(code(say(shut)), "signer_unknown", "{shut}");
    }
    let other = line("bob", &key(2));
    assert_eq!(code(verify(&other, &pem, &words(), NOW)), "signer_unknown");
    let authority = other + &line("*@x cert-authority", &key(1));
    let error = verify(&authority, &pem, &words(), NOW).unwrap_err();
    assert_eq!(error.code, "signer_unknown");
    assert!(error.what.contains("line 2 names a certificate authority"));
    let renewed = line("ada valid-before=20200101", &key(1)) + &line("ada", &key(1));
    verify(&renewed, &pem, &words(), NOW).unwrap();
}

#[test]
fn a_malformed_file_is_named_by_line_and_reason() {
    let public = key(1).public_key().to_openssh().unwrap();
    let pem = sign(&key(1), NAMESPACE, &words());
    for (bad, reason) in [
        ("ada".to_owned(), "no key after ada"),
        (format!("ada no-touch {public}"), "`no-touch` is neither"),
        (format!("ada shape=round {public}"), "shape is not known"),
        (format!("ada valid-after=soon {public}"), "valid-after=soon"),
        (
            format!("ada valid-after=20260101,valid-after=20260102 {public}"),
            "given twice",
        ),
        (
            format!("ada valid-after=20260102,valid-before=20260101 {public}"),
            "not later",
        ),
        (format!("ada namespaces=\"git {public}"), "never closed"),
        (
            format!("ada namespaces=\"git\"x {public}"),
            "does not continue",
        ),
        (format!("ada cert-authority, {public}"), "does not continue"),
        (format!("ada,,bob {public}"), "empty name"),
        (format!("!eve {public}"), "`!eve` says who may not sign"),
        (format!("ada,!eve {public}"), "`!eve` says who may not sign"),
        ("ada ssh-ed25519".to_owned(), "cannot be read"),
        ("ada ssh-ed25519 AAAA".to_owned(), "cannot be read"),
        (format!("ada ssh-rsa {}", &public[12..]), "cannot be read"),
        (
            format!("ada namespaces=x quantum {public}"),
            "`quantum` is not a key type",
        ),
        (format!("a\u{1b}[2Kda {public}"), "control character"),
    ] {
        let text = format!("# head\n{}{bad}\n", line("bob", &key(1)));
        let error = verify(&text, &pem, &words(), NOW).unwrap_err();
        assert_eq!(error.code, "approvers_malformed", "{bad}");
        assert!(error.what.contains("line 3: "), "{}", error.what);
        assert!(error.what.contains(reason), "{bad}: {}", error.what);
    }
    for nobody in ["", "# later\n", &line("ada cert-authority", &key(1))] {
        assert_eq!(
            code(verify(nobody, &pem, &words(), NOW)),
            "approvers_malformed"
        );
    }
}

#[test]
fn a_security_key_must_be_touched() {
    let public =
        ssh_key::public::SkEd25519::from(*key(3).public_key().key_data().ed25519().unwrap());
    let public = ssh_key::PublicKey::new(public.into(), "");
    let approvers = format!("ada {}\n", public.to_openssh().unwrap());
    let signed = |flags: u8| {
        let data = ssh_key::SshSig::signed_data(NAMESPACE, HashAlg::Sha512, &message(&words()));
        let mut bytes = HashAlg::Sha256.digest(b"ssh:");
        bytes.extend([flags, 0, 0, 0, 7]);
        bytes.extend(HashAlg::Sha256.digest(&data.unwrap()));
        let mut raw = raw(&key(3), &bytes);
        raw.extend([flags, 0, 0, 0, 7]);
        let signature = ssh_key::Signature::new(ssh_key::Algorithm::SkEd25519, raw).unwrap();
        let key = public.key_data().clone();
        let whole = ssh_key::SshSig::new(key, NAMESPACE, HashAlg::Sha512, signature).unwrap();
        whole.to_pem(LineEnding::LF).unwrap()
    };
    assert_eq!(
        verify(&approvers, &signed(1), &words(), NOW)
            .unwrap()
            .principal,
        "ada"
    );
    let error = verify(&approvers, &signed(0), &words(), NOW).unwrap_err();
    assert_eq!(error.code, "signature_invalid");
    assert!(
        error.what.contains("without being touched"),
        "{}",
        error.what
    );
}

fn raw<S: ssh_key::SigningKey>(key: &S, bytes: &[u8]) -> Vec<u8> {
    key.try_sign(bytes).unwrap().as_bytes().to_vec()
}

#[test]
fn each_channel_says_what_it_lacks() {
    let approvers = line("ada", &key(1));
    let pem = sign(&key(1), NAMESPACE, &words());
    let right = run_code("fix-login", "9f2c");
    let try_it = |approvers: Option<&str>, pem: Option<&str>, typed: Option<&str>| {
        let mut desk = Desk(typed.map(str::to_owned));
        approve(approvers, pem, &mut desk, &words(), NOW)
    };
    let typed = try_it(None, None, Some(&format!(" {}\n", right.to_lowercase()))).unwrap();
    assert_eq!((typed.who.as_str(), typed.channel.as_str()), ("ada", TYPED));
    for (result, expected) in [
        (
            try_it(Some(&approvers), None, Some(&right)),
            "signature_required",
        ),
        (try_it(None, Some(&pem), Some(&right)), "signer_unknown"),
        (try_it(None, None, None), "human_presence_required"),
        (try_it(None, None, Some("")), "human_presence_required"),
        (try_it(None, None, Some("AAAAAA\n")), "run_code_wrong"),
        (try_it(None, None, Some("accept\n")), "run_code_wrong"),
    ] {
        assert_eq!(code(result), expected);
    }
}

/// Only a run has a status that could show the code.
#[test]
fn a_wrong_code_names_where_the_right_one_stands() {
    let wrong = |words: Words<'_>| {
        let mut desk = Desk(Some("AAAAAA\n".to_owned()));
        confirm(&mut desk, &words).unwrap_err()
    };
    let of_a_run = wrong(words()).mend;
    assert!(of_a_run.contains("`proofhouse status fix-login`"));
    for (run, seq) in [("approvers", 0), ("setup", 0), ("milestone:m", 3)] {
        let error = wrong(Words {
            run,
            seq,
            ..words()
        });
        assert_eq!(error.code, "run_code_wrong");
        assert!(!error.what.contains("run "), "{}", error.what);
        assert!(!error.mend.contains("status"), "{}", error.mend);
    }
}

#[test]
fn a_line_to_be_added_is_blamed_on_no_file() {
    let public = key(1).public_key().to_openssh().unwrap();
    for (bad, reason) in [
        ("bob".to_owned(), "no key after bob"),
        (String::new(), "nobody in it"),
        ("# bob".to_owned(), "nobody in it"),
        (format!("bob cert-authority {public}"), "certificates"),
        (format!("bob {public}\neve {public}"), "control character"),
    ] {
        let error = listed_in_line(&bad).unwrap_err();
        assert_eq!(error.code, "approvers_malformed");
        assert!(error.what.contains(reason), "{bad}: {}", error.what);
        for text in [&error.what, &error.mend] {
            assert!(!text.contains("file if") && !text.contains(".proofhouse"));
        }
    }
    let listed = listed_in_line(&format!(" bob {public}\n")).unwrap();
    assert_eq!(listed.name, "bob");
}

#[test]
fn unusable_key_files_name_the_other_way() {
    let (dir, path) = key_file(&key(1));
    assert_eq!(
        code(sign_with_key_file(&dir.path().join("none"), &words())),
        "key_unreadable"
    );
    std::fs::write(&path, "not a key").unwrap();
    let error = sign_with_key_file(&path, &words()).unwrap_err();
    assert_eq!(error.code, "key_unreadable");
    assert!(
        error
            .mend
            .contains("ssh-keygen -Y sign -n proofhouse-decision -f")
    );
    assert!(error.mend.contains("--signature FILE.sig"));
    std::fs::write(&path, key(1).public_key().to_openssh().unwrap()).unwrap();
    let error = sign_with_key_file(&path, &words()).unwrap_err();
    assert!(error.what.contains("public key"), "{}", error.what);
    use std::os::unix::fs::PermissionsExt;
    let (_dir, path) = key_file(&key(1));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let error = sign_with_key_file(&path, &words()).unwrap_err();
    assert!(error.what.contains("mode 0640"), "{}", error.what);
}
