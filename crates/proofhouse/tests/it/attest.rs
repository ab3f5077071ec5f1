//! What a run shows, taken to where nobody has its journal: vouched for, checked, and refused after any
//! change of a single byte.

use crate::passkey::Authenticator;
use crate::support::{CHECK, HONEST, TASK, World, says};
use approval::Attester;
use audit::attest::{Trust, verify};
use std::path::{Path, PathBuf};
use std::process::Command;

fn key(world: &World, name: &str, more: &[&str]) -> PathBuf {
    let path = world.at(&format!("agent/{name}"));
    let mut made = Command::new("ssh-keygen");
    made.args(["-q", "-t", "ed25519", "-N", "", "-C", name]);
    let made = made.args(more).arg("-f").arg(&path).status().unwrap();
    assert!(made.success(), "these tests need ssh-keygen");
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A run in a tree of its own that Ann has signed for, vouched for by a key of a build server's.
fn vouched() -> (World, PathBuf) {
    let world = World::of_ann();
    let ann = world.approver("ann");
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let more = ["--name", "t", "--autonomy", "conservative"];
    says(&world, &[&TASK[..], &told, &more].concat()).exits(0);
    says(&world, &["run", "t"]).exits(2);
    let because = ["--because", "I looked at it", "--sign", text(&ann)];
    says(
        &world,
        &[&["decide", "t", "approve"], &because[..]].concat(),
    )
    .exits(0);
    says(&world, &["run", "t"]).exits(0);
    let ci = key(&world, "ci", &[]);
    let file = world.at("agent/t.jsonl");
    let out = ["--sign", text(&ci), "--out", text(&file), "--json"];
    let said = says(&world, &[&["attest", "t"], &out[..]].concat()).exits(0);
    assert_eq!(said.json()["statements"], 8, "five gates and three more");
    (world, file)
}

#[test]
fn a_run_is_vouched_for_and_checked_where_nothing_of_it_is() {
    let (world, file) = vouched();
    let public = world.at("agent/ci.pub");
    let elsewhere = World::empty();
    let asked = ["verify", text(&file), "--key", text(&public), "--json"];
    let said = says(&elsewhere, &asked).exits(0);
    let facts = said.json();
    assert_eq!(
        (&facts["run"], &facts["result"]),
        (&"t".into(), &"PASSED".into())
    );
    assert_eq!(facts["journal"], "absent");
    let journal = world.journal();
    let last = journal.last().unwrap();
    assert_eq!(
        (&facts["seq"], &facts["head"]),
        (&last["seq"], &last["hash"])
    );
    assert_eq!(facts["commits"][0][0], "git:work");
    assert_eq!(
        facts["commits"][0][1],
        world.git(&["rev-parse", "refs/proofhouse/t"])
    );
    assert_eq!(facts["gates"], 5);
    // Nobody says here whose key it is; the list does.
    let signed = &facts["decisions"][0]["signature"];
    assert!(signed["unlisted"].is_string(), "{signed}");
    let list = world.at(".proofhouse/approvers");
    let named = [&asked[..], &["--approvers", text(&list)]].concat();
    let said = says(&elsewhere, &named).exits(0);
    let signed = &said.json()["decisions"][0]["signature"];
    assert_eq!(signed["listed"], "ann@example.org");
    // Whose key vouches must be known: neither nobody's list nor Ann's has it.
    let bare = ["verify", text(&file)];
    says(&elsewhere, &bare).refuses(1, "signer_unknown");
    says(&world, &bare).refuses(1, "attestation_invalid");
    let ann = world.at("agent/ann.pub");
    let other = ["verify", text(&file), "--key", text(&ann)];
    says(&elsewhere, &other).refuses(1, "attestation_invalid");
    // On the list, unless it is there for something else.
    let line = |options: &str| {
        let public = std::fs::read_to_string(&public).unwrap();
        let words: Vec<&str> = public.split_whitespace().collect();
        let mut all = std::fs::read_to_string(&list).unwrap();
        all += &format!("ci@example.org {options}{} {}\n", words[0], words[1]);
        all
    };
    elsewhere.write("all", &line(""));
    let listed = ["verify", text(&file), "--approvers", "all"];
    let said = says(&elsewhere, &listed).exits(0);
    assert!(said.out.contains("ci@example.org SHA256:"), "{}", said.out);
    elsewhere.write("all", &line("namespaces=\"git\" "));
    says(&elsewhere, &listed).refuses(1, "attestation_invalid");
}

#[test]
fn every_flipped_byte_every_cut_and_every_exchange_is_refused() {
    let (world, file) = vouched();
    let public = world.at("agent/ci.pub");
    let whole = std::fs::read(&file).unwrap();
    let key = Attester::read(&public).unwrap();
    let trust = Trust {
        key: Some(&key),
        approvers: None,
    };
    let holds = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        verify(text, trust, None).ok()
    };
    assert!(holds(&whole).is_some(), "as it was written, it holds");
    let mut flipped = 0;
    for at in (0..whole.len()).step_by(31).chain([whole.len() - 1]) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 7);
        assert!(holds(&bytes).is_none(), "byte {at} could be flipped");
        flipped += 1;
    }
    assert!(flipped > 400, "{flipped}");
    println!("{flipped} flipped bytes are refused");
    // Through the binary as well.
    let elsewhere = World::empty();
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(elsewhere.at("f"), &bytes).unwrap();
        says(&elsewhere, &["verify", "f", "--key", text(&public)])
            .refuses(1, "attestation_invalid");
    }
    // A line that is gone, twice there or elsewhere, and one of another attestation of the same run.
    let text = String::from_utf8(whole).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let of = |lines: Vec<&str>| lines.join("\n") + "\n";
    for at in 0..lines.len() {
        let mut less = lines.clone();
        less.remove(at);
        assert!(holds(of(less).as_bytes()).is_none(), "without line {at}");
        let mut more = lines.clone();
        more.insert(at, lines[0]);
        assert!(holds(of(more).as_bytes()).is_none(), "line 0 again at {at}");
    }
    let mut turned = lines.clone();
    turned.swap(0, 1);
    assert!(holds(of(turned).as_bytes()).is_none());
    let again = ["attest", "t", "--sign", "agent/ci"];
    let again = says(&world, &again).exits(0).out;
    assert!(holds(again.as_bytes()).is_some());
    let mut mixed = lines.clone();
    mixed[7] = again.lines().last().unwrap();
    // The summary has another time, and the gates are the same to the letter.
    assert!(holds(of(mixed).as_bytes()).is_some());
    assert!(holds(b"").is_none() && holds(b"\n").is_none());
}

