//! An entry in a JSON file of somebody's, put in and taken out as text: nothing else of the file is written anew. It
//! refuses a file that is no plain JSON, and one that would be none afterwards.

use serde_json::Value;

/// Where an entry goes: below these members, under a name, or at the head of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) below: &'static [&'static str],
    /// None: an element of a list.
    pub(super) name: Option<&'static str>,
    /// What stands there, as JSON.
    pub(super) value: &'static str,
    /// What the file begins with where there is none yet, as JSON without its braces.
    pub(super) fresh: &'static str,
}

impl Entry {
    /// The entry with the members that are missing around it; `depth` of them are there.
    fn text(&self, depth: usize) -> String {
        let leaf = match self.name {
            Some(name) => format!("\"{name}\": {}", self.value),
            None => self.value.to_owned(),
        };
        let missing = &self.below[depth..];
        let mut text = leaf;
        for (nth, member) in missing.iter().enumerate().rev() {
            let list = self.name.is_none() && nth + 1 == missing.len();
            let (open, close) = if list { ("[", "]") } else { ("{ ", " }") };
            text = format!("\"{member}\": {open}{text}{close}");
        }
        text
    }

    /// A file of nothing else.
    fn whole(&self) -> String {
        let first = match self.fresh {
            "" => String::new(),
            fresh => format!("  {fresh},\n"),
        };
        format!("{{\n{first}  {}\n}}\n", self.text(0))
    }

    fn is_in(&self, value: &Value) -> bool {
        let place = self
            .below
            .iter()
            .try_fold(value, |value, member| value.get(member));
        let entry: Value = serde_json::from_str(self.value).unwrap_or_default();
        place.is_some_and(|place| match self.name {
            Some(name) => place.get(name).is_some(),
            None => place.as_array().is_some_and(|all| all.contains(&entry)),
        })
    }

    /// The text with the entry in it; none: it is there already.
    ///
    /// # Errors
    /// Why it is left as it is.
    pub(super) fn put(&self, there: Option<&str>) -> Result<Option<String>, String> {
        let Some(there) = there else {
            return Ok(Some(self.whole()));
        };
        let value: Value = serde_json::from_str(there).map_err(|error| by_hand(self, &error))?;
        if self.is_in(&value) {
            return Ok(None);
        }
        let (depth, at) =
            place(there, self.below).ok_or_else(|| by_hand(self, &"no such place"))?;
        let empty = there[at..].trim_start().starts_with(['}', ']']);
        let comma = if empty { "" } else { "," };
        let after = format!(
            "{}\n  {}{comma}{}",
            &there[..at],
            self.text(depth),
            &there[at..]
        );
        let value: Value = serde_json::from_str(&after).map_err(|error| by_hand(self, &error))?;
        match self.is_in(&value) {
            true => Ok(Some(after)),
            false => Err(by_hand(self, &"it has another form")),
        }
    }

    /// The text without the entry; none: the file was ours alone.
    ///
    /// # Errors
    /// Why it is left as it is.
    pub(super) fn take(&self, there: &str) -> Result<Option<String>, String> {
        if there == self.whole() {
            return Ok(None);
        }
        for depth in 0..=self.below.len() {
            for comma in [",", ""] {
                let text = format!("\n  {}{comma}", self.text(depth));
                let left = there.replacen(&text, "", 1);
                let value = serde_json::from_str::<Value>(&left);
                if left != there && value.is_ok_and(|value| !self.is_in(&value)) {
                    return Ok(Some(left));
                }
            }
        }
        Err("it was written anew by somebody since: take `proofhouse` out of it by hand".to_owned())
    }

    /// Is it there at all?
    pub(super) fn stands(&self, there: &str) -> bool {
        serde_json::from_str(there).is_ok_and(|value| self.is_in(&value))
    }
}

fn by_hand(entry: &Entry, why: &dyn std::fmt::Display) -> String {
    format!("put this in by hand: {} ({why})", entry.text(0))
}

/// How many of the members are there, and the place behind the bracket that the last of them opens.
fn place(text: &str, below: &[&str]) -> Option<(usize, usize)> {
    let mut at = text.find(['{', '['])? + 1;
    for (depth, member) in below.iter().enumerate() {
        match member_of(text, at, member) {
            None => return Some((depth, at)),
            Some(value) => {
                let opens = text[value..].starts_with(['{', '[']);
                at = opens.then_some(value + 1)?;
            }
        }
    }
    Some((below.len(), at))
}

/// Where the value of a member begins, in the object whose bracket was opened just before; the text is JSON.
fn member_of(text: &str, from: usize, member: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut deep) = (from, 0_i32);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at)?;
                let after = skip(bytes, end);
                let is_name = deep == 0 && bytes.get(after) == Some(&b':');
                let name: Option<String> = serde_json::from_str(&text[at..end]).ok();
                if is_name && name.as_deref() == Some(member) {
                    return Some(skip(bytes, after + 1));
                }
                at = end;
            }
            b'{' | b'[' => {
                deep += 1;
                at += 1;
            }
            b'}' | b']' => {
                deep -= 1;
                if deep < 0 {
                    return None;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    None
}

fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn skip(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Entry = Entry {
        below: &["mcpServers"],
        name: Some("proofhouse"),
        value: r#"{ "command": "proofhouse" }"#,
        fresh: "",
    };
    const HOOK: Entry = Entry {
        below: &["hooks", "Stop"],
        name: None,
        value: r#"{ "command": "proofhouse hook stop" }"#,
        fresh: "\"version\": 1",
    };

    #[test]
    fn what_was_there_is_left_byte_for_byte() {
        let files = [
            "{}",
            "{ }\n",
            "{\"a\": [1, {\"mcpServers\": \"}\"}]}",
            "{\n    \"mcpServers\": {}\n}",
            "{\n\t\"mcpServers\": {\"x\": {\"command\": \"a \\\" { b\"}},\n\t\"hooks\": {}}\n",
            "{\"hooks\": {\"Stop\": []}}",
            "{\"hooks\" : {\"Other\": [], \"Stop\" : [ {\"command\": \"mine\"} ]}, \"z\": null}",
        ];
        for entry in [SERVER, HOOK] {
            for before in files {
                let after = entry.put(Some(before)).unwrap().unwrap();
                assert!(entry.stands(&after), "{after}");
                assert_eq!(entry.put(Some(&after)), Ok(None), "once");
                assert_eq!(entry.take(&after), Ok(Some(before.to_owned())), "{after}");
            }
            let fresh = entry.put(None).unwrap().unwrap();
            assert!(entry.stands(&fresh), "{fresh}");
            assert_eq!(entry.take(&fresh), Ok(None));
        }
        // What a person added to a file of ours stays.
        let fresh = SERVER.put(None).unwrap().unwrap();
        let more = fresh.replacen("{ \"proofhouse\"", "{ \"x\": {}, \"proofhouse\"", 1);
        assert!(SERVER.take(&more).is_err(), "{more}");
    }

    #[test]
    fn what_is_no_plain_json_is_left_alone() {
        for odd in [
            "",
            "// why\n{}",
            "{\"mcpServers\": 7}",
            "[]",
            "{\"hooks\": {\"Stop\": 1}}",
        ] {
            let (one, other) = (SERVER.put(Some(odd)), HOOK.put(Some(odd)));
            assert!(one.is_err() || other.is_err(), "{odd}");
        }
        let written_anew = "{\"mcpServers\":{\"proofhouse\":{\"command\":\"proofhouse\"}}}";
        assert!(SERVER.take(written_anew).is_err());
    }
}
