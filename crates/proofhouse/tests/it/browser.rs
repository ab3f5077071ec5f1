//! `serve` in a real browser: both widths, both schemes, hostile pages, a passkey. Opt-in, because it needs
//! Chromium, Node.js and npm: `cargo test -p proofhouse --test it browser -- --ignored --nocapture`.
//! What it shows is covered without a browser by `serve.rs`.

use crate::serve::serve;
use crate::support::{HONEST, World};
use std::process::Command;

#[test]
#[ignore = "needs chromium (or $CHROMIUM), node and npm; see docs/serve.md"]
fn a_real_browser_shows_it_and_refuses_others() {
    let lacking = ["node", "npm"].into_iter().find(|program| {
        let asked = Command::new(program).arg("--version").output();
        !asked.is_ok_and(|said| said.status.success())
    });
    assert_eq!(lacking, None, "it cannot run without this program");
    let world = World::new();
    world.start(HONEST, &["--autonomy", "conservative"]);
    world.run(&["run", "t"]).exits(2);
    let suite = World::empty();
    suite.write("suite.mjs", include_str!("../data/browser/suite.mjs"));
    suite.write("package.json", "{\"private\": true}\n");
    let npm = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "playwright-core"])
        .current_dir(suite.path())
        .status();
    assert!(
        npm.unwrap().success(),
        "playwright-core could not be installed"
    );
    // Addresses have the folder's name, with a dash for what is odd in it.
    let served = serve(&world, &["--decide"]);
    let shots = std::env::var_os("PROOFHOUSE_SHOTS").unwrap_or_default();
    let said = Command::new("node")
        .arg("suite.mjs")
        .arg(format!("http://localhost:{}", served.port))
        .args([&served.token, world.path().to_str().unwrap()])
        .arg(shots)
        .current_dir(suite.path())
        .output()
        .unwrap();
    println!("{}", String::from_utf8_lossy(&said.stdout));
    assert!(
        said.status.success(),
        "{}",
        String::from_utf8_lossy(&said.stderr)
    );
    world.run(&["audit"]).exits(0);
}
