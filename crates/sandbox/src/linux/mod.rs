//! Confinement on Linux: from a policy to a child that holds it. Prepared before the fork, entered
//! between fork and exec, watched from outside. What it cannot hold is not started.

mod address;
mod attempts;
mod counting;
mod environment;
mod inside;
mod landlock;
mod mounts;
mod network;
mod probe;
mod report;
mod roots;
mod seccomp;
mod signals;
mod sys;
mod trial;
mod witness;

pub(crate) use inside::Inside;
pub(crate) use probe::{capabilities, machine};

use crate::machine::{Counting, Through};
use crate::plan::{Recording, Route};
use crate::proxy::Proxy;
use crate::refusals::Refusals;
use crate::{Denied, Launch, LaunchError, Layer, Network, Plan, Policy};
use attempts::{Judge, Loopback};
use inside::Net;
use landlock::{Access, Rules, Shape, Tcp};
use mounts::{Mounts, c_path};
use roots::{Entry, What};
use seccomp::Witnessed;
use std::collections::{BTreeMap, BTreeSet};
use std::io::PipeReader;
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use witness::{Seen, Witness};

/// What root keeps in a root of its own, so that it can work on another user's files: CHOWN,
/// DAC_OVERRIDE, FOWNER and FSETID. None of them leads to a file that is not there.
const OVER_FILES: u64 = 0b1_1011;

/// Our side of a confined launch.
#[derive(Debug)]
pub(crate) struct Outside {
    pub(crate) plan: Plan,
    report: PipeReader,
    door: Door,
    notices: Notices,
    /// What the mounts were about, for errors.
    mounts: Vec<mounts::Named>,
}

/// Whose files it sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// A root of its own.
    Own,
    /// The machine's; Landlock alone says which.
    Shared,
}

impl Root {
    fn of(plan: &Plan) -> Self {
        match plan.holds(Layer::MountNamespace) {
            true => Root::Own,
            false => Root::Shared,
        }
    }
}

/// How our proxy gets its connections.
#[derive(Debug)]
enum Door {
    None,
    /// Handed out from inside when the child has started.
    Promised(UnixStream, Network),
    Open(TcpListener, Network),
    Served(Proxy),
}

/// How we hear of attempts to connect.
#[derive(Debug)]
enum Notices {
    None,
    /// Handed out from inside when the child has started.
    Promised(UnixStream, Judge),
    Answered(Witness),
}

/// What is known after the end.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    /// The program's own status and what it left, if there was a PID namespace.
    pub(crate) ended: Option<(i32, u32)>,
    pub(crate) denied: Vec<Denied>,
}

/// Prepares a confinement, and the environment inside it.
pub(crate) fn prepare(
    launch: &Launch,
    policy: &Policy,
) -> Result<(Inside, Outside, BTreeMap<String, String>), LaunchError> {
    let plan = Plan::of(policy, machine())?;
    let entries = roots::entries(policy)?;
    let dir = start_folder(launch, &entries)?;
    let failed = |error: std::io::Error| LaunchError::Failed {
        program: launch.argv.first().cloned().unwrap_or_default(),
        dir: launch.dir.clone(),
        what: format!("its sandbox cannot be prepared: {error}; free some resources"),
    };
    let root = Root::of(&plan);
    let through = plan
        .holds(Layer::PidNamespace)
        .then(|| machine().namespaces.clone().ok())
        .flatten();
    let fresh_home = fresh_home(&entries).filter(|_| root == Root::Own && policy.home.is_none());
    let mut mounts = (root == Root::Own)
        .then(|| Mounts::prepare(&entries, policy.bounds.scratch, fresh_home.as_deref()));
    if let (Some(mounts), Some(Counting::PidNamespace), Some(most)) =
        (&mut mounts, plan.counting, policy.bounds.processes)
    {
        mounts.bound_processes(most);
    }
    let names = mounts.as_ref().map(Mounts::names).unwrap_or_default();
    let (net, door) = network(policy, &plan).map_err(failed)?;
    let port = match &door {
        Door::Promised(..) => Some(network::PROXY_PORT),
        Door::Open(listener, _) => Some(listener.local_addr().map_err(failed)?.port()),
        Door::None | Door::Served(_) => None,
    };
    let mut witnessed = None;
    let mut notices = Notices::None;
    if plan.recording == Recording::Kept {
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let filter = seccomp::filter(plan.route, Witnessed::Yes);
        witnessed = Some((filter, theirs.into()));
        notices = Notices::Promised(ours, judge(&plan, port, &entries));
    }
    let (report, reporter) = std::io::pipe().map_err(failed)?;
    let (uid, gid) = (rustix::process::geteuid(), rustix::process::getegid());
    let own = |id: u32| format!("{id} {id} 1\n").into_bytes();
    let inside = Inside {
        report: reporter.into(),
        through,
        uid_map: own(uid.as_raw()),
        gid_map: own(gid.as_raw()),
        net,
        dir: c_path(&dir),
        limits: limits(policy, &plan),
        capabilities: match (root, through) {
            (Root::Own, Some(Through::Privilege)) => OVER_FILES,
            _ => 0,
        },
        landlock: (plan.landlock() > 0).then(|| rules(&plan, &entries, root, port)),
        seccomp: plan
            .holds(Layer::Seccomp)
            .then(|| seccomp::filter(plan.route, Witnessed::No)),
        witnessed,
        mounts,
    };
    let env = environment::inside(launch, policy, root, fresh_home, port);
    let outside = Outside {
        plan,
        report,
        door,
        notices,
        mounts: names,
    };
    Ok((inside, outside, env))
}

