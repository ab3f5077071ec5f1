//! The one place that judges what an agent hands back.
//!
//! Every connector's result passes here, so that "valid" means the same whoever worked. A wrong
//! result is named exactly and sent back, never mended.

mod shape;
mod strict;

pub use shape::{Shape, ShapeError};

use documents::substance;
use kernel::finding::SETTLED;
use kernel::outcome::Usage;
use serde_json::Value;
use std::fmt;

/// A result may be this large and no larger: it goes into the journal, which is read whole.
pub const RESULT_BYTES: usize = 256 * 1024;

/// One thing that is wrong with a result, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place in the value as a JSON pointer, such as `/findings/2`; empty is the whole.
    pub path: String,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = match self.path.as_str() {
            "" => "result",
            path => path,
        };
        write!(f, "`{path}` {}", self.what)
    }
}

/// Everything that is wrong with a result; at least one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentences: Vec<String> = self.0.iter().map(Fault::to_string).collect();
        f.write_str(&sentences.join("; "))
    }
}

impl std::error::Error for Faults {}

/// A result file after judgement. What it says about its cost stands even where the rest is
/// wrong: a wrong answer was paid for too.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The result without its `usage`, or what is wrong with it.
    pub result: Result<Value, Faults>,
    /// What the attempt says it cost.
    pub usage: Usage,
}

impl Judged {
    /// A refusal of the whole.
    pub(crate) fn refused(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            result: Err(fault(path, what)),
            usage: Usage::default(),
        }
    }
}

/// Judges the bytes of a result file: size, JSON, `usage` (taken out), then the result itself.
pub fn judge_bytes(bytes: &[u8], shape: &Shape) -> Judged {
    if bytes.len() > RESULT_BYTES {
        let what = format!("is larger than {RESULT_BYTES} bytes; put long text in files");
        return Judged::refused("", what);
    }
    let mut value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => return Judged::refused("", not_json(bytes, &error)),
    };
    let usage = match value
        .as_object_mut()
        .and_then(|object| object.remove("usage"))
    {
        Some(usage) => match read_usage(&usage) {
            Ok(usage) => usage,
            Err(faults) => {
                return Judged {
                    result: Err(faults),
                    usage: Usage::default(),
                };
            }
        },
        None => Usage::default(),
    };
    Judged {
        result: judge(&value, shape).map(|()| value),
        usage,
    }
}

/// Judges a result that is already a JSON value and carries no `usage`.
///
/// # Errors
/// Everything that is wrong, up to a dozen faults. Keys that the shape does not name are allowed
/// and kept, unless it closes itself. An answer to a finding that says nothing is none, whoever gives
/// it: a finding is not settled by a letter.
pub fn judge(value: &Value, shape: &Shape) -> Result<(), Faults> {
    let mut faults = shape.faults(value);
    if faults.is_empty() {
        faults = hollow(value);
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Faults(faults))
    }
}

/// What a result says of open findings without saying anything.
fn hollow(value: &Value) -> Vec<Fault> {
    let settled = value[SETTLED].as_array().into_iter().flatten();
    let each = settled.enumerate().filter_map(|(at, one)| {
        let how = one["how"].as_str()?;
        let finding = one["finding"].as_str().unwrap_or_default();
        let nothing = substance::nothing(how, finding)
            .or_else(|| substance::none_alone(how))
            .or_else(|| substance::little(how))?;
        let what = format!("{nothing}: how `{finding}` was mended, or why it is none");
        let path = format!("/{SETTLED}/{at}/how");
        Some(Fault { path, what })
    });
    each.take(MOST_HOLLOW).collect()
}

/// As many of them are told at once.
const MOST_HOLLOW: usize = 6;

fn read_usage(value: &Value) -> Result<Usage, Faults> {
    let Value::Object(object) = value else {
        let what =
            "is not an object of whole numbers: `input_tokens`, `output_tokens`, `micro_dollars`";
        return Err(fault("/usage", what));
    };
    let number = |key: &str| match object.get(key) {
        None => Ok(0),
        Some(value) => value.as_u64().ok_or_else(|| {
            let shown = cut(&value.to_string(), 40);
            fault(
                format!("/usage/{key}"),
                format!("{shown} is not a whole number from 0"),
            )
        }),
    };
    Ok(Usage {
        input_tokens: number("input_tokens")?,
        output_tokens: number("output_tokens")?,
        cached_tokens: number("cached_tokens")?,
        micro_dollars: number("micro_dollars")?,
    })
}

fn fault(path: impl Into<String>, what: impl Into<String>) -> Faults {
    Faults(vec![Fault {
        path: path.into(),
        what: what.into(),
    }])
}

