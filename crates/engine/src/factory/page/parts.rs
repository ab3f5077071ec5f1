//! The sections of the page, from top to bottom. Each takes what was gathered and says nothing that
//! is not there; every text that is not ours is escaped.

use super::{Module, Seal, Shown};
use crate::factory::story::{Line, Mark, Moment};
use crate::views::page::html::{
    Out, Tone, chip, count, dollars, duration, esc, grouped, href, short, time,
};
use ::factory::project::TaskStatus;
use kernel::Machine;
use kernel::machine::Activity;
use kernel::module::ModuleStatus;
use kernel::pack::Permission;

/// The page lies in `views/NAME/`, below the folder that holds the state store.
const UP: &str = "../../";

/// What a moment is called, and what it shows.
fn named(moment: Moment) -> (&'static str, &'static str) {
    match moment {
        Moment::DraftRefused => (
            "A draft of the spec was refused",
            "The engine judges drafts by the rules of completeness, not by what their author says.",
        ),
        Moment::SpecApproved => (
            "A person approved the spec",
            "These very bytes: the approval names their hash.",
        ),
        Moment::ChallengeFailed => (
            "A challenge failed",
            "The Challenger sees the claim and the contract, never the code.",
        ),
        Moment::Amendment => (
            "Approved with amendments",
            "The ship checks that every amendment is in the deliverable.",
        ),
        Moment::ShipRefused => (
            "The ship said no",
            "Every role had approved. The engine ran the tests itself.",
        ),
        Moment::Halted => (
            "Halted for a person",
            "Nothing further is begun until somebody decides.",
        ),
        Moment::Resolved => (
            "Resolved by a person",
            "Through a channel that agents can not reach.",
        ),
        Moment::ExceptionRaised => (
            "A contract was not enough",
            "A shipped contract is changed by an exception, never in passing.",
        ),
        Moment::Superseded => (
            "A version was superseded",
            "Debated, tested and sealed like the one before it.",
        ),
        Moment::Reused => (
            "Reused from the Code Index",
            "No code was written, nothing was debated anew.",
        ),
        Moment::Released => (
            "A release was judged",
            "By what the machine remembers and by what lies in the store; both must agree.",
        ),
    }
}

fn tone(mark: Mark) -> Tone {
    match mark {
        Mark::Quiet | Mark::Plain => Tone::Plain,
        Mark::Good => Tone::Good,
        Mark::Bad => Tone::Bad,
        Mark::Person => Tone::Unsure,
    }
}

pub(super) fn header(out: &mut Out, shown: &Shown<'_>) {
    let machine = &shown.machine;
    let status = machine.status();
    let last = machine.releases().last();
    let broken = shown.modules.iter().filter(|one| one.seal == Seal::Broken);
    let broken = broken.count();
    let (headline, tone, lead) = match (last, status.activity) {
        (Some(release), _) if release.passed() && broken == 0 => (
            "Released",
            Tone::Good,
            format!(
                "{} passed all four integration gates. Each was debated, tested by the engine in a \
                 sandbox, and sealed.",
                count(release.modules.len(), "module")
            ),
        ),
        (Some(release), _) if release.passed() => (
            "Released, then changed",
            Tone::Bad,
            format!("{} no longer as it was tested.", count(broken, "module")),
        ),
        (Some(_), _) => (
            "Not released",
            Tone::Bad,
            "A gate of the last release did not hold.".to_owned(),
        ),
        (None, Activity::Waiting) => (
            "Waiting for a person",
            Tone::Unsure,
            status.waiting_for.map_or_else(String::new, |one| one.why),
        ),
        (None, _) => (
            "Not released yet",
            Tone::Plain,
            "Work goes on, or was interrupted.".to_owned(),
        ),
    };
    out.raw(&format!(
        "<header class=\"top {}\">\n<p class=\"mark\">Proofhouse <span>evidence</span></p>\n\
         <p class=\"run\">{} \u{b7} {}</p>\n<h1>{headline}</h1>\n",
        tone.class(),
        esc(shown.name),
        esc(&shown.title)
    ));
    out.paragraph("lead", &lead);
    facts(out, shown);
    out.raw("</header>\n");
}

