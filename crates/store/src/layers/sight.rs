//! What a layer lets the layers below it look at, so that hidden files are never opened, never
//! counted and never walked into.

use super::Seen;

/// A filter on paths from the root. It must answer from the path alone or from the disk's state,
/// and is asked from several threads.
pub trait Sight: Sync {
    /// Whether anything in this folder may be seen. When not, it is not entered.
    fn enters(&self, folder: &str) -> bool;

    /// How much of this file may be seen.
    fn sees(&self, file: &str) -> Seen;
}

/// What two layers let through together.
fn both(one: Seen, other: Seen) -> Seen {
    match (one, other) {
        (Seen::Nothing, _) | (_, Seen::Nothing) => Seen::Nothing,
        (Seen::Whole, seen) | (seen, Seen::Whole) => seen,
        // Lists are nested by design (metadata in summary): the shorter one is in the other.
        (Seen::Members(a), Seen::Members(b)) if a.len() <= b.len() => Seen::Members(a),
        (Seen::Members(_), Seen::Members(b)) => Seen::Members(b),
    }
}

/// Lets everything through.
#[derive(Debug, Clone, Copy)]
pub struct Everything;

impl Sight for Everything {
    fn enters(&self, _folder: &str) -> bool {
        true
    }

    fn sees(&self, _file: &str) -> Seen {
        Seen::Whole
    }
}

/// Both must let it through.
pub(super) struct Both<'s>(pub(super) &'s dyn Sight, pub(super) &'s dyn Sight);

impl Sight for Both<'_> {
    fn enters(&self, folder: &str) -> bool {
        self.0.enters(folder) && self.1.enters(folder)
    }

    fn sees(&self, file: &str) -> Seen {
        match self.0.sees(file) {
            Seen::Nothing => Seen::Nothing,
            seen => both(seen, self.1.sees(file)),
        }
    }
}

/// The named members of a JSON object as a text of their own; `None` when it is no object.
pub(super) fn reduce(bytes: &[u8], members: &[&str]) -> Option<Vec<u8>> {
    let serde_json::Value::Object(all) = serde_json::from_slice(bytes).ok()? else {
        return None;
    };
    let kept = all
        .into_iter()
        .filter(|(name, _)| members.contains(&name.as_str()));
    let kept: serde_json::Map<String, serde_json::Value> = kept.collect();
    let mut less = serde_json::to_vec_pretty(&kept).ok()?;
    less.push(b'\n');
    Some(less)
}
