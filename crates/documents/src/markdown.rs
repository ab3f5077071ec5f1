//! Markdown as sections: a heading, the text under it, the list items under it. A real parser reads
//! it, so a line in a code fence is no heading.

use crate::error::Error;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What stands under one heading, up to the next of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    pub title: String,
    /// The text of all blocks, one per line, without the headings below.
    pub content: String,
    /// Each list item's own text, without that of the items inside it.
    pub items: Vec<String>,
    /// Each outermost list item with all that is inside it.
    pub points: Vec<String>,
    /// Each table row with its cells, under the names of its columns.
    pub rows: Vec<Row>,
    /// The columns of each table, also of one without rows.
    pub tables: Vec<Vec<String>>,
    /// The content of each code block.
    pub code: Vec<String>,
    /// None for the document as a whole.
    level: Option<HeadingLevel>,
    open: bool,
}

/// One row of a table. The header is a row of its own, and no `Row`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub columns: Vec<String>,
    pub cells: Vec<String>,
}

impl Row {
    /// The cell under this column, whatever its case.
    pub fn cell(&self, column: &str) -> Option<&str> {
        let wanted = column.trim().to_lowercase();
        let mut columns = self.columns.iter();
        let at = columns.position(|column| column.to_lowercase() == wanted)?;
        self.cells.get(at).map(String::as_str)
    }
}

impl Section {
    fn new(title: String, level: Option<HeadingLevel>) -> Self {
        Self {
            title,
            content: String::new(),
            items: Vec::new(),
            points: Vec::new(),
            rows: Vec::new(),
            tables: Vec::new(),
            code: Vec::new(),
            level,
            open: true,
        }
    }
}

/// What stands behind `label:` in a text, up to the end of its line or a semicolon.
pub fn labelled(text: &str, label: &str) -> Option<String> {
    let wanted = label.trim().to_lowercase();
    let lower = text.to_lowercase();
    lower.match_indices(&wanted).find_map(|(at, _)| {
        let before = lower[..at].chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let rest = lower[at + wanted.len()..].trim_start_matches(['*', '_', '`', ' ']);
        let said = rest.strip_prefix(':')?;
        Some(
            said.split(['\n', ';'])
                .next()
                .unwrap_or_default()
                .to_owned(),
        )
    })
}

/// The document as one section.
pub fn whole(text: &str) -> Section {
    all(text).swap_remove(0)
}

/// The sections with this heading, or the whole document where none is asked for.
pub fn chosen(text: &str, heading: Option<&str>) -> Result<Vec<Section>, Error> {
    match heading {
        None => Ok(vec![whole(text)]),
        Some(heading) => match sections(text, heading) {
            found if found.is_empty() => Err(format!("has no heading `{heading}`").into()),
            found => Ok(found),
        },
    }
}

/// The sections one level below the first one with this heading.
pub fn below(text: &str, heading: &str) -> Vec<Section> {
    let wanted = heading.trim().to_lowercase();
    let sections = all(text);
    let mut rest = sections
        .into_iter()
        .skip_while(|section| section.title.trim().to_lowercase() != wanted);
    let level = rest.next().and_then(|section| section.level);
    let inside: Vec<Section> = rest.take_while(|section| section.level > level).collect();
    let next = inside.iter().map(|section| section.level).min();
    let mut inside = inside;
    inside.retain(|section| Some(section.level) == next);
    inside
}

/// All sections with this heading, whatever its level and case.
pub fn sections(text: &str, heading: &str) -> Vec<Section> {
    let wanted = heading.trim().to_lowercase();
    let mut sections = all(text);
    sections.retain(|section| section.title.trim().to_lowercase() == wanted);
    sections
}

