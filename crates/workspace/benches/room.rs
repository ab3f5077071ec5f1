//! What a room costs over the command itself, in a repository of 5,000 files: the first time, when the
//! checkout is made, and after that. The bar is 30 ms for the second time.

use checks::Rooms as _;
use sandbox::{Cancel, Launch, Limits, Policy};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use workspace::Project;
use workspace::config::{Config, RoomSettings};
use workspace::git;
use workspace::room::Rooms;

const FILES: usize = 5_000;
const TIMES: usize = 15;
const BAR: f64 = 30.0;

fn repository(dir: &Path) {
    for number in 0..FILES {
        let folder = dir.join(format!("src/part{}", number / 50));
        std::fs::create_dir_all(&folder).expect("a folder");
        let text = format!("pub fn number_{number}() -> u32 {{ {number} }}\n").repeat(20);
        std::fs::write(folder.join(format!("file{number}.rs")), text).expect("a file");
    }
    std::fs::write(dir.join(".gitignore"), ".proofhouse/\n").expect("a file");
    git::first_commit(dir, "first").expect("a commit");
}

fn launch(dir: &Path) -> Launch {
    let limits = Limits {
        wall: Duration::from_secs(60),
        idle: None,
        output_bytes: 1 << 20,
    };
    let mut launch = Launch::new(vec!["true".into()], dir, sandbox::base_env(), limits);
    let none: [PathBuf; 0] = [];
    launch.policy = Some(Policy::confined(none, [dir]));
    launch
}

fn millis(act: impl FnOnce()) -> f64 {
    let began = Instant::now();
    act();
    began.elapsed().as_secs_f64() * 1000.0
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().canonicalize().expect("a path");
    repository(&dir);
    let project = Project::find(&dir).expect("a repository");
    let config = Config::load(&dir.join("none.toml")).expect("no settings");
    let settings = RoomSettings::of(&config).expect("settings");
    let scratch = dir.join(".proofhouse/work/bench/1");
    let files = || git::files(&dir, &dir);
    let rooms = Rooms::of(&project, &settings, &scratch, &files);
    let (launch, cancel) = (launch(&dir), Cancel::new());
    let plain = || drop(sandbox::run(&launch, &cancel).expect("it runs"));
    let room = || drop(rooms.run(&launch, &cancel).expect("it runs"));
    plain();
    let first = millis(room);
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        times.0.push(millis(plain));
        times.1.push(millis(room));
    }
    let (plain, room) = (median(times.0), median(times.1));
    let over = room - plain;
    println!("a command in the sandbox:        {plain:7.1} ms");
    println!("in a room, the first time:       {first:7.1} ms ({FILES} files are copied)");
    println!("in a room, from then on:         {room:7.1} ms");
    println!(
        "over the command itself:         {over:7.1} ms (bar: {BAR} ms), {:.2} times",
        room / plain
    );
    assert!(over <= BAR, "a room costs too much");
}
