//! A project's page of evidence: what was asked for, what was debated, what the engine ran, who
//! decided, and what was released. Each section says nothing that was not gathered.

use super::act::{self, Act};
use super::graph;
use super::html::{
    Tone, chip, count, duration, grouped, href, options, pair, paragraph, part, short, time,
};
use super::live::{Live, Part};
use super::now;
use crate::address::encoded;
use crate::graph::Graph;
use crate::history::Decided;
pub use crate::module::{Module, Seal};
use crate::now::Now;
use crate::spend::dollars;
use crate::story::{Line, Mark, Moment};
use factory::NAME as FACTORY;
use factory::delivery::manifest::Manifest;
use factory::machine::{Factory, Question, Subject};
use factory::project::{ModuleRef, TaskStatus};
use kernel::machine::Activity;
use kernel::module::ModuleStatus;
use kernel::pack::Permission;
use kernel::{Machine, Time};
use maud::{Markup, html};
use store::Head;

/// How a project's page looks, beyond what all pages share.
pub const STYLE: &str = include_str!("project.css");
/// The page lies in `views/NAME/`, below the folder that holds the state store.
const UP: &str = "../../";

/// Everything that the page shows.
pub struct Shown {
    /// The project.
    pub name: String,
    /// Its spec's title.
    pub title: String,
    /// Who works, as the person named it.
    pub agent: String,
    pub machine: Factory,
    /// The journal's last record.
    pub head: Head,
    /// What happened, in sentences.
    pub lines: Vec<Line>,
    /// What people decided.
    pub decisions: Vec<Decided>,
    /// Every version of every module.
    pub modules: Vec<Module>,
    /// How many attempts ended, with their tokens and their money.
    pub attempts: u64,
    /// Read and written.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub micro_dollars: u64,
    /// The first record.
    pub first: Time,
    pub last: Time,
}

/// What is scripted in it, in a sentence; nothing where nothing is.
fn banner(shown: &Shown) -> Option<String> {
    // No name ends so on the network: a key of that name has nobody behind it.
    let mut who = shown.decisions.iter().map(|one| &one.decision.who);
    let people = match who.any(|who| who.ends_with(".invalid")) {
        true => " So were the answers of people, signed with a key that nobody stands behind.",
        false => "",
    };
    let scripted = format!(
        "The model's replies in this project were scripted; every check, file, hash and signature is \
         real.{people}"
    );
    Some(scripted).filter(|_| shown.agent.starts_with("scripted:"))
}

/// Where the page stands: what it leads to is beside a served one, and nowhere beside a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    File,
    Served,
}

fn parts(shown: &Shown, place: Place) -> Vec<(&'static str, Markup)> {
    let graph = || graph::section(&Graph::of(&shown.machine), &task_address);
    let of_place = match place {
        Place::File => [
            ("moments", moments(shown, place)),
            ("modules", modules(shown, place)),
            ("product", product(shown, place)),
            ("tasks", tasks(shown)),
        ],
        Place::Served => [
            ("tasks", graph()),
            ("moments", moments(shown, place)),
            ("modules", modules(shown, place)),
            ("product", product(shown, place)),
        ],
    };
    let mut all = vec![("ask", ask(shown, place))];
    all.extend(of_place);
    all.extend([
        ("decisions", decisions(shown)),
        ("releases", releases(shown)),
        ("verify", verify(shown)),
    ]);
    all
}

/// A task's own page, beside the project's.
fn task_address(task: &str) -> String {
    format!("task/{}/", encoded(task))
}

/// The page of a version of a module, beside the project's.
fn module_address(module: &ModuleRef) -> String {
    let id = encoded(module.module.as_str());
    format!("module/{id}/{}/", module.version)
}

fn title(shown: &Shown) -> String {
    format!("{}: {FACTORY}", shown.title)
}

/// The page.
pub fn page(shown: &Shown) -> String {
    let main = html! { @for (_, part) in parts(shown, Place::File) { (part) } };
    let banner = banner(shown);
    super::shell(
        &title(shown),
        STYLE,
        banner.as_deref(),
        &header(shown),
        &main,
    )
}

