//! A person's own session as the agent of a run: a scripted client of the protocol takes, hands in something wrong,
//! reads why, mends it, and a person signs for it.

mod hostile;

use crate::passkey::Authenticator;
use crate::support::{Said, World, says};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

pub(crate) const SUM: &str = "total() {\n    sum=0\n    for price in \"$@\"; do sum=$((sum + price)); done\n    echo \"$sum\"\n}\n";
pub(crate) const RUN: &str = "make-totals-of-carts";

/// A repository whose config has a guest work, and whose approver has a passkey; both committed.
pub(crate) fn world() -> World {
    let world = crate::quick::world();
    world.write(".proofhouse/config.toml", "agent = \"guest\"\n");
    let line = Authenticator::new().line("ann@example.org");
    world.write(".proofhouse/approvers", &format!("{line}\n"));
    let ours = [".proofhouse/config.toml", ".proofhouse/approvers"];
    world.git(&[&["add", "--force"], &ours[..]].concat());
    world.commit("who decides");
    world
}

/// A session with a client in it.
pub(crate) struct Client {
    place: std::path::PathBuf,
    child: Child,
    asks: ChildStdin,
    hears: BufReader<ChildStdout>,
}

impl Client {
    pub(crate) fn of(world: &World) -> Self {
        let mut child = world
            .command(&["mcp"])
            .env_remove("PROOFHOUSE_RUNS__TREE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (asks, hears) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let hears = BufReader::new(hears);
        let place = world.path().to_owned();
        Self {
            place,
            child,
            asks,
            hears,
        }
    }

    /// What a tool says, and whether it could.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": name, "arguments": arguments });
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        writeln!(self.asks, "{asked}").unwrap();
        let mut line = String::new();
        self.hears.read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let text = said["result"]["content"][0]["text"].as_str().unwrap();
        (text.to_owned(), said["result"]["isError"] == false)
    }

    #[track_caller]
    pub(crate) fn does(&mut self, name: &str, arguments: Value) -> String {
        let (said, could) = self.call(name, arguments);
        assert!(could, "{said}");
        said
    }

    #[track_caller]
    pub(crate) fn refused(&mut self, name: &str, arguments: Value, code: &str) {
        let (said, could) = self.call(name, arguments);
        assert!(!could && said.contains(&format!("[{code}]")), "{said}");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Nobody comes back to an engine that waits for this one.
        let mut stop = std::process::Command::new(crate::support::BIN);
        let _ = stop.args(["stop", RUN]).current_dir(&self.place).output();
    }
}

/// The attempt's name and the folder, out of what `take` says.
pub(crate) fn taken(said: &str) -> (String, String) {
    let at = said.find("Attempt `").unwrap_or_else(|| panic!("{said}"));
    let attempt = said[at..].split('`').nth(1).unwrap().to_owned();
    let mut lines = said[at..].lines().map(str::trim);
    let folder = lines.find(|line| line.ends_with("view/repo")).unwrap();
    (attempt, folder.to_owned())
}

fn writes(folder: &str, path: &str, text: &str) {
    std::fs::write(std::path::Path::new(folder).join(path), text).unwrap();
}

pub(crate) fn handed_in(attempt: &str) -> Value {
    json!({ "run": RUN, "attempt": attempt, "result": { "summary": "totals are sums" } })
}

