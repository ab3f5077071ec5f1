//! What a product answered, read as strictly as what a stranger says: one frame and nothing behind it,
//! no key twice, no number that readers round, as many answers as there were questions.

use crate::json::Document;
use serde::Serialize;
use serde_json::Value;

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Value(Value),
    /// It failed, with an error of these names (its own, and those of what it is a kind of) and this text.
    Error(Vec<String>, String),
    /// There is nothing to call.
    Missing,
    /// Nothing came, or nothing that can be believed.
    Nothing,
}

/// The answers to the calls of one case.
pub type Answers = Vec<Answer>;

/// Reads the frame of a driver that was asked these many calls, case by case.
pub fn read(frame: &[u8], asked: &[usize]) -> Result<Vec<Answers>, String> {
    let document = Document::parse(frame)
        .map_err(|error| format!("what came back is not one JSON value: {error}"))?;
    if let Some(fault) = document.faults.first() {
        return Err(format!(
            "what came back cannot be believed: {}",
            fault.kind.message()
        ));
    }
    let value: Value = serde_json::from_slice(frame).map_err(|error| error.to_string())?;
    let cases = value["answers"].as_array();
    let whole = value.as_object().is_some_and(|frame| frame.len() == 1);
    let (true, Some(cases)) = (whole, cases) else {
        return Err("what came back is no list of answers".to_owned());
    };
    if cases.len() != asked.len() {
        return Err(format!(
            "{} cases were asked, and {} answered",
            asked.len(),
            cases.len()
        ));
    }
    let read = cases.iter().zip(asked).map(|(case, calls)| {
        let answers = case.as_array().map(Vec::as_slice).unwrap_or_default();
        match answers.len() == *calls {
            true => answers.iter().map(answer).collect(),
            // As many as there were calls, whatever it says: none of them counts.
            false => vec![Answer::Nothing; *calls],
        }
    });
    Ok(read.collect())
}

fn answer(value: &Value) -> Answer {
    let members = value.as_object().into_iter().flatten();
    let members: Vec<(&str, &Value)> = members.map(|(key, one)| (key.as_str(), one)).collect();
    match members.as_slice() {
        [("value", value)] => Answer::Value((*value).clone()),
        [("error", names), ("says", Value::String(says))] => {
            let names = names.as_array().into_iter().flatten();
            let names: Option<Vec<String>> =
                names.map(|name| name.as_str().map(str::to_owned)).collect();
            names.map_or(Answer::Nothing, |names| Answer::Error(names, says.clone()))
        }
        [("missing", _)] => Answer::Missing,
        _ => Answer::Nothing,
    }
}

/// The answers of a command's script: for each call `exit N`, the bytes of both outputs in hex, `end`.
pub fn read_command(frame: &[u8], calls: usize) -> Result<Answers, String> {
    let text = std::str::from_utf8(frame).map_err(|_| "what came back is no text".to_owned())?;
    let mut lines = text.lines();
    let mut answers = Vec::new();
    for _ in 0..calls {
        let exit = lines.next().and_then(|line| line.strip_prefix("exit "));
        let exit: i64 = exit
            .and_then(|exit| exit.trim().parse().ok())
            .ok_or("a call did not answer")?;
        if lines.next() != Some("out") {
            return Err("a call did not answer".to_owned());
        }
        let stdout = bytes(&mut lines, "err")?;
        let stderr = bytes(&mut lines, "end")?;
        answers.push(Answer::Value(serde_json::json!({
            "exit": exit, "stdout": stdout, "stderr": stderr,
        })));
    }
    match lines.next() {
        None => Ok(answers),
        Some(_) => Err("more came back than was asked for".to_owned()),
    }
}

/// Lines of hex up to a word, as a value: a text, or its bytes where it is none.
fn bytes<'a>(lines: &mut impl Iterator<Item = &'a str>, until: &str) -> Result<Value, String> {
    let mut found = Vec::new();
    for line in lines {
        if line == until {
            return Ok(match String::from_utf8(found) {
                Ok(text) => Value::String(text),
                Err(error) => serde_json::json!({ "$bytes": hex(error.as_bytes()) }),
            });
        }
        for word in line.split_whitespace() {
            let byte = u8::from_str_radix(word, 16).map_err(|_| "a call did not answer")?;
            found.push(byte);
        }
    }
    Err("a call did not answer".to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_frame_is_read() {
        let frame = br#"{"answers": [[{"value": 1}, {"error": ["KeyError"], "says": "'x'"}], [{"missing": ""}]]}"#;
        let read = read(frame, &[2, 1]).unwrap();
        assert_eq!(
            read[0],
            [
                Answer::Value(json!(1)),
                Answer::Error(vec!["KeyError".to_owned()], "'x'".to_owned())
            ]
        );
        assert_eq!(read[1], [Answer::Missing]);
    }

    #[test]
    fn what_is_more_or_less_than_one_frame_is_refused() {
        for (frame, why) in [
            (
                r#"{"answers": [[{"value": 1}]]}{"answers": [[{"value": 2}]]}"#,
                "not one JSON value",
            ),
            (
                r#"{"answers": [[{"value": 1}]], "answers": [[{"value": 2}]]}"#,
                "twice",
            ),
            (r#"{"answers": [[{"value": {"a": 1, "a": 2}}]]}"#, "twice"),
            (
                r#"{"answers": [[{"value": 1}]], "more": 1}"#,
                "no list of answers",
            ),
            (
                r#"{"answers": [[{"value": 1}], [{"value": 1}]]}"#,
                "1 cases were asked, and 2",
            ),
            (r#"{"answers": [[{"value": NaN}]]}"#, "not one JSON value"),
            ("", "not one JSON value"),
        ] {
            let error = read(frame.as_bytes(), &[1]).unwrap_err();
            assert!(error.contains(why), "{frame}: {error}");
        }
        // All answers at once, two in the place of one, or none of the known kinds.
        for frame in [
            r#"{"answers": [[{"value": 1}, {"value": 2}]]}"#,
            r#"{"answers": [[{"value": 1, "error": ["E"]}]]}"#,
            r#"{"answers": [[{"error": ["E"]}]]}"#,
            r#"{"answers": [[{"all": [1, 2]}]]}"#,
        ] {
            assert_eq!(read(frame.as_bytes(), &[1]).unwrap(), [[Answer::Nothing]]);
        }
    }

    #[test]
    fn a_command_answers_with_its_exit_and_its_outputs() {
        let read = read_command(b"exit 3\nout\n 61 0a\nerr\n ff\nend\n", 1).unwrap();
        let value = json!({"exit": 3, "stdout": "a\n", "stderr": {"$bytes": "ff"}});
        assert_eq!(read, [Answer::Value(value)]);
        assert!(read_command(b"exit 3\nout\nerr\nend\nexit 0\n", 1).is_err());
        assert!(read_command(b"", 1).is_err());
    }
}
