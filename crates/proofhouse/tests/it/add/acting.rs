//! What tools run or follow because it is there: in scope by its name, or a person is asked.

use super::{Add, Scope, begins, data};
use crate::support::Said;

/// The builder leaves this file beside its work, in a run that goes by itself on observed evidence.
#[track_caller]
fn leaves(path: &str, scope: &str) -> Add {
    let honest = data("honest.toml");
    let (_, build) = honest.split_once("state = \"build\"\nsteps = [").unwrap();
    let (build, _) = build.split_once("[[attempt]]").unwrap();
    let script = format!(
        "[[attempt]]\nstate = \"build\"\nsteps = [{{ write = \"repo/{path}\", text = \"x\\n\" }}, {build}"
    );
    let add = Add::laid(&script, Scope::Narrow);
    let agent = add.world.read("agent/script.toml");
    let scoped = format!("Scope (may touch): {scope}");
    let agent = agent.replace("Scope (may touch): src/**", &scoped);
    add.world.write("agent/script.toml", &agent);
    let mut command = add.world.command(&begins(&["--exam"]));
    command.env_remove("PROOFHOUSE_APPROVALS__WEAK");
    Said::from(command.output().unwrap()).exits(0);
    add.run(2);
    add.decide("freeze", "read it").exits(0);
    add
}

#[test]
fn what_acts_by_itself_and_no_scope_names_is_a_persons_to_approve() {
    let add = leaves("src/.vscode/tasks.json", "src/**");
    let said = add.run(2);
    let why = "nobody asked for this: src/.vscode/tasks.json is new: ";
    assert!(said.out.contains(why), "{}", said.out);
    assert_eq!(add.stands(), ("verify".into(), String::new(), 0));
    add.decide("approve", "it is for our editors").exits(0);
    add.run(0);
    add.is_in("done");
}

#[test]
fn what_acts_by_itself_in_an_approved_scope_by_its_name_is_fine() {
    for (path, scope) in [
        ("src/.vscode/tasks.json", "`src/**`, `src/.vscode/**`"),
        ("src/setup.py", "src/**, src/setup.py"),
        ("src/more.sh", "src/**"),
    ] {
        let add = leaves(path, scope);
        let said = add.run(0);
        assert!(!said.out.contains("nobody asked"), "{}", said.out);
        add.is_in("done");
    }
}
