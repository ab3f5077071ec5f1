//! `proofhouse demo --serve`: its pages in a browser, live while it plays.

use crate::cli::args::Demo;
use crate::cli::out::Out;
use crate::cli::{detached, exit, run, serve};
use crate::serve::{Orders, Server};
use std::thread::JoinHandle;
use workspace::{EngineError, Project};

pub(super) struct Window<'a> {
    args: &'a Demo,
    serving: Option<JoinHandle<Result<(), EngineError>>>,
}

impl<'a> Window<'a> {
    pub(super) fn of(args: &'a Demo) -> Self {
        let serving = None;
        Self { args, serving }
    }

    /// Serves the repository, if that is asked for, and says where.
    pub(super) fn open(&mut self, project: &Project, out: &Out) -> Result<(), EngineError> {
        if !self.args.serve {
            return Ok(());
        }
        let server = Server::bind(Orders {
            repos: vec![project.clone()],
            port: self.args.port,
            decides: false,
            go_on: serve::go_on,
            end: detached::end,
            tools: false,
            opens: !self.args.no_open && !out.json,
        })?;
        let address = server.address();
        match out.json {
            // One line, as `serve` has it: what came of the demo follows.
            true => out.line(&serde_json::json!({ "address": address }).to_string()),
            false => out.line(&format!("live pages  {address}")),
        }
        self.serving = Some(std::thread::spawn(move || server.serve()));
        Ok(())
    }

    /// Keeps the pages until Ctrl-C. Who has pressed it in the middle wants them no longer.
    pub(super) fn stay(self, code: u8, out: &Out) -> Result<u8, EngineError> {
        let Some(serving) = self.serving.filter(|_| code != exit::INTERRUPTED) else {
            return Ok(code);
        };
        if !out.json {
            out.line("\nthe live pages stay until Ctrl-C");
        }
        run::on_stop(Box::new(move || std::process::exit(i32::from(code))));
        match serving.join() {
            Ok(ended) => ended.map(|()| code),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