/// The same as a page that is served, with who works right now.
pub fn live(shown: &Shown, now: &[Now], act: Option<&Act<'_>>) -> Live {
    let banner = banner(shown).map(|text| html! { p.banner role="note" { (text) } });
    let banner = banner.map(|markup| Part::new("banner", markup));
    let head = [
        Part::new("head", header(shown)),
        Part::new(
            "now",
            html! {
                (now::works(now))
                @if let Some(one) = act {
                    section.now aria-labelledby="engine" { h2 #engine { "Its engine" } (act::form(one)) }
                }
                p.facts-line { a href=(format!("at/{}/", shown.head.seq)) { "Step through its records" } }
            },
        ),
    ];
    let rest = parts(shown, Place::Served)
        .into_iter()
        .map(|(id, markup)| Part::new(id, markup));
    Live {
        title: title(shown),
        parts: banner.into_iter().chain(head).chain(rest).collect(),
    }
}

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
            "Through a channel that agents cannot reach.",
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

fn header(shown: &Shown) -> Markup {
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
    html! {
        header.top.(tone.class()) {
            p.mark { "Proofhouse " span { "evidence" } }
            p.run { (shown.name) " \u{b7} " (shown.title) }
            h1 { (headline) }
            (paragraph("lead", &lead))
            (facts(shown))
        }
    }
}

fn facts(shown: &Shown) -> Markup {
    let graph = shown.machine.tasks();
    let tests = shown.modules.iter().filter_map(|one| one.tests);
    let tests: u64 = tests.map(|(passed, _)| passed).sum();
    let refused = shown.lines.iter();
    let refused = refused.filter(|line| line.moment == Some(Moment::ShipRefused));
    let in_use = shown.modules.iter().filter(|one| one.in_use()).count();
    let tokens = html! {
        (grouped(shown.tokens)) " " small { (dollars(shown.micro_dollars)) }
    };
    html! {
        dl.facts {
            (pair("Tasks shipped", part(graph.count(TaskStatus::Shipped), graph.len())))
            (pair("Modules in use", part(in_use, shown.modules.len())))
            (pair("Tests that passed", grouped(tests)))
            (pair("Ships refused", refused.count()))
            (pair("Decisions of people", shown.decisions.len()))
            (pair("Attempts of roles", shown.attempts))
            (pair("Tokens", tokens))
            (pair("From start to end", duration(shown.last.since(shown.first))))
        }
    }
}

/// Where a question is answered: the one about a spec stands below the spec.
fn question_address(question: &Question) -> String {
    match question.subject {
        Subject::Spec => "spec/".to_owned(),
        _ => format!("question/{}/", encoded(&question.id)),
    }
}

/// What a project waits for, before everything else: whoever is asked should not have to look for the
/// question. The answers are given in a terminal; a page decides nothing.
fn ask(shown: &Shown, place: Place) -> Markup {
    let questions = shown.machine.questions();
    let waits = shown.machine.status().activity == Activity::Waiting;
    html! {
        @if !questions.is_empty() && waits {
            section.ask aria-labelledby="ask" {
                h2 #ask { "Your answer is needed" }
                @for question in &questions {
                    @let task = question.task.as_ref().map(ToString::to_string);
                    @let task = task.filter(|task| *task != question.id);
                    p.label { (question.id) @if let Some(task) = task { " of " (task) } }
                    (paragraph("sentence", &question.what))
                    (paragraph("reason", &question.why))
                    (options(&question.options))
                    @if place == Place::Served {
                        p.onward { a href=(question_address(question)) { "What each answer does and needs" } }
                    }
                }
                p.label { "In your terminal, with the command for each of them" }
                pre tabindex="0" { code { "proofhouse inbox" } }
            }
        }
    }
}

fn moments(shown: &Shown, place: Place) -> Markup {
    let lines = shown.lines.iter();
    let all: Vec<(&Line, Moment)> = lines
        .filter_map(|line| Some((line, line.moment?)))
        .collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 #notice { "What to notice" }
                ol.moments {
                    @for (line, moment) in all {
                        @let (name, about) = named(moment);
                        li.(tone(line.mark).class()) {
                            h3 { (name) }
                            (paragraph("reason", &line.text))
                            @match (&line.task, place) {
                                (Some(task), Place::Served) => p.label {
                                    a href=(task_address(task)) { (of_task(shown, line).trim_end()) } " " (about)
                                },
                                _ => (paragraph("label", &format!("{}{about}", of_task(shown, line)))),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The name of the task that a line is about, as the beginning of a sentence.
fn of_task(shown: &Shown, line: &Line) -> String {
    let id = line.task.as_deref().unwrap_or_default();
    let mut all = shown.machine.tasks().iter();
    let task = all.find(|task| task.declared.id.as_str() == id);
    task.map_or_else(String::new, |task| format!("{}. ", task.declared.task))
}

fn modules(shown: &Shown, place: Place) -> Markup {
    html! {
        section.modules {
            h2 #modules { "Modules" }
            p.note {
                "Each has a locked contract, black-box tests that the engine ran, and a seal over \
                 every file. Others see its contract, its examples and its evidence, never its source."
            }
            @if shown.modules.is_empty() {
                p.none { "None is shipped yet." }
            } @else {
                div.scroll {
                    table {
                        thead {
                            tr {
                                @for name in ["Module", "Status", "Tests", "Seal", "Interface", "Surfaces"] {
                                    th { (name) }
                                }
                            }
                        }
                        tbody { @for module in &shown.modules { (row(module, place)) } }
                    }
                }
            }
        }
    }
}

fn row(module: &Module, place: Place) -> Markup {
    let status = match module.entry.status {
        ModuleStatus::Shipped => chip(Tone::Good, "shipped"),
        ModuleStatus::Superseded => chip(Tone::Plain, "superseded"),
        ModuleStatus::Deprecated => chip(Tone::Unsure, "deprecated"),
    };
    let seal = match module.seal {
        Seal::Whole => chip(Tone::Good, "whole"),
        Seal::Broken => chip(Tone::Bad, "broken"),
    };
    let surfaces = Permission::ContractOnly.module_globs();
    let surfaces = surfaces.iter().filter_map(|name| {
        let path = href(&format!("{UP}{}/{name}", module.folder))?;
        Some((path, name.split('.').next()?))
    });
    html! {
        tr class=(if module.in_use() { "new" } else { "old" }) {
            th scope="row" {
                @match place {
                    Place::File => (module.entry.reference),
                    Place::Served => a href=(module_address(&module.entry.reference)) { (module.entry.reference) },
                }
            }
            td {
                (status)
                @if let Some(by) = &module.entry.superseded_by { " " small.by { "by " (by) } }
            }
            td {
                @match module.tests {
                    Some((passed, total)) => { (passed) " " small { "of " (total) } },
                    None => (chip(Tone::Unsure, "not in this store")),
                }
            }
            td { (seal) }
            td { (short(&module.fingerprint)) }
            td.surfaces {
                @for (nth, (path, name)) in surfaces.enumerate() {
                    @if nth > 0 { " \u{b7} " }
                    a href=(path) { (name) }
                }
            }
        }
    }
}

/// What was said before there were tasks: the product loop.
fn product(shown: &Shown, place: Place) -> Markup {
    let early = |one: &&Line| one.task.is_none() && one.moment != Some(Moment::Released);
    let lines: Vec<&Line> = shown.lines.iter().filter(early).collect();
    html! {
        @if !lines.is_empty() || place == Place::Served {
            section {
                h2 #spec { "The spec" }
                p.note {
                    "From a person's page to a spec that the engine found complete and a person \
                     approved."
                    @if place == Place::Served { " " a href="spec/" { "Read it" } }
                }
                @if !lines.is_empty() { article.task { (steps(&lines)) } }
            }
        }
    }
}

fn tasks(shown: &Shown) -> Markup {
    let lines = |id: &str| -> Vec<&Line> {
        let of = |one: &&Line| one.task.as_deref() == Some(id);
        shown.lines.iter().filter(of).collect()
    };
    html! {
        section {
            h2 #tasks { "Tasks" }
            p.note { "In the order of the spec, with everything that was said and found." }
            @for task in shown.machine.tasks().iter() {
                @let id = task.declared.id.as_str();
                article.task {
                    header {
                        h3 { (task.declared.task) } " " (standing(task.status)) " "
                        span.when.id { (id) }
                    }
                    (steps(&lines(id)))
                }
            }
        }
    }
}

fn standing(status: TaskStatus) -> Markup {
    match status {
        TaskStatus::Shipped => chip(Tone::Good, "shipped"),
        TaskStatus::Halted => chip(Tone::Unsure, "halted"),
        TaskStatus::Blocked => chip(Tone::Unsure, "blocked"),
        TaskStatus::Abandoned => chip(Tone::Bad, "abandoned"),
        TaskStatus::Pending | TaskStatus::InProgress => chip(Tone::Plain, "open"),
    }
}

pub(super) fn steps(lines: &[&Line]) -> Markup {
    html! {
        ol.steps {
            @for line in lines {
                li.(tone(line.mark).class()) { b { (line.what) } span { (line.text) } }
            }
        }
    }
}

fn decisions(shown: &Shown) -> Markup {
    html! {
        section {
            h2 #decisions { "Decisions of people" }
            p.note {
                "No model signs for a person. Each decision came through a channel that agents cannot \
                 reach."
            }
            @if shown.decisions.is_empty() { p.none { "Nobody was asked." } }
            @for one in &shown.decisions {
                @let decision = &one.decision;
                article.decision {
                    header {
                        h3 { (decision.option) } " " span { (decision.who) } " "
                        span.when { (time(one.at)) }
                    }
                    blockquote { (decision.because) }
                    p.channel { (decision.channel) }
                }
            }
        }
    }
}

fn releases(shown: &Shown) -> Markup {
    html! {
        @if !shown.machine.releases().is_empty() {
            section {
                h2 #releases { "Releases" }
                @for manifest in shown.machine.releases() { (release(manifest)) }
            }
        }
    }
}

fn release(manifest: &Manifest) -> Markup {
    let document = manifest.document();
    let overall = match manifest.passed() {
        true => chip(Tone::Good, "PASS"),
        false => chip(Tone::Bad, "FAIL"),
    };
    let path = format!("{UP}state_store/releases/{}.json", manifest.release_id);
    let modules = manifest.modules.iter();
    let modules: Vec<String> = modules.map(|one| one.module_ref.to_string()).collect();
    let held = |result: &serde_json::Value| match result == "PASS" {
        true => Tone::Good,
        false => Tone::Bad,
    };
    html! {
        article.gate {
            header {
                h3 { a href=(href(&path).unwrap_or_default()) { (manifest.release_id) } } " "
                (overall) " " span.when { (time(manifest.created_at)) }
            }
            p.gates {
                @for (gate, result) in document["integration_gates"].as_object().into_iter().flatten() {
                    (chip(held(result), gate)) " "
                }
                @if let Some(product) = &manifest.product {
                    (chip(held(&product.result.as_str().into()), "product")) " "
                }
            }
            @if let Some(product) = &manifest.product {
                (paragraph("reason", &format!("product {}: {}", product.result.as_str(), product.what)))
            }
            (paragraph("reason", &modules.join(", ")))
            @for violation in &manifest.violations {
                (paragraph("reason", &format!("{}: {}", violation.module, violation.why)))
            }
        }
    }
}

fn verify(shown: &Shown) -> Markup {
    html! {
        section.audit {
            h2 #audit { "Do not trust this page" }
            p {
                "It is a view of the journal, whose last record is number " (shown.head.seq)
                " with the hash " (short(&shown.head.hash))
                ". Ask the engine to recompute everything from the files:"
            }
            pre { code { "proofhouse audit\nproofhouse factory status " (shown.name) } }
        }
    }
}
