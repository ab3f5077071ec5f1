//! What a command's text says about its worth as a proof: does it run anything, or only say what it
//! was told? Words alone can be told apart; a script that prints what is expected looks like any
//! other.

/// Programs that say whatever they are told.
const PARROTS: [&str; 7] = ["echo", "printf", "true", ":", "exit", "yes", "date"];
/// Words before the program that is really run.
const PREFIXES: [&str; 10] = [
    "env", "command", "builtin", "exec", "eval", "time", "nohup", "nice", "sudo", "!",
];
/// Shells: with `-c` they run what follows.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Languages, with the options behind which a program is spelt out.
const LANGUAGES: [(&str, &[&str]); 8] = [
    ("python", &["-c"]),
    ("node", &["-e", "-p", "--eval", "--print"]),
    ("deno", &["eval"]),
    ("bun", &["-e", "--eval"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("jq", &["-n", "--null-input"]),
];
/// Programs that only look at files, or hand on what they are given.
const READERS: [&str; 37] = [
    "cat", "grep", "egrep", "fgrep", "rg", "ls", "head", "tail", "find", "wc", "test", "[", "cd",
    "sed", "awk", "gawk", "mawk", "tr", "cut", "sort", "uniq", "tee", "tac", "nl", "rev", "fold",
    "paste", "diff", "cmp", "stat", "file", "strings", "od", "jq", "less", "more", "git",
];
/// Commands that run tests, and not the product.
const TESTERS: [&str; 10] = [
    "cargo test",
    "cargo nextest",
    "pytest",
    "unittest",
    "npm test",
    "npm run test",
    "vitest",
    "jest",
    "node --test",
    "go test",
];

/// The simple commands of a line, as far as that can be told without a shell.
fn parts(command: &str) -> impl Iterator<Item = &str> {
    let parts = command.split([';', '&', '|', '\n']).map(str::trim);
    parts.filter(|part| !part.is_empty())
}

/// Does any of it do more than run tests, look at files or say what it is told?
pub fn beyond_tests(command: &str) -> bool {
    parts(command).any(|part| {
        let first = program(part);
        !first.is_empty()
            && !READERS.contains(&first)
            && !PARROTS.contains(&first)
            && !TESTERS.iter().any(|tester| part.contains(tester))
    })
}

/// The words of a simple command without quotes and brackets.
fn words(part: &str) -> impl Iterator<Item = &str> {
    part.split(|each: char| each.is_whitespace() || "(){}'\"".contains(each))
        .filter(|word| !word.is_empty())
}

/// The program that a simple command runs, by its bare name: behind assignments, brackets, and
/// programs that only start another.
fn program(part: &str) -> &str {
    let mut started_by = "";
    for word in words(part) {
        let name = word.rsplit('/').next().unwrap_or(word);
        let assigns = word.split_once('=').is_some_and(|(name, _)| {
            let plain = |each: char| each.is_ascii_alphanumeric() || each == '_';
            !name.is_empty() && name.chars().all(plain)
        });
        let option = !started_by.is_empty() && word.starts_with('-');
        if assigns || option {
            continue;
        }
        let shell = SHELLS.contains(&name) && spells_out(part, &["-c"]);
        if !shell && !PREFIXES.contains(&name) {
            return name;
        }
        started_by = name;
    }
    started_by
}

/// Has it an option behind which a program is spelt out? Short ones may be joined: `-lc`.
fn spells_out(part: &str, options: &[&str]) -> bool {
    words(part).any(|word| {
        options.iter().any(|option| {
            let joined = option.len() == 2
                && word.starts_with('-')
                && !word.starts_with("--")
                && word.ends_with(&option[1..]);
            word == *option || joined
        })
    })
}

/// Is it made of nothing but programs that say what they are told? That is as much as can be told
/// from its text: a script that prints what is expected is not seen here.
pub fn proves_nothing(command: &str, expect: &str) -> bool {
    let says_it = |text: &str| !expect.trim().is_empty() && text.contains(expect.trim());
    // What is said whatever the rest of the line does, behind `;`, `|`, `&` or `||`: a program that
    // was spelt out with its own output, which may have had a `;` in it, and plain words.
    let told = |(part, given): &(&str, Given)| {
        let plain = is_parrot(part) && !substitutes(part) && says_it(part);
        plain || (*given == Given::Nothing && is_spelt_out(part) && says_it(command))
    };
    if unasked(command).iter().any(told) {
        return true;
    }
    // Words between `<<END` and `END` are no commands, and whoever reads them aloud says them.
    if let Some((before, fed)) = command.split_once("<<")
        && let Some((_, body)) = fed.split_once('\n')
        && !before.contains(['|', ';', '&'])
        && READERS.contains(&program(before))
        && says_it(body)
    {
        return true;
    }
    let mut real = parts(command)
        .filter(|part| !program(part).is_empty())
        .peekable();
    real.peek().is_some()
        && real.all(|part| {
            // What a substitution runs may prove something, unless the words are there already.
            is_parrot(part) && (!substitutes(part) || says_it(part))
        })
}

/// Does it say what it is told, and nothing else?
fn is_parrot(part: &str) -> bool {
    let fed = READERS.contains(&program(part)) && part.contains("<<");
    PARROTS.contains(&program(part)) || fed
}

/// Is it a program in another language, spelt out on the line?
fn is_spelt_out(part: &str) -> bool {
    let language = LANGUAGES.iter().find(|(name, _)| {
        // `python3.12` is a python.
        let version = program(part).strip_prefix(name);
        version.is_some_and(|rest| {
            rest.chars()
                .all(|each| each.is_ascii_digit() || each == '.')
        })
    });
    language.is_some_and(|(_, options)| spells_out(part, options))
}

fn substitutes(part: &str) -> bool {
    part.contains("$(") || part.contains('`')
}

/// What a simple command has to go by: the output of another one, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Given {
    Output,
    Nothing,
}

/// The simple commands that no success of another one leads to. `a && b` says `b` only after `a`
/// succeeded, so `b` may tell something; but nothing can be learnt from an `a` that always succeeds.
fn unasked(command: &str) -> Vec<(&str, Given)> {
    let mut found = Vec::new();
    let (mut asked, mut given) = (false, Given::Nothing);
    let mut rest = command;
    loop {
        let end = rest.find([';', '&', '|', '\n']).unwrap_or(rest.len());
        let part = rest[..end].trim();
        let behind = &rest[end..];
        if !part.is_empty() && !asked && !is_heard(behind) {
            found.push((part, given));
        }
        let Some(operator) = behind.chars().next() else {
            return found;
        };
        given = match operator == '|' && !behind.starts_with("||") && !part.is_empty() {
            true => Given::Output,
            false => Given::Nothing,
        };
        rest = match behind.strip_prefix("&&") {
            Some(rest) => {
                asked = asked || may_fail(part);
                rest
            }
            None => {
                asked = false;
                &behind[operator.len_utf8()..]
            }
        };
    }
}

/// Does a program take what is said before it? Then the words are its input, and not the output.
fn is_heard(behind: &str) -> bool {
    let Some(rest) = behind
        .strip_prefix('|')
        .filter(|rest| !rest.starts_with('|'))
    else {
        return false;
    };
    let by = program(parts(rest).next().unwrap_or_default());
    !by.is_empty() && !READERS.contains(&by) && !PARROTS.contains(&by)
}

/// Can its success mean anything? A listing of whatever is there, or a word, cannot fail.
fn may_fail(part: &str) -> bool {
    let alone = words(part).count() == 1;
    let name = program(part);
    let never = is_parrot(part) || ["cd", "pwd", "date", "sleep"].contains(&name);
    let lists = name == "ls" && alone;
    !(name.is_empty() || never || lists)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_no_proof_however_they_are_said() {
        for command in [
            "echo it works",
            "true && echo it works",
            "sh -c 'echo it works'",
            "bash -lc \"echo it works\"",
            "/bin/echo it works",
            "A=1 echo it works",
            "env A=1 /usr/bin/printf 'it works'",
            "(echo it works)",
            "{ echo it works; }",
            "python3 -c \"print('it works')\"",
            "python3 -c \"import sys; print('it works')\"",
            "/usr/bin/python3.12 -c 'print(\"it works\")'",
            "node -e 'console.log(\"it works\")'",
            "echo it works $(true)",
            "X=1; echo it works",
            "cat <<< 'it works'",
            "ls; echo it works",
            "ls && echo it works",
            "cd . && ls && echo it works",
            "./todo list; echo it works",
            "./todo list || echo it works",
            "./todo list | echo it works",
            "./todo list & echo it works",
            "./todo list && true; echo it works",
            "./todo list\nprintf 'it works'",
            "cd . && python3 -c \"print('it works')\"",
            "jq -n '\"it works\"'",
            "yes it works | head -1",
            "date '+it works'",
            "grep it <<< 'it works'",
            "cat <<END\nit works\nEND",
            "tee <<END\nit works\nEND",
        ] {
            assert!(proves_nothing(command, "it works"), "{command}");
        }
    }

    #[test]
    fn what_runs_something_may_prove_something() {
        for command in [
            "./todo add milk && ./todo list",
            "curl -s localhost:8080/health | grep milk",
            "sh -c './todo list'",
            "A=1 ./todo list",
            "(cd app && ./todo list)",
            "echo \"$(./todo list)\"",
            "python3 -c 'import todo; print(todo.list())'",
            "python3 todo.py list milk",
            "test -f milk && echo milk",
            "cd app && ./todo has milk && echo milk",
            "./todo list; echo done",
            "echo start; ./todo list | grep milk",
            "echo milk | ./todo add && ./todo list",
            "printf 'milk\\n' | ./todo",
            "./todo import <<END\nmilk\nEND",
            "./todo dump | jq '.[] | .milk'",
            "curl -s localhost/list | python3 -c 'import sys; assert sys.stdin.read(); print(\"milk\")'",
        ] {
            assert!(!proves_nothing(command, "milk"), "{command}");
        }
    }

    #[test]
    fn a_program_is_named_by_its_last_part() {
        assert_eq!(program("A=1 env -i B=2 /bin/echo x"), "echo");
        assert_eq!(program("sh -c 'cat x'"), "cat");
        assert_eq!(program("sh script.sh"), "sh");
        assert!(!beyond_tests("/bin/cat x; sh -c 'ls'"));
        assert!(beyond_tests("sh run.sh"));
        assert!(!beyond_tests("sed -n 1p README.md | sort"));
    }
}
