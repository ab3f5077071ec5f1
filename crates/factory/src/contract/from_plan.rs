//! From a plan's short form to the contract that is locked before anybody implements it (rules
//! F6.7 and F10.1). Each line of the plan is read by one rule, so the same plan always gives the same
//! fingerprint; what does not follow the rule is taken whole and never dropped.

use super::{
    Dependency, Effect, EffectKind, ErrorSurface, Input, MicroModuleContract, Modes, Output,
    Surface, SurfaceKind,
};
use crate::micro_plan::{IoContract, PlannedModule};
use crate::project::types::ModuleRef;
use kernel::module::Version;

/// `none` and `none: ...` say that a dimension has nothing in it.
pub(crate) fn says_none(line: &str) -> bool {
    let word = line.split([':', ';', ' ']).next().unwrap_or_default();
    word.eq_ignore_ascii_case("none")
}

/// The same as people write it: `none, since ...`, `None.`; but not `none of ...`, which speaks of what
/// is there.
pub(crate) fn means_none(text: &str) -> bool {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_alphanumeric());
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    let mut after = rest.chars();
    let joined = matches!(after.next(), Some('-' | '_' | '\''))
        && after.next().is_some_and(char::is_alphanumeric);
    let next = rest.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("none") && !joined && !next.eq_ignore_ascii_case("of")
}

/// A line of a plan as contracts read it: `none, since ...` is `none: since ...`.
pub(crate) fn settled(line: &mut String) {
    if means_none(line) && !says_none(line.trim()) {
        let why = line.trim()["none".len()..].trim_start_matches(|c: char| !c.is_alphanumeric());
        *line = match why {
            "" => "none".to_owned(),
            why => format!("none: {why}"),
        };
    }
}

/// `name: type; more; more`.
fn named(line: &str) -> (String, String, Vec<String>) {
    let (name, rest) = line.split_once(':').unwrap_or((line, line));
    let mut parts = rest.split(';').map(|part| part.trim().to_owned());
    let kind = parts.next().unwrap_or_default();
    let more = parts.filter(|part| !part.is_empty()).collect();
    (name.trim().to_owned(), kind, more)
}

/// `Name: when`, and how callers see it behind a semicolon; a variant, if nothing is said.
fn error_surface(line: &str) -> ErrorSurface {
    let (name, mut when, more) = named(line);
    let mut surface = SurfaceKind::Variant;
    for word in more {
        match word.to_lowercase().as_str() {
            "exception" => surface = SurfaceKind::Exception,
            "code" => surface = SurfaceKind::Code,
            "variant" => surface = SurfaceKind::Variant,
            _ => when = format!("{when}; {word}"),
        }
    }
    ErrorSurface {
        name,
        when,
        surface,
    }
}

/// `WRITE target: description`; a mutation, if the first word is no kind of effect.
fn effect(line: &str) -> Effect {
    const KINDS: [(&str, EffectKind); 6] = [
        ("POST", EffectKind::Post),
        ("PUT", EffectKind::Put),
        ("PATCH", EffectKind::Patch),
        ("WRITE", EffectKind::Write),
        ("CALL", EffectKind::Call),
        ("MUTATION", EffectKind::Mutation),
    ];
    let first = line.split(' ').next().unwrap_or_default();
    let known = KINDS.iter().find(|(word, _)| *word == first);
    let rest = known.map_or(line, |(word, _)| line[word.len()..].trim_start());
    let (target, description) = rest.split_once(':').unwrap_or((rest, rest));
    Effect {
        type_: known.map_or(EffectKind::Mutation, |(_, kind)| *kind),
        target: target.trim().to_owned(),
        description: description.trim().to_owned(),
    }
}

fn modes(lines: &[String]) -> Modes {
    let mut modes = Modes {
        sync: false,
        async_: false,
        notes: String::new(),
    };
    let mut notes = Vec::new();
    for line in lines {
        match line.trim().to_lowercase().as_str() {
            "sync" => modes.sync = true,
            "async" => modes.async_ = true,
            _ => notes.push(line.trim()),
        }
    }
    // A plan that names no mode means the ordinary one.
    modes.sync |= !modes.async_;
    modes.notes = notes.join("; ");
    modes
}

