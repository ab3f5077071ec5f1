//! How programs that start others say that there is no such thing to start: a command with a typo in it fails
//! like a test that is red, and nobody should work for that.

/// Does a starter say so in this line? What a program that was started says of its own modules is something
/// else.
pub fn is_not_there(line: &str) -> bool {
    const BEGIN: [&str; 5] = [
        "npm error Missing script:",
        "npm ERR! Missing script:",
        "Unknown command: \"",
        "error: Justfile does not contain recipe",
        "error: justfile does not contain recipe",
    ];
    let python = |(who, what): (&str, &str)| {
        let program = who.rsplit('/').next().unwrap_or(who);
        program.starts_with("python") && !who.contains(' ') && !what.contains(' ')
    };
    // One that something else needs may be the work's own fault.
    let make = line.starts_with("make: *** No rule to make target") && !line.contains("needed by");
    make || line.split_once(": No module named ").is_some_and(python)
        || BEGIN.iter().any(|begin| line.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_starter_does_not_know_is_told_from_what_a_program_says() {
        for line in [
            "/usr/bin/python3: No module named unitest",
            "python: No module named pytset",
            "npm error Missing script: \"tset\"",
            "npm ERR! Missing script: \"tset\"",
            "Unknown command: \"tset\"",
            "make: *** No rule to make target 'tests'.  Stop.",
            "error: Justfile does not contain recipe `tset`",
        ] {
            assert!(is_not_there(line), "{line}");
        }
        for line in [
            "ModuleNotFoundError: No module named 'shop'",
            "shop/python: No module named 'x' in it",
            "make: *** [Makefile:2: test] Error 1",
            "make: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.",
            "test_unknown: Unknown command: \"x\"",
        ] {
            assert!(!is_not_there(line), "{line}");
        }
    }
}
