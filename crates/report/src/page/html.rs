//! What pages have in common. It refuses to link to anything but a relative path, and to let text hide
//! itself (control characters, direction overrides).

use crate::address::encoded;
use crate::evidence::Link;
use kernel::Time;
use kernel::unseen::first_unseen;
use maud::{Markup, html};
use std::fmt::Display;

/// Spells out what cannot be seen. Of a line break of two characters one is enough.
pub(super) fn seen(page: &str) -> String {
    let mut safe = String::with_capacity(page.len() + 16);
    let mut rest = page;
    while let Some((at, c)) = first_unseen(rest) {
        safe.push_str(&rest[..at]);
        rest = &rest[at + c.len_utf8()..];
        if c != '\r' || !rest.starts_with('\n') {
            safe.push_str(&format!("[U+{:04X}]", u32::from(c)));
        }
    }
    safe + rest
}

/// A paragraph of foreign text; nothing if it is blank.
pub(super) fn paragraph(class: &str, text: &str) -> Markup {
    html! { @if !text.trim().is_empty() { p class=(class) { (prose(text.trim())) } } }
}

/// A name and a value of a `<dl>`.
pub(super) fn pair(name: &str, value: impl maud::Render) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}

/// A part of the whole.
pub(super) fn part(part: impl Display, whole: impl Display) -> Markup {
    html! { (part) " " small { "of " (whole) } }
}

/// A list of files, if there are any.
pub(super) fn links(links: &[Link], label: &str) -> Markup {
    html! {
        @if !links.is_empty() {
            ul.files aria-label=(label) { @for link in links { li { (anchor(link)) } } }
        }
    }
}

/// The options of a question.
pub(super) fn options(options: &[String]) -> Markup {
    html! {
        @if !options.is_empty() {
            ul.options aria-label="Options" { @for option in options { li { code { (option) } } } }
        }
    }
}

/// A name or a list of some, which breaks between its words where there is little room: `a.b`, `a_b`, `aB`, `a,b`.
pub(super) fn breakable(name: &str) -> Markup {
    let letters: Vec<char> = name.chars().collect();
    let words = letters.chunk_by(|one, next| {
        !(matches!(one, '.' | '_' | ',') || one.is_lowercase() && next.is_uppercase())
    });
    html! { @for (at, word) in words.enumerate() { @if at > 0 { wbr; } (String::from_iter(word)) } }
}

/// A sentence: what stands in backticks is code, on lines where each has its other.
pub(super) fn prose(text: &str) -> Markup {
    let marked = |line: &str| {
        let inside: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let whole = !line.split('`').count().is_multiple_of(2);
        whole && !inside.iter().any(|part| part.is_empty())
    };
    html! {
        @for (nth, line) in text.split('\n').enumerate() {
            @if nth > 0 { "\n" }
            @if marked(line) {
                @for (nth, part) in line.split('`').enumerate() {
                    @if nth.is_multiple_of(2) { (part) } @else { code { (part) } }
                }
            } @else { (line) }
        }
    }
}

/// A path relative to the page, percent-encoded, or nothing if it leads elsewhere. The colon is
/// encoded too, so that no path can begin with a scheme.
pub(super) fn href(path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with(['/', '\\']) {
        return None;
    }
    Some(encoded(path))
}

/// Endings of files that no browser runs when they are opened from the disk, as this page may be: there nobody says
/// that what an agent wrote is text. `xml` and all that is one can carry a script.
const INERT: [&str; 34] = [
    "c", "cfg", "css", "csv", "diff", "gif", "go", "ini", "java", "jpeg", "jpg", "js", "json",
    "jsonl", "lock", "log", "lua", "md", "mjs", "patch", "php", "png", "py", "rb", "rs", "rst",
    "sh", "sql", "toml", "ts", "tsv", "txt", "webp", "yaml",
];

fn is_inert(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').is_none_or(|(_, ending)| {
        let ending = ending.to_ascii_lowercase();
        INERT.contains(&ending.as_str())
    })
}

/// A file's name and size, linked if it may be.
fn anchor(link: &Link) -> Markup {
    let text = html! { span.name { (link.name) } " " span.size { (bytes(link.size)) } };
    html! {
        @match href(&link.href).filter(|_| is_inert(&link.href)) {
            Some(href) => a href=(href) { (text) },
            None => span.unlinked { (text) },
        }
    }
}

/// A status in words, a sign and a colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Unsure,
    Plain,
}

impl Tone {
    pub(super) fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Unsure => "unsure",
            Tone::Plain => "plain",
        }
    }
}

pub(super) fn chip(tone: Tone, text: &str) -> Markup {
    let sign = match tone {
        Tone::Good => "\u{2713}",
        Tone::Bad => "\u{2715}",
        Tone::Unsure => "!",
        Tone::Plain => "\u{2022}",
    };
    html! {
        span.chip.(tone.class()) { span aria-hidden="true" { (sign) } " " (text) }
    }
}

/// A time in UTC, short for people and exact for machines.
pub(super) fn time(at: Time) -> Markup {
    let at = at.to_string();
    html! { time datetime=(at) { (written(&at)) } }
}

/// A written time in UTC as people read it; anything else as it is.
pub fn written(at: &str) -> String {
    match (at.get(..10), at.get(10..11), at.get(11..19)) {
        (Some(day), Some("T"), Some(clock)) => format!("{day} {clock} UTC"),
        _ => at.to_owned(),
    }
}

/// A hash short enough to read; hovering shows all of it.
pub(super) fn short(hash: &str) -> Markup {
    let mut first: String = hash.chars().take(12).collect();
    if first.len() < hash.len() {
        first.push('\u{2026}');
    }
    html! { code title=(hash) { (first) } }
}

pub(super) fn bytes(size: u64) -> String {
    match size {
        0..1_000 => format!("{size} B"),
        1_000..1_000_000 => format!("{}.{} kB", size / 1_000, size % 1_000 / 100),
        _ => format!("{}.{} MB", size / 1_000_000, size % 1_000_000 / 100_000),
    }
}

pub(super) fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{:.1} s", millis as f64 / 1_000.0),
        60_000..3_600_000 => format!("{} min {:02} s", millis / 60_000, millis / 1_000 % 60),
        _ => format!("{} h {:02} min", millis / 3_600_000, millis / 60_000 % 60),
    }
}

/// Digits in groups of three, with a space that does not break.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A sentence of its own, made of one that stands in others.
pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase());
    first.map_or_else(String::new, |first| format!("{first}{}", letters.as_str()))
}

/// "1 check", "2 checks".
pub(super) fn count(number: usize, one: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {one}{ending}")
}
