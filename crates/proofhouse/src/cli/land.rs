//! `proofhouse diff`, `land`, `pr`, `discard` and `abandon`: what a run made, and what becomes of it.

use super::args::{Abandon, Diff, Land, Pr};
use super::out::{Out, Tone, count, plain, whole};
use super::which::only;
use super::{attest, exit, signing};
use approval::{AttestKey, Words};
use engine::decide::Ask;
use engine::land::{Landing, Shape, discard as set_aside, land as onto_branch, request};
use kernel::Machine;
use kernel::machine::Activity;
use kernel::position::STOP;
use kernel::unseen::spelt;
use report::begun::Pushed;
use report::change::{Change, Depth, Since};
use report::fate::Fate;
use report::file_change::{FileChange, is_prose};
use report::settled::Settled;
use report::stat::stat;
use report::work::Work;
use serde_json::json;
use std::io::IsTerminal;
use workspace::{EngineError, Project};

/// How much of a change is shown on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lines {
    /// Its first lines.
    Some,
    /// Which files alone.
    None,
}

pub(crate) fn diff(project: &Project, args: &Diff, out: &Out) -> Result<u8, EngineError> {
    let run = &only(project, args.run.as_deref())?;
    if let Some(tool) = &args.tool {
        return with_tool(project, run, tool);
    }
    let depth = match args.stat {
        true => Depth::Stat,
        false => Depth::Patch,
    };
    let since = match (args.since_rejected, args.since_approved) {
        (true, _) => Some((Since::Rejected, "nothing_rejected", "sent the work of")),
        (false, true) => Some((Since::Approved, "nothing_approved", "approved the work of")),
        (false, false) => None,
    };
    let change = match since {
        None => Change::of(project, run, depth)?,
        Some((since, code, said)) => {
            Change::since(project, run, since, depth)?.ok_or_else(|| {
                let back = if since == Since::Rejected {
                    " back"
                } else {
                    ""
                };
                EngineError::user(
                    code,
                    format!("nobody has {said} `{run}`{back}, or nobody has worked since"),
                    format!("`proofhouse diff {run}` shows all that it changed"),
                )
            })?
        }
    };
    if out.json {
        out.facts(&change);
        return Ok(exit::OK);
    }
    if let (true, Some(patch)) = (args.patch, &change.patch) {
        if !std::io::stdout().is_terminal() {
            return signing::show(patch.as_bytes());
        }
        // An agent's text must not steer a terminal; who applies it takes it through a pipe.
        for line in patch.lines() {
            out.line(&whole(line));
        }
        return Ok(exit::OK);
    }
    if change.changes.is_empty() {
        let since = if since.is_some() { " since" } else { "" };
        out.line(&format!("`{run}` has changed nothing{since}"));
        return Ok(exit::OK);
    }
    drawn(out, &change, "");
    if depth == Depth::Patch {
        out.line("");
        for one in &change.changes {
            file(out, one, usize::MAX);
        }
    }
    Ok(exit::OK)
}

/// Which files changed, and how much of each, in colour.
fn drawn(out: &Out, change: &Change, indent: &str) {
    let columns = Out::columns().unwrap_or(100).min(120);
    let stat = stat(&change.changes, columns.saturating_sub(indent.len() + 1));
    for line in stat.lines() {
        let painted = match line.rsplit_once(" | ") {
            Some((name, much)) => {
                let (count, bar) = much.rsplit_once(' ').unwrap_or((much, ""));
                let (plus, minus) = bar.split_at(bar.find('-').unwrap_or(bar.len()));
                let bar = format!(
                    "{}{}",
                    out.paint_some(Tone::Good, plus),
                    out.paint_some(Tone::Bad, minus)
                );
                format!("{name} | {count} {bar}").trim_end().to_owned()
            }
            None => line.to_owned(),
        };
        out.line(&format!("{indent}{painted}"));
    }
    for remark in change.remarks() {
        out.line(&format!("{indent} {}", plain(&remark)));
    }
}

