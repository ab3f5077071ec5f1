//! The page teaches by example, so its examples are run.

use crate::world::{World, transcript};
use agents::{Command, Scripted};
use kernel::outcome::Class;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../../docs/scripted-agent.md");

fn example(language: &str) -> &'static str {
    let (_, after) = PAGE
        .split_once(&format!("```{language}\n"))
        .expect(language);
    after.split_once("```\n").expect("an end").0
}

#[test]
fn the_script_is_a_script() {
    Scripted::parse("page", example("toml"), Path::new("")).expect("the page's script");
}

#[test]
fn the_program_is_an_agent() {
    let world = World::new();
    let program = world.path("agent.sh");
    fs::write(&program, example("sh")).expect("the program");
    let argv = vec!["sh".to_owned(), program.display().to_string()];
    let reply = world.run(&Command::new(argv).expect("an agent"));
    assert_eq!(reply.class, Class::Done, "{}", transcript(&reply));
    assert_eq!(world.read("view/task/notes.md"), "Do it.\n");
}

#[test]
fn every_variable_is_on_the_page() {
    let world = World::new();
    let argv = ["sh", "-c", "env"].map(str::to_owned).to_vec();
    let reply = world.run(&Command::new(argv).expect("an agent"));
    let text = transcript(&reply);
    let ours = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name);
    let ours: Vec<&str> = ours
        .filter(|name| name.starts_with("PROOFHOUSE_"))
        .collect();
    assert!(ours.len() >= 9, "{ours:?}");
    // The sandbox's own mark is no business of the program.
    for name in ours
        .into_iter()
        .filter(|name| *name != sandbox::TREE_VARIABLE)
    {
        assert!(
            PAGE.contains(&format!("| `{name}` |")),
            "{name} is not on the page"
        );
    }
}
