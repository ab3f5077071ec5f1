//! Confinement on macOS, through `/usr/bin/sandbox-exec`, and the refusal on every other system
//! without Linux's means. It was compiled for macOS at best and never run there.

use crate::proxy::Proxy;
use crate::{
    Capability, CapabilityState, Denied, Enforcement, Launch, LaunchError, Layer, Network, Plan,
    Policy, Recording, Route, seatbelt,
};
use std::collections::BTreeMap;
use std::net::TcpListener;

const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// Our side of a confined launch.
#[derive(Debug)]
pub(crate) struct Outside {
    plan: Plan,
    proxy: Option<Proxy>,
}

/// What is known after the end.
#[derive(Debug, Default)]
pub(crate) struct Aftermath {
    pub(crate) ended: Option<(i32, u32)>,
    pub(crate) denied: Vec<Denied>,
}

type Prepared = (Vec<String>, BTreeMap<String, String>, Outside);

/// The command line and environment that hold the policy.
pub(crate) fn prepare(launch: &Launch, policy: &Policy) -> Result<Prepared, LaunchError> {
    let mut missing = seatbelt::missing(policy);
    let there = cfg!(target_os = "macos") && std::path::Path::new(PROGRAM).exists();
    if !there {
        missing.push(format!(
            "files, signals and network: there is no {PROGRAM} here"
        ));
    }
    if !missing.is_empty() && policy.enforcement == Enforcement::Required {
        return Err(LaunchError::SandboxUnavailable { missing });
    }
    let failed = |error: std::io::Error| LaunchError::Failed {
        program: launch.argv.first().cloned().unwrap_or_default(),
        dir: launch.dir.clone(),
        what: format!("its sandbox cannot be prepared: {error}; free some resources"),
    };
    let mut env = launch.env.clone();
    if let Some(names) = &policy.environment {
        env.retain(|name, _| names.contains(name));
    }
    if let Some(home) = policy.home.as_ref().or(policy.write.first()) {
        env.insert("HOME".into(), home.display().to_string());
        env.insert("TMPDIR".into(), home.display().to_string());
    }
    let (mut proxy, mut port) = (None, None);
    if let Some(endpoints) = seatbelt::endpoints(policy) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
        let number = listener.local_addr().map_err(failed)?.port();
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            env.insert(name.into(), format!("http://127.0.0.1:{number}"));
        }
        proxy = Some(Proxy::start(listener, endpoints).map_err(failed)?);
        port = Some(number);
    }
    let mut argv = launch.argv.clone();
    let mut enforced = Vec::new();
    if there {
        let profile = seatbelt::profile(policy, port);
        argv.splice(0..0, [PROGRAM.to_owned(), "-p".to_owned(), profile]);
        enforced.push(Layer::Seatbelt);
        if proxy.is_some() {
            enforced.push(Layer::Proxy);
        }
    }
    let route = match (&policy.network, there) {
        (Network::Full, _) | (_, false) => Route::Open,
        (Network::None, true) => Route::Closed,
        (Network::Loopback, true) => Route::OwnLoopback,
        (Network::Endpoints(_), true) => Route::ProxyInNamespace,
    };
    let plan = Plan {
        enforced,
        missing,
        notes: Vec::new(),
        recording: match route {
            Route::Open => Recording::NothingToRecord,
            _ => Recording::CannotKnow(format!("{PROGRAM} does not tell")),
        },
        route,
        counting: None,
    };
    Ok((argv, env, Outside { plan, proxy }))
}

impl Outside {
    pub(crate) fn started(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    pub(crate) fn failure(&mut self) -> Option<LaunchError> {
        None
    }

    /// After the end of the tree.
    pub(crate) fn finish(self) -> (Plan, Aftermath) {
        let denied = self.proxy.map(Proxy::stop).unwrap_or_default().list();
        let ended = None;
        (self.plan, Aftermath { ended, denied })
    }
}

/// What was found.
pub(crate) fn capabilities() -> Vec<Capability> {
    let there = std::path::Path::new(PROGRAM).exists();
    vec![Capability {
        name: "sandbox-exec",
        state: if there {
            CapabilityState::Ok
        } else {
            CapabilityState::Missing
        },
        detail: format!("{PROGRAM}{}", if there { "" } else { " is not here" }),
    }]
}
