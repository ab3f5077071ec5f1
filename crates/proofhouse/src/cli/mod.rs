//! The command line: what is asked, and how the answer is printed.

mod agent_files;
mod approver;
mod args;
mod attempt;
mod attest;
mod audit;
mod ci;
mod clients;
mod completions;
mod config;
mod decide;
mod demo;
mod detached;
mod do_it;
mod doctor;
mod due;
pub(crate) mod exit;
mod factory;
mod figures;
mod fork;
mod gc;
mod hook;
mod inbox;
mod index;
mod init;
mod laid;
mod land;
mod live_trace;
mod lock;
mod log;
mod mcp;
mod milestone;
mod new;
mod notify;
mod of_factory;
mod of_product;
mod out;
mod payload;
mod progress;
mod records;
mod remembered;
mod replay;
mod resolve;
mod run;
mod sandbox;
mod schema;
mod serve;
mod settle;
pub(crate) mod signing;
mod standing;
mod status;
mod trace;
mod usage;
mod verbs;
mod wave;
mod wave_lines;
mod which;
mod workflow;

use args::{Args, Command, ConfigCommand, HookCommand};
use clap::Parser;
use out::Out;
use workspace::{EngineError, Project};

/// Parses, dispatches, prints errors; gives the exit code.
pub(crate) fn main() -> u8 {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let code = if error.use_stderr() {
                exit::USER
            } else {
                exit::OK
            };
            if code == exit::USER && usage::wants_json(std::env::args_os()) {
                Out::new(true).error(&usage::error(&error));
                return code;
            }
            // A closed pipe is not worth an error of its own.
            let _ = error.print();
            if let Some(meant) = usage::meant(&error) {
                eprintln!("{meant}");
            }
            return code;
        }
    };
    let out = Out::new(args.json);
    match dispatch(&args, &out) {
        Ok(code) => code,
        Err(error) => {
            out.error(&error);
            exit::of(&error)
        }
    }
}

fn dispatch(args: &Args, out: &Out) -> Result<u8, EngineError> {
    match &args.command {
        Command::Demo(demo) => return demo::demo(demo, out),
        Command::Completions { shell, .. } => {
            return Ok(match shell {
                Some(shell) => completions::script(*shell, out),
                None => completions::runs(project(args), out),
            });
        }
        Command::Man { folder } => return completions::manual(folder, out),
        Command::Doctor => return doctor::doctor(args, out),
        Command::Index(index) => return index::index(args, index, out),
        Command::Factory { command } => return factory::factory(args, command, out),
        Command::Schema { name } => return schema::schema(name.as_deref(), out),
        Command::Sandbox { command } => return sandbox::sandbox(command, out),
        Command::Hook {
            command: HookCommand::Stop,
        } => return hook::stop(args.place()?),
        Command::Serve(asked) => return serve::serve(args, asked, out),
        Command::Workflow { command } => return workflow::workflow(args, command, out),
        Command::Verify(verify) => return attest::verify(project(args).ok().as_ref(), verify, out),
        _ => {}
    }
    let project = project(args)?;
    if let Some((workflow, sentence)) = args.command.sentence() {
        return do_it::do_it(&project, workflow, sentence, out);
    }
    match &args.command {
        Command::New(new) => new::new(&project, new, out),
        Command::Run(run) | Command::Resume(run) if run.detach => {
            detached::start(&project, run, out)
        }
        Command::Run(run) | Command::Resume(run) => run::run(&project, run, out),
        Command::Attach { run } => detached::attach(&project, run, out),
        Command::Stop { run } => detached::stop(&project, run, out),
        Command::Status { run } => status::status(&project, run.as_deref(), out),
        Command::Replay(args) => replay::replay(&project.at_top(), args, out),
        Command::Fork(args) => fork::fork(&project, args, out),
        Command::Rewind(args) => fork::rewind(&project, args, out),
        Command::Compare(args) => fork::compare(&project, args, out),
        Command::Trace(args) => trace::trace(&project, args, out),
        Command::Log(log) => log::log(&project, log, out),
        Command::Diff(diff) => land::diff(&project, diff, out),
        Command::Land(args) if args.settle => settle::settled(&project, args, out),
        Command::Land(args) => land::land(&project, args, out),
        Command::Pr(args) => land::pr(&project, args, out),
        Command::Abandon(args) => land::abandon(&project, args, out),
        Command::Discard { run } => land::discard(&project, run, out),
        Command::Inbox { run } => inbox::inbox(&project, run.as_deref(), out),
        Command::Report { name } => due::report(&project, name.as_deref(), out),
        Command::Deltas { command: None } => due::deltas(&project, out),
        Command::Deltas {
            command: Some(command),
        } => due::settle(&project, command, out),
        Command::Guide { run } => due::guide(&project, run.as_deref(), out),
        Command::Config {
            command: ConfigCommand::Show { name, all },
        } => config::show(&project, name.as_deref(), *all, out),
        Command::Config {
            command: ConfigCommand::Confirm,
        } => config::confirm(&project, out),
        Command::Init { agents, .. } if agents.agents => agent_files::write(&project, agents, out),
        Command::Init { clients, yes, .. } if clients.remove || !clients.clients.is_empty() => {
            clients::clients(&project, clients, *yes, out)
        }
        Command::Init {
            agent,
            yes,
            await_lock,
            agents: _,
            clients: _,
        } => {
            let wants = match await_lock {
                true => init::Setup::AwaitsLock,
                false => init::Setup::Open,
            };
            init::init(&project, agent.clone(), *yes, wants, out)
        }
        Command::Approver { command } => approver::approver(&project, command, out),
        Command::Mcp => mcp::mcp(&project),
        Command::Lock(args) => lock::lock(&project, args, out),
        Command::Decide(decide) => decide::decide(&project, decide, out),
        Command::Resolve(resolve) => resolve::resolve(&project, resolve, out),
        Command::Records { command } => records::records(&project, command, out),
        Command::Milestone { command } => milestone::milestone(&project, command, out),
        Command::Wave { command } => wave::wave(&project, command, out),
        Command::Gc { dry_run } => {
            let mode = if *dry_run {
                ::audit::gc::Mode::DryRun
            } else {
                ::audit::gc::Mode::Remove
            };
            gc::gc(&project, mode, out)
        }
        Command::Heal(heal) => decide::decide(&project, &heal.decision(), out),
        Command::Reopen(reopen) => decide::decide(&project, &reopen.decision(), out),
        Command::Audit(args) => audit::audit(&project, args, out),
        Command::Attest(args) => attest::attest(&project, args, out),
        Command::Ci { command } => ci::ci(&project, command, out),
        Command::Do(_)
        | Command::Under(_)
        | Command::Demo(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Doctor
        | Command::Index(_)
        | Command::Factory { .. }
        | Command::Schema { .. }
        | Command::Verify(_)
        | Command::Sandbox { .. }
        | Command::Hook { .. }
        | Command::Serve(_)
        | Command::Workflow { .. } => Ok(exit::OK),
    }
}

/// The project that the user means: `--repo`, or where we stand.
fn project(args: &Args) -> Result<Project, EngineError> {
    Project::find(args.place()?)
}
