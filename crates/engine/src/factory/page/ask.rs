//! What a project waits for, before everything else on its page: whoever is asked should not have to
//! look for the question. The answers are given in a terminal; a page decides nothing.

use super::Shown;
use crate::views::page::html::{Out, esc};
use kernel::Machine;
use kernel::machine::Activity;

pub(super) fn ask(out: &mut Out, shown: &Shown<'_>) {
    let questions = shown.machine.questions();
    if questions.is_empty() || shown.machine.status().activity != Activity::Waiting {
        return;
    }
    out.raw("<section class=\"ask\" aria-labelledby=\"ask\">\n<h2 id=\"ask\">Your answer is needed</h2>\n");
    for question in &questions {
        let task = question.task.as_ref().map(ToString::to_string);
        let task = task.filter(|task| *task != question.id);
        let of = task.map_or_else(String::new, |task| format!(" of {task}"));
        out.raw(&format!(
            "<p class=\"label\">{}{}</p>\n",
            esc(&question.id),
            esc(&of)
        ));
        out.paragraph("sentence", &question.what);
        out.paragraph("reason", &question.why);
        out.raw("<ul class=\"options\" aria-label=\"Options\">\n");
        for option in &question.options {
            out.raw(&format!("<li><code>{}</code></li>\n", esc(option)));
        }
        out.raw("</ul>\n");
    }
    out.raw(
        "<p class=\"label\">In your terminal, with the command for each of them</p>\n\
         <pre tabindex=\"0\"><code>proofhouse inbox</code></pre>\n</section>\n",
    );
}