/// Begins the run, takes it and hands in what is asked for: a person is to look at it.
pub(crate) fn worked(world: &World) -> Client {
    let mut client = Client::of(world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    writes(&folder, "src/total.sh", SUM);
    writes(&folder, "tests/cases", "one|5|5\ntwo|1 2|3\n");
    let said = client.does("hand_in", handed_in(&attempt));
    assert!(said.contains("proofhouse decide"), "{said}");
    client
}

/// A person decides, with the passkey.
pub(crate) fn decides(world: &World, option: &str) -> Said {
    decides_by(&Authenticator::new(), world, option)
}

/// Somebody decides, with a passkey of their own.
pub(crate) fn decides_by(whose: &Authenticator, world: &World, option: &str) -> Said {
    let words = ["decide", RUN, option, "--because", "looked at it"];
    let message = says(world, &[&words[..], &["--message"]].concat()).exits(0);
    let signature = whose.signs(message.out.as_bytes());
    world.write("agent/signature", &signature);
    says(
        world,
        &[&words[..], &["--signature", "agent/signature"]].concat(),
    )
}

fn records(world: &World) -> Vec<Value> {
    let journal = world.read(&format!(".proofhouse/journal/{RUN}.jsonl"));
    let lines = journal
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[test]
fn a_guest_takes_hands_in_reads_why_not_mends_and_a_person_lands_it() {
    let world = world();
    let mut client = Client::of(&world);
    client.refused("take", json!({}), "nothing_to_take");
    let said = client.does("start", json!({ "sentence": "make totals of carts" }));
    assert!(said.contains("you are its agent"), "{said}");
    assert!(!said.contains("in no commit"), "its copy has all: {said}");
    let said = client.does("take", json!({}));
    assert!(said.contains("make totals of carts"), "{said}");
    let (attempt, folder) = taken(&said);
    // The tests ask for more than the code does.
    writes(&folder, "tests/cases", "one|5|5\ntwo|1 2|3\n");
    client.refused(
        "hand_in",
        json!({ "run": RUN, "attempt": attempt, "result": { "summary": 7 } }),
        "result_malformed",
    );
    let said = client.does("hand_in", handed_in(&attempt));
    assert!(said.contains("it is not done yet"), "{said}");
    assert!(said.contains("red_green"), "what failed is said: {said}");
    let (second, folder) = taken(&said);
    assert_ne!(second, attempt);
    // What was over stays over.
    client.refused("hand_in", handed_in(&attempt), "nothing_to_hand_in");
    writes(&folder, "src/total.sh", SUM);
    let said = client.does("hand_in", handed_in(&second));
    assert!(said.contains("proven by"), "{said}");
    let asked = says(&world, &["inbox"]);
    assert!(asked.out.contains("guest, not confined"), "{}", asked.out);
    assert!(said.contains("Only the person answers"), "{said}");
    // Of what cannot answer here, nothing is given.
    let page = format!("/run/{RUN}/");
    for told in [&said, &client.does("inbox", json!({}))] {
        assert!(told.contains("http://localhost:7766/r/"), "{told}");
        assert!(told.contains(&page), "{told}");
        let command = format!("proofhouse decide {RUN} approve");
        assert!(!told.contains(&command), "{told}");
    }
    for command in ["inbox", "status"] {
        let asked = says(&world, &[command, RUN]).out;
        assert!(asked.contains("--signature FILE"), "{asked}");
        assert!(!asked.contains("--sign KEY"), "{asked}");
    }
    // Whatever a person is told of the worth, the guest is told.
    let items = says(&world, &["inbox", "--json"]).exits(0).json();
    let tried = items[0]["grounds"]["worth"]["tried"].as_array().unwrap();
    for reason in tried {
        assert!(said.contains(reason.as_str().unwrap()), "{reason}: {said}");
    }
    let (again, could) = client.call("hand_in", handed_in(&second));
    assert!(
        !could && again.contains("it waits for the person"),
        "{again}"
    );
    decides(&world, "approve").exits(0);
    says(&world, &["run", RUN]).exits(0);
    says(&world, &["land", RUN]).exits(0);
    assert_eq!(world.read("src/total.sh"), SUM);
    let (said, could) = client.call("take", json!({ "run": RUN }));
    assert!(
        !could && said.contains("nothing is left for you to do"),
        "{said}"
    );
    // It is said wherever the attempt is told of, and is no finding.
    let said = says(&world, &["log", RUN]).exits(0);
    assert!(said.out.contains("not confined"), "{}", said.out);
    let evidence = says(&world, &["status", RUN, "--json"]).exits(0).json();
    let page = evidence["evidence"].as_str().unwrap_or_default().to_owned();
    let page = page.strip_prefix("file://").unwrap_or(&page).to_owned();
    let page = std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page}: {error}"));
    assert!(page.contains("not confined"), "the page says so");
    says(&world, &["audit", "--ci"]).exits(0);
    let said = says(&world, &["audit"]).exits(0);
    assert!(said.out.contains("[not_confined]"), "{}", said.out);
}

#[test]
fn an_engine_that_dies_while_a_guest_works_is_not_noticed() {
    let world = world();
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({ "run": RUN })));
    let driver = world.at(&format!(".proofhouse/work/{RUN}/driver"));
    let driver = std::fs::read_to_string(driver).unwrap();
    let mut kill = std::process::Command::new("kill");
    let killed = kill.args(["-9", driver.trim()]).status();
    assert!(killed.unwrap().success());
    let (again, same) = taken(&client.does("take", json!({ "run": RUN })));
    assert_eq!((&again, &same), (&attempt, &folder));
    writes(&folder, "src/total.sh", SUM);
    writes(&folder, "tests/cases", "one|5|5\ntwo|1 2|3\n");
    let said = client.does("hand_in", handed_in(&attempt));
    assert!(said.contains("proofhouse decide"), "{said}");
    let records = records(&world);
    assert!(records.iter().all(|one| one["kind"] != "effect_lost.v1"));
    let ended = records.iter().find(|one| one["kind"] == "attempt_ended.v1");
    assert_eq!(ended.unwrap()["body"]["found"], "after_restart");
}

