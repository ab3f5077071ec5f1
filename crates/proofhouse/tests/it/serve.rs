//! Runs in the browser: who is shown something, what is shown, and that it stays true while a run goes on.

use crate::support::{HONEST, World};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A server of one repository, ended with the test.
struct Served {
    child: Child,
    port: u16,
    token: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(world: &World, more: &[&str]) -> Served {
    let args = [&["serve", "--no-open", "--port", "0", "--json"], more].concat();
    let mut child = world.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    said.read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    let address = said["address"].as_str().unwrap();
    let (place, token) = address.split_once("/#t=").unwrap();
    let port = place.strip_prefix("http://localhost:").unwrap();
    Served {
        child,
        port: port.parse().unwrap(),
        token: token.to_owned(),
    }
}

/// What a browser hears of a page.
struct Heard(BufReader<TcpStream>);

impl Heard {
    /// The next event: its name, its id and its data. Signs of life are none.
    fn next(&mut self) -> (String, String, Value) {
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

    fn answer(&self, head: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut text = String::new();
        self.send(head, headers, body)
            .read_to_string(&mut text)
            .unwrap();
        (text[9..12].parse().unwrap(), text)
    }

    fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    fn listen(&self, path: &str, last: &str) -> Heard {
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

fn part<'a>(page: &'a Value, id: &str) -> &'a str {
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
    let page = match part(&page, "working").contains("be good") {
        true => page,
        false => home.next().2,
    };
    assert!(part(&page, "working").contains("be good"), "{page}");

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
        if part(&data, "head").contains("Proven") {
            break;
        }
    }
    // The last id is the whole page's: nothing is sent to who has it, everything to who has an older one.
    let (name, now, page) = served.listen(&path, &first).next();
    assert_eq!(name, "page");
    assert!(part(&page, "course").contains("gate of verify"), "{page}");
    assert_eq!(served.listen(&path, &now).next().0, "nothing");

    // What was kept is read from there.
    let gates = part(&page, "gates");
    let at = gates.find("href=\"evidence/").unwrap() + 6;
    let file = gates[at..].split('"').next().unwrap();
    let (_, _, kept) = served.listen(&format!("{path}{file}"), "").next();
    assert!(part(&kept, "text").contains("<pre"), "{kept}");
    for (place, wanted) in [
        ("spend", "By role"),
        ("audit", "clean"),
        ("settings", "day.micro_dollars"),
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
    let text = part(&page, "working");
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
    if part(&page, "working").matches("be good").count() < 2 {
        page = home.next().2;
    }
    assert_eq!(
        part(&page, "working").matches("be good").count(),
        2,
        "{page}"
    );
    let port = served.port.to_string();
    one.run(&["serve", "--no-open", "--port", &port])
        .refuses(3, "port_taken");
    one.run(&["status", "--repo", here, "--repo", place])
        .refuses(1, "usage");
}
