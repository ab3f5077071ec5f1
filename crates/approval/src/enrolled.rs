//! Where a passkey was enrolled, as its line of the approvers says it: it signs on that page alone.

use ssh_key::public::KeyData;

/// How the address of every page begins that may ask for passkeys.
pub(super) const PAGE: &str = "http://localhost:";

/// The name under which a page may ask for passkeys. A number can be no home of one.
pub const HOME: &str = "localhost";

/// Is it a passkey's, and no key of a terminal? Pages can ask for it, and it signs on its page alone.
pub(super) fn is_one(key: &KeyData) -> bool {
    matches!(key, KeyData::SkEcdsaSha2NistP256(key) if key.application() == HOME)
}

/// The page that a passkey was enrolled at: one of the words behind its key.
pub(super) fn page(comment: &str) -> Result<&str, String> {
    let write = "write the address of the page that it was enrolled at behind the key, such as http://localhost:7766";
    let why = |what: &str| Err(format!("it is a passkey, and its line {what}; {write}"));
    let mut pages = comment
        .split_ascii_whitespace()
        .filter(|word| word.starts_with(PAGE));
    match (pages.next(), pages.next()) {
        (None, _) => why("does not say which page it signs on"),
        (Some(_), Some(_)) => why("names more than one page"),
        (Some(page), None) => match page[PAGE.len()..].parse::<u16>() {
            Ok(port) if page == format!("{PAGE}{port}") => Ok(page),
            _ => why("names a page with more or less than its port"),
        },
    }
}

/// Why a passkey could sign on no page.
pub(super) fn pageless(key: &KeyData, comment: &str) -> Option<String> {
    match is_one(key) {
        true => page(comment).err(),
        false => None,
    }
}
