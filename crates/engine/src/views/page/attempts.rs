//! What agents did, in order, and what the run left behind.

use super::html::{Out, Tone, anchor, bytes, chip, dollars, duration, esc, grouped, href};
use super::{AttemptView, Link, PageData};

pub(super) fn section(out: &mut Out, data: &PageData) {
    out.raw("<section aria-labelledby=\"attempts\">\n<h2 id=\"attempts\">Attempts</h2>\n");
    if data.attempts.is_empty() {
        out.raw("<p class=\"none\">No agent has worked yet.</p>\n");
    } else {
        out.raw(
            "<p class=\"note\">Every time an agent worked, in order. What it says of itself proves \
             nothing; the gates above do.</p>\n<ol class=\"timeline\">\n",
        );
        for view in &data.attempts {
            attempt(out, view);
        }
        out.raw("</ol>\n");
    }
    out.raw("</section>\n");
}

fn attempt(out: &mut Out, view: &AttemptView) {
    // Never the sign of a passed check: that an agent says it is done proves nothing.
    let tone = match view.ended.as_str() {
        "" | "running" | "done" => Tone::Plain,
        "could_not_run" | "lost" => Tone::Unsure,
        _ => Tone::Bad,
    };
    let ended = match view.ended.as_str() {
        "" => "running".to_owned(),
        ended => ended.replace('_', " "),
    };
    out.raw(&format!(
        "<li class=\"{}{}\">\n<h3>{} <span>in {}</span></h3> {}\n",
        tone.class(),
        if view.ended == "done" { " ended" } else { "" },
        esc(&view.role),
        esc(&view.state),
        chip(tone, &ended)
    ));
    out.paragraph("reason", &view.reason);
    out.paragraph("refused", &view.refused);
    out.raw(&format!(
        "<p class=\"facts-line\"><span>attempt {}</span> <span>{}</span> ",
        esc(&view.effect),
        duration(view.millis)
    ));
    if view.tokens > 0 {
        out.raw(&format!("<span>{} tokens</span> ", grouped(view.tokens)));
    }
    if view.micro_dollars > 0 {
        out.raw(&format!("<span>{}</span>", dollars(view.micro_dollars)));
    }
    out.raw("</p>\n");
    out.links(&view.evidence);
    out.raw("</li>\n");
}

pub(super) fn artifacts(out: &mut Out, data: &PageData) {
    if data.artifacts.is_empty() && data.commits.is_empty() {
        return;
    }
    out.raw("<section aria-labelledby=\"left\">\n<h2 id=\"left\">What the run left</h2>\n");
    let (images, files): (Vec<&Link>, Vec<&Link>) =
        data.artifacts.iter().partition(|link| is_image(&link.href));
    if !images.is_empty() {
        out.raw("<div class=\"shots\">\n");
        for link in images {
            image(out, link);
        }
        out.raw("</div>\n");
    }
    if !files.is_empty() {
        out.raw("<ul class=\"files\" aria-label=\"Files\">\n");
        for link in files {
            out.raw(&format!("<li>{}</li>\n", anchor(link)));
        }
        out.raw("</ul>\n");
    }
    if !data.commits.is_empty() {
        out.raw("<h3>Commits</h3>\n<ul class=\"commits\">\n");
        for commit in &data.commits {
            out.raw(&format!("<li><code>{}</code></li>\n", esc(commit)));
        }
        out.raw("</ul>\n");
    }
    out.raw("</section>\n");
}

fn is_image(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    let known = ["png", "jpg", "jpeg", "gif", "webp"];
    known.iter().any(|known| ending.eq_ignore_ascii_case(known)) && href(path).is_some()
}

fn image(out: &mut Out, link: &Link) {
    let Some(href) = href(&link.href) else {
        return;
    };
    let name = esc(&link.name);
    out.raw(&format!(
        "<figure><a href=\"{href}\"><img loading=\"lazy\" src=\"{href}\" alt=\"{name}\"></a>\
         <figcaption><span class=\"name\">{name}</span> <span class=\"size\">{}</span>\
         </figcaption></figure>\n",
        bytes(link.size)
    ));
}
