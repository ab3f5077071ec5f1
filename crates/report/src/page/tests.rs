//! What the page says, and what it cannot be made to say.

use super::answer::Answers;
use super::html::{bytes, duration, grouped, href, prose};
use super::run as page;
use crate::attempt::Attempt;
use crate::caught::{Caught, Gravity};
use crate::change::Change;
use crate::course::{Step, StepKind, StepTone};
use crate::evidence::{Evidence, Link, Origin};
use crate::file_change::{FileChange, Hunk, Kind};
use crate::gate::{Answer, Check, Gate};
use crate::grounds::{Framed, Grounds, Look, Maker, Proven, Told, Unproven, Worker};
use crate::history::Decided;
use crate::met::Met;
use crate::paper::Paper;
use crate::proof::Proof;
use crate::question::By;
use crate::settled::{Line, Settled};
use crate::spend::Spend;
use crate::spend::dollars;
use crate::told_case::ToldCase;
use crate::transcript::{Turn, TurnKind};
use crate::unasked::Unasked;
use crate::worth::Standing;
use kernel::ledger::AttemptNote;
use kernel::machine::{Activity, Gauge, Waiting};
use kernel::outcome::EvidenceRef;
use kernel::{Decision, EffectId, Refusal, StateName, Time, Usage};
use store::Head;

const AT: Time = Time(1_794_709_527_123);

fn link(name: &str, href: &str) -> Link {
    Link {
        name: name.to_owned(),
        href: href.to_owned(),
        size: 1_234,
    }
}

fn kept(name: &str) -> EvidenceRef {
    EvidenceRef {
        hash: "0123456789abcdef".to_owned(),
        name: name.to_owned(),
        size: 1_234,
        sealed: false,
    }
}

fn check(answer: Answer) -> Check {
    Check {
        check: "command".to_owned(),
        answer,
        not_yet: false,
        proof: Proof::Executed,
        worth: String::new(),
        said_by: String::new(),
        empty: String::new(),
        failure: String::new(),
        reason: "the tests ran".to_owned(),
        argv: ["sh", "-c", "it's && done"].map(str::to_owned).to_vec(),
        exit: Some(0),
        tree: "0123456789abcdef".to_owned(),
        refused: String::new(),
        millis: 1_500,
        evidence: vec![kept("out put")],
    }
}

fn gate(state: &str, checks: Vec<Check>) -> Gate {
    Gate {
        effect: EffectId(2),
        state: state.to_owned(),
        subject: String::new(),
        sent_back: false,
        passed: checks.iter().all(|check| check.answer == Answer::Passed),
        at: AT,
        millis: 0,
        checks,
    }
}

fn grounds(text: &str) -> Grounds {
    Grounds {
        objective: text.to_owned(),
        began: AT,
        last: AT,
        change: None,
        settled: Some(Settled {
            run: text.to_owned(),
            missing: vec![Line {
                path: text.to_owned(),
                line: text.to_owned(),
            }],
            new: Vec::new(),
        }),
        since_rejected: None,
        since_approved: None,
        open: vec![text.to_owned()],
        frame: vec![Framed {
            field: text.to_owned(),
            value: text.to_owned(),
            about: text.to_owned(),
            laid_out: true,
        }],
        papers: vec![Paper {
            path: text.to_owned(),
            sections: vec![text.to_owned()],
            text: text.to_owned(),
        }],
        criteria: vec![Met {
            id: text.to_owned(),
            text: text.to_owned(),
            met: Some(true),
            how: text.to_owned(),
        }],
        risks: vec![text.to_owned()],
        record: Some(Paper {
            path: text.to_owned(),
            sections: Vec::new(),
            text: text.to_owned(),
        }),
        proven: Vec::new(),
        worth: None,
        looked: 0,
        said: Vec::new(),
        unasked: Some(Unasked {
            files: vec![text.to_owned()],
            kept: text.to_owned(),
        }),
        remarks: vec![text.to_owned()],
        summary: text.to_owned(),
        told: vec![Told {
            said: text.to_owned(),
            answers: vec![text.to_owned()],
        }],
        unproven: Vec::new(),
        caught: Vec::new(),
        spend: Spend::default(),
        exam: None,
        cases: vec![ToldCase {
            name: text.to_owned(),
            clause: text.to_owned(),
            calls: vec![text.to_owned()],
            claims: vec![text.to_owned()],
        }],
        workers: Vec::new(),
        looks: vec![Look {
            who: maker(text),
            state: text.to_owned(),
            verdict: text.to_owned(),
            times: 2,
            found: 1,
        }],
        makers: vec![maker(text)],
    }
}

