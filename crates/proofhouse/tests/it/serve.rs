//! Runs in the browser: who is shown something, what is shown, and that it stays true while a run goes on.

use crate::passkey::Authenticator;
use crate::support::{HONEST, World};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};
use std::time::Duration;

/// A server of one repository, ended with the test.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    /// Where agents find their tools, and the key to them.
    pub(crate) tools: Value,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn serve(world: &World, more: &[&str]) -> Served {
    let args = [&["serve", "--no-open", "--port", "0", "--json"], more].concat();
    let child = world.command(&args).stdout(Stdio::piped()).spawn();
    served(child.unwrap()).0
}

/// What a child serves that says so in its first line, and what else it will say.
pub(crate) fn served(mut child: Child) -> (Served, BufReader<ChildStdout>) {
    let mut line = String::new();
    let mut more = BufReader::new(child.stdout.take().unwrap());
    more.read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let address = said["address"].as_str().unwrap();
    let (place, token) = address.split_once("/#t=").unwrap();
    let port = place.strip_prefix("http://localhost:").unwrap();
    let served = Served {
        child,
        port: port.parse().unwrap(),
        token: token.to_owned(),
        tools: said["tools"].clone(),
    };
    (served, more)
}

/// What a browser hears of a page.
pub(crate) struct Heard(BufReader<TcpStream>);

impl Heard {
    /// The next event: its name, its id and its data. Signs of life are none.
    pub(crate) fn next(&mut self) -> (String, String, Value) {
        let (mut name, mut id) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "it hung up");
            let line = line.trim_end();
            if let Some(text) = line.strip_prefix("event: ") {
                name = text.to_owned();
            } else if let Some(text) = line.strip_prefix("id: ") {
                id = text.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                return (name, id, serde_json::from_str(data).unwrap());
            } else if line.starts_with(": nothing new") {
                return ("nothing".to_owned(), String::new(), Value::Null);
            }
        }
    }
}

impl Served {
    fn send(&self, head: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        let mut text = format!("{head} HTTP/1.1\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        write!(stream, "{text}\r\n{body}").unwrap();
        stream
    }

    pub(crate) fn answer(&self, head: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut text = String::new();
        self.send(head, headers, body)
            .read_to_string(&mut text)
            .unwrap();
        (text[9..12].parse().unwrap(), text)
    }

    pub(crate) fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    pub(crate) fn listen(&self, path: &str, last: &str) -> Heard {
        let host = self.host();
        let mut headers = vec![("Host", host.as_str()), ("X-Proofhouse-Token", &self.token)];
        if !last.is_empty() {
            headers.push(("Last-Event-ID", last));
        }
        let stream = self.send(&format!("GET /live{path}"), &headers, "");
        let mut heard = Heard(BufReader::new(stream));
        let mut line = String::new();
        heard.0.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        heard
    }
}

pub(crate) fn part<'a>(page: &'a Value, id: &str) -> &'a str {
    let parts = page["parts"].as_array().unwrap();
    let part = parts.iter().find(|part| part["id"] == id);
    part.map_or("", |part| part["html"].as_str().unwrap())
}

