//! A launch with its policy turned into what is really started. A system without the means is an
//! error, unless that was waived.

use crate::{Launch, LaunchError};
use std::collections::BTreeMap;

/// What is really started.
pub(crate) struct Confined {
    pub(crate) argv: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    /// What the child does to itself; Linux only.
    #[cfg(target_os = "linux")]
    pub(crate) inside: Option<crate::linux::Inside>,
    /// Our side; none without a policy.
    pub(crate) outside: Option<Outside>,
}

#[cfg(target_os = "linux")]
pub(crate) use crate::linux::Outside;
#[cfg(not(target_os = "linux"))]
pub(crate) use crate::macos::Outside;

/// Applies the policy of a launch, if it has one.
pub(crate) fn confine(launch: &Launch) -> Result<Confined, LaunchError> {
    let Some(policy) = &launch.policy else {
        return Ok(Confined {
            argv: launch.argv.clone(),
            env: launch.env.clone(),
            #[cfg(target_os = "linux")]
            inside: None,
            outside: None,
        });
    };
    #[cfg(target_os = "linux")]
    {
        let (inside, outside, env) = crate::linux::prepare(launch, policy)?;
        Ok(Confined {
            argv: launch.argv.clone(),
            env,
            inside: Some(inside),
            outside: Some(outside),
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let (argv, env, outside) = crate::macos::prepare(launch, policy)?;
        Ok(Confined {
            argv,
            env,
            outside: Some(outside),
        })
    }
}