fn maker(text: &str) -> Maker {
    Maker {
        role: text.to_owned(),
        agent: text.to_owned(),
        model: Some(text.to_owned()),
        unconfined: false,
        summary: text.to_owned(),
    }
}

fn empty(text: &str) -> Evidence {
    Evidence {
        run: format!("run{text}"),
        workflow: text.to_owned(),
        forked: None,
        state: text.to_owned(),
        activity: Activity::Working,
        waiting_for: None,
        by: By::Any,
        promise: vec![("Objective".to_owned(), text.to_owned())],
        fields: Vec::new(),
        features: Vec::new(),
        gates: Vec::new(),
        attempts: Vec::new(),
        budgets: [(text.to_owned(), Gauge { used: 1, cap: 2 })].into(),
        grounds: grounds(text),
        course: Vec::new(),
        refusals: Vec::new(),
        decisions: Vec::new(),
        artifacts: Vec::new(),
        commits: Vec::new(),
        head: Head {
            seq: 7,
            hash: text.to_owned(),
        },
        generated_at: AT,
        origin: Origin::Live,
    }
}

/// The same text in every place where text can stand.
fn everywhere(text: &str) -> Evidence {
    let t = || text.to_owned();
    let mut hostile = check(Answer::CouldNotRun);
    (hostile.check, hostile.reason, hostile.tree) = (t(), t(), t());
    (hostile.argv, hostile.refused) = (vec![t()], t());
    hostile.evidence = vec![kept(text)];
    Evidence {
        waiting_for: Some(Waiting {
            who: "human",
            reason: t(),
            why: t(),
            options: vec![t()],
            means: [(t(), t())].into(),
        }),
        fields: vec![(t(), t())],
        features: vec![(t(), t())],
        gates: vec![gate(text, vec![hostile])],
        attempts: vec![Attempt {
            note: AttemptNote {
                effect: EffectId(1),
                state: StateName::from(text),
                role: t(),
                began: AT,
                ended: t(),
                reason: t(),
                usage: Usage {
                    input_tokens: 1,
                    micro_dollars: 1,
                    ..Usage::default()
                },
                millis: 1,
            },
            agent: t(),
            model: Some(t()),
            said: t(),
            refused: t(),
            changed: vec![t()],
            evidence: vec![kept(text)],
            turns: vec![Turn {
                kind: TurnKind::Hears,
                text: t(),
            }],
        }],
        grounds: Grounds {
            change: Some(Change {
                run: t(),
                ungated: false,
                edited: Vec::new(),
                base: t(),
                commit: t(),
                files: vec![t()],
                stat: t(),
                patch: Some(t()),
                changes: vec![FileChange {
                    path: t(),
                    from: Some(t()),
                    kind: Kind::Renamed,
                    mode: None,
                    added: Some(1),
                    removed: Some(1),
                    ends: None,
                    hunks: vec![Hunk {
                        before: 1,
                        after: 1,
                        about: t(),
                        lines: vec![format!("+{text}")],
                    }],
                }],
            }),
            proven: vec![Proven {
                check: t(),
                states: vec![t()],
                millis: 1,
                reason: t(),
            }],
            worth: Some(Standing {
                worth: "reported",
                means: "the tests' own word",
                tried: vec![t()],
                stronger: "begin a run with --exam",
            }),
            unproven: vec![Unproven {
                check: t(),
                state: t(),
                why: t(),
                failure: String::new(),
                found: true,
            }],
            caught: vec![Caught {
                at: AT,
                code: t(),
                what: "a frozen file was changed",
                gravity: Gravity::Cheat,
                times: 2,
                found: t(),
                effect: Some(EffectId(1)),
            }],
            workers: vec![Worker {
                agent: t(),
                model: Some(t()),
                unconfined: false,
                roles: [t()].into(),
            }],
            ..grounds(text)
        },
        course: vec![Step {
            at: AT,
            kind: StepKind::Decision,
            tone: StepTone::Bad,
            effect: None,
            title: t(),
            text: t(),
            detail: t(),
            millis: Some(1),
            usage: Usage::default(),
        }],
        refusals: vec![Refusal::new(text, text, text)],
        decisions: vec![Decided {
            at: AT,
            decision: Decision {
                option: t(),
                because: t(),
                who: t(),
                channel: t(),
                seen_seq: 1,
                tree: String::new(),
                with: serde_json::Value::Null,
                signature: None,
            },
            remark: "R1".to_owned(),
            answers: vec![t()],
        }],
        artifacts: vec![link(text, text), link(text, &format!("{text}.png"))],
        commits: vec![t()],
        ..empty(text)
    }
}