#[test]
fn a_journal_that_was_cut_is_told_and_one_that_went_on_is_not() {
    let (world, file) = vouched();
    let public = world.at("agent/ci.pub");
    let asked = ["verify", text(&file), "--key", text(&public)];
    let said = says(&world, &asked).exits(0);
    assert!(said.out.contains("the one here holds"), "{}", said.out);
    let path = world.at(".proofhouse/journal/t.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap();
    // A session more is no other run.
    says(&world, &["run", "t"]).exits(0);
    says(&world, &asked).exits(0);
    let lines: Vec<&str> = whole.lines().collect();
    let less = lines[..lines.len() - 3].join("\n") + "\n";
    std::fs::write(&path, less).unwrap();
    let said = says(&world, &asked).refuses(1, "attestation_differs");
    assert!(said.err.contains("it was cut"), "{}", said.err);
    // Nobody vouches for what an audit does not bear out.
    let again = ["attest", "t", "--sign", "agent/ci"];
    says(&world, &again).refuses(1, "evidence_altered");
}

#[test]
fn only_what_is_over_is_vouched_for_and_a_stopped_run_did_not_pass() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let ann = world.approver("ann");
    let ci = key(&world, "ci", &[]);
    let vouch = ["attest", "t", "--sign", text(&ci)];
    world.run(&vouch).refuses(1, "not_over");
    world.decide(&ann, "stop").exits(0);
    let said = world.run(&vouch).exits(0);
    world.write("agent/f", &said.out);
    let asked = ["verify", "agent/f", "--key", "agent/ci.pub", "--json"];
    let said = world.run(&asked).exits(1);
    assert_eq!(said.json()["result"], "FAILED");
    // Keys that cannot vouch.
    let locked = key(&world, "locked", &["-N", "secret"]);
    let curve = key(&world, "curve", &["-t", "ecdsa"]);
    for key in [&locked, &curve, &world.at("agent/ci.pub")] {
        let vouch = ["attest", "t", "--sign", text(key)];
        world.run(&vouch).refuses(1, "key_unreadable");
    }
    // One that was given up before it had made a commit.
    let world = World::new();
    world.start(HONEST, &[]);
    let ann = world.approver("ann");
    let give_up = ["abandon", "t", "--because", "not now", "--sign", text(&ann)];
    world.run(&give_up).exits(0);
    key(&world, "ci", &[]);
    let vouch = ["attest", "t", "--sign", "agent/ci", "--note"];
    world.run(&vouch).refuses(1, "attestation_unplaced");
}