/// The document as one section, then every section of it.
pub fn all(text: &str) -> Vec<Section> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut sections = vec![Section::new(String::new(), None)];
    let mut columns: Vec<String> = Vec::new();
    let mut cells: Vec<String> = Vec::new();
    let mut cell: Option<String> = None;
    let mut code: Option<String> = None;
    let mut heading: Option<String> = None;
    let mut items: Vec<String> = Vec::new();
    let mut point = String::new();
    for event in events(text, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some(String::new());
                for section in &mut sections {
                    // A lower level compares greater: H2 > H1.
                    section.open &= section.level < Some(level);
                }
            }
            Event::End(TagEnd::Heading(level)) => {
                let title = heading.take().unwrap_or_default();
                sections.push(Section::new(title, Some(level)));
            }
            Event::Start(Tag::TableCell) => cell = Some(String::new()),
            Event::End(TagEnd::TableCell) => {
                cells.push(cell.take().unwrap_or_default().trim().to_string());
                write(&mut heading, &mut sections, "\n");
            }
            Event::End(TagEnd::TableHead) => {
                columns = std::mem::take(&mut cells);
                for section in sections.iter_mut().filter(|section| section.open) {
                    section.tables.push(columns.clone());
                }
            }
            Event::End(TagEnd::TableRow) => {
                let row = Row {
                    columns: columns.clone(),
                    cells: std::mem::take(&mut cells),
                };
                for section in sections.iter_mut().filter(|section| section.open) {
                    section.rows.push(row.clone());
                }
            }
            Event::Start(Tag::CodeBlock(_)) => code = Some(String::new()),
            Event::End(TagEnd::CodeBlock) => {
                let block = code.take().unwrap_or_default();
                for section in sections.iter_mut().filter(|section| section.open) {
                    section.code.push(block.clone());
                }
                write(&mut heading, &mut sections, "\n");
            }
            Event::Start(Tag::Item) => {
                if items.is_empty() {
                    point.clear();
                } else {
                    point.push('\n');
                }
                // A list inside of an item begins without any other sign.
                write(&mut heading, &mut sections, "\n");
                items.push(String::new());
            }
            Event::End(TagEnd::Item) => {
                let item = items.pop().unwrap_or_default();
                if items.is_empty() && !point.trim().is_empty() {
                    for section in sections.iter_mut().filter(|section| section.open) {
                        section.points.push(point.trim().to_string());
                    }
                }
                point.push('\n');
                if item.trim().is_empty() {
                    continue;
                }
                for section in sections.iter_mut().filter(|section| section.open) {
                    section.items.push(item.trim().to_string());
                    section.content.push('\n');
                }
            }
            Event::Text(piece) | Event::Code(piece) => {
                // Shown as text, so it opens no comment for whoever reads `content`.
                let piece = piece.replace("<!--", "<! --");
                if let Some(item) = items.last_mut().filter(|_| heading.is_none()) {
                    item.push_str(&piece);
                    point.push_str(&piece);
                }
                if let Some(inner) = code.as_mut().or(cell.as_mut()) {
                    inner.push_str(&piece);
                }
                write(&mut heading, &mut sections, &piece);
            }
            // Not into items: a comment behind a label is no part of the label.
            Event::InlineHtml(piece) | Event::Html(piece) => {
                write(&mut heading, &mut sections, &piece);
            }
            Event::End(
                TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link,
            ) => {}
            Event::SoftBreak | Event::HardBreak | Event::End(_) => {
                if let Some(item) = items.last_mut() {
                    item.push('\n');
                    point.push('\n');
                }
                write(&mut heading, &mut sections, "\n");
            }
            _ => {}
        }
    }
    sections
}

/// The parser's events, with the names of Python's own as they were meant: of `shop/__init__.py` it takes the
/// underscores for bold print.
fn events<'a>(text: &'a str, options: Options) -> impl Iterator<Item = Event<'a>> {
    let all = Parser::new_ext(text, options).into_offset_iter();
    all.map(|(event, range)| match event {
        Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) if in_a_word(text, &range) => {
            Event::Text("__".into())
        }
        event => event,
    })
}

/// Do these underscores stand inside of a word, such as a path?
fn in_a_word(text: &str, range: &std::ops::Range<usize>) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let opens = before
        .chars()
        .next_back()
        .is_some_and(|c| matches!(c, '/' | '.'));
    let mut follows = after.chars();
    let goes_on = match follows.next() {
        Some('.' | '/') => follows.next().is_some_and(char::is_alphanumeric),
        Some(c) => c.is_alphanumeric(),
        None => false,
    };
    text[range.clone()].starts_with("__") && (opens || goes_on)
}

/// A section's source: from behind its heading to the next heading of the same or a higher level,
/// as a real parser sees them. A title that stands twice is refused: nobody could say which is meant.
pub fn source<'t>(text: &'t str, heading: &str) -> Result<&'t str, Error> {
    let wanted = heading.trim().to_lowercase();
    let mut headings: Vec<(HeadingLevel, std::ops::Range<usize>, String)> = Vec::new();
    let mut title: Option<String> = None;
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::End(TagEnd::Heading(level)) => {
                headings.push((level, range, title.take().unwrap_or_default()));
            }
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(title) = &mut title {
                    title.push_str(&piece);
                }
            }
            _ => {}
        }
    }
    let is_it = |title: &str| title.trim().to_lowercase() == wanted;
    let mut found = headings
        .iter()
        .enumerate()
        .filter(|(_, (.., title))| is_it(title));
    let (at, (level, range, _)) = match (found.next(), found.next()) {
        (Some(one), None) => one,
        (None, _) => return Err(format!("has no section `{heading}`").into()),
        (Some(_), Some(_)) => return Err(format!("has the section `{heading}` twice").into()),
    };
    // A lower level compares greater: H2 > H1.
    let next = headings[at + 1..].iter().find(|(other, ..)| other <= level);
    let end = next.map_or(text.len(), |(_, range, _)| range.start);
    Ok(&text[range.end..end])
}

