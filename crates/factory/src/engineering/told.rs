//! What roles are told since the form 7 of briefs: the forms that had to be guessed before, what counts
//! as public and runs tests in a language, and what mends a failure that the engine found.
//!
//! An audit makes each brief again and compares it, so that what a form once said stays as it is.

use super::roles::{Occasion, Role};

/// How tests in Python are written.
pub(super) const PYTHON_TESTS: &str = "`tests/test_*.py` with `unittest` (`pytest` is there only if this project runs its tests by it)";

/// What is public in each language, and what no implementation may say.
pub(super) const PUBLIC: &str = "\
- Public in Rust is what `pub` reaches from `lib.rs`, and a variant of an error may carry fields; in JavaScript what `index.mjs` exports by name; in Python what `__all__` names, or without it every name that does not begin with `_`, those imported from dependencies among them.
- An implementation says nothing by which it could decide its own tests: no `unsafe`, `include!` or `process::exit` in Rust; no `os._exit`, `ctypes`, `eval`, `globals`, `setattr`, `sys.modules`, `inspect.stack` or decorators of its own on what is public in Python; no `process`, `globalThis`, `eval` or `Function` in JavaScript.
";

/// What stands before the reasons why a task is made once more.
pub(super) const AGAIN: &str = "## It is made once more\n\nThe task has shipped these modules before. They are planned under the same ids, as further versions, and depend on what is in use now.";

/// What stands before what a module depends on and nobody should.
pub(super) const OUTDATED: &str = "## Not for use any more\n\nOf what is upstream, this was superseded or deprecated. A plan that depends on it is refused.";

/// What the planner is told of the search for reuse, since the form 8.
pub(super) fn near(file: &str) -> String {
    format!(
        "`repo/{file}` has the shipped modules nearest to this task: `where` is `here`, or `elsewhere` for those that other projects of this person have released. Both are reused in the same way (REUSE, the module first in `reuse_candidate_refs`, under its own id); one from elsewhere is brought in by the engine, which runs its tests anew. Name in `reuse_candidate_refs` what comes near also where you make something new, and say in `reuse_justification` why it will not do. If you have the tool `search_code_index`, it finds more."
    )
}

/// What stands before changes that a person refused.
pub(super) const REJECTED: &str = "## What a person refused\n\nThese changes of contracts were asked for, and a person has refused them, with their reason. The work is to be done within the contracts as they are: do not ask for the same again.";

/// What of the modules upstream the code may use.
pub(super) fn imports(depends_on: &[String]) -> String {
    match depends_on.is_empty() {
        true => {
            "\nThe contract depends on none of them: code that imports one is refused.".to_owned()
        }
        false => format!(
            "\nThe contract depends on {}: code that imports any other module is refused.",
            depends_on.join(", ")
        ),
    }
}

/// A criterion of the evaluation rubric that asked for what the Challenger is not shown.
pub(super) fn criterion(id: &str) -> Option<&'static str> {
    match id {
        "R4" => Some(
            "Dependencies are used through their published contracts only, as far as shown. That they are the locked ones, the engine sees to.",
        ),
        "R5" => Some(
            "Each acceptance check can be traced to the name of a test, or to what the engine saw. A claim alone is NOT_MET.",
        ),
        _ => None,
    }
}

/// Which documents a role has to do with, and where it finds their members.
pub(super) fn schemas(role: Role) -> &'static str {
    match role {
        Role::MicroPlanner => "MicroPlan: its members stand under \"What to return\".",
        Role::Proposer | Role::Challenger | Role::Arbiter | Role::Examiner => {
            "Proposal: its members stand under \"What to return\". MicroModuleContract: `contract.json` in your workspace is one."
        }
    }
}

/// What a planner adds to each module.
pub(super) const ANSWERS: &str = "Each module also has `answers`, a list: for each point of the task that it answers, `asked` (its key, such as `criterion-1`) and `clause`, the clause of its contract that does, by the name that its test will have: `input__NAME__N` or `output__NAME__N` for the Nth constraint or invariant of that name, `error__NAME` for an error, `input__NAME` for an input that has no more than its type. NAME is in small letters, with `_` for what is neither a letter nor a digit: the error `TooLarge` is `error__toolarge`. Errors are answered by errors, outputs by invariants.";

/// What a role returns.
pub(super) fn returns(role: Role, occasion: Occasion) -> &'static str {
    match (role, occasion) {
        (Role::MicroPlanner, _) => {
            "One JSON object `{\"modules\": [...]}`: a micro plan. Each module has `module_id` (MM-...), `name`, `purpose`, `io_contract` with all five dimensions (a list of lines each: `inputs` and `outputs` as `name: type; constraint or invariant; ...`, at least one each; `error_surfaces` as `Name: when`, with `; exception` or `; code` behind it if it is no variant of an error type, or `none`; `effects` as `WRITE target: description` or `none`; `modes` as `sync`, `async`), `error_cases` (a list of texts), `depends_on` (a list of MM-...@x.y.z, or `[]`; modules of this plan are @1.0.0), `reuse_candidate_refs` (the same), `reuse_decision` and `reuse_justification`."
        }
        (Role::Proposer, Occasion::Amend) => {
            "Apply every amendment, and change nothing else: a file that no amendment names, by its path or by a target that stands in it, stays as it is. One JSON object: `deliverable_ref` (`implementation/`), and `amendments`, a list with `amendment_index` (from 0), `applied` (true or false) and `note` for each."
        }
        (Role::Proposer, _) => {
            "Implement the module in your workspace with black-box tests and `examples.md`. One JSON object: `claim`, `deliverable_ref` (`implementation/`), `acceptance_checks` (a list of texts, at least one)."
        }
        (Role::Examiner, _) => super::exam::RETURNS,
        (Role::Challenger, _) => {
            "Try to falsify the claim. One JSON object: `verdict` (PASS or FAIL), `failures` (`invariant`, `evidence`, `required_change`), `rubric_assessments` (`criterion`: R1 to R6, `assessment` MET or NOT_MET, `evidence`). Any NOT_MET means FAIL."
        }
        (Role::Arbiter, _) => {
            "Decide. One JSON object: `decision` (APPROVE, APPROVE_WITH_AMENDMENTS or REJECT), `amendments` (`action` MODIFY, ADD or REMOVE; `target`: the path of a file in the module's folder, or a name as it stands in one; `detail`: the exact change), `rationale`, `ship_directive` (SHIP or NO_SHIP)."
        }
    }
}

/// What mends a failure that a check of the engine found.
pub(super) fn mend(check: &str, evidence: &str) -> &'static str {
    match check {
        "black_box_tests" if evidence.contains("No module named 'pytest'") => {
            "write the tests with `unittest`: there is no `pytest` here"
        }
        "black_box_tests" => "let all tests pass that the contract asks for, each under its name",
        "public_surface" if evidence.contains(".py:") => {
            "let `__all__` of `__init__.py` name what the contract declares and nothing else, and do without what the evidence names"
        }
        "public_surface" => {
            "make public what the contract declares and nothing else, and do without what the evidence names"
        }
        "interface_fingerprint" => "leave `contract.json` as it was locked",
        "tests_fail_on_stubs" => "let each of these tests look at what the module answers",
        _ => "",
    }
}
