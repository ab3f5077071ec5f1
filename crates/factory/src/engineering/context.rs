//! A role's brief, view and pack, compiled from the table of rule F9.7 and from nothing else.

use super::asked::Asked;
use super::debate::Debate;
use super::exam;
use super::kind::{ASSEMBLES, CONTINUES, HOLDS, Kind, SHOWS, TELLS, TRIES};
use super::returned::{ANSWERS, CHALLENGE, EXCEPTION, EXCEPTION_FORM, returns, rules};
use super::roles::{Grant, Material, Occasion, Role, given, withheld};
pub(crate) use super::scene::workspace;
pub use super::scene::{BRIEFS, SURFACE, Scene, module_folder, near_file};
use super::shipped_by::ship_rules;
use super::told;
use crate::context_pack::{ContextPack, Excluded, Included};
use crate::debate::Trail;
use crate::debate::rubric::{ASSEMBLY, DECOMPOSITION, EVALUATION};
use crate::halt::exception::may_raise;
use crate::product::{ASKED, ENDS, ENDS_SAID};
use crate::spec::{Case, ProductForm, called_names};
pub(crate) use documents::quoted::{DATA, pretty};
use kernel::effect::Sight;
use kernel::pack::Permission;
use serde_json::{Value, json};
use std::fmt::Write;

/// The schemas that a planner and a proposer get (rule F3.4).
const SCHEMAS: [&str; 7] = [
    "Proposal",
    "Challenge",
    "Adjudication",
    "MicroModuleContract",
    "MicroPlan",
    "ShipEvidence",
    "ReuseSearchReport",
];

/// What of the repository the role sees, and where it may write.
pub fn sight(scene: &Scene<'_>, role: Role, occasion: Occasion) -> Sight {
    let mut sight = Sight {
        sees: Vec::new(),
        hidden: Vec::new(),
        scope: Vec::new(),
        within: Vec::new(),
    };
    for (material, grant) in given(role, occasion) {
        match material {
            Material::TaskFile => sight.sees.push(scene.task_file()),
            Material::DependencyContracts => {
                let shown = scene.upstream.iter().flat_map(|one| {
                    let folder = module_folder(one);
                    let globs = scene.shown_of_others(role, grant).into_iter();
                    globs.map(move |glob| format!("{folder}/{glob}"))
                });
                sight.sees.extend(shown);
            }
            Material::Workspace => {
                let globs = grant.permission().module_globs().into_iter();
                let shown = globs.map(|glob| format!("{}/{glob}", scene.folder()));
                sight.sees.extend(shown);
                sight.scope.extend(workspace(&scene.folder()));
                // Versions of one module: whoever makes the next sees the last (rule F9.7).
                let before = scene.before().map(module_folder);
                sight
                    .sees
                    .extend(before.map(|folder| format!("{folder}/**")));
            }
            Material::CodeIndex if scene.briefs >= CONTINUES && role == Role::MicroPlanner => {
                sight.sees.push(near_file(scene.task));
            }
            // Inside the workspace, in the brief, or a tool.
            Material::Source
            | Material::ModuleContract
            | Material::CodeIndex
            | Material::HarnessSchemas
            | Material::Proposal
            | Material::Challenge
            | Material::Adjudication
            | Material::EvaluationRubric
            | Material::DecompositionRubric
            | Material::DebateTrail => {}
        }
    }
    sight
}

/// The pack of a role.
pub fn pack(scene: &Scene<'_>, role: Role, occasion: Occasion) -> ContextPack {
    let own = scene.module.and_then(|at| scene.work.reference(at));
    // `id@version`, as rule F5.3 has it: a material of a module, or of the harness.
    let named = |material: Material| match &own {
        Some(one) => format!("{}.{}@{}", word(material), one.module, one.version),
        None => format!("{}@1.0.0", word(material)),
    };
    let mut included = Vec::new();
    for (material, grant) in given(role, occasion) {
        let references = match material {
            Material::TaskFile => vec![format!("{}@1.0.0", scene.task)],
            Material::DependencyContracts => {
                scene.upstream.iter().map(ToString::to_string).collect()
            }
            Material::Workspace => {
                let before = scene.before();
                let before =
                    before.map(|one| format!("{}.{}@{}", word(material), one.module, one.version));
                std::iter::once(named(material)).chain(before).collect()
            }
            _ => vec![named(material)],
        };
        included.extend(references.into_iter().map(|reference| Included {
            reference,
            permission: grant.permission(),
            reason: format!("section 9.7: {} for the {}", word(material), role.as_str()),
        }));
    }
    let excluded = withheld(role, occasion);
    ContextPack {
        included_refs: included,
        excluded_refs: excluded
            .into_iter()
            .map(|(material, reason)| Excluded {
                reference: named(material),
                reason,
            })
            .collect(),
        default_permission: Permission::default(),
    }
}