/// Also what browsers make something else of: a carriage return, for one, would be a line break or nothing.
#[test]
fn what_cannot_be_seen_is_spelled_out() {
    for (text, shown) in [
        ("a\rb", "a[U+000D]b"),
        ("ends\r", "ends[U+000D]<"),
        ("two\r\nlines", "two\nlines"),
        ("a\u{fe0f}b", "a[U+FE0F]b"),
        ("\u{26a0}\u{fe0f} look", "\u{26a0}\u{fe0f} look"),
        ("a\u{2800}b", "a[U+2800]b"),
        ("a\u{fffe}b", "a[U+FFFE]b"),
        ("a\u{202e}b", "a[U+202E]b"),
    ] {
        let html = page(&everywhere(text));
        assert!(html.contains(shown), "{text:?}");
        assert!(!html.contains('\r'), "{text:?}");
    }
}

/// Every tag with its attributes, as a browser would see them.
fn tags(html: &str) -> Vec<&str> {
    html.split('<')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('>')?.0))
        .collect()
}

#[test]
fn no_text_becomes_markup() {
    let harmless = page(&everywhere("x"));
    for hostile in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "\" onfocus=\"alert(1)\" x=\"",
        "</style><script>x</script>",
        "--><svg/onload=alert(1)>",
        "javascript:alert(1)",
        "https://evil.example/x",
        "\u{202e}\u{0}\u{7}<b>",
    ] {
        let html = page(&everywhere(hostile));
        assert!(!html.contains("<script") && !html.contains("<svg/") && !html.contains("<b>x"));
        let names = |html: &str| -> Vec<String> {
            tags(html)
                .iter()
                .map(|tag| {
                    // The tag's shape: its quoted values taken out.
                    tag.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
                })
                .collect()
        };
        assert_eq!(names(&html), names(&harmless), "{hostile}");
        for tag in tags(&html) {
            for name in ["href=\"", "src=\""] {
                let Some((_, value)) = tag.split_once(name) else {
                    continue;
                };
                let value = value.split('"').next().unwrap_or_default();
                // A place of the page itself, by the number of an effect.
                let value = value.strip_prefix('#').unwrap_or(value);
                let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.~/%".contains(c);
                assert!(value.chars().all(allowed), "{value}");
                assert!(!value.starts_with('/'), "{value}");
            }
        }
        assert!(!html.contains('\u{202e}') && !html.contains('\u{0}'));
    }
}