fn facts(out: &mut Out, shown: &Shown<'_>) {
    let graph = shown.machine.tasks();
    let tests: u64 = shown
        .modules
        .iter()
        .filter_map(|one| one.tests)
        .map(|one| one.0)
        .sum();
    let refused = shown.lines.iter();
    let refused = refused.filter(|line| line.moment == Some(Moment::ShipRefused));
    let in_use = shown.modules.iter().filter(|one| one.in_use()).count();
    out.raw("<dl class=\"facts\">\n");
    out.pair(
        "Tasks shipped",
        &format!(
            "{} <small>of {}</small>",
            graph.count(TaskStatus::Shipped),
            graph.len()
        ),
    );
    out.pair(
        "Modules in use",
        &format!("{in_use} <small>of {}</small>", shown.modules.len()),
    );
    out.pair("Tests that passed", &grouped(tests));
    out.pair("Ships refused", &refused.count().to_string());
    out.pair("Decisions of people", &shown.decisions.len().to_string());
    out.pair("Attempts of roles", &shown.attempts.to_string());
    out.pair(
        "Tokens",
        &format!(
            "{} <small>{}</small>",
            grouped(shown.tokens),
            dollars(shown.micro_dollars)
        ),
    );
    out.pair(
        "From start to end",
        &duration(shown.last.since(shown.first)),
    );
    out.raw("</dl>\n");
}

fn task_name(shown: &Shown<'_>, line: &Line) -> String {
    let id = line.task.as_deref().unwrap_or_default();
    let mut all = shown.machine.tasks().iter();
    let task = all.find(|task| task.declared.id.as_str() == id);
    task.map_or_else(String::new, |task| task.declared.task.clone())
}

pub(super) fn moments(out: &mut Out, shown: &Shown<'_>) {
    let all: Vec<&Line> = shown
        .lines
        .iter()
        .filter(|one| one.moment.is_some())
        .collect();
    if all.is_empty() {
        return;
    }
    out.raw("<section>\n<h2>What to notice</h2>\n<ol class=\"moments\">\n");
    for line in all {
        let Some(moment) = line.moment else { continue };
        let (name, about) = named(moment);
        out.raw(&format!(
            "<li class=\"{}\"><h3>{name}</h3>",
            tone(line.mark).class()
        ));
        out.paragraph("reason", &line.text);
        let of = task_name(shown, line);
        let of = if of.is_empty() {
            String::new()
        } else {
            format!("{of}. ")
        };
        out.paragraph("label", &format!("{of}{about}"));
        out.raw("</li>\n");
    }
    out.raw("</ol>\n</section>\n");
}

pub(super) fn modules(out: &mut Out, shown: &Shown<'_>) {
    out.raw(
        "<section class=\"modules\">\n<h2>Modules</h2>\n<p class=\"note\">Each has a locked \
         contract, black-box tests that the engine ran, and a seal over every file. Others see \
         its contract, its examples and its evidence, never its source.</p>\n",
    );
    if shown.modules.is_empty() {
        out.raw("<p class=\"none\">None is shipped yet.</p>\n</section>\n");
        return;
    }
    out.raw(
        "<div class=\"scroll\"><table>\n<thead><tr><th>Module</th><th>Status</th><th>Tests</th>\
         <th>Seal</th><th>Interface</th><th>Surfaces</th></tr></thead>\n<tbody>\n",
    );
    for module in &shown.modules {
        row(out, module);
    }
    out.raw("</tbody></table></div>\n</section>\n");
}

fn row(out: &mut Out, module: &Module) {
    let status = match module.entry.status {
        ModuleStatus::Shipped => chip(Tone::Good, "shipped"),
        ModuleStatus::Superseded => chip(Tone::Plain, "superseded"),
        ModuleStatus::Deprecated => chip(Tone::Unsure, "deprecated"),
    };
    let by = module.entry.superseded_by.as_ref();
    let by = by.map_or_else(String::new, |by| {
        format!(" <small class=\"by\">by {}</small>", esc(&by.to_string()))
    });
    let tests = match module.tests {
        Some((passed, total)) => format!("{passed} <small>of {total}</small>"),
        None => chip(Tone::Unsure, "not in this store"),
    };
    let seal = match module.seal {
        Seal::Whole => chip(Tone::Good, "whole"),
        Seal::Broken => chip(Tone::Bad, "broken"),
    };
    let surfaces = Permission::ContractOnly.module_globs();
    let links = surfaces.iter().filter_map(|name| {
        let path = href(&format!("{UP}{}/{name}", module.folder))?;
        Some(format!(
            "<a href=\"{path}\">{}</a>",
            name.split('.').next()?
        ))
    });
    let links: Vec<String> = links.collect();
    out.raw(&format!(
        "<tr class=\"{}\"><th>{}</th><td>{status}{by}</td><td>{tests}</td><td>{seal}</td>\
         <td>{}</td><td class=\"surfaces\">{}</td></tr>\n",
        if module.in_use() { "new" } else { "old" },
        esc(&module.entry.reference.to_string()),
        short(&module.fingerprint),
        links.join(" \u{b7} ")
    ));
}

/// What was said before there were tasks: the product loop.
pub(super) fn product(out: &mut Out, shown: &Shown<'_>) {
    let mut lines = shown
        .lines
        .iter()
        .filter(|one| one.task.is_none() && one.moment != Some(Moment::Released));
    let Some(first) = lines.next() else { return };
    out.raw(
        "<section>\n<h2>The spec</h2>\n<p class=\"note\">From a person's page to a spec that the \
         engine found complete and a person approved.</p>\n<article class=\"task\">\n\
         <ol class=\"steps\">\n",
    );
    step(out, first);
    for line in lines {
        step(out, line);
    }
    out.raw("</ol>\n</article>\n</section>\n");
}