/// What stands as code under a heading, block by block and span by span. Prose is left out.
pub fn code_under(text: &str, heading: &str) -> Vec<String> {
    let wanted = heading.trim().to_lowercase();
    let mut under: Option<HeadingLevel> = None;
    let (mut title, mut block): (Option<String>, Option<String>) = (None, None);
    let mut found = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                title = Some(String::new());
                under = under.filter(|over| level > *over);
            }
            Event::End(TagEnd::Heading(level)) => {
                let is = title
                    .take()
                    .is_some_and(|one| one.trim().to_lowercase() == wanted);
                under = under.or(is.then_some(level));
            }
            Event::Start(Tag::CodeBlock(_)) => block = Some(String::new()),
            Event::End(TagEnd::CodeBlock) => {
                found.extend(block.take().filter(|_| under.is_some()));
            }
            Event::Code(piece) if title.is_none() && under.is_some() => {
                found.push(piece.into_string());
            }
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(inner) = title.as_mut().or(block.as_mut()) {
                    inner.push_str(&piece);
                }
            }
            _ => {}
        }
    }
    found
}

fn write(heading: &mut Option<String>, sections: &mut [Section], piece: &str) {
    if let Some(title) = heading {
        title.push_str(piece);
        return;
    }
    for section in sections.iter_mut().filter(|section| section.open) {
        section.content.push_str(piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_its_source_up_to_the_next_heading_of_its_level() {
        let text = "# T\n## 3 Contract\na\n```\n## no heading\n```\n### deeper\nb\n## 4 Tests\nc\n";
        let found = source(text, "3 contract").unwrap();
        assert_eq!(found, "a\n```\n## no heading\n```\n### deeper\nb\n");
        assert_eq!(source(text, "4 Tests").unwrap(), "c\n");
        assert!(source(text, "5").is_err());
        let tricks = "## 2 Scenarios\n#note\n    # code\n```\n```rust\n# x\n```\nlast\n# 3\n";
        assert!(source(tricks, "2 scenarios").unwrap().ends_with("last\n"));
        let twice = "## A\none\n## A\ntwo\n";
        assert!(
            source(twice, "A")
                .unwrap_err()
                .to_string()
                .contains("twice")
        );
    }

    #[test]
    fn the_names_of_python_are_no_bold_print() {
        let item = |text: &str| whole(text).items.pop().unwrap();
        for name in [
            "shop/__init__.py",
            "__init__.py :: Shop",
            "shop/__main__.py, new",
            "shop.__version__",
        ] {
            assert_eq!(item(&format!("- {name}")), name);
        }
        assert_eq!(item("- __bold__ and **bolder**."), "bold and bolder.");
        assert_eq!(item("- __Bold__: `a/__b__.py`"), "Bold: a/__b__.py");
    }

    const TEXT: &str = "# Top\nintro\n\n## Commands *run*\n```sh\n# Risks\ncargo test\n```\n\
        ### Deeper\nmore\n\n## Risks\n- one: `a`\n  - inner **b**\n- two\n\nNext\n====\n<!-- no -->\n";

    #[test]
    fn a_section_ends_at_the_same_or_a_higher_level() {
        let commands = sections(TEXT, "commands RUN");
        assert_eq!(commands.len(), 1);
        assert!(commands[0].content.contains("cargo test"));
        assert!(commands[0].content.contains("more"));
        assert!(!commands[0].content.contains("one"));
        assert!(!commands[0].content.contains("Deeper"));
        assert!(sections(TEXT, "Top")[0].content.contains("two"));
        assert!(sections(TEXT, "Next")[0].content.contains("<!-- no -->"));
        assert!(sections(TEXT, "absent").is_empty());
    }

    #[test]
    fn fenced_headings_are_no_headings_and_items_keep_to_themselves() {
        let risks = sections(TEXT, "Risks");
        assert_eq!(risks.len(), 1);
        assert_eq!(risks[0].items, ["inner b", "one: a", "two"]);
        assert_eq!(risks[0].points, ["one: a\ninner b", "two"]);
    }

    #[test]
    fn tables_code_and_what_lies_below() {
        let text = "# A\n## B\n| Id | Test |\n|---|---|\n| `AC-1` | **t** one |\n| AC-2 | |\n### C\n```text\nsrc/\n```\n### D\nx\n## E\n";
        let section = &sections(text, "b")[0];
        assert_eq!(section.rows.len(), 2);
        assert_eq!(section.rows[0].cell("test"), Some("t one"));
        assert_eq!(section.rows[1].cell("Test"), Some(""));
        assert_eq!(section.rows[0].cell("absent"), None);
        assert_eq!(section.code, ["src/\n"]);
        let titles = |heading: &str| -> Vec<String> {
            let below = below(text, heading).into_iter();
            below.map(|section| section.title).collect()
        };
        assert_eq!(titles("B"), ["C", "D"]);
        assert_eq!(titles("A"), ["B", "E"]);
        assert!(titles("E").is_empty());
        assert_eq!(whole(text).rows.len(), 2);
        assert!(chosen(text, Some("Z")).is_err());
    }
}
