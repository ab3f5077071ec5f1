//! What commits and refs of a repository say of runs. Whoever looks at many runs would start git a dozen times for
//! each: a [`Survey`] asks once for all. It is as old as the moment it was made, so it is made for one look
//! and never kept; what it does not know, git is asked for.

use crate::error::Error;
use crate::git::{self, Claim, TRAILER, git, text};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

/// The trailer that says what the evidence of a landed run is worth.
pub const EVIDENCE: &str = "Proofhouse-Evidence";

/// A commit that names a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub commit: String,
    /// The ref that leads there.
    pub branch: String,
    /// `RUN@SEQ:HASH`
    pub claim: String,
    /// What it says of the evidence, if it does.
    pub evidence: Option<String>,
}

/// Where commits that name a run are looked for.
#[derive(Debug, Clone, Copy)]
pub enum Within<'a> {
    Branches,
    /// Branches, also those of remotes, and tags.
    Everywhere,
    /// The history of one commit.
    Commit(&'a str),
}

/// Every commit that a ref leads to.
#[derive(Debug)]
pub struct Survey {
    /// Each ref with the commit that it leads to.
    refs: BTreeMap<String, String>,
    commits: HashMap<String, Commit>,
    /// The commits that name a run, those without a child first.
    naming: HashMap<String, Vec<String>>,
    malformed: Vec<String>,
}

#[derive(Debug)]
struct Commit {
    /// Its place in an order in which no parent stands before its child.
    place: usize,
    tree: String,
    parents: Vec<String>,
    subject: String,
    claims: Vec<Claim>,
    evidence: Option<String>,
    /// A branch that leads there.
    branch: Option<String>,
    /// A branch of a remote or a tag that does.
    elsewhere: Option<String>,
}

impl Survey {
    pub(crate) fn of(repo: &Path) -> Result<Self, Error> {
        let mut refs = BTreeMap::new();
        // A tag that is an object of its own has what it stands for in the last.
        let listed = [
            "for-each-ref",
            "--format=%(refname) %(objectname) %(*objectname)",
        ];
        for line in text(&git(repo, &listed, &[])?).lines() {
            let mut words = line.split(' ').filter(|word| !word.is_empty());
            if let (Some(name), Some(object)) = (words.next(), words.next()) {
                let commit = words.next().unwrap_or(object);
                refs.insert(name.to_owned(), commit.to_owned());
            }
        }
        let trailer = |key: &str| format!("%(trailers:key={key},valueonly,unfold,separator=%x2C)");
        let format = format!(
            "--format=%H%n%T%n%P%n%s%n{}%n{}",
            trailer(TRAILER),
            trailer(EVIDENCE)
        );
        let log = git(repo, &["log", "-z", "--all", "--topo-order", &format], &[])?;
        let mut survey = Self {
            refs,
            commits: HashMap::new(),
            naming: HashMap::new(),
            malformed: Vec::new(),
        };
        let mut order = Vec::new();
        for one in log.split(|byte| *byte == 0) {
            order.extend(survey.take(&String::from_utf8_lossy(one), order.len()));
        }
        survey.mark(&order);
        Ok(survey)
    }

    fn take(&mut self, told: &str, place: usize) -> Option<String> {
        let mut lines = told.trim_start_matches('\n').split('\n');
        let mut next = || lines.next();
        let (name, tree, parents) = (next()?, next()?, next()?);
        let (subject, heads, evidence) = (next()?, next()?, next()?);
        let (claims, malformed) = git::claims_in(name, heads, TRAILER);
        for claim in &claims {
            let naming = self.naming.entry(claim.run.clone()).or_default();
            naming.push(name.to_owned());
        }
        self.malformed.extend(malformed);
        let evidence = Some(evidence.trim()).filter(|said| !said.is_empty());
        let commit = Commit {
            place,
            tree: tree.to_owned(),
            parents: parents.split_whitespace().map(str::to_owned).collect(),
            subject: subject.to_owned(),
            claims,
            evidence: evidence.map(str::to_owned),
            branch: None,
            elsewhere: None,
        };
        self.commits.insert(name.to_owned(), commit);
        Some(name.to_owned())
    }

