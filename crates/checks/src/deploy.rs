//! Where a product is deployed to and how, as the person's own settings say it. No role can write them,
//! and the credentials are for the commands that ship and for nobody else.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// How a product gets to its target.
#[derive(Debug, Clone)]
pub struct Deploy {
    /// Where it goes, and so how one sees from outside what is there.
    pub target: Target,
    /// The line that ships it; a branch is pushed to without one.
    pub command: Option<String>,
    /// The line that takes it back; on a branch the former content is pushed again without one.
    pub back: Option<String>,
    /// Is taking back tried?
    pub rollback: Rollback,
    /// Variables for those two lines.
    pub credentials: BTreeMap<String, String>,
}

/// A place that can be looked at from outside.
#[derive(Debug, Clone)]
pub enum Target {
    /// A branch of a repository, by an address that git understands.
    Branch { url: String, branch: String },
    /// A folder of this machine.
    Folder(PathBuf),
    /// Whatever this line shows.
    Shown(String),
}

/// Whether the engine takes a deployment back, to see that it can, and deploys again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rollback {
    /// Only if a person says so.
    Asked,
    /// A person has said so.
    Tried,
}

/// Puts what is in the folder, without the run's own documents, on top of a branch, and says which tree
/// that is.
const PUSH: &str = r#"set -e
url=$PROOFHOUSE_URL branch=$PROOFHOUSE_BRANCH
GIT_DIR=$(mktemp -d); export GIT_DIR
git init -q --bare "$GIT_DIR"
parent=
if git fetch -q "$url" "refs/heads/$branch" 2>/dev/null; then parent="-p $(git rev-parse FETCH_HEAD)"; fi
if [ -n "$PROOFHOUSE_BACK_TO" ]; then tree=$PROOFHOUSE_BACK_TO; else git --work-tree=. add -A -- . ${PROOFHOUSE_TASK:+":(exclude)$PROOFHOUSE_TASK"}; tree=$(git write-tree); fi
if [ -z "$parent" ] || [ "$(git rev-parse 'FETCH_HEAD^{tree}')" != "$tree" ]; then
  commit=$(git -c user.name=proofhouse -c user.email=proofhouse@localhost commit-tree "$tree" $parent -m "deploy: what was verified")
  git push -q "$url" "$commit:refs/heads/$branch"
fi
echo "tree $tree"
"#;

/// Says which tree a branch has; nothing where there is no such branch.
const SEE: &str = r#"GIT_DIR=$(mktemp -d); export GIT_DIR
git init -q --bare "$GIT_DIR" || exit 1
heads=$(git ls-remote --heads "$PROOFHOUSE_URL" "refs/heads/$PROOFHOUSE_BRANCH") || exit 1
[ -n "$heads" ] || exit 0
git fetch -q --depth 1 "$PROOFHOUSE_URL" "refs/heads/$PROOFHOUSE_BRANCH" || exit 1
echo "tree $(git rev-parse 'FETCH_HEAD^{tree}')"
"#;

/// A line, and what it finds in its environment besides.
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) env: BTreeMap<String, String>,
}

impl Deploy {
    /// What ships it.
    pub(crate) fn ships(&self) -> Option<Line> {
        let text = match (&self.target, &self.command) {
            (_, Some(command)) => command.clone(),
            (Target::Branch { .. }, None) => PUSH.to_owned(),
            (Target::Folder(_) | Target::Shown(_), None) => return None,
        };
        Some(self.line(text, None))
    }

    /// What takes it back to what was seen before; none where nothing says how, or nothing was there.
    pub(crate) fn takes_back(&self, before: &str) -> Option<Line> {
        match (&self.target, &self.back) {
            (_, Some(back)) => Some(self.line(back.clone(), None)),
            (Target::Branch { .. }, None) => {
                let tree = before.trim().strip_prefix("tree ")?;
                Some(self.line(PUSH.to_owned(), Some(tree)))
            }
            (Target::Folder(_) | Target::Shown(_), None) => None,
        }
    }

    /// What shows from outside what is there. It gets no credentials: it sees what anybody sees.
    pub(crate) fn looks(&self) -> Option<Line> {
        let text = match &self.target {
            Target::Branch { .. } => SEE.to_owned(),
            Target::Shown(line) => line.clone(),
            Target::Folder(_) => return None,
        };
        let env = self.address();
        Some(Line { text, env })
    }

    /// What must lie open to those lines.
    pub(crate) fn place(&self) -> Option<PathBuf> {
        match &self.target {
            Target::Folder(folder) => Some(folder.clone()),
            Target::Branch { url, .. } => Some(PathBuf::from(url)).filter(|path| path.is_dir()),
            Target::Shown(_) => None,
        }
    }

    /// For people.
    pub(crate) fn name(&self) -> String {
        match &self.target {
            Target::Branch { branch, .. } => format!("the branch {branch}"),
            Target::Folder(_) => "the folder".to_owned(),
            Target::Shown(_) => "the target".to_owned(),
        }
    }

    fn line(&self, text: String, back_to: Option<&str>) -> Line {
        let mut env = self.address();
        env.extend(self.credentials.clone());
        env.extend(back_to.map(|tree| ("PROOFHOUSE_BACK_TO".to_owned(), tree.to_owned())));
        Line { text, env }
    }

    fn address(&self) -> BTreeMap<String, String> {
        match &self.target {
            Target::Branch { url, branch } => BTreeMap::from([
                ("PROOFHOUSE_URL".to_owned(), url.clone()),
                ("PROOFHOUSE_BRANCH".to_owned(), branch.clone()),
            ]),
            Target::Folder(_) | Target::Shown(_) => BTreeMap::new(),
        }
    }
}
