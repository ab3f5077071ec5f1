//! What an audit found, in the forms that build servers read. Each is a view of the same findings, with a
//! place for every one of them; none of them decides anything.

mod github;
mod junit;
mod sarif;

pub use github::{annotations, failed, summary};
pub use junit::junit;
pub use sarif::sarif;

use crate::covers::Coverage;
use crate::finding::RunAudit;
use std::collections::BTreeMap;

/// Everything that an audit has to say.
pub struct Audited<'a> {
    pub runs: &'a [RunAudit],
    pub coverage: Option<&'a Coverage>,
}

/// The code of a file that no run has proven.
const UNCOVERED: &str = "not_covered";

/// One thing to tell, with its place.
struct Told<'a> {
    code: &'a str,
    level: Level,
    file: &'a str,
    /// 1 where no line is meant.
    line: u64,
    what: String,
    /// The same for the same thing in every audit: nothing of it is a count or a time.
    fingerprint: String,
}

/// From what is worth a look to what is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Note,
    Warning,
    Error,
}

/// Findings, what is odd, and files without a proof, in this order.
fn told<'a>(audited: &Audited<'a>) -> Vec<Told<'a>> {
    let mut all = Vec::new();
    for run in audited.runs {
        let findings = run.findings.iter().map(|one| (one, Level::Error));
        let notes = run.notes.iter().map(|one| (one, Level::Note));
        for (one, level) in findings.chain(notes) {
            all.push(Told {
                code: &one.code,
                level,
                file: &run.file,
                line: one.line.max(1),
                what: format!("{}: {}", run.run, one.what),
                fingerprint: format!("{}\n{}\n{}", one.code, run.run, one.line),
            });
        }
    }
    let uncovered = audited.coverage.map(|coverage| &coverage.uncovered);
    for one in uncovered.into_iter().flatten() {
        let level = match one.required {
            true => Level::Error,
            false => Level::Warning,
        };
        all.push(Told {
            code: UNCOVERED,
            level,
            file: &one.path,
            line: 1,
            what: format!("not proven: {}", one.why),
            fingerprint: format!("{UNCOVERED}\n{}", one.path),
        });
    }
    // Two of one kind at one place are two.
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for one in &mut all {
        let before = seen.entry(one.fingerprint.clone()).or_default();
        let text = format!("{}\n{before}", one.fingerprint);
        *before += 1;
        one.fingerprint = store::sha256_hex(text.as_bytes());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::covers::Uncovered;
    use crate::finding::finding;

    fn a_run() -> RunAudit {
        let file = ".proofhouse/journal/wörk.jsonl".to_owned();
        let mut run = RunAudit::new("work".to_owned(), file, 0);
        run.findings.push(finding(
            "bad_hash",
            7,
            "line 7 <was> 50% \"changed\"\nby hand\u{1b}".to_owned(),
        ));
        run.findings
            .push(finding("bad_hash", 7, "and again".to_owned()));
        run.notes
            .push(finding("time_went_back", 3, "by an hour".to_owned()));
        run
    }

    fn coverage() -> Coverage {
        Coverage {
            base: "b".to_owned(),
            head: "h".to_owned(),
            covered: Vec::new(),
            uncovered: vec![Uncovered {
                path: "src/a b.rs".to_owned(),
                why: "no run has made it".to_owned(),
                required: true,
            }],
        }
    }

    #[test]
    fn a_report_for_code_scanning_has_a_place_and_a_lasting_name_for_everything() {
        let (run, coverage) = (a_run(), coverage());
        let audited = Audited {
            runs: std::slice::from_ref(&run),
            coverage: Some(&coverage),
        };
        let report = sarif(&audited);
        let results = report["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 4);
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(
            place["artifactLocation"]["uri"],
            ".proofhouse/journal/w%C3%B6rk.jsonl"
        );
        assert_eq!(place["region"]["startLine"], 7);
        assert_eq!(results[2]["level"], "note");
        let uncovered = &results[3]["locations"][0]["physicalLocation"];
        assert_eq!(uncovered["artifactLocation"]["uri"], "src/a%20b.rs");
        let prints: std::collections::BTreeSet<String> = results
            .iter()
            .map(|one| one["partialFingerprints"].to_string())
            .collect();
        assert_eq!(prints.len(), 4, "two things have one fingerprint");
        assert_eq!(sarif(&audited), report);
        // Every result has its rule where it says.
        let rules = &report["runs"][0]["tool"]["driver"]["rules"];
        for one in results {
            let at = usize::try_from(one["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[at]["id"], one["ruleId"]);
            let severity = match one["level"].as_str().unwrap() {
                "note" => "recommendation",
                level => level,
            };
            assert_eq!(rules[at]["properties"]["problem.severity"], severity);
        }
        // A file that no policy asks for is a warning, and so is its rule, until there is one that is.
        let mut coverage = coverage;
        coverage.uncovered[0].required = false;
        let severity = |coverage: &Coverage| {
            let report = sarif(&Audited {
                runs: &[],
                coverage: Some(coverage),
            });
            let rule = &report["runs"][0]["tool"]["driver"]["rules"][0];
            assert_eq!(rule["id"], "not_covered");
            rule["properties"]["problem.severity"].clone()
        };
        assert_eq!(severity(&coverage), "warning");
        coverage.uncovered.push(Uncovered {
            path: "b.rs".to_owned(),
            why: "no run has made it".to_owned(),
            required: true,
        });
        assert_eq!(severity(&coverage), "error");
    }

    #[test]
    fn annotations_stay_one_line_each_whatever_they_say() {
        let (run, coverage) = (a_run(), coverage());
        let audited = Audited {
            runs: std::slice::from_ref(&run),
            coverage: Some(&coverage),
        };
        let told = annotations(&audited);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines.len(), 4);
        assert_eq!(
            lines[0],
            "::error file=.proofhouse/journal/wörk.jsonl,line=7,title=bad_hash::work: line 7 <was> 50%25 \"changed\" by hand\\u{1b}"
        );
        assert!(lines[2].starts_with("::notice "), "{}", lines[2]);
        assert!(lines[3].starts_with("::error file=src/a b.rs,line=1,"));
    }

    #[test]
    fn a_summary_shows_no_markup_of_others() {
        let run = a_run();
        let audited = Audited {
            runs: std::slice::from_ref(&run),
            coverage: None,
        };
        let told = summary(&audited);
        assert!(told.contains("FINDINGS"), "{told}");
        assert!(!told.contains("<was>") && told.contains("&lt;was&gt;"));
        let table = told.lines().filter(|line| line.starts_with('|'));
        assert!(table.clone().count() >= 3 && !told.contains('\u{1b}'));
    }
}