#[test]
fn nobody_is_shown_anything_without_the_token_and_the_right_address() {
    let world = World::new();
    world.start(HONEST, &[]);
    let served = serve(&world, &[]);
    let host = served.host();
    let (ours, token) = (
        ("Host", host.as_str()),
        ("X-Proofhouse-Token", served.token.as_str()),
    );
    // The empty frame tells nothing of the repository, and carries the policy.
    let (status, frame) = served.answer("GET /r/any/run/t/", &[ours], "");
    assert_eq!(status, 200);
    assert!(!frame.contains("be good"));
    for wanted in [
        "script-src 'self'",
        "frame-ancestors 'none'",
        "X-Frame-Options: DENY",
        "nosniff",
        "no-store",
    ] {
        assert!(frame.contains(wanted), "{wanted}: {frame}");
    }
    assert!(!frame.contains("Set-Cookie"));
    let refused = |headers: &[(&str, &str)]| served.answer("GET /live/", headers, "").0;
    assert_eq!(refused(&[ours]), 401);
    assert_eq!(refused(&[ours, ("X-Proofhouse-Token", "00")]), 401);
    assert_eq!(refused(&[("Host", "evil.example"), token]), 421);
    assert_eq!(
        refused(&[ours, token, ("Origin", "http://localhost:1")]),
        403
    );
    assert_eq!(
        refused(&[ours, token, ("Sec-Fetch-Site", "cross-site")]),
        403
    );
    assert_eq!(
        served
            .answer(&format!("GET /live/?t={}", served.token), &[ours], "")
            .0,
        401
    );
    assert_eq!(
        served.answer("GET /live/nowhere", &[ours, token], "").0,
        404
    );
    assert_eq!(
        served
            .answer("GET /live/r/none/run/t/", &[ours, token], "")
            .0,
        404
    );
    // Nothing changes anything here.
    let origin = format!("http://{host}");
    let asks = [
        ours,
        token,
        ("Origin", &origin),
        ("Content-Type", "application/json"),
    ];
    assert_eq!(served.answer("POST /", &asks, "{}").0, 405);
    assert_eq!(served.answer("POST /", &[ours, token], "{}").0, 403);
    // No file leaves the run's own folder.
    for path in [
        "/file/r/x/run/t/../../../code.png",
        "/file/r/x/run/t/%2e%2e/a.png",
    ] {
        assert_eq!(
            served.answer(&format!("GET {path}"), &[ours, token], "").0,
            404
        );
    }
    // A head without end is not waited for.
    let long = "x".repeat(20_000);
    assert_eq!(served.answer("GET /", &[ours, ("X", &long)], "").0, 431);
}

#[test]
fn a_page_stays_true_and_whoever_comes_back_gets_what_they_lack() {
    let world = World::new();
    world.start(HONEST, &[]);
    let served = serve(&world, &[]);
    let key = world.path().file_name().unwrap().to_str().unwrap();
    let key: String = key
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect();

    let mut home = served.listen("/", "");
    let (name, _, page) = home.next();
    assert_eq!(name, "page");
    // The watcher may not have looked yet; then the next event brings it.
    let page = match part(&page, "ready").contains("be good") {
        true => page,
        false => home.next().2,
    };
    assert!(part(&page, "ready").contains("be good"), "{page}");

    let path = format!("/r/{key}/run/t/");
    let mut run = served.listen(&path, "");
    let (name, first, page) = run.next();
    assert_eq!(name, "page");
    assert!(part(&page, "head").contains("Not proven yet"), "{page}");
    assert!(part(&page, "machine").contains("<svg"), "{page}");
    // Whoever has this page is sent nothing.
    assert_eq!(served.listen(&path, &first).next().0, "nothing");

    world.run(&["run", "t"]).exits(0);
    let mut id = first.clone();
    loop {
        let (name, now, data) = run.next();
        assert!(matches!(name.as_str(), "page" | "parts"), "{name}");
        assert_ne!(now, id, "an event that changes nothing");
        id = now;
        if part(&data, "head").contains("weakly shown") {
            break;
        }
    }
    // The last id is the whole page's: nothing is sent to who has it, everything to who has an older one.
    let (name, now, page) = served.listen(&path, &first).next();
    assert_eq!(name, "page");
    assert!(part(&page, "course").contains("gate of verify"), "{page}");
    assert_eq!(served.listen(&path, &now).next().0, "nothing");

    // Side by side where that is asked for, with the way back; the unified view is there for narrow screens.
    let change = part(&page, "change");
    assert!(change.contains("href=\"?diff=beside#change\""), "{change}");
    assert!(!change.contains("class=\"pairs\""), "{change}");
    let (_, _, beside) = served.listen(&format!("{path}?diff=beside"), "").next();
    let change = part(&beside, "change");
    assert!(change.contains("class=\"pairs\""), "{change}");
    assert!(change.contains("class=\"hunk\"") && change.contains("href=\"?#change\""));
    let kept = world.read("tasks/t/artifacts/evidence.html");
    assert!(!kept.contains("diff=beside"), "a file leads nowhere");

    // What was kept is read from there.
    let gates = part(&page, "gates");
    let at = gates.find("href=\"evidence/").unwrap() + 6;
    let file = gates[at..].split('"').next().unwrap();
    let (_, _, kept) = served.listen(&format!("{path}{file}"), "").next();
    assert!(part(&kept, "text").contains("<pre"), "{kept}");
    // Record by record it is as a replay says.
    let last = world.journal().len();
    assert!(part(&page, "now").contains(&format!("href=\"at/{last}/\"")));
    for seq in 1..=last {
        let then = world.run(&["replay", "t", "--at", &seq.to_string(), "--json"]);
        let then = then.exits(0).json();
        let (_, _, page) = served.listen(&format!("{path}at/{seq}/"), "").next();
        let steps = part(&page, "banner");
        assert!(steps.contains(&format!("record {seq} of {last}")), "{page}");
        assert_eq!(steps.contains("rel=\"next\""), seq < last, "{steps}");
        assert_eq!(steps.contains("rel=\"prev\""), seq > 1, "{steps}");
        let state = then["state"].as_str().unwrap();
        let here = format!("; now in {state}\"");
        assert!(part(&page, "machine").contains(&here), "{state}: {page}");
        assert_eq!(part(&page, "ask"), "", "nobody decides in the past: {page}");
        let attempts = then["attempts"].as_array().unwrap();
        let shown = part(&page, "attempts").matches("id=\"e-").count();
        assert_eq!(shown, attempts.len(), "{seq}: {page}");
    }
    let none = served.listen(&format!("{path}at/{}/", last + 1), "").next();
    assert!(none.2.to_string().contains("unknown_record"), "{none:?}");
    for (place, wanted) in [
        ("spend", "By role"),
        ("audit", "clean"),
        ("settings", "day.<wbr>micro_<wbr>dollars"),
        ("workflows", "lights-out"),
        ("workflow/phase", "<svg"),
    ] {
        let (_, _, page) = served.listen(&format!("/r/{key}/{place}"), "").next();
        assert!(page.to_string().contains(wanted), "{place}: {page}");
    }
}

