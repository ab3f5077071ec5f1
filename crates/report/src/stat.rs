//! How much of each file changed, drawn as git draws it.

use crate::file_change::FileChange;

/// How much of each file changed, within this many columns; nothing if nothing did.
pub fn stat(changes: &[FileChange], columns: usize) -> String {
    if changes.is_empty() {
        return String::new();
    }
    let names: Vec<String> = changes
        .iter()
        .map(|one| short_name(one, columns / 2))
        .collect();
    let widest = names
        .iter()
        .map(|name| name.chars().count())
        .max()
        .unwrap_or(0);
    let total = |one: &FileChange| one.added.unwrap_or(0) + one.removed.unwrap_or(0);
    let most = changes.iter().map(total).max().unwrap_or(0).max(1);
    let digits = most.to_string().len().max(1);
    let room = columns.saturating_sub(widest + digits + 5).max(8) as u64;
    let scaled = |count: u64| match most <= room {
        true => count,
        // What changed at all is seen.
        false => (count * room / most).max(u64::from(count > 0)),
    };
    let mut text = String::new();
    for (one, name) in changes.iter().zip(&names) {
        let gap = " ".repeat(widest - name.chars().count());
        let drawn = match (one.added, one.removed) {
            (Some(added), Some(removed)) => {
                let drawn = |sign: &str, count| sign.repeat(scaled(count) as usize);
                let bar = format!("{}{}", drawn("+", added), drawn("-", removed));
                format!("{:>digits$} {bar}", added + removed)
            }
            _ => "no text".to_owned(),
        };
        let mode = one
            .mode
            .map_or_else(String::new, |mode| format!(" ({mode})"));
        text.push_str(format!(" {name}{gap} | {}{mode}", drawn.trim_end()).trim_end());
        text.push('\n');
    }
    text.push_str(&format!(" {}\n", totals(changes)));
    text
}

/// `2 files changed, 5 insertions(+), 1 deletion(-)`.
pub fn totals(changes: &[FileChange]) -> String {
    let many = |count: u64, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    };
    let added: u64 = changes.iter().filter_map(|one| one.added).sum();
    let removed: u64 = changes.iter().filter_map(|one| one.removed).sum();
    let mut text = many(changes.len() as u64, "file changed", "files changed");
    if added > 0 {
        text.push_str(&format!(
            ", {}",
            many(added, "insertion(+)", "insertions(+)")
        ));
    }
    if removed > 0 {
        text.push_str(&format!(
            ", {}",
            many(removed, "deletion(-)", "deletions(-)")
        ));
    }
    text
}

/// The name as it is drawn: the end of a long path says more than its beginning.
fn short_name(change: &FileChange, most: usize) -> String {
    let name = match &change.from {
        Some(from) => format!("{from} => {}", change.path),
        None => change.path.clone(),
    };
    // A line break or another trick in a name draws no line of its own.
    let name = kernel::unseen::spelt(&name).into_owned();
    let length = name.chars().count();
    match length <= most.max(8) {
        true => name,
        false => format!(
            "...{}",
            name.chars()
                .skip(length - most.max(8) + 3)
                .collect::<String>()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_change::{LISTED, listing};

    #[test]
    fn a_stat_is_drawn_as_git_draws_it() {
        let drawn = stat(&listing(LISTED), 60);
        assert_eq!(
            drawn,
            " code.txt              | 4 +++-\n old name => new\\nname | 2 --\n logo.png              | no text\n 3 files changed, 3 insertions(+), 3 deletions(-)\n"
        );
        assert_eq!(stat(&[], 60), "");
    }
}
