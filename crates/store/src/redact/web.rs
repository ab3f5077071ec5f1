//! Secrets of the web that no fixed beginning gives away: signed tokens of three parts, and the
//! password in an address. Addresses that lead nowhere but to this machine or to the names that are
//! kept for examples (RFC 2606) hold no secret: test databases are written so everywhere.

/// A part of a token that is shorter is a word.
const LEAST_PART: usize = 8;
const LEAST_SIGNATURE: usize = 20;
/// The longest name or password that is looked at.
const LONGEST: usize = 512;
const EXAMPLES: [&str; 8] = [
    "localhost",
    "example.com",
    "example.org",
    "example.net",
    "test",
    "example",
    "invalid",
    "host",
];

/// Header and payload of a signed token both begin with what `{"` becomes in base 64.
pub(super) const TOKEN: &str = "eyJ";
/// What stands before the name in an address.
pub(super) const ADDRESS: &str = "://";

fn in_base64url(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// The length of the signed JSON token that begins here.
pub(super) fn token_at(text: &str) -> Option<usize> {
    let mut at = 0;
    for (least, begins) in [
        (LEAST_PART, TOKEN),
        (LEAST_PART, TOKEN),
        (LEAST_SIGNATURE, ""),
    ] {
        if at > 0 {
            text[at..].starts_with('.').then_some(())?;
            at += 1;
        }
        let part = &text[at..];
        part.starts_with(begins).then_some(())?;
        let length = part.find(|c| !in_base64url(c)).unwrap_or(part.len());
        (length >= least).then_some(())?;
        at += length;
    }
    Some(at)
}

/// Where the password stands in the address whose `://` begins here.
pub(super) fn password_at(text: &str) -> Option<(usize, usize)> {
    let rest = text.strip_prefix(ADDRESS)?;
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '<' | '>' | '`' | '\\')
    };
    let length = rest.find(ends).unwrap_or(rest.len());
    let (user, host) = rest[..length].rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let stands_for_one = password.starts_with(['$', '{', '%', '*', '[', '.']);
    if password.is_empty() || stands_for_one || user.len() > LONGEST || leads_nowhere(host) {
        return None;
    }
    let from = ADDRESS.len() + name.len() + 1;
    Some((from, from + password.len()))
}

fn leads_nowhere(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let name = name.trim_end_matches([',', '.', ')', ';']).to_lowercase();
    let of_examples = EXAMPLES.iter().any(|example| {
        let before = name.strip_suffix(example);
        before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    let address = name.parse::<std::net::IpAddr>();
    of_examples || name.is_empty() || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use crate::redact::redact;

    #[test]
    fn signed_tokens_go_and_unsigned_ones_stay() {
        let head = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0";
        let signature = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        let text = format!("Cookie: t={head}.{signature}; a");
        assert_eq!(redact(&text, &[]), "Cookie: t=[redacted]; a");
        for text in [
            format!("{head}."),
            format!("{head} and more"),
            "eyJ.eyJ.x".to_owned(),
        ] {
            assert_eq!(redact(&text, &[]), text);
        }
    }

    #[test]
    fn passwords_in_addresses_go_and_examples_stay() {
        for (text, clean) in [
            (
                "pip https://bob:s3cr3t@pkgs.corp.io/simple",
                "pip https://bob:[redacted]@pkgs.corp.io/simple",
            ),
            (
                "\"postgres://a:b:c@10.0.0.4:5432/x\"",
                "\"postgres://a:[redacted]@10.0.0.4:5432/x\"",
            ),
            (
                "https://:tok3n@git.corp.io",
                "https://:[redacted]@git.corp.io",
            ),
            ("ftp://a:p@ss@corp.io/", "ftp://a:[redacted]@corp.io/"),
        ] {
            assert_eq!(redact(text, &[]), clean);
        }
        for text in [
            "postgres://postgres:postgres@localhost:5432/test",
            "redis://:pw@127.0.0.1/0 and redis://:pw@[::1]:6379",
            "https://user:pass@example.com/a",
            "https://user:pass@db.test/a",
            "https://user:${PASSWORD}@pkgs.corp.io",
            "https://corp.io:443/@scope/name",
            "git clone ssh://git@corp.io:22/a",
            "see a://b, c:d@e.f",
        ] {
            assert_eq!(redact(text, &[]), text);
        }
    }
}
