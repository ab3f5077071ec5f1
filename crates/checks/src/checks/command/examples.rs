//! The worked examples of `command`; too many for its own file.

use crate::Example;
use serde_json::json;

pub(super) fn examples() -> Vec<Example> {
    vec![
        Example::passes(
            "none is needed",
            json!({"from": "commands", "if_none": "pass"}),
            "none is needed",
        ),
        Example::passes("exit code zero", json!({"shell": "true"}), "exit code 0"),
        Example {
            repo: &[("src/a.txt", "hello\n")],
            ..Example::passes(
                "the command runs in the repository",
                json!({"argv": ["grep", "-q", "hello", "src/a.txt"]}),
                "exit code 0",
            )
        },
        Example::passes(
            "another exit code, if it is the expected one",
            json!({"shell": "exit 3", "expect_exit": 3}),
            "exit code 3",
        ),
        Example::passes(
            "new files are only mentioned",
            json!({"shell": "echo x >new.txt"}),
            "new files: new.txt",
        ),
        Example::passes(
            "the output is looked at if that is asked for",
            json!({"shell": "echo 5 passed", "expect_output": "5 passed"}),
            "exit code 0",
        ),
        Example {
            commands: &["true", "test -d ."],
            ..Example::passes(
                "every command that was set",
                json!({"from": "commands"}),
                "exit code 0",
            )
        },
        Example::fails(
            "\"all tests passed\" in the output is no exit code",
            json!({"shell": "echo all tests passed; exit 1"}),
            "exit code 1, not 0; last output: all tests passed",
        ),
        Example {
            commands: &["true", "echo broken; exit 2"],
            ..Example::fails(
                "one of the commands fails",
                json!({"from": "commands"}),
                "broken",
            )
        },
        Example {
            repo: &[("tests/a.txt", "strict\n")],
            ..Example::fails(
                "a command that edits what it judges",
                json!({"shell": "echo lax >tests/a.txt"}),
                "the command changed the tree it judges: tests/a.txt",
            )
        },
        Example {
            repo: &[("tests/a.txt", "strict\n")],
            ..Example::fails(
                "a command that deletes what it judges",
                json!({"shell": "rm tests/a.txt"}),
                "the command changed the tree it judges: tests/a.txt",
            )
        },
        Example::fails(
            "the expected output is missing",
            json!({"shell": "echo 0 passed", "expect_output": "5 passed"}),
            "does not contain `5 passed`",
        ),
        Example::fails(
            "a signal is not an exit code",
            json!({"shell": "kill -9 $$"}),
            "ended by signal 9",
        ),
        Example::fails(
            "the wall limit",
            json!({"shell": "sleep 1000", "timeout_seconds": 1}),
            "killed by Proofhouse: wall limit of 1 s",
        ),
        Example::cannot_run(
            "no command was set",
            json!({"from": "commands"}),
            "no validation command is set; give `--check CMD`",
        ),
        Example::cannot_run(
            "the program is missing",
            json!({"argv": ["no-such-program-here"]}),
            "no such program",
        ),
        Example::cannot_run(
            "the program is missing, says the shell",
            json!({"shell": "no-such-program-here --version"}),
            "the shell cannot run it (exit code 127)",
        ),
        Example {
            repo: &[("script", "true\n")],
            ..Example::cannot_run(
                "the program is not executable, says the shell",
                json!({"shell": "./script"}),
                "exit code 126",
            )
        },
        Example {
            fields: &[("Gate", "fast: `true`, then `test 1 = 1`")],
            ..Example::passes(
                "commands of a field",
                json!({"field": "Gate"}),
                "exit code 0",
            )
        },
        Example {
            fields: &[("Gate", "true && false")],
            ..Example::fails(
                "a field that is one command",
                json!({"field": "Gate"}),
                "exit code 1",
            )
        },
        Example::cannot_run(
            "an empty field",
            json!({"field": "Gate"}),
            "names no command",
        ),
        Example::cannot_run(
            "two commands in one",
            json!({"argv": ["true"], "shell": "true"}),
            "exactly one of",
        ),
    ]
}
