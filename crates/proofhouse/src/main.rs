//! The binary. Views and inputs only: it decides nothing but its exit code.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done, or there is more to do by itself |
//! | 1 | the user's error, or an audit with findings |
//! | 2 | waiting for a person |
//! | 3 | the environment's error |
//! | 70 | a bug of ours |
//! | 130 | interrupted with Ctrl-C |

mod begin;
mod cli;
mod found;
mod mcp;
mod serve;

use std::process::ExitCode;

fn main() -> ExitCode {
    let run = std::panic::catch_unwind(cli::main);
    ExitCode::from(run.unwrap_or_else(|_| {
        eprintln!("error: Proofhouse failed inside [bug]");
        eprintln!("  mend: please report the lines above; your journals are unharmed");
        cli::exit::BUG
    }))
}