#[test]
fn what_lands_can_carry_it_as_a_note() {
    let world = World::of_ann();
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    says(&world, &[&TASK[..], &told, &["--name", "t"]].concat()).exits(0);
    says(&world, &["run", "t"]).exits(0);
    key(&world, "ci", &[]);
    let before = world.git(&["rev-parse", "main"]);
    let with = |key: &str| says(&world, &["land", "t", "--attest", key, "--json"]);
    let said = with("agent/nobody").exits(1);
    assert!(said.err.contains("key_unreadable"), "{}", said.err);
    assert_eq!(world.git(&["rev-parse", "main"]), before, "nothing landed");
    let landed = with("agent/ci").exits(0).json();
    let commit = landed["commit"].as_str().unwrap();
    let noted = world.git(&["notes", "--ref=proofhouse", "show", commit]);
    world.write("agent/noted", &format!("{noted}\n"));
    let asked = ["verify", "agent/noted", "--key", "agent/ci.pub", "--json"];
    let facts = says(&world, &asked).exits(0).json();
    // The branch had not moved, so what landed is the tree that was proven.
    assert_eq!(facts["commits"][1][0], "git:landed");
    assert_eq!(facts["commits"][1][1], commit);
    // Whole it may be, and about another commit than the one that is asked about.
    let about = |commit: &str| {
        let key = ["--key", "agent/ci.pub", "--commit", commit];
        says(&world, &[&["verify", "agent/noted"], &key[..]].concat())
    };
    for good in ["main", commit, "refs/proofhouse/t"] {
        about(good).exits(0);
    }
    for other in ["main~1", &before, "no-such-name"] {
        about(other).refuses(1, "attestation_of_another");
    }
    // A second word stands beside nobody's first.
    let again = ["attest", "t", "--sign", "agent/ci", "--note"];
    says(&world, &again).refuses(1, "attestation_noted");
    let elsewhere = World::empty();
    let (noted, public) = (world.at("agent/noted"), world.at("agent/ci.pub"));
    let asked = ["verify", text(&noted), "--key", text(&public), "--commit"];
    says(&elsewhere, &[&asked[..], &[commit]].concat()).exits(0);
    for other in ["main", &commit[..39]] {
        let said = says(&elsewhere, &[&asked[..], &[other]].concat());
        said.refuses(1, "attestation_of_another");
    }
}

/// A run in a tree of its own that Ann has signed for on a page, with a key of a build server's beside it.
fn decided_by_a_passkey() -> (World, Authenticator) {
    let (world, ann) = (World::of_ann(), Authenticator::new());
    let line = ann.line("ann@example.org");
    world.write(".proofhouse/approvers", &format!("{line}\n"));
    let told = ["--check", CHECK, "--agent", "scripted:agent/script.toml"];
    let more = ["--name", "t", "--autonomy", "conservative"];
    says(&world, &[&TASK[..], &told, &more].concat()).exits(0);
    says(&world, &["run", "t"]).exits(2);
    let words = ["decide", "t", "approve", "--because", "I looked at it"];
    let message = says(&world, &[&words[..], &["--message"]].concat()).exits(0);
    world.write("agent/signature", &ann.signs(message.out.as_bytes()));
    let signed = ["--signature", "agent/signature"];
    says(&world, &[&words[..], &signed].concat()).exits(0);
    says(&world, &["run", "t"]).exits(0);
    key(&world, "ci", &[]);
    (world, ann)
}

