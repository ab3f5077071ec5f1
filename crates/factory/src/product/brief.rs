//! What the product role is told and what it sees. A brief follows from the state alone; the
//! documents themselves lie in the view.

use super::{DRAFT, FOLDER, GIVEN, Leftovers, Product, RELEASED, REPORT};
use crate::engineering::kind::{ASKS, HOLDS, TELLS};
use kernel::effect::Sight;
use std::fmt::Write;

/// The files that the role sees, and where it may write.
pub fn sight(product: &Product) -> Sight {
    let below = |path: &str| format!("{FOLDER}/{path}");
    let mut sees = vec![below(&format!("{GIVEN}/**")), below("draft/**")];
    if !product.deficiencies.is_empty() {
        sees.push(below(REPORT));
    }
    Sight {
        sees,
        hidden: Vec::new(),
        scope: vec![below("draft/**")],
        within: Vec::new(),
    }
}

const SHAPE: &str = r#"```text
spec:    spec_id SPEC-NNN, spec_version x.y.z, title, description, created_at, updated_at (ISO 8601), pillars
pillar:  pillar_id PIL-NNN, name, description, rationale, epics
epic:    epic_id EPC-NNN, name, description, success_criteria (at least 1), stories
story:   story_id STR-NNN, name, description, user_facing_behavior, tasks
task:    task_id TSK-NNN (once in the whole spec), name, description, subtasks (at least 2),
         acceptance_criteria (at least 2), depends_on (other task_ids; no circles), io_contract_sketch
sketch:  inputs, outputs, error_surfaces, effects, modes: prose, none empty, no TBD, no N/A
```"#;

/// The same since the form 7.
const SHAPE_TOLD: &str = r#"```text
spec:    spec_id SPEC-NNN, spec_version x.y.z, title, description, created_at, updated_at (ISO 8601), pillars
pillar:  pillar_id PIL-NNN, name, description, rationale, epics
epic:    epic_id EPC-NNN, name, description, success_criteria (a list of texts, at least 1), stories
story:   story_id STR-NNN, name, description, user_facing_behavior, tasks
task:    task_id TSK-NNN (once in the whole spec), name, description, subtasks (a list of texts, at least 2),
         acceptance_criteria (a list of texts, at least 2), depends_on (a list of other task_ids, or [];
         no circles), io_contract_sketch
sketch:  inputs, outputs, error_surfaces, effects, modes: prose, none empty, no TBD, no N/A; where there is no
         error or effect, `none` or `none, because ...`
```"#;

/// What a spec says of the product, since briefs of the form 2: an audit compares them to the letter.
const PRODUCT: &str = r#"```text
spec:    product, what people hold in hand at the end: name (small letters, digits, hyphens),
         form command | library | none, entry (the task_id whose module stands at the front), cases, why
case:    shows (a list of STR-NNN and EPC-NNN/n, the n-th success criterion), given (standard input),
         and either prints (standard output) or refuses (standard error)
```"#;

/// The same since the form 6.
const PRODUCT_TOLD: &str = r#"```text
spec:    product, what people hold in hand at the end: name (small letters, digits, hyphens),
         form command | library | none, language rust | python | javascript (what the person wants; all
         modules are written in it), entry (the task_id whose module stands at the front), cases, why
case:    shows (a list of STR-NNN and EPC-NNN/n, the n-th success criterion), given (standard input; left
         out: empty), and either prints (standard output) or refuses (a part of standard error)
```"#;

/// The same since the form 7.
const PRODUCT_SAID: &str = r#"```text
spec:    product, what people hold in hand at the end: name (small letters, digits, hyphens),
         form command | library | none, language rust | python | javascript (what the person wants; all
         modules are written in it), entry (the task_id whose module stands at the front), cases, why
case:    shows (a list of STR-NNN and EPC-NNN/n, the n-th success criterion), given (standard input; left out:
         empty), and either prints (all of standard output) or refuses (a part of standard error)
```"#;

/// The same since the form 9.
const PRODUCT_ASKED: &str = r#"```text
spec:    product, what people hold in hand at the end: name (small letters, digits, hyphens),
         form command | library | none, language rust | python | javascript (what the person wants; all
         modules are written in it), entry (the task_id whose module stands at the front), cases, why
case:    shows (a list of STR-NNN and EPC-NNN/n, the n-th success criterion), and
         of a command: given (standard input; left out: empty), and either prints (all of standard output)
         or refuses (a part of standard error);
         of a library: steps (a list of calls) and holds (a list of claims, at least 1)
call:    call (a name at the top of the library; in Python and JavaScript also .METHOD of the first input),
         with (a list of inputs in their order, as JSON; {"$answer": 0} is the answer to the first call)
