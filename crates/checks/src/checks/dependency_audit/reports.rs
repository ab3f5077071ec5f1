//! The reports of the audit tools. Only that of a finished audit counts: an error in the form of
//! JSON is no clean bill.

use super::Level;
use crate::error::Error;
use crate::settings::Words;
use crate::text::one_line;
use serde_json::Value;

fn parse(text: &str) -> Result<Value, Error> {
    serde_json::from_str(text).map_err(|_| match text.trim().lines().last() {
        Some(last) => format!("its output is no report: {}", one_line(last, 60)).into(),
        None => "it printed no report".into(),
    })
}

/// `cargo audit` has no severity for most advisories, so every one counts.
pub(super) fn cargo(text: &str, _: Level) -> Result<Vec<String>, Error> {
    let report = parse(text)?;
    let list = report["vulnerabilities"]["list"]
        .as_array()
        .ok_or("its report has no list of vulnerabilities")?;
    let name = |one: &Value| {
        let part = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let package = &one["package"];
        let (name, version) = (part(&package["name"]), part(&package["version"]));
        format!("{name} {version} ({})", part(&one["advisory"]["id"]))
    };
    Ok(list.iter().map(name).collect())
}

pub(super) fn npm(text: &str, level: Level) -> Result<Vec<String>, Error> {
    let report = parse(text)?;
    if let Some(error) = report.get("error") {
        let said = error["summary"].as_str().or(report["message"].as_str());
        return Err(one_line(said.unwrap_or("npm reports an error"), 80).into());
    }
    if !report["metadata"]["vulnerabilities"].is_object() {
        return Err("its report counts no vulnerabilities".into());
    }
    let packages = report["vulnerabilities"]
        .as_object()
        .ok_or("its report has no list of vulnerabilities")?;
    let mut found = Vec::new();
    for (name, package) in packages {
        let severity = package["severity"].as_str().unwrap_or("?");
        let known = Level::WORDS.iter().find(|(name, _)| *name == severity);
        // An unknown severity counts; only `info` is below all levels.
        let counts = known.map_or(severity != "info", |(_, known)| *known >= level);
        if counts {
            found.push(format!("{name} ({severity})"));
        }
    }
    Ok(found)
}

/// `pip-audit` has no severities, so every fault counts.
pub(super) fn pip(text: &str, _: Level) -> Result<Vec<String>, Error> {
    let report = parse(text)?;
    let packages = report["dependencies"]
        .as_array()
        .ok_or("its report has no list of dependencies")?;
    let mut found = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or("?");
        if let Some(why) = package["skip_reason"].as_str() {
            return Err(format!("{name} was skipped: {}", one_line(why, 60)).into());
        }
        for fault in package["vulns"].as_array().into_iter().flatten() {
            found.push(format!("{name} ({})", fault["id"].as_str().unwrap_or("?")));
        }
    }
    Ok(found)
}

/// `govulncheck` prints one object after the other, and begins with its own description.
pub(super) fn go(text: &str, _: Level) -> Result<Vec<String>, Error> {
    let mut begun = false;
    let mut found = Vec::new();
    for message in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let message = message.map_err(|_| "its output is no report".to_owned())?;
        begun |= message.get("config").is_some();
        let finding = &message["finding"];
        // Only what the code really calls has a function in its trace.
        let called = finding["trace"][0].get("function").is_some();
        if let Some(id) = finding["osv"].as_str().filter(|_| called) {
            let module = finding["trace"][0]["module"].as_str().unwrap_or("?");
            found.push(format!("{module} ({id})"));
        }
    }
    if !begun {
        return Err("it printed no report".into());
    }
    found.sort();
    found.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_and_unclean_reports() {
        let clean = "{\"vulnerabilities\": {\"found\": false, \"count\": 0, \"list\": []}}";
        assert!(cargo(clean, Level::High).unwrap().is_empty());
        let pip_report = "{\"dependencies\": [{\"name\": \"a\", \"version\": \"1\", \"vulns\": [{\"id\": \"PYSEC-1\"}]}, {\"name\": \"b\", \"vulns\": []}]}";
        assert_eq!(
            pip(pip_report, Level::High).unwrap(),
            vec!["a (PYSEC-1)".to_owned()]
        );
        let skipped = "{\"dependencies\": [{\"name\": \"a\", \"skip_reason\": \"not found\"}]}";
        assert!(
            pip(skipped, Level::High)
                .unwrap_err()
                .to_string()
                .contains("skipped")
        );
        let go_report = "{\"config\": {}}\n{\"finding\": {\"osv\": \"GO-1\", \"trace\": [{\"module\": \"m\", \"function\": \"F\"}]}}\n{\"finding\": {\"osv\": \"GO-2\", \"trace\": [{\"module\": \"m\"}]}}\n";
        assert_eq!(
            go(go_report, Level::High).unwrap(),
            vec!["m (GO-1)".to_owned()]
        );
        let npm_report = "{\"vulnerabilities\": {\"a\": {\"severity\": \"moderate\"}, \"b\": {\"severity\": \"new\"}}, \"metadata\": {\"vulnerabilities\": {}}}";
        assert_eq!(
            npm(npm_report, Level::High).unwrap(),
            vec!["b (new)".to_owned()]
        );
        assert_eq!(
            npm(npm_report, Level::Low)
                .map(|found| found.len())
                .unwrap(),
            2
        );
        for read in [cargo, npm, pip, go] {
            for text in ["", "{}", "ok", "[]"] {
                assert!(read(text, Level::High).is_err(), "{text:?}");
            }
        }
    }
}
