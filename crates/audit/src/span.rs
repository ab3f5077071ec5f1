//! A change: from the commit that it is to go to, to its own last one.

use std::collections::BTreeSet;
use std::path::Path;
use workspace::error::EngineError;
use workspace::git::{git, text};
use workspace::project::Project;
use workspace::worktree;

/// The two ends of a change, as a person writes them.
#[derive(Debug, Clone)]
pub struct Span {
    /// The commit that the change is to go to: its policy and its approvers hold.
    pub onto: String,
    pub head: String,
}

impl Span {
    /// Reads `BASE..HEAD`, also with three dots; HEAD may be left out.
    pub fn read(project: &Project, written: &str) -> Result<Self, EngineError> {
        let ends = written
            .split_once("...")
            .or_else(|| written.split_once(".."));
        let Some((base, head)) = ends.filter(|(base, _)| !base.is_empty()) else {
            return Err(EngineError::user(
                "span_invalid",
                format!("`{written}` is not a change"),
                "write `BASE..HEAD`, for instance `origin/main..HEAD`",
            ));
        };
        let named = |name: &str| {
            one_meant(project.top(), name)?;
            worktree::resolve(project.top(), name)?.ok_or_else(|| {
                EngineError::user(
                    "span_invalid",
                    format!("this repository has no commit `{name}`"),
                    "fetch it first; a build server often has the newest commit alone (`fetch-depth: 0`)",
                )
            })
        };
        Ok(Self {
            onto: named(base)?,
            head: named(if head.is_empty() { "HEAD" } else { head })?,
        })
    }

    /// Where the change began: the last commit that both ends have. After merges in both directions there are
    /// several, and a file may be as it was in one of them and not in another.
    pub(crate) fn began(&self, repo: &Path) -> Result<Vec<String>, EngineError> {
        let asked = ["merge-base", "--all", &self.onto, &self.head];
        let bases = git(repo, &asked, &[]).map_err(|error| {
            EngineError::user(
                "span_invalid",
                format!("{} and {} have no commit in common", self.onto, self.head),
                "name two ends of one history; a build server often has a shallow one (`fetch-depth: 0`)",
            )
            .caused_by(error)
        })?;
        let bases: Vec<String> = text(&bases).lines().map(str::to_owned).collect();
        if bases.contains(&self.head) && self.head != self.onto {
            return Err(EngineError::user(
                "span_invalid",
                format!(
                    "{} holds {} already: nothing would be changed",
                    self.onto, self.head
                ),
                "write where it is to go first: `BASE..HEAD`",
            ));
        }
        Ok(bases)
    }

    /// The commits of the change.
    pub(crate) fn commits(&self, repo: &Path) -> Result<BTreeSet<String>, EngineError> {
        let span = format!("{}..{}", self.onto, self.head);
        let listed = git(repo, &["rev-list", &span], &[])?;
        Ok(text(&listed).lines().map(str::to_owned).collect())
    }

    /// A file as it stands where the change is to go.
    pub(crate) fn there(&self, repo: &Path, path: &str) -> Result<Option<String>, EngineError> {
        let listed = git(
            repo,
            &["ls-tree", "--full-tree", &self.onto, "--", path],
            &[],
        )?;
        if listed.is_empty() {
            return Ok(None);
        }
        let file = format!("{}:{path}", self.onto);
        git(repo, &["show", &file], &[]).map(|bytes| Some(text(&bytes)))
    }
}

/// Refuses a name under which a tag or a branch hides another: whoever may push a tag `origin/main` would choose
/// by whose policy they are judged.
fn one_meant(repo: &Path, name: &str) -> Result<(), EngineError> {
    let bare = name.split(['~', '^', ':']).next().unwrap_or(name);
    let bare = bare.split("@{").next().unwrap_or(bare);
    let places = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];
    let mut meant: Vec<(String, String)> = Vec::new();
    let remote = format!("refs/remotes/{bare}/HEAD");
    for one in places
        .map(|at| format!("{at}{bare}"))
        .into_iter()
        .chain([remote])
    {
        if let Some(commit) = worktree::resolve(repo, &one)? {
            meant.push((one, commit));
        }
    }
    let Some((first, commit)) = meant.first() else {
        return Ok(());
    };
    let Some((other, _)) = meant.iter().find(|(_, there)| there != commit) else {
        return Ok(());
    };
    Err(EngineError::user(
        "span_invalid",
        format!("`{name}` may be {first} or {other}, which differ"),
        format!("write the one that is meant in full, for instance `{other}..HEAD`"),
    ))
}