claim:   of (which call, from 0), at (a JSON pointer into the answer; left out: all of it),
         is equals | differs | same | other | less | more | close | contains | fails, and value (for fails the
         error's name, or nothing), or other (another call, for same and other); close has within as well
```"#;

const RULES: &str = "\
Every pillar has an epic, every epic a story and a success criterion, every story a task. A task is what one engineer builds as a few small modules. Nothing required is left out or empty, and nothing is a placeholder; each such fault is an error, and errors block. These are warnings, which the person sees: a description under 20 characters, an acceptance criterion that names nothing observable (returns, displays, raises, writes, emits, rejects, validates ...), subtasks that repeat each other, an `error_surfaces` without one specific error.";

const BUILT: &str = "\
The engine puts the shipped modules together to the product, builds it, runs all tests and every case of it before anything is released. A `command` calls the entry's module, which takes one text or a list of its lines and gives one text or number; every story and every success criterion is shown by a case of it. A `library` has each module, and the names of the entry's at the top. Only a spec whose modules are enough by themselves has the form `none`, and says `why`.";

/// The same since the form 9.
const BUILT_ASKED: &str = "\
The engine puts the shipped modules together to the product, builds it, runs all tests and every case of it before anything is released. A `command` calls the entry's module, which takes one text or a list of its lines and gives one text or number. A `library` has each module, and the names of the entry's at the top, where its cases call them. Every story and every success criterion is shown by a case of either. Only a spec whose modules are enough by themselves has the form `none`, and says `why`.";

const ASSEMBLED: &str = "\
A product ends with its assembly: the task of its `entry`, which no other task depends on. It is one module with an entry of its own; it wires the modules of the tasks that it depends on, converts their types and errors, and hands on their names. Give it a task of its own, and let it depend on every task whose module people should reach. A library has one as well.";

/// How a command of the engine's making ends, which its cases are held to.
pub(crate) const ENDS: &str = "\
`prints` is all of standard output, to the letter but for blanks and line ends at its end. `refuses` is a part of standard error, and the exit code is another than 0: where the entry refuses, the engine prints its error as the language does, which is `Name: message` of an exception in Python and of an `Error` in JavaScript, and in Rust the error as `{:?}` writes it, such as `BadDate { line: 3 }`. Whatever is to be read there is in the error itself.";

/// The same since the form 7.
pub(crate) const ENDS_SAID: &str = "\
`prints` is all of standard output, to the letter but for blanks and line ends at its end. `refuses` is a part of standard error, and the exit code is another than 0: where the entry refuses, the engine prints its error as the language does, which is `Name: message` of an exception in Python and of an `Error` in JavaScript, and in Rust the error as its `Display` writes it, or as `{:?}` does if it has none. Whatever is to be read there is in the error itself.";

/// How a library is asked.
pub(crate) const ASKED: &str = "\
The names that they call stand at the top of the product. Inputs are JSON: texts, numbers, truth values, lists and objects, which a driver of the engine's makes and reads: in Rust numbers, `String`, `&str`, `Option`, `Vec` and other collections and tuples of those; in Python and JavaScript what JSON is there, and a data class or plain object is answered as an object of its fields. `fails` names the exception's class, or in Rust the variant of the error or its type.";

/// What nobody after this role will see.
const AFTER: &str = "\
Who plans and builds later sees one task each, the product's title, description and language, and of the cases those who make the assembly: not `SPEC.md`. What they must know of it stands in the task.";

/// What the role of a further version is told.
const FURTHER: &str = "\
The project is released by an earlier spec, and `SPEC.md` says what the next version of it shall be. Write the whole spec of that version. `spec_id`, the product's name and its language stay; `spec_version` rises. A task is the same one as long as the names of its pillar, its epic, its story and its own stay. Whatever `SPEC.md` does not change stays word for word, with its story: what is shipped for it is kept, and nobody makes it again. A task whose words change is made once more, a new one comes at the end of its story, and what is left out is deprecated. The person sees all of that before they approve.";

/// The whole brief.
pub fn brief(product: &Product) -> String {
    let mut text = format!(
        "# product for {}\n\nTurn the person's `SPEC.md` into a complete, structured product spec: pillars, epics, stories and tasks, with acceptance criteria and a sketch of each task's input and output. Research what you need to know. Decide what the person left open, and say so in the descriptions. Invent no requirement that contradicts theirs.\n",
        product.began.spec.name
    );
    let _ = write!(
        text,
        "\n## What you have\n\n- `repo/{FOLDER}/{GIVEN}/SPEC.md`: what the person wrote; read it first\n"
    );
    for document in &product.began.with {
        let _ = writeln!(text, "- `repo/{FOLDER}/{GIVEN}/with/{}`", document.name);
    }
    if product.began.released.is_some() {
        let _ = writeln!(
            text,
            "- `repo/{FOLDER}/{GIVEN}/{RELEASED}`: the spec that is released"
        );
    }
    let draft = match (&product.draft, product.desk) {
        (Some(_), _) => Some("the present draft"),
        (None, Leftovers::Kept) => Some("the last draft, if you left one there"),
        (None, Leftovers::Cleared) => None,
    };
    if let Some(draft) = draft {
        let _ = writeln!(text, "- `repo/{FOLDER}/{DRAFT}`: {draft}");
    }
    if product.began.released.is_some() {
        let _ = write!(text, "\n## A further version\n\n{FURTHER}\n");
    }
    let shape = match product.began.briefs {
        Some(TELLS..) => SHAPE_TOLD,
        _ => SHAPE,
    };
    let of_product = match product.began.briefs {
        Some(ASKS..) => {
            format!(
                "{PRODUCT_ASKED}\n\n{BUILT_ASKED}\n\n{ENDS_SAID}\n\n{ASKED}\n\n{ASSEMBLED}\n\n{AFTER}\n\n"
            )
        }
        Some(TELLS..) => {
            format!("{PRODUCT_SAID}\n\n{BUILT}\n\n{ENDS_SAID}\n\n{ASSEMBLED}\n\n{AFTER}\n\n")
        }
        Some(HOLDS) => {
            format!("{PRODUCT_TOLD}\n\n{BUILT}\n\n{ENDS}\n\n{ASSEMBLED}\n\n{AFTER}\n\n")
        }
        Some(3..) => format!("{PRODUCT}\n\n{BUILT}\n\n{ASSEMBLED}\n\n"),
        Some(2) => format!("{PRODUCT}\n\n{BUILT}\n\n"),
        _ => String::new(),
    };
    let _ = write!(
        text,
        "\n## What you make\n\n`repo/{FOLDER}/{DRAFT}`, one JSON object:\n\n{shape}\n\n{RULES}\n\n{of_product}Notes for yourself go below `repo/{FOLDER}/draft/`; write nowhere else.\n"
    );
    let _ = write!(
        text,
        "\n## How you end\n\nIf you have the tool `emit_structured_spec`, call it with the whole spec: it says what is missing, and ends your work once nothing is. `validate_spec` judges the draft without ending, `search_code_index` finds modules that are shipped already, `web_search` searches the web. Otherwise write the file above, and then return one JSON object: `summary`, and `sources` (a list of texts: where you looked). The file is judged after you end; what you say of it is not.\n"
    );
    rejected(product, &mut text);
    amended(product, &mut text);
    refused(product, &mut text);
    text
}

fn rejected(product: &Product, text: &mut String) {
    if product.rejections.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "\n## Rejection Feedback\n\nA person rejected an earlier spec. It is gone, and so is the research for it: start from `SPEC.md`, which ends with the same words.\n\n"
    );
    for reasons in &product.rejections {
        let _ = writeln!(text, "{}\n", quoted(reasons));
    }
}

fn amended(product: &Product, text: &mut String) {
    let Some((last, earlier)) = product.feedback.split_last() else {
        return;
    };
    let _ = write!(
        text,
        "\n## Amendments\n\nA person read the draft and wants it changed. Address every point; keep the rest.\n\n{}\n",
        quoted(last)
    );
    if !earlier.is_empty() {
        let _ = write!(
            text,
            "\nBefore that they asked for this, which stays true:\n\n"
        );
        for feedback in earlier {
            let _ = writeln!(text, "{}\n", quoted(feedback));
        }
    }
}

fn refused(product: &Product, text: &mut String) {
    if !product.deficiencies.is_empty() {
        let _ = write!(
            text,
            "\n## What is wrong with the draft\n\nAll of it is in `repo/{FOLDER}/{REPORT}`.\n\n"
        );
        for line in &product.deficiencies {
            let _ = writeln!(text, "- {line}");
        }
    }
    if !product.patience.complaint.is_empty() {
        let _ = write!(text, "\n## What was wrong with the last answer\n\n");
        for line in &product.patience.complaint {
            let _ = writeln!(text, "- {line}");
        }
    }
}

/// A person's words as a quotation: no line of theirs can pass for a heading of ours.
fn quoted(words: &str) -> String {
    let lines = words.trim_end().lines();
    let lines: Vec<String> = lines.map(|line| format!("> {line}")).collect();
    lines.join("\n")
}