/// One file's hunks, up to this many lines; says how many are left. Where they are too many, what did not
/// change gives way first. A line at a time: it is an agent's text, and must not steer a terminal.
fn file(out: &Out, one: &FileChange, most: usize) -> usize {
    let mut left = most;
    let lines: usize = one.hunks.iter().map(|hunk| hunk.lines.len() + 1).sum();
    let tight = lines >= most;
    let mut say = |text: &str| {
        let room = left > 0;
        left = left.saturating_sub(1);
        if room {
            out.line(text);
        }
        room
    };
    let mut cut = 0;
    let was = one.from.as_ref();
    let was = was.map_or_else(String::new, |from| {
        format!(" (was {})", plain(&spelt(from)))
    });
    let mode = one
        .mode
        .map_or_else(String::new, |mode| format!(" ({mode})"));
    let ends = one
        .ends
        .map_or_else(String::new, |ends| format!(" ({ends})"));
    let path = plain(&spelt(&one.path));
    let head = format!("{} {path}{was}{mode}{ends}", one.kind.as_str());
    say(&out.paint(Tone::Strong, &head));
    if one.added.is_none() {
        say("  it is no text");
    }
    for hunk in &one.hunks {
        // In the whole diff no line is left out, and people copy from it.
        let whole_diff = most == usize::MAX;
        let place = match whole_diff {
            true => format!("line {} @@ ", hunk.after),
            false => String::new(),
        };
        let head = format!("@@ {place}{}", plain(&hunk.about));
        say(&out.paint(Tone::Dim, head.trim_end()));
        let changed = |line: &str| !tight || !line.starts_with(' ');
        let lines = hunk.numbered().filter(|(_, line)| changed(line));
        for (number, line) in lines {
            let shown = match whole_diff {
                true => whole(line),
                false => whole(&folded(line)),
            };
            let shown = match line.as_bytes().first() {
                Some(b'+') => out.paint(Tone::Good, &shown),
                Some(b'-') => out.paint(Tone::Bad, &shown),
                Some(b'\\') => out.paint(Tone::Dim, &shown),
                _ => shown,
            };
            let number = number.map_or_else(String::new, |number| number.to_string());
            let number = out.paint(Tone::Dim, &format!("{number:>5}"));
            let room = say(&match whole_diff {
                true => shown,
                false => format!("{number} {shown}"),
            });
            cut += usize::from(!room);
        }
    }
    if cut > 0 {
        let more = format!("... and {}", count(cut as u64, "more line"));
        out.line(&out.paint(Tone::Dim, &more));
    }
    left
}

/// A line that fits beside a question. Blanks in its midst are counted, so that nothing stands far to the
/// right where nobody looks; of what is still too long, both ends are shown, and how much is between them.
fn folded(line: &str) -> String {
    const BLANKS: usize = 24;
    const HEAD: usize = 140;
    const TAIL: usize = 60;
    let rest = line.get(1..).unwrap_or_default();
    let begins = line.len() - rest.trim_start_matches([' ', '\t']).len();
    let (indent, rest) = line.split_at(begins);
    let mut tight = String::with_capacity(line.len());
    let mut blanks = 0;
    for each in rest.chars().chain(['\n']) {
        // Others end lines for a compiler, and are shown by their numbers.
        if matches!(each, ' ' | '\t') {
            blanks += 1;
            continue;
        }
        match blanks {
            0 => {}
            _ if blanks > BLANKS => tight.push_str(&format!(" [{blanks} blanks] ")),
            _ => tight.extend(std::iter::repeat_n(' ', blanks)),
        }
        blanks = 0;
        tight.extend((each != '\n').then_some(each));
    }
    let all = tight.chars().count();
    if all > HEAD + TAIL {
        let head: String = tight.chars().take(HEAD).collect();
        let tail: String = tight.chars().skip(all - TAIL).collect();
        tight = format!("{head} [... {} characters ...] {tail}", all - HEAD - TAIL);
    }
    format!("{indent}{tight}")
}

/// Shows the work in the person's own tool for differences, as git knows it.
fn with_tool(project: &Project, run: &str, tool: &str) -> Result<u8, EngineError> {
    let work = Work::of(project, run)?;
    let mut argv = vec![
        "git".to_owned(),
        "difftool".to_owned(),
        "--no-prompt".to_owned(),
    ];
    if !tool.is_empty() {
        argv.push(format!("--tool={tool}"));
    }
    argv.extend([
        work.base.clone(),
        work.tip.clone(),
        "--".to_owned(),
        ".".to_owned(),
    ]);
    argv.extend(work.without());
    let ended = sandbox::hand_over(&argv, project.top());
    let ended = ended.map_err(EngineError::io("start", std::path::Path::new("git")))?;
    if ended.success() {
        return Ok(exit::OK);
    }
    Err(EngineError::user(
        "difftool_failed",
        format!("`git difftool` ended with {ended}"),
        "`git difftool --tool-help` lists the tools that git can start here",
    ))
}