#[test]
fn what_a_passkey_decided_is_vouched_for_and_checked_without_its_page() {
    let (world, ann) = decided_by_a_passkey();
    let file = world.at("agent/t.jsonl");
    let out = ["--sign", "agent/ci", "--out", text(&file)];
    says(&world, &[&["attest", "t"], &out[..]].concat()).exits(0);
    let elsewhere = World::empty();
    let public = world.at("agent/ci.pub");
    let asked = ["verify", text(&file), "--key", text(&public)];
    let line = ann.line("ann@example.org");
    let listed = approval::listed_in(&line).unwrap();
    let told = says(&elsewhere, &asked).exits(0);
    assert!(told.out.contains(&listed[0].fingerprint), "{}", told.out);
    let facts = |more: &[&str]| {
        let said = says(&elsewhere, &[&asked[..], more, &["--json"]].concat());
        said.exits(0).json()["decisions"][0]["signature"].clone()
    };
    assert_eq!(facts(&[])["unlisted"], listed[0].fingerprint.as_str());
    elsewhere.write("all", &format!("{line} laptop\n"));
    assert_eq!(facts(&["--approvers", "all"])["listed"], "ann@example.org");
    // By a list, the page that it was enrolled at counts.
    let other = line.replace(crate::passkey::ORIGIN, "http://localhost:9999");
    elsewhere.write("other", &format!("{other}\n"));
    let with = [&asked[..], &["--approvers", "other"]].concat();
    let said = says(&elsewhere, &with).refuses(1, "attestation_invalid");
    assert!(said.err.contains("given to the page"), "{}", said.err);
}

#[test]
fn what_a_passkey_decided_can_carry_it_as_a_note() {
    let (world, _) = decided_by_a_passkey();
    let landed = says(&world, &["land", "t", "--attest", "agent/ci", "--json"]);
    let landed = landed.exits(0).json();
    let commit = landed["commit"].as_str().unwrap();
    let asked = ["verify", "agent/noted", "--key", "agent/ci.pub"];
    let checked = || {
        let noted = world.git(&["notes", "--ref=proofhouse", "show", commit]);
        world.write("agent/noted", &format!("{noted}\n"));
        says(&world, &asked).exits(0);
    };
    checked();
    world.git(&["notes", "--ref=proofhouse", "remove", commit]);
    says(&world, &["attest", "t", "--sign", "agent/ci", "--note"]).exits(0);
    checked();
}

/// By its manifest and the commit that holds its product, with everything that its tasks went through.
#[test]
fn a_release_of_the_factory_is_vouched_for_like_a_run() {
    let world = crate::factory_elsewhere::released();
    world.git(&["config", "user.name", "Ann"]);
    world.git(&["config", "user.email", "ann@example.org"]);
    key(&world, "ci", &[]);
    let vouch = ["attest", "p", "--sign", "agent/ci"];
    let out = [
        "--note",
        "--out",
        "agent/p.jsonl",
        "--links",
        "agent/links",
        "--json",
    ];
    let made = world.run(&[&vouch[..], &out].concat()).exits(0).json();
    let commit = world.git(&["rev-parse", "proofhouse/p"]);
    assert_eq!(made["commits"], serde_json::json!([commit]));
    let asked = [
        "verify",
        "agent/p.jsonl",
        "--key",
        "agent/ci.pub",
        "--commit",
    ];
    let about = |commit: &str| world.run(&[&asked[..], &[commit]].concat());
    about("main").refuses(1, "attestation_of_another");
    let facts = [&asked[..], &["proofhouse/p", "--json"]].concat();
    let facts = world.run(&facts).exits(0).json();
    assert_eq!(
        (&facts["result"], &facts["workflow"], &facts["journal"]),
        (&"PASSED".into(), &"factory".into(), &"holds".into())
    );
    let [name, hash] = [0, 1].map(|at| facts["files"][0][at].as_str().unwrap().to_owned());
    let release = name.strip_prefix("proofhouse:release/").unwrap();
    let manifest = format!(".proofhouse/state_store/releases/{release}.json");
    let text = world.read(&manifest);
    assert_eq!(store::sha256_hex(text.as_bytes()), hash);
    let passed = facts["passed"].to_string();
    assert!(passed.contains("-MM-moment-ship: ship_record"), "{passed}");
    assert!(passed.contains(&format!("{release}-release: product_check")));
    let links = std::fs::read_dir(world.at("agent/links")).unwrap().count();
    assert!(
        links >= 5,
        "one for each gate of each task and of the release: {links}"
    );
    let noted = world.git(&["notes", "--ref=proofhouse", "show", &commit]);
    assert_eq!(noted.trim(), world.read("agent/p.jsonl").trim());
    // Nobody vouches for a release that was changed where it lies.
    world.write(&manifest, &text.replacen("1.0.0", "1.0.1", 1));
    world.run(&vouch).refuses(1, "evidence_altered");
}

