//! The floor of `examples.md` (rule F12.4): enough examples, each with an input and an output in
//! fenced blocks and a sentence, with real values. They are not run.

use kernel::deficiency::{Deficiency, Report};
use kernel::json::Places;
use languages::dimensions::SurfaceRef;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// A section or list item with code in it.
#[derive(Debug, Default)]
struct Example {
    line: u32,
    heading: String,
    prose: String,
    blocks: Vec<String>,
    indented: bool,
}

impl Example {
    fn mentions(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let texts = [&self.heading, &self.prose].into_iter().chain(&self.blocks);
        texts
            .into_iter()
            .any(|text| text.to_lowercase().contains(&word))
    }
}

/// Judges a file against the contract. `entry_points` are the public names that the module's code
/// has; without any, one example of the module as a whole is enough.
pub fn judge(text: &str, surface: SurfaceRef<'_>, entry_points: &[&str]) -> Report {
    let examples = read(text);
    let mut found = Vec::new();
    for example in &examples {
        judge_one(example, &mut found);
    }
    let whole: Vec<&Example> = examples.iter().filter(|e| e.blocks.len() >= 2).collect();
    let is_error = |example: &Example| {
        let mut names = surface.error_surfaces.iter();
        names.any(|error| example.mentions(&error.name))
    };
    let mut lacks = |field: String, message: String| {
        found.push(Deficiency::error(
            "example_missing",
            "examples.md",
            field,
            message,
        ));
    };
    let happy = || whole.iter().filter(|example| !is_error(example));
    if entry_points.is_empty() && happy().next().is_none() {
        let message = "no example shows a valid input and its output".to_owned();
        lacks("entry_points".to_owned(), message);
    }
    for point in entry_points {
        if !happy().any(|example| example.mentions(point)) {
            let message = format!("no example shows `{point}` with an input and its output");
            lacks(format!("entry_points.{point}"), message);
        }
    }
    for error in surface.error_surfaces {
        if !whole.iter().any(|example| example.mentions(&error.name)) {
            let message = format!("no example shows the input that leads to `{}`", error.name);
            lacks(format!("error_surfaces.{}", error.name), message);
        }
    }
    let shows_effect = |example: &&Example| {
        let targets = surface.effects.iter();
        targets
            .map(|effect| effect.target.as_str())
            .chain(["effect"])
            .any(|word| example.mentions(word))
            || (example.mentions("before") && example.mentions("after"))
    };
    if !surface.effects.is_empty() && !whole.iter().any(shows_effect) {
        let message = "no example shows an effect: what was before, and what is after".to_owned();
        lacks("effects".to_owned(), message);
    }
    found.into_iter().collect()
}

fn judge_one(example: &Example, found: &mut Vec<Deficiency>) {
    let mut say = |code, message: String| {
        let mut deficiency = Deficiency::error(code, "examples.md", &example.heading, message);
        deficiency.line = Some(example.line);
        found.push(deficiency);
    };
    if example.indented {
        let message = "code is indented; put it into a fenced block".to_owned();
        say("example_not_fenced", message);
    }
    if example.blocks.len() == 1 {
        let message = "one fenced block; an example has an input and an output".to_owned();
        say("example_incomplete", message);
    }
    if !example.blocks.is_empty() && example.prose.trim().is_empty() {
        let message = "no sentence says what the example demonstrates".to_owned();
        say("example_unexplained", message);
    }
    for block in &example.blocks {
        if block.trim().is_empty() {
            say("example_incomplete", "a fenced block is empty".to_owned());
        }
        if let Some(placeholder) = placeholder(block) {
            let message = format!("`{placeholder}` is a placeholder; use a real value");
            say("example_placeholder", message);
        }
    }
}

/// Values that only keep the place of one.
fn placeholder(block: &str) -> Option<String> {
    for line in block.lines() {
        if line.trim() == "..." || line.trim() == "…" {
            return Some("...".to_owned());
        }
    }
    for quote in ['"', '\''] {
        for word in block.split(quote).skip(1).step_by(2) {
            let lower = word.trim().to_lowercase();
            let vague = ["some_", "some ", "your_", "your ", "my_", "example_"];
            let vague = vague.iter().any(|start| lower.starts_with(start)) && lower.len() < 24;
            if vague || ["...", "…", "tbd", "todo", "placeholder", "foo"].contains(&lower.as_str())
            {
                return Some(word.to_owned());
            }
        }
    }
    for part in block.split('<').skip(1) {
        let Some((inside, _)) = part.split_once('>') else {
            continue;
        };
        let lower = inside.to_lowercase();
        let words = inside.len() < 40
            && !inside.is_empty()
            && inside
                .chars()
                .all(|c| c.is_alphanumeric() || "_- ".contains(c));
        let asks = ["your", "here", "placeholder", "insert", "some_"];
        if words && asks.iter().any(|word| lower.contains(word)) {
            return Some(format!("<{inside}>"));
        }
    }
    None
}

/// Splits at headings and at the items of outermost lists.
fn read(text: &str) -> Vec<Example> {
    let mut places = Places::new(text.as_bytes());
    let mut examples = vec![Example::default()];
    let (mut in_heading, mut in_code, mut depth) = (false, None, 0u32);
    for (event, range) in Parser::new(text).into_offset_iter() {
        match &event {
            Event::Start(Tag::Heading { .. }) => examples.push(Example::default()),
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Item) if depth == 1 => {
                let heading = examples.last().map(|e| e.heading.clone());
                examples.push(Example {
                    heading: heading.unwrap_or_default(),
                    ..Example::default()
                });
            }
            _ => {}
        }
        let Some(example) = examples.last_mut() else {
            continue;
        };
        if example.line == 0 {
            example.line = places.of(range.start).line;
        }
        match event {
            Event::Start(Tag::Heading { .. }) => in_heading = true,
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::CodeBlock(kind)) => {
                match kind {
                    CodeBlockKind::Fenced(_) => example.blocks.push(String::new()),
                    CodeBlockKind::Indented => example.indented = true,
                }
                in_code = Some(kind);
            }
            Event::End(TagEnd::CodeBlock) => in_code = None,
            Event::Text(piece) | Event::Code(piece) => match (&in_code, in_heading) {
                (Some(CodeBlockKind::Fenced(_)), _) => {
                    if let Some(block) = example.blocks.last_mut() {
                        block.push_str(&piece);
                    }
                }
                (Some(CodeBlockKind::Indented), _) => {}
                (None, true) => example.heading.push_str(&piece),
                (None, false) => example.prose.push_str(&piece),
            },
            _ => {}
        }
    }
    examples
}