/// The five dimensions that a plan locks.
pub fn surface(plan: &IoContract) -> Surface {
    fn lines(all: &[String]) -> impl Iterator<Item = &str> {
        let all = all.iter().map(|line| line.trim());
        all.filter(|line| !says_none(line))
    }
    let inputs = lines(&plan.inputs).map(|line| {
        let (name, type_, constraints) = named(line);
        Input {
            name,
            type_,
            constraints,
        }
    });
    let outputs = lines(&plan.outputs).map(|line| {
        let (name, type_, invariants) = named(line);
        Output {
            name,
            type_,
            invariants,
        }
    });
    Surface {
        inputs: inputs.collect(),
        outputs: outputs.collect(),
        error_surfaces: lines(&plan.error_surfaces).map(error_surface).collect(),
        effects: lines(&plan.effects).map(effect).collect(),
        modes: modes(&plan.modes),
    }
}

/// The whole contract of a planned module; none if the plan leaves it to the task file.
pub fn contract(
    module: &PlannedModule,
    version: Version,
    uses: &[ModuleRef],
) -> Option<MicroModuleContract> {
    let surface = surface(module.io_contract.as_ref()?);
    let dependencies = uses.iter().map(|one| Dependency {
        reference: one.to_string(),
        why: "named by the micro plan".to_owned(),
    });
    Some(MicroModuleContract {
        module_id: module.module_id.to_string(),
        module_version: version,
        name: module.name.clone(),
        purpose: module.purpose.clone(),
        tags: Vec::new(),
        inputs: surface.inputs,
        outputs: surface.outputs,
        error_surfaces: surface.error_surfaces,
        effects: surface.effects,
        modes: surface.modes,
        error_cases: module.error_cases.clone(),
        dependencies: dependencies.collect(),
        compatibility: super::Compatibility::default(),
        runtime_budgets: super::RuntimeBudgets::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::coverage;

    fn list(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn none_is_read_as_people_write_it_and_not_where_it_speaks_of_what_is_there() {
        let all = [
            ("none", true, "none"),
            (" None. ", true, "none"),
            (
                "none, every number can be written",
                true,
                "none: every number can be written",
            ),
            ("None (it is pure)", true, "None (it is pure)"),
            ("none: pure", true, "none: pure"),
            (
                "none of the lines is blank",
                false,
                "none of the lines is blank",
            ),
            ("none-empty: a text", false, "none-empty: a text"),
            ("nonesuch: a name", false, "nonesuch: a name"),
            (
                "BadLine: none of it can be read",
                false,
                "BadLine: none of it can be read",
            ),
        ];
        for (text, none, line) in all {
            assert_eq!(means_none(text), none, "{text}");
            let mut own = text.to_owned();
            settled(&mut own);
            assert_eq!(own, line);
        }
    }

    #[test]
    fn section_6_7_a_plan_locks_all_five_dimensions() {
        let plan = IoContract {
            inputs: list(&["text: &str; not empty", "limit: usize"]),
            outputs: list(&["slug: String; lower case; no blanks"]),
            error_surfaces: list(&["Empty: the text is empty", "Io: disk; full; exception"]),
            effects: list(&["none: pure"]),
            modes: list(&["sync", "reentrant"]),
        };
        let surface = surface(&plan);
        assert_eq!(surface.inputs[0].constraints, list(&["not empty"]));
        assert_eq!(surface.inputs[1].type_, "usize");
        assert_eq!(surface.error_surfaces[0].surface, SurfaceKind::Variant);
        assert_eq!(surface.error_surfaces[1].when, "disk; full");
        assert_eq!(surface.error_surfaces[1].surface, SurfaceKind::Exception);
        assert!(surface.effects.is_empty());
        assert!(surface.modes.sync && surface.modes.notes == "reentrant");
        let required = coverage::required(surface.surface());
        let keys: Vec<&str> = required.iter().map(|one| one.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "happy_path",
                "input__text__1",
                "output__slug__1",
                "output__slug__2",
                "error__empty",
                "error__io"
            ]
        );
        let effects = IoContract {
            effects: list(&["WRITE log: one line"]),
            ..plan
        };
        let effect = &super::surface(&effects).effects[0];
        assert_eq!(
            (effect.type_, effect.target.as_str()),
            (EffectKind::Write, "log")
        );
    }
}