/// The folder to start in, which must be one that exists inside.
fn start_folder(launch: &Launch, entries: &[Entry]) -> Result<PathBuf, LaunchError> {
    let real = launch.dir.canonicalize().unwrap_or(launch.dir.clone());
    let there = entries.iter().any(|entry| match &entry.what {
        What::Outside(source, ..) => real.starts_with(source),
        What::Layered(_) => real.starts_with(&entry.at),
        What::Link(_) | What::Scratch | What::Empty(_) | What::Processes | What::Terminals => false,
    });
    if there {
        return Ok(real);
    }
    Err(LaunchError::Policy {
        what: format!(
            "it would start in {}, which is in no readable or writable root; add it to one",
            launch.dir.display()
        ),
    })
}

/// A home in the scratch space, unless a root of the policy lies over all of that.
fn fresh_home(entries: &[Entry]) -> Option<PathBuf> {
    let scratch = entries.iter().find(|entry| entry.what == What::Scratch);
    scratch.map(|entry| entry.at.join("home"))
}

fn network(policy: &Policy, plan: &Plan) -> std::io::Result<(Net, Door)> {
    let own = plan.holds(Layer::NetworkNamespace);
    Ok(match plan.route {
        Route::Open => (Net::Shared, Door::None),
        Route::Closed if own => (Net::Empty, Door::None),
        Route::Closed => (Net::Shared, Door::None),
        Route::OwnLoopback => (Net::Loopback, Door::None),
        Route::ProxyInNamespace => {
            let (ours, theirs) = UnixStream::pair()?;
            let door = Door::Promised(ours, policy.network.clone());
            (Net::Proxied(theirs.into()), door)
        }
        Route::ProxyByLandlock => {
            let listener = TcpListener::bind(("127.0.0.1", 0))?;
            (Net::Shared, Door::Open(listener, policy.network.clone()))
        }
    })
}

fn judge(plan: &Plan, proxy: Option<u16>, entries: &[Entry]) -> Judge {
    let shared = |entry: &Entry| matches!(entry.what, What::Outside(..)).then(|| entry.at.clone());
    Judge {
        loopback: match plan.holds(Layer::NetworkNamespace) {
            true => Loopback::Own,
            false => Loopback::Machine,
        },
        proxy,
        own: BTreeSet::new(),
        shared: match Root::of(plan) {
            Root::Own => entries.iter().filter_map(shared).collect(),
            Root::Shared => vec![PathBuf::from("/")],
        },
    }
}

fn limits(policy: &Policy, plan: &Plan) -> Vec<(libc::c_int, u64)> {
    let bounds = &policy.bounds;
    let mut limits = vec![(libc::RLIMIT_CORE as libc::c_int, 0)];
    if let Some(cpu) = bounds.cpu {
        // Whole seconds, never less than asked for.
        let seconds = cpu.as_secs() + u64::from(cpu.subsec_nanos() > 0);
        limits.push((libc::RLIMIT_CPU as libc::c_int, seconds));
    }
    if let Some(bytes) = bounds.memory {
        limits.push((libc::RLIMIT_AS as libc::c_int, bytes));
    }
    if let Some(bytes) = bounds.file_size {
        limits.push((libc::RLIMIT_FSIZE as libc::c_int, bytes));
    }
    if let (Some(most), Some(Counting::UserNamespace)) = (bounds.processes, plan.counting) {
        // The two processes that hold the tree count, too.
        let most = u64::from(most).saturating_add(2);
        limits.push((libc::RLIMIT_NPROC as libc::c_int, most));
    }
    limits
}

