//! The terminal channel: whoever sits there sees what is decided and types the run's code. It
//! refuses to read stdin, which a script can fill, and to ask twice.

use super::Words;
use kernel::unseen::is_unseen;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, IsTerminal, Read, Write};
use workspace::error::EngineError;

/// Where a person can be asked.
pub trait Terminal {
    /// Is anybody there to ask?
    fn is_terminal(&self) -> bool;
    /// Shows the prompt and reads one line; an empty text if the other side hung up.
    fn ask(&mut self, prompt: &str) -> std::io::Result<String>;
    /// The account at the terminal.
    fn user(&self) -> String;
}

/// Who confirmed: the account at the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who(pub String);

pub use report::question::run_code;

/// Shows what is decided and asks for the code, once.
pub fn confirm(terminal: &mut dyn Terminal, words: &Words) -> Result<Who, EngineError> {
    if !terminal.is_terminal() {
        return Err(absent(
            "a decision needs a person, and there is no terminal",
        ));
    }
    // A milestone is no run, and a run that is only about to begin has no status, nor have the settings: their
    // code stands in the line above the question.
    let above = words.run.contains(':') || words.seq == 0;
    let prompt = format!(
        "\nYou decide for {}:\n  option   {}\n  because  {}\n\n\
         Type the run code ({} shows it) to confirm: ",
        match words.seq {
            // No record of a run is meant.
            0 => plain(words.run),
            seq => format!("run {} (at record {seq})", plain(words.run)),
        },
        plain(words.option),
        words
            .because
            .lines()
            .map(plain)
            .collect::<Vec<_>>()
            .join("\n           "),
        match above {
            true => "the line above".to_owned(),
            false => format!("`proofhouse status {}`", plain(words.run)),
        },
    );
    let typed = terminal
        .ask(&prompt)
        .map_err(|error| absent(&format!("the terminal gave no answer: {error}")))?;
    if typed.trim().is_empty() {
        return Err(absent("nothing was typed at the terminal"));
    }
    if as_code(&typed) != run_code(words.run, words.head) {
        return Err(match above {
            true => EngineError::user(
                "run_code_wrong",
                format!(
                    "that is not the code that was shown for {}; nothing was decided",
                    plain(words.run)
                ),
                "repeat the command, and type the code that it shows",
            ),
            false => EngineError::user(
                "run_code_wrong",
                format!(
                    "that is not the code of run {}; nothing was decided",
                    plain(words.run)
                ),
                format!(
                    "read the code in `proofhouse status {}` again (it changes with every step of \
                     the run), then repeat the command",
                    plain(words.run)
                ),
            ),
        });
    }
    Ok(Who(terminal.user()))
}

fn absent(what: &str) -> EngineError {
    EngineError::user(
        "human_presence_required",
        what,
        "run the command yourself in a terminal; or list keys in .proofhouse/approvers and \
         add `--sign KEY`",
    )
}

/// As people type codes: any case, stray blanks and dashes, O for 0, I or L for 1.
fn as_code(typed: &str) -> String {
    typed
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .map(|c| match c.to_ascii_uppercase() {
            'O' => '0',
            'I' | 'L' => '1',
            other => other,
        })
        .collect()
}

/// Text that cannot move the cursor, recolour the screen or turn its own direction around.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            c if c.is_control() => c.escape_debug().to_string(),
            c if is_unseen(c) => c.escape_unicode().to_string(),
            c => c.to_string(),
        })
        .collect()
}

/// The terminal that this process belongs to, through `/dev/tty`: a pipe on stdin does not answer.
pub struct ControllingTerminal {
    device: Option<File>,
}

impl ControllingTerminal {
    /// Opens it. Without one, [`Terminal::is_terminal`] says so.
    pub fn open() -> Self {
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .ok()
            .filter(File::is_terminal);
        Self { device }
    }
}

impl Terminal for ControllingTerminal {
    fn is_terminal(&self) -> bool {
        self.device.is_some()
    }

    fn ask(&mut self, prompt: &str) -> std::io::Result<String> {
        let device = self
            .device
            .as_mut()
            .ok_or_else(|| std::io::Error::from(std::io::ErrorKind::NotConnected))?;
        device.write_all(prompt.as_bytes())?;
        device.flush()?;
        let mut line = String::new();
        BufReader::new(device.take(1_024)).read_line(&mut line)?;
        Ok(line)
    }

    // Not $USER: whoever starts the process chooses its environment.
    fn user(&self) -> String {
        let uid = rustix::process::getuid().as_raw();
        let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        account(&accounts, uid).unwrap_or_else(|| format!("uid {uid}"))
    }
}

fn account(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let id = fields.nth(1)?;
        (id.parse() == Ok(uid)).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_account_by_its_number() {
        let passwd = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\n";
        assert_eq!(account(passwd, 1000).as_deref(), Some("ada"));
        assert_eq!(account(passwd, 1), None);
    }

    #[test]
    fn hostile_text_stays_on_its_line() {
        assert_eq!(
            plain("ok\u{1b}[2K\r\u{202e}x\né"),
            "ok\\u{1b}[2K\\r\\u{202e}x\\né"
        );
    }

    #[test]
    fn a_code_is_short_and_moves_with_the_head() {
        let code = run_code("fix-login", "aa");
        assert_eq!(code.len(), 6);
        assert_ne!(code, run_code("fix-login", "ab"));
        assert_ne!(code, run_code("fix-logi", "aa"));
        assert_eq!(as_code(" ab-co1l\n"), "ABC011");
    }
}