    /// Notes of every commit a ref that leads there: children are asked before their parents.
    fn mark(&mut self, order: &[String]) {
        for (name, commit) in &self.refs {
            let Some(commit) = self.commits.get_mut(commit) else {
                continue;
            };
            if let Some(branch) = name.strip_prefix("refs/heads/") {
                commit.branch.get_or_insert_with(|| branch.to_owned());
            } else if name.starts_with("refs/remotes/") || name.starts_with("refs/tags/") {
                commit.elsewhere.get_or_insert_with(|| name.clone());
            }
        }
        for name in order {
            let Some(commit) = self.commits.get(name) else {
                continue;
            };
            let (branch, elsewhere) = (commit.branch.clone(), commit.elsewhere.clone());
            for parent in commit.parents.clone() {
                if let Some(parent) = self.commits.get_mut(&parent) {
                    parent.branch = parent.branch.take().or_else(|| branch.clone());
                    parent.elsewhere = parent.elsewhere.take().or_else(|| elsewhere.clone());
                }
            }
        }
    }

    /// Is the first in the history of the second? Nothing where one of them is not known.
    fn is_ancestor(&self, earlier: &str, later: &str) -> Option<bool> {
        let place = self.commits.get(earlier)?.place;
        let mut due = vec![self.commits.get_key_value(later)?];
        let mut seen = HashSet::new();
        while let Some((name, commit)) = due.pop() {
            if name == earlier {
                return Some(true);
            }
            // Whatever stands behind it in the order is no child of it.
            if commit.place < place && seen.insert(name) {
                let parents = commit.parents.iter();
                due.extend(parents.filter_map(|parent| self.commits.get_key_value(parent)));
            }
        }
        Some(false)
    }

    fn named(&self, run: &str, within: Within<'_>, base: Option<&str>) -> Option<Vec<Named>> {
        let mut found = Vec::new();
        for name in self.naming.get(run).into_iter().flatten() {
            let commit = self.commits.get(name)?;
            let branch = match within {
                Within::Branches => commit.branch.clone(),
                Within::Everywhere => commit.branch.clone().or_else(|| commit.elsewhere.clone()),
                Within::Commit(one) => self.is_ancestor(name, one)?.then(|| one.to_owned()),
            };
            let before = match base {
                Some(base) => self.is_ancestor(name, base)?,
                None => false,
            };
            let claim = commit.claims.iter().find(|claim| claim.run == run)?;
            if let (Some(branch), false) = (branch, before) {
                found.push(Named {
                    commit: name.clone(),
                    branch,
                    claim: format!("{run}@{}:{}", claim.seq, claim.hash),
                    evidence: commit.evidence.clone(),
                });
            }
        }
        Some(found)
    }
}

/// The commits and refs of a repository: from a survey as far as that goes, else from git.
#[derive(Debug, Clone, Copy)]
pub struct Commits<'a> {
    repo: &'a Path,
    survey: Option<&'a Survey>,
}

impl<'a> Commits<'a> {
    pub(crate) fn new(repo: &'a Path, survey: Option<&'a Survey>) -> Self {
        Self { repo, survey }
    }

