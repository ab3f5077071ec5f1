//! Names as folder names (rule F4.1).

use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Longer slugs are cut.
const LONGEST: usize = 64;
/// What is kept of them, before a hyphen and the hash.
const KEPT: usize = 56;
/// Hex digits of the hash.
const DIGITS: usize = 7;

/// Small letters, everything else a hyphen, no two in a row and none at the ends; cut with a hash
/// of the whole beyond 64 characters. Empty for a name without a letter or digit of ASCII.
pub fn slug(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.to_lowercase().chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_matches('-');
    if slug.len() <= LONGEST {
        return slug.to_owned();
    }
    let hash = Sha256::digest(slug.as_bytes());
    let mut hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    hex.truncate(DIGITS);
    // Everything in a slug is ASCII, so this is a boundary between characters.
    format!("{}-{hex}", &slug[..KEPT])
}

/// The names that the children of one folder have already.
#[derive(Debug, Default)]
pub struct Siblings {
    taken: BTreeSet<String>,
    next: BTreeMap<String, u32>,
}

impl Siblings {
    /// The slug itself, or with `-2`, `-3` and so on for those that come later. A suffix that
    /// another name has by itself is passed over.
    pub fn name(&mut self, slug: String) -> String {
        if self.taken.insert(slug.clone()) {
            return slug;
        }
        let next = self.next.entry(slug.clone()).or_insert(2);
        loop {
            let candidate = format!("{slug}-{next}");
            *next += 1;
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