#[test]
fn stopping_the_engine_ends_the_waiting_and_the_work_is_kept() {
    let world = world();
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    writes(&folder, "src/total.sh", SUM);
    says(&world, &["stop", RUN]).exits(0);
    client.refused("hand_in", handed_in(&attempt), "nothing_to_hand_in");
    let lost = records(&world);
    let lost = lost.iter().find(|one| one["kind"] == "effect_lost.v1");
    let reason = lost.unwrap()["body"]["reason"].to_string();
    assert!(reason.contains("refs/proofhouse"), "{reason}");
    // Whoever takes it again is in another attempt.
    let (next, _) = taken(&client.does("take", json!({})));
    assert_ne!(next, attempt);
}

#[test]
fn a_guest_is_not_let_in_where_it_would_judge_or_could_decide() {
    // Nobody is listed at the commit that it starts from; then only somebody with a key file.
    let world = crate::quick::world();
    let begin = ["do", "make totals of carts", "--agent", "guest"];
    says(&world, &begin).refuses(1, "guest_unsigned");
    let line = Authenticator::new().line("ann@example.org");
    world.write(".proofhouse/approvers", &format!("{line}\n"));
    says(&world, &begin).refuses(1, "guest_unsigned");
    world.approver("bob");
    world.git(&["add", "--force", ".proofhouse/approvers"]);
    world.commit("a key file");
    let said = says(&world, &begin).refuses(1, "guest_unsigned");
    assert!(said.err.contains("only key files"), "{}", said.err);
    // Somebody whose key wants a touch, and who could not decide.
    let (name, key) = line.split_once(' ').unwrap();
    let pageless = line.replace(crate::passkey::ORIGIN, "laptop");
    for (unable, why) in [
        (format!("{name} namespaces=\"file\" {key}"), "do not hold"),
        (
            format!("{name} valid-before=20200101 {key}"),
            "valid only until",
        ),
        (
            format!("{name} valid-after=20990101 {key}"),
            "valid only after",
        ),
        (pageless, "which page it signs on"),
    ] {
        world.write(".proofhouse/approvers", &format!("{unable}\n"));
        world.commit("somebody who cannot decide");
        let said = says(&world, &begin).refuses(1, "guest_unsigned");
        assert!(said.err.contains(why), "{}", said.err);
    }
    // A reviewer is none in the session that did the work.
    let world = self::world();
    let review = [&begin[..], &["--review"]].concat();
    let said = says(&world, &review).refuses(1, "guest_judges");
    assert!(said.err.contains("tiers"), "{}", said.err);
    says(&world, &[&begin[..], &["--exam"]].concat()).refuses(1, "guest_judges");
    // So it is in every workflow that has others judge.
    for workflow in ["phase", "slice", "add", "lights-out"] {
        let begin = [workflow, "make totals of carts", "--agent", "guest"];
        says(&world, &begin).refuses(1, "guest_judges");
    }
    world.write("SPEC.md", "# A\n");
    let factory = ["factory", "new", "SPEC.md", "--agent", "guest"];
    says(&world, &factory).refuses(1, "guest_judges");
    // What was begun for another agent is gone on with by no guest.
    let begun = [
        "new",
        "quick",
        "make totals of carts",
        "--name",
        "t",
        "--yes",
    ];
    says(
        &world,
        &[&begun[..], &["--agent", "scripted:agent/script.toml"]].concat(),
    )
    .exits(0);
    says(&world, &["run", "t", "--agent", "guest"]).refuses(1, "guest_uninvited");
    // The honest twin: another agent reviews.
    world.write(
        "agent/reviews.toml",
        "[[attempt]]\nresult = { summary = \"s\" }\n",
    );
    let config = "agent = \"guest\"\n[tiers]\ntop = \"scripted:agent/reviews.toml\"\n";
    world.write(".proofhouse/config.toml", config);
    let begun = [
        "new",
        "quick",
        "make totals of carts",
        "--name",
        "u",
        "--yes",
        "--set",
        "review=yes",
    ];
    says(&world, &begun).exits(0);
}

