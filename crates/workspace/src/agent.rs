//! From what people write about agents to connectors: the spec, with the config's settings on it.
//!
//! The one place where both meet, so that `new`, `run` and `doctor` cannot disagree. It
//! starts nothing, and refuses what a journal must not keep.

use crate::config::Config;
use crate::error::Error;
use crate::project::Project;
use crate::secrets::Secrets;
use agents::{AgentSpec, CommandTool};
use flow::Workflow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The spec behind a text, with the settings that the config has for that agent.
pub fn spec(project: &Project, config: &Config, text: &str) -> Result<AgentSpec, Error> {
    let secrets = Secrets::of(config, project.repo());
    if secrets.text(text) != text {
        return Err(Error::user(
            "agent_holds_key",
            "the agent is named with what looks like a key or a password",
            "take it out: the journal keeps the name; keys go into the environment or a key file (docs/agents.md)",
        ));
    }
    let spec = AgentSpec::parse(text, project.top())?;
    let tuning = config.tuning(spec.name(), project.repo())?;
    Ok(spec.tuned(&tuning)?)
}

/// Who works in which role: the named agent everywhere, else the config's by tier. A role without
/// any is left out.
pub fn by_role<'a>(
    workflow: &'a Workflow,
    config: &'a Config,
    named: Option<&'a str>,
) -> BTreeMap<&'a str, &'a str> {
    let agent = |(role, def): (&'a String, &'a flow::Role)| {
        let text = named.or_else(|| config.agent_for(role, def.tier))?;
        Some((role.as_str(), text))
    };
    workflow.roles.iter().filter_map(agent).collect()
}

/// The first role for which nobody is set.
fn unstaffed<'a>(workflow: &'a Workflow, by_role: &BTreeMap<&str, &str>) -> Option<&'a str> {
    let mut roles = workflow.roles.keys().map(String::as_str);
    roles.find(|role| !by_role.contains_key(role))
}

const SET_ONE: &str = "set `agent` in .proofhouse/config.toml (`proofhouse init` looks for installed ones), or give `--agent` to `do`, `new` or `run`";

/// Who works in which role, all of them: a role that nobody is set for is an error.
pub fn staffed<'a>(
    workflow: &'a Workflow,
    config: &'a Config,
    named: Option<&'a str>,
) -> Result<BTreeMap<&'a str, &'a str>, Error> {
    let texts = by_role(workflow, config, named);
    match unstaffed(workflow, &texts) {
        None => Ok(texts),
        Some(role) => Err(Error::user(
            "no_agent",
            format!("no agent is set for the role `{role}`"),
            SET_ONE,
        )),
    }
}

/// What the agents of a new run lack right now; an agent that can never work is an error.
pub fn missing(
    project: &Project,
    workflow: &Workflow,
    config: &Config,
    named: Option<&str>,
) -> Result<Vec<String>, Error> {
    let by_role = by_role(workflow, config, named);
    let mut missing = Vec::new();
    // No error: whoever starts a run may name its agent later, to `run`.
    if unstaffed(workflow, &by_role).is_some() {
        missing.push(format!("no agent is set yet: {SET_ONE}"));
    }
    let texts: BTreeSet<&str> = by_role.into_values().collect();
    for text in texts {
        missing.extend(spec(project, config, text)?.missing());
    }
    Ok(missing)
}

/// Tools of the engine's own, by name: what a machine offers to its roles besides a workflow's.
pub type Offered = BTreeMap<String, Arc<dyn agents::Tool>>;

/// The tools of these names, for agents that can be offered some: the engine's own, and commands
/// of the workflow. To an agent they are the same thing.
pub fn tools(
    workflow: &Workflow,
    offered: &Offered,
    names: &[String],
) -> Vec<Arc<dyn agents::Tool>> {
    let found = names.iter().filter_map(|name| {
        if let Some(ours) = offered.get(name) {
            return Some(ours.clone());
        }
        let tool = workflow.tools.get(name)?;
        let tool: Arc<dyn agents::Tool> = Arc::new(CommandTool {
            name: name.clone(),
            about: tool.about.clone(),
            command: tool.command.clone(),
            parameters: tool.parameters.clone(),
            wall: Duration::from_millis(tool.wall_millis),
        });
        Some(tool)
    });
    found.collect()
}