    fn known(self, commit: &str) -> Option<&'a Commit> {
        self.survey?.commits.get(commit)
    }

    /// The commit that a name means, if there is one.
    pub fn resolve(self, name: &str) -> Result<Option<String>, Error> {
        match self.survey {
            Some(survey) if name.starts_with("refs/") => Ok(survey.refs.get(name).cloned()),
            _ if self.known(name).is_some() => Ok(Some(name.to_owned())),
            _ => git::resolve(self.repo, name),
        }
    }

    /// The tree that a name means, of a commit or of its own; none where nobody has it here.
    pub fn named_tree(self, name: &str) -> Result<Option<String>, Error> {
        let name = format!("{name}^{{tree}}");
        let ended = git::ended(self.repo, &["rev-parse", "--verify", "--quiet", &name], &[])?;
        Ok(ended.exited_with(0).then(|| text(&ended.stdout)))
    }

    /// The tree of a commit.
    pub fn tree(self, commit: &str) -> Result<String, Error> {
        match self.known(commit) {
            Some(known) => Ok(known.tree.clone()),
            None => {
                let tree = format!("{commit}^{{tree}}");
                Ok(text(&git(
                    self.repo,
                    &["rev-parse", "--verify", &tree],
                    &[],
                )?))
            }
        }
    }

    /// The first parent of a commit, if it has one.
    pub fn parent(self, commit: &str) -> Result<Option<String>, Error> {
        match self.known(commit) {
            Some(known) => Ok(known.parents.first().cloned()),
            None => git::resolve(self.repo, &format!("{commit}^1")),
        }
    }

    /// The first line of what the commit says that a ref leads to.
    pub fn subject(self, name: &str) -> Result<Option<String>, Error> {
        let Some(commit) = self.resolve(name)? else {
            return Ok(None);
        };
        Ok(Some(match self.known(&commit) {
            Some(known) => known.subject.clone(),
            None => text(&git(
                self.repo,
                &["log", "-1", "--format=%s", &commit],
                &[],
            )?),
        }))
    }

    /// Is the first commit in the history of the second, or the same?
    pub fn is_ancestor(self, earlier: &str, later: &str) -> Result<bool, Error> {
        match self
            .survey
            .and_then(|survey| survey.is_ancestor(earlier, later))
        {
            Some(known) => Ok(known),
            None => git::is_ancestor(self.repo, earlier, later),
        }
    }

    /// The commits of a ref, each the first parent of the one before it.
    pub fn line(self, name: &str) -> Result<Vec<String>, Error> {
        let Some(tip) = self.resolve(name)? else {
            return Ok(Vec::new());
        };
        if self.known(&tip).is_none() {
            let listed = git(self.repo, &["rev-list", "--first-parent", &tip], &[])?;
            return Ok(text(&listed).lines().map(str::to_owned).collect());
        }
        let mut line = Vec::new();
        let mut next = Some(&tip);
        while let Some((name, commit)) =
            next.and_then(|name| self.survey?.commits.get_key_value(name))
        {
            line.push(name.clone());
            next = commit.parents.first();
        }
        Ok(line)
    }

    /// Those of the commits that are not there.
    pub fn missing(self, commits: &BTreeSet<&str>) -> Result<BTreeSet<String>, Error> {
        let unknown = commits.iter().copied();
        let unknown: BTreeSet<&str> = unknown.filter(|one| self.known(one).is_none()).collect();
        match unknown.is_empty() {
            true => Ok(BTreeSet::new()),
            false => git::missing(self.repo, &unknown),
        }
    }

    /// Every claim of a commit that a ref leads to, and every trailer that is malformed.
    pub fn claims(self) -> Result<(Vec<Claim>, Vec<String>), Error> {
        let Some(survey) = self.survey else {
            return git::claims(self.repo);
        };
        let mut commits: Vec<&Commit> = survey.commits.values().collect();
        commits.sort_by_key(|commit| commit.place);
        let claims = commits.iter().flat_map(|commit| commit.claims.clone());
        Ok((claims.collect(), survey.malformed.clone()))
    }

    /// What these commits claim, whether a ref leads to them or not. All of them must be there.
    pub fn claims_of(self, commits: &BTreeSet<&str>) -> Result<Vec<Claim>, Error> {
        let (mut claims, mut unknown) = (Vec::new(), BTreeSet::new());
        for commit in commits {
            match self.known(commit) {
                Some(known) => claims.extend(known.claims.clone()),
                None => _ = unknown.insert(*commit),
            }
        }
        if !unknown.is_empty() {
            claims.extend(git::claims_of(self.repo, &unknown)?);
        }
        Ok(claims)
    }

    /// Every commit that names a run in its trailer, the newest first; those in the history of the base are
    /// left out.
    pub fn named(
        self,
        run: &str,
        within: Within<'_>,
        base: Option<&str>,
    ) -> Result<Vec<Named>, Error> {
        if let Some(found) = self
            .survey
            .and_then(|survey| survey.named(run, within, base))
        {
            return Ok(found);
        }
        let grep = format!("--grep={TRAILER}: {run}@");
        let trailer = |key: &str| format!("%(trailers:key={key},valueonly,separator=%x2C)");
        let format = format!(
            "--format=%H%x09%S%x09{}%x09{}",
            trailer(TRAILER),
            trailer(EVIDENCE)
        );
        let without = base.map(|base| format!("^{base}"));
        let mut args = vec!["log", "--fixed-strings", &grep, &format];
        match within {
            Within::Branches => args.push("--branches"),
            Within::Everywhere => args.extend(["--branches", "--remotes", "--tags"]),
            Within::Commit(one) => args.push(one),
        }
        args.extend(without.as_deref());
        let begins = format!("{run}@");
        let log = text(&git(self.repo, &args, &[])?);
        let found = log.lines().filter_map(|line| {
            let mut parts = line.split('\t');
            let (commit, branch, claims) = (parts.next()?, parts.next()?, parts.next()?);
            let evidence = parts.next().map(str::trim).filter(|said| !said.is_empty());
            let mut claims = claims.split(',').map(str::trim);
            let claim = claims.find(|one| one.starts_with(&begins))?;
            Some(Named {
                commit: commit.to_owned(),
                branch: branch
                    .strip_prefix("refs/heads/")
                    .unwrap_or(branch)
                    .to_owned(),
                claim: claim.to_owned(),
                // Several words of it are one trailer.
                evidence: evidence.map(str::to_owned),
            })
        });
        Ok(found.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::first_commit;

    /// A survey says of every commit and every pair of them what git says.
    #[test]
    fn a_survey_says_what_git_says() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path();
        let said = |args: &[&str]| text(&git(repo, args, &crate::git::IDENTITY).unwrap());
        std::fs::write(repo.join("a"), "a").unwrap();
        first_commit(repo, "first").unwrap();
        let claim = |run: &str, seq: u64| format!("{TRAILER}: {run}@{seq}:{}", "a".repeat(64));
        let empty = |message: &str| {
            said(&["commit", "--quiet", "--allow-empty", "-m", message]);
            said(&["rev-parse", "HEAD"])
        };
        let first = said(&["rev-parse", "HEAD"]);
        let landed = empty(&format!("one\n\n{}\n{EVIDENCE}: reported", claim("t", 3)));
        said(&["checkout", "--quiet", "-b", "side", &first]);
        let side = empty(&format!("two\n\n{}", claim("u", 7)));
        said(&["tag", "-a", "v1", "-m", "a tag"]);
        said(&["checkout", "--quiet", "--detach", &first]);
        let kept = empty(&format!("discard: u as it was\n\n{}", claim("u", 9)));
        said(&["update-ref", "refs/proofhouse/u", &kept]);
        // Of no ref.
        let loose = empty(&format!("nobody's\n\n{TRAILER}: nothing"));
        said(&["checkout", "--quiet", "-"]);
        said(&["checkout", "--quiet", "side"]);
        said(&["merge", "--quiet", "--no-ff", "-m", "both", &landed]);
        let merged = said(&["rev-parse", "HEAD"]);
        let nobody = "0".repeat(first.len());

        let survey = Survey::of(repo).unwrap();
        let (known, asked) = (Commits::new(repo, Some(&survey)), Commits::new(repo, None));
        let all = [&first, &landed, &side, &kept, &loose, &merged];
        for one in all {
            assert_eq!(known.tree(one).unwrap(), asked.tree(one).unwrap());
            assert_eq!(known.parent(one).unwrap(), asked.parent(one).unwrap());
            assert_eq!(known.resolve(one).unwrap().as_ref(), Some(one));
            for other in all {
                let (known, asked) = (known.is_ancestor(one, other), asked.is_ancestor(one, other));
                assert_eq!(known.unwrap(), asked.unwrap(), "{one} before {other}");
            }
            for (run, base) in [
                ("t", None),
                ("u", None),
                ("u", Some(first.as_str())),
                ("u", Some(merged.as_str())),
            ] {
                for within in [Within::Branches, Within::Everywhere, Within::Commit(one)] {
                    let of = |commits: Commits<'_>| {
                        let named = commits.named(run, within, base).unwrap().into_iter();
                        let named = named.map(|named| (named.commit, named.claim, named.evidence));
                        named.collect::<BTreeSet<_>>()
                    };
                    assert_eq!(
                        of(known),
                        of(asked),
                        "{run} within {within:?} since {base:?}"
                    );
                }
            }
        }
        for name in [
            "refs/heads/side",
            "refs/tags/v1",
            "refs/proofhouse/u",
            "refs/heads/none",
        ] {
            assert_eq!(
                known.resolve(name).unwrap(),
                asked.resolve(name).unwrap(),
                "{name}"
            );
            assert_eq!(
                known.line(name).unwrap(),
                asked.line(name).unwrap(),
                "{name}"
            );
            assert_eq!(
                known.subject(name).unwrap(),
                asked.subject(name).unwrap(),
                "{name}"
            );
        }
        let some: BTreeSet<&str> = [&first, &loose, &nobody].map(String::as_str).into();
        assert_eq!(known.missing(&some).unwrap(), asked.missing(&some).unwrap());
        let there: BTreeSet<&str> = all.map(String::as_str).into();
        let sorted = |mut claims: Vec<Claim>| {
            claims.sort_by(|one, other| one.commit.cmp(&other.commit));
            claims
        };
        let of = |commits: Commits<'_>| sorted(commits.claims_of(&there).unwrap());
        assert_eq!(of(known), of(asked));
        let of = |commits: Commits<'_>| {
            let (claims, malformed) = commits.claims().unwrap();
            (sorted(claims), malformed)
        };
        assert_eq!(of(known), of(asked));
        assert_eq!(of(known).0.len(), 3);
        assert!(of(known).1.is_empty(), "no ref leads to the malformed one");
    }
}