/// What a run has changed so far, for whoever is about to decide: which files, and the first lines.
pub(crate) fn change(out: &Out, run: &str, change: &Change, lines: Lines) {
    /// What fits on a screen beside the question.
    const MOST: usize = 48;
    if change.changes.is_empty() {
        out.line("  changed     nothing");
        return;
    }
    drawn(out, change, " ");
    // Tests that lost something first, then code: that is what may be wrong.
    let mut changes: Vec<&FileChange> = change.changes.iter().collect();
    let weakens = |one: &FileChange| one.is_test() && one.removed.is_none_or(|lines| lines > 0);
    changes.sort_by_key(|one| (!weakens(one), is_prose(&one.path), one.is_test()));
    let any_code = changes.iter().any(|one| !is_prose(&one.path));
    let hunks = |one: &FileChange| {
        one.hunks
            .iter()
            .map(|hunk| hunk.lines.len() + 1)
            .sum::<usize>()
    };
    let all: usize = change.changes.iter().map(|one| hunks(one) + 1).sum();
    if lines == Lines::Some {
        // A long file takes no more than its share, so that every file is looked into.
        let mut left = MOST.max(2 * changes.len());
        let mut files = changes.len();
        for one in changes {
            let share = match files {
                // Beside code, of documents only how much.
                _ if any_code && is_prose(&one.path) => 1,
                1 => left,
                files => (left / files).max((hunks(one) + 1).min(left * 2 / 3)),
            };
            left = left.saturating_sub(share) + file(out, one, share);
            files -= 1;
        }
    }
    let more = match lines == Lines::Some && all <= MOST {
        true => "",
        false => "   shows all of it",
    };
    out.line(&format!("  proofhouse diff {run}{more}"));
}

/// What became of the approved work that a change settles: what of it is gone, and what is new.
pub(crate) fn settled(out: &Out, settled: &Settled) {
    /// The diff has all that is new.
    const MOST: usize = 20;
    let (run, row) = (plain(&settled.run), |text: &str| {
        out.line(&format!("  {:<11} {text}", "settles"))
    });
    if settled.missing.is_empty() {
        row(&format!("`{run}`: all of its approved work is in it"));
    }
    for (what, lines, tone) in [
        ("approved there, and not in it", &settled.missing, Tone::Bad),
        ("in it, and not approved there", &settled.new, Tone::Warn),
    ] {
        if lines.is_empty() {
            continue;
        }
        row(&format!("`{run}`: {what}:"));
        for one in lines.iter().take(MOST) {
            let line = format!("{}  {}", plain(&spelt(&one.path)), whole(&one.line));
            out.line(&format!("              {}", out.paint(tone, &line)));
        }
        match lines.len().saturating_sub(MOST) {
            0 => {}
            more => out.line(&format!(
                "              ... and {}",
                count(more as u64, "more line")
            )),
        }
    }
}

/// Does a run work in the person's own tree?
fn works_here(project: &Project, run: &str) -> bool {
    own_tree(project, run) == Some(false)
}

/// Has a run a worktree of its own, which a person lands? Nothing, if there is no such run.
pub(crate) fn own_tree(project: &Project, run: &str) -> Option<bool> {
    let peek = report::look::peek_run(project, run).ok()?;
    let own = peek.machine.started()?.own_tree.as_ref();
    Some(own.is_some_and(|own| own.milestone.is_none()))
}

/// What can be done with finished work.
pub(crate) fn offer(project: &Project, run: &str, out: &Out) {
    // What cannot be shown stops nobody; `diff` says what is wrong.
    if let Ok(made) = Change::of(project, run, Depth::Stat) {
        change(out, run, &made, Lines::None);
    }
    // What was made in the person's own tree is there already.
    if works_here(project, run) {
        return;
    }
    let peek = report::look::peek_run(project, run).ok();
    if let Some(fate) = peek.and_then(|peek| Fate::of(project, run, &peek.machine)) {
        match &fate {
            Fate::Landed { .. } | Fate::SetAside { .. } => {
                out.line(&format!("it is {} already", plain(&fate.words())));
                return;
            }
            Fate::Altered { .. } => out.line(&format!("it is {}", plain(&fate.words()))),
        }
    }
    let strong = |text: String| out.paint(Tone::Strong, &text);
    out.line(&format!(
        "take it:     {}",
        strong(format!("proofhouse land {run}"))
    ));
    out.line(&format!(
        "or leave it: {}",
        strong(format!("proofhouse discard {run}"))
    ));
}

