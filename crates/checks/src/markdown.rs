//! Markdown as sections: a heading, the text under it, the list items under it. It refuses to see
//! headings in code fences, because a real parser reads the file.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// What stands under one heading, up to the next of the same or a higher level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) title: String,
    /// The text of all blocks, one per line, without the headings below.
    pub(crate) content: String,
    /// Each list item's own text, without that of the items inside it.
    pub(crate) items: Vec<String>,
    level: HeadingLevel,
    open: bool,
}

/// All sections with this heading, whatever its level and case.
pub(crate) fn sections(text: &str, heading: &str) -> Vec<Section> {
    let wanted = heading.trim().to_lowercase();
    let mut sections = all(text);
    sections.retain(|section| section.title.trim().to_lowercase() == wanted);
    sections
}

fn all(text: &str) -> Vec<Section> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS;
    let mut sections: Vec<Section> = Vec::new();
    let mut heading: Option<String> = None;
    let mut items: Vec<String> = Vec::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                heading = Some(String::new());
                for section in &mut sections {
                    // A lower level compares greater: H2 > H1.
                    section.open &= section.level < level;
                }
            }
            Event::End(TagEnd::Heading(level)) => sections.push(Section {
                title: heading.take().unwrap_or_default(),
                content: String::new(),
                items: Vec::new(),
                level,
                open: true,
            }),
            Event::Start(Tag::Item) => items.push(String::new()),
            Event::End(TagEnd::Item) => {
                let item = items.pop().unwrap_or_default();
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
                }
                write(&mut heading, &mut sections, "\n");
            }
            _ => {}
        }
    }
    sections
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
    }
}