/// By the tools of others: `python3 -m venv V && V/bin/pip install 'securesystemslib[crypto]'
/// in-toto-attestation in-toto`, then `PROOFHOUSE_IN_TOTO_PYTHON=V/bin/python cargo test -p proofhouse --test it
/// attest -- --ignored`.
#[test]
#[ignore = "needs securesystemslib, in-toto-attestation and in-toto from PyPI"]
fn the_tools_of_others_read_it_and_refuse_what_was_changed() {
    let python = std::env::var("PROOFHOUSE_IN_TOTO_PYTHON").expect("where they are installed");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/attest/check.py");
    let (world, file) = vouched();
    let public = world.at("agent/ci.pub");
    let checked = |file: &Path| {
        let mut command = Command::new(&python);
        let said = command.arg(script).arg(file).arg(&public).output().unwrap();
        print!("{}", String::from_utf8_lossy(&said.stdout));
        (
            said.status.success(),
            String::from_utf8_lossy(&said.stderr).into_owned(),
        )
    };
    let (good, err) = checked(&file);
    assert!(good, "{err}");
    let text = std::fs::read_to_string(&file).unwrap();
    // One letter of the first payload.
    let other = text.replacen("\"payload\":\"eyJ", "\"payload\":\"eyK", 1);
    assert_ne!(other, text);
    world.write("agent/other", &other);
    assert!(!checked(&world.at("agent/other")).0);
    // Links of the older form, against a layout whose steps are the states.
    let out = ["--out", "agent/again", "--links", "agent/links"];
    let vouch = ["attest", "t", "--sign", "agent/ci"];
    says(&world, &[&vouch[..], &out].concat()).exits(0);
    let layout = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/attest/layout.py");
    let steps = |states: &[&str]| {
        let mut command = Command::new(&python);
        let command = command.arg(layout).arg(world.at("agent/links"));
        let said = command.arg(&public).args(states).output().unwrap();
        print!("{}", String::from_utf8_lossy(&said.stdout));
        (
            said.status.success(),
            String::from_utf8_lossy(&said.stderr).into_owned(),
        )
    };
    let all = ["intake", "shape", "implement", "verify", "review"];
    let (good, err) = steps(&all);
    assert!(good, "{err}");
    assert!(!steps(&["intake", "exam"]).0, "a step that nobody made");
    let links = std::fs::read_dir(world.at("agent/links")).unwrap();
    let mut links = links.map(|link| link.unwrap().path());
    let link = links.find(|link| link.to_string_lossy().contains("verify."));
    let text = std::fs::read_to_string(link.as_ref().unwrap()).unwrap();
    let other = text.replacen("\"payload\":\"eyJ", "\"payload\":\"eyK", 1);
    std::fs::write(link.unwrap(), other).unwrap();
    assert!(!steps(&all).0, "one that was changed");
}