pub(super) fn tasks(out: &mut Out, shown: &Shown<'_>) {
    out.raw(
        "<section>\n<h2>Tasks</h2>\n<p class=\"note\">In the order of the spec, with everything \
         that was said and found.</p>\n",
    );
    for task in shown.machine.tasks().iter() {
        let id = task.declared.id.as_str();
        let (word, tone) = match task.status {
            TaskStatus::Shipped => ("shipped", Tone::Good),
            TaskStatus::Halted => ("halted", Tone::Unsure),
            TaskStatus::Blocked => ("blocked", Tone::Unsure),
            TaskStatus::Abandoned => ("abandoned", Tone::Bad),
            TaskStatus::Pending | TaskStatus::InProgress => ("open", Tone::Plain),
        };
        out.raw(&format!(
            "<article class=\"task\">\n<header><h3>{}</h3> {} <span class=\"when id\">{}</span>\
             </header>\n<ol class=\"steps\">\n",
            esc(&task.declared.task),
            chip(tone, word),
            esc(id)
        ));
        for line in shown
            .lines
            .iter()
            .filter(|one| one.task.as_deref() == Some(id))
        {
            step(out, line);
        }
        out.raw("</ol>\n</article>\n");
    }
    out.raw("</section>\n");
}

fn step(out: &mut Out, line: &Line) {
    out.raw(&format!(
        "<li class=\"{}\"><b>{}</b><span>{}</span></li>\n",
        tone(line.mark).class(),
        esc(line.what),
        esc(&line.text)
    ));
}

pub(super) fn decisions(out: &mut Out, shown: &Shown<'_>) {
    out.raw(
        "<section>\n<h2>Decisions of people</h2>\n<p class=\"note\">No model signs for a person. \
         Each decision came through a channel that agents can not reach.</p>\n",
    );
    if shown.decisions.is_empty() {
        out.raw("<p class=\"none\">Nobody was asked.</p>\n");
    }
    for (at, decision) in &shown.decisions {
        out.raw(&format!(
            "<article class=\"decision\"><header><h3>{}</h3> <span>{}</span> \
             <span class=\"when\">{}</span></header>\n<blockquote>{}</blockquote>\n\
             <p class=\"channel\">{}</p></article>\n",
            esc(&decision.option),
            esc(&decision.who),
            time(&at.to_string()),
            esc(&decision.because),
            esc(&decision.channel)
        ));
    }
    out.raw("</section>\n");
}

pub(super) fn releases(out: &mut Out, shown: &Shown<'_>) {
    if shown.machine.releases().is_empty() {
        return;
    }
    out.raw("<section>\n<h2>Releases</h2>\n");
    for manifest in shown.machine.releases() {
        let document = manifest.document();
        let (word, overall) = if manifest.passed() {
            ("PASS", Tone::Good)
        } else {
            ("FAIL", Tone::Bad)
        };
        let path = href(&format!(
            "{UP}state_store/releases/{}.json",
            manifest.release_id
        ));
        out.raw(&format!(
            "<article class=\"gate\"><header><h3><a href=\"{}\">{}</a></h3> {} \
             <span class=\"when\">{}</span></header>\n<p class=\"gates\">",
            path.unwrap_or_default(),
            esc(&manifest.release_id),
            chip(overall, word),
            time(&manifest.created_at.to_string())
        ));
        let gates = document["integration_gates"].as_object();
        for (gate, result) in gates.into_iter().flatten() {
            let held = if result == "PASS" {
                Tone::Good
            } else {
                Tone::Bad
            };
            out.raw(&format!("{} ", chip(held, gate)));
        }
        let modules: Vec<String> = manifest
            .modules
            .iter()
            .map(|one| one.module_ref.to_string())
            .collect();
        out.raw("</p>\n");
        out.paragraph("reason", &modules.join(", "));
        for violation in &manifest.violations {
            out.paragraph(
                "reason",
                &format!("{}: {}", violation.module, violation.why),
            );
        }
        out.raw("</article>\n");
    }
    out.raw("</section>\n");
}

pub(super) fn verify(out: &mut Out, shown: &Shown<'_>) {
    out.raw(&format!(
        "<section class=\"audit\">\n<h2>Do not trust this page</h2>\n<p>It is a view of the \
         journal, whose last record is number {} with the hash {}. Ask the engine to recompute \
         everything from the files:</p>\n<pre><code>proofhouse audit\nproofhouse factory status {}\
         </code></pre>\n</section>\n",
        shown.head.seq,
        short(&shown.head.hash),
        esc(shown.name)
    ));
}