#[test]
fn what_an_agent_wrote_is_never_markup() {
    let world = World::new();
    let objective = "be <img src=x onerror=alert(1)> good\u{202e}";
    world.write("agent/script.toml", HONEST);
    world.write(".gitignore", "agent/\n");
    let sets = format!("objective={objective}");
    let args = [
        "new",
        "phase",
        "--set",
        &sets,
        "--set",
        "done_gate=grep says so",
        "--dir",
        "tasks/t",
    ];
    let more = [
        "--check",
        crate::support::CHECK,
        "--agent",
        "scripted:agent/script.toml",
    ];
    world.run(&[&args[..], &more].concat()).exits(0);
    let served = serve(&world, &[]);
    let mut home = served.listen("/", "");
    let mut page = home.next().2;
    if !page.to_string().contains("onerror") {
        page = home.next().2;
    }
    let text = part(&page, "ready");
    assert!(text.contains("&lt;img src=x"), "{text}");
    assert!(!text.contains("<img"), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
}

#[test]
fn several_repositories_have_one_page_and_a_taken_port_is_said() {
    let (one, other) = (World::new(), World::new());
    one.start(HONEST, &[]);
    other.start(HONEST, &[]);
    let place = other.path().to_str().unwrap();
    let here = one.path().to_str().unwrap();
    let served = serve(&one, &["--repo", here, "--repo", place]);
    let mut home = served.listen("/", "");
    let mut page = home.next().2;
    if part(&page, "ready").matches("be good").count() < 2 {
        page = home.next().2;
    }
    assert_eq!(part(&page, "ready").matches("be good").count(), 2, "{page}");
    let port = served.port.to_string();
    one.run(&["serve", "--no-open", "--port", &port])
        .refuses(3, "port_taken");
    one.run(&["status", "--repo", here, "--repo", place])
        .refuses(1, "usage");

    // Both are remembered, and shown when none is named; one that is named is shown alone.
    let shown = |more: &[&str]| {
        let served = serve(&one, more);
        let text = served.listen("/index/", "").next().2.to_string();
        text.matches("aria-label=\\\"Pages of").count()
    };
    assert_eq!((shown(&[]), shown(&["--repo", here])), (2, 1));
    one.run(&["serve", "--forget", place]).exits(0);
    one.run(&["serve", "--forget", place])
        .refuses(1, "not_remembered");
    assert_eq!(shown(&[]), 1);
}

impl Served {
    /// What our own page sends; the answer's code and its facts.
    pub(crate) fn sends(&self, path: &str, body: &str) -> (u16, Value) {
        let (host, origin) = (self.host(), format!("http://{}", self.host()));
        let headers = [
            ("Host", host.as_str()),
            ("X-Proofhouse-Token", &self.token),
            ("Origin", &origin),
            ("Content-Type", "application/json"),
        ];
        let (status, text) = self.answer(&format!("POST {path}"), &headers, body);
        let body = text.split_once("\r\n\r\n").unwrap().1;
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    pub(crate) fn words(&self, key: &str, option: &str, head: &str) -> Value {
        let host = self.host();
        let headers = [("Host", host.as_str()), ("X-Proofhouse-Token", &self.token)];
        let path = format!("GET /words/{key}/t?option={option}&because=looked+at%20it&head={head}");
        let (_, text) = self.answer(&path, &headers, "");
        serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap()
    }
}

#[test]
fn a_passkey_decides_on_the_page_what_it_signed_and_nothing_else() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let shows = serve(&world, &[]);
    let (status, said) = shows.sends("/enrol", "{\"name\":\"ann\",\"key\":\"\"}");
    assert_eq!(
        (status, said["code"].as_str()),
        (400, Some("request_malformed"))
    );

    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let origin = format!("http://localhost:{}", served.port);
    let passkey = Authenticator::new();
    let asked = format!(
        "{{\"name\":\"ann@example.org\",\"key\":\"{}\"}}",
        passkey.key()
    );
    let (status, said) = served.sends("/enrol", &asked);
    assert_eq!(status, 200, "{said}");
    // Nothing is listed by that: a person adds the line, and here nobody sits at a terminal.
    assert!(!world.at(".proofhouse/approvers").exists());
    let line = said["line"].as_str().unwrap().to_owned();
    world
        .run(&["approver", "add", &line])
        .refuses(1, "human_presence_required");
    world.write(".proofhouse/approvers", &format!("{line}\n"));
    let said = world.run(&["approver", "list"]).exits(0);
    assert!(
        said.out.contains("passkey, enrolled at http://localhost:"),
        "{}",
        said.out
    );
    world
        .run(&["approver", "add", &line])
        .refuses(1, "already_listed");
    let other = world.at("agent/other.pub");
    let made = std::process::Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(world.at("agent/other"))
        .status();
    assert!(made.unwrap().success());
    let public = std::fs::read_to_string(other).unwrap();
    let stranger = format!("bob@example.org {}", public.trim());
    world
        .run(&["approver", "add", &stranger])
        .refuses(1, "signature_required");
    let own = world.at("agent/other").display().to_string();
    world
        .run(&["approver", "add", &stranger, "--sign", &own])
        .refuses(1, "signer_unknown");

    let head = world.status()["head"]["hash"].as_str().unwrap().to_owned();
    // Another moment than the one that the page shows, and what nobody offers.
    assert_eq!(served.words(&key, "approve", "00")["code"], "page_outdated");
    assert_eq!(served.words(&key, "sudo", &head)["code"], "not_offered");
    let words = served.words(&key, "approve", &head);
    assert!(
        words["text"]
            .as_str()
            .unwrap()
            .contains("because 12: looked at it"),
        "{words}"
    );
    let decide = |words: &Value, origin: &str, option: &str| {
        let body = passkey.decides(words, origin, "t", option);
        let body = body.replace("\"repo\":\"\"", &format!("\"repo\":\"{key}\""));
        let body = body.replace("\"head\":\"\"", &format!("\"head\":\"{head}\""));
        served.sends("/decide", &body)
    };
    // Signed for something else, and given to another page.
    for (origin, option) in [(origin.as_str(), "stop"), ("http://localhost:1", "approve")] {
        let (status, said) = decide(&words, origin, option);
        assert_eq!(
            (status, said["code"].as_str()),
            (400, Some("signature_invalid")),
            "{said}"
        );
    }
    // A server that only shows does not take it either.
    let body = passkey.decides(&words, &origin, "t", "approve");
    let body = body.replace("\"repo\":\"\"", &format!("\"repo\":\"{key}\""));
    assert_eq!(shows.sends("/decide", &body).1["code"], "page_only_shows");
    assert_eq!(world.status()["activity"], "waiting");

    let (status, said) = decide(&words, &origin, "approve");
    assert_eq!(status, 200, "{said}");
    assert_eq!(world.status()["state"], "done");
    // The same words a second time are of another moment.
    assert_eq!(decide(&words, &origin, "approve").0, 400);
    let record = world.journal();
    let record = record
        .iter()
        .map(Value::to_string)
        .find(|text| text.contains("SSH SIGNATURE"));
    let record = record.unwrap();
    assert!(
        record.contains("ann@example.org") && record.contains("(passkey)"),
        "{record}"
    );
    world.run(&["audit"]).exits(0);
    // With another approver in its place, the decision is nobody's.
    world.write(".proofhouse/approvers", &format!("{stranger}\n"));
    world.run(&["audit"]).exits(1);
}

pub(crate) fn key_of(served: &Served) -> String {
    let mut home = served.listen("/", "");
    let mut page = home.next().2.to_string();
    while !page.contains("/r/") {
        page = home.next().2.to_string();
    }
    page.split("/r/")
        .nth(1)
        .unwrap()
        .split(['/', '"', '\\'])
        .next()
        .unwrap()
        .to_owned()
}

#[test]
fn what_works_right_now_is_on_the_page_as_long_as_it_does() {
    let world = World::new();
    world.start(&format!("{}{HONEST}", crate::crash::hangs("intake")), &[]);
    let served = serve(&world, &[]);
    let path = format!("/r/{}/run/t/", key_of(&served));
    let mut run = served.listen(&path, "");
    let first = run.next().2;
    assert!(part(&first, "now").contains("Nobody drives it"), "{first}");
    world.run(&["run", "t", "--detach"]).exits(0);
    let mut now = String::new();
    while !now.contains("framer works in intake") {
        now = part(&run.next().2, "now").to_owned();
    }
    assert!(now.contains("data-since="), "{now}");
    world.run(&["stop", "t"]).exits(0);
    loop {
        let data = run.next().2;
        let told = data["parts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|part| part["id"] == "now");
        let idle = part(&data, "now").contains("proofhouse run t");
        if told && idle && !part(&data, "now").contains("works in") {
            break;
        }
    }
}

#[test]
fn a_sentence_on_the_page_begins_a_run() {
    let world = crate::quick::world();
    world.write(
        ".proofhouse/config.toml",
        "agent = \"scripted:agent/script.toml\"\n",
    );
    let served = serve(&world, &["--decide"]);
    let key = key_of(&served);
    let begin = |served: &Served, sentence: &str| {
        let body = serde_json::json!({ "repo": key, "sentence": sentence });
        served.sends("/start", &body.to_string())
    };
    let (status, said) = begin(&serve(&world, &[]), "make totals of carts");
    assert_eq!(
        (status, said["code"].as_str()),
        (400, Some("page_only_shows"))
    );
    let (status, said) = begin(&served, "--help");
    // A sentence is never a flag: this one begins a run of that name.
    assert_eq!(
        (
            status,
            said["address"].as_str().unwrap().ends_with("/run/help/")
        ),
        (200, true),
        "{said}"
    );
    let (status, said) = begin(&served, "make totals of carts");
    assert_eq!(status, 200, "{said}");
    let address = said["address"].as_str().unwrap();
    let mut run = served.listen(address, "");
    loop {
        let data = run.next().2;
        if part(&data, "head").contains("Waiting for a person") {
            break;
        }
    }
    // What cannot be begun is said in the words of `do`.
    world.write("Makefile", "");
    world.commit("nothing proves anything");
    let (status, said) = begin(&served, "make totals of baskets");
    assert_eq!(
        (status, said["code"].as_str()),
        (400, Some("no_check")),
        "{said}"
    );
}

#[test]
fn a_journal_under_another_name_is_not_shown_as_that_run() {
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let journal = world.read(".proofhouse/journal/t.jsonl");
    world.write(".proofhouse/journal/decoy.jsonl", &journal);
    world
        .run(&["status", "decoy"])
        .refuses(3, "journal_of_another");
    let key = world.approver("ann").display().to_string();
    let decide = [
        "decide",
        "decoy",
        "approve",
        "--because",
        "looked",
        "--sign",
        &key,
    ];
    world.run(&decide).refuses(3, "journal_of_another");
    let served = serve(&world, &[]);
    let (_, _, page) = served
        .listen(&format!("/r/{}/run/decoy/", key_of(&served)), "")
        .next();
    assert!(page.to_string().contains("journal_of_another"), "{page}");
    // A pipe in a journal's place is waited for by nobody.
    let pipe = world.at(".proofhouse/journal/pipe.jsonl");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    world.run(&["status", "t"]).exits(0);
    world.run(&["inbox"]);
}

#[test]
fn whoever_else_listens_on_the_newer_loopback_is_not_handed_the_token() {
    let world = World::new();
    let Ok(other) = std::net::TcpListener::bind(("::1", 0)) else {
        eprintln!("skipped: this machine has no ::1; the guard of Host and token is tested above");
        return;
    };
    let port = other.local_addr().unwrap().port().to_string();
    world
        .run(&["serve", "--no-open", "--port", &port])
        .refuses(3, "port_taken");
}

#[test]
fn who_dawdles_at_the_door_gives_way() {
    let world = World::new();
    let served = serve(&world, &[]);
    let dawdlers: Vec<TcpStream> = (0..300)
        .map(|_| TcpStream::connect(("127.0.0.1", served.port)).unwrap())
        .collect();
    let host = served.host();
    let (status, _) = served.answer("GET /", &[("Host", &host)], "");
    assert_eq!(status, 200);
    drop(dawdlers);
}

/// The demo plays while the browser listens, and its pages stay until Ctrl-C.
#[test]
fn the_demo_is_played_live_and_stays() {
    let world = World::new();
    let dir = world.at("shown").display().to_string();
    let asked = ["demo", "--workflow", "phase", "--dir", dir.as_str()];
    let live = ["--serve", "--port", "0", "--no-open", "--json"];
    let mut command = world.command(&[&asked[..], &live].concat());
    let (mut served, more) = served(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut heard = served.listen("/", "");
    while !heard.next().2.to_string().contains("slugs") {}
    let mut facts = String::new();
    for line in more.lines() {
        facts += &line.unwrap();
        if serde_json::from_str::<Value>(&facts).is_ok() {
            break;
        }
    }
    let facts: Value = serde_json::from_str(&facts).unwrap();
    assert_eq!(facts["state"], "done", "{facts}");
    let (_, _, page) = served.listen("/r/shown/run/slugs/", "").next();
    assert!(page.to_string().contains("slugify()"), "{page}");
    let pid = served.child.id().to_string();
    let mut ctrl_c = std::process::Command::new("kill");
    assert!(ctrl_c.args(["-INT", &pid]).status().unwrap().success());
    assert_eq!(served.child.wait().unwrap().code(), Some(0));
    let alone = world.run(&["demo", "--no-open"]).exits(1);
    assert!(alone.err.contains("--serve"), "{}", alone.err);
}