fn not_json(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return "is empty, not a JSON object".to_owned();
    }
    format!("is not JSON ({error})")
}

/// Long text is cut: the sentence goes into briefs and on screens.
fn cut(text: &str, most: usize) -> String {
    let mut short: String = text.chars().take(most).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sentence(text: &str) -> String {
        match judge_bytes(text.as_bytes(), &Shape::default()).result {
            Ok(value) => format!("ok {value}"),
            Err(fault) => fault.to_string(),
        }
    }

    #[test]
    fn an_answer_to_a_finding_that_says_nothing_is_none() {
        let said = |how: &str| {
            sentence(
                &json!({"summary": "s", "settled": [{"finding": "F1", "how": how}]}).to_string(),
            )
        };
        for how in [
            "x",
            "F1",
            "TBD",
            "none",
            "fixed",
            "done done",
            "src/a.rs:3",
            "...",
        ] {
            let said = said(how);
            assert!(said.starts_with("`/settled/0/how` "), "{how}: {said}");
        }
        for how in [
            "the limit is held in src/a.rs",
            "mended in `src/a.rs:3`",
            "it cannot happen: the parser refuses it before",
            "looked at again",
            "修正した：上限を確認する",
        ] {
            assert!(said(how).starts_with("ok "), "{how}: {}", said(how));
        }
    }

    #[test]
    fn each_fault_has_its_sentence() {
        let cases = [
            (
                r#"{"summary":"s","next":"verify","x":[1]}"#,
                r#"ok {"next":"verify","summary":"s","x":[1]}"#,
            ),
            (
                r#"{"summary":"s","verdict":"fail","settled":[],"usage":{}}"#,
                r#"ok {"settled":[],"summary":"s","verdict":"fail"}"#,
            ),
            ("", "`result` is empty, not a JSON object"),
            ("[]", r#"`result` [] is not of type "object""#),
            ("{}", "`/summary` is missing"),
            (
                r#"{"summary":" "}"#,
                r#"`/summary` " " does not match "\S""#,
            ),
            (
                r#"{"summary":3}"#,
                r#"`/summary` 3 is not of type "string""#,
            ),
            (
                r#"{"summary":"s","next":null}"#,
                r#"`/next` null is not of type "string""#,
            ),
            (
                r#"{"summary":"s","verdict":"maybe"}"#,
                r#"`/verdict` "maybe" is not one of "pass" or "fail""#,
            ),
            (
                r#"{"summary":"s","findings":"f"}"#,
                r#"`/findings` "f" is not of type "array""#,
            ),
            (
                r#"{"summary":"s","findings":["a",{"kind":"security","severity":"grave","what":"w","place":"p"}]}"#,
                r#"`/findings/0` "a" is not of type "object"; `/findings/1/severity` "grave" is not one of "critical", "required", "optional" or "note""#,
            ),
            (
                r#"{"summary":"s","usage":{"input_tokens":-1}}"#,
                "`/usage/input_tokens` -1 is not a whole number from 0",
            ),
            (
                r#"{"summary":"s","usage":7}"#,
                "`/usage` is not an object of whole numbers: `input_tokens`, `output_tokens`, `micro_dollars`",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(sentence(text), expected, "for {text}");
        }
        assert!(sentence("not json").starts_with("`result` is not JSON (expected ident at line 1"));
    }

    #[test]
    fn the_strict_form_of_the_base_is_what_the_judge_reads() {
        let shape = Shape::default();
        let schema = shape.strict().unwrap();
        let required: Vec<&str> = schema["required"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(
            required,
            [
                "findings",
                "impossible",
                "next",
                "settled",
                "summary",
                "verdict"
            ]
        );
        for key in required {
            // A number is wrong everywhere, so a key that the judge does not read would pass.
            let mut value = json!({ "summary": "s" });
            value[key] = json!(7);
            assert_eq!(
                judge(&value, &shape).unwrap_err().0[0].path,
                format!("/{key}")
            );
        }
        let mut value = json!({ "summary": "s", "next": null, "verdict": null, "findings": null, "settled": null, "impossible": null });
        shape.drop_nulls(&mut value);
        assert_eq!(judge(&value, &shape), Ok(()));
    }

    #[test]
    fn a_wrong_result_was_paid_for_too() {
        let judged = judge_bytes(br#"{"usage":{"micro_dollars":9}}"#, &Shape::default());
        assert!(judged.result.is_err());
        assert_eq!(judged.usage.micro_dollars, 9);
    }

    #[test]
    fn size_is_capped() {
        let text = format!(r#"{{"summary":"{}"}}"#, "x".repeat(RESULT_BYTES));
        assert!(sentence(&text).starts_with("`result` is larger than 262144 bytes"));
    }
}
