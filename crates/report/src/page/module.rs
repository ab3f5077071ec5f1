//! The page of one version of a module: its contract, its tests clause by clause, its versions, who uses it, and
//! where it comes from.

use super::html::{
    Tone, chip, count, duration, href, pair, paragraph, prose, short, time, written,
};
use super::live::{Live, Part, head};
use crate::address::encoded;
use crate::module::{ModuleReport, Other, Seal, Tested};
use factory::contract::MicroModuleContract;
use factory::project::ModuleRef;
use kernel::module::ModuleStatus;
use maud::{Markup, html};

/// From the page of a version to that of the project, and to the state store's folder.
const PROJECT: &str = "../../../";
const STORE: &str = "../../../../../";

/// The page of a version, from that of another.
fn address(reference: &ModuleRef) -> String {
    let id = encoded(reference.module.as_str());
    format!("{PROJECT}module/{id}/{}/", reference.version)
}

/// The page.
pub fn page(report: &ModuleReport) -> Live {
    let reference = &report.module.entry.reference;
    let purpose = report.contract.as_ref().map(|one| one.purpose.as_str());
    let purpose = purpose.unwrap_or("Its contract does not lie in this store.");
    let lead = html! {
        p { (prose(purpose)) }
        p.chips {
            (status(report.module.entry.status)) " "
            @match report.module.seal {
                Seal::Whole => (chip(Tone::Good, "as it was tested")),
                Seal::Broken => (chip(Tone::Bad, "not as it was tested")),
            } " "
            a href=(PROJECT) { "Project " (report.project) }
        }
    };
    let mark = format!("module \u{b7} version {}", reference.version);
    let parts = [
        ("contract", contract(report)),
        ("tests", tests(report)),
        ("users", users(report)),
        ("versions", versions(report)),
        ("origin", origin(report)),
        ("examples", examples(report)),
    ];
    let parts = parts.map(|(id, markup)| Part::new(id, markup));
    Live {
        title: format!("Module {reference}"),
        parts: [head(&mark, reference.module.as_str(), &lead)]
            .into_iter()
            .chain(parts)
            .collect(),
    }
}

fn status(status: ModuleStatus) -> Markup {
    match status {
        ModuleStatus::Shipped => chip(Tone::Good, "shipped"),
        ModuleStatus::Superseded => chip(Tone::Plain, "superseded"),
        ModuleStatus::Deprecated => chip(Tone::Unsure, "deprecated"),
    }
}

fn contract(report: &ModuleReport) -> Markup {
    let file = href(&format!("{STORE}{}/contract.json", report.module.folder));
    html! {
        section aria-labelledby="contract" {
            h2 #contract { "Contract" }
            @match &report.contract {
                None => p.none { "It does not lie in this store, or cannot be read." },
                Some(contract) => {
                    p.note {
                        "All that others know of it. Its fingerprint: " (short(&report.module.fingerprint))
                        @if let Some(file) = file { " \u{b7} " a href=(file) { "the document" } }
                    }
                    (dimensions(contract))
                }
            }
        }
    }
}

fn dimensions(contract: &MicroModuleContract) -> Markup {
    let modes = [
        (contract.modes.sync, "sync"),
        (contract.modes.async_, "async"),
    ];
    let modes: Vec<&str> = modes.iter().filter(|one| one.0).map(|one| one.1).collect();
    html! {
        dl.dimensions {
            (dimension("Takes", contract.inputs.iter().map(|one| (one.name.as_str(), one.type_.as_str(), one.constraints.as_slice()))))
            (dimension("Gives", contract.outputs.iter().map(|one| (one.name.as_str(), one.type_.as_str(), one.invariants.as_slice()))))
            div {
                dt { "Fails with" }
                dd {
                    @if contract.error_surfaces.is_empty() { "nothing" }
                    ul { @for one in &contract.error_surfaces {
                        li { code { (one.name) } " " span.quiet { (one.surface.as_str()) } ul { li { "when " (prose(&one.when)) } } }
                    } }
                }
            }
            div {
                dt { "Changes outside" }
                dd {
                    @if contract.effects.is_empty() { "nothing" }
                    ul { @for one in &contract.effects {
                        li { code { (one.type_.as_str()) " " (one.target) } " " (prose(&one.description)) }
                    } }
                }
            }
            div {
                dt { "Is called" }
                dd { (modes.join(", ")) @if !contract.modes.notes.is_empty() { " \u{b7} " (prose(&contract.modes.notes)) } }
            }
            @if !contract.error_cases.is_empty() { div {
                dt { "Handles" }
                dd { ul { @for one in &contract.error_cases { li { (prose(one)) } } } }
            } }
        }
    }
}

/// A name, a type, and what holds of it.
fn dimension<'c>(
    title: &str,
    all: impl Iterator<Item = (&'c str, &'c str, &'c [String])>,
) -> Markup {
    html! {
        div {
            dt { (title) }
            dd { ul { @for (name, kind, holds) in all {
                li {
                    code { (name) ": " (kind) }
                    @if !holds.is_empty() { ul { @for one in holds { li { (prose(one)) } } } }
                }
            } } }
        }
    }
}