#[test]
fn links_stay_beside_the_page() {
    for (path, expected) in [
        ("a/b c.txt", Some("a/b%20c.txt")),
        (
            "../evidence/é?#%.png",
            Some("../evidence/%C3%A9%3F%23%25.png"),
        ),
        ("javascript:alert(1)", Some("javascript%3Aalert%281%29")),
        ("/etc/passwd", None),
        ("//evil.example", None),
        ("\\\\evil", None),
        ("", None),
    ] {
        assert_eq!(href(path).as_deref(), expected, "{path}");
    }
    let mut data = empty("x");
    data.artifacts = vec![
        link("passwords", "/etc/passwd.png"),
        link("shot", "s/home page.PNG"),
    ];
    let html = page(&data);
    assert!(html.contains("<span class=\"unlinked\"><span class=\"name\">passwords</span>"));
    // Nor to what a browser runs that is opened from the disk.
    for (file, linked) in [
        ("out.html", false),
        ("a/x.SVG", false),
        ("x.rdf", false),
        ("notes.txt", true),
        ("a.b/LICENSE", true),
    ] {
        let mut data = empty("x");
        data.artifacts = vec![link("seen", file)];
        let html = page(&data);
        assert_eq!(html.contains(&format!("href=\"{file}\"")), linked, "{file}");
    }
    assert!(html.contains("<img loading=\"lazy\" src=\"s/home%20page.PNG\" alt=\"shot\">"));
    assert_eq!(html.matches("<img").count(), 1);
}

#[test]
fn proven_needs_an_end_and_passed_checks() {
    let passed = || gate("verify", vec![check(Answer::Passed)]);
    let failed = || {
        gate(
            "verify",
            vec![check(Answer::Passed), check(Answer::CouldNotRun)],
        )
    };
    let noted = |answers: Vec<Answer>| Gate {
        passed: true,
        ..gate("verify", answers.into_iter().map(check).collect())
    };
    let only = |proof| {
        let check = check(Answer::Passed);
        gate("verify", vec![Check { proof, ..check }])
    };
    // Another state's gate, which took the run back.
    let sent_back = || Gate {
        sent_back: true,
        ..gate("earlier", failed().checks)
    };
    let mut no_check = passed();
    no_check.checks.clear();
    let mut lying = failed();
    lying.passed = true;
    for (activity, gates, expected) in [
        (Activity::Done, vec![passed()], "Proven"),
        (Activity::Done, vec![passed(), failed()], "Proven"),
        (Activity::Done, vec![failed(), passed()], "Done, not proven"),
        (Activity::Done, vec![], "Done, not proven"),
        (
            Activity::Done,
            vec![noted(vec![Answer::Passed, Answer::Noted])],
            "Proven",
        ),
        (
            Activity::Done,
            vec![noted(vec![Answer::Noted])],
            "Done, not proven",
        ),
        (Activity::Done, vec![no_check], "Done, not proven"),
        (
            Activity::Done,
            vec![only(Proof::Looked)],
            "Done, not proven",
        ),
        (
            Activity::Done,
            vec![only(Proof::Nothing)],
            "Done, not proven",
        ),
        (Activity::Done, vec![lying], "Done, not proven"),
        (
            Activity::Done,
            vec![passed(), gate("review", failed().checks)],
            "Done, not proven",
        ),
        (Activity::Done, vec![passed(), sent_back()], "Proven"),
        (
            Activity::Done,
            vec![sent_back(), passed()],
            "Done, not proven",
        ),
        // What the state said before that was taken back with it.
        (
            Activity::Done,
            vec![passed(), sent_back(), gate("earlier", failed().checks)],
            "Proven",
        ),
        (Activity::Working, vec![passed()], "Not proven yet"),
        (Activity::Waiting, vec![passed()], "Waiting for a person"),
        (Activity::Stopped, vec![passed()], "Stopped, not proven"),
    ] {
        let mut grounds = grounds("x");
        grounds.judge(&gates);
        let html = page(&Evidence {
            activity,
            gates,
            grounds,
            ..empty("x")
        });
        let headline = format!("<h1>{expected}<");
        assert!(html.contains(&headline), "{expected}");
    }
}