fn rules(plan: &Plan, entries: &[Entry], root: Root, port: Option<u16>) -> Rules {
    let tcp = match plan.route {
        Route::Closed if plan.landlock() >= 4 => Tcp::Nothing,
        Route::ProxyByLandlock => port.map_or(Tcp::Nothing, Tcp::OnlyTo),
        _ => Tcp::Unheld,
    };
    let mut rules = Rules::new(plan.landlock(), tcp);
    if root == Root::Own {
        // All that exists may be seen; what is in it may be read where a rule below says so.
        rules.allow(c"/".into(), Access::List, Shape::Folder);
    }
    for entry in entries {
        match &entry.what {
            What::Outside(source, access, shape) => {
                let path = match root {
                    Root::Own => &entry.at,
                    Root::Shared => source,
                };
                rules.allow(c_path(path), *access, *shape);
            }
            // Without a root of its own there is none, and the plan has said so.
            What::Layered(_) if root == Root::Own => {
                rules.allow(c_path(&entry.at), Access::Write, Shape::Folder);
            }
            What::Processes => rules.allow(c_path(&entry.at), Access::Read, Shape::Folder),
            What::Terminals if root == Root::Own => {
                rules.allow(c_path(&entry.at), Access::Device, Shape::Folder);
            }
            What::Scratch if root == Root::Own => {
                rules.allow(c_path(&entry.at), Access::Write, Shape::Folder);
            }
            What::Layered(_) | What::Scratch | What::Terminals | What::Empty(_) | What::Link(_) => {
            }
        }
    }
    rules
}

/// Why a child that has started is stopped again: what we owe it outside cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unattended {
    #[error("its attempts to connect cannot be watched: {0}; free some resources")]
    Unseen(#[source] std::io::Error),
    #[error("its proxy cannot serve: {0}; free some resources")]
    Unserved(#[source] std::io::Error),
}

impl Outside {
    /// After the child has started: lets the proxy serve, and hears of attempts to connect.
    ///
    /// A filter that asks while nobody listens would answer every `connect` with a lie about the
    /// kernel, so only the word that it went on without counts as that.
    pub(crate) fn started(&mut self) -> Result<(), Unattended> {
        if let Notices::Promised(socket, judge) =
            std::mem::replace(&mut self.notices, Notices::None)
        {
            match network::received(&socket).map_err(Unattended::Unseen)? {
                Some(notices) => {
                    let witness = Witness::start(notices, judge).map_err(Unattended::Unseen)?;
                    self.notices = Notices::Answered(witness);
                }
                // It went on without: what holds it is the same.
                None => {
                    let why = "the kernel refused seccomp notifications at the start";
                    self.plan.recording = Recording::CannotKnow(why.into());
                }
            }
        }
        let (listener, network) = match std::mem::replace(&mut self.door, Door::None) {
            Door::Promised(socket, network) => {
                let listener = network::receive(&socket).map_err(Unattended::Unserved)?;
                (listener.into(), network)
            }
            Door::Open(listener, network) => (listener, network),
            door @ (Door::None | Door::Served(_)) => {
                self.door = door;
                return Ok(());
            }
        };
        let allowed = match network {
            Network::Endpoints(allowed) => allowed,
            Network::None | Network::Loopback | Network::Full => Vec::new(),
        };
        self.door = Door::Served(Proxy::start(listener, allowed).map_err(Unattended::Unserved)?);
        Ok(())
    }

    /// After a start that failed: the step that did it, if it was one of confinement.
    pub(crate) fn failure(&mut self) -> Option<LaunchError> {
        let (what, index) = report::read(&mut self.report).ok()?.failed?;
        let place = self.mounts.get(index as usize);
        let place = place.filter(|_| what.starts_with("a mount"));
        let told = place.map_or(what.clone(), |place| format!("{what} of {}", place.name));
        if place.is_some_and(|place| place.kind == mounts::Kind::Overlay) {
            return Some(LaunchError::NoOverlay { what: told });
        }
        Some(LaunchError::SandboxUnavailable {
            missing: vec![format!("the kernel refused {told}")],
        })
    }

    /// After the end of the tree.
    pub(crate) fn finish(mut self) -> (Plan, Aftermath) {
        let ended = report::read(&mut self.report).unwrap_or_default().ended;
        let denied = match self.door {
            Door::Served(proxy) => proxy.stop(),
            Door::None | Door::Promised(..) | Door::Open(..) => Refusals::default(),
        };
        let past = match self.notices {
            Notices::Answered(witness) => witness.seen(),
            Notices::None | Notices::Promised(..) => Seen::default(),
        };
        if let Some(why) = past.unread {
            let why = format!("the address of an attempt could not be read: {why}");
            self.plan.recording = Recording::CannotKnow(why);
        }
        let denied = denied.and(past.refused).list();
        (self.plan, Aftermath { ended, denied })
    }
}
