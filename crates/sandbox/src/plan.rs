//! From a [`Policy`] and a [`Machine`] to what will hold a launch. Pure. A policy of which some part
//! has nothing to hold it is refused, unless somebody waived that.

use crate::machine::{Counting, Lacking, Machine, Through};
use crate::{Enforcement, LaunchError, Layer, Network, Policy};

/// What will hold a launch, decided before it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Everything that holds it.
    pub enforced: Vec<Layer>,
    /// What the policy asks for and nothing here holds; empty unless it was waived.
    pub missing: Vec<String>,
    /// What holds less than it could, in words.
    pub notes: Vec<String>,
    /// How the network is held.
    pub route: Route,
    /// Will what the network refuses be known?
    pub recording: Recording,
    pub(crate) counting: Option<Counting>,
}

/// How the network of a launch is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Nothing holds it.
    Open,
    /// No sockets.
    Closed,
    /// A network namespace with nothing but a loopback.
    OwnLoopback,
    /// A network namespace whose one open port leads to our proxy.
    ProxyInNamespace,
    /// Landlock lets TCP through to our proxy's port, on every address; seccomp stops the rest.
    ProxyByLandlock,
}

/// Are attempts to connect recorded that go past our proxy and are refused? It is no part of what
/// holds a launch: a machine that cannot record them holds the network all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recording {
    /// No attempt is refused.
    NothingToRecord,
    /// They are.
    Kept,
    /// They are not, for this reason.
    CannotKnow(String),
}

impl Recording {
    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    fn of(route: Route, machine: &Machine) -> Self {
        match (route, &machine.seccomp, &machine.notices) {
            (Route::Open, ..) => Recording::NothingToRecord,
            (_, Ok(()), Ok(())) => Recording::Kept,
            (_, Err(why), _) | (_, _, Err(why)) => {
                Recording::CannotKnow(format!("no seccomp notifications: {why}"))
            }
        }
    }
}

impl Plan {
    /// What will hold this policy on this machine.
    pub fn of(policy: &Policy, machine: &Machine) -> Result<Plan, LaunchError> {
        let mut missing = Vec::new();
        let mut notes = Vec::new();
        let mut enforced = vec![Layer::NoNewPrivileges, Layer::Capabilities];
        let namespaced = machine.namespaces.is_ok() && machine.pid.is_ok();
        let mounted = namespaced && machine.mount.is_ok();
        if namespaced {
            if machine.namespaces == Ok(Through::User) {
                enforced.push(Layer::UserNamespace);
            }
            enforced.extend([Layer::PidNamespace, Layer::IpcNamespace]);
        }
        if mounted {
            enforced.push(Layer::MountNamespace);
        } else if machine.landlock >= 3 {
            notes.push(
                "without a mount namespace, names and sizes of files outside the roots can be \
                 seen, and the modes of one's own files changed; /tmp is not private"
                    .into(),
            );
        } else {
            let why = reason(&machine.mount, &machine.namespaces);
            missing.push(format!(
                "files: neither a mount namespace ({why}) nor Landlock 3 (Linux 6.2) is here"
            ));
        }
        if !mounted && !policy.hidden.is_empty() {
            let why = reason(&machine.mount, &machine.namespaces);
            missing.push(format!(
                "hidden files below the roots: no mount namespace ({why})"
            ));
        }
        if !mounted && !policy.placed.is_empty() {
            let why = reason(&machine.mount, &machine.namespaces);
            missing.push(format!(
                "files in another place than they lie: no mount namespace ({why})"
            ));
        }
        if !mounted && !policy.overlays.is_empty() {
            let why = reason(&machine.mount, &machine.namespaces);
            missing.push(format!(
                "folders whose changes are thrown away: no mount namespace ({why})"
            ));
        }
        if !namespaced && machine.landlock < 6 {
            let why = reason(&machine.pid, &machine.namespaces);
            missing.push(format!(
                "signals to other processes: neither a PID namespace ({why}) nor Landlock 6 \
                 (Linux 6.12) is here"
            ));
        }
        if machine.landlock > 0 {
            enforced.push(Layer::Landlock {
                abi: machine.landlock,
            });
        }
        match &machine.seccomp {
            Ok(()) => enforced.push(Layer::Seccomp),
            Err(why) => missing.push(format!("system calls: no seccomp ({why})")),
        }
        enforced.push(Layer::ResourceLimits);
        let own_network = namespaced && machine.network.is_ok();
        if own_network && policy.network != Network::Full {
            enforced.push(Layer::NetworkNamespace);
        }
        let why = reason(&machine.network, &machine.namespaces);
        let route = match &policy.network {
            Network::Full => Route::Open,
            // Seccomp alone holds it; its absence is on the list already.
            Network::None => Route::Closed,
            Network::Loopback if own_network => Route::OwnLoopback,
            Network::Loopback => {
                missing.push(format!(
                    "a loopback of its own: no network namespace ({why})"
                ));
                Route::Open
            }
            Network::Endpoints(_) if own_network => Route::ProxyInNamespace,
            Network::Endpoints(_) if machine.landlock >= 4 && machine.seccomp.is_ok() => {
                notes.push(
                    "without a network namespace, the proxy's port is open on every address".into(),
                );
                Route::ProxyByLandlock
            }
            Network::Endpoints(_) => {
                missing.push(format!(
                    "endpoints only: neither a network namespace ({why}) nor Landlock 4 \
                     (Linux 6.7) is here"
                ));
                Route::Open
            }
        };
        if matches!(route, Route::ProxyInNamespace | Route::ProxyByLandlock) {
            enforced.push(Layer::Proxy);
        }
        let mut counting = None;
        if policy.bounds.processes.is_some() {
            match &machine.processes {
                Ok(how) => {
                    counting = Some(*how);
                    enforced.push(Layer::ProcessLimit);
                }
                Err(why) => missing.push(format!("the limit on processes: {why}")),
            }
        }
        if !missing.is_empty() && policy.enforcement == Enforcement::Required {
            return Err(LaunchError::SandboxUnavailable { missing });
        }
        Ok(Plan {
            enforced,
            missing,
            notes,
            recording: Recording::of(route, machine),
            route,
            counting,
        })
    }

    /// Will this hold it?
    pub fn holds(&self, layer: Layer) -> bool {
        self.enforced.contains(&layer)
    }

    #[cfg_attr(not(target_os = "linux"), allow(dead_code))]
    pub(crate) fn landlock(&self) -> u32 {
        let abi = self.enforced.iter().find_map(|layer| match layer {
            Layer::Landlock { abi } => Some(*abi),
            _ => None,
        });
        abi.unwrap_or(0)
    }
}

fn reason<T>(own: &Result<(), Lacking>, all: &Result<T, Lacking>) -> Lacking {
    match (all, own) {
        (Err(why), _) | (_, Err(why)) => why.clone(),
        _ => Lacking::Because("it would need a PID namespace"),
    }
}

#[cfg(test)]
mod tests;