#[test]
fn shows_every_check_with_its_evidence_and_its_history() {
    let mut data = empty("x");
    let mut failed = check(Answer::Failed);
    failed.reason = "two tests fail".to_owned();
    failed.exit = Some(101);
    failed.failure = "left: 3, right: 4".to_owned();
    let could_not = check(Answer::CouldNotRun);
    data.gates = vec![
        gate("verify", vec![check(Answer::Passed)]),
        gate("verify", vec![failed, could_not]),
    ];
    let html = page(&data);
    for text in [
        "</span> pass</span>",
        "</span> fail</span>",
        "</span> could not run</span>",
        "two tests fail",
        "exit 101",
        "left: 3, right: 4</code>",
        "1 earlier try of this gate",
        "sh -c 'it'\\''s &amp;&amp; done'",
        "<a href=\"evidence/0123456789ab-out-put.txt\">",
        "1.2 kB",
        "title=\"0123456789abcdef\">0123456789ab\u{2026}<",
        "<time datetime=\"2026-11-15T02:25:27.123Z\">2026-11-15 02:25:27 UTC</time>",
        "proofhouse audit runx",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn what_stands_in_backticks_is_code_and_nothing_else_is_markup() {
    for (text, html) in [
        (
            "run `a<b` and `c`",
            "run <code>a&lt;b</code> and <code>c</code>",
        ),
        ("one ` alone", "one ` alone"),
        ("```\nfenced\n```", "```\nfenced\n```"),
        ("`a`\n` b", "<code>a</code>\n` b"),
        ("", ""),
    ] {
        assert_eq!(prose(text).into_string(), html);
    }
}

#[test]
fn every_promise_is_shown_under_its_own_name() {
    let promise = ["Request", "Gate (exit)"].map(|name| (name.to_owned(), format!("{name}!")));
    let html = page(&Evidence {
        promise: promise.to_vec(),
        ..empty("")
    });
    for text in [
        "<dt>Request</dt><dd>Request!</dd>",
        "<dt>Gate (exit)</dt><dd>Gate (exit)!</dd>",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

#[test]
fn an_empty_run_says_what_is_missing() {
    let html = page(&empty(""));
    for text in [
        "Not run is not passed",
        "No agent has worked yet",
        "No person has decided anything",
        "not written down",
        "<html lang=\"en\">",
        "name=\"viewport\"",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("were scripted"));
    let scripted = Evidence {
        origin: Origin::Scripted,
        ..empty("")
    };
    assert!(page(&scripted).contains(
        "The model's replies in this run were scripted; every check, file and hash is real."
    ));
}

#[test]
fn numbers_are_for_people() {
    assert_eq!(
        [duration(0), duration(61_000), duration(3_720_000)],
        ["0 ms", "1 min 01 s", "1 h 02 min"]
    );
    assert_eq!([bytes(999), bytes(1_250_000)], ["999 B", "1.2 MB"]);
    assert_eq!(
        [dollars(0), dollars(12_345), dollars(2_500_000)],
        ["$0", "$0.0123", "$2.50"]
    );
    assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
}

#[test]
fn a_cheat_that_was_caught_stands_below_the_headline() {
    let mut data = everywhere("x");
    data.activity = Activity::Done;
    let html = page(&data);
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    let places = [
        at("<h1>"),
        at("Caught: a frozen file was changed."),
        at("id=\"change\""),
        at("id=\"proven\""),
        at("id=\"cost\""),
        at("proofhouse decide runx x --because"),
        at("id=\"course\""),
    ];
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn attempts_and_gates_lead_to_each_other() {
    let mut data = everywhere("x");
    data.gates = vec![gate("x", vec![check(Answer::Failed)])];
    let html = page(&data);
    for text in [
        "id=\"e-e0001\"",
        "id=\"e-e0002\"",
        "judged by <a href=\"#e-e0002\">the gate of x</a>, which it did not pass",
        "judges <a href=\"#e-e0001\">attempt e0001 by the x</a>",
    ] {
        assert!(html.contains(text), "{text}");
    }
}

/// `3 of 3` alone would read as if nothing had failed on the way.
#[test]
fn gates_that_passed_at_last_say_how_many_tries_failed() {
    let passed = || gate("verify", vec![check(Answer::Passed)]);
    let failed = || gate("verify", vec![check(Answer::Failed)]);
    for (gates, shown) in [
        (vec![passed()], "1 <small>of 1</small>"),
        (
            vec![passed(), failed()],
            "1 <small>of 1, 1 try failed before</small>",
        ),
        (
            vec![passed(), failed(), failed()],
            "1 <small>of 1, 2 tries failed before</small>",
        ),
        // The last try of a gate is no earlier one.
        (vec![failed()], "0 <small>of 1</small>"),
        (vec![], "none"),
    ] {
        let html = page(&Evidence {
            gates,
            ..empty("x")
        });
        let shown = format!("<dt>Gates passed</dt><dd>{shown}</dd>");
        assert!(html.contains(&shown), "no `{shown}`");
    }
}

/// A person signs for what they were shown: what no gate has judged is said to be so, in the words of the terminal.
#[test]
fn a_change_that_passed_no_gate_says_so() {
    let mut data = everywhere("x");
    let change = data.grounds.change.as_mut().unwrap();
    assert_eq!(change.remarks(), Vec::<String>::new());
    change.ungated = true;
    let html = page(&data);
    assert!(html.contains("Some of it has passed no gate yet."));
    assert!(html.contains("to what lies in the run's tree."));
    let change = data.grounds.change.as_mut().unwrap();
    (change.ungated, change.edited) = (false, vec!["a\u{202e}b".to_owned()]);
    change.changes.clear();
    let html = page(&data);
    let said = "Edited since, judged by nobody and no part of it: a\\u{202e}b.";
    assert!(html.contains(said), "{html}");
    assert!(html.contains("Nothing, so far."));
}

/// In a guest's run a command without a signature answers nothing.
#[test]
fn only_commands_that_can_answer_are_shown() {
    let mut data = everywhere("x");
    let command = "proofhouse decide runx x --because &quot;...&quot;";
    assert!(page(&data).contains(&format!("{command}<")));
    data.by = By::Touch;
    let html = page(&data);
    assert!(html.contains(&format!("{command} --signature FILE<")));
    assert!(!html.contains(&format!("{command}<")));
    let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(at("your passkey signs the answer") < at("--signature FILE"));
}

#[test]
fn a_run_that_asks_nothing_and_is_not_over_can_be_ended() {
    let about = super::answer::About {
        repo: "shop",
        run: "t",
        head: "00",
    };
    let ending = |activity, answers| super::answer::ending(about, activity, answers).html;
    for activity in [Activity::Working, Activity::Resting] {
        let html = ending(activity, Answers::Yes);
        assert!(html.contains("name=\"option\" value=\"stop\""), "{html}");
        assert!(!html.contains("go_on"), "{html}");
        let html = ending(activity, Answers::No);
        assert!(html.contains("proofhouse abandon t --because"), "{html}");
        assert!(!html.contains("<form"), "{html}");
        assert!(ending(activity, Answers::NobodyYet).contains("Enrol yours"));
    }
    // A question has its own answers, `stop` among them, and what is over is over.
    for activity in [Activity::Waiting, Activity::Done, Activity::Stopped] {
        assert_eq!(ending(activity, Answers::Yes), "");
    }
}