#[test]
fn what_the_folder_lacks_of_the_persons_tree_is_said() {
    let world = world();
    world.write(".gitignore", "agent/\n.proofhouse/\nnode_modules/\n");
    world.commit("what is ignored");
    world.write("node_modules/x/index.js", "\n");
    world.write("src/total.sh", "total() { echo 7; }\n");
    world.write("notes.txt", "mine\n");
    let mut client = Client::of(&world);
    let said = client.does("start", json!({ "sentence": "make totals of carts" }));
    for part in ["in no commit: src/total.sh, notes.txt", "--with-edits"] {
        assert!(said.contains(part), "{said}");
    }
    let said = client.does("take", json!({}));
    let place = world.at("node_modules").display().to_string();
    assert!(said.contains(&place), "{said}");
}

#[test]
fn tests_that_must_change_are_not_asked_for_where_the_guest_would_review() {
    let world = world();
    let mut client = Client::of(&world);
    client.does("start", json!({ "sentence": "make totals of carts" }));
    let (attempt, folder) = taken(&client.does("take", json!({})));
    writes(&folder, "src/total.sh", SUM);
    let mut asks = handed_in(&attempt);
    asks["result"]["next"] = json!("change_tests");
    let (said, could) = client.call("hand_in", asks.clone());
    assert!(!could && said.contains("[guest_judges]"), "{said}");
    assert!(said.contains("`reviewer` reads the change"), "{said}");
    // The same is asked for as soon as somebody else would read it.
    let alone = world.read(".proofhouse/config.toml");
    let script = "[[attempt]]\nresult = { summary = \"s\" }\n";
    world.write("agent/reviews.toml", script);
    let both = format!("{alone}[tiers]\ntop = \"scripted:agent/reviews.toml\"\n");
    world.write(".proofhouse/config.toml", &both);
    let said = client.does("hand_in", asks);
    assert!(said.contains("(change_tests)"), "{said}");
    // Nor is a person let sign for it where nobody would.
    world.write(".proofhouse/config.toml", &alone);
    let allow = ["decide", RUN, "allow", "--because", "b", "--message"];
    says(&world, &allow).refuses(1, "guest_judges");
    world.write(".proofhouse/config.toml", &both);
    says(&world, &allow).exits(0);
}
