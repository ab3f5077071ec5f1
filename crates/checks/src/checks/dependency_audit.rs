//! `dependency_audit`: no dependency has a known grave fault. It refuses to pass where the audit
//! could not be made: a missing tool, a missing database and an unreadable report say so.

mod reports;

use crate::Subject;
use crate::error::Error;
use crate::execute::{Program, execute};
use crate::judge::{Judge, Judged, Trouble};
use crate::readers::sources;
use crate::settings::{Choice, Seconds, Text, Words};
use crate::text::{answer, first_few};
use kernel::outcome::{CheckResult, Verdict};
use languages::manifests::World;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Instant;

/// The audit of each package world finds no fault of high severity or worse.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct DependencyAudit {
    /// Low, moderate, high or critical; high.
    level: Option<Choice<Level>>,
    /// Another command that prints `cargo audit --json`.
    cargo: Option<Text>,
    /// Another command that prints `npm audit --json`.
    npm: Option<Text>,
    /// Another command that prints `pip-audit -f json`.
    python: Option<Text>,
    /// Another command that prints `govulncheck -format json`.
    go: Option<Text>,
    /// Wall limit of each command.
    timeout_seconds: Option<Seconds>,
}

/// One world of packages: how it is audited.
struct Audit {
    world: World,
    /// The setting with another command.
    key: &'static str,
    command: &'static str,
    mend: &'static str,
    read: fn(&str, Level) -> Result<Vec<String>, Error>,
}

/// The least severity that fails, where a tool knows severities.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Low,
    Moderate,
    High,
    Critical,
}

impl Words for Level {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("low", Self::Low),
        ("moderate", Self::Moderate),
        ("high", Self::High),
        ("critical", Self::Critical),
    ];
}

const AUDITS: [Audit; 4] = [
    Audit {
        world: World::Cargo,
        key: "cargo",
        command: "cargo audit --json",
        mend: "`cargo install cargo-audit`, and set `network.checks` to `full`, or the setting `cargo` to `cargo audit --json --db DIR --no-fetch`",
        read: reports::cargo,
    },
    Audit {
        world: World::Npm,
        key: "npm",
        command: "npm audit --json",
        mend: "it needs a lockfile and its registry: set `network.checks` to `full`, or the setting `npm` to another command",
        read: reports::npm,
    },
    Audit {
        world: World::Python,
        key: "python",
        command: "if [ -f requirements.txt ]; then pip-audit -f json -r requirements.txt; else pip-audit -f json .; fi",
        mend: "`pip install pip-audit`, and set `network.checks` to `full`, or the setting `python` to another command",
        read: reports::pip,
    },
    Audit {
        world: World::Go,
        key: "go",
        command: "govulncheck -format json ./...",
        mend: "`go install golang.org/x/vuln/cmd/govulncheck@latest`, and set `network.checks` to `full`, or the setting `go` to another command with `-db`",
        read: reports::go,
    },
];

impl Judge for DependencyAudit {
    const NAME: &'static str = "dependency_audit";
    type Answer = Judged<Vec<CheckResult>>;

    fn judge(&self, subject: &Subject<'_>) -> Judged<Vec<CheckResult>> {
        let started = Instant::now();
        let found = sources::files(subject).and_then(|files| sources::manifests(subject, &files));
        let found = found.map_err(Trouble::cannot)?;
        let naming = found.iter().filter(|manifest| !manifest.names.is_empty());
        let worlds: BTreeSet<World> = naming.map(|manifest| manifest.world).collect();
        if worlds.is_empty() {
            let reason = "the project has no dependencies";
            return Ok(vec![answer(Self::NAME, Verdict::Pass, reason)]);
        }
        let concerns = |audit: &&Audit| worlds.contains(&audit.world);
        let audits = AUDITS.iter().filter(concerns);
        Ok(audits
            .map(|audit| one(audit, self, subject, started))
            .collect())
    }
}

fn one(
    audit: &Audit,
    wanted: &DependencyAudit,
    subject: &Subject<'_>,
    started: Instant,
) -> CheckResult {
    let name = format!("dependency_audit: {}", audit.key);
    let own = match audit.world {
        World::Cargo => &wanted.cargo,
        World::Npm => &wanted.npm,
        World::Python => &wanted.python,
        World::Go => &wanted.go,
    };
    let command = own.as_deref().unwrap_or(audit.command);
    let level = wanted.level.map_or(Level::High, |level| *level);
    let timeout = wanted.timeout_seconds.map(Seconds::seconds);
    let executed = match execute(subject, Program::shell(command, timeout, started)) {
        Ok(executed) => executed,
        Err(why) => return answer(&name, Verdict::CouldNotRun, &why),
    };
    // An exit code says only that there is something; the report says what.
    let report = String::from_utf8_lossy(&executed.ended.stdout).into_owned();
    let (verdict, reason) = match executed.worthless() {
        Some(worthless) => worthless,
        None if executed.not_found().is_some() => (
            Verdict::CouldNotRun,
            format!("the audit is not there: {}", audit.mend),
        ),
        None => match (audit.read)(&report, level) {
            Err(why) => (
                Verdict::CouldNotRun,
                format!("no audit ({why}): {}", audit.mend),
            ),
            Ok(found) if found.is_empty() => (
                Verdict::Pass,
                "no fault of this severity is known".to_owned(),
            ),
            Ok(found) => {
                let shown = first_few(&found, 5);
                (
                    Verdict::Fail,
                    format!("{} packages with known faults: {shown}", found.len()),
                )
            }
        },
    };
    executed.answer(&name, verdict, &reason)
}
