//! The run from its beginning to now, as one list with durations and costs.

use super::html::{duration, prose};
use crate::course::{Step, StepKind, StepTone};
use crate::evidence::Evidence;
use crate::spend::dollars;
use kernel::Time;
use maud::{Markup, html};

pub(super) fn section(data: &Evidence) -> Markup {
    let began = data.grounds.began;
    let most = data.course.iter().filter_map(|step| step.millis).max();
    html! {
        section aria-labelledby="course" {
            h2 #course { "What happened" }
            @if data.course.is_empty() {
                p.none { "Nothing yet." }
            } @else {
                ol.course { @for step in &data.course { (one(step, began, most.unwrap_or(1).max(1))) } }
            }
        }
    }
}

fn one(step: &Step, began: Time, most: u64) -> Markup {
    let tone = match step.tone {
        StepTone::Good => "good",
        StepTone::Bad => "bad",
        StepTone::Unsure => "unsure",
        StepTone::Plain => "plain",
    };
    let kind = match step.kind {
        StepKind::Attempt => "was-attempt",
        StepKind::Gate => "was-gate",
        StepKind::Decision => "was-decision",
        StepKind::Moved => "was-moved",
        StepKind::Refused => "was-refused",
        StepKind::Lost => "was-lost",
    };
    let text = step.text.lines().next().unwrap_or_default().trim();
    let cut: String = text.chars().take(240).collect();
    let rest = if cut.len() < text.len() {
        "\u{2026}"
    } else {
        ""
    };
    html! {
        li.(tone).(kind) {
            span.clock title=(step.at.to_string()) { (after(step.at.since(began))) }
            div.what {
                @match step.effect {
                    Some(effect) => a.title href=(format!("#e-{effect}")) { (step.title) },
                    None => span.title { (step.title) },
                }
                @if !cut.is_empty() { " " span.text { (prose(&cut)) (rest) } }
                @if !step.detail.is_empty() {
                    pre.failure tabindex="0" aria-label="Why it failed" { code { (step.detail) } }
                }
            }
            div.took {
                @if let Some(millis) = step.millis {
                    @let share = (millis.saturating_mul(100) / most).clamp(1, 100);
                    svg.bar aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none" {
                        rect x=(100 - share) width=(share) height="1" {}
                    }
                    span { (duration(millis)) }
                }
                @if step.usage.micro_dollars > 0 { " " span.money { (dollars(step.usage.micro_dollars)) } }
            }
        }
    }
}

/// How long after the beginning: `0:07`, `12:30`, `1:02:03`.
fn after(millis: u64) -> String {
    let seconds = millis / 1_000;
    match seconds {
        0..3_600 => format!("{}:{:02}", seconds / 60, seconds % 60),
        _ => format!(
            "{}:{:02}:{:02}",
            seconds / 3_600,
            seconds / 60 % 60,
            seconds % 60
        ),
    }
}
