//! The parts about and for people: the open question, the promise, decisions, refusals, and how to
//! check the page without believing it.

use super::PageData;
use super::html::{Out, esc, time};

/// The open question, before everything else.
pub(super) fn waiting(out: &mut Out, data: &PageData) {
    let Some(waiting) = &data.waiting_for else {
        return;
    };
    out.raw("<section class=\"ask\" aria-labelledby=\"ask\">\n<h2 id=\"ask\">Your answer is needed</h2>\n");
    out.paragraph("sentence", &waiting.sentence);
    if !waiting.options.is_empty() {
        out.raw("<ul class=\"options\" aria-label=\"Options\">\n");
        for option in &waiting.options {
            out.raw(&format!("<li><code>{}</code></li>\n", esc(option)));
        }
        out.raw("</ul>\n");
    }
    command(out, "Answer in your terminal", &waiting.command);
    out.raw("</section>\n");
}

fn command(out: &mut Out, label: &str, text: &str) {
    if !text.is_empty() {
        out.raw(&format!(
            "<p class=\"label\">{label}</p>\n<pre tabindex=\"0\"><code>{}</code></pre>\n",
            esc(text)
        ));
    }
}

/// What the run is measured by.
pub(super) fn promise(out: &mut Out, data: &PageData) {
    out.raw("<section aria-labelledby=\"promise\">\n<h2 id=\"promise\">What was promised</h2>\n");
    let or_none = |text: &str| match text.trim() {
        "" => "<span class=\"none\">not written down</span>".to_owned(),
        text => esc(text),
    };
    out.raw("<dl class=\"promise\">\n");
    for (name, text) in &data.promise {
        out.pair(&esc(name), &or_none(text));
    }
    out.raw("</dl>\n");
    if !data.features.is_empty() {
        out.raw(
            "<h3>Features</h3>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" \
             aria-label=\"Features\">\n<table>\n<thead><tr><th scope=\"col\">Feature</th>\
             <th scope=\"col\">Label</th></tr></thead>\n<tbody>\n",
        );
        for (name, label) in &data.features {
            out.raw(&format!(
                "<tr><th scope=\"row\">{}</th><td><span class=\"tag\">{}</span></td></tr>\n",
                esc(name),
                esc(label)
            ));
        }
        out.raw("</tbody>\n</table>\n</div>\n");
    }
    if !data.fields.is_empty() {
        out.raw(
            "<details>\n<summary>All fields of the state file</summary>\n<dl class=\"fields\">\n",
        );
        for (name, value) in &data.fields {
            out.pair(&esc(name), &esc(value.trim()));
        }
        out.raw("</dl>\n</details>\n");
    }
    out.raw("</section>\n");
}

/// Who decided what, and through which channel.
pub(super) fn decisions(out: &mut Out, data: &PageData) {
    out.raw(
        "<section aria-labelledby=\"decisions\">\n<h2 id=\"decisions\">Decisions by people</h2>\n",
    );
    if data.decisions.is_empty() {
        out.raw("<p class=\"none\">No person has decided anything in this run.</p>\n");
    }
    for decision in &data.decisions {
        out.raw(&format!(
            "<article class=\"decision\">\n<header><h3>{}</h3> <span class=\"when\">{}</span>\
             </header>\n",
            esc(&decision.option),
            time(&decision.at)
        ));
        if !decision.because.trim().is_empty() {
            let because = esc(decision.because.trim());
            out.raw(&format!("<blockquote>{because}</blockquote>\n"));
        }
        out.raw(&format!(
            "<p class=\"facts-line\"><span>{}</span> <span class=\"channel\">{}</span></p>\n</article>\n",
            esc(&decision.who),
            esc(&decision.channel)
        ));
    }
    out.raw("</section>\n");
}

/// What was asked of the engine and not done.
pub(super) fn refusals(out: &mut Out, data: &PageData) {
    if data.refusals.is_empty() {
        return;
    }
    out.raw(
        "<section aria-labelledby=\"refusals\">\n<h2 id=\"refusals\">Refusals</h2>\n\
         <p class=\"note\">What the engine was asked for and would not do. A refusal changes \
         nothing.</p>\n<ul class=\"refusals\">\n",
    );
    for refusal in &data.refusals {
        out.raw(&format!(
            "<li>\n<p><code>{}</code></p>\n",
            esc(&refusal.code)
        ));
        out.paragraph("reason", &refusal.what);
        if !refusal.mend.trim().is_empty() {
            let mend = esc(refusal.mend.trim());
            out.raw(&format!(
                "<p class=\"mend\"><b>To mend it:</b> {mend}</p>\n"
            ));
        }
        out.raw("</li>\n");
    }
    out.raw("</ul>\n</section>\n");
}

/// How to do without this page.
pub(super) fn audit(out: &mut Out, data: &PageData) {
    out.raw(
        "<section class=\"audit\" aria-labelledby=\"audit\">\n<h2 id=\"audit\">Verify it \
         yourself</h2>\n<p>This page is a view and proves nothing by itself. The journal is the \
         truth: every record carries the hash of the one before, and every file above is kept \
         under its own hash. In the repository, run</p>\n",
    );
    let line = format!("proofhouse audit {}", data.run);
    out.raw(&format!(
        "<pre tabindex=\"0\"><code>{}</code></pre>\n",
        esc(&line)
    ));
    out.raw("<p>and compare the head of the journal:</p>\n<dl class=\"fields\">\n");
    out.pair("Record", &data.head.seq.to_string());
    out.pair("Hash", &format!("<code>{}</code>", esc(&data.head.hash)));
    out.pair("Page made", &time(&data.generated_at));
    out.raw("</dl>\n</section>\n");
}
