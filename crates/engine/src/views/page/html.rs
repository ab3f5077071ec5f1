//! The only place where text becomes HTML. It refuses to link to anything but a relative path, and
//! to let text hide itself (control characters, direction overrides).

use crate::views::page::Link;
use kernel::unseen::is_unseen;

/// A page in the making. `raw` is for our own markup; every other way in escapes.
pub(crate) struct Out(String);

impl Out {
    pub(crate) fn new() -> Self {
        Out(String::with_capacity(16 << 10))
    }

    pub(crate) fn done(self) -> String {
        self.0
    }

    /// Our own markup, with values already escaped.
    pub(crate) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// A paragraph of foreign text; nothing if it is blank.
    pub(crate) fn paragraph(&mut self, class: &str, text: &str) {
        if !text.trim().is_empty() {
            let text = prose(text.trim());
            self.raw(&format!("<p class=\"{class}\">{text}</p>\n"));
        }
    }

    /// A name and a value of a `<dl>`; the value is markup.
    pub(crate) fn pair(&mut self, name: &str, value: &str) {
        self.raw(&format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n"));
    }

    /// A list of files, if there are any.
    pub(crate) fn links(&mut self, links: &[Link]) {
        if links.is_empty() {
            return;
        }
        self.raw("<ul class=\"files\" aria-label=\"Evidence\">\n");
        for link in links {
            self.raw(&format!("<li>{}</li>\n", anchor(link)));
        }
        self.raw("</ul>\n");
    }
}

/// Text as HTML, in an element or in a quoted attribute. What can not be seen is spelled out.
pub(crate) fn esc(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            '\r' => {}
            c if is_unseen(c) => safe.push_str(&format!("[U+{:04X}]", u32::from(c))),
            c => safe.push(c),
        }
    }
    safe
}

/// The same for a sentence: what stands in backticks is code, on lines where each has its other.
pub(crate) fn prose(text: &str) -> String {
    let line = |line: &str| {
        let parts: Vec<&str> = line.split('`').collect();
        let alone = parts.len().is_multiple_of(2);
        let empty = parts.iter().skip(1).step_by(2).any(|part| part.is_empty());
        if alone || empty {
            return line.to_owned();
        }
        let mut parts = parts.into_iter();
        let mut marked = parts.next().unwrap_or_default().to_owned();
        while let (Some(code), Some(after)) = (parts.next(), parts.next()) {
            marked.push_str(&format!("<code>{code}</code>{after}"));
        }
        marked
    };
    let safe = esc(text);
    safe.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// A path relative to the page, percent-encoded, or nothing if it leads elsewhere. The colon is
/// encoded too, so that no path can begin with a scheme.
pub(crate) fn href(path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with(['/', '\\']) {
        return None;
    }
    Some(encoded(path))
}

/// A path as it stands in an address.
pub(crate) fn encoded(path: &str) -> String {
    let mut safe = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                safe.push(char::from(byte));
            }
            _ => safe.push_str(&format!("%{byte:02X}")),
        }
    }
    safe
}

/// A file's name and size, linked if it may be.
pub(crate) fn anchor(link: &Link) -> String {
    let text = format!(
        "<span class=\"name\">{}</span> <span class=\"size\">{}</span>",
        esc(&link.name),
        bytes(link.size)
    );
    match href(&link.href) {
        Some(href) => format!("<a href=\"{href}\">{text}</a>"),
        None => format!("<span class=\"unlinked\">{text}</span>"),
    }
}

/// A status in words, a sign and a colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Unsure,
    Plain,
}

impl Tone {
    pub(crate) fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Unsure => "unsure",
            Tone::Plain => "plain",
        }
    }
}

pub(crate) fn chip(tone: Tone, text: &str) -> String {
    let sign = match tone {
        Tone::Good => "\u{2713}",
        Tone::Bad => "\u{2715}",
        Tone::Unsure => "!",
        Tone::Plain => "\u{2022}",
    };
    format!(
        "<span class=\"chip {}\"><span aria-hidden=\"true\">{sign}</span> {}</span>",
        tone.class(),
        esc(text)
    )
}

/// A time in UTC, short for people and exact for machines.
pub(crate) fn time(at: &str) -> String {
    match kernel::Time::parse(at) {
        Some(_) => format!(
            "<time datetime=\"{at}\">{} {} UTC</time>",
            &at[..10],
            &at[11..19]
        ),
        None => esc(at),
    }
}

/// A hash short enough to read; hovering shows all of it.
pub(crate) fn short(hash: &str) -> String {
    let mut first: String = hash.chars().take(12).collect();
    if first.len() < hash.len() {
        first.push('\u{2026}');
    }
    format!("<code title=\"{}\">{}</code>", esc(hash), esc(&first))
}

pub(crate) fn bytes(size: u64) -> String {
    match size {
        0..1_000 => format!("{size} B"),
        1_000..1_000_000 => format!("{}.{} kB", size / 1_000, size % 1_000 / 100),
        _ => format!("{}.{} MB", size / 1_000_000, size % 1_000_000 / 100_000),
    }
}

pub(crate) fn duration(millis: u64) -> String {
    match millis {
        0..1_000 => format!("{millis} ms"),
        1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        60_000..3_600_000 => format!("{} min {:02} s", millis / 60_000, millis / 1_000 % 60),
        _ => format!("{} h {:02} min", millis / 3_600_000, millis / 60_000 % 60),
    }
}

pub(crate) fn dollars(micro: u64) -> String {
    match micro {
        0 => "$0".to_owned(),
        1..100_000 => format!("${}.{:04}", micro / 1_000_000, micro % 1_000_000 / 100),
        _ => format!("${}.{:02}", micro / 1_000_000, micro % 1_000_000 / 10_000),
    }
}

/// Digits in groups of three, with a space that does not break.
pub(crate) fn grouped(number: u64) -> String {
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

/// "1 check", "2 checks".
pub(crate) fn count(number: usize, one: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {one}{ending}")
}