fn tests(report: &ModuleReport) -> Markup {
    let passed = report.tests.iter().filter(|one| one.passed).count();
    html! {
        section aria-labelledby="tests" {
            h2 #tests { "Tests" }
            @if report.tests.is_empty() {
                p.none { "Their log does not lie in this store." }
            } @else {
                p.note {
                    (count(passed, "test")) " of " (report.tests.len()) " passed, run by the engine"
                    @if !report.runner.is_empty() { " with " (report.runner) }
                    @if let Some(ran) = &report.ran { " on " (written(&ran.to_string())) }
                    ". They see what the contract makes public, and fail where stubs stand in its place."
                }
                ul.tests { @for one in &report.tests { (test(one)) } }
            }
        }
    }
}

fn test(one: &Tested) -> Markup {
    html! {
        li {
            p {
                @if one.passed { (chip(Tone::Good, "passed")) } @else { (chip(Tone::Bad, "failed")) }
                " " code { (one.name) }
                @if let Some(millis) = one.millis { " " span.quiet { (duration(millis)) } }
            }
            @if let Some(shows) = &one.shows { p.quiet { (prose(shows)) } }
        }
    }
}

fn others(all: &[Other], none: &str) -> Markup {
    html! {
        @if all.is_empty() { p.none { (none) } }
        ul.others { @for one in all { li {
            @match one.status {
                Some(state) => { a href=(address(&one.reference)) { (one.reference) } " " (status(state)) },
                None => (one.reference),
            }
        } } }
    }
}

fn users(report: &ModuleReport) -> Markup {
    html! {
        section aria-labelledby="users" {
            h2 #users { "Who uses it" }
            (others(&report.used_by, "No module of this project."))
            h3 { "What it uses" }
            (others(&report.uses, "Nothing."))
        }
    }
}

fn versions(report: &ModuleReport) -> Markup {
    let this = &report.module.entry;
    html! {
        section aria-labelledby="versions" {
            h2 #versions { "Versions" }
            ul.others { @for one in &report.versions { li {
                @if one.reference == this.reference {
                    b aria-current="page" { (one.reference.version) } " "
                } @else {
                    a href=(address(&one.reference)) { (one.reference.version) } " "
                }
                @if let Some(state) = one.status { (status(state)) }
                @if let Some(at) = one.at { " " span.quiet { (written(&at.to_string())) } }
            } } }
            @if let Some(by) = &this.superseded_by {
                p.note { "In its place: " a href=(address(by)) { (by) } }
            }
            @for note in &this.notes { (paragraph("note", note)) }
        }
    }
}

fn origin(report: &ModuleReport) -> Markup {
    let entry = &report.module.entry;
    let release = |id: &String| href(&format!("{STORE}state_store/releases/{id}.json"));
    html! {
        section aria-labelledby="origin" {
            h2 #origin { "Where it comes from" }
            dl.fields {
                @if let Some(task) = &entry.task {
                    (pair("Task", html! {
                        a href=(format!("{PROJECT}task/{}/", encoded(task.as_str()))) {
                            (report.task.as_deref().unwrap_or(task.as_str()))
                        }
                        " \u{b7} with everything that was said about it"
                    }))
                }
                @if let Some(exception) = &entry.origin.exception { (pair("Exception", exception.as_str())) }
                @if let Some(from) = &entry.origin.from { (pair("Brought in from", from)) }
                (pair("Shipped", time(entry.at)))
                (pair("Evidence", html! { code { (entry.ship_ref) } }))
                @if let Some(ship) = &report.ship {
                    (pair("Ship", html! { (ship.ship_id) " \u{b7} " (ship.verification.result.as_str()) " \u{b7} " (written(&ship.verified_at.to_string())) }))
                    @if let Some(exam) = &ship.verification.exam { (pair("Exam", prose(exam))) }
                    (pair("Commit", html! { code { (ship.environment.repo_revision) } }))
                    (pair("Run by", &ship.environment.runner_id))
                }
                @if !report.releases.is_empty() {
                    (pair("In releases", html! {
                        @for (nth, id) in report.releases.iter().enumerate() {
                            @if nth > 0 { ", " }
                            a href=(release(id).unwrap_or_default()) { (id) }
                        }
                    }))
                }
            }
            @if !report.sealed.is_empty() {
                details {
                    summary { "Sealed: " (count(report.sealed.len(), "file")) ", by hash" }
                    ul.sealed { @for (path, hash) in &report.sealed { li { code { (path) } " " (short(hash)) } } }
                }
            }
        }
    }
}

fn examples(report: &ModuleReport) -> Markup {
    html! {
        @if let Some(text) = &report.examples {
            section aria-labelledby="examples" {
                h2 #examples { "Examples" }
                pre.whole tabindex="0" { code { (text) } }
            }
        }
    }
}