pub(crate) fn land(project: &Project, args: &Land, out: &Out) -> Result<u8, EngineError> {
    let how = Landing {
        onto: args.onto.clone(),
        message: args.message.clone(),
        shape: match (args.merge, args.rebase, args.keep_commits) {
            (true, ..) => Shape::Merge,
            (_, true, _) => Shape::Rebase,
            (_, _, true) => Shape::KeepCommits,
            _ => Shape::One,
        },
    };
    sound(project, &args.run, out)?;
    // A key that cannot sign is told before anything has landed.
    let key = args.attest.as_deref().map(AttestKey::read).transpose()?;
    let landed = onto_branch(project, &args.run, &how)?;
    let vouched = key.map(|key| attest::note(project, &args.run, &landed.commit, &key));
    let vouched = vouched.transpose()?;
    if out.json {
        let mut facts = json!(landed);
        if let Some(vouched) = &vouched {
            facts["attested"] = json!(vouched);
        }
        out.facts(&facts);
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} `{}` on `{}` as {}: {} changed",
        out.paint(Tone::Good, "landed"),
        args.run,
        landed.branch,
        &landed.commit[..12],
        match landed.files {
            1 => "1 file".to_owned(),
            files => format!("{files} files"),
        },
    ));
    let here = workspace::worktree::branch(project.repo()).ok().flatten();
    if let Some(here) = here.filter(|here| *here != landed.branch) {
        let note = format!("  your tree is on `{here}` and was left as it is");
        out.line(&out.paint(Tone::Dim, &note));
    }
    if !landed.proven_together.is_empty() {
        let commands = landed.proven_together.iter().map(|one| plain(one));
        out.line(&format!(
            "  the branch had moved; both together passed: {}",
            commands.collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(vouched) = &vouched {
        out.line(&format!(
            "  vouched for in a note of the commit (refs/notes/proofhouse), signed by {}",
            vouched.fingerprint
        ));
    }
    for weak in &landed.weak_together {
        out.line(&format!("  weakly shown: {}", plain(weak)));
    }
    if let Some(why) = &landed.worktree_kept {
        out.line(&format!(
            "  its worktree stays: {why}; once that is settled, `proofhouse gc` removes it"
        ));
    }
    Ok(exit::OK)
}

/// Refuses what a run claims and its records do not bear out any more: a commit with its name would vouch
/// for that. What does not bear on it is told.
pub(crate) fn sound(project: &Project, run: &str, out: &Out) -> Result<(), EngineError> {
    // What cannot be landed at all says so itself.
    let done = report::look::peek_run(project, run)
        .is_ok_and(|peek| peek.machine.status().activity == Activity::Done);
    if !done {
        return Ok(());
    }
    let reports = audit::audit(
        project,
        audit::Asked {
            run: Some(run),
            rigour: audit::Rigour::Usual,
            span: None,
        },
    )?;
    let findings = reports.into_iter().flat_map(|report| report.findings);
    let (broken, beside): (Vec<_>, Vec<_>) =
        findings.partition(|finding| finding.about == audit::About::Evidence);
    if !out.json {
        for finding in beside {
            let line = format!("{}: {}", finding.code, plain(&finding.what));
            out.line(&out.paint(Tone::Warn, &line));
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    let said: Vec<String> = broken
        .iter()
        .take(3)
        .map(|finding| format!("{}: {}", finding.code, finding.what))
        .collect();
    let more = match broken.len().saturating_sub(3) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Err(EngineError::user(
        "evidence_altered",
        format!(
            "what `{run}` claims does not hold any more: {}{more}",
            said.join("; ")
        ),
        format!(
            "`proofhouse audit {run}` names all of it: bring back what was changed (`{}` has the records as they were kept) and land again; or take the work by hand, without its claims: `git merge --squash {}`",
            workspace::records::records_ref(run),
            workspace::git::run_ref(run)
        ),
    ))
}

pub(crate) fn discard(project: &Project, run: &str, out: &Out) -> Result<u8, EngineError> {
    let gone = set_aside(project, run)?;
    if out.json {
        out.facts(&gone);
        return Ok(exit::OK);
    }
    if !gone.removed {
        let peek = report::look::peek_run(project, run)?;
        let fate = Fate::of(project, run, &peek.machine);
        let fate = fate.map_or_else(String::new, |fate| format!(": it is {}", fate.words()));
        out.line(&format!(
            "the worktree of `{run}` was gone already{}; `{}` keeps what was in it",
            plain(&fate),
            gone.kept_by
        ));
        return Ok(exit::OK);
    }
    out.line(&format!(
        "{} the worktree of `{run}`; `{}` keeps what was in it",
        out.paint(Tone::Good, "removed"),
        gone.kept_by
    ));
    Ok(exit::OK)
}

pub(crate) fn pr(project: &Project, args: &Pr, out: &Out) -> Result<u8, EngineError> {
    let how = Landing {
        onto: args.onto.clone(),
        message: args.message.clone(),
        shape: Shape::One,
    };
    sound(project, &args.run, out)?;
    let request = request(project, &args.run, &args.remote, &how)?;
    if out.json {
        out.facts(&request);
        return Ok(exit::OK);
    }
    let (branch, remote) = (&request.branch, &args.remote);
    let pushed = out.paint(Tone::Good, "pushed");
    out.line(&match request.pushed {
        Pushed::New => format!("{pushed} `{branch}` to `{remote}`"),
        Pushed::Anew => format!("{pushed} `{branch}` to `{remote}` anew: an earlier `pr` gave way"),
        Pushed::Already => format!("`{branch}` is at `{remote}` already, with the same work"),
    });
    match &request.opened {
        Some(said) => out.line(said),
        None => {
            out.line("neither `gh` nor `glab` is here; this is what the request would say:\n");
            out.line(&format!("{}\n\n{}", request.title, request.body));
        }
    }
    Ok(exit::OK)
}

/// Ends a run for good, wherever it stands, and tidies up after it.
pub(crate) fn abandon(project: &Project, args: &Abandon, out: &Out) -> Result<u8, EngineError> {
    let ask = Ask {
        name: &args.run,
        option: STOP,
        about: "",
        with: &serde_json::Value::Null,
        because: &args.because,
    };
    if args.signing.message {
        return signing::show(&engine::decide::message(project, &ask)?);
    }
    let status = report::look(project, &args.run)?.status();
    if !matches!(status.activity, Activity::Done | Activity::Stopped) {
        let approve = |words: &Words<'_>| {
            if signing::at_terminal(project, &args.signing) {
                let code = report::question::run_code(words.run, words.head);
                eprintln!("this ends `{}` for good; the run code is {code}", args.run);
            }
            signing::approved(project, &args.signing, words)
        };
        engine::decide::decide(project, &ask, approve)?;
    }
    if works_here(project, &args.run) {
        if out.json {
            out.facts(&json!({"run": args.run, "kept_by": null, "commit": null}));
        } else {
            out.line(&format!(
                "{} `{}`; what it made stays in the tree that it worked in",
                out.paint(Tone::Good, "ended"),
                args.run
            ));
        }
        return Ok(exit::OK);
    }
    discard(project, &args.run, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_behind_blanks_or_at_the_end_of_a_long_line() {
        assert_eq!(folded("+    x = 1  # one"), "+    x = 1  # one");
        let far = format!("+x = 1{}evil()", " ".repeat(300));
        assert_eq!(folded(&far), "+x = 1 [300 blanks] evil()");
        let long = format!("+{}evil()", "a".repeat(400));
        let shown = folded(&long);
        assert!(shown.ends_with("evil()"), "{shown}");
        assert!(shown.contains("[... 206 characters ...]"), "{shown}");
        let ends = "+// see\u{2028}evil()\revil()";
        assert_eq!(folded(ends), ends);
        for one in ["", " ", "+", "-é"] {
            assert_eq!(folded(one), one);
        }
    }

    #[test]
    fn what_tools_follow_is_no_prose() {
        for path in ["docs/a.md", "notes.TXT"] {
            assert!(is_prose(path), "{path}");
        }
        for path in ["AGENTS.md", "requirements-dev.txt", ".claude/x.md", "a.rs"] {
            assert!(!is_prose(path), "{path}");
        }
    }
}