fn word(material: Material) -> String {
    let value = serde_json::to_value(material).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// The whole brief of a role.
pub fn brief(scene: &Scene<'_>, role: Role, occasion: Occasion) -> String {
    let mut text = format!("# {} for {}\n\n{DATA}\n", role.as_str(), scene.task);
    for (material, grant) in given(role, occasion) {
        if let Some((title, body)) = section(scene, role, material, grant) {
            let _ = write!(text, "\n## {title}\n\n{body}\n");
        }
    }
    if scene.briefs >= HOLDS {
        text.push_str(&of_product(scene, role));
    }
    if scene.briefs >= TELLS && role != Role::Arbiter && !scene.again.is_empty() {
        let all = scene.quoted(&json!({"shipped": scene.shipped, "why": scene.again}));
        let _ = write!(text, "\n{}\n\n{all}\n", told::AGAIN);
    }
    if scene.briefs >= CONTINUES && role != Role::Arbiter && !scene.outdated.is_empty() {
        let all = scene.quoted(&json!(scene.outdated));
        let _ = write!(text, "\n{}\n\n{all}\n", told::OUTDATED);
    }
    if scene.briefs >= TELLS && !scene.rejected.is_empty() {
        let all = scene.quoted(&json!(scene.rejected));
        let _ = write!(text, "\n{}\n\n{all}\n", told::REJECTED);
    }
    if scene.briefs >= TRIES {
        text.push_str(&seen(scene, role));
    }
    if role == Role::MicroPlanner && scene.briefs >= ASSEMBLES {
        let _ = write!(
            text,
            "\n## What a plan may hold\n\n{}\n",
            both_kinds(scene.kind)
        );
        if !scene.asked.is_empty() {
            let all = scene.asked.iter();
            let all = all.map(|one| json!({"asked": one.key, "what": one.what}));
            let all = scene.quoted(&all.collect());
            let _ = write!(text, "\n## What the task asks for\n\n{all}\n");
        }
    }
    let last = scene
        .debate()
        .and_then(|debate| debate.trail.challenges.last());
    let returns = match last {
        _ if role == Role::Challenger && (3..TELLS).contains(&scene.briefs) => CHALLENGE.to_owned(),
        // What the engine would refuse is not offered.
        Some(last) if scene.briefs >= 2 && last["verdict"] == "FAIL" => {
            returns(role, occasion, scene.briefs).replace(
                "(APPROVE, APPROVE_WITH_AMENDMENTS or REJECT)",
                "(APPROVE_WITH_AMENDMENTS or REJECT: the challenge stands at FAIL)",
            )
        }
        _ => returns(role, occasion, scene.briefs).to_owned(),
    };
    let _ = write!(text, "\n## What to return\n\n{returns}\n");
    if role == Role::Examiner {
        let _ = write!(text, "\n{}\n", scene.quoted(&exam::example()));
    }
    if role == Role::MicroPlanner && scene.briefs >= HOLDS {
        let answers = match scene.briefs {
            ..TELLS => ANSWERS,
            _ => told::ANSWERS,
        };
        let _ = write!(text, "\n{answers}\n");
    }
    if may_raise(role) {
        let _ = write!(text, "\n{EXCEPTION}\n");
        if scene.briefs >= HOLDS && role == Role::Proposer {
            let _ = write!(text, "\n{EXCEPTION_FORM}\n");
        }
    }
    text.push_str(&rules(role, scene.briefs));
    text + &complaints(&scene.work.patience.complaint)
}

/// The product that the task is a part of, since the form 6. Who makes its front sees what that must do.
fn of_product(scene: &Scene<'_>, role: Role) -> String {
    let Some(promised) = scene.promised else {
        return String::new();
    };
    let product = &promised.product;
    let mut said = json!({"product": product.name, "form": product.form, "title": promised.title});
    if role != Role::Arbiter {
        said["about"] = json!(promised.about);
    }
    let mut text = format!("\n## The product\n\n{}\n", scene.quoted(&said));
    if let Some(tongue) = product.language {
        let language = tongue.language();
        let _ = write!(
            text,
            "\nAll of it is in {}: a module in another language is refused.\n",
            language.as_str()
        );
    }
    let asked = product.form == ProductForm::Library && !product.cases.is_empty();
    if asked {
        let names = called_names(product).join("`, `");
        let _ = write!(
            text,
            "\nIts cases call `{names}`: names that stand at its top, whichever module makes them.\n"
        );
    }
    if scene.kind == Kind::Assembly && !product.cases.is_empty() {
        let told: Vec<Value> = product.cases.iter().map(Case::told).collect();
        let cases = scene.quoted(&json!(told));
        let ends = match scene.briefs {
            _ if asked => ASKED,
            ..TELLS => ENDS,
            _ => ENDS_SAID,
        };
        let _ = write!(
            text,
            "\n## What the product must do\n\nEach case is run on the whole product before it is released. {ends}\n\n{cases}\n"
        );
    }
    text
}

/// What the engine itself can tell a role, since the form 4.
fn seen(scene: &Scene<'_>, role: Role) -> String {
    let (title, said) = match role {
        Role::Arbiter if scene.briefs < TELLS => return String::new(),
        Role::Challenger | Role::Arbiter => {
            let saw = scene.debate().map(|debate| debate.saw.as_slice());
            let saw = match saw.unwrap_or_default() {
                [] => String::new(),
                saw => format!(
                    "\n## What the engine saw\n\n{}\n",
                    scene.quoted(&json!(saw))
                ),
            };
            return match role {
                Role::Arbiter => saw,
                _ => saw + &to_show(scene),
            };
        }
        Role::MicroPlanner => match &scene.work.refused {
            Some((plan, _)) => ("The plan that was refused", scene.quoted(plan)),
            None => return String::new(),
        },
        Role::Examiner => return to_show(scene),
        Role::Proposer => return String::new(),
    };
    format!("\n## {title}\n\n{said}\n")
}

/// The task's acceptance criteria, for who may not see its file.
fn to_show(scene: &Scene<'_>) -> String {
    if scene.briefs >= HOLDS && !scene.asked.is_empty() {
        return answered(scene);
    }
    if scene.briefs < SHOWS || scene.shows.is_empty() {
        return String::new();
    }
    format!(
        "\n## What the task must show\n\nAll of its modules together; this one carries its part, as its contract says.\n\n{}\n",
        scene.quoted(&json!(scene.shows))
    )
}

/// What the task asks for, and the clauses that answer it by the plan.
fn answered(scene: &Scene<'_>) -> String {
    let modules = scene.work.plan.as_ref().map(|plan| plan.modules.as_slice());
    let of = |asked: &Asked| {
        let all = modules.unwrap_or_default().iter();
        let clauses = all.flat_map(|module| {
            let own = module.answers.iter().filter(|one| one.asked == asked.key);
            own.map(|one| format!("{} {}", module.module_id, one.clause))
        });
        let clauses: Vec<String> = clauses.collect();
        json!({"asked": asked.key, "what": asked.what, "answered_by": clauses})
    };
    format!(
        "\n## What the task must show\n\nAll of its modules together; this one carries its part. `answered_by` is the plan's word: the clauses that it says answer a point.\n\n{}\n",
        scene.quoted(&scene.asked.iter().map(of).collect())
    )
}

fn section(
    scene: &Scene<'_>,
    role: Role,
    material: Material,
    grant: Grant,
) -> Option<(&'static str, String)> {
    let debate = scene.debate();
    let trail = debate.map(|debate| &debate.trail);
    Some(match material {
        Material::TaskFile => {
            let mut body = format!("`{}`", scene.task_file());
            if !scene.criteria.is_empty() {
                let lines: Vec<String> = scene
                    .criteria
                    .iter()
                    .map(|line| format!("- {line}"))
                    .collect();
                let _ = write!(
                    body,
                    "\n\nAcceptance criteria as amended by a person:\n\n{}",
                    lines.join("\n")
                );
            }
            ("The task", body)
        }
        Material::ModuleContract => {
            let plan = scene.work.plan.as_ref()?;
            let module = &plan.modules[scene.module?];
            let said = match &module.io_contract {
                Some(contract) => json!({"purpose": module.purpose, "io_contract": contract}),
                None => json!({"purpose": module.purpose, "io_contract": "as the task file says"}),
            };
            let what = format!("`{}`\n\n{}", module.module_id, scene.quoted(&said));
            ("The module's contract", what)
        }
        Material::DependencyContracts => {
            let lines = scene.upstream.iter().map(|one| {
                let folder = module_folder(one);
                let files = scene.shown_of_others(role, grant).join(", ");
                format!("- {one}: `{folder}/` ({files})")
            });
            let mut lines: Vec<String> = lines.collect();
            (!lines.is_empty()).then_some(())?;
            if scene.shown_of_others(role, grant).contains(&SURFACE) {
                let what = "how it is called in code, and what is public in it, with types";
                lines.push(format!(
                    "\n`{SURFACE}` says {what}. Its sources are not shown."
                ));
            }
            if scene.briefs >= TELLS && role == Role::Proposer {
                lines.push(told::imports(&scene.depends_on()));
            }
            ("Contracts of dependencies", lines.join("\n"))
        }
        Material::CodeIndex if scene.briefs >= CONTINUES && role == Role::MicroPlanner => {
            ("The Code Index", told::near(&near_file(scene.task)))
        }
        Material::CodeIndex if scene.briefs >= HOLDS => (
            "The Code Index",
            "If you have the tool `search_code_index`, search it before you make anything new."
                .to_owned(),
        ),
        Material::CodeIndex => (
            "The Code Index",
            "Search it with `search_code_index` before you make anything new.".to_owned(),
        ),
        Material::HarnessSchemas if scene.briefs >= TELLS => {
            ("Schemas", told::schemas(role).to_owned())
        }
        Material::HarnessSchemas => ("Schemas", SCHEMAS.join(", ")),
        Material::Workspace => {
            let plan = scene.work.plan.as_ref()?;
            let module = &plan.modules[scene.module?];
            let rules = ship_rules(scene, &module.module_id, module.io_contract.as_ref());
            let before = scene.before().map(module_folder);
            let before = before.map_or_else(String::new, |folder| {
                format!("; the version before is in `{folder}/`, to be read")
            });
            let body = format!("`{}/`{before}\n\n{rules}", scene.folder());
            ("Your workspace", body)
        }
        // It is in the workspace.
        Material::Source => return None,
        Material::Proposal => ("The proposal", scene.quoted(trail?.proposals.last()?)),
        Material::Challenge if grant == Grant::FailuresOnly => {
            ("What failed", scene.quoted(&json!(debate?.failures)))
        }
        Material::Challenge => ("The challenge", scene.quoted(trail?.challenges.last()?)),
        Material::Adjudication => {
            let last = trail?.adjudications.last()?;
            ("The adjudication", scene.quoted(last))
        }
        Material::EvaluationRubric | Material::DecompositionRubric => {
            return rubric(material, scene.kind, scene.briefs);
        }
        Material::DebateTrail if scene.briefs < 2 => (
            "The debate so far",
            pretty(&rounds(trail?, grant, scene.briefs)),
        ),
        Material::DebateTrail => {
            let earlier = earlier(trail?, grant, scene.briefs);
            let said = match earlier == json!({}) {
                true => "Nothing was said before that.".to_owned(),
                false => scene.quoted(&earlier),
            };
            ("The debate so far", said)
        }
    })
}

/// The rules of both kinds, for who plans.
fn both_kinds(kind: Kind) -> String {
    let lines = |all: [&str; 4]| all.map(|one| format!("- {one}")).join("\n");
    let this = match kind {
        Kind::Modules => "This task makes micro modules, one or a few.",
        Kind::Assembly => "This task is the assembly: plan one module.",
    };
    format!(
        "{this} All modules of a product are in one language: Rust, Python or JavaScript.\n\nA module is micro if:\n\n{}\n\nThe last task of a product is its assembly, which is held to this instead:\n\n{}",
        lines(DECOMPOSITION),
        lines(ASSEMBLY)
    )
}

/// A rubric, for who is given it.
fn rubric(material: Material, kind: Kind, briefs: u32) -> Option<(&'static str, String)> {
    match (material, kind) {
        (Material::EvaluationRubric, _) => {
            let lines = EVALUATION.map(|(id, name, checks)| {
                let shown = told::criterion(id).filter(|_| briefs >= TELLS);
                format!("- {id} {name}: {}", shown.unwrap_or(checks))
            });
            Some(("The evaluation rubric", lines.join("\n")))
        }
        (Material::DecompositionRubric, Kind::Modules) => {
            let lines = DECOMPOSITION.map(|one| format!("- {one}"));
            Some(("A module is micro if", lines.join("\n")))
        }
        (Material::DecompositionRubric, Kind::Assembly) => {
            let why = "This is no micro module but the assembly of the product. R6 asks of it:\n\n";
            let lines = ASSEMBLY.map(|one| format!("- {one}"));
            let title = "The decomposition rubric of an assembly";
            Some((title, format!("{why}{}", lines.join("\n"))))
        }
        _ => None,
    }
}

/// What was said before what stands in the brief already.
fn earlier(trail: &Trail, grant: Grant, briefs: u32) -> Value {
    let mut rounds = rounds(trail, grant, briefs);
    // The last proposal is shown whole to both, and the last challenge to the Arbiter.
    let shown: &[&str] = match grant {
        Grant::AllRounds => &["proposals", "challenges"],
        _ => &["proposals"],
    };
    for name in shown {
        if let Some(list) = rounds[*name].as_array_mut() {
            list.pop();
        }
    }
    if let Some(said) = rounds.as_object_mut() {
        said.retain(|_, list| list.as_array().is_some_and(|list| !list.is_empty()));
    }
    rounds
}

/// As much of the rounds as a grant shows.
fn rounds(trail: &Trail, grant: Grant, briefs: u32) -> Value {
    let mut rounds = json!({
        "proposals": trail.proposals,
        "challenges": trail.challenges,
    });
    if grant == Grant::AllRounds {
        rounds["adjudications"] = json!(trail.adjudications);
    } else if briefs >= TELLS && !trail.adjudications.is_empty() {
        // What was decided and why, not what was asked to be amended: whoever passes it again knows it.
        let ruled = trail.adjudications.iter();
        let ruled =
            ruled.map(|one| json!({"decision": one["decision"], "rationale": one["rationale"]}));
        rounds["rulings"] = ruled.collect();
    }
    rounds
}

/// What the debate of a contract's change gives a role by the same table: rubrics and rounds, what to
/// return, and what was wrong with the last answer.
pub(crate) fn of_a_change(debate: &Debate, role: Role, occasion: Occasion, briefs: u32) -> String {
    let mut text = String::new();
    for (material, grant) in given(role, occasion) {
        let section = match material {
            Material::DebateTrail => {
                let rounds = rounds(&debate.trail, grant, briefs);
                Some(("The debate so far", pretty(&rounds)))
            }
            other => rubric(other, Kind::Modules, briefs),
        };
        if let Some((title, body)) = section {
            let _ = write!(text, "\n## {title}\n\n{body}\n");
        }
    }
    let returns = returns(role, occasion, briefs);
    let _ = write!(text, "\n## What to return\n\n{returns}\n");
    text + &rules(role, briefs) + &complaints(&debate.complaint)
}

fn complaints(lines: &[String]) -> String {
    let mut text = String::new();
    if !lines.is_empty() {
        text.push_str("\n## What was wrong with the last answer\n\n");
    }
    for line in lines {
        let _ = writeln!(text, "- {line}");
    }
    text
}
